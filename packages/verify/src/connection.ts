// One connection to a server, on which responses are read byte by byte, so that nothing of them is lost or mended.
import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

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

type ConnectOptions = {
  /** Milliseconds to connect, and for each whole response. */
  readonly timeout: number
  /** The certificate authorities to trust; those of the system by default. */
  readonly ca?: string
  /** Called with the status of every response. */
  readonly onStatus?: (status: number) => void
}

const MAX_HEAD = 64 << 10
/** Ten records are a few kilobytes. */
const MAX_BODY = 16 << 20
const MAX_LINE = 1 << 10
const MAX_INTERIM = 10
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/
const EMPTY = Buffer.alloc(0)

export class ProbeConnection {
  readonly #socket: Socket
  readonly #timeout: number
  readonly #onStatus: (status: number) => void
  readonly #chunks: Buffer[] = []
  #buffered = 0
  #ended: string | undefined
  /** True once the other end has sent all that it wanted to. */
  #isWhole = false
  #wake: () => void = () => {}

  private constructor(socket: Socket, timeout: number, onStatus: (status: number) => void) {
    this.#socket = socket
    this.#timeout = timeout
    this.#onStatus = onStatus
    socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk)
      this.#buffered += chunk.length
      if (this.#buffered > MAX_BODY + MAX_HEAD) this.#end('it sent more than was read')
      this.#wake()
    })
    socket.on('error', (error) => this.#end(reasonOf(error)))
    socket.on('end', () => {
      this.#isWhole = this.#ended === undefined
      this.#end('the connection was closed')
    })
    socket.on('close', () => this.#end('the connection was closed'))
  }

  static async open(url: URL, { timeout, ca, onStatus = () => {} }: ConnectOptions): Promise<ProbeConnection> {
    const isTls = url.protocol === 'https:'
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port)
    const trust = { ...(isIP(host) === 0 ? { servername: host } : {}), ...(ca === undefined ? {} : { ca }) }
    const socket = isTls ? connectTls({ host, port, ...trust }) : connectPlain({ host, port })
    socket.setNoDelay(true)
    const timer = setTimeout(() => socket.destroy(new Error(`no connection within ${timeout / 1_000} s`)), timeout)
    try {
      await new Promise<void>((resolve, reject) => {
        socket.once(isTls ? 'secureConnect' : 'connect', resolve)
        socket.once('error', reject)
        socket.once('close', () => reject(new Error('the connection was closed before it was open')))
      })
      return new ProbeConnection(socket, timeout, onStatus)
    } catch (error) {
      socket.on('error', () => {})
      socket.destroy()
      throw new NoResponse('unreachable', reasonOf(error))
    } finally {
      clearTimeout(timer)
    }
  }

  /** True if another request may be sent: the connection is open, and every byte was read. */
  get isUsable(): boolean {
    return this.#ended === undefined && this.#buffered === 0
  }

  write(bytes: string | Uint8Array): void {
    this.#socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  }

  /** Reads the next response. One to HEAD ends with its headers, and bytes after them are surplus. */
  async read(isHead: boolean): Promise<RawResponse> {
    const end = performance.now() + this.#timeout
    for (let interim = 0; interim <= MAX_INTERIM; interim++) {
      const head = parseHead(await this.#head(end))
      if (head.status >= 100 && head.status <= 199 && head.status !== 101) continue
      this.#onStatus(head.status)
      const framed = isHead || head.status === 204 || head.status === 304 ? undefined : framing(head.fields)
      const body = framed === undefined ? EMPTY : await this.#body(framed, end)
      const closes = framed === 'until closed' || tokensOf(head.fields, 'connection').includes('close')
      return { ...head, body, surplus: this.#buffered, closes }
    }
    throw new NoResponse('invalid', `more than ${MAX_INTERIM} responses of status 1xx before the one that counts`)
  }

  /** Waits for the other end to close the connection, and returns false if it does not in time. */
  async readUntilClosed(milliseconds: number): Promise<boolean> {
    const end = performance.now() + milliseconds
    while (this.#ended === undefined && this.#buffered <= MAX_HEAD) if (!(await this.#more(end))) return false
    return true
  }

  /** The number of bytes that no response was read from. */
  get unread(): number {
    return this.#buffered
  }

  close(): void {
    this.#end('this end closed the connection')
  }

  #end(reason: string): void {
    this.#ended ??= reason
    this.#socket.destroy()
    this.#wake()
  }

  /** Waits, and returns true if more bytes came, or the connection was closed, before the end of the time. */
  async #more(end: number): Promise<boolean> {
    const before = this.#buffered
    if (this.#ended !== undefined) return false
    let timer: ReturnType<typeof setTimeout> | undefined
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      timer = setTimeout(resolve, Math.max(end - performance.now(), 0))
    })
    clearTimeout(timer)
    return this.#buffered > before || this.#ended !== undefined
  }

  /** Waits for more bytes, and throws a reason if there are none. */
  async #need(end: number, what: string, isPartial = true): Promise<void> {
    if (this.#ended !== undefined) throw new NoResponse('closed', `${what}: ${this.#ended}`, isPartial)
    if (!(await this.#more(end)))
      throw new NoResponse('timeout', `${what} within ${this.#timeout / 1_000} s`, isPartial)
  }

  #all(): Buffer {
    if (this.#chunks.length > 1) this.#chunks.splice(0, this.#chunks.length, Buffer.concat(this.#chunks))
    return this.#chunks[0] ?? EMPTY
  }

  #take(length: number): Buffer {
    const all = this.#all()
    this.#chunks.splice(0, 1, all.subarray(length))
    this.#buffered = all.length - length
    return all.subarray(0, length)
  }

  async #head(end: number): Promise<string> {
    for (;;) {
      const text = this.#all().toString('latin1', 0, MAX_HEAD)
      const found = text.match(/\r?\n\r?\n/)
      if (found?.index !== undefined) return this.#take(found.index + found[0].length).toString('latin1')
      if (text.length === MAX_HEAD) throw new NoResponse('invalid', `headers of more than ${MAX_HEAD} bytes`)
      if (text.length >= 5 && !text.startsWith('HTTP/'))
        throw new NoResponse('invalid', `no HTTP, but ${JSON.stringify(text.slice(0, 60))}`)
      await this.#need(end, text === '' ? 'no response' : 'no whole headers', text !== '')
    }
  }

  async #body(framed: Framing, end: number): Promise<Buffer> {
    if (framed === 'chunked') return this.#chunked(end)
    if (framed === 'until closed') {
      while (this.#ended === undefined) {
        if (this.#buffered > MAX_BODY) throw tooLong()
        if (!(await this.#more(end)))
          throw new NoResponse('timeout', `no end of the body within ${this.#timeout / 1_000} s`, true)
      }
      if (this.#buffered > MAX_BODY) throw tooLong()
      if (!this.#isWhole) throw new NoResponse('closed', `a body that is not whole: ${this.#ended}`, true)
      return this.#take(this.#buffered)
    }
    if (framed > MAX_BODY) throw tooLong()
    while (this.#buffered < framed)
      await this.#need(end, `a body of ${this.#buffered} bytes where Content-Length announces ${framed}`)
    return this.#take(framed)
  }

  async #chunked(end: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for (let size = 0; ; ) {
      const line = await this.#line(end)
      const [, digits] = line.match(/^([0-9A-Fa-f]{1,8})[ \t]*(?:;.*)?$/) ?? []
      if (digits === undefined) throw new NoResponse('invalid', `a chunk that begins with ${JSON.stringify(line)}`)
      const length = Number.parseInt(digits, 16)
      size += length
      if (size > MAX_BODY) throw tooLong()
      if (length === 0) break
      while (this.#buffered < length + 2) await this.#need(end, 'a chunk that is not whole')
      parts.push(this.#take(length))
      if ((await this.#line(end)) !== '') throw new NoResponse('invalid', 'a chunk that is longer than it announces')
    }
    for (let trailers = 0; (await this.#line(end)) !== ''; trailers++)
      if (trailers > MAX_INTERIM) throw new NoResponse('invalid', 'trailers without an end')
    return Buffer.concat(parts)
  }

  async #line(end: number): Promise<string> {
    for (;;) {
      const at = this.#all().indexOf(0x0a)
      if (at >= 0)
        return this.#take(at + 1)
          .toString('latin1')
          .replace(/\r?\n$/, '')
      if (this.#buffered > MAX_LINE) throw new NoResponse('invalid', 'the line of a chunk without an end')
      await this.#need(end, 'a chunk that is not whole')
    }
  }
}

const tooLong = () => new NoResponse('invalid', `a body of more than ${MAX_BODY >> 20} MB, too much for a page`)

function parseHead(text: string): { readonly status: number; readonly fields: readonly HeaderField[] } {
  const [line = '', ...lines] = text.replace(/\r?\n\r?\n$/, '').split(/\r?\n/)
  const status = /^HTTP\/\d\.\d (\d{3})(?: |$)/.exec(line)?.[1]
  if (status === undefined) throw new NoResponse('invalid', `the status line ${JSON.stringify(line.slice(0, 60))}`)
  const fields = lines.map((field): HeaderField => {
    const [, name, value = ''] = field.match(FIELD) ?? []
    if (name === undefined) throw new NoResponse('invalid', `the header line ${JSON.stringify(field.slice(0, 60))}`)
    return [name, value]
  })
  return { status: Number(status), fields }
}

type Framing = number | 'chunked' | 'until closed'

/** Finds out how the end of a body is marked (RFC 9112, section 6.3). */
function framing(fields: readonly HeaderField[]): Framing {
  const encodings = tokensOf(fields, 'transfer-encoding')
  const lengths = [...new Set(valuesOf(fields, 'content-length'))]
  if (encodings.length > 0 && lengths.length > 0)
    throw new NoResponse('invalid', 'both Content-Length and Transfer-Encoding')
  if (encodings.length > 0) return encodings.at(-1) === 'chunked' ? 'chunked' : 'until closed'
  if (lengths.length === 0) return 'until closed'
  const length = lengths.join(' and ')
  if (!/^[0-9]{1,15}$/.test(length)) throw new NoResponse('invalid', `a Content-Length of ${length}`)
  return Number(length)
}

/** The values of all headers of a name, in any spelling. */
export const valuesOf = (fields: readonly HeaderField[], name: string): string[] =>
  fields.filter(([given]) => given.toLowerCase() === name.toLowerCase()).map(([, value]) => value)

/** The elements of a header that is a list, in lower case. */
export const tokensOf = (fields: readonly HeaderField[], name: string): string[] =>
  valuesOf(fields, name)
    .join(',')
    .split(',')
    .map((token) => token.trim().toLowerCase())
    .filter((token) => token !== '')

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before the response was complete',
  ENOTFOUND: 'the name of the host was not found',
  EAI_AGAIN: 'the name of the host could not be looked up',
  ENETUNREACH: 'the network cannot be reached',
  EHOSTUNREACH: 'the host cannot be reached',
}

/** The reason of a failure, in words where its code is known. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? String(error.code) : ''
  return code in REASONS ? `${REASONS[code]} (${code})` : error.message
}
