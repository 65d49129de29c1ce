// Writes answers into one buffer, which grows when it must and is used again for every write.
import type { Answer } from '../exchange.ts'

const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  304: 'Not Modified',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  414: 'URI Too Long',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
}

const STATUS_LINES = Object.fromEntries(
  Object.entries(REASONS).map(([status, reason]) => [status, `HTTP/1.1 ${status} ${reason}\r\n`]),
)

const FIRST_SIZE = 1 << 16

export class AnswerBuffer {
  #bytes = Buffer.allocUnsafe(FIRST_SIZE)
  #used = 0

  /** What has been added stands at its beginning; good until the next reset. */
  get bytes(): Buffer {
    return this.#bytes
  }

  get length(): number {
    return this.#used
  }

  reset(): void {
    this.#used = 0
  }

  /** HEAD is answered as GET, less the body. */
  add({ status, head, body }: Answer, withBody: boolean, connection: string, date: string): void {
    // A 304 has no body whose length could be told.
    const length = status === 304 ? '' : `Content-Length: ${body === undefined ? 0 : body.length}\r\n`
    const text = `${STATUS_LINES[status]}${head}Date: ${date}\r\n${length}${connection}\r\n`
    const bytes = withBody && body !== undefined ? body.length : 0
    this.#makeRoom(text.length + bytes)
    this.#used += this.#bytes.write(text, this.#used, 'latin1')
    if (bytes === 0) return
    this.#bytes.set(body as Uint8Array, this.#used)
    this.#used += bytes
  }

  #makeRoom(bytes: number): void {
    const needed = this.#used + bytes
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2))
    this.#bytes.copy(larger, 0, 0, this.#used)
    this.#bytes = larger
  }
}
