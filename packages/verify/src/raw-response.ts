// Parses a response from the bytes of a connection, strictly, so that nothing is lost or mended.

export type HeaderField = readonly [name: string, value: string]

export type RawResponse = {
  readonly status: number
  /** The headers in the order and spelling in which they came, repeated ones too. */
  readonly fields: readonly HeaderField[]
  readonly body: Uint8Array
  /** Bytes that came although the response was over. */
  readonly surplus: number
  readonly closes: boolean
}

type Failure = 'unreachable' | 'timeout' | 'closed' | 'invalid'

/** The reason why there is no response. */
export class NoResponse extends Error {
  readonly kind: Failure
  /** True if a part came that could be the beginning of a response. */
  readonly isPartial: boolean

  constructor(kind: Failure, message: string, isPartial = kind === 'invalid') {
    super(message)
    this.kind = kind
    this.isPartial = isPartial
  }
}

export const MAX_HEAD = 64 << 10
/** Ten records are a few kilobytes. */
export const MAX_BODY = 16 << 20
/** No server cuts a page into so many. */
const MAX_CHUNKS = 100_000
const MAX_LINE = 1 << 10
const MAX_INTERIM = 10
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/
const BLANKS_AT_AN_END = /^[ \t]+|(?<![ \t])[ \t]+$/g
const HALF_CHUNK = 'a chunk that is not whole'

type Bytes = { readonly body: Buffer; readonly length: number }
type Parsed = Bytes & Pick<RawResponse, 'status' | 'fields' | 'closes'>

const invalid = (message: string) => new NoResponse('invalid', message)

type Head = Pick<RawResponse, 'status' | 'fields'> & { readonly framing: Framing }

/** Parses one response while its bytes come. No byte of a chunked body is parsed twice. */
export class ResponseParser {
  readonly #isHead: boolean
  #interims = 0
  #head: Head | undefined
  /** The place of the first byte that was not parsed. */
  #at = 0
  readonly #chunks: Buffer[] = []
  #size = 0
  #isLastChunk = false

  /** The response to HEAD ends with its headers. */
  constructor(isHead: boolean) {
    this.#isHead = isHead
  }

  /**
   * Returns the response, or says what it lacks. The bytes begin where it does; each time there are more of them. `isEnd` is
   * true if the other end has sent all that it wanted to.
   */
  parse(bytes: Buffer, isEnd: boolean): Parsed | string {
    const lacks = this.#head === undefined ? this.#parseHeads(bytes) : undefined
    if (lacks !== undefined) return lacks
    const { status, fields, framing } = this.#head as Head
    const bodied = framing === 'chunked' ? this.#parseChunks(bytes) : parseBody(bytes, this.#at, framing, isEnd)
    if (typeof bodied === 'string') return bodied
    const closes = framing === 'until closed' || tokensOf(fields, 'connection').includes('close')
    return { status, fields, ...bodied, closes }
  }

  #parseHeads(bytes: Buffer): string | undefined {
    for (; this.#interims <= MAX_INTERIM; this.#interims++) {
      const text = bytes.toString('latin1', this.#at, this.#at + MAX_HEAD)
      const end = /\r?\n\r?\n/.exec(text)
      if (end === null) {
        if (text.length === MAX_HEAD) throw invalid(`headers of more than ${MAX_HEAD} bytes`)
        if (text.length >= 5 && !text.startsWith('HTTP/')) throw invalid(`no HTTP, but ${quoted(text)}`)
        return text === '' ? 'no response' : 'no whole headers'
      }
      const { status, fields } = parseHead(text.slice(0, end.index))
      this.#at += end.index + end[0].length
      if (status >= 100 && status <= 199 && status !== 101) continue
      const framing = this.#isHead || status === 204 || status === 304 ? 0 : framingOf(fields)
      this.#head = { status, fields, framing }
      return undefined
    }
    throw invalid(`more than ${MAX_INTERIM} responses of status 1xx before the one that counts`)
  }

  #parseChunks(bytes: Buffer): Bytes | string {
    while (!this.#isLastChunk) {
      const line = lineAt(bytes, this.#at)
      if (line === undefined) return HALF_CHUNK
      const digits = /^([0-9A-Fa-f]{1,8})[ \t]*(?:;.*)?\r?\n$/.exec(line)?.[1]
      if (digits === undefined) throw invalid(`a chunk that begins with ${quoted(line)}`)
      const [start, length] = [this.#at + line.length, Number.parseInt(digits, 16)]
      if (this.#size + length > MAX_BODY) throw tooLong()
      if (this.#chunks.length === MAX_CHUNKS) throw invalid(`a body of more than ${MAX_CHUNKS} chunks`)
      this.#isLastChunk = length === 0
      const end = this.#isLastChunk ? '' : lineAt(bytes, start + length)
      if (end === undefined) return HALF_CHUNK
      if (end.trim() !== '') throw invalid('a chunk that is longer than it announces')
      this.#chunks.push(bytes.subarray(start, start + length))
      this.#size += length
      this.#at = start + length + end.length
    }
    // Trailers.
    for (let line = lineAt(bytes, this.#at); line !== undefined; line = lineAt(bytes, this.#at)) {
      this.#at += line.length
      if (line.trim() === '') return { body: Buffer.concat(this.#chunks), length: this.#at }
    }
    return HALF_CHUNK
  }
}

const quoted = (text: string) => JSON.stringify(text.slice(0, 60))

function parseHead(text: string): Pick<RawResponse, 'status' | 'fields'> {
  const [line = '', ...lines] = text.split(/\r?\n/)
  const status = /^HTTP\/\d\.\d (\d{3})(?: |$)/.exec(line)?.[1]
  if (status === undefined) throw invalid(`the status line ${quoted(line)}`)
  const fields = lines.map((field): HeaderField => {
    const [, name, value = ''] = field.match(FIELD) ?? []
    if (name === undefined) throw invalid(`the header line ${quoted(field)}`)
    return [name, value.replace(BLANKS_AT_AN_END, '')]
  })
  return { status: Number(status), fields }
}

type Framing = number | 'chunked' | 'until closed'

/** Finds out how the end of a body is marked (RFC 9112, section 6.3). */
function framingOf(fields: readonly HeaderField[]): Framing {
  const encodings = tokensOf(fields, 'transfer-encoding')
  const length = [...new Set(valuesOf(fields, 'content-length'))].join(' and ')
  if (encodings.length > 0 && length !== '') throw invalid('both Content-Length and Transfer-Encoding')
  if (encodings.length > 0) return encodings.at(-1) === 'chunked' ? 'chunked' : 'until closed'
  if (length === '') return 'until closed'
  if (!/^[0-9]{1,15}$/.test(length)) throw invalid(`a Content-Length of ${length}`)
  return Number(length)
}

function parseBody(bytes: Buffer, at: number, framing: number | 'until closed', isEnd: boolean): Bytes | string {
  const there = bytes.length - at
  const length = framing === 'until closed' ? there : framing
  if (length > MAX_BODY) throw tooLong()
  if (framing === 'until closed' && !isEnd) return 'a body that is not whole'
  if (there < length) return `a body of ${there} bytes where Content-Length announces ${length}`
  return { body: bytes.subarray(at, at + length), length: at + length }
}

function lineAt(bytes: Buffer, at: number): string | undefined {
  const end = bytes.indexOf(0x0a, at)
  if (end >= 0) return bytes.toString('latin1', at, end + 1)
  if (bytes.length - at > MAX_LINE) throw invalid('the line of a chunk without an end')
  return undefined
}

const tooLong = () => invalid(`a body of more than ${MAX_BODY >> 20} MB, too much for a page`)

/** The values of all headers of a name, in any spelling. */
export const valuesOf = (fields: readonly HeaderField[], name: string): string[] =>
  fields.filter(([given]) => given.toLowerCase() === name.toLowerCase()).map(([, value]) => value)

/** The elements of a header that is a list, in lower case. */
export const tokensOf = (fields: readonly HeaderField[], name: string): string[] => {
  const tokens = valuesOf(fields, name).flatMap((value) => value.split(','))
  return tokens.map((token) => token.trim().toLowerCase()).filter((token) => token !== '')
}
