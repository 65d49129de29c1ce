// An HTTP client that works on bytes, so that a response can be checked as it is on the wire.
import { connect, type Socket } from 'node:net'

export type HttpResponse = {
  readonly status: number
  readonly reason: string
  /** Names are spelled as on the wire. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Shorter than that of a test, so that a failure shows the bytes that came; long, since a busy machine may let a server wait. */
const TIMEOUT_MILLISECONDS = 50_000
const END_OF_HEAD = '\r\n\r\n'

/** A request as it goes on the wire; each character is one byte. */
export function message(method: string, target: string, ...fields: readonly string[]): string {
  return [`${method} ${target} HTTP/1.1`, ...fields]
    .map((line) => `${line}\r\n`)
    .concat('\r\n')
    .join('')
}

/**
 * Sends all requests at once on one connection and reads a response to each, so that a byte too many in one of them
 * spoils the next. There are fewer responses than requests if the server closed the connection.
 */
export const sendAll = (url: string, ...requests: readonly string[]): Promise<HttpResponse[]> =>
  exchange(url, requests, requests.length)

/** Sends all requests at once, and reads until the server closes the connection. */
export const sendUntilClosed = (url: string, ...requests: readonly string[]): Promise<HttpResponse[]> =>
  exchange(url, requests, Number.POSITIVE_INFINITY)

/** Sends one request, and gives its response. */
export async function send(url: string, request: string): Promise<HttpResponse> {
  const [response] = await sendAll(url, request)
  if (response === undefined) throw new Error('the server hung up without a response')
  return response
}

function exchange(url: string, requests: readonly string[], max: number): Promise<HttpResponse[]> {
  const responses: HttpResponse[] = []
  let received: Buffer = Buffer.alloc(0)
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse[]>()
  const socket = open(url)

  const read = (closed: boolean) => {
    while (responses.length < max) {
      const found = parseResponse(received, requests[responses.length]?.startsWith('HEAD ') ?? false)
      if (found === undefined) break
      responses.push(found.response)
      received = received.subarray(found.length)
    }
    if (!closed && responses.length < max) return
    if (received.length > 0) reject(new Error(`bytes that are no response: ${received.toString('latin1')}`))
    else resolve(responses)
    socket.destroy()
  }
  const attempt = (closed: boolean) => {
    try {
      read(closed)
    } catch (error) {
      reject(error)
      socket.destroy()
    }
  }

  socket.setTimeout(TIMEOUT_MILLISECONDS, () => {
    reject(new Error(`no whole response in time, only: ${received.toString('latin1')}`))
    socket.destroy()
  })
  socket.write(bytesOf(requests.join('')))
  socket.on('data', (bytes: Buffer) => {
    received = Buffer.concat([received, bytes])
    attempt(false)
  })
  socket.on('close', () => attempt(true))
  return promise
}

/** A connection to the server, for requests that are sent piece by piece. */
export function open(url: string, options: { readonly allowHalfOpen?: boolean } = {}): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, noDelay: true, ...options })
  // A server that closes while the client is still sending causes an error; the close event follows.
  socket.on('error', () => {})
  return socket
}

export const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1')

/** Everything that is received until the connection is closed; each character is one byte. */
export async function readUntilClosed(socket: Socket): Promise<string> {
  const received: Buffer[] = []
  socket.on('data', (bytes: Buffer) => received.push(bytes)).resume()
  await new Promise((resolve) => socket.once('close', resolve))
  return Buffer.concat(received).toString('latin1')
}

type Parsed = { readonly response: HttpResponse; readonly length: number }

/** The response at the beginning of the bytes, or undefined while it is incomplete. */
export function parseResponse(bytes: Buffer, toHead: boolean): Parsed | undefined {
  const end = bytes.indexOf(END_OF_HEAD)
  if (end === -1) return undefined
  const [line = '', ...fields] = bytes.toString('latin1', 0, end).split('\r\n')
  const [, status, reason = ''] = line.match(/^HTTP\/1\.1 ([0-9]{3}) (.+)$/) ?? []
  if (status === undefined) throw new Error(`not a status line: ${line}`)
  const headers = headersOf(fields)
  const start = end + END_OF_HEAD.length
  const length = lengthOf(Number(status), headers, toHead)
  if (bytes.length < start + length) return undefined
  const body = bytes.toString('utf8', start, start + length)
  return { response: { status: Number(status), reason, headers, body }, length: start + length }
}

/** The number of bytes after the head. Every response but a 304 must announce a length, even if no body follows. */
function lengthOf(status: number, headers: Readonly<Record<string, string>>, toHead: boolean): number {
  const announced = headers['Content-Length']
  if (status === 304 ? announced !== undefined : !/^[0-9]+$/.test(announced ?? ''))
    throw new Error(`a length of ${announced}`)
  return toHead || status === 304 ? 0 : Number(announced)
}

const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

function headersOf(fields: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  const names = new Set<string>()
  for (const field of fields) {
    const colon = field.indexOf(': ')
    const name = field.slice(0, colon)
    if (!FIELD_NAME.test(name) || names.has(name.toLowerCase()))
      throw new Error(`a broken or repeated header: ${field}`)
    names.add(name.toLowerCase())
    headers[name] = field.slice(colon + 2)
  }
  return headers
}
