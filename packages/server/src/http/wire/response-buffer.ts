// Writes responses into one buffer, which grows when needed and is used again for every batch.
import type { HttpResponse } from '../exchange.ts'
import type { SendBuffer } from './send-buffer.ts'

const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  206: 'Partial Content',
  303: 'See Other',
  304: 'Not Modified',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  408: 'Request Timeout',
  410: 'Gone',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}

const STATUS_LINES = new Map(
  Object.entries(REASONS).map(([status, reason]) => [Number(status), `HTTP/1.1 ${status} ${reason}\r\n`]),
)

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
const INITIAL_BYTES = 1 << 16
/** A longer body is sent from its own memory; a shorter one is copied. */
const MAX_COPIED_BODY = 1 << 15
const NO_BODY = Buffer.alloc(0)

export class ResponseBuffer {
  #bytes = Buffer.allocUnsafe(INITIAL_BYTES)
  #used = 0
  #body: Uint8Array = NO_BODY
  #ownsBody = false

  /** The responses are its first `length` bytes, until the next reset. */
  get bytes(): Buffer {
    return this.#bytes
  }

  get length(): number {
    return this.#used
  }

  /** True if a large body follows them, after which no response can be added. */
  get endsWithBody(): boolean {
    return this.#body !== NO_BODY
  }

  reset(): void {
    this.#used = 0
    this.#body = NO_BODY
  }

  /** Sends the responses, and the large body after them. */
  sendTo(unsent: SendBuffer): void {
    const [body, ownsBody] = [this.#body, this.#ownsBody]
    this.#body = NO_BODY
    unsent.send(this.#bytes, this.#used, body, ownsBody)
  }

  /** The response to HEAD is that to GET without its body. Of a streamed response only the head is added. */
  add(response: HttpResponse, withBody: boolean, connection: string, date: string, http10 = false): void {
    const { status, head, body, ownsBody = false } = response
    const text = `${STATUS_LINES.get(status)}${head}Date: ${date}\r\n${framing(status, body, http10)}${connection}\r\n`
    const whole = withBody && body instanceof Uint8Array ? body : undefined
    const isLarge = whole !== undefined && whole.length > MAX_COPIED_BODY
    const bytes = isLarge ? undefined : whole
    if (isLarge) {
      this.#body = whole
      this.#ownsBody = ownsBody
    }
    this.#makeRoom(text.length + (bytes === undefined ? 0 : bytes.length))
    this.#used += this.#bytes.write(text, this.#used, 'latin1')
    if (bytes === undefined) return
    this.#bytes.set(bytes, this.#used)
    this.#used += bytes.length
  }

  /** Invites the client to send the body of its request (RFC 9110, section 15.2.1). */
  addContinue(): void {
    this.#makeRoom(CONTINUE.length)
    this.#used += this.#bytes.write(CONTINUE, this.#used, 'latin1')
  }

  /** Adds this many bytes, which the caller writes; returns where they begin. */
  reserve(length: number): number {
    this.#makeRoom(length)
    const at = this.#used
    this.#used += length
    return at
  }

  #makeRoom(length: number): void {
    const needed = this.#used + length
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2))
    this.#bytes.copy(larger, 0, 0, this.#used)
    this.#bytes = larger
  }
}

/** The header by which a client finds the end of the body; without one, that is the end of the connection. */
function framing(status: number, body: HttpResponse['body'], http10: boolean): string {
  // A 304 has no body, and so no length.
  if (status === 304) return ''
  const length = body === undefined ? 0 : body.length
  if (length !== undefined) return `Content-Length: ${length}\r\n`
  return http10 ? '' : 'Transfer-Encoding: chunked\r\n'
}
