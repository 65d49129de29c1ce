// The servers: this service and its three peers, started with the same pages and made to give the same responses.
import { existsSync, openSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { loads, pathOf } from './load.ts'
import { allCores, pinned, processTree, ROOT, SERVER_CORES, workPath } from './machine.ts'
import { times } from './random.ts'
import { type Spread, spreadOf } from './spread.ts'

const PEERS = join(import.meta.dir, 'peers')
/** Configured in every server, so that all of them write the same links. */
const BASE_URL = 'http://catalogs.example.org'
/** The Bun that runs the benchmark is the one that runs the program: tools/with-bun sees to it. */
const NOMENCLATOR = [process.execPath, join(ROOT, 'src', 'main.ts')]

export type Launch = {
  readonly name: string
  readonly cores?: readonly number[]
  readonly command: (port: number) => readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** The path whose first response ends the start; page 1 unless it says otherwise. */
  readonly firstPath?: string
}

const START_MILLISECONDS = 60_000
const STOP_MILLISECONDS = 5_000
const SETTLE_MILLISECONDS = 2_000

/** Whatever way the benchmark ends, it leaves no server behind. */
const running = new Set<Bun.Subprocess>()
process.on('exit', () => {
  for (const { pid } of running) killTree(pid)
})

function killTree(root: number): void {
  for (const { pid } of processTree(root)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It ended by itself.
    }
  }
}

/** A server process on cores of its own, from its start to its end. */
export class Server implements AsyncDisposable {
  readonly name: string
  readonly cores: readonly number[]
  readonly port = freePort()
  readonly #launch: Launch
  #child: Bun.Subprocess | undefined
  totalPages = 0
  /** From just before the process was made to the first whole response of status 200. */
  startMilliseconds = 0

  private constructor(launch: Launch) {
    this.#launch = launch
    this.name = launch.name
    this.cores = launch.cores ?? SERVER_CORES
  }

  static async start(launch: Launch): Promise<Server> {
    const server = new Server(launch)
    await server.#start()
    return server
  }

  get pid(): number {
    if (this.#child === undefined) throw new Error(`${this.name} does not run`)
    return this.#child.pid
  }

  get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${this.port}${path}`, { headers })

  /**
   * Waits until the requests that were in flight when a load ended are answered: a request of our own comes after them.
   * A slow server would need minutes for that, so it is started anew.
   */
  async settle(): Promise<void> {
    const answered = this.get(pathOf(1)).then(
      () => true,
      () => false,
    )
    if (await Promise.race([answered, Bun.sleep(SETTLE_MILLISECONDS).then(() => false)])) return
    killTree(this.pid)
    await this[Symbol.asyncDispose]()
    await this.#start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    child.kill('SIGTERM')
    const timer = setTimeout(() => killTree(child.pid), STOP_MILLISECONDS)
    await child.exited
    clearTimeout(timer)
    running.delete(child)
    this.#child = undefined
  }

  async #start(): Promise<void> {
    const log = workPath('logs', `${this.name.replaceAll(/\W+/g, '-')}.log`)
    const output = openSync(log, 'w')
    // A signal alone would end the process without its exit event.
    for (const signal of ['SIGINT', 'SIGTERM'])
      if (process.listenerCount(signal) === 0) process.on(signal, () => process.exit(1))
    const begun = performance.now()
    const child = Bun.spawn(pinned(this.cores, this.#launch.command(this.port)), {
      cwd: PEERS,
      env: { ...process.env, ...this.#launch.env },
      stdio: ['ignore', output, output],
    })
    this.#child = child
    running.add(child)
    // No pause between tries: the time to the first response is what is measured.
    for (let first: Response | undefined; first?.status !== 200; ) {
      first = await this.get(this.#launch.firstPath ?? pathOf(1)).catch(() => undefined)
      this.totalPages = Number(first?.headers.get('X-Total-Pages'))
      await first?.arrayBuffer()
      if (child.exitCode !== null || performance.now() - begun > START_MILLISECONDS)
        throw new Error(`${this.name} did not start:\n${readFileSync(log, 'utf8')}`)
    }
    this.startMilliseconds = performance.now() - begun
  }
}

function freePort(): number {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
  probe.stop(true)
  return probe.port
}

/** Milliseconds to the first response, with what is on disk in the cache of the kernel. */
export async function startTimes(launch: Launch, starts: number): Promise<Spread> {
  const milliseconds: number[] = []
  // The first start fills the cache and does not count.
  for (let start = 0; start <= starts; start++) {
    await using server = await Server.start(launch)
    if (start > 0) milliseconds.push(server.startMilliseconds)
  }
  return spreadOf(milliseconds)
}

export const nomenclator = (home: string, { name = 'nomenclator', workers = 1 } = {}): Launch => ({
  name,
  cores: allCores.slice(0, workers),
  command: (port) => {
    const where = ['--home', home, '--host', '127.0.0.1', '--port', String(port), '--base-url', BASE_URL]
    return [...NOMENCLATOR, 'serve', ...where, '--workers', String(workers)]
  },
})

export type Build = {
  readonly localities: number
  /** Of the build alone, as the program reports it. */
  readonly seconds: number
  readonly peakBytes: number
  readonly diskBytes: number
}

/** A release of its own in an empty home, built by an import on all cores. */
export async function build(home: string, ...source: readonly string[]): Promise<Build> {
  rmSync(home, { recursive: true, force: true })
  const command = [...NOMENCLATOR, 'import', ...source, '--home', home, '--json']
  const child = Bun.spawn(pinned(allCores, command), { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] })
  const report = await child.stdout.text()
  if ((await child.exited) !== 0) throw new Error(`nomenclator import ${source.join(' ')} failed`)
  const { counts, seconds }: { counts: { localidad: number }; seconds: number } = JSON.parse(report)
  const peakBytes = child.resourceUsage()?.maxRSS ?? 0
  return { localities: counts.localidad, seconds, peakBytes, diskBytes: bytesIn(home) }
}

/** Of all files below a directory that match. */
export function bytesIn(directory: string, files = '**/*'): number {
  const paths = [...new Bun.Glob(files).scanSync({ cwd: directory, absolute: true })]
  return paths.reduce((sum, path) => sum + Bun.file(path).size, 0)
}

/** Every page as this service sends it, for the peers to serve. */
export type Pages = {
  /** One file a page, named by its number. */
  readonly files: string
  /** The ETag and the Link of each page. */
  readonly etags: readonly string[]
  readonly links: readonly string[]
  readonly total: string
  readonly totalPages: number
  readonly lastModified: string
}

const COPIED_AT_ONCE = 64

export async function copyPages(ours: Server): Promise<Pages> {
  const files = dirname(workPath('pages', '1'))
  const { totalPages } = ours
  const { headers } = await ours.get(pathOf(1))
  const lastModified = headers.get('Last-Modified') ?? ''
  const [etags, links]: [string[], string[]] = [[], []]
  const copy = async (page: number) => {
    const response = await ours.get(pathOf(page))
    writeFileSync(join(files, String(page)), await response.bytes())
    // nginx sends the time of the file as Last-Modified.
    utimesSync(join(files, String(page)), new Date(lastModified), new Date(lastModified))
    etags[page - 1] = response.headers.get('ETag') ?? ''
    links[page - 1] = response.headers.get('Link') ?? ''
  }
  for (let page = 1; page <= totalPages; page += COPIED_AT_ONCE)
    await Promise.all(times(Math.min(COPIED_AT_ONCE, totalPages - page + 1), (at) => copy(page + at)))
  return { files, etags, links, total: headers.get('X-Total') ?? '', totalPages, lastModified }
}

export type Peer = {
  readonly name: string
  readonly description: string
  /** Undefined if it is not installed. */
  readonly version: () => string | undefined
  readonly prepare: (pages: Pages) => Launch
}

/** What a program prints, on either stream, of its version. */
export function versionOf(program: string, ...words: readonly string[]): string | undefined {
  if (Bun.which(program) === null) return undefined
  const { stdout, stderr, success } = Bun.spawnSync([program, ...words])
  // wrk prints its version and fails.
  return success || program === 'wrk' ? `${stdout}${stderr}`.match(/[0-9]+\.[0-9].*/)?.[0] : undefined
}

/** Debian puts nginx where only root looks, and its packages for Python belong to Debian's own. */
const NGINX = Bun.which('nginx', { PATH: `${process.env.PATH}:/usr/sbin:/sbin` }) ?? 'nginx'
const PYTHON = '/usr/bin/python3'
const VERSIONS = `import django, gunicorn, platform, rest_framework
print(rest_framework.VERSION, 'on Django', django.__version__, 'and Python', platform.python_version(), end=', ')
print('gunicorn', gunicorn.__version__)`
const FASTIFY = join(import.meta.dir, 'node_modules', 'fastify', 'package.json')

const nginx: Peer = {
  name: 'nginx',
  description: 'nginx, every page a static file, its open files kept',
  version: () => versionOf(NGINX, '-v'),
  prepare: ({ links, ...pages }) => {
    const config = workPath('nginx', 'nginx.conf')
    const directory = dirname(config)
    // nginx cannot count, so the Link of each page stands in a map.
    writeFileSync(join(directory, 'links.map'), links.map((link, index) => `${index + 1} '${link}';\n`).join(''))
    const command = (port: number) => {
      const values: Readonly<Record<string, unknown>> = { ...pages, port, directory }
      const template = readFileSync(join(PEERS, 'nginx.conf'), 'utf8')
      writeFileSync(
        config,
        template.replaceAll(/@(\w+)@/g, (_, name: string) => String(values[name])),
      )
      return [NGINX, '-c', config, '-e', join(directory, 'error.log')]
    }
    return { name: 'nginx', command }
  },
}

const fastify: Peer = {
  name: 'fastify',
  description: 'Fastify on Node, every page in memory',
  version: () =>
    existsSync(FASTIFY)
      ? `${JSON.parse(readFileSync(FASTIFY, 'utf8')).version} on Node ${versionOf('node', '--version')}`
      : undefined,
  prepare: (pages) => {
    const facts = workPath('fastify.json')
    writeFileSync(facts, JSON.stringify(pages))
    const command = (port: number) => ['node', 'fastify.js', String(port), facts, BASE_URL]
    return { name: 'fastify', command, env: { NODE_ENV: 'production' } }
  },
}

const drf: Peer = {
  name: 'drf',
  description: 'Django REST Framework over SQLite, under gunicorn',
  version: () => versionOf(PYTHON, '-c', VERSIONS),
  prepare: ({ files, totalPages, lastModified }) => {
    const env = {
      BENCH_DATABASE: workPath('drf', 'localities.sqlite3'),
      BENCH_BASE_URL: BASE_URL,
      BENCH_LAST_MODIFIED: lastModified,
      PYTHONPYCACHEPREFIX: workPath('drf', 'pycache'),
    }
    const fill = [PYTHON, 'drf.py', files, String(totalPages)]
    const { success, stderr } = Bun.spawnSync(fill, { cwd: PEERS, env: { ...process.env, ...env } })
    if (!success) throw new Error(`filling the database of Django failed:\n${stderr}`)
    // Threads are what lets gunicorn keep connections alive.
    const threads = ['--worker-class', 'gthread', '--threads', '4', '--keep-alive', '60']
    const gunicorn = [PYTHON, '-m', 'gunicorn', 'drf:application', ...threads]
    return { name: 'drf', command: (port) => [...gunicorn, '--bind', `127.0.0.1:${port}`], env }
  },
}

export const peers: readonly Peer[] = [nginx, fastify, drf]

/** A difference between responses that is let through; any other stops the benchmark. */
type Allowed = {
  readonly headers: readonly string[]
  readonly server?: string
  readonly status?: number
  readonly because: string
}

const LOST_IN_304 = ['Allow', 'Access-Control-Allow-Origin', 'Access-Control-Expose-Headers', 'Content-Type', 'Link']

export const allowed: readonly Allowed[] = [
  { headers: ['Date'], because: 'the time goes on' },
  { headers: ['Server'], because: 'nginx and gunicorn name themselves and cannot be told not to' },
  { headers: ['Connection', 'Keep-Alive'], because: 'some servers announce that they keep the connection' },
  { headers: ['ETag'], server: 'nginx', because: 'nginx compares only a tag of its own' },
  { headers: ['ETag'], server: 'drf', because: 'Django makes the tag from the MD5 of the response' },
  { headers: ['Content-Type'], server: 'nginx', status: 304, because: 'nginx leaves it out of a 304' },
  {
    headers: [...LOST_IN_304, 'X-Page', 'X-Per-Page', 'X-Total', 'X-Total-Pages'],
    server: 'drf',
    status: 304,
    because: 'Django keeps only what caches need in a 304',
  },
]

export type Plain = { readonly status: number; readonly headers: Headers; readonly body: Uint8Array }

/** How the response of a peer differs from ours, apart from what is allowed. */
export function differencesOf(server: string, ours: Plain, theirs: Plain): string[] {
  if (ours.status !== theirs.status) return [`status ${theirs.status} instead of ${ours.status}`]
  const isAllowed = (header: string) =>
    allowed.some(
      (entry) =>
        entry.headers.some((name) => name.toLowerCase() === header) &&
        (entry.server ?? server) === server &&
        (entry.status ?? theirs.status) === theirs.status,
    )
  const headers = [...new Set([...ours.headers.keys(), ...theirs.headers.keys()])].filter(
    (name) => ours.headers.get(name) !== theirs.headers.get(name) && !isAllowed(name),
  )
  return [
    ...(Buffer.from(ours.body).equals(theirs.body) ? [] : ['another body']),
    ...headers.map((name) => `${name} is ${theirs.headers.get(name)} instead of ${ours.headers.get(name)}`),
  ]
}

const COMPARED_PAGES = 25

/** Fails unless the peer sends the same bytes and headers for sample pages, and the same 304. */
export async function verifySame(ours: Server, theirs: Server): Promise<void> {
  const plain = async (server: Server, page: number, isConditional: boolean): Promise<Plain> => {
    const etag = isConditional ? (await server.get(pathOf(page))).headers.get('ETag') : null
    const response = await server.get(pathOf(page), etag === null ? {} : { 'If-None-Match': etag })
    return { status: response.status, headers: response.headers, body: await response.bytes() }
  }
  const { totalPages } = ours
  const sample = [1, ...loads.random.pages(totalPages).slice(0, COMPARED_PAGES), totalPages - 1, totalPages]
  for (const page of sample) {
    for (const isConditional of [false, true]) {
      const pair = await Promise.all([plain(ours, page, isConditional), plain(theirs, page, isConditional)])
      const differences = differencesOf(theirs.name, ...pair)
      if (differences.length === 0) continue
      const where = `page ${page}${isConditional ? ' with its ETag' : ''}`
      throw new Error(`${theirs.name} does not respond as nomenclator does to ${where}: ${differences.join('; ')}`)
    }
  }
}
