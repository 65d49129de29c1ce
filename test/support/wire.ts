// A client that speaks HTTP in bytes, so that an answer can be checked as it is on the wire.
import { connect, type Socket } from 'node:net'

export type HttpResponse = {
  readonly status: number
  readonly reason: string
  /** Names as they were spelled. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const PATIENCE_MILLISECONDS = 10_000
const END_OF_HEAD = '\r\n\r\n'

/** A request as it goes on the wire; each character stands for one byte. */
export function message(method: string, target: string, ...fields: readonly string[]): string {
  return [`${method} ${target} HTTP/1.1`, ...fields]
    .map((line) => `${line}\r\n`)
    .concat('\r\n')
    .join('')
}

/**
 * Sends all requests at once on one connection and reads an answer to each: a byte too many in one of them spoils the
 * next. There are fewer answers than requests where the server hung up.
 */
export const talk = (url: string, ...requests: readonly string[]): Promise<HttpResponse[]> =>
  exchange(url, requests, requests.length)

/** The same, but reads until the server hangs up. */
export const hearOut = (url: string, ...requests: readonly string[]): Promise<HttpResponse[]> =>
  exchange(url, requests, Number.POSITIVE_INFINITY)

/** The one answer to one request. */
export async function ask(url: string, request: string): Promise<HttpResponse> {
  const [answer] = await talk(url, request)
  if (answer === undefined) throw new Error('the server hung up without an answer')
  return answer
}

function exchange(url: string, requests: readonly string[], most: number): Promise<HttpResponse[]> {
  const answers: HttpResponse[] = []
  let heard: Buffer = Buffer.alloc(0)
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse[]>()
  const socket = open(url)

  const read = (closed: boolean) => {
    while (answers.length < most) {
      const found = parse(heard, requests[answers.length]?.startsWith('HEAD ') ?? false)
      if (found === undefined) break
      answers.push(found.answer)
      heard = heard.subarray(found.length)
    }
    if (!closed && answers.length < most) return
    if (heard.length > 0) reject(new Error(`bytes that are no answer: ${heard.toString('latin1')}`))
    else resolve(answers)
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

  socket.setTimeout(PATIENCE_MILLISECONDS, () => {
    reject(new Error(`no whole answer in time, only: ${heard.toString('latin1')}`))
    socket.destroy()
  })
  socket.write(bytesOf(requests.join('')))
  socket.on('data', (bytes: Buffer) => {
    heard = Buffer.concat([heard, bytes])
    attempt(false)
  })
  socket.on('close', () => attempt(true))
  return promise
}

/** A connection to the server, for what is said piece by piece. */
export function open(url: string, options: { readonly allowHalfOpen?: boolean } = {}): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, noDelay: true, ...options })
  // A server that hangs up while it is still being written to shows as an error; the closing follows.
  socket.on('error', () => {})
  return socket
}

export const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1')

/** All that comes until the server hangs up, each character standing for one byte. */
export async function everything(socket: Socket): Promise<string> {
  const heard: Buffer[] = []
  socket.on('data', (bytes: Buffer) => heard.push(bytes)).resume()
  await new Promise((resolve) => socket.once('close', resolve))
  return Buffer.concat(heard).toString('latin1')
}

export type Parsed = { readonly answer: HttpResponse; readonly length: number }

/** The answer at the beginning of the bytes, or nothing as long as it is not whole. */
export function parse(bytes: Buffer, toHead: boolean): Parsed | undefined {
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
  return { answer: { status: Number(status), reason, headers, body }, length: start + length }
}

/** How many bytes follow the head; every answer but a 304 must say how many there would be. */
function lengthOf(status: number, headers: Readonly<Record<string, string>>, toHead: boolean): number {
  const said = headers['Content-Length']
  if (status === 304 ? said !== undefined : !/^[0-9]+$/.test(said ?? '')) throw new Error(`a length of ${said}`)
  return toHead || status === 304 ? 0 : Number(said)
}

const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

function headersOf(fields: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  const seen = new Set<string>()
  for (const field of fields) {
    const colon = field.indexOf(': ')
    const name = field.slice(0, colon)
    if (!FIELD_NAME.test(name) || seen.has(name.toLowerCase())) throw new Error(`a broken or repeated header: ${field}`)
    seen.add(name.toLowerCase())
    headers[name] = field.slice(colon + 2)
  }
  return headers
}
