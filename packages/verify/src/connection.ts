// One connection to a server, on which responses are read one after the other.
import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { MAX_BODY, MAX_HEAD, NoResponse, type RawResponse, ResponseParser } from './raw-response.ts'

export type ConnectionOptions = {
  /** Milliseconds to connect, and for each whole response. */
  readonly timeout: number
  /** The certificate authorities to trust; those of the system by default. */
  readonly ca?: string
}

export class ProbeConnection {
  readonly #socket: Socket
  readonly #timeout: number
  /** Has the bytes that no response was read from, from the first of them to the end; what follows is room for more. */
  #room = Buffer.alloc(MAX_HEAD)
  #first = 0
  #end = 0
  /** The reason why no more bytes will come. */
  #ended: string | undefined
  /** True once the other end has sent all that it wanted to. */
  #isWhole = false
  #wake: () => void = () => {}

  private constructor(socket: Socket, timeout: number) {
    this.#socket = socket
    this.#timeout = timeout
    socket.on('data', (chunk: Buffer) => {
      this.#keep(chunk)
      if (this.unread > MAX_BODY + MAX_HEAD) this.#finish('it sent more than was read')
      this.#wake()
    })
    socket.on('error', (error) => this.#finish(reasonOf(error)))
    socket.on('end', () => {
      this.#isWhole = this.#ended === undefined
      this.#finish('the connection was closed')
    })
    socket.on('close', () => this.#finish('the connection was closed'))
  }

  static async open(url: URL, { timeout, ca }: ConnectionOptions): Promise<ProbeConnection> {
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
      return new ProbeConnection(socket, timeout)
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
    return this.#ended === undefined && this.unread === 0
  }

  /** The number of bytes that no response was read from. */
  get unread(): number {
    return this.#end - this.#first
  }

  write(text: string): void {
    this.#socket.write(text, 'latin1')
  }

  /** Reads the next response. */
  async read(isHead: boolean): Promise<RawResponse> {
    const end = performance.now() + this.#timeout
    const parser = new ResponseParser(isHead)
    for (;;) {
      const parsed = parser.parse(this.#room.subarray(this.#first, this.#end), this.#isWhole)
      if (typeof parsed !== 'string') {
        this.#first += parsed.length
        return { ...parsed, surplus: this.unread }
      }
      const isPartial = this.unread > 0
      if (this.#ended !== undefined) throw new NoResponse('closed', `${parsed}: ${this.#ended}`, isPartial)
      if (!(await this.#more(end)))
        throw new NoResponse('timeout', `${parsed} within ${this.#timeout / 1_000} s`, isPartial)
    }
  }

  /** Waits for the other end to close the connection, for as long as there is time. */
  async readUntilClosed(milliseconds: number): Promise<void> {
    const end = performance.now() + milliseconds
    while (this.#ended === undefined && this.unread <= MAX_HEAD && (await this.#more(end)));
  }

  close(): void {
    this.#finish('this end closed the connection')
  }

  /** Room that is used up is doubled: bytes that were parsed may still be in use, and are not written over. */
  #keep(chunk: Buffer): void {
    if (this.#end + chunk.length > this.#room.length) {
      const unread = this.#room.subarray(this.#first, this.#end)
      this.#room = Buffer.alloc(2 * (unread.length + chunk.length))
      unread.copy(this.#room)
      this.#end = unread.length
      this.#first = 0
    }
    this.#end += chunk.copy(this.#room, this.#end)
  }

  #finish(reason: string): void {
    this.#ended ??= reason
    this.#socket.destroy()
    this.#wake()
  }

  /** Waits, and returns false if neither bytes nor the end of the connection come before the end of the time. */
  async #more(end: number): Promise<boolean> {
    const before = this.unread
    let timer: ReturnType<typeof setTimeout> | undefined
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      timer = setTimeout(resolve, Math.max(end - performance.now(), 0))
    })
    clearTimeout(timer)
    return this.unread > before || this.#ended !== undefined
  }
}

const REASONS = new Map(
  Object.entries({
    ECONNREFUSED: 'the connection was refused',
    ECONNRESET: 'the connection was closed before the response was complete',
    ENOTFOUND: 'the name of the host was not found',
    EAI_AGAIN: 'the name of the host could not be looked up',
    ENETUNREACH: 'the network cannot be reached',
    EHOSTUNREACH: 'the host cannot be reached',
  }),
)

/** The reason of a failure, in words where its code is known. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? String(error.code) : ''
  const reason = REASONS.get(code)
  return reason === undefined ? error.message : `${reason} (${code})`
}
