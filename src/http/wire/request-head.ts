// Reads the head of an HTTP/1.1 request (RFC 9112), strictly: what is not sound is refused, never repaired.
import type { Asked } from '../exchange.ts'
import { HeaderText } from './header-text.ts'

export type RequestHead = Asked & {
  readonly http10: boolean
}

export type HeadProblem =
  | { readonly kind: 'bad-request'; readonly wrong: string }
  | { readonly kind: 'uri-too-long'; readonly length: number; readonly most: number }
  | { readonly kind: 'headers-too-large'; readonly most: string }

export type HeadLimits = { readonly bytes: number; readonly target: number; readonly fields: number }

export const HEAD_LIMITS: HeadLimits = { bytes: 16_384, target: 8_000, fields: 100 }

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const METHOD = new RegExp(`^${TOKEN}$`)
const NOT_IN_TARGET = /[^\x21-\x7e]/
const FIELDS = new RegExp(`^(?:${TOKEN}:[\\t\\x20-\\x7e\\x80-\\xff]*\r\n)*\r\n$`)
const HTTP_11 = ' HTTP/1.1\r\n'
const HTTP_10 = ' HTTP/1.0\r\n'
const END = '\r\n\r\n'

/** The length of the head that the text begins with, its last empty line included; undefined while it is not all there. */
export function headLength(text: string): number | undefined {
  const end = text.indexOf(END)
  return end === -1 ? undefined : end + END.length
}

const bad = (wrong: string): HeadProblem => ({ kind: 'bad-request', wrong })

/** The text is one whole head, as Latin-1. */
export function parseHead(text: string, limits: HeadLimits = HEAD_LIMITS): RequestHead | HeadProblem {
  const afterMethod = text.indexOf(' ')
  const afterTarget = text.indexOf(' ', afterMethod + 1)
  const http11 = text.startsWith(HTTP_11, afterTarget)
  if (afterMethod === -1 || !(http11 || text.startsWith(HTTP_10, afterTarget))) return requestLineProblem(text)
  const method = text.slice(0, afterMethod)
  const target = text.slice(afterMethod + 1, afterTarget)
  if (target === '' || NOT_IN_TARGET.test(target) || (method !== 'GET' && !METHOD.test(method)))
    return requestLineProblem(text)
  if (target.length > limits.target) return { kind: 'uri-too-long', length: target.length, most: limits.target }
  const headers = readFields(text.slice(afterTarget + HTTP_11.length), http11, limits)
  if ('kind' in headers) return headers
  const path = pathStart(target)
  const mark = target.indexOf('?')
  return {
    method,
    path: mark === -1 ? target.slice(path) : target.slice(path, mark),
    query: mark === -1 ? '' : target.slice(mark + 1),
    headers,
    http10: !http11,
  }
}

/** Before the path, a proxy may put scheme and host. */
function pathStart(target: string): number {
  if (target.startsWith('/')) return 0
  const absolute = /^https?:\/\/[^/?]*/i.exec(target)
  return absolute === null ? 0 : absolute[0].length
}

/** A client says the same of itself with every request, so that what was read of the last one mostly serves again. */
let lastSound: { readonly text: string; readonly http11: boolean; readonly headers: HeaderText } | undefined

function readFields(text: string, http11: boolean, limits: HeadLimits): HeaderText | HeadProblem {
  if (lastSound !== undefined && lastSound.text === text && lastSound.http11 === http11) return lastSound.headers
  if (!FIELDS.test(text)) return fieldProblem(text)
  const headers = new HeaderText(text)
  const problem = problemWith(headers, http11, limits)
  if (problem !== undefined) return problem
  lastSound = { text, http11, headers }
  return headers
}

function requestLineProblem(text: string): HeadProblem {
  const line = text.slice(0, text.indexOf('\r\n'))
  if (/ HTTP\/[0-9]/.test(line) && !/ HTTP\/1\.[01]$/.test(line)) return bad('the version of HTTP is not 1.1 or 1.0')
  return bad('the request line is not a method, a target in ASCII and HTTP/1.1')
}

function fieldProblem(fields: string): HeadProblem {
  const wrong = fields.split('\r\n').findIndex((line) => !FIELDS.test(`${line}${END}`))
  return bad(`header line ${wrong + 1} is not a name, a colon and a value without control characters`)
}

/** Said twice, these would make two readers of one request disagree on what it is. */
const ONCE = ['host', 'content-length', 'transfer-encoding']

function problemWith(headers: HeaderText, http11: boolean, { fields }: HeadLimits): HeadProblem | undefined {
  if (headers.moreThan(fields)) return { kind: 'headers-too-large', most: `${fields} header fields` }
  const twice = ONCE.find((name) => headers.isRepeated(name))
  if (twice !== undefined) return bad(`the header ${twice} was sent more than once`)
  if (http11 && headers.get('host') === undefined) return bad('the header host is missing')
  const length = headers.get('content-length')
  if (length === undefined) return undefined
  if (!/^[0-9]{1,15}$/.test(length)) return bad('content-length is not a number')
  return headers.get('transfer-encoding') === undefined
    ? undefined
    : bad('it has both content-length and transfer-encoding')
}

/** Whether the connection goes on after the answer: as the client wishes, unless a body follows, which nobody here reads. */
export function staysOpen({ headers, http10 }: RequestHead): boolean {
  const bodyFollows = headers.get('transfer-encoding') !== undefined || Number(headers.get('content-length') ?? 0) > 0
  if (bodyFollows) return false
  const connection = headers.get('connection')
  if (connection === undefined) return !http10
  const options = connection.toLowerCase().split(/[ \t]*,[ \t]*/)
  return !options.includes('close') && (!http10 || options.includes('keep-alive'))
}
