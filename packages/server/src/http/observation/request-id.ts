// The id of a request: taken from a trusted proxy, or made; it is in logs, in problems and in the headers of API v2.
import { isFromProxy, type ProxyPolicy } from '../client-address.ts'
import type { ConnectionInfo, HttpRequest } from '../exchange.ts'

/** The characters of UUIDs, trace contexts and ids of proxies; none of them could break a line of a log. */
const VALID = /^[A-Za-z0-9._~+/=@:-]{1,128}$/

/** Random for each process, so that no two processes make the same id; the counter then costs next to nothing. */
const prefix = crypto.getRandomValues(new Uint8Array(6)).toHex()
let counter = 0

/** The id of a request, wherever it was found or made. */
export type AnyId = { readonly value: string }

/** The id of one request. It is found or made when it is first read, since most requests never need theirs. */
export class RequestId implements AnyId {
  readonly #policy: ProxyPolicy
  /** Undefined if the bytes received were no request. */
  readonly request: HttpRequest | undefined
  readonly connection: ConnectionInfo | undefined
  #value: string | undefined

  constructor(policy: ProxyPolicy, request: HttpRequest | undefined, connection: ConnectionInfo | undefined) {
    this.#policy = policy
    this.request = request
    this.connection = connection
  }

  get value(): string {
    this.#value ??= this.#fromProxy() ?? `${prefix}-${(++counter).toString(36)}`
    return this.#value
  }

  #fromProxy(): string | undefined {
    if (this.request === undefined || this.connection === undefined) return undefined
    if (!isFromProxy(this.#policy, this.connection)) return undefined
    const id = this.request.headers.get('x-request-id')
    return id !== undefined && VALID.test(id) ? id : undefined
  }
}
