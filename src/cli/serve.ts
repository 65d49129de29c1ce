// nomenclator serve: responds from the current release until it is stopped.
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { diskFailure, Failure } from '../failure.ts'
import { ACCESS_LOG_FORMATS, AccessLog } from '../http/access-log.ts'
import { type Admin, startAdmin } from '../http/admin.ts'
import { createApp } from '../http/app.ts'
import { Metrics, watchEventLoop } from '../http/metrics.ts'
import { failureLog, observed } from '../http/observed-app.ts'
import { RateTable, rateLimited, sharedTableFile } from '../http/rate-limit.ts'
import { serve } from '../http/serve.ts'
import type { WorkerReport } from '../http/serving-status.ts'
import {
  obeySupervisor,
  reportClosed,
  reportReady,
  SUPERVISOR_VARIABLE,
  startWorkers,
  type Workers,
} from '../http/workers.ts'
import { createLog, LOG_FORMATS, type Log, logStyle } from '../log.ts'
import type { Release } from '../release/release.ts'
import { followCurrent } from '../release/shelf/follow.ts'
import { Shelf } from '../release/shelf/shelf.ts'
import { isOutdated } from '../release/shelf/upgrade.ts'
import { command, type Terminal } from './command.ts'
import { countsOf } from './counts.ts'
import { text, type ValuesOf, type Wrong, wholeNumber } from './flags.ts'
import { home, homeOf } from './home-flag.ts'
import { addresses, adminAddress, baseUrl, choiceOf, rateLimit } from './serve-values.ts'
import { onReopenSignal, untilStopped } from './signals.ts'

const flags = {
  host: { value: 'ADDRESS', env: 'HOST', description: 'address to listen on', defaultValue: '127.0.0.1', parse: text },
  port: {
    value: 'PORT',
    env: 'PORT',
    description: 'port to listen on, 0 for a free one',
    defaultValue: '8080',
    parse: wholeNumber(0, 65_535),
  },
  'base-url': {
    value: 'URL',
    env: 'BASE_URL',
    description: 'address to use in links; else that of the request',
    parse: baseUrl,
  },
  'trust-proxy': {
    value: 'LIST',
    env: 'TRUST_PROXY',
    description: 'believe X-Forwarded headers, Forwarded and X-Request-Id from these addresses, such as 10.0.0.0/8,::1',
    parse: addresses,
  },
  workers: {
    value: 'N',
    env: 'WORKERS',
    description: 'processes that share the port, or auto for one a core',
    defaultValue: 'auto',
    parse: workerCount,
  },
  'drain-timeout': {
    value: 'SECONDS',
    env: 'DRAIN_TIMEOUT',
    description: 'how long requests in flight may take to finish at a stop',
    defaultValue: '10',
    parse: wholeNumber(0, 3_600),
  },
  admin: {
    value: 'ADDRESS',
    env: 'ADMIN',
    description:
      'also listen for operators (health, metrics), such as 127.0.0.1:8081; only a port is one of this machine',
    parse: adminAddress,
  },
  'rate-limit': {
    value: 'RATE',
    env: 'RATE_LIMIT',
    description: 'requests that a client address may send, such as 20/s or 600/m; else any number',
    parse: rateLimit,
  },
  'log-format': {
    value: 'FORMAT',
    env: 'LOG_FORMAT',
    description: 'text, json, or auto: text on a terminal and in the journal, else JSON',
    defaultValue: 'auto',
    parse: choiceOf(LOG_FORMATS),
  },
  'access-log': {
    value: 'FILE',
    env: 'ACCESS_LOG',
    description: 'write a line for each response to this file, - for standard output, stderr for standard error',
    parse: text,
  },
  'access-log-format': {
    value: 'FORMAT',
    env: 'ACCESS_LOG_FORMAT',
    description: 'combined or json',
    defaultValue: 'combined',
    parse: choiceOf(ACCESS_LOG_FORMATS),
  },
  'slow-request': {
    value: 'MS',
    env: 'SLOW_REQUEST',
    description: 'log requests that take this many milliseconds or more',
    defaultValue: '1000',
    parse: wholeNumber(1, 3_600_000),
  },
  home,
} as const

type Values = ValuesOf<typeof flags>

const WAIT_SECONDS = 60

export const serveCommand = command({
  name: 'serve',
  description: 'Serve the current release; without one, build the bundled data first. SIGHUP restarts the workers.',
  flags,
  examples: ['serve', 'serve --port 0 --workers 1', 'serve --host 0.0.0.0 --base-url https://catalogs.example.org'],
  run: async ({ values, terminal, env }) => {
    const supervised = env[SUPERVISOR_VARIABLE] !== undefined
    // The supervisor reads the log of a worker, and writes it in its own style.
    const style = supervised ? 'json' : logStyle(values['log-format'], terminal.interactive, env.JOURNAL_STREAM)
    const log = createLog(style, terminal.err)
    const context = { values, log, terminal: style === 'text' ? terminal : loggingTerminal(terminal, log) }
    try {
      return await (supervised ? work(context) : start(context))
    } catch (error) {
      const failure = error instanceof Failure ? error : diskFailure(error)
      if (style === 'text' || failure === undefined) throw error
      log({ level: 'error', event: 'start-failed', message: `nomenclator: ${failure.message}` })
      return 1
    }
  },
})

type Context = { readonly values: Values; readonly log: Log; readonly terminal: Terminal }

/** What other parts of the program print for people becomes events too. */
const loggingTerminal = (terminal: Terminal, log: Log): Terminal => ({
  ...terminal,
  err: (text) => {
    for (const message of text.trimEnd().split('\n')) log({ level: 'info', event: 'notice', message })
  },
})

/** What the listener for operators asks of this process; until it serves, there is nothing to report. */
type Operated = { workers?: Workers; server?: Listening; stopping: boolean }

async function start(context: Context): Promise<number> {
  const { values, log, terminal } = context
  const shares = process.platform === 'linux'
  const supervises = values.workers > 1 && shares
  const operated: Operated = { stopping: false }
  onReopenSignal(() => {
    operated.workers?.reopen()
    operated.server?.reopen()
  })
  await using _admin = adminOf(context, operated, supervises)
  const shelf = new Shelf(homeOf(values.home))
  const release = await currentRelease(shelf, terminal)
  if (values.workers > 1 && !shares)
    log({ level: 'warn', event: 'single-process', message: 'This platform cannot share a port: one process serves.' })
  if (supervises) return await supervise(context, operated, release)
  const server = listen(context, shelf, release, false)
  operated.server = server
  // Whoever reads that it serves may tell it to stop at once.
  const stopped = untilStopped({
    stop: () => {
      operated.stopping = true
      return server.stop(values['drain-timeout'] * 1_000)
    },
  })
  announce(server.url, release, terminal)
  await stopped
  return 0
}

function adminOf({ values: { admin }, log }: Context, operated: Operated, supervises: boolean): Admin | undefined {
  if (admin === undefined) return undefined
  const started = startAdmin({
    ...admin,
    supervises,
    reports: async () =>
      operated.workers?.reports() ?? (operated.server === undefined ? [] : [operated.server.report()]),
    restarts: () => operated.workers?.restarts ?? 0,
    stopping: () => operated.stopping,
  })
  log({ level: 'info', event: 'admin-listening', message: `Operators are served on ${started.url}`, url: started.url })
  return started
}

function workerCount(value: string): number | Wrong {
  if (value === 'auto') return availableParallelism()
  const count = wholeNumber(1, 256)(value)
  return typeof count === 'number' ? count : { allowed: `auto, or ${count.allowed}` }
}

function announce(url: string, release: Release, terminal: Terminal): void {
  terminal.out(`Serving release ${release.digest.slice(0, 12)} on ${url}: ${countsOf(release)}\n`)
}

type Listening = {
  readonly url: string
  readonly port: number
  readonly report: () => WorkerReport
  readonly reopen: () => void
  readonly stop: (drainMilliseconds: number, onClosed?: () => Promise<void>) => Promise<void>
}

function listen({ values, log }: Context, shelf: Shelf, first: Release, shared: boolean): Listening {
  const metrics = new Metrics()
  let draining = false
  let refused: string | undefined
  const following = followCurrent(shelf, first, {
    onSwap: ({ digest }) => {
      metrics.swaps++
      refused = undefined
      const message = `Serving release ${digest.slice(0, 12)} from now on.`
      log({ level: 'info', event: 'release-swapped', message, release: digest })
    },
    onRefused: (reason) => {
      refused = `the current release cannot be served: ${reason}`
      const message = `Not swapped, the release before goes on being served: ${reason}`
      log({ level: 'error', event: 'release-refused', message })
    },
  })
  const policy = { baseUrl: values['base-url'], trustedProxies: values['trust-proxy'] }
  const accessLog = accessLogOf(values, metrics, log, shared)
  const app = createApp({ release: following.release, shelf, policy, logError: failureLog({ log, metrics }) })
  const limit = values['rate-limit']
  const limited = limit === undefined ? app : rateLimited(app, { limit, table: rateTable(shared), policy, metrics })
  const observation = { metrics, log, policy, accessLog, slowMilliseconds: values['slow-request'] }
  const server = serve(observed(limited, observation), { host: values.host, port: values.port, shared })
  watchEventLoop(metrics)
  return {
    url: server.url,
    port: server.port,
    report: () => {
      const { digest, manifest } = following.release()
      const degraded = refused === undefined ? [] : [refused]
      return { status: { release: digest, built: manifest.built, degraded, draining }, metrics: metrics.snapshot() }
    },
    reopen: () => void accessLog?.reopen(),
    stop: async (drainMilliseconds, onClosed) => {
      draining = true
      await server.stop(drainMilliseconds, onClosed)
      await accessLog?.close()
    },
  }
}

const STANDARD_OUTPUT = 1
const STANDARD_ERROR = 2
/** What workers inherit from their supervisor, whose own output they cannot reach otherwise. */
const INHERITED_LOG = 3
const INHERITED_TABLE = 4

/** The stream that the access log goes to; undefined where it goes to a file. */
const accessStream = (target: string | undefined): number | undefined =>
  target === '-' ? STANDARD_OUTPUT : target === 'stderr' ? STANDARD_ERROR : undefined

function accessLogOf(values: Values, metrics: Metrics, log: Log, shared: boolean): AccessLog | undefined {
  const path = values['access-log']
  if (path === undefined) return undefined
  const stream = accessStream(path)
  const target = stream === undefined ? { path } : { descriptor: shared ? INHERITED_LOG : stream }
  return new AccessLog(target, values['access-log-format'], metrics, (reason) =>
    log({ level: 'error', event: 'access-log-failed', message: `ACCESS LOG NOT WRITTEN: ${reason}`, reason }),
  )
}

/** Where the supervisor could not provide one, each worker has its own. */
function rateTable(shared: boolean): RateTable {
  try {
    return shared ? RateTable.inherited(INHERITED_TABLE) : RateTable.ofOneProcess()
  } catch {
    return RateTable.ofOneProcess()
  }
}

function inheritedBy({ values, log }: Context): (number | 'ignore')[] {
  const table = values['rate-limit'] === undefined ? undefined : sharedTableFile()
  if (values['rate-limit'] !== undefined && table === undefined) {
    const message = 'No directory for temporary files can be written to: each worker limits rates on its own.'
    log({ level: 'warn', event: 'rate-limit-not-shared', message })
  }
  return [accessStream(values['access-log']) ?? 'ignore', table ?? 'ignore']
}

async function supervise(context: Context, operated: Operated, release: Release): Promise<number> {
  const { values, log, terminal } = context
  const main = join(import.meta.dir, '..', 'main.ts')
  const arguments_ = process.argv.slice(2)
  const workers = await startWorkers({
    count: values.workers,
    listening: { host: values.host, port: values.port },
    command: (port) => [process.execPath, main, ...withPort(arguments_, port)],
    drainMilliseconds: values['drain-timeout'] * 1_000,
    log,
    inherited: inheritedBy(context),
  })
  operated.workers = workers
  const stopped = untilStopped({
    stop: () => {
      operated.stopping = true
      return workers.stop()
    },
    now: () => workers.kill(),
    restart: () => workers.restart(),
  })
  announce(workers.url, release, terminal)
  await stopped
  return 0
}

/** A worker gets the arguments of its supervisor, with the port that was found. */
function withPort(arguments_: readonly string[], port: number): string[] {
  const others = arguments_.filter(
    (word, position) => !/^--port(?:=|$)/.test(word) && arguments_[position - 1] !== '--port',
  )
  return [...others, `--port=${port}`]
}

async function work(context: Context): Promise<number> {
  const { values, terminal } = context
  const shelf = new Shelf(homeOf(values.home))
  const release = await currentRelease(shelf, terminal)
  const server = listen(context, shelf, release, true)
  const stop = () => server.stop(values['drain-timeout'] * 1_000, reportClosed)
  const stopped = untilStopped({ stop, supervised: true })
  onReopenSignal(server.reopen)
  obeySupervisor(server.report, server.reopen)
  reportReady(server.port)
  await stopped
  return 0
}

/** A home that an earlier version made is brought up, so that an upgrade of the program is no more than a restart. */
async function upgradeIfOutdated(shelf: Shelf, terminal: Terminal): Promise<void> {
  if (!isOutdated(shelf)) return
  const { lockFor } = await import('./locking.ts')
  using _lock = await lockFor(shelf, 'serve', WAIT_SECONDS, terminal)
}

async function currentRelease(shelf: Shelf, terminal: Terminal): Promise<Release> {
  await upgradeIfOutdated(shelf, terminal)
  const current = shelf.openCurrent()
  if (current !== undefined) return current
  const { firstRelease } = await import('./first-release.ts')
  return firstRelease(shelf, terminal)
}
