// What all connections of a server share: who answers, the clock, and whether it is leaving.
import type { Connection as ClientInfo, HttpRequest, HttpResponse } from '../exchange.ts'
import type { HeadProblem, RequestHead } from './request-head.ts'

export type Handler = {
  readonly answer: (request: RequestHead, connection: ClientInfo) => HttpResponse | Promise<HttpResponse>
  /** Never streamed. The path is as much of it as could be read. */
  readonly refuse: (problem: HeadProblem, path: string) => HttpResponse
  /** Told why an answer that was promised or had begun was cut off, when it is too late for another. */
  readonly failed?: ((error: unknown, request: HttpRequest) => void) | undefined
}

export type ServerState = {
  readonly handler: Handler
  /** The address under which it listens. */
  own: string
  /** The time, and as HTTP writes it: kept by the server, so that no request has to ask for it. */
  readonly clock: { milliseconds: number; date: string }
  /** Every answer is the last one on its connection. */
  leaving: boolean
  /** Requests are taken in, and not answered for now. */
  holding: boolean
  /** How often anything was received. */
  heard: number
}
