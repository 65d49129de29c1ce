// A service whose home vanishes or is damaged under it: it keeps what it serves, and goes back to what it should serve.

import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../bench/free-port.ts'
import { allCommands } from '../../packages/server/src/cli/command-table.ts'
import { ran, runHere } from '../support/command.ts'
import { IRREGULAR } from '../support/irregular-files.ts'
import { jumbled } from '../support/jumbled-catalog.ts'
import { TestDirectory, TestHome } from '../support/releases.ts'
import { eventually, Service, type ServiceOptions, TwoReleases, workersOf } from '../support/service.ts'
import { smallSource } from '../support/small-source.ts'
import { cannotMount, SilentMount } from '../torture/mounts.ts'

const commands = await allCommands()

setDefaultTimeout(180_000)

const model = await TwoReleases.create()
const [first, second] = model.digests
const PATH = '/api/v1/paises'
/** How many countries each release has. */
const TOTALS = { [first]: '25', [second]: '14' }

let home: TestHome
let away = ''
beforeEach(() => {
  home = new TestHome()
  away = `${home.path}-away`
  cpSync(model.path, home.path, { recursive: true })
  home.store.activate(second)
  home.store.activate(first)
})
afterEach(() => {
  for (const path of [home.path, away]) rmSync(path, { recursive: true, force: true })
})

const start = (options: ServiceOptions = {}) =>
  Service.over(home, { ...options, flags: ['--workers', '2', ...(options.flags ?? [])] })

/** The release that responds, or undefined while nothing does. */
async function served({ url }: Service): Promise<string | undefined> {
  // Every request on a connection of its own, so that all workers are reached.
  const response = await fetch(url + PATH, { headers: { Connection: 'close' } }).catch(() => undefined)
  const total = response?.headers.get('X-Total')
  return Object.keys(TOTALS).find((digest) => TOTALS[digest] === total)
}

/** Waits until all workers serve a release. */
const servedByAll = (service: Service, digest: string) =>
  eventually(`${digest} is served`, async () => {
    if (workersOf(service.pid).length !== 2) return false
    for (let request = 0; request < 20; request++) if ((await served(service)) !== digest) return false
    return true
  })

const oneOf = (service: Service) => workersOf(service.pid)[0] as number

describe.skipIf(process.platform !== 'linux')('a home that vanishes', () => {
  test.each([
    ['with nothing in its place', false],
    ['with an empty directory in its place', true],
  ])('%s: no worker builds anything, the healthy go on, and it is taken up again', async (_, isEmptyThere) => {
    await using service = await start()
    renameSync(home.path, away)
    if (isEmptyThere) mkdirSync(home.path)
    // Both workers tell it: one that has not seen it go has nothing to tell when it is back.
    for (const _worker of workersOf(service.pid))
      await service.line(/^\[\d+\] THE HOME IS GONE, release .* goes on being served: /)
    process.kill(oneOf(service), 'SIGKILL')
    await service.line(/^\[\d+\] nomenclator: there is no release in .*: it is gone or empty/)
    await service.line(/^WORKER DID NOT START: /)
    expect(await served(service)).toBe(first)
    service.signal('SIGHUP')
    await service.line(/^WORKERS NOT RESTARTED: /)
    expect(await served(service)).toBe(first)
    expect(existsSync(home.path) ? readdirSync(home.path) : 'nothing').toEqual(isEmptyThere ? [] : 'nothing')
    rmSync(home.path, { recursive: true, force: true })
    renameSync(away, home.path)
    await service.line(/^\[\d+\] The home is there again\.$/)
    await servedByAll(service, first)
    home.store.activate(second)
    await servedByAll(service, second)
  })

  test('and the last worker with it: it is told, tried again, and served when it is back', async () => {
    await using service = await start()
    renameSync(home.path, away)
    for (const pid of workersOf(service.pid)) process.kill(pid, 'SIGKILL')
    await service.line(/^NO WORKER IS LEFT: nothing is served until one can start$/)
    await service.line(/^WORKER DID NOT START: .*; trying again in \d+ ms$/)
    expect(await served(service)).toBeUndefined()
    renameSync(away, home.path)
    await servedByAll(service, first)
  })

  test('but for its releases: a worker that is replaced serves what the other one serves', async () => {
    await using service = await start()
    rmSync(home.store.currentFile)
    await service.line(/THE HOME IS GONE/)
    const victim = oneOf(service)
    process.kill(victim, 'SIGKILL')
    await eventually('it is replaced', () => workersOf(service.pid).length === 2 && oneOf(service) !== victim)
    await servedByAll(service, first)
  })
})

const canBeSilent = existsSync('/dev/fuse') && (await cannotMount()) === undefined

describe.skipIf(process.platform !== 'linux')('a home that blocks', () => {
  const isSilent = /^\[\d+\] THE HOME DOES NOT RESPOND, release .* goes on being served: /
  const isIrregular = /^\[\d+\] NOBODY KNOWS WHICH RELEASE IS CURRENT, .*current is not a regular file/

  /** While it blocks, a worker that waits for it is killed after six seconds. */
  async function goesOnServing(service: Service, workers: readonly number[]): Promise<void> {
    const end = performance.now() + 8_000
    while (performance.now() < end) {
      expect(await served(service)).toBe(first)
      await Bun.sleep(100)
    }
    expect(workersOf(service.pid)).toEqual([...workers])
  }

  test('by a FIFO for its current file: the workers go on, and it is followed again', async () => {
    await using service = await start()
    const workers = workersOf(service.pid)
    const { currentFile } = home.store
    cpSync(currentFile, `${currentFile}.away`)
    await ran(['mkfifo', `${currentFile}.fifo`])
    renameSync(`${currentFile}.fifo`, currentFile)
    for (const _worker of workers) await service.line(isIrregular)
    await goesOnServing(service, workers)
    renameSync(`${currentFile}.away`, currentFile)
    for (const _worker of workers) await service.line(/^\[\d+\] It is known again which release is current\.$/)
    home.store.activate(second)
    await servedByAll(service, second)
  })

  test.skipIf(!canBeSilent)(
    'by a mount that does not respond: the workers go on, operators are told, and it is followed again',
    async () => {
      const admin = await freePort()
      await using service = await start({ flags: ['--admin', `127.0.0.1:${admin}`] })
      const workers = workersOf(service.pid)
      {
        await using _mount = await SilentMount.over(home.path)
        for (const _worker of workers) await service.line(isSilent)
        await goesOnServing(service, workers)
        const ready = await fetch(`http://127.0.0.1:${admin}/readyz`)
        expect([ready.status, await ready.text()]).toEqual([200, expect.stringContaining('THE HOME DOES NOT RESPOND')])
      }
      // A worker that looks just when the mount goes away gets an error, which is another trouble for a moment.
      const isOver = /^\[\d+\] (?:The home responds again|It is known again which release is current)\.$/
      for (const _worker of workers) await service.line(isOver)
      home.store.activate(second)
      await servedByAll(service, second)
    },
  )

  test.each(Object.entries(IRREGULAR))(
    'by %s for its current file before the start: a sound release is served, and the log says what is wrong',
    async (_, make) => {
      const { currentFile } = home.store
      rmSync(currentFile)
      await make(currentFile)
      await using service = await start()
      expect([first, second]).toContain((await served(service)) as string)
      await eventually('the log says so', () => /NOBODY KNOWS WHICH RELEASE IS CURRENT/.test(service.said.err))
    },
  )
})

const records = (digest: string) => home.fileOf(digest, 'pais', 'records')

describe.skipIf(process.platform !== 'linux')('a file of the current release', () => {
  test('that is truncated: the release before is served, until the same source is imported again', async () => {
    await using service = await start()
    truncateSync(records(first), 0)
    // Requests at once, so that workers read beyond the end of the file.
    for (let request = 0; request < 10; request++) await served(service)
    await service.line(
      /^\[\d+\] AN EARLIER RELEASE IS SERVED: .* has 0 bytes instead of \d+\. It was left as it is; import/,
    )
    await servedByAll(service, second)
    await home.import(smallSource(jumbled), { acceptChanges: true })
    await servedByAll(service, first)
  })

  test('that is altered: the scrub finds it, and what mends it is noticed', async () => {
    const path = records(first)
    const whole = readFileSync(path, 'utf8')
    writeFileSync(path, Buffer.from(whole).fill('x', 20, 21))
    await using service = await start({ env: { SCRUB: '12h' } })
    await service.line(/^DAMAGE FOUND: the release is damaged: .*records has other content than it was built with\. /)
    await servedByAll(service, second)
    await service.line(/^Read \d+ entities of all releases again: 1 is damaged, see the messages before\.$/)
    writeFileSync(path, whole)
    await service.line(/^Mended or removed, what was damaged: /)
    await servedByAll(service, first)
  })

  test('that is altered, and made a worker crash: it is verified before another one serves it', async () => {
    await using service = await start()
    const path = records(first)
    writeFileSync(path, Buffer.from(readFileSync(path)).fill('x', 20, 21))
    process.kill(oneOf(service), 'SIGSEGV')
    await service.line(/^WORKER DIED: process \d+, signal SIGSEGV/)
    await service.line(/^DAMAGE FOUND: /)
    await servedByAll(service, second)
  })

  test('that is altered, and made a request fail: the response says so, and it is verified at once', async () => {
    const path = home.fileOf(first, 'pais', 'index')
    const bytes = readFileSync(path)
    // The index says at its end what is where in it.
    writeFileSync(path, bytes.fill('x', bytes.length - 40))
    await using service = await start()
    const response = await fetch(`${service.url}/api/v2/paises?sort=descPais`)
    expect([response.status, ((await response.json()) as { detail: string }).detail]).toEqual([
      500,
      `The fault is on our side and was logged; trying again may help. Release ${first.slice(0, 12)} was read; nomenclator releases verify says if a file of it is damaged.`,
    ])
    await service.line(/^DAMAGE FOUND: the release is damaged: .*index has other content than it was built with\. /)
    await servedByAll(service, second)
  })

  test.each(['1', '2'])(
    'that was damaged before the start, with --workers %s: the release before is served',
    async (workers) => {
      truncateSync(records(first), 1)
      await using service = await Service.over(home, { flags: ['--workers', workers] })
      expect(service.said.out).toStartWith(`Serving release ${second.slice(0, 12)} on `)
      await eventually('it is told', () => service.said.err.includes('AN EARLIER RELEASE IS SERVED: '))
      expect(await served(service)).toBe(second)
    },
  )
})

describe('the bundled release', () => {
  const refused = async (options: ServiceOptions) => {
    await using service = new Service(options)
    return { code: await service.exited(), ...service.said }
  }

  test.each<[string, ServiceOptions]>([
    ['--no-bundled', { flags: ['--no-bundled'] }],
    ['NO_BUNDLED', { env: { NO_BUNDLED: '1' } }],
  ])('is not built with %s: what to do instead is told', async (_, { flags = [], env = {} }) => {
    using empty = new TestDirectory()
    const path = join(empty.path, 'home')
    const { code, out, err } = await refused({ flags: ['--home', path, '--port', '0', ...flags], env })
    expect([code, out]).toEqual([1, ''])
    expect(err).toStartWith(
      `nomenclator: there is no release in ${path}, and with --no-bundled none is built. Mount the`,
    )
    expect(readdirSync(empty.path)).toEqual([])
  })

  test('is not built over releases that are there: the newest of them is served', async () => {
    rmSync(home.store.currentFile)
    await using service = await Service.over(home, { flags: ['--workers', '1'] })
    expect(service.said.out).toStartWith(`Serving release ${second.slice(0, 12)} on `)
    expect(home.store.digests()).toHaveLength(2)
  })
})

describe('a home that cannot be one', () => {
  const room = new TestDirectory()
  const at = (name: string) => join(room.path, name)
  writeFileSync(at('file'), '')
  symlinkSync('/nowhere/at/all', at('dangling'))
  symlinkSync('circle', at('circle'))

  const OPERANDS: Readonly<Record<string, readonly string[]>> = {
    'import inegi': [at('file')],
    'import sepomex': [at('file')],
    'import boundaries': [at('file'), '--list', 'municipios'],
    'import v1': ['http://127.0.0.1:1'],
    'import mirror': ['http://127.0.0.1:1'],
    'import package': [join(import.meta.dir, '..', 'data', 'packages', 'offices')],
    remove: ['nothing'],
    check: [join(import.meta.dir, '..', 'data', 'packages', 'offices')],
    describe: [join(import.meta.dir, '..', 'data', 'packages', 'offices'), '--output', '-'],
    'export package': [at('out')],
    'export shelf': [at('out')],
    sign: ['--key', at('file')],
    'rotate-keys': ['--key', at('file'), '--to', 'RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3'],
    'verify-release': ['--key', 'RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3'],
    'releases show': ['aa'],
    activate: ['aa'],
    diff: ['aa', 'bb'],
    resolve: [at('file'), '--columns', 'estado'],
    ...Object.fromEntries(
      ['shelf publish', 'shelf mend', 'shelf accept'].map((name) => [name, ['--shelf', 'postgres://127.0.0.1:1/none']]),
    ),
  }

  async function isTold(name: string, path: string, wrong: string) {
    const { code, out, err } = await runHere(...name.split(' '), ...(OPERANDS[name] ?? []), '--home', at(path))
    // The findings of the doctor are its result.
    const words = name === 'doctor' ? out : err
    expect([code, words]).toEqual([1, expect.stringContaining(`the home ${at(path)} ${wrong}`)])
    expect(words).toContain('or give another directory with --home')
    expect(`${out}${err}`).not.toContain('    at ')
  }

  const withHome = commands.filter(({ flags }) => 'home' in flags).map(({ name }) => name)
  test.each(withHome)('is told to %s', (name) => isTold(name, 'file', 'is not a directory'))

  test.each([
    ['file/below', 'has a file on its path'],
    ['dangling', 'is a link to'],
    ['circle', 'cannot'],
  ])('is told whatever it is: %s', async (path, wrong) => {
    for (const name of ['serve', 'import bundled', 'releases']) await isTold(name, path, wrong)
  })

  test.skipIf(process.platform !== 'linux').each(['serve', 'import bundled', 'rollback', 'upgrade'])(
    'below /proc is told to %s',
    async (name) => {
      const { code, err } = await runHere(...name.split(' '), '--home', '/proc/x')
      expect([code, err]).toEqual([1, expect.stringContaining('nomenclator: the home /proc/x cannot be made (ENOENT)')])
    },
  )
})
