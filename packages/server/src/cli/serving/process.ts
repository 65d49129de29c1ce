// One process that serves: the app on its socket, with everything that limits, counts and logs around it.
import { existsSync } from 'node:fs'
import type { Log } from '../../base/log.ts'
import { explorerPages } from '../../explorer/mount.ts'
import { createApp } from '../../http/app.ts'
import { Budget } from '../../http/limits/budget.ts'
import { RateTable, rateLimited, sharedTableFile } from '../../http/limits/rate-limit.ts'
import { AccessLog } from '../../http/observation/access-log.ts'
import { withCacheTags } from '../../http/observation/cache-tags.ts'
import { Metrics, watchEventLoop } from '../../http/observation/metrics.ts'
import { failureLog, observed } from '../../http/observation/observed-app.ts'
import type { ShelfTrouble } from '../../http/observation/shelf-status.ts'
import { serve } from '../../http/processes/serve.ts'
import type { WorkerReport } from '../../http/processes/serving-status.ts'
import type { Known } from '../../http/processes/workers.ts'
import { PageShortcut } from '../../http/v1/page-shortcut.ts'
import { CannotCache, cacheDirectory, ResponseCache } from '../../http/v2/response-cache.ts'
import { followCurrent } from '../../release/home/follow.ts'
import { damageIn, damageTold, notScrubbed, type ScrubState } from '../../release/home/scrub.ts'
import type { Servable } from '../../release/home/servable.ts'
import type { Shelf } from '../../release/home/shelf.ts'
import { budgetLimitsOf } from '../flags/limit-flags.ts'
import type { ServeValues } from '../flags/serve-flags.ts'

export type Serving = {
  readonly url: string
  readonly port: number
  readonly report: () => WorkerReport
  /** Takes up what a scrub has found, here or in the supervisor. */
  readonly onScrub: (state: ScrubState) => void
  /** Takes up how the shared shelf is followed, by this process or by the supervisor. */
  readonly onShelf: (trouble: ShelfTrouble | undefined) => void
  /** Opens the access log anew. */
  readonly reopen: () => void
  readonly stop: (drainMilliseconds: number, onClosed?: () => Promise<void>) => Promise<void>
}

type Given = {
  readonly values: ServeValues
  readonly log: Log
  readonly shelf: Shelf
  readonly first: Servable
  readonly known: Known
  /** Whether other processes listen on the same port. */
  readonly shared: boolean
}

/** What this process was told, or does, besides responding. */
type State = { scrub: ScrubState; trouble: ShelfTrouble | undefined; draining: boolean }

export function startServing({ values, log, shelf, first, known, shared }: Given): Serving {
  const metrics = new Metrics()
  const state: State = { scrub: notScrubbed, trouble: known.shelf, draining: false }
  const takeUp = (scrub: ScrubState) => {
    state.scrub = scrub
    metrics.scrubSound = scrub.sound
    metrics.scrubEnded = scrub.ended
  }
  takeUp(known.scrub)
  const following = followCurrent(shelf, first, {
    log,
    onSwap: () => {
      metrics.swaps++
      shortcut?.forget()
      // If it fails, the first request that needs it tries again, and its failure is logged.
      app.preload?.().catch(() => {})
    },
    damage: () => damageIn(state.scrub),
  })
  const policy = { baseUrl: values['base-url'], trustedProxies: values['trust-proxy'] }
  const budget = new Budget(budgetLimitsOf(values), metrics)
  const cache = responseCache(values, shelf, log)
  const app = createApp({
    release: following.release,
    shelf,
    budget,
    ...(cache && { cache }),
    policy,
    logError: failureLog({ log, metrics }),
    pages: explorerPages,
    shelfTrouble: () => state.trouble,
  })
  const tagged = values['cache-tags'] ? withCacheTags(app, following.release) : app
  const limit = values['rate-limit']
  const limited =
    limit === undefined ? tagged : rateLimited(tagged, { limit, table: rateTable(shared), policy, metrics })
  const accessLog = accessLogOf(values, metrics, log, shared)
  const observation = { metrics, log, policy, accessLog, slowMilliseconds: values['slow-request'] }
  const { host, port, 'max-connections': maxConnections } = values
  // The shortcut counts requests, but neither limits nor logs them.
  const shortcut =
    limit === undefined && accessLog === undefined
      ? new PageShortcut({ release: following.release, policy, observation })
      : undefined
  const listening = { host, port, shared, maxConnections, metrics, budget, log, shortcut }
  const server = serve(observed(limited, observation), listening)
  watchEventLoop(metrics)
  return {
    url: server.url,
    port: server.port,
    report: () => ({ status: statusOf(following, state), metrics: metrics.snapshot() }),
    onScrub: (scrub) => {
      takeUp(scrub)
      void following.look()
    },
    onShelf: (trouble) => {
      state.trouble = trouble
    },
    reopen: () => void accessLog?.reopen(),
    stop: async (drainMilliseconds, onClosed) => {
      state.draining = true
      await server.stop(drainMilliseconds, onClosed)
      await accessLog?.close()
    },
  }
}

function statusOf(
  { release, degraded }: ReturnType<typeof followCurrent>,
  { scrub, trouble, draining }: State,
): WorkerReport['status'] {
  const { digest, manifest } = release()
  const reasons = [...degraded(), ...damageTold(scrub), ...(trouble === undefined ? [] : [trouble.message])]
  return { release: digest, built: manifest.built, degraded: [...new Set(reasons)], draining }
}

/** The cache of responses; undefined where none is wanted, or where no directory can be written to. */
function responseCache(values: ServeValues, shelf: Shelf, log: Log): ResponseCache | undefined {
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

const STANDARD_OUTPUT = 1
const STANDARD_ERROR = 2
/** What workers inherit from their supervisor, whose own output they cannot reach otherwise. */
const INHERITED_LOG = 3
const INHERITED_TABLE = 4

/** The stream that the access log goes to; undefined where it goes to a file. */
const accessStream = (target: string | undefined): number | undefined =>
  target === '-' ? STANDARD_OUTPUT : target === 'stderr' ? STANDARD_ERROR : undefined

function accessLogOf(values: ServeValues, metrics: Metrics, log: Log, shared: boolean): AccessLog | undefined {
  const path = values['access-log']
  if (path === undefined) return undefined
  const stream = accessStream(path)
  const target = stream === undefined ? { path } : { descriptor: shared ? INHERITED_LOG : stream }
  return new AccessLog(target, values['access-log-format'], metrics, (reason) =>
    log({ level: 'error', event: 'access-log-failed', message: `ACCESS LOG NOT WRITTEN: ${reason}`, reason }),
  )
}

/** The table of rates that workers share; where the supervisor could not provide one, each has its own. */
function rateTable(shared: boolean): RateTable {
  try {
    return shared ? RateTable.inherited(INHERITED_TABLE) : RateTable.ofOneProcess()
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
