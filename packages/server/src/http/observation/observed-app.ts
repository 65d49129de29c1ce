// The app with observation: every request has an id, and every response is counted, logged if it was slow, and written to
// the access log.
import type { Log } from '../../base/log.ts'
import type { App } from '../app.ts'
import { clientAddress, type ProxyPolicy } from '../client-address.ts'
import {
  type ConnectionInfo,
  type HttpRequest,
  type HttpResponse,
  type Streamed,
  whenReady,
  withHeaders,
} from '../exchange.ts'
import { problemResponse } from '../problem.ts'
import { type RouteLabel, routeLabelAt, surfaceAt } from '../routes.ts'
import { parseHead } from '../wire/request-head.ts'
import type { AccessLog } from './access-log.ts'
import type { Metrics } from './metrics.ts'
import { type AnyId, RequestId } from './request-id.ts'

export type Observation = {
  readonly metrics: Metrics
  readonly log: Log
  readonly policy: ProxyPolicy
  readonly accessLog: AccessLog | undefined
  readonly slowMilliseconds: number
}

export function observed(app: App, observation: Observation): App {
  const { policy } = observation
  /** The ids of requests whose responses may fail while they are sent. */
  const streaming = new WeakMap<HttpRequest, RequestId>()
  const finish = (id: RequestId, path: string, made: HttpResponse, started: number): HttpResponse => {
    const response = surfaceAt(path).isExtended ? withHeaders(made, { 'X-Request-Id': id.value }) : made
    const { status, body } = response
    const milliseconds = millisecondsSince(started)
    if (id.request?.method === 'HEAD' || status === 304 || body === undefined) {
      note(observation, id, path, status, milliseconds, 0)
      return response
    }
    if (body instanceof Uint8Array) {
      note(observation, id, path, status, milliseconds, body.length)
      return response
    }
    if (id.request !== undefined) streaming.set(id.request, id)
    const whenSent = (more: number, bytes: number) => note(observation, id, path, status, milliseconds + more, bytes)
    return { ...response, body: watched(body, whenSent) }
  }
  const respond: App = (request, connection) => {
    const started = Bun.nanoseconds()
    const id = new RequestId(policy, request, connection)
    return whenReady(app(request, connection, id), (response) => finish(id, request.path, response, started))
  }
  const refuse: App['refuse'] = (problem, path, connection) => {
    const id = new RequestId(policy, undefined, connection)
    return finish(id, path, problemResponse(problem, path, id), Bun.nanoseconds())
  }
  const failed: App['failed'] = (error, request) => app.failed?.(error, request, streaming.get(request))
  return Object.assign(respond, app, { refuse, failed })
}

/** The clock that durations are taken from: of the two that do not jump, it costs less to read. */
const millisecondsSince = (nanoseconds: number): number => (Bun.nanoseconds() - nanoseconds) / 1e6

/** Counts and logs an error of the service during a response. */
export const failureLog =
  ({ log, metrics }: Pick<Observation, 'log' | 'metrics'>) =>
  (error: unknown, { method, path }: HttpRequest, id?: AnyId): void => {
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

/** Counts and logs a response, when all of it has been made. */
function note(
  observation: Observation,
  id: RequestId,
  path: string,
  status: number,
  milliseconds: number,
  bytes: number,
): void {
  const { metrics, accessLog, slowMilliseconds } = observation
  // A refusal of the wire has no request, and is mostly not valid HTTP. If it is for an overload, the route counts.
  const route = id.request === undefined && status < 500 ? 'invalid' : routeLabelAt(path)
  metrics.countRequest(route, status, milliseconds, bytes)
  if (milliseconds >= slowMilliseconds) noteSlow(observation, id, path, route, status, milliseconds)
  if (accessLog === undefined) return
  const client = clientOf(observation.policy, id)
  accessLog.add({ client, request: id.request, path, route, status, bytes, milliseconds, requestId: id.value })
}

type ServedPage = {
  /** Received bytes, which begin with the request; it ends at `end`. */
  readonly bytes: Buffer
  readonly end: number
  readonly connection: ConnectionInfo
  readonly status: number
  readonly bodyLength: number
  readonly started: number
}

/** Counts a page whose request was not parsed. The request is parsed only if it was slow. There is no access log. */
export function notePage(observation: Observation, page: ServedPage): void {
  const { metrics, slowMilliseconds, policy } = observation
  const { bytes, end, connection, status, bodyLength, started } = page
  const milliseconds = millisecondsSince(started)
  metrics.countRequest('v1 page', status, milliseconds, bodyLength)
  if (milliseconds < slowMilliseconds) return
  const request = parseHead(bytes.toString('latin1', 0, end))
  if (!('kind' in request))
    noteSlow(
      observation,
      new RequestId(policy, request, connection),
      request.path,
      routeLabelAt(request.path),
      status,
      milliseconds,
    )
}

function noteSlow(
  { metrics, log }: Observation,
  { request, value: requestId }: RequestId,
  path: string,
  route: RouteLabel,
  status: number,
  milliseconds: number,
): void {
  metrics.slowRequests++
  const duration = Math.round(milliseconds)
  const { method = '-', query = '' } = request ?? {}
  log({
    level: 'warn',
    event: 'slow-request',
    message: `SLOW REQUEST: ${method} ${path}${query === '' ? '' : `?${query}`} took ${duration} ms (${status})`,
    route,
    method,
    path,
    query,
    status,
    milliseconds: duration,
    requestId,
  })
}

const NO_HEADERS = { get: () => undefined }

const clientOf = (policy: ProxyPolicy, { request, connection }: RequestId): string =>
  connection === undefined ? '' : clientAddress(policy, request?.headers ?? NO_HEADERS, connection)

type WhenSent = (milliseconds: number, bytes: number) => void

/** A body that reports how many bytes were taken and how long they took to make, however it ends. */
const watched = (body: Streamed, whenSent: WhenSent): Streamed => ({
  ...body,
  chunks: () => watchedChunks(body.chunks(), whenSent),
})

async function* watchedChunks(chunks: AsyncIterable<Uint8Array>, whenSent: WhenSent): AsyncGenerator<Uint8Array> {
  let bytes = 0
  let milliseconds = 0
  let begun = Bun.nanoseconds()
  try {
    for await (const chunk of chunks) {
      milliseconds += millisecondsSince(begun)
      bytes += chunk.length
      yield chunk
      begun = Bun.nanoseconds()
    }
  } finally {
    whenSent(milliseconds, bytes)
  }
}
