// The body of a request, for routes that read one: takes it out of what arrives, up to a limit (RFC 9112, sections 6 and 7).
import type { RequestHeaders } from '../exchange.ts'
import { freeMemory } from '../free-memory.ts'
import type { Problem } from '../problem.ts'

/** A problem that makes it impossible to read a body to its end. */
type FramingProblem = Extract<Problem, { kind: 'bad-request' | 'content-too-large' }>

/** The length of a body, or that it comes in chunks; undefined if there is none. The headers have been checked. */
function framingOf(headers: RequestHeaders): number | 'chunked' | undefined {
  if (headers.get('transfer-encoding') !== undefined) return 'chunked'
  const length = Number(headers.get('content-length') ?? 0)
  return length === 0 ? undefined : length
}

/** A line of a chunked body: the size of a chunk with extensions, or a trailer. */
const MAX_LINE_BYTES = 1_024
/** Bytes that the lines around chunks may have, in addition to as many as the body has. */
const MAX_LINES_BYTES = 16_384
const SIZE_LINE = /^([0-9A-Fa-f]{1,8})[\t ]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/
const TRAILER_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*$/
const INITIAL_BYTES = 4_096
const EMPTY = Buffer.alloc(0)

const bad = (wrong: string): FramingProblem => ({ kind: 'bad-request', wrong })

/** The next part: a number of bytes of the body, a line, or nothing. */
type Expected = number | 'size' | 'end-of-chunk' | 'trailer' | 'nothing'

export class RequestBody {
  readonly #max: number
  readonly #chunked: boolean
  #bytes = EMPTY
  #length = 0
  #lineBytes = 0
  #expected: Expected
  /** Its end cannot be found. */
  problem: FramingProblem | undefined

  constructor(headers: RequestHeaders, max: number) {
    const framing = framingOf(headers)
    this.#max = typeof framing === 'number' ? Math.min(framing, max) : max
    this.#chunked = framing === 'chunked'
    this.#expected = framing === 'chunked' ? 'size' : (framing ?? 'nothing')
    if (typeof framing === 'number' && framing > max) this.#refuse({ kind: 'content-too-large', max })
  }

  get isComplete(): boolean {
    return this.#expected === 'nothing'
  }

  /** Bytes of memory that it keeps: of a reserve, the system gives only as much as has been written to. */
  get kept(): number {
    return this.#chunked ? this.#bytes.length : Math.min(this.#length, this.#bytes.length)
  }

  /** The whole body, once it is complete. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  /** Takes its bytes from the data, and returns their number. Until it is complete, the caller gives the rest again. */
  take(data: Buffer): number {
    let at = 0
    while (this.#expected !== 'nothing' && this.problem === undefined) {
      const taken = typeof this.#expected === 'number' ? this.#takeBytes(data, at) : this.#takeLine(data, at)
      if (taken === 0) break
      at += taken
    }
    return at
  }

  /** The client is gone, or refused. */
  drop(): void {
    freeMemory(this.#bytes)
    this.#bytes = EMPTY
  }

  /** The client has stopped sending. */
  end(): void {
    if (!this.isComplete) this.#refuse(bad('the body ends before it is complete'))
  }

  #takeBytes(data: Buffer, start: number): number {
    const left = this.#expected as number
    const taken = Math.min(left, data.length - start)
    this.#keep(data.subarray(start, start + taken))
    this.#length += taken
    if (taken < left) this.#expected = left - taken
    else this.#expected = this.#chunked ? 'end-of-chunk' : 'nothing'
    return taken
  }

  #takeLine(data: Buffer, start: number): number {
    const end = data.indexOf('\r\n', start, 'latin1')
    const length = (end === -1 ? data.length : end) - start
    this.#lineBytes += end === -1 ? 0 : length + 2
    if (length > MAX_LINE_BYTES || this.#lineBytes > this.#length + MAX_LINES_BYTES)
      return this.#refuse(bad('the lines around the chunks of the body are too long'))
    if (end === -1) return 0
    this.#readLine(data.toString('latin1', start, end))
    return length + 2
  }

  #readLine(line: string): void {
    if (this.#expected === 'size') this.#readSize(line)
    else if (line === '') this.#expected = this.#expected === 'trailer' ? 'nothing' : 'size'
    else if (this.#expected === 'end-of-chunk') this.#refuse(bad('a chunk of the body is longer than announced'))
    else if (!TRAILER_LINE.test(line)) this.#refuse(bad('a trailer is not a name, a colon and a value'))
  }

  #readSize(line: string): void {
    const size = SIZE_LINE.exec(line)?.[1]
    if (size === undefined) return void this.#refuse(bad('the size of a chunk of the body is not a hexadecimal number'))
    const bytes = Number.parseInt(size, 16)
    if (this.#length + bytes > this.#max) this.#refuse({ kind: 'content-too-large', max: this.#max })
    else this.#expected = bytes === 0 ? 'trailer' : bytes
  }

  #refuse(problem: FramingProblem): 0 {
    this.problem = problem
    return 0
  }

  #keep(part: Buffer): void {
    this.#reserve(this.#length + part.length)
    part.copy(this.#bytes, this.#length)
  }

  #reserve(length: number): void {
    if (length <= this.#bytes.length) return
    const wanted = this.#chunked ? Math.max(length, this.#bytes.length * 2, INITIAL_BYTES) : this.#max
    const larger = Buffer.allocUnsafe(Math.min(wanted, this.#max))
    this.#bytes.copy(larger, 0, 0, this.#length)
    freeMemory(this.#bytes)
    this.#bytes = larger
  }
}
