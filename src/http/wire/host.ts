// What all connections of a server share: who answers, the clock, and whether it is leaving.
import type { Answer, Asked, Connection as Asker } from '../exchange.ts'
import type { HeadProblem, RequestHead } from './request-head.ts'

export type Handler = {
  readonly answer: (asked: RequestHead, connection: Asker) => Answer | Promise<Answer>
  /** Never streamed. The path is as much of it as could be read. */
  readonly refuse: (problem: HeadProblem, path: string) => Answer
  /** Told why an answer that was promised or had begun was cut off, when it is too late for another. */
  readonly failed?: ((error: unknown, asked: Asked) => void) | undefined
}

export type Host = {
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
