// The errors of the client: one class for each way in which a request can fail, all with the method and the address.

export type RequestLine = { readonly method: string; readonly url: string }

/** Any error of the client. */
export class NomenclatorError extends Error {
  // Names are written out, since those of classes are shortened when the package is made.
  static override readonly name: string = 'NomenclatorError'
  override readonly name: string = this.constructor.name

  /** A program may have this class twice, for `import` and for `require`: classes of one name are taken for the same. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    const names: unknown[] = []
    for (let at = value; at !== undefined && at !== null; at = Object.getPrototypeOf(at))
      names.push(at.constructor?.name)
    // biome-ignore lint/complexity/noThisInStatic: in a class that extends this one, it is that class
    return names.includes('NomenclatorError') && names.includes(this.name)
  }
}

/** The server could not be reached, or the connection broke. */
export class ConnectionFailed extends NomenclatorError {
  static override readonly name: string = 'ConnectionFailed'
}

/** The server sent nothing for as long as the timeout allows. */
export class TimedOut extends ConnectionFailed {
  static override readonly name: string = 'TimedOut'
}

/** The content that was received does not have its digest. */
export class DigestMismatch extends NomenclatorError {
  static override readonly name: string = 'DigestMismatch'
}

/** A server's description of a failure (RFC 9457); without one, only the status. */
export type Problem = {
  readonly status: number
  readonly type?: string
  readonly title?: string
  readonly detail?: string
  readonly instance?: string
  readonly requestId?: string
}

/** A response with any status but 2xx. */
export class ResponseError extends NomenclatorError {
  static override readonly name: string = 'ResponseError'
  declare readonly problem: Problem
  declare readonly status: number
  /** The kind of problem, such as `record-not-found`; empty if the server sent none. */
  declare readonly kind: string
  declare readonly method: string
  declare readonly url: string
  /** The seconds that the server demands before the next request. */
  declare readonly retryAfter: number | undefined

  constructor({ method, url }: RequestLine, problem: Problem, retryAfter?: number, words?: string) {
    const reason = words ?? problem.detail ?? problem.title ?? 'no reason given'
    // Programs print messages, and a terminal would obey what a server put there.
    super(`${method} ${url}: ${problem.status}, ${reason.replace(/[\p{Cc}\p{Bidi_Control}]+/gu, ' ')}`)
    const { type = '', status } = problem
    Object.assign(this, { problem, status, kind: type.split(':').at(-1), method, url, retryAfter })
  }
}

/** There is no such record, page or path. */
export class NotFound extends ResponseError {
  static override readonly name: string = 'NotFound'
}

// The words of the server's problems, from which the parameter and what it allows are read.
const BAD_VALUE = /^(\S+) was ".*"; allowed is (.*)\.$/s
const UNKNOWN_NAME = /^"(.*)" is not known here\..* Allowed are (.*)\.$/s

/** There is no such parameter, or its value is not allowed. */
export class BadRequest extends ResponseError {
  static override readonly name: string = 'BadRequest'
  /** The name of the parameter; undefined if the problem is another one. */
  readonly parameter: string | undefined
  /** The allowed values, or names in place of an unknown one; otherwise one description in words. */
  readonly allowed: readonly string[]

  constructor(request: RequestLine, problem: Problem, retryAfter?: number) {
    super(request, problem, retryAfter)
    const detail = problem.detail ?? ''
    const [, parameter, allowed = ''] = BAD_VALUE.exec(detail) ?? UNKNOWN_NAME.exec(detail) ?? []
    this.parameter = parameter
    const [list = ''] = allowed.split('; did you mean')
    this.allowed = /^[\w.-]+(, [\w.-]+)*$/.test(list) ? list.split(', ') : [allowed].filter(Boolean)
  }
}

/** The release is not there any more. In the middle of a walk: begin again. */
export class ReleaseGone extends ResponseError {
  static override readonly name: string = 'ReleaseGone'
}

/** The client sends more than it may; `retryAfter` has the seconds to wait. */
export class TooManyRequests extends ResponseError {
  static override readonly name: string = 'TooManyRequests'
}

/** The server, or a proxy in front of it, cannot respond at the moment: 502, 503 and 504. */
export class Unavailable extends ResponseError {
  static override readonly name: string = 'Unavailable'
}
