// The app as an operator sees it: every request has an id, and every response is counted, logged if it was slow, and told
// to the access log.
import type { Log } from '../log.ts'
import type { AccessLog } from './access-log.ts'
import type { App } from './app.ts'
import { clientAddress, type ProxyPolicy } from './client-address.ts'
import { type ConnectionInfo, type HttpRequest, type HttpResponse, isStreamed, type Streamed } from './exchange.ts'
import { type Metrics, type Route, routeOf } from './metrics.ts'
import { isV2, problemResponse } from './problem.ts'
import { withLines } from './rate-limit.ts'
import { RequestId } from './request-id.ts'

export type Observation = {
  readonly metrics: Metrics
  readonly log: Log
  readonly policy: ProxyPolicy
  readonly accessLog: AccessLog | undefined
  readonly slowMilliseconds: number
}

/** A request whose response is under way. */
type Exchange = {
  readonly request: HttpRequest | undefined
  readonly connection: ConnectionInfo | undefined
  readonly path: string
  readonly id: RequestId
}

export function observed(app: App, observation: Observation): App {
  const { policy } = observation
  /** For responses that fail while they are sent. */
  const streaming = new WeakMap<HttpRequest, RequestId>()
  const finished = (exchange: Exchange, response: HttpResponse, started: number): HttpResponse => {
    const { request, path, id } = exchange
    const identified = isV2(path) ? withLines(response, `X-Request-Id: ${id.value}\r\n`) : response
    const { status, body } = identified
    const elapsed = performance.now() - started
    if (isStreamed(body) && request !== undefined && sendsBody(request, status)) {
      streaming.set(request, id)
      const whenSent = (milliseconds: number, bytes: number) =>
        note(observation, exchange, status, elapsed + milliseconds, bytes)
      return { ...identified, body: watched(body, whenSent) }
    }
    const bytes = body instanceof Uint8Array && request?.method !== 'HEAD' && status !== 304 ? body.length : 0
    note(observation, exchange, status, elapsed, bytes)
    return identified
  }
  const respond: App = (request, connection) => {
    const started = performance.now()
    const exchange = { request, connection, path: request.path, id: new RequestId(policy, request, connection) }
    const response = app(request, connection, exchange.id)
    return response instanceof Promise
      ? response.then((settled) => finished(exchange, settled, started))
      : finished(exchange, response, started)
  }
  return Object.assign(respond, {
    failed: (error: unknown, request: HttpRequest) => app.failed?.(error, request, streaming.get(request)),
    refuse: ((problem, path, connection) => {
      const id = new RequestId(policy, undefined, connection)
      const response = problemResponse(problem, path, id)
      return finished({ request: undefined, connection, path, id }, response, performance.now())
    }) satisfies App['refuse'],
  })
}

const sendsBody = ({ method }: HttpRequest, status: number) => method !== 'HEAD' && status !== 304

/** Counts and logs what went wrong in the service while it responded. */
export const failureLog =
  ({ log, metrics }: Pick<Observation, 'log' | 'metrics'>) =>
  (error: unknown, { method, path }: HttpRequest, id?: RequestId): void => {
    metrics.errors++
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    log({
      level: 'error',
      event: 'request-failed',
      message: `${method} ${path} failed: ${reason}`,
      method,
      path,
      requestId: id?.value,
      stack: Bun.inspect(error),
    })
  }

/** Tells of a response, when all of it has been made. */
function note(observation: Observation, exchange: Exchange, status: number, milliseconds: number, bytes: number): void {
  const { metrics, accessLog, slowMilliseconds } = observation
  const { path, request } = exchange
  const route = request === undefined ? 'invalid' : routeOf(path)
  metrics.countRequest(route, status, milliseconds, bytes)
  if (milliseconds >= slowMilliseconds) noteSlow(observation, exchange, route, status, milliseconds)
  if (accessLog === undefined) return
  accessLog.add({
    client: clientOf(observation.policy, exchange),
    request,
    path,
    route,
    status,
    bytes,
    milliseconds,
    requestId: exchange.id.value,
  })
}

function noteSlow(
  { metrics, log }: Observation,
  { request, path, id }: Exchange,
  route: Route,
  status: number,
  milliseconds: number,
): void {
  metrics.slowRequests++
  const duration = Math.round(milliseconds)
  const query = request === undefined || request.query === '' ? '' : `?${request.query}`
  log({
    level: 'warn',
    event: 'slow-request',
    message: `SLOW REQUEST: ${request?.method ?? '-'} ${path}${query} took ${duration} ms (${status})`,
    route,
    method: request?.method,
    path,
    query: request?.query,
    status,
    milliseconds: duration,
    requestId: id.value,
  })
}

const NO_HEADERS = { get: () => undefined }

const clientOf = (policy: ProxyPolicy, { request, connection }: Exchange): string =>
  connection === undefined ? '' : clientAddress(policy, request?.headers ?? NO_HEADERS, connection)

type WhenSent = (milliseconds: number, bytes: number) => void

/** A body that tells how many bytes were taken and how long they took to make, however it ends. */
const watched = (body: Streamed, whenSent: WhenSent): Streamed => ({
  ...body,
  chunks: () => watchedChunks(body.chunks(), whenSent),
})

async function* watchedChunks(chunks: AsyncIterable<Uint8Array>, whenSent: WhenSent): AsyncGenerator<Uint8Array> {
  let bytes = 0
  let milliseconds = 0
  let asked = performance.now()
  try {
    for await (const chunk of chunks) {
      milliseconds += performance.now() - asked
      bytes += chunk.length
      yield chunk
      asked = performance.now()
    }
  } finally {
    whenSent(milliseconds, bytes)
  }
}
