// nomenclator serve: responds from the current release until it is stopped.
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { Failure } from '../failure.ts'
import { createApp } from '../http/app.ts'
import { Budget } from '../http/budget.ts'
import { Metrics } from '../http/metrics.ts'
import { CannotCache, cacheDirectory, ResponseCache } from '../http/response-cache.ts'
import { serve } from '../http/serve.ts'
import type { ServingStatus } from '../http/serving-status.ts'
import {
  KNOWN_VARIABLE,
  type Known,
  SUPERVISOR_VARIABLE,
  SupervisorLink,
  startWorkers,
  type WorkerReport,
  type Workers,
} from '../http/workers.ts'
import type { Log } from '../log.ts'
import type { Release } from '../release/release.ts'
import { followCurrent } from '../release/shelf/follow.ts'
import { damageIn, damageTold, notScrubbed, Scrub, type ScrubState } from '../release/shelf/scrub.ts'
import { openServable, type Servable } from '../release/shelf/servable.ts'
import { Shelf } from '../release/shelf/shelf.ts'
import { isOutdated } from '../release/shelf/upgrade.ts'
import { command, type Terminal } from './command.ts'
import { countsOf } from './counts.ts'
import { text, type ValuesOf, type Wrong, wholeNumber } from './flags.ts'
import { home, homeOf } from './home-flag.ts'
import { budgetLimitsOf, limitFlags } from './limit-flags.ts'
import { addresses, baseUrl, byteSize, scrubHours, yesOrNo } from './serve-values.ts'
import { untilStopped } from './signals.ts'

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
    description: 'believe X-Forwarded-Host and X-Forwarded-Proto from these addresses, such as 10.0.0.0/8,::1',
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
  ...limitFlags,
  'no-bundled': {
    env: 'NO_BUNDLED',
    description: 'never build the bundled data: refuse to start without a release',
    parse: yesOrNo,
  },
  scrub: {
    value: 'WHEN',
    env: 'SCRUB',
    description:
      'how often all files are read again and verified in the background: daily, a number of hours such as 6h, or off',
    defaultValue: 'daily',
    parse: scrubHours,
  },
  cache: {
    value: 'DIR',
    env: 'NOMENCLATOR_CACHE',
    description:
      'where whole collections and changes are kept once made; else cache in the home, or a temporary directory',
    parse: text,
  },
  'cache-size': {
    value: 'SIZE',
    env: 'CACHE_SIZE',
    description: 'how much room they may take, 0 for no cache',
    defaultValue: '1G',
    parse: byteSize,
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
    const log: Log = ({ message }) => terminal.err(`${message}\n`)
    if (env[SUPERVISOR_VARIABLE] !== undefined) return work(values, log, env[KNOWN_VARIABLE])
    const shelf = new Shelf(homeOf(values.home))
    const servable = await firstServable(shelf, values, terminal)
    const shares = process.platform === 'linux'
    if (values.workers > 1 && !shares) terminal.err('This platform cannot share a port: one process serves.\n')
    if (values.workers > 1 && shares) return supervise(values, shelf, servable, terminal, log)
    const serving = listen(values, shelf, servable, { scrub: notScrubbed }, log, false)
    using scrub = new Scrub({ shelf, log, onChange: serving.onScrub })
    // Whoever reads that it serves may tell it to stop at once.
    const stopped = untilStopped({ stop: () => serving.stop(values['drain-timeout'] * 1_000) })
    announce(serving.url, servable.release, terminal)
    if (values.scrub !== 'off') scrub.start(values.scrub)
    await stopped
    return 0
  },
})

function workerCount(value: string): number | Wrong {
  if (value === 'auto') return availableParallelism()
  const count = wholeNumber(1, 256)(value)
  return typeof count === 'number' ? count : { allowed: `auto, or ${count.allowed}` }
}

function announce(url: string, release: Release, terminal: Terminal): void {
  terminal.out(`Serving release ${release.digest.slice(0, 12)} on ${url}: ${countsOf(release)}\n`)
}

type Serving = ReturnType<typeof serve> & {
  readonly report: () => WorkerReport
  /** Takes up what a scrub has found, here or in the supervisor. */
  readonly onScrub: (state: ScrubState) => void
}

function listen(values: Values, shelf: Shelf, first: Servable, known: Known, log: Log, shared: boolean): Serving {
  const metrics = new Metrics()
  let scrub = notScrubbed
  let draining = false
  const takeUp = (state: ScrubState) => {
    scrub = state
    metrics.scrubSound = state.sound
    metrics.scrubEnded = state.ended
  }
  takeUp(known.scrub)
  const following = followCurrent(shelf, first, {
    log,
    onSwap: () => {
      metrics.swaps++
    },
    damage: () => damageIn(scrub),
  })
  const budget = new Budget(budgetLimitsOf(values), metrics)
  const cache = responseCache(values, shelf, log)
  const app = createApp({
    release: following.release,
    shelf,
    budget,
    ...(cache === undefined ? {} : { cache }),
    policy: { baseUrl: values['base-url'], trustedProxies: values['trust-proxy'] },
    logError: (error, { method, path }) =>
      log({ level: 'error', event: 'request-failed', message: `${method} ${path} failed: ${Bun.inspect(error)}` }),
  })
  const maxConnections = values['max-connections']
  const server = serve(app, { host: values.host, port: values.port, shared, maxConnections, metrics, budget, log })
  const status = (): ServingStatus => {
    const { digest, manifest } = following.release()
    const degraded = new Set([...following.degraded(), ...damageTold(scrub)])
    return { release: digest, built: manifest.built, degraded: [...degraded], draining }
  }
  return {
    ...server,
    stop: (...given) => {
      draining = true
      return server.stop(...given)
    },
    report: () => ({ status: status(), metrics: metrics.snapshot() }),
    onScrub: (state) => {
      takeUp(state)
      following.look()
    },
  }
}

/** None where it is not wanted, or where no directory can be written to. */
function responseCache(values: Values, shelf: Shelf, log: Log): ResponseCache | undefined {
  const maxBytes = values['cache-size']
  if (maxBytes === 0) return undefined
  const directory = cacheDirectory(shelf.home, values.cache)
  if (directory instanceof CannotCache) {
    const message = `NO CACHE: ${directory.message}. Whole collections and changes are sent uncompressed, to few clients at a time; name a directory that can be written to with --cache.`
    log({ level: 'warn', event: 'cache-unusable', message })
    return undefined
  }
  // A home that is gone for a moment says nothing about its releases.
  const isOnDisk = (digest: string) =>
    existsSync(shelf.releaseDirectory(digest)) ||
    existsSync(shelf.entityDirectory(digest)) ||
    shelf.digests().length === 0
  return new ResponseCache({ directory, maxBytes, isOnDisk, log })
}

async function supervise(
  values: Values,
  shelf: Shelf,
  { release, reason }: Servable,
  terminal: Terminal,
  log: Log,
): Promise<number> {
  const main = join(import.meta.dir, '..', 'main.ts')
  const arguments_ = process.argv.slice(2)
  let workers: Workers | undefined
  using scrub = new Scrub({ shelf, log, onChange: (state) => workers?.tell(state) })
  const started = await startWorkers({
    count: values.workers,
    listening: { host: values.host, port: values.port },
    command: (port) => [process.execPath, main, ...withPort(arguments_, port)],
    drainMilliseconds: values['drain-timeout'] * 1_000,
    log,
    known: (served) => ({ scrub: scrub.state, served: served ?? (reason === undefined ? undefined : release.digest) }),
    onCrash: () => scrub.verifyCurrent(),
  })
  workers = started
  const stopped = untilStopped({
    stop: () => started.stop(),
    now: () => started.kill(),
    restart: () => started.restart(),
  })
  announce(started.url, release, terminal)
  if (values.scrub !== 'off') scrub.start(values.scrub)
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

/** A worker takes what it finds in the home and writes nothing: only the first start may build a release. */
async function work(values: Values, log: Log, knownText: string | undefined): Promise<number> {
  const known: Known = knownText === undefined ? { scrub: notScrubbed } : JSON.parse(knownText)
  const shelf = new Shelf(homeOf(values.home))
  const servable = openServable(shelf, { damage: damageIn(known.scrub), served: known.served })
  if (servable === undefined)
    throw new Failure(`there is no release in ${shelf.home}: it is gone or empty. Mount it again, or restore it.`)
  const serving = listen(values, shelf, servable, known, log, true)
  const link = new SupervisorLink(serving)
  const stop = () => serving.stop(values['drain-timeout'] * 1_000, () => link.closed())
  const stopped = untilStopped({ stop, supervised: true })
  link.ready(serving.port)
  await stopped
  return 0
}

/** A home that an earlier version made is brought up, so that an upgrade of the program is no more than a restart. */
async function upgradeIfOutdated(shelf: Shelf, terminal: Terminal): Promise<void> {
  if (!isOutdated(shelf)) return
  const { lockFor } = await import('./locking.ts')
  using _lock = await lockFor(shelf, 'serve', WAIT_SECONDS, terminal)
}

/** What a service begins with; in an empty home it is built from the bundled data. */
async function firstServable(shelf: Shelf, values: Values, terminal: Terminal): Promise<Servable> {
  await upgradeIfOutdated(shelf, terminal)
  const servable = openServable(shelf)
  if (servable !== undefined) return servable
  if (values['no-bundled'])
    throw new Failure(
      `there is no release in ${shelf.home}, and with --no-bundled none is built. Mount the home, give another with ` +
        '--home, or make a release with nomenclator import; nomenclator import bundled builds the bundled one.',
    )
  const { firstRelease } = await import('./first-release.ts')
  return { release: await firstRelease(shelf, terminal) }
}
