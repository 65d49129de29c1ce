// HTTP requests and responses as plain values, without a socket.
import { type Headers, headerLines } from './v1/page-headers.ts'

/** The headers of a request by lower-case name. */
export type RequestHeaders = {
  get(name: string): string | undefined
  /** False only if it has no condition: no header whose name begins with `if-`. */
  readonly hasConditions?: boolean
}

export type ConnectionInfo = {
  /** The address of the client, or of the proxy in front of it. */
  readonly peer: string | undefined
  /** Where the service listens, such as http://127.0.0.1:8080. */
  readonly listeningUrl: string
  /** The turn in which requests that take long are handled, so that many of them do not keep others waiting. */
  readonly turn?: Turn
}

/** A turn of the event loop. */
export type Turn = {
  /** Whether it has time for more. */
  hasTime(): boolean
  /** Resolves in a turn that has time. */
  timeForMore(): Promise<void>
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

export type HttpResponse = {
  readonly status: number
  /** The header lines as they go on the wire, each with its line end. */
  readonly head: string
  readonly body: Uint8Array | Streamed | undefined
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
}

export const isStreamed = (body: HttpResponse['body']): body is Streamed =>
  body !== undefined && !(body instanceof Uint8Array)

/** A response with more lines in its head. */
export const withLines = (response: HttpResponse, lines: string): HttpResponse =>
  lines === '' ? response : { ...response, head: response.head + lines }

/** Goes on with a value at once where it is there already: most responses are, and a promise would make them wait. */
export const whenReady = <T, R>(value: T | Promise<T>, use: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(use) : use(value)

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
