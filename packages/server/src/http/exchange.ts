// HTTP requests and responses as plain values, without a socket, and the headers that all responses have in common.
import { PER_PAGE } from '../catalog/collections.ts'
import { headerLines, NO_SNIFFING } from './header-fields.ts'

/** The headers of a request by lower-case name. */
export type RequestHeaders = {
  get(name: string): string | undefined
  /** False only if it has no condition: no header whose name begins with `if-`. */
  readonly hasConditions?: boolean
  /** All of them as they were received, each line with its end, and the empty line after them. */
  readonly lines?: string
}

export type ConnectionInfo = {
  /** The address of the client, or of the proxy in front of it. */
  readonly peer: string | undefined
  /** The address that the service listens on, such as http://127.0.0.1:8080. */
  readonly listeningUrl: string
  /** Aborted as soon as the client is gone before it has the response to the current request. */
  readonly signal?: AbortSignal
  /** The job of the request, in a compute worker: loops that take long pause it and report their progress. */
  readonly work?: RunningJob
}

export type RunningJob = {
  /** Lets shorter jobs go first: undefined if this one may go on at once, or else resolved when it may. */
  pause(): Promise<void> | undefined
  /** Takes the share of the whole that is done, from 0 to 1; throws if the rest will clearly take longer than it may. */
  expectEnd(done: number): void
}

export type HttpRequest = {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: RequestHeaders
  readonly http10?: boolean
  /** The whole body, of a request whose body is read. */
  readonly body?: Uint8Array
}

/** True if a request only reads. */
export const isRead = ({ method }: HttpRequest): boolean => method === 'GET' || method === 'HEAD'

export type HttpResponse = {
  readonly status: number
  /** The header lines as they go on the wire, each with its line end. */
  readonly head: string
  readonly body: Uint8Array | Streamed | undefined
  /** True if no other response has the bytes of the body: their memory is freed once they are sent. */
  readonly ownsBody?: boolean
}

/** A body in chunks, for what is too large to be held in memory. */
export type Streamed = {
  /** The number of bytes, if it is known beforehand; then the chunks must add up to it. */
  readonly length: number | undefined
  /**
   * A chunk is pulled when the client has taken the one before, whose bytes may then be used again. If the client goes
   * away, the iterator is returned.
   */
  readonly chunks: () => AsyncIterable<Uint8Array>
  /** Called in place of chunks where the body is not wanted after all. */
  readonly cancel?: () => void
  /** The file that the same bytes are in, for another process to read. */
  readonly file?: FilePart
}

/** A part of a file, from one offset to just before another. */
export type FilePart = { readonly path: string; readonly from: number; readonly to: number }

export const isStreamed = (body: HttpResponse['body']): body is Streamed =>
  body !== undefined && !(body instanceof Uint8Array)

/** A response with more headers. */
export const withHeaders = (response: HttpResponse, headers: Readonly<Headers>): HttpResponse => ({
  ...response,
  head: response.head + headerLines(headers),
})

/** Uses a value at once if it is no promise: most responses are none, and a promise would make them wait. */
export const whenReady = <T, R>(value: T | Promise<T>, use: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(use) : use(value)

/** A request of which it is known what it costs, in microseconds, and for which nothing has been done yet. */
export type ParsedRequest = {
  readonly cost: number
  readonly respond: () => HttpResponse | Promise<HttpResponse>
}

export type Headers = Record<string, string>

export const ALLOW = 'GET, HEAD, OPTIONS'
export const CACHE_CONTROL = 'public, no-cache'

/** Headers of every response, whether it succeeds or fails: the methods, and that any origin may use them. */
export const COMMON_HEADERS = {
  Allow: ALLOW,
  Vary: 'Accept',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'X-Page, X-Per-Page, X-Total, X-Total-Pages, Link, ETag, Allow',
} as const

/** Headers of every response of API v2, which may be compressed and has more headers. */
export const V2_COMMON_HEADERS = {
  ...COMMON_HEADERS,
  ...NO_SNIFFING,
  Vary: 'Accept, Accept-Encoding',
  'Access-Control-Expose-Headers':
    'X-Page, X-Per-Page, X-Total, X-Total-Pages, X-Release, Link, ETag, Allow, Content-Range, Accept-Ranges, Repr-Digest, ' +
    'X-Request-Id, RateLimit, RateLimit-Policy, Retry-After',
} as const

export function totalHeaders(total: number, totalPages: number, perPage: number = PER_PAGE): Headers {
  return { 'X-Per-Page': String(perPage), 'X-Total': String(total), 'X-Total-Pages': String(totalPages) }
}

const encoder = new TextEncoder()

export const textResponse = (status: number, headers: Readonly<Headers>, text: string): HttpResponse => ({
  status,
  head: headerLines(headers),
  body: encoder.encode(text),
})

export const emptyResponse = (status: number, headers: Readonly<Headers>): HttpResponse => ({
  status,
  head: headerLines(headers),
  body: undefined,
})
