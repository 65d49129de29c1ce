// The real command in a process of its own, and two releases to swap under it.
import { readdirSync, readFileSync, readlinkSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { allCommands } from '../../packages/server/src/cli/command-table.ts'
import { COMPUTE_SOCKET_VARIABLE } from '../../packages/server/src/http/processes/messages.ts'
import { MANIFEST_FILE } from '../../packages/server/src/release/manifest.ts'
import type { Release } from '../../packages/server/src/release/release.ts'
import type { GivenRow } from '../../packages/server/src/source/source.ts'
import { fingerprintOf, startTraffic } from '../torture/traffic.ts'
import { collections } from './built-in.ts'
import { jumbled } from './jumbled-catalog.ts'
import { PROGRAM, type Rows, TestHome } from './releases.ts'
import { serverOf } from './server.ts'
import { smallSource } from './small-source.ts'
import { type HttpResponse, message, send } from './wire.ts'

const commands = await allCommands()

const PATIENCE_MILLISECONDS = 120_000
const FIRST_GLANCE_MILLISECONDS = 5
/** To look at all processes takes milliseconds, so the pauses grow. */
const LAST_GLANCE_MILLISECONDS = 50

/** Looks again and again until something is the case, and fails when it does not come to be. */
export async function eventually(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  patienceMilliseconds = PATIENCE_MILLISECONDS,
): Promise<void> {
  const end = performance.now() + patienceMilliseconds
  let glance = FIRST_GLANCE_MILLISECONDS
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`waited in vain until ${what}`)
    await Bun.sleep(glance)
    glance = Math.min(glance * 1.2, LAST_GLANCE_MILLISECONDS)
  }
}

/**
 * An empty variable counts as none, so what the developer has set does not reach the service. Nor is anything scrubbed
 * unless a test wants it: its outcome would come at any moment. Its output is a pipe, which would get JSON; tests read the
 * lines that people get.
 */
const UNSET = {
  ...Object.fromEntries(
    commands.flatMap(({ flags }) => Object.values(flags).flatMap(({ env }) => (env === undefined ? [] : [[env, '']]))),
  ),
  SCRUB: 'off',
  // Most services of tests are gone before they are ready for more than is asked of them.
  NO_WARM_UP: '1',
  LOG_FORMAT: 'text',
}

export type ServiceOptions = {
  readonly flags?: readonly string[]
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The most descriptors that it may have open; by default as many as the test. */
  readonly descriptors?: number
  /** How long it may take to say what is expected of it. */
  readonly patienceMilliseconds?: number
  /** An executable to run instead of the sources: without the variables of this process, in its own directory. */
  readonly executable?: string
}

/** `nomenclator serve` on a free port, until the test is over. */
export class Service implements AsyncDisposable {
  readonly #child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>
  readonly #ended: Promise<unknown>
  readonly #patience: number
  #unread: string[] = []
  #wake = () => {}
  /** All that it wrote, by stream. */
  readonly said = { out: '', err: '' }
  url = ''

  constructor({ flags = [], env = {}, descriptors, patienceMilliseconds, executable }: ServiceOptions) {
    this.#patience = patienceMilliseconds ?? PATIENCE_MILLISECONDS
    const limited = descriptors === undefined ? [] : ['sh', '-c', `ulimit -n ${descriptors} && exec "$@"`, 'sh']
    const program = executable === undefined ? PROGRAM : [executable]
    this.#child = Bun.spawn([...limited, ...program, 'serve', ...flags], {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(executable === undefined ? {} : { cwd: dirname(executable) }),
      env: { ...(executable === undefined ? { ...process.env, ...UNSET } : {}), ...env },
    })
    this.#ended = Promise.all([
      this.#listen('out', this.#child.stdout),
      this.#listen('err', this.#child.stderr),
      this.#child.exited,
    ])
  }

  /** Resolves when it says that it serves. */
  static over(home: Pick<TestHome, 'path'>, { flags = [], ...others }: ServiceOptions = {}): Promise<Service> {
    return Service.serving({ flags: ['--home', home.path, '--port', '0', ...flags], ...others })
  }

  /** Resolves when it says that it serves. */
  static async serving(options: ServiceOptions): Promise<Service> {
    const service = new Service(options)
    try {
      const [, url = ''] = await service.line(/^Serving release [0-9a-f]{12} on (\S+): /)
      service.url = url
      return service
    } catch (error) {
      await service[Symbol.asyncDispose]()
      throw error
    }
  }

  get pid(): number {
    return this.#child.pid
  }

  get port(): number {
    return Number(new URL(this.url).port)
  }

  /** The next unread line that looks like this, on either stream. */
  async line(pattern: RegExp): Promise<RegExpMatchArray> {
    const end = performance.now() + this.#patience
    for (;;) {
      for (const [at, line] of this.#unread.entries()) {
        const found = line.match(pattern)
        if (found === null) continue
        this.#unread = this.#unread.slice(at + 1)
        return found
      }
      if (performance.now() > end || this.#child.exitCode !== null || this.#child.signalCode !== null)
        throw new Error(`no line like ${pattern}, only:\n${this.said.out}${this.said.err}`)
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      await Promise.race([promise, this.#ended, Bun.sleep(this.#patience)])
    }
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name)
  }

  /** Its exit code, when all that it wrote has been read. */
  async exited(): Promise<number | NodeJS.Signals | null> {
    await this.#ended
    return this.#child.signalCode ?? this.#child.exitCode
  }

  /** Nothing listens at its address any more. */
  async refuses(): Promise<void> {
    await eventually(`${this.url} refuses`, async () => {
      const socket = await Bun.connect({ hostname: '127.0.0.1', port: this.port, socket: { data: () => {} } }).catch(
        () => undefined,
      )
      socket?.terminate()
      return socket === undefined
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const workers = childrenOf(this.pid)
    this.#child.kill('SIGKILL')
    for (const pid of workers) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
    await this.#ended
  }

  async #listen(name: 'out' | 'err', stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    let held = ''
    for await (const chunk of stream) {
      const text = decoder.decode(chunk, { stream: true })
      this.said[name] += text
      const lines = (held + text).split('\n')
      held = lines.pop() ?? ''
      this.#unread.push(...lines)
      this.#wake()
    }
  }
}

/** The processes that a process started and that still run. */
export function childrenOf(pid: number): number[] {
  const numbers = readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name))
  return numbers.map(Number).filter((child) => statusOf(child)?.parent === pid && isAlive(child))
}

/** The processes of a service that serve. */
export const workersOf = (pid: number): number[] =>
  childrenOf(pid).filter((child) => !environmentOf(child).has(COMPUTE_SOCKET_VARIABLE))

/** The process ids of the compute workers of a service. */
export const computeWorkersOf = (pid: number): number[] =>
  childrenOf(pid).filter((child) => environmentOf(child).has(COMPUTE_SOCKET_VARIABLE))

/** The names of the variables that a process was started with. */
export function environmentOf(pid: number): ReadonlyMap<string, string> {
  try {
    const lines = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
    return new Map(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
  } catch {
    return new Map()
  }
}

/** A process that has ended but was not reaped does not count. */
export function isAlive(pid: number): boolean {
  const state = statusOf(pid)?.state
  return state !== undefined && state !== 'Z' && state !== 'X'
}

function statusOf(pid: number): { readonly state: string; readonly parent: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state = '', parent] = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { state, parent: Number(parent) }
  } catch {
    return undefined
  }
}

const LISTENING = '0A'
const ESTABLISHED = '01'

/** The sockets of a port of 127.0.0.1, on the side of the server. */
function socketsOf(port: number, state: string): string[] {
  const address = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1] === address && fields[3] === state)
    .map((fields) => fields[9] ?? '')
}

export const listenersOf = (port: number): number => socketsOf(port, LISTENING).length

/** The number of clients that are connected with one of the processes that listen on a port. */
export function clientsOf(pid: number, port: number): number {
  const own = new Set(
    readdirSync(`/proc/${pid}/fd`).map((descriptor) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${descriptor}`)
      } catch {
        return ''
      }
    }),
  )
  return socketsOf(port, ESTABLISHED).filter((inode) => own.has(`socket:[${inode}]`)).length
}

/** Links in responses begin like this, so that a response does not depend on the port. */
const BASE_URL = 'http://catalogs.example.org'
export const SAME_LINKS = ['--base-url', BASE_URL]

/** The catalog under other names and with fewer records, so that no page of one is a page of the other. */
const other: Rows = {
  ...jumbled,
  pais: renamed(jumbled.pais, 'descPais').slice(-14),
  municipio: jumbled.municipio?.slice(-12) ?? [],
  localidad: jumbled.localidad?.slice(-18) ?? [],
  area: renamed(jumbled.area, 'descripcion'),
  subdisciplina: jumbled.subdisciplina?.slice(-9) ?? [],
  audiencia: renamed(jumbled.audiencia, 'descCorta').slice(-21),
}

function renamed(rows: readonly GivenRow[] = [], field: string): GivenRow[] {
  return rows.map((row) => ({ ...row, [field]: `${row[field]} bis` }))
}

const HEADERS_OF_RELEASE = ['Last-Modified', 'X-Page', 'X-Total', 'X-Total-Pages', 'Link']

export type Target = { readonly target: string; readonly versions: readonly HttpResponse[] }

/** Clients that request the pages in turn and take each for one of its versions; resolves when responses come. */
export async function startPages(url: string, connections: number, targets: readonly Target[]) {
  const clients = startTraffic({
    url,
    connections,
    requests: { kind: 'pages', host: new URL(url).host, targets: targets.map(({ target }) => target) },
    headers: HEADERS_OF_RELEASE,
    versions: Object.fromEntries(
      targets.map(({ target, versions }) => [
        target,
        versions.map(({ status, headers, body }) =>
          fingerprintOf(status, (name) => headers[name], body, HEADERS_OF_RELEASE),
        ),
      ]),
    ),
  })
  /** Resolves when this many more responses have come, on all connections together. */
  const more = async (responses: number) => {
    const goal = clients.completed() + responses
    await eventually(`${goal} responses have come`, () => clients.completed() >= goal)
  }
  await more(connections)
  return { ...clients, more }
}

/** A home with two releases that have no response in common; the first is current. */
export class TwoReleases extends TestHome {
  readonly digests: [first: string, second: string] = ['', '']

  static async create(): Promise<TwoReleases> {
    const home = new TwoReleases()
    for (const [at, catalog] of [jumbled, other].entries()) {
      const { digest } = await home.import(smallSource(catalog), { acceptChanges: true })
      home.digests[at] = digest
      home.#date(digest, new Date(Date.UTC(2001, at)))
    }
    home.store.activate(home.digests[0])
    return home
  }

  /** Pages of all collections that have records, each with the responses of both releases. */
  async targets(): Promise<Target[]> {
    const filled = collections.filter(({ entity }) => entity in jumbled)
    const targets = filled.flatMap(({ path }) => [1, 2, 3].map((page) => `${path}?page=${page}`))
    const [first, second] = this.digests.map((digest) => versionsOf(this.store.open(digest), targets))
    const [ofFirst = [], ofSecond = []] = [await first, await second]
    return targets.map((target, at) => ({
      target,
      versions: [ofFirst[at], ofSecond[at]].filter((one) => one !== undefined),
    }))
  }

  /** Makes a release current without a look at it. */
  force(digest: string): void {
    writeFileSync(`${this.store.currentFile}.forced`, `${digest}\n`)
    renameSync(`${this.store.currentFile}.forced`, this.store.currentFile)
  }

  /** The date is not part of the digest. Both would be of the same second. */
  #date(digest: string, built: Date): void {
    const path = join(this.store.releaseDirectory(digest), MANIFEST_FILE)
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), built: built.toISOString() }))
  }
}

/** The responses that a release gives while nothing changes. */
async function versionsOf(release: Release, targets: readonly string[]): Promise<HttpResponse[]> {
  const server = serverOf(() => release, { baseUrl: BASE_URL })
  const versions = await Promise.all(targets.map((target) => send(server.url, message('GET', target, 'Host: a'))))
  await server.close()
  return versions
}
