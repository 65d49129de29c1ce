// Servers: processes on cores of their own, and this service among them, with the releases that it serves.
import { openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { pathOf } from './load.ts'
import { allCores, pinned, processTree, ROOT, SERVER_CORES, workPath } from './machine.ts'
import { type Spread, spreadOf } from './spread.ts'

export const PEERS = join(import.meta.dir, 'peers')
/** Configured in every server, so that all of them write the same links. */
export const BASE_URL = 'http://catalogs.example.org'
/** The command of `npm start`, compiled by the first start; with flags of Bun, the sources. */
const nomenclatorOf = (...bunFlags: string[]) =>
  bunFlags.length === 0
    ? [join(ROOT, 'nomenclator')]
    : [process.execPath, ...bunFlags, join(ROOT, 'packages', 'server', 'src', 'main.ts')]

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
const SETTLE_MILLISECONDS = 5_000

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
   * Waits for the responses to the requests that were in flight when a load ended: a request of our own comes after them.
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
    // The time to the first response is what is measured, so a pause is short; without any, the tries take time from the server.
    for (let first: Response | undefined; first?.status !== 200; ) {
      first = await this.get(this.#launch.firstPath ?? pathOf(1)).catch(() => undefined)
      this.totalPages = Number(first?.headers.get('X-Total-Pages'))
      await first?.arrayBuffer()
      if (first === undefined) await Bun.sleep(1)
      if (child.exitCode !== null || performance.now() - begun > START_MILLISECONDS)
        throw new Error(`${this.name} did not start:\n${readFileSync(log, 'utf8')}`)
    }
    this.startMilliseconds = performance.now() - begun
  }
}

/** Milliseconds to the first response, with all files in the cache of the kernel. */
export async function startTimes(launch: Launch, starts: number): Promise<Spread> {
  const milliseconds: number[] = []
  // The first start fills the cache and does not count.
  for (let start = 0; start <= starts; start++) {
    await using server = await Server.start(launch)
    if (start > 0) milliseconds.push(server.startMilliseconds)
  }
  return spreadOf(milliseconds)
}

export const nomenclator = (
  home: string,
  { name = 'nomenclator', workers = 1, bunFlags = [] as string[] } = {},
): Launch => ({
  name,
  cores: allCores.slice(0, workers),
  command: (port) => {
    const where = ['--home', home, '--host', '127.0.0.1', '--port', String(port), '--base-url', BASE_URL]
    return [...nomenclatorOf(...bunFlags), 'serve', ...where, '--workers', String(workers)]
  },
})

export type Build = {
  readonly localities: number
  /** Seconds of the build alone, as the program reports them. */
  readonly seconds: number
  readonly peakBytes: number
  readonly diskBytes: number
}

/** A command on all cores, to its end. */
export async function runNomenclator(...argv: readonly string[]): Promise<{ out: string; peakBytes: number }> {
  const command = pinned(allCores, [...nomenclatorOf(), ...argv])
  const child = Bun.spawn(command, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] })
  const out = await child.stdout.text()
  if ((await child.exited) !== 0) throw new Error(`nomenclator ${argv.join(' ')} failed`)
  return { out, peakBytes: child.resourceUsage()?.maxRSS ?? 0 }
}

/** A release of its own in an empty home, built by an import on all cores. */
export async function build(home: string, ...source: readonly string[]): Promise<Build> {
  rmSync(home, { recursive: true, force: true })
  const { out, peakBytes } = await runNomenclator('import', ...source, '--home', home, '--json')
  const { counts, seconds }: { counts: { localidad: number }; seconds: number } = JSON.parse(out)
  return { localities: counts.localidad, seconds, peakBytes, diskBytes: bytesIn(home) }
}

/** The size of all files below a directory that match. */
export function bytesIn(directory: string, files = '**/*'): number {
  const paths = [...new Bun.Glob(files).scanSync({ cwd: directory, absolute: true })]
  return paths.reduce((sum, path) => sum + Bun.file(path).size, 0)
}
