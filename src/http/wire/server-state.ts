// What all connections of a server share: the request handler, the clock, and how far a shutdown has come.
import type { ConnectionInfo, HttpRequest, HttpResponse } from '../exchange.ts'
import type { HeadProblem, RequestHead } from './request-head.ts'

export type Handler = {
  readonly respond: (request: RequestHead, connection: ConnectionInfo) => HttpResponse | Promise<HttpResponse>
  /** The response to a request that is not valid HTTP, never streamed. Of its path there is as much as could be read. */
  readonly refuse: (problem: HeadProblem, path: string, connection: ConnectionInfo) => HttpResponse
  /** Called when a promised or streamed response failed after it was too late for another response. */
  readonly onFailure?: ((error: unknown, request: HttpRequest) => void) | undefined
}

export type ServerState = {
  readonly handler: Handler
  /** The URL at which it listens. */
  url: string
  /** The time, and as the Date header has it. The server updates it, so that no request has to look it up. */
  readonly clock: { milliseconds: number; date: string }
  /** Every response is the last one on its connection. */
  draining: boolean
  /** Requests are received, but not responded to for the time being. */
  responsesPaused: boolean
  /** How many times data was received. */
  chunksReceived: number
}
