// Lists whose licence forbids to pass them on: what is exported and followed lacks them, unless they are included.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fetchShelf } from '../../packages/server/src/distribution/shelf/fetch.ts'
import { parseHttpShelf } from '../../packages/server/src/distribution/shelf/http-address.ts'
import { openHttpShelf } from '../../packages/server/src/distribution/shelf/http-shelf.ts'
import { shelfResponder } from '../../packages/server/src/distribution/shelf/serve-shelf.ts'
import { createApp } from '../../packages/server/src/http/app.ts'
import { runHere } from '../support/command.ts'
import { postalText } from '../support/postal-file.ts'
import { TestDirectory, TestHome } from '../support/releases.ts'
import { responseTo } from '../support/responses.ts'
import { placesOf, smallSource } from '../support/small-source.ts'

setDefaultTimeout(60_000)

const LISTS = ['codigos-postales', 'asentamientos']
const WHY = 'Left out: codigos-postales, asentamientos, whose licence forbids to pass them on'

const home = new TestHome()
const work = new TestDirectory()
afterAll(() => {
  for (const one of [home, work]) one[Symbol.dispose]()
})

const { digest: before } = await home.import(
  smallSource(
    placesOf({
      states: [['JAL', 'JC', 'Jalisco', 14]],
      municipalities: [['039', 'Guadalajara', 14]],
      localities: [['0001', 'Guadalajara', 1]],
    }),
  ),
)
const file = join(work.path, 'cp.txt')
await Bun.write(
  file,
  postalText([
    ['44100', 'Guadalajara Centro', 'Colonia', '14039', '0001', 'Urbano'],
    ['44101', 'San Secreto', 'Colonia', '14999', '0002', 'Urbano'],
  ]),
)
const inHome = (...argv: readonly string[]) => runHere(...argv, '--home', home.path)
const importing = await inHome('import', 'sepomex', file)
const whole = home.store.currentDigest() as string

test('the command imports the file, and tells what is odd', () => {
  expect(importing).toMatchObject({ code: 0, err: '' })
  expect(importing.out).toContain('asentamientos')
  expect(importing.out).toContain('a settlement lies in a municipality that this home does not have')
})

test('a home without municipalities is told what to import first', async () => {
  using empty = new TestDirectory()
  const { code, err } = await runHere('import', 'sepomex', file, '--home', empty.path)
  expect([code, err]).toEqual([1, expect.stringContaining('import them first with nomenclator import inegi')])
})

describe('export package', () => {
  test('leaves them out and says why', async () => {
    const directory = join(work.path, 'package')
    expect(await inHome('export', 'package', directory)).toMatchObject({ code: 0, err: expect.stringContaining(WHY) })
    expect(readdirSync(directory).filter((name) => LISTS.some((list) => name.startsWith(list)))).toEqual([])
    const descriptor = readFileSync(join(directory, 'datapackage.json'), 'utf8')
    expect(descriptor).not.toContain('asentamientos')
    using again = new TestHome()
    expect(await runHere('import', 'package', directory, '--home', again.path)).toMatchObject({ code: 0 })
    expect(again.store.currentDigest()).toBe(before)
  })

  test('includes them where that is asked for, and they stay restricted', async () => {
    const directory = join(work.path, 'whole-package')
    expect(await inHome('export', 'package', directory, '--include-restricted')).toMatchObject({ code: 0, err: '' })
    using again = new TestHome()
    await runHere('import', 'package', directory, '--home', again.path)
    expect(again.store.currentDigest()).toBe(whole)
    expect(again.current().manifest.packages).toMatchObject([{ name: 'sepomex', restricted: true }])
  })
})

describe('export shelf', () => {
  const exported = async (name: string, ...flags: readonly string[]) => {
    const directory = join(work.path, name)
    const { code, err } = await inHome('export', 'shelf', directory, ...flags)
    const texts = (await Array.fromAsync(new Bun.Glob('**/*').scan(directory))).map((path) =>
      readFileSync(join(directory, path), 'latin1'),
    )
    return { code, err, directory, text: texts.join('\n') }
  }

  test('leaves them out and says why', async () => {
    const { code, err, directory, text } = await exported('shelf')
    expect([code, err]).toEqual([0, expect.stringContaining(WHY)])
    for (const word of [...LISTS, 'Secreto', whole]) expect(text).not.toContain(word)
    for (const list of LISTS) {
      const { digest } = home.released(whole, list)
      expect(existsSync(join(directory, 'entities', digest))).toBe(false)
    }
  })

  test('includes them where that is asked for', async () => {
    const { code, err, text } = await exported('whole-shelf', '--include-restricted')
    expect([code, err]).toEqual([0, ''])
    expect(text).toContain(whole)
  })
})

const said: (readonly string[])[] = []
const serving = (includesRestricted: boolean) => {
  const shelfFiles = shelfResponder(home.store, { includesRestricted, onLeftOut: (lists) => said.push(lists) })
  const app = createApp({
    ...{ release: () => home.current(), policy: { baseUrl: undefined, trustedProxies: undefined }, shelfFiles },
    logError: (error) => {
      throw error
    },
  })
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ url }) =>
      responseTo(
        app,
        { target: new URL(url).pathname, headers: {}, method: 'GET' },
        { listeningUrl: 'http://x', peer: undefined },
      ),
  })
  return { url: `http://127.0.0.1:${server.port}`, [Symbol.dispose]: () => void server.stop(true) }
}
const followed = async (url: string) => {
  const follower = new TestHome()
  const parsed = parseHttpShelf(url)
  if ('allowed' in parsed) throw new Error(parsed.allowed)
  await using shelf = await openHttpShelf(parsed.urls)('', () => {})
  const { missing } = await fetchShelf(follower.store, shelf)
  expect(missing).toEqual([])
  return follower
}

describe('/shelf of a node', () => {
  test('leaves them out and says why once: a follower has all else', async () => {
    using node = serving(false)
    using follower = await followed(node.url)
    expect(said).toEqual([LISTS])
    expect(follower.store.history()).toEqual([before])
    expect(await follower.verify(before)).toEqual([])
    const { digest } = home.released(whole, 'asentamientos')
    expect((await fetch(`${node.url}/shelf/entities/${digest}/chunks`)).status).toBe(404)
    expect((await fetch(`${node.url}/shelf/releases/${whole}`)).status).toBe(410)
    expect((await fetch(`${node.url}/shelf/releases/${before}`)).status).toBe(200)
  })

  test('includes them where that is asked for', async () => {
    using node = serving(true)
    using follower = await followed(node.url)
    expect(follower.store.history()[0]).toBe(whole)
    expect(follower.current().catalog.collections.has('asentamientos')).toBe(true)
  })
})

describe('without the release before', () => {
  test('what is left is a release, with none of their names in it', async () => {
    home.store.remove(before)
    using node = serving(false)
    using follower = await followed(node.url)
    expect(follower.store.history()).toEqual([before])
    expect(await follower.verify(before)).toEqual([])
    const manifest = JSON.stringify(follower.current().manifest)
    for (const word of [...LISTS, 'Secreto']) expect(manifest).not.toContain(word)
  })

  test('a package whose records embed theirs is left out, too', async () => {
    const directory = join(work.path, 'offices')
    const schema = {
      fields: ['code', 'name', 'settlement'].map((name) => ({ name, type: 'string' })),
      primaryKey: 'code',
      foreignKeys: [
        { fields: ['settlement'], reference: { package: 'sepomex', resource: 'asentamientos', fields: ['clave'] } },
      ],
    }
    const resources = [{ name: 'offices', path: 'offices.csv', schema }]
    await Bun.write(join(directory, 'datapackage.json'), JSON.stringify({ name: 'offices', resources }))
    await Bun.write(join(directory, 'offices.csv'), 'code,name,settlement\na,Oficina,140390001\n')
    expect(await inHome('import', 'package', directory)).toMatchObject({ code: 0 })
    const { entity } = home.current()
    expect(new TextDecoder().decode(entity('offices').records.record(0))).toContain('Guadalajara Centro')
    const { err } = await inHome('export', 'package', join(work.path, 'without-offices'))
    expect(err).toContain('Left out: codigos-postales, asentamientos, offices, whose')
    expect(existsSync(join(work.path, 'without-offices', 'offices.csv'))).toBe(false)
  })
})
