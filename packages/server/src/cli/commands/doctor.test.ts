// doctor examines machines and homes of all sorts, and names what to change.

import { describe, expect, test } from 'bun:test'
import { appendFileSync, chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type Ran, ran, recordingTerminal } from '../../../../../test/support/command.ts'
import { rewriteInFormat } from '../../../../../test/support/other-format.ts'
import {
  bundledHome,
  nomenclator,
  sourceOf,
  TestDirectory,
  TestHome,
  tiny,
} from '../../../../../test/support/releases.ts'
import { damagedCacheFile } from '../../../../../test/support/server.ts'
import { Service } from '../../../../../test/support/service.ts'
import { smallSource } from '../../../../../test/support/small-source.ts'
import { ENTITY_FORMAT } from '../../release/manifest.ts'
import { run } from '../run.ts'
import { clock, descriptors, memory } from './doctor.ts'

type Check = { readonly check: string; readonly status: string; readonly found: string; readonly change?: string }

async function examined(home: string, flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const { said, terminal } = recordingTerminal()
  const port = flags.includes('--port') ? [] : ['--port', '0']
  const code = await run(['doctor', '--json', '--home', home, ...port, ...flags], env, terminal)
  const { ok, checks }: { ok: boolean; checks: Check[] } = JSON.parse(said.out)
  expect(code).toBe(ok ? 0 : 1)
  expect(ok).toBe(!checks.some(({ status }) => status === 'fail'))
  for (const { status, change } of checks) expect(change !== undefined).toBe(status !== 'ok')
  return (name: string) => checks.find(({ check }) => check === name) as Check
}

describe('descriptors', () => {
  const limits = (soft: string) =>
    `Limit  Soft Limit  Hard Limit  Units\nMax open files            ${soft}    4096    files\n`
  test.each([
    ['127', 'fail'],
    ['128', 'warn'],
    ['1023', 'warn'],
    ['1024', 'ok'],
    ['unlimited', 'ok'],
  ])('%s: %s', (soft, status) => expect(descriptors(limits(soft)).status).toBe(status as 'ok'))
  test('unknown if there is no such file', () => expect(descriptors('').status).toBe('ok'))
  test('of this process', async () => {
    const { out } = await ran([
      'sh',
      '-c',
      `ulimit -n 200; exec "$0" "$1" doctor --port 0 --json --home /nonexistent/home`,
      process.execPath,
      join(import.meta.dir, '..', '..', 'main.ts'),
    ])
    const { checks } = JSON.parse(out)
    expect(checks[0]).toMatchObject({ check: 'descriptors', status: 'warn' })
    expect(checks[0].found).toStartWith('200 open files')
  })
})

describe('memory', () => {
  const meminfo = (megabytes: number) => `MemTotal: 99999999 kB\nMemAvailable:   ${megabytes * 1_000} kB\n`
  test.each([
    ['enough', 4, 8_000, [], 'ok'],
    ['enough, and no limit', 4, 8_000, ['max\n', ''], 'ok'],
    ['too little for so many workers', 8, 600, [], 'warn'],
    ['a limit that is too small for so many workers', 8, 8_000, ['max', '600000000\n'], 'warn'],
    ['a limit that is just enough', 8, 8_000, ['900000000\n'], 'ok'],
    ['a limit that is a byte too small', 8, 8_000, ['899999999\n'], 'warn'],
    ['a limit that is just enough for one', 8, 8_000, ['200000000\n'], 'warn'],
    ['a limit that is too small for any', 1, 8_000, ['199999999\n'], 'fail'],
    ['the smallest of several limits', 1, 8_000, ['8000000000', '64000000\n', 'max'], 'fail'],
  ] as const)('%s', (_what, workers, available, limits, status) => {
    expect(memory(workers, { meminfo: meminfo(available), limits }).status).toBe(status)
  })
  test('names the number of workers that fit', () => {
    expect(memory(8, { meminfo: meminfo(8_000), limits: ['600000000'] }).change).toContain('run 5 with --workers')
  })
})

test('clock: before this version was written, and before the release was built', async () => {
  using home = new TestHome()
  await home.import(smallSource({}))
  const built = Date.parse(home.current().manifest.built)
  const at = (milliseconds: number) => clock(home.store, new Date(milliseconds)).status
  const day = 86_400_000
  expect([at(0), at(built - day - 1), at(built - day), at(built - 1), at(built)]).toEqual([
    ...(['fail', 'fail', 'warn', 'warn', 'ok'] as const),
  ])
  using empty = new TestHome()
  const earliest = Date.parse('2026-01-01T00:00:00Z')
  const before = [earliest - 1, earliest].map((time) => clock(empty.store, new Date(time)).status)
  expect(before).toEqual(['fail', 'ok'])
})

describe('permissions', () => {
  test.each([
    ['a file', (path: string) => writeFileSync(path, ''), 'fail', 'is not a directory'],
    [
      'a directory that all may write to',
      (path: string) => {
        mkdirSync(path)
        chmodSync(path, 0o777)
      },
      'warn',
      'chmod o-w',
    ],
    ['a directory of this user', (path: string) => mkdirSync(path), 'ok', 'may read and write'],
    ['nothing yet', () => {}, 'ok', 'can be created'],
  ] as const)('%s', async (_what, make, status, words) => {
    using directory = new TestDirectory()
    const path = join(directory.path, 'home')
    make(path)
    const check = (await examined(path))('permissions')
    expect([check.status, `${check.found} ${check.change}`]).toEqual([status, expect.stringContaining(words)])
  })
})

describe('port', () => {
  test('used by another program', async () => {
    const server = createServer((client) => client.resume().end('SSH-2.0\r\n'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const found = (await examined('/nonexistent', ['--port', String(port)]))('port')
    expect(found).toMatchObject({ status: 'fail', found: expect.stringContaining('another program') })
    await new Promise((resolve) => server.close(resolve))
    expect((await examined('/nonexistent', ['--port', String(port)]))('port').status).toBe('ok')
  })

  test('used by another program that speaks HTTP and JSON', async () => {
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => Response.json({ info: { title: 'Other' } }),
    })
    const check = (await examined('/nonexistent', ['--port', String(server.port)]))('port')
    await server.stop(true)
    expect(check).toMatchObject({ status: 'fail', found: expect.stringContaining('another program') })
  })

  test('used by a service of ours, also where a proxy is set', async () => {
    using home = new TestHome()
    await home.import(smallSource({}))
    await using service = await Service.over(home, { flags: ['--workers', '2'] })
    const found = (await examined(home.path, [], { PORT: '' }))('port')
    expect(found.status).toBe('ok')
    const served = (await examined(home.path, ['--port', String(service.port)]))('port')
    expect(served).toMatchObject({ status: 'ok', found: expect.stringContaining('already') })
  })

  test('an address of another machine', async () => {
    const flags = ['--port', '18080', '--host', '203.0.113.1', '--base-url', 'https://catalogs.example.org']
    expect((await examined('/nonexistent', flags))('port').status).toBe('fail')
  })
})

describe('proxies', () => {
  test.each([
    ['none', [], {}, 'ok'],
    ['one for imports', [], { HTTPS_PROXY: 'http://proxy.example.org:3128' }, 'ok'],
    ['one that is no address', [], { https_proxy: 'proxy.example.org:3128' }, 'fail'],
    ['a public address without either', ['--host', '0.0.0.0'], {}, 'warn'],
    ['a public address with a base URL', ['--host', '0.0.0.0'], { BASE_URL: 'https://catalogs.example.org' }, 'ok'],
    ['everybody is trusted', ['--trust-proxy', '0.0.0.0/0'], {}, 'warn'],
    ['one is trusted', ['--host', '0.0.0.0', '--trust-proxy', '10.0.0.5'], {}, 'ok'],
  ] as const)('%s', async (_what, flags, env, status) => {
    expect((await examined('/nonexistent', flags, env))('proxies').status).toBe(status)
  })
})

describe('home', () => {
  test('not there', async () => {
    expect((await examined('/nonexistent/home'))('home')).toMatchObject({ status: 'ok' })
  })

  test('sound; then damaged so that sizes stay, which only --deep sees; then cut short', async () => {
    using home = await bundledHome()
    const digest = home.store.currentDigest() as string
    expect((await examined(home.path, ['--deep']))('home')).toMatchObject({
      status: 'ok',
      found: `release ${digest.slice(0, 12)} is current, 1 on disk, every byte as it was written`,
    })
    const path = home.fileOf(digest, 'pais', 'records')
    const bytes = readFileSync(path)
    bytes[10] = (bytes[10] as number) ^ 1
    writeFileSync(path, bytes)
    expect((await examined(home.path))('home').status).toBe('ok')
    expect((await examined(home.path, ['--deep']))('home')).toMatchObject({
      status: 'fail',
      found: expect.stringContaining(path),
    })
    appendFileSync(path, 'x')
    expect((await examined(home.path))('home').status).toBe('fail')
  })

  test('with a file of the cache whose bytes have changed, which only --deep sees', async () => {
    using home = new TestHome()
    expect((await examined(home.path, ['--deep']))('cache').status).toBe('ok')
    const found = await damagedCacheFile(home.path)
    expect((await examined(home.path, ['--deep']))('cache')).toMatchObject({ status: 'warn', found })
    expect((await examined(home.path))('cache')).toBeUndefined()
  })

  test('with records in the wrong place', async () => {
    using home = new TestHome()
    const { digest } = await home.import(sourceOf(tiny))
    const path = join(home.store.releaseDirectory(digest), 'manifest.json')
    const [finding] = home.current().manifest.findings
    chmodSync(path, 0o644)
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(
        `"count": ${finding?.count},\n      "examples"`,
        '"count": 924,\n      "examples"',
      ),
    )
    const { status, found, change } = (await examined(home.path))('home')
    expect([status, change]).toEqual(['fail', 'import these collections again, together with those that they refer to'])
    expect(found).toContain(
      '924 of 3 localidades: the state of a locality is not the state of its municipality, such as',
    )
  })

  test('of an earlier version', async () => {
    using home = new TestHome()
    await home.import(sourceOf(tiny))
    rewriteInFormat(home.store, ENTITY_FORMAT - 1, '0.3.9')
    const found = (await examined(home.path))('home')
    expect(found).toMatchObject({ status: 'warn', change: expect.stringContaining('nomenclator upgrade') })
  })

  test('of a newer version', async () => {
    using home = new TestHome()
    const { digest } = await home.import(sourceOf(tiny))
    const path = join(home.store.releaseDirectory(digest), 'manifest.json')
    const manifest = JSON.parse(readFileSync(path, 'utf8'))
    manifest.entities.pais.format += 1
    rmSync(path)
    writeFileSync(path, JSON.stringify({ ...manifest, versions: { ...manifest.versions, nomenclator: '99.0.0' } }))
    expect((await examined(home.path))('home')).toMatchObject({
      status: 'fail',
      found: expect.stringContaining('was written by Nomenclator 99.0.0, which is newer'),
      change: 'run that version of the program, or give another --home',
    })
  })

  test('whose list of current releases or registry is spoiled', async () => {
    using home = await bundledHome()
    const registry = readFileSync(home.store.idRegistryFile)
    writeFileSync(home.store.idRegistryFile, '{')
    expect((await examined(home.path))('home').status).toBe('fail')
    writeFileSync(home.store.idRegistryFile, registry)
    expect((await examined(home.path))('home').status).toBe('ok')
    writeFileSync(home.store.currentFile, 'nonsense')
    expect((await examined(home.path))('home').status).toBe('fail')
  })
})

test('for people: a line for each check, what to change, and a count', async () => {
  using directory = new TestDirectory()
  const nothing: Ran = await nomenclator('doctor', '--home', join(directory.path, 'none'), '--port', '0')
  for (const check of ['descriptors', 'memory', 'disk', 'clock', 'permissions', 'port', 'proxies', 'home'])
    expect(nothing.out).toMatch(new RegExp(`^  (?:ok|warn|fail) +${check} +\\S`, 'm'))
  const path = join(directory.path, 'file')
  writeFileSync(path, '')
  const { code, out }: Ran = await nomenclator('doctor', '--home', path, '--port', '0')
  expect(code).toBe(1)
  expect(out).toMatch(/^ +→ move what is there away, or give another directory with --home$/m)
  expect(out).toMatch(/\n\d ok, \d to look at, 1 to mend\.\n$/)
})
