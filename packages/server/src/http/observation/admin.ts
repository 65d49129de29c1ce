// The listener for operators: whether the service lives, whether it is ready, its metrics, and what it serves.
import { isIP } from 'node:net'
import { OperationalError } from '../../base/operational-error.ts'
import { version } from '../../base/version.ts'
import { NO_SNIFFING } from '../header-fields.ts'
import type { WorkerReport } from '../processes/serving-status.ts'
import { urlOf } from '../wire/server.ts'
import { ADMIN_PATHS } from './admin-paths.ts'
import { EXPOSITION_TYPE, exposition } from './exposition.ts'
import type { ShelfStatus } from './shelf-status.ts'

export type AdminAddress = { readonly host: string; readonly port: number }

export type AdminOptions = AdminAddress & {
  /** Returns the report of every page worker that listens; the counters of workers that have ended are added to the first. */
  readonly reports: () => Promise<readonly WorkerReport[]>
  /** Returns the report of every compute worker. */
  readonly computeWorkers?: () => Promise<readonly WorkerReport[]>
  /** Returns the number of workers that were replaced because they had died or did not respond. */
  readonly restarts?: () => number
  /** True if the service as a whole is about to stop. */
  readonly stopping?: () => boolean
  /** Returns the status of the shared shelf; undefined where there is none. */
  readonly shelf?: () => ShelfStatus | undefined
  /** The longest lag of the home behind the shelf with which the service counts as ready. */
  readonly maxLagSeconds?: number | undefined
}

export type Admin = AsyncDisposable & { readonly url: string }

const ALLOW = 'GET, HEAD'
const HEADERS = { 'Cache-Control': 'no-store', ...NO_SNIFFING }
const IDLE_SECONDS = 30
const MAX_BODY_BYTES = 1_024

/** Runs in a process of its own where there are workers, so that it responds however busy they are. */
export function startAdmin(options: AdminOptions): Admin {
  const { host, port } = options
  const startedAt = Date.now()
  try {
    // Bun.serve would share the port with another that listens in the same way.
    if (port !== 0) Bun.listen({ hostname: host, port, socket: { data: () => {} } }).stop(true)
    const server = Bun.serve({
      hostname: host,
      port,
      idleTimeout: IDLE_SECONDS,
      maxRequestBodySize: MAX_BODY_BYTES,
      development: false,
      fetch: (request) => respond(options, startedAt, request),
      error: () => json(500, { error: 'the listener for operators failed' }),
    })
    return {
      url: urlOf(host, server.port ?? port),
      [Symbol.asyncDispose]: async () => server.stop(true),
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error
    throw new OperationalError(
      `cannot listen for operators on ${host}, port ${port} (${code}); choose another with --admin`,
    )
  }
}

async function respond(options: AdminOptions, startedAt: number, { method, url, headers }: Request): Promise<Response> {
  if (!mayBeAsked(options, headers.get('host') ?? 'localhost'))
    return json(421, { error: `Host must be an address, localhost or ${options.host}` })
  const path = pathOf(url)
  if (path !== '/' && !(path in ADMIN_PATHS))
    return json(404, { error: 'there is nothing at this path', paths: ADMIN_PATHS })
  if (method !== 'GET' && method !== 'HEAD') return json(405, { error: `allowed are ${ALLOW}` }, { Allow: ALLOW })
  switch (path) {
    case '/healthz':
      return json(200, { status: 'ok', version, pid: process.pid, uptimeSeconds: Math.floor(process.uptime()) })
    case '/readyz':
      return respondReady(await readinessOf(options))
    case '/metrics':
      return new Response(await metricsText(options, startedAt), {
        headers: { ...HEADERS, 'Content-Type': EXPOSITION_TYPE },
      })
    case '/release':
      return json(200, { ...releaseOf((await readinessOf(options)).reports), ...shelfOf(options.shelf?.()) })
    default:
      return json(200, { service: 'nomenclator', version, paths: ADMIN_PATHS })
  }
}

/** A page of a stranger can have its own name lead here (DNS rebinding), but no address, and no name of this machine. */
function mayBeAsked({ host }: AdminAddress, asked: string): boolean {
  const name = asked.toLowerCase().replace(/:[0-9]*$/, '')
  return name === 'localhost' || name === host.toLowerCase() || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0
}

/** Returns the path, without a URL object: the host that a client sends may not be one. */
const pathOf = (url: string): string => /^[a-z]+:\/\/[^/?#]*(\/[^?#]*)/i.exec(url)?.[1] ?? '/'

type Readiness = { readonly reports: readonly WorkerReport[]; readonly reason: string | undefined }

async function readinessOf({
  reports,
  stopping,
  shelf,
  maxLagSeconds = Number.POSITIVE_INFINITY,
}: AdminOptions): Promise<Readiness> {
  const all = await reports().catch(() => [])
  if (stopping?.() === true) return { reports: all, reason: 'the service is stopping' }
  if (all.length === 0) return { reports: all, reason: 'no worker listens' }
  const lag = shelf?.()?.lagSeconds ?? 0
  if (lag > maxLagSeconds)
    return {
      reports: all,
      reason: `it lacks the current release of the shelf for ${Math.floor(lag)} s; --ready-lag is ${maxLagSeconds}`,
    }
  return { reports: all, reason: all.every(({ status }) => status.draining) ? 'all workers are stopping' : undefined }
}

function respondReady({ reports, reason }: Readiness): Response {
  if (reason !== undefined) return json(503, { ready: false, reason })
  return json(200, { ready: true, workers: reports.length, degraded: degradedOf(reports) })
}

const degradedOf = (reports: readonly WorkerReport[]): string[] => [
  ...new Set(reports.flatMap(({ status }) => status.degraded)),
]

function releaseOf(reports: readonly WorkerReport[]) {
  const digests = new Set(reports.map(({ status }) => status.release))
  const [first] = reports
  const same = digests.size === 1 ? first?.status : undefined
  return {
    release: same?.release ?? null,
    built: same?.built ?? null,
    degraded: degradedOf(reports),
    workers: reports.map(({ status: { release, built, degraded, draining }, metrics: { pid } }) => ({
      pid,
      release,
      built,
      degraded,
      draining,
    })),
  }
}

function shelfOf(status: ShelfStatus | undefined) {
  if (status === undefined) return {}
  const { isConnected, generation, lagSeconds, trouble } = status
  const since = trouble && new Date(trouble.since * 1_000).toISOString()
  return { shelf: { connected: isConnected, generation, lagSeconds, trouble: trouble ? { ...trouble, since } : null } }
}

async function metricsText(options: AdminOptions, startedAt: number): Promise<string> {
  const { reports, reason } = await readinessOf(options)
  return exposition({
    reports,
    restarts: options.restarts?.() ?? 0,
    ready: reason === undefined,
    startedAt,
    now: Date.now(),
    shelf: options.shelf?.(),
    computeWorkers: (await options.computeWorkers?.().catch(() => [])) ?? [],
    supervisorBytes: process.memoryUsage.rss(),
  })
}

const json = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(`${JSON.stringify(value)}\n`, {
    status,
    headers: { ...HEADERS, 'Content-Type': 'application/json', ...headers },
  })
