// Reads the head of an HTTP/1.1 request (RFC 9112), strictly: what is not sound is refused, never repaired.

export type RequestHead = {
  readonly method: string
  readonly target: string
  /** Names in lower case; a field that was sent several times has its values joined by commas. */
  readonly headers: ReadonlyMap<string, string>
  readonly http10: boolean
  readonly keepAlive: boolean
  /** Whether a body follows, which nobody here reads. */
  readonly hasBody: boolean
}

export type HeadProblem =
  | { readonly kind: 'bad-request'; readonly wrong: string }
  | { readonly kind: 'uri-too-long'; readonly length: number; readonly most: number }
  | { readonly kind: 'headers-too-large'; readonly most: string }

export type HeadLimits = { readonly bytes: number; readonly target: number; readonly fields: number }

export const HEAD_LIMITS: HeadLimits = { bytes: 16_384, target: 8_000, fields: 100 }

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const REQUEST_LINE = new RegExp(`^(${TOKEN}) ([\\x21-\\x7e]+) HTTP/1\\.([01])$`)
const FIELD = new RegExp(`^(${TOKEN}):[ \\t]*([\\t\\x20-\\x7e\\x80-\\xff]*?)[ \\t]*$`)
const END = '\r\n\r\n'

/** The length of the head that the text begins with, its last empty line included; undefined while it is not all there. */
export function headLength(text: string): number | undefined {
  const end = text.indexOf(END)
  return end === -1 ? undefined : end + END.length
}

const bad = (wrong: string): HeadProblem => ({ kind: 'bad-request', wrong })

/** The text is one whole head, as Latin-1. */
export function parseHead(text: string, limits: HeadLimits = HEAD_LIMITS): RequestHead | HeadProblem {
  const lines = text.slice(0, -END.length).split('\r\n')
  const line = REQUEST_LINE.exec(lines[0] as string)
  if (line === null) return requestLineProblem(lines[0] as string)
  const [, method = '', target = '', minor] = line
  if (target.length > limits.target) return { kind: 'uri-too-long', length: target.length, most: limits.target }
  if (lines.length - 1 > limits.fields) return { kind: 'headers-too-large', most: `${limits.fields} header fields` }
  const headers = readFields(lines)
  if ('kind' in headers) return headers
  const http11 = minor === '1'
  if (http11 && !headers.has('host')) return bad('the Host header is missing')
  const framing = framingProblem(headers)
  if (framing !== undefined) return framing
  const length = headers.get('content-length') ?? '0'
  return {
    method,
    target,
    headers,
    http10: !http11,
    keepAlive: staysOpen(http11, headers.get('connection')),
    hasBody: headers.has('transfer-encoding') || Number(length) > 0,
  }
}

function requestLineProblem(line: string): HeadProblem {
  if (/ HTTP\/[0-9]/.test(line) && !/ HTTP\/1\.[01]$/.test(line)) return bad('the version of HTTP is not 1.1 or 1.0')
  return bad('the request line is not a method, a target in ASCII and HTTP/1.1')
}

/** Said twice, these would make two readers of one request disagree on what it is. */
const ONCE = new Set(['host', 'content-length', 'transfer-encoding'])

function readFields(lines: readonly string[]): Map<string, string> | HeadProblem {
  const headers = new Map<string, string>()
  for (let position = 1; position < lines.length; position++) {
    const field = FIELD.exec(lines[position] as string)
    if (field === null)
      return bad(`header line ${position} is not a name, a colon and a value without control characters`)
    const name = (field[1] as string).toLowerCase()
    const earlier = headers.get(name)
    if (earlier !== undefined && ONCE.has(name)) return bad(`the ${field[1]} header was sent more than once`)
    headers.set(name, earlier === undefined ? (field[2] as string) : `${earlier}, ${field[2]}`)
  }
  return headers
}

function framingProblem(headers: ReadonlyMap<string, string>): HeadProblem | undefined {
  const length = headers.get('content-length')
  if (length === undefined) return undefined
  if (!/^[0-9]{1,15}$/.test(length)) return bad('Content-Length is not a number')
  return headers.has('transfer-encoding') ? bad('both Content-Length and Transfer-Encoding were sent') : undefined
}

function staysOpen(http11: boolean, connection: string | undefined): boolean {
  if (connection === undefined) return http11
  const options = connection.toLowerCase().split(/[ \t]*,[ \t]*/)
  return !options.includes('close') && (http11 || options.includes('keep-alive'))
}
