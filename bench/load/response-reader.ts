// Reads HTTP responses off a connection, one at a time, as far as a benchmark needs to.

export type Head = { readonly status: number; readonly fields: readonly (readonly [string, string])[] }

const END = '\r\n\r\n'

/** For answers with a Content-Length or without a body; no request is sent before the answer to the last is whole. */
export class ResponseReader {
  readonly #hasBody: boolean
  #kept: Uint8Array[] = []
  #received = 0
  #expected: number | undefined
  status = 0
  headLength = 0

  constructor(method: string) {
    this.#hasBody = method !== 'HEAD'
  }

  /** Takes what has arrived; true once the answer is whole. The chunk may be used again by its owner afterwards. */
  take(chunk: Uint8Array, keep = false): boolean {
    if (this.#expected === undefined || keep) this.#kept.push(chunk.slice())
    this.#received += chunk.length
    if (this.#expected === undefined) this.#readHead()
    if (this.#expected === undefined || this.#received < this.#expected) return false
    if (this.#received > this.#expected) throw new Error('more came than the answer announced')
    return true
  }

  /** Everything received for this answer, where it was kept. */
  bytes(): Uint8Array {
    return Buffer.concat(this.#kept)
  }

  reset(): void {
    this.#kept = []
    this.#received = 0
    this.#expected = undefined
  }

  #readHead(): void {
    const received = this.#kept.length === 1 ? (this.#kept[0] as Uint8Array) : Buffer.concat(this.#kept)
    const text = Buffer.from(received.buffer, received.byteOffset, received.byteLength).toString('latin1')
    const end = text.indexOf(END)
    if (end === -1) return
    this.headLength = end + END.length
    this.status = Number(text.slice(9, 12))
    this.#expected = this.headLength + this.#bodyLength(text.slice(0, end))
  }

  #bodyLength(head: string): number {
    if (!this.#hasBody || this.status === 304 || this.status === 204) return 0
    const length = head.match(/\r\ncontent-length: *([0-9]+)/i)?.[1]
    if (length === undefined) throw new Error(`an answer without Content-Length:\n${head}`)
    return Number(length)
  }
}

export function parseHead(head: string): Head {
  const [first = '', ...lines] = head.trimEnd().split('\r\n')
  const fields = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const
  })
  return { status: Number(first.slice(9, 12)), fields }
}
