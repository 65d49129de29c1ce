// State that all connections of a server share: the request handler, the clock, the budget, the progress of a shutdown.

import type { ConnectionInfo, HttpRequest, HttpResponse } from '../exchange.ts'
import type { Budget } from '../limits/budget.ts'
import type { Problem } from '../problem.ts'
import type { ReadQueue } from './read-queue.ts'
import type { HeadProblem, RequestHead } from './request-head.ts'
import type { ResponseBuffer } from './response-buffer.ts'
import type { Turns } from './turns.ts'

/** A problem for which a request is refused before the handler gets it. */
export type WireProblem =
  | HeadProblem
  | Extract<Problem, { kind: 'request-timeout' | 'content-too-large' | 'overloaded' }>

export type Handler = {
  readonly respond: (request: RequestHead, connection: ConnectionInfo) => HttpResponse | Promise<HttpResponse>
  /** Maximum bytes of the body of this request, which is neither GET nor HEAD; undefined if no body is read. */
  readonly maxBody?: ((request: HttpRequest) => number | undefined) | undefined
  /** The response to a request that is refused, never streamed. Of its path there is as much as could be read. */
  readonly refuse: (problem: WireProblem, path: string, connection?: ConnectionInfo) => HttpResponse
  /** The client whose share of the budget a response uses; by default the address at the other end of the connection. */
  readonly clientOf?: ((request: HttpRequest, connection: ConnectionInfo) => string) | undefined
  /** Called when a promised or streamed response failed after it was too late for another response. */
  readonly onFailure?: ((error: unknown, request: HttpRequest) => void) | undefined
}

/** Responds to requests that were not parsed, with the very bytes of the handler's response. */
export type Shortcut = {
  /** Writes the response to the request at the beginning of the bytes. Returns its length, or 0 if it must be parsed. */
  readonly respond: (bytes: Buffer, out: ResponseBuffer, date: string, connection: ConnectionInfo) => number
  /** Called with a request that was parsed, and with all of its response, after which the connection stays open. */
  readonly learn: (
    text: string,
    request: RequestHead,
    response: Buffer,
    date: string,
    connection: ConnectionInfo,
  ) => void
}

export type ServerState = {
  readonly handler: Handler
  readonly shortcut?: Shortcut | undefined
  readonly budget: Budget
  readonly turns: Turns
  readonly largeReads: ReadQueue
  /** The URL at which it listens. */
  url: string
  /** The time as a number and as the Date header. The server updates it, so that no request has to read the clock. */
  readonly clock: { milliseconds: number; date: string }
  /** The time for a request to arrive whole. */
  readonly requestMilliseconds: number
  /** Every response is the last one on its connection. */
  draining: boolean
  /** Requests are received, but not responded to for the time being. */
  responsesPaused: boolean
  /** Called when a connection is closed; more than once does no harm. */
  readonly onClosed: (connection: ConnectionInfo) => void
  /** Number of times that data was received. */
  chunksReceived: number
}
