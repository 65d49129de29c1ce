// The lock of a home is taken when a source has been read: a long read keeps no other import waiting.
import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tryLockHome } from '../../packages/server/src/release/home/lock.ts'
import { runHere } from '../support/command.ts'
import { nomenclator, TestDirectory, TestHome } from '../support/releases.ts'

/** A server whose table arrives only when it is let go; it has nothing else than a package. */
function slowServer() {
  const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>()
  const { promise: released, resolve: letGo } = Promise.withResolvers<void>()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async ({ url }) => {
      if (url.endsWith('.json')) return Response.json({ name: 'slow', resources: [{ name: 'slow', path: 'slow.csv' }] })
      onAsked()
      await released
      return url.endsWith('.csv') ? new Response('code,name\nA,One\nB,Two\n') : new Response('', { status: 404 })
    },
  })
  return { url: `${server.url}`, asked, letGo, [Symbol.asyncDispose]: () => server.stop(true) }
}

const listsOf = (out: string) => Object.keys(JSON.parse(out).counts)

test('a package is read before the lock is taken, and again if the home has changed since', async () => {
  await using server = slowServer()
  using room = new TestDirectory()
  const home = ['--home', join(room.path, 'home'), '--json', '--wait', '0']
  const quick = join(room.path, 'quick')
  mkdirSync(quick)
  writeFileSync(join(quick, 'quick.csv'), 'code,name\nA,One\nB,Two\n')
  const slow = nomenclator(
    'import',
    'package',
    `${server.url}datapackage.json`,
    '--alone',
    '--allow-private-addresses',
    ...home,
  )
  await server.asked
  const first = await nomenclator('import', 'package', quick, '--alone', ...home)
  expect(first).toMatchObject({ code: 0, err: '' })
  expect(listsOf(first.out)).toEqual(['quick'])
  server.letGo()
  const second = await slow
  expect(second).toMatchObject({ code: 0, err: '' })
  expect(listsOf(second.out).sort()).toEqual(['quick', 'slow'])
}, 60_000)

test.each(['inegi', 'v1'])(
  'import %s does not hold the lock of the home while its server keeps it waiting',
  async (name) => {
    await using server = slowServer()
    using home = new TestHome()
    const slow = runHere('import', name, `${server.url}all.zip`, '--home', home.path, '--wait', '0')
    await server.asked
    {
      using lock = tryLockHome(home.path, 'another import')
      expect(lock).toBeDefined()
    }
    server.letGo()
    expect(await slow).toMatchObject({ code: 1, err: expect.stringContaining('404') })
  },
)

test('two imports at once come one after the other, and both are there', async () => {
  using room = new TestDirectory()
  const home = ['--home', join(room.path, 'home')]
  const imports = ['one', 'two', 'three'].map((name) => {
    const directory = join(room.path, name)
    mkdirSync(directory)
    writeFileSync(join(directory, `${name}.csv`), 'code,name\nA,One\nB,Two\n')
    return nomenclator('import', 'package', directory, '--alone', ...home)
  })
  expect((await Promise.all(imports)).map(({ code }) => code)).toEqual([0, 0, 0])
  const { out } = await nomenclator('packages', '--json', ...home)
  expect(
    JSON.parse(out)
      .map(({ name }: { readonly name: string }) => name)
      .sort(),
  ).toEqual(['one', 'three', 'two'])
}, 60_000)
