// Takes the bytes of a connection apart into responses, strictly: whatever is not a whole, well-formed response is an error.

export type Received = {
  readonly status: number
  /** The head as it was sent, each character one byte. */
  readonly head: string
  /** The length of the body without its chunking. */
  readonly bodyBytes: number
  /** The body itself where it is small; a large one is never held. */
  readonly body: Buffer | undefined
  /** The server closes the connection after it. */
  readonly last: boolean
}

const INTERIM = 'HTTP/1.1 100 Continue'
const END_OF_HEAD = '\r\n\r\n'
const MAX_HEAD_BYTES = 64 * 1_024
const MAX_KEPT_BYTES = 64 * 1_024
const STATUS_LINE = /^HTTP\/1\.1 ([1-5][0-9]{2}) [\x20-\x7e]+$/
const FIELD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+: ?[\x20-\x7e\x80-\xff\t]*$/
const NONE = Buffer.alloc(0)

/** The value of a header, or undefined. */
export function fieldOf(head: string, name: string): string | undefined {
  const found = new RegExp(`\r\n${name}: ?([^\r]*)`, 'i').exec(head)
  return found?.[1]
}

type State = 'head' | 'body' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailer' | 'until-closed'

export class ResponseReader {
  readonly #onResponse: (response: Received) => void
  /** Whether the next response is to a HEAD, and so has no body. */
  readonly #isHead: () => boolean
  #pending: Buffer = NONE
  #state: State = 'head'
  #left = 0
  #head = ''
  #status = 0
  #bodyBytes = 0
  #kept: Buffer[] = []

  constructor(isHead: () => boolean, onResponse: (response: Received) => void) {
    this.#isHead = isHead
    this.#onResponse = onResponse
  }

  /** In the middle of a response. */
  get unfinished(): boolean {
    return this.#state !== 'head' || this.#pending.length > 0
  }

  /** The connection is closed: throws if that is in the middle of a response. */
  end(): void {
    if (this.#state === 'until-closed') this.#finish()
    if (this.unfinished) throw new Error(`half a response: ${this.#head || this.#pending.toString('latin1', 0, 200)}`)
  }

  add(bytes: Buffer): void {
    let rest = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes])
    this.#pending = NONE
    for (;;) {
      const taken = this.#step(rest)
      if (taken === undefined) break
      rest = rest.subarray(taken)
    }
    // The buffer of the socket is used again for what arrives next.
    this.#pending = rest.length === 0 ? NONE : Buffer.from(rest)
  }

  /** How many bytes it could make use of, or undefined if it needs more first. */
  #step(rest: Buffer): number | undefined {
    if (rest.length === 0) return undefined
    switch (this.#state) {
      case 'head':
        return this.#readHead(rest)
      case 'body':
      case 'chunk':
      case 'until-closed':
        return this.#readBody(rest)
      case 'chunk-size': {
        const end = rest.indexOf('\r\n')
        if (end === -1) return undefined
        const size = rest.toString('latin1', 0, end)
        if (!/^[0-9a-fA-F]{1,8}$/.test(size)) throw new Error(`not the size of a chunk: ${JSON.stringify(size)}`)
        this.#left = Number.parseInt(size, 16)
        this.#state = this.#left === 0 ? 'trailer' : 'chunk'
        return end + 2
      }
      case 'chunk-end':
        if (rest.length < 2) return undefined
        if (rest.toString('latin1', 0, 2) !== '\r\n') throw new Error('a chunk does not end where its size says')
        this.#state = 'chunk-size'
        return 2
      case 'trailer': {
        const end = rest.indexOf('\r\n')
        if (end === -1) return undefined
        const line = rest.toString('latin1', 0, end)
        if (line === '') this.#finish()
        else if (!FIELD.test(line)) throw new Error(`not a trailer: ${JSON.stringify(line)}`)
        return end + 2
      }
    }
  }

  #readHead(rest: Buffer): number | undefined {
    const end = rest.indexOf(END_OF_HEAD)
    if (end === -1) {
      if (rest.length > MAX_HEAD_BYTES) throw new Error('a head without an end')
      return undefined
    }
    // A client that has stopped sending is asked in this way whether it still reads.
    if (rest.toString('latin1', 0, end) === INTERIM) return end + END_OF_HEAD.length
    this.#head = rest.toString('latin1', 0, end)
    this.#status = statusOf(this.#head)
    this.#bodyBytes = 0
    this.#kept = []
    const length = fieldOf(this.#head, 'Content-Length')
    const coding = fieldOf(this.#head, 'Transfer-Encoding')
    if (length !== undefined && (coding !== undefined || !/^[0-9]+$/.test(length)))
      throw new Error(`a broken length: ${this.#head}`)
    if (coding !== undefined && coding !== 'chunked') throw new Error(`a transfer coding of ${coding}`)
    const toHead = this.#isHead()
    if (toHead || this.#status === 304 || this.#status === 204 || length === '0') this.#finish()
    else if (coding !== undefined) this.#state = 'chunk-size'
    else if (length !== undefined) {
      this.#left = Number(length)
      this.#state = 'body'
    } else if (isLast(this.#head)) this.#state = 'until-closed'
    else throw new Error(`a response without a length: ${this.#head}`)
    return end + END_OF_HEAD.length
  }

  #readBody(rest: Buffer): number {
    const taken = this.#state === 'until-closed' ? rest : rest.subarray(0, this.#left)
    this.#bodyBytes += taken.length
    if (this.#bodyBytes <= MAX_KEPT_BYTES) this.#kept.push(Buffer.from(taken))
    if (this.#state !== 'until-closed') this.#left -= taken.length
    if (this.#left === 0 && this.#state === 'body') this.#finish()
    else if (this.#left === 0 && this.#state === 'chunk') this.#state = 'chunk-end'
    return taken.length
  }

  #finish(): void {
    this.#state = 'head'
    const head = this.#head
    this.#head = ''
    this.#onResponse({
      status: this.#status,
      head,
      bodyBytes: this.#bodyBytes,
      body: this.#bodyBytes <= MAX_KEPT_BYTES ? Buffer.concat(this.#kept) : undefined,
      last: isLast(head),
    })
  }
}

const isLast = (head: string) => /\r\nConnection: ?close/i.test(head)

function statusOf(head: string): number {
  const [line = '', ...fields] = head.split('\r\n')
  const status = STATUS_LINE.exec(line)?.[1]
  if (status === undefined) throw new Error(`not a status line: ${JSON.stringify(line)}`)
  const names = new Set<string>()
  for (const field of fields) {
    const name = field.slice(0, field.indexOf(':')).toLowerCase()
    if (!FIELD.test(field) || names.has(name)) throw new Error(`a broken or repeated header: ${JSON.stringify(field)}`)
    names.add(name)
  }
  return Number(status)
}
