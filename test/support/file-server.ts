// An HTTP server of one file, on a free port of this machine, that behaves as a test wants and records what is requested.

export type Recorded = { readonly target: string; readonly headers: Readonly<Record<string, string>> }

/** A response as it goes over the wire, whether or not it is sound. */
export type Reply = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string | number>>
  readonly body?: string | Uint8Array
  /** True if the connection stays open after the body without another byte. */
  readonly hangs?: boolean
  /** Sends the body in pieces, with a pause before each. */
  readonly drip?: { readonly pieces: number; readonly milliseconds: number }
}

/** Returns the reply; undefined never sends anything. */
export type Handler = (request: Recorded, count: number) => Reply | undefined

type Client = Bun.Socket<{ head: string }>

export class FileServer implements Disposable {
  readonly requests: Recorded[] = []
  readonly #listener: Bun.TCPSocketListener<{ head: string }>
  readonly #clients = new Set<Client>()

  constructor(handler: Handler) {
    this.#listener = Bun.listen<{ head: string }>({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        open: (socket) => {
          socket.data = { head: '' }
          this.#clients.add(socket)
        },
        data: (socket, bytes) => {
          socket.data.head += bytes.toString('latin1')
          if (!socket.data.head.includes('\r\n\r\n')) return
          const request = parseHead(socket.data.head)
          socket.data.head = ''
          this.requests.push(request)
          const reply = handler(request, this.requests.length)
          if (reply !== undefined) this.#send(socket, reply)
        },
        drain: (socket) => this.#flush(socket),
        close: (socket) => {
          this.#clients.delete(socket)
        },
      },
    })
  }

  get url(): string {
    return `http://127.0.0.1:${this.#listener.port}`
  }

  /** The values of one header over all requests, in their order. */
  sent(header: string): (string | undefined)[] {
    return this.requests.map(({ headers }) => headers[header])
  }

  /** Closes all connections. */
  hangUp(): void {
    for (const client of this.#clients) client.end()
  }

  stop(): void {
    for (const client of this.#clients) client.terminate()
    this.#listener.stop(true)
  }

  [Symbol.dispose](): void {
    this.stop()
  }

  readonly #unsent = new Map<Client, { rest: Uint8Array; readonly ends: boolean }>()

  #send(socket: Client, { status, headers = {}, body = '', hangs = false, drip }: Reply): void {
    const lines = Object.entries({ Connection: 'close', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
    const head = Buffer.from(`HTTP/1.1 ${status} ${REASONS[status] ?? ''}\r\n${lines.join('')}\r\n`)
    const bytes = Buffer.from(body)
    if (drip === undefined) {
      this.#write(socket, Buffer.concat([head, bytes]), !hangs)
      return
    }
    this.#write(socket, head, false)
    const length = Math.ceil(bytes.length / drip.pieces)
    for (let piece = 0; piece < drip.pieces; piece++) {
      const part = bytes.subarray(piece * length, (piece + 1) * length)
      const isLast = piece === drip.pieces - 1
      setTimeout(() => this.#write(socket, part, isLast && !hangs), drip.milliseconds * (piece + 1))
    }
  }

  #write(socket: Client, bytes: Uint8Array, ends: boolean): void {
    const rest = Buffer.concat([this.#unsent.get(socket)?.rest ?? new Uint8Array(), bytes])
    this.#unsent.set(socket, { rest, ends })
    this.#flush(socket)
  }

  #flush(socket: Client): void {
    const sending = this.#unsent.get(socket)
    if (sending === undefined) return
    sending.rest = sending.rest.subarray(socket.write(sending.rest))
    if (sending.rest.length > 0) return
    this.#unsent.delete(socket)
    if (sending.ends) socket.end()
  }
}

const REASONS: Readonly<Record<number, string>> = { 200: 'OK', 404: 'Not Found', 500: 'Internal Server Error' }

function parseHead(head: string): Recorded {
  const [line = '', ...fields] = head.split('\r\n\r\n')[0]?.split('\r\n') ?? []
  const headers = fields.map((field) => {
    const [name = '', ...value] = field.split(':')
    return [name.toLowerCase(), value.join(':').trim()]
  })
  return { target: line.split(' ')[1] ?? '', headers: Object.fromEntries(headers) }
}

export type Version = { readonly etag?: string; readonly lastModified?: string }

const validatorsOf = ({ etag, lastModified }: Version) => ({
  ...(etag === undefined ? {} : { ETag: etag }),
  ...(lastModified === undefined ? {} : { 'Last-Modified': lastModified }),
})

/** A server that keeps to RFC 9110: conditions, ranges, and If-Range. */
export function sound(file: Uint8Array, version: Version = {}): Handler {
  return ({ headers }) => {
    const validators = validatorsOf(version)
    const isUnchanged =
      headers['if-none-match'] === undefined
        ? headers['if-modified-since'] !== undefined && headers['if-modified-since'] === version.lastModified
        : headers['if-none-match'] === version.etag
    if (isUnchanged) return { status: 304, headers: validators }
    const first = Number(/^bytes=([0-9]+)-$/.exec(headers.range ?? '')?.[1])
    const isSame = [version.etag, version.lastModified].includes(headers['if-range'])
    if (Number.isNaN(first) || !isSame)
      return { status: 200, headers: { ...validators, 'Content-Length': file.length }, body: file }
    if (first >= file.length) return { status: 416, headers: { 'Content-Range': `bytes */${file.length}` } }
    const rest = file.subarray(first)
    const range = `bytes ${first}-${file.length - 1}/${file.length}`
    return {
      status: 206,
      headers: { ...validators, 'Content-Range': range, 'Content-Length': rest.length },
      body: rest,
    }
  }
}

/** Sends the first `after` bytes of a body, and nothing more. */
export function stopping(handler: Handler, after: number): Handler {
  return (request, count) => {
    const reply = handler(request, count)
    return reply && { ...reply, body: Buffer.from(reply.body ?? '').subarray(0, after), hangs: true }
  }
}

/** One handler for each request in turn, the last for all that follow. */
export const inTurn =
  (...handlers: readonly Handler[]): Handler =>
  (request, count) =>
    (handlers[Math.min(count, handlers.length) - 1] as Handler)(request, count)
