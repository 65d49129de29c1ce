// A client that speaks HTTP in bytes, so that an answer can be checked as it is on the wire.
import { connect } from 'node:net'

export type Answer = {
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
export function talk(url: string, ...requests: readonly string[]): Promise<Answer[]> {
  const { hostname, port } = new URL(url)
  const answers: Answer[] = []
  let heard: Buffer = Buffer.alloc(0)
  const { promise, resolve, reject } = Promise.withResolvers<Answer[]>()
  const socket = connect(Number(port), hostname)

  const read = (closed: boolean) => {
    for (const request of requests.slice(answers.length)) {
      const found = parse(heard, request.startsWith('HEAD '), closed)
      if (found === undefined) break
      answers.push(found.answer)
      heard = heard.subarray(found.length)
    }
    if (!closed && answers.length < requests.length) return
    if (heard.length > 0) reject(new Error(`bytes without a request: ${heard.toString('latin1')}`))
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
  socket.on('connect', () => socket.write(Buffer.from(requests.join(''), 'latin1')))
  socket.on('data', (bytes: Buffer) => {
    heard = Buffer.concat([heard, bytes])
    attempt(false)
  })
  // A server that hangs up while it is still being written to shows as an error; the closing follows.
  socket.on('error', () => {})
  socket.on('close', () => attempt(true))
  return promise
}

/** The one answer to one request. */
export async function ask(url: string, request: string): Promise<Answer> {
  const [answer] = await talk(url, request)
  if (answer === undefined) throw new Error('the server hung up without an answer')
  return answer
}

export type Parsed = { readonly answer: Answer; readonly length: number }

/** The answer at the beginning of the bytes, or nothing as long as it is not whole. */
export function parse(bytes: Buffer, toHead: boolean, closed: boolean): Parsed | undefined {
  const end = bytes.indexOf(END_OF_HEAD)
  if (end === -1) return undefined
  const [line = '', ...fields] = bytes.toString('latin1', 0, end).split('\r\n')
  const [, status, reason = ''] = line.match(/^HTTP\/1\.1 ([0-9]{3}) (.+)$/) ?? []
  if (status === undefined) throw new Error(`not a status line: ${line}`)
  const headers = headersOf(fields)
  const start = end + END_OF_HEAD.length
  const bodiless = toHead || status === '304'
  const said = headers['Content-Length'] ?? headers['content-length']
  const length = bodiless ? 0 : said === undefined ? (closed ? bytes.length - start : undefined) : Number(said)
  if (length === undefined || bytes.length < start + length) return undefined
  const body = bytes.toString('utf8', start, start + length)
  return { answer: { status: Number(status), reason, headers, body }, length: start + length }
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
