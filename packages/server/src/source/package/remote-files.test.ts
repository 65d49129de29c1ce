// Packages that are published at an address: relative paths, whole files, and nothing of the own network unless that is allowed.
import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { zipOf } from '../../../../../test/support/inegi-file.ts'
import { readPackage, table } from '../../../../../test/support/package-directory.ts'
import { TestDirectory } from '../../../../../test/support/releases.ts'

const DESCRIPTOR = JSON.stringify({
  name: 'units',
  resources: [
    table('units', [{ name: 'code' }, { name: 'name' }], { primaryKey: 'code' }, { path: 'data/my units.csv' }),
  ],
})
const CSV = 'code,name\nA,One\n'

const FILES: Readonly<Record<string, string | Buffer>> = {
  '/p/datapackage.json': DESCRIPTOR,
  '/p/data/my%20units.csv': CSV,
  '/p/units.csv': CSV,
  '/p.zip': zipOf([
    { name: 'datapackage.json', bytes: Buffer.from(DESCRIPTOR) },
    { name: 'data/my units.csv', bytes: Buffer.from(CSV) },
  ]),
  '/page/datapackage.json': '<!DOCTYPE html><html>not found</html>',
  '/lost/datapackage.json': DESCRIPTOR,
}

function serve() {
  const paths: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) => {
      const { pathname } = new URL(url)
      paths.push(pathname)
      const file = FILES[pathname]
      return file === undefined ? new Response('nothing', { status: 404 }) : new Response(file)
    },
  })
  return {
    paths,
    address: (path: string) => `http://127.0.0.1:${server.port}${path}`,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

test.each(['/p/datapackage.json', '/p.zip', '/p/units.csv'])('%s is read', async (path) => {
  await using server = serve()
  const { rows } = await readPackage(server.address(path), { allowsPrivate: true })
  expect(rows.units).toEqual([{ code: 'A', name: 'One' }])
})

test('downloads are kept where that is asked for', async () => {
  await using server = serve()
  using directory = new TestDirectory()
  await readPackage(server.address('/p/datapackage.json'), { allowsPrivate: true, downloads: () => directory.path })
  expect(readdirSync(directory.path).filter((name) => name.endsWith('units.csv'))).toHaveLength(1)
})

test('nothing is requested of the own network unless that is allowed', async () => {
  await using server = serve()
  const refused = readPackage(server.address('/p/datapackage.json'))
  await expect(refused).rejects.toThrow('is an address of this machine or of its network')
  expect(server.paths).toEqual([])
})

test.each([
  ['/page/datapackage.json', 'a web page, where a file of a package was expected'],
  ['/nowhere/datapackage.json', 'responds with 404'],
  ['/lost/datapackage.json', 'responds with 404'],
  ['/p/units', 'responds with 404'],
])('%s is refused', async (path, expected) => {
  await using server = serve()
  await expect(readPackage(server.address(path), { allowsPrivate: true })).rejects.toThrow(expected)
})
