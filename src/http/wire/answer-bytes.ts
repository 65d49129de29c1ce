// Writes answers into one buffer, which grows when it must and is used again for every write.

/** What goes back to a client. A body that is a piece of a mapped file is copied from there straight to the buffer. */
export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
}

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

const FIRST_SIZE = 1 << 16

export class AnswerBuffer {
  #bytes = Buffer.allocUnsafe(FIRST_SIZE)
  #used = 0

  /** What has been added since the last reset; good until the next one. */
  get view(): Buffer {
    return this.#bytes.subarray(0, this.#used)
  }

  get length(): number {
    return this.#used
  }

  reset(): void {
    this.#used = 0
  }

  /** HEAD is answered as GET, less the body. */
  add({ status, headers, body }: Answer, withBody: boolean, connection: string, date: string): void {
    let head = `HTTP/1.1 ${status} ${REASONS[status] ?? ''}\r\n`
    for (const name in headers) head += `${name}: ${headers[name]}\r\n`
    head += `Date: ${date}\r\n`
    // A 304 has no body whose length could be told.
    if (status !== 304) head += `Content-Length: ${body === undefined ? 0 : body.length}\r\n`
    head += connection === '' ? '\r\n' : `Connection: ${connection}\r\n\r\n`
    const bytes = withBody && body !== undefined ? body.length : 0
    this.#makeRoom(head.length + bytes)
    this.#used += this.#bytes.write(head, this.#used, 'latin1')
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
