// The serve command in a process of its own: its output, what it refuses, and how it stops.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { serveFlags } from '../../packages/server/src/cli/flags/serve-flags.ts'
import { collections } from '../support/built-in.ts'
import { TestDirectory } from '../support/releases.ts'
import {
  childrenOf,
  eventually,
  isAlive,
  Service,
  type ServiceOptions,
  TwoReleases,
  workersOf,
} from '../support/service.ts'
import { message, parseResponse, send } from '../support/wire.ts'

setDefaultTimeout(180_000)

const home = await TwoReleases.create()
const [digest] = home.digests
afterAll(() => home[Symbol.dispose]())

/** The default time for requests in flight at a stop, in milliseconds. */
const DEFAULT_DRAIN = Number(serveFlags['drain-timeout'].defaultValue) * 1_000
const PATH = '/api/v1/paises'
const HALF = `GET ${PATH} HTTP/1.1\r\nHo`
const REST = 'st: a\r\n\r\n'
const get = (url: string, target = PATH, ...fields: readonly string[]) =>
  send(url, message('GET', target, 'Host: a.example', ...fields))

/** Runs a service until it exits by itself. */
async function refused(options: ServiceOptions) {
  await using service = new Service(options)
  const code = await service.exited()
  return { code, ...service.said }
}

const CALL = 'nomenclator serve --help shows what there is.\n'

describe('starting', () => {
  test('one line has the release, the address and the counts', async () => {
    await using service = await Service.over(home, { flags: ['--workers', '1'] })
    const counts = collections.map(({ name, entity }) => `${home.current().entity(entity).count} ${name}`).join(', ')
    expect(counts).toStartWith('25 localidades, 25 municipios')
    expect(service.said).toEqual({
      out: `Serving release ${digest.slice(0, 12)} on ${service.url}: ${counts}\n`,
      err: '',
    })
    expect(service.url).toMatch(/^http:\/\/127\.0\.0\.1:[0-9]+$/)
    expect((await get(service.url)).headers['X-Total']).toBe('25')
  })
})

describe('what is refused', () => {
  test('wrong flags, all at once', async () => {
    const flags = ['--prot', '1', '--workers', '0', '--drain-timeout', 'soon', '--base-url', 'example.org']
    expect(await refused({ flags, env: { PORT: '65536', TRUST_PROXY: '10.0.0.0/33' } })).toEqual({
      code: 2,
      out: '',
      err:
        'nomenclator: there is no flag --prot; did you mean --port?\n' +
        'PORT was "65536"; allowed is a whole number from 0 to 65535\n' +
        '--base-url was "example.org"; allowed is an http or https address without query, such as https://catalogs.example.org\n' +
        'TRUST_PROXY was "10.0.0.0/33"; allowed is addresses, with /bits for a range, separated by commas\n' +
        '--workers was "0"; allowed is auto, or a whole number from 1 to 256\n' +
        `--drain-timeout was "soon"; allowed is a whole number from 0 to 3600\n${CALL}`,
    })
  })

  const inUse = (port: number) =>
    `nomenclator: port ${port} on 127.0.0.1 is in use; choose another with --port or PORT, or --port 0 for a free one\n`

  test.each(['1', '2'])('a port in use, with --workers %s', async (workers) => {
    using other = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
    const flags = ['--home', home.path, '--port', String(other.port), '--workers', workers]
    expect(await refused({ flags })).toEqual({ code: 1, out: '', err: inUse(other.port) })
  })

  test('a port that as many workers as another service was given share, with any --workers', async () => {
    await using other = await Service.over(home, { flags: ['--workers', '2'] })
    expect(workersOf(other.pid)).toHaveLength(2)
    for (const workers of ['1', '2']) {
      const flags = ['--home', home.path, '--port', String(other.port), '--workers', workers]
      expect(await refused({ flags })).toEqual({ code: 1, out: '', err: inUse(other.port) })
    }
    expect((await get(other.url)).status).toBe(200)
  })

  test.each(['1', '2'])('a home in which no release is sound, with --workers %s', async (workers) => {
    using damaged = await TwoReleases.create()
    const [path = '', other = ''] = damaged.digests.map((digest) => damaged.fileOf(digest, 'pais', 'records'))
    const { length } = readFileSync(path)
    for (const one of [path, other]) truncateSync(one, readFileSync(one).length - 1)
    const { code, out, err } = await refused({ flags: ['--home', damaged.path, '--port', '0', '--workers', workers] })
    expect({ code, out, lines: err.replace(/^\[\d+\]/gm, '[pid]').split('\n') }).toEqual({
      code: 1,
      out: '',
      lines: [
        `[pid] nomenclator: the release is damaged: ${path} has ${length - 1} bytes instead of ${length}. It was left as it is; ` +
          'import its source again to replace it, or activate another release.',
        'nomenclator: a worker could not start (exit code 1); its reason stands above',
        '',
      ],
    })
  })

  test('a file of current releases that cannot be read', async () => {
    using spoiled = new TestDirectory()
    writeFileSync(join(spoiled.path, 'current'), 'nonsense\n')
    const { code, err } = await refused({ flags: ['--home', spoiled.path, '--port', '0'] })
    expect([code, err]).toEqual([
      1,
      `nomenclator: ${join(spoiled.path, 'current')} does not hold digests; mend it with nomenclator activate DIGEST\n`,
    ])
  })

  test('an address that is not of this machine, given by variable', async () => {
    const env = { HOST: '203.0.113.1', PORT: '0', WORKERS: '1', NOMENCLATOR_HOME: home.path }
    const { code, out, err } = await refused({ env })
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/^nomenclator: cannot listen on 203\.0\.113\.1, port 0 \(\w+\); choose others with --host and/)
  })
})

describe('variables do what the flags do', () => {
  const variables = { NOMENCLATOR_HOME: home.path, HOST: '127.0.0.1', PORT: '0', WORKERS: '1' }
  const pageTwo = (base: string) => `<${base}${PATH}?format=api&page=2>; rel="next"`

  async function served(env: Record<string, string>): Promise<Service> {
    const service = new Service({ env: { ...variables, ...env } })
    const [, url = ''] = await service.line(/ on (\S+): /)
    service.url = url
    return service
  }

  test('BASE_URL and WORKERS', async () => {
    await using service = await served({ BASE_URL: 'https://catalogs.example.org/v', WORKERS: '2' })
    expect((await get(service.url)).headers.Link).toBe(pageTwo('https://catalogs.example.org/v'))
    expect(workersOf(service.pid)).toHaveLength(2)
  })

  test('TRUST_PROXY and DRAIN_TIMEOUT', async () => {
    await using service = await served({ TRUST_PROXY: '10.0.0.0/8,127.0.0.1', DRAIN_TIMEOUT: '0' })
    const forwarded = ['X-Forwarded-Host: catalogs.example.org', 'X-Forwarded-Proto: https']
    const { headers } = await get(service.url, PATH, ...forwarded)
    expect(headers.Link).toBe(pageTwo('https://catalogs.example.org'))
    const client = await Client.of(service)
    await client.send(HALF)
    const started = performance.now()
    service.signal('SIGTERM')
    expect(await service.exited()).toBe(0)
    expect(performance.now() - started).toBeLessThan(DEFAULT_DRAIN)
    expect(await client.untilClosed()).toBe('')
  })
})

/** A client that sends and reads only when the test says so. */
class Client {
  readonly #socket: Socket
  #received = ''
  #closed = false

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (bytes: Buffer) => {
      this.#received += bytes.toString('latin1')
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#closed = true
    })
  }

  static async of(service: Service): Promise<Client> {
    const socket = connect(service.port, '127.0.0.1')
    await new Promise((resolve) => socket.once('connect', resolve))
    return new Client(socket)
  }

  /** Resolves when the bytes are sent. */
  send(text: string): Promise<void> {
    return new Promise((resolve) => this.#socket.write(text, () => resolve()))
  }

  pauseReading(): void {
    this.#socket.pause()
  }

  resumeReading(): void {
    this.#socket.resume()
  }

  async responses(count: number): Promise<string> {
    await eventually(`there are ${count} responses`, () => this.#received.split('HTTP/1.1 ').length > count)
    return this.#received
  }

  async untilClosed(): Promise<string> {
    await eventually('the connection is closed', () => this.#closed)
    return this.#received
  }
}

/** One whole page, after which the connection is closed. */
function expectLastResponse(text: string): void {
  const found = parseResponse(Buffer.from(text, 'latin1'), false)
  expect(found?.length).toBe(text.length)
  expect([found?.response.status, found?.response.headers.Connection]).toEqual([200, 'close'])
}

describe.each(['1', '2'])('stopping, with --workers %s', (workers) => {
  const start = (...flags: string[]) => Service.over(home, { flags: ['--workers', workers, ...flags] })

  test.each(['SIGTERM', 'SIGINT'] as const)('%s: it exits with 0, and idle clients do not delay it', async (signal) => {
    // If they did, this test would take longer than it may.
    await using service = await start('--drain-timeout', '600')
    const idle = await Client.of(service)
    await idle.send(HALF + REST)
    await idle.responses(1)
    const workersBefore = childrenOf(service.pid)
    service.signal(signal)
    expect(await service.exited()).toBe(0)
    await service.refuses()
    await idle.untilClosed()
    expect(workersBefore.filter(isAlive)).toEqual([])
    expect(service.said.err).toBe('')
  })

  test('clients that have sent half of a request, or nothing yet, get a response when the rest comes', async () => {
    await using service = await start()
    const half = await Client.of(service)
    const silent = await Client.of(service)
    await half.send(HALF)
    await get(service.url)
    service.signal('SIGTERM')
    await service.refuses()
    await half.send(REST)
    expectLastResponse(await half.untilClosed())
    await silent.send(HALF + REST)
    expectLastResponse(await silent.untilClosed())
    expect(await service.exited()).toBe(0)
  })

  test('a second signal ends it at once', async () => {
    await using service = await start('--drain-timeout', '600')
    const client = await Client.of(service)
    await client.send(HALF)
    await get(service.url)
    const workersBefore = childrenOf(service.pid)
    service.signal('SIGTERM')
    await service.refuses()
    service.signal('SIGINT')
    expect(await service.exited()).toBe(1)
    expect(await client.untilClosed()).toBe('')
    await eventually('no worker is left', () => !workersBefore.some(isAlive))
  })

  test('what is not finished within the drain timeout is cut off', async () => {
    await using service = await start('--drain-timeout', '1')
    const client = await Client.of(service)
    await client.send(HALF)
    await get(service.url)
    const started = performance.now()
    service.signal('SIGTERM')
    expect(await service.exited()).toBe(0)
    expect(performance.now() - started).toBeWithin(950, DEFAULT_DRAIN)
    expect(await client.untilClosed()).toBe('')
  })
})

test('SIGHUP does nothing to a single process, and responses that a slow client has not yet taken are sent whole before it exits', async () => {
  await using service = await Service.over(home, { flags: ['--workers', '1'] })
  service.signal('SIGHUP')
  const client = await Client.of(service)
  client.pauseReading()
  const MANY = 5_000
  await client.send((HALF + REST).repeat(MANY))
  await get(service.url)
  service.signal('SIGTERM')
  await service.refuses()
  client.resumeReading()
  let left = Buffer.from(await client.untilClosed(), 'latin1')
  const connections: (string | undefined)[] = []
  for (let found = parseResponse(left, false); found !== undefined; found = parseResponse(left, false)) {
    expect([found.response.status, found.response.headers['X-Total']]).toEqual([200, '25'])
    connections.push(found.response.headers.Connection)
    left = left.subarray(found.length)
  }
  expect(left).toBeEmpty()
  expect(connections.length).toBeWithin(2, MANY)
  expect(connections.filter((one) => one === 'close')).toEqual(['close'])
  expect(connections.at(-1)).toBe('close')
  expect(await service.exited()).toBe(0)
})
