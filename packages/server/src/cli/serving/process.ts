// One worker of the service: a page worker, with everything that limits, counts and logs around the app, or a compute worker.
// The pages and the shelf are mounted here.
import { existsSync } from 'node:fs'
import { setPriority } from 'node:os'
import type { Log } from '../../base/log.ts'
import { explorerPagesOf } from '../../explorer/mount.ts'
import { type AppContext, createApp } from '../../http/app.ts'
import { Budget, MEGABYTE } from '../../http/limits/budget.ts'
import { chargeComputeTime, RateTable, rateLimited, sharedTableFile } from '../../http/limits/rate-limit.ts'
import { AccessLog } from '../../http/observation/access-log.ts'
import { withCacheTags } from '../../http/observation/cache-tags.ts'
import { Metrics, watchEventLoop } from '../../http/observation/metrics.ts'
import { failureLog, observed } from '../../http/observation/observed-app.ts'
import type { OnShelf, ShelfTrouble } from '../../http/observation/shelf-status.ts'
import { listenForRequests } from '../../http/processes/compute-worker.ts'
import { HandOver, handingOver } from '../../http/processes/hand-over.ts'
import type { WorkerBriefing } from '../../http/processes/messages.ts'
import { serve } from '../../http/processes/serve.ts'
import type { WorkerReport } from '../../http/processes/serving-status.ts'
import { mayTakeLong } from '../../http/routes.ts'
import { PageShortcut } from '../../http/v1/page-shortcut.ts'
import { CannotCache } from '../../http/v2/body-file.ts'
import { cacheDirectory } from '../../http/v2/cache-directory.ts'
import { ResponseCache } from '../../http/v2/response-cache.ts'
import { FOLLOW_PROBLEMS, followCurrent } from '../../release/home/follow.ts'
import type { ReleaseStore } from '../../release/home/release-store.ts'
import type { ReleaseToServe } from '../../release/home/release-to-serve.ts'
import { damageIn, damageWords, notScrubbed, type ScrubState } from '../../release/home/scrub.ts'
import { leftOutLine } from '../../release/restricted.ts'
import { budgetLimitsOf, computeLimitsOf, LONG_TIMES } from '../flags/limit-flags.ts'
import type { ServeValues } from '../flags/serve-flags.ts'

/** A worker as its link with the supervisor uses it. */
type RunningWorker = {
  readonly port: number
  /** Maps the current release, which then stays readable, whatever becomes of the home. */
  readonly map: () => void
  readonly report: () => WorkerReport
  /** Takes the findings of a scrub. */
  readonly onScrub: (state: ScrubState) => void
  /** Takes the trouble with the shared shelf, if there is any. */
  readonly onShelf: (trouble: ShelfTrouble | undefined) => void
  /** Takes the sockets of the compute workers. */
  readonly onComputeSockets: (sockets: readonly string[]) => void
  /** Opens the access log anew. */
  readonly reopen: () => void
  readonly stop: (drainMilliseconds: number, onClosed?: () => Promise<void>) => Promise<void>
}

type Given = {
  readonly values: ServeValues
  readonly log: Log
  readonly store: ReleaseStore
  readonly first: ReleaseToServe
  readonly briefing: WorkerBriefing
  /** Returns whether the shared shelf has a release that is not here; undefined where none is followed. */
  readonly findOnShelf?: (digest: string) => Promise<OnShelf>
}

type State = { scrub: ScrubState; trouble: ShelfTrouble | undefined; draining: boolean }

/** Returns the app over the current release of the home, for either kind of worker, and the parts that its supervisor needs. */
function openApp(
  { values, log, store, first, briefing }: Given,
  parts: Pick<AppContext, 'store' | 'findOnShelf' | 'pages' | 'cache' | 'budget' | 'shelfFiles'>,
  metrics = new Metrics(),
  onSwap = () => {},
) {
  const state: State = { scrub: notScrubbed, trouble: briefing.shelf, draining: false }
  const takeFindings = (scrub: ScrubState) => {
    state.scrub = scrub
    metrics.scrubSound = scrub.sound
    metrics.scrubEnded = scrub.ended
  }
  takeFindings(briefing.scrub)
  const following = followCurrent(store, first, {
    log,
    onSwap: () => {
      metrics.swaps++
      onSwap()
    },
    damage: () => damageIn(state.scrub),
  })
  const app = createApp({
    release: following.release,
    policy: policyOf(values),
    logError: failureLog({ log, metrics }),
    shelfTrouble: () => state.trouble,
    ...parts,
  })
  return {
    app: values['cache-tags'] ? withCacheTags(app, following.release) : app,
    release: following.release,
    map: () => void following.release().map(),
    report: () => ({ status: statusOf(following, state), metrics: metrics.snapshot() }),
    onScrub: (scrub: ScrubState) => {
      takeFindings(scrub)
      void following.look()
    },
    onShelf: (trouble: ShelfTrouble | undefined) => {
      state.trouble = trouble
    },
    startDraining: () => {
      state.draining = true
    },
  }
}

const policyOf = (values: ServeValues) => ({ baseUrl: values['base-url'], trustedProxies: values['trust-proxy'] })

/** A page worker: what is no slice of a file is handed over, so that pages never wait. */
export function startPageWorker(given: Given): RunningWorker {
  const { values, log, briefing } = given
  const metrics = new Metrics()
  const budget = new Budget(budgetLimitsOf(values), metrics)
  const policy = policyOf(values)
  const { app, release, startDraining, ...shared } = openApp(given, { budget }, metrics, () => shortcut?.reset())
  const limit = values['rate-limit']
  const rates = limit === undefined ? undefined : { limit, table: rateTable(), policy, metrics }
  const milliseconds = values['compute-seconds'] * 1_000
  const handOver = new HandOver({
    directory: briefing.directory,
    limits: computeLimitsOf(values),
    policy,
    metrics,
    maxMillisecondsOf: (request) => (mayTakeLong(request) ? milliseconds * LONG_TIMES : milliseconds),
    ...(rates && { onCost: (request, client, spent) => chargeComputeTime(rates, request, client, spent) }),
  })
  handOver.use(briefing.computeSockets)
  const handing = handingOver(app, handOver)
  const accessLog = accessLogOf(values, metrics, log)
  const observation = { metrics, log, policy, accessLog, slowMilliseconds: values['slow-request'] }
  const { host, port, 'max-connections': maxConnections } = values
  // The shortcut counts requests, but neither limits nor logs them.
  const shortcut =
    limit === undefined && accessLog === undefined ? new PageShortcut({ release, policy, observation }) : undefined
  const listening = { host, port, shared: true, maxConnections, metrics, budget, log, shortcut }
  const server = serve(observed(rates === undefined ? handing : rateLimited(handing, rates), observation), listening)
  watchEventLoop(metrics)
  preloadLater(values, () => app.preload?.())
  return {
    port: server.port,
    ...shared,
    onComputeSockets: (sockets) => handOver.use(sockets),
    reopen: () => void accessLog?.reopen(),
    stop: async (drainMilliseconds, onClosed) => {
      startDraining()
      await server.stop(drainMilliseconds, onClosed)
      handOver.stop()
      await accessLog?.close()
    },
  }
}

/** A compute worker: the whole app, for the requests that page workers hand over. */
export function startComputeWorker(given: Given, socket: string): RunningWorker {
  const { values, log, store, findOnShelf } = given
  // Pages come first.
  setPriority(NICENESS)
  const cache = responseCache(values, store, log)
  // Page workers log what goes well, and trouble with the home: to a busy process it seems slow.
  const logTrouble: Log = (event) => event.level === 'info' || event.event in FOLLOW_PROBLEMS || log(event)
  const { app, release, startDraining, ...shared } = openApp(
    { ...given, log: logTrouble },
    {
      store,
      pages: explorerPagesOf(store.home),
      shelfFiles: lazyShelf(store, values['include-restricted'], log),
      ...(findOnShelf && { findOnShelf }),
      ...(cache && { cache }),
    },
    new Metrics(),
    () => void (values['no-warm-up'] || warm().catch(() => {})),
  )
  const listener = listenForRequests(app, socket)
  const warm = async () => {
    await app.preload?.()
    const { warmUp, warmUpBytes } = await import('../../query/warm-up.ts')
    const current = release()
    if (warmUpBytes(current) > (values['max-compute-mb'] * MEGABYTE) / 2) return
    await warmUp(
      current,
      listener.newJob(() => release() !== current),
    )
  }
  preloadLater(values, warm)
  return {
    port: 0,
    ...shared,
    onComputeSockets: () => {},
    reopen: () => {},
    stop: async (drainMilliseconds) => {
      startDraining()
      await listener.stop(drainMilliseconds)
    },
  }
}

/** Loads what requests will need. If that fails, the first request that needs it tries again, and its failure is logged. */
function preloadLater(values: ServeValues, preload: () => Promise<void> | undefined): void {
  if (!values['no-warm-up']) setTimeout(() => preload()?.catch(() => {}), PRELOAD_MILLISECONDS).unref()
}
/** Before this, a service that starts has other things to do. */
const PRELOAD_MILLISECONDS = 1_000

/** Responds below /shelf; loaded at the first request for it. */
function lazyShelf(store: ReleaseStore, includesRestricted: boolean, log: Log): NonNullable<AppContext['shelfFiles']> {
  let respond: NonNullable<AppContext['shelfFiles']> | undefined
  const onLeftOut = (lists: readonly string[]) =>
    log({ level: 'info', event: 'shelf-restricted', message: leftOutLine(lists) ?? '' })
  return async (request) => {
    const { shelfResponder } = await import('../../distribution/shelf/serve-shelf.ts')
    respond ??= shelfResponder(store, { includesRestricted, onLeftOut })
    return respond(request)
  }
}

/** The priority of a compute worker; page workers have the usual one of 0. */
const NICENESS = 10

function statusOf({ release, degraded }: ReturnType<typeof followCurrent>, { scrub, trouble, draining }: State) {
  const { digest, manifest } = release()
  const reasons = [...degraded(), ...damageWords(scrub), ...(trouble === undefined ? [] : [trouble.message])]
  return { release: digest, built: manifest.built, degraded: [...new Set(reasons)], draining }
}

/** Returns the cache of responses; undefined where none is wanted, or where no directory can be written to. */
function responseCache(values: ServeValues, store: ReleaseStore, log: Log): ResponseCache | undefined {
  const maxBytes = values['cache-size']
  if (maxBytes === 0) return undefined
  const directory = cacheDirectory(store.home, values.cache)
  if (directory instanceof CannotCache) {
    const message = `NO CACHE: ${directory.message}. Whole collections and changes are sent uncompressed, to few clients at a time; name a directory that can be written to with --cache.`
    log({ level: 'warn', event: 'cache-unusable', message })
    return undefined
  }
  // A home that is gone for a moment says nothing about its releases.
  const isOnDisk = (digest: string) =>
    existsSync(store.releaseDirectory(digest)) ||
    existsSync(store.entityDirectory(digest)) ||
    store.digests().length === 0
  return new ResponseCache({ directory, maxBytes, isOnDisk, log })
}

const STANDARD_OUTPUT = 1
const STANDARD_ERROR = 2
/** Descriptors that workers inherit from their supervisor, whose own output they cannot reach otherwise. */
const INHERITED_LOG = 3
const INHERITED_TABLE = 4

/** Returns the stream that the access log goes to; undefined if it goes to a file. */
const accessStream = (target: string | undefined): number | undefined =>
  target === '-' ? STANDARD_OUTPUT : target === 'stderr' ? STANDARD_ERROR : undefined

function accessLogOf(values: ServeValues, metrics: Metrics, log: Log): AccessLog | undefined {
  const path = values['access-log']
  if (path === undefined) return undefined
  const target = accessStream(path) === undefined ? { path } : { descriptor: INHERITED_LOG }
  return new AccessLog(target, values['access-log-format'], metrics, (reason) =>
    log({ level: 'error', event: 'access-log-failed', message: `ACCESS LOG NOT WRITTEN: ${reason}`, reason }),
  )
}

/** Returns the table of rates that workers share. If the supervisor could not make one, each worker has its own. */
function rateTable(): RateTable {
  try {
    return RateTable.inherited(INHERITED_TABLE)
  } catch {
    return RateTable.ofOneProcess()
  }
}

/** The descriptors that a supervisor passes on to its workers. */
export function inheritedDescriptors(values: ServeValues, log: Log): (number | 'ignore')[] {
  const table = values['rate-limit'] === undefined ? undefined : sharedTableFile()
  if (values['rate-limit'] !== undefined && table === undefined) {
    const message = 'No directory for temporary files can be written to: each worker limits rates on its own.'
    log({ level: 'warn', event: 'rate-limit-not-shared', message })
  }
  return [accessStream(values['access-log']) ?? 'ignore', table ?? 'ignore']
}
