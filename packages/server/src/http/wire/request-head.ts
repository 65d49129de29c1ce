// Parses the head of an HTTP/1.1 request (RFC 9112), strictly: an invalid head is refused, never repaired.
import type { HttpRequest } from '../exchange.ts'
import { HeaderText } from './header-text.ts'

export type RequestHead = HttpRequest & {
  readonly http10: boolean
}

export type HeadProblem =
  | { readonly kind: 'bad-request'; readonly wrong: string }
  | { readonly kind: 'uri-too-long'; readonly max: number }
  | { readonly kind: 'headers-too-large'; readonly max: string }

export const HEAD_LIMITS = { bytes: 16_384, target: 8_000, fields: 100 } as const

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const METHOD = new RegExp(`^${TOKEN}$`)
const NOT_IN_TARGET = /[^\x21-\x7e]/
const FIELDS = new RegExp(`^(?:${TOKEN}:[\\t\\x20-\\x7e\\x80-\\xff]*\r\n)*\r\n$`)
const HTTP_11 = ' HTTP/1.1\r\n'
const HTTP_10 = ' HTTP/1.0\r\n'
const END = '\r\n\r\n'

/** The length of the head at the beginning of the text, including its empty line; undefined while it is incomplete. */
export function headLength(text: string): number | undefined {
  const end = text.indexOf(END)
  return end === -1 ? undefined : end + END.length
}

const bad = (wrong: string): HeadProblem => ({ kind: 'bad-request', wrong })
const tooLarge = (max: string): HeadProblem => ({ kind: 'headers-too-large', max })
const URI_TOO_LONG: HeadProblem = { kind: 'uri-too-long', max: HEAD_LIMITS.target }

/** No control character, and CR and LF only together. */
const VALID_LINES = /^[\t\x20-\x7e\x80-\xff]*(?:\r\n[\t\x20-\x7e\x80-\xff]*)*\r?$/
const INVALID_LINES = bad('there is a control character, or a line that does not end with CR LF')
const BEGINNING = /^[^ \r\n]* ([^ \r\n]*)/

/** The reason to refuse an incomplete head at once: nothing that may follow could make it valid. */
export function partialProblem(text: string, inputEnded: boolean): HeadProblem | undefined {
  if (!VALID_LINES.test(text)) return INVALID_LINES
  if (text.length < HEAD_LIMITS.bytes)
    return inputEnded ? bad('the empty line at the end of the headers is missing') : undefined
  const target = BEGINNING.exec(text)?.[1] ?? ''
  return target.length > HEAD_LIMITS.target ? URI_TOO_LONG : tooLarge(`${HEAD_LIMITS.bytes} bytes`)
}

/** Takes one whole head, as Latin-1. */
export function parseHead(text: string): RequestHead | HeadProblem {
  const afterMethod = text.indexOf(' ')
  const afterTarget = text.indexOf(' ', afterMethod + 1)
  const http11 = text.startsWith(HTTP_11, afterTarget)
  if (afterMethod === -1 || !(http11 || text.startsWith(HTTP_10, afterTarget))) return requestLineProblem(text)
  const method = text.slice(0, afterMethod)
  const target = text.slice(afterMethod + 1, afterTarget)
  if (target === '' || NOT_IN_TARGET.test(target) || (method !== 'GET' && !METHOD.test(method)))
    return requestLineProblem(text)
  if (target.length > HEAD_LIMITS.target) return URI_TOO_LONG
  const headers = parseFields(text.slice(afterTarget + HTTP_11.length), http11)
  if ('kind' in headers) return headers
  const start = pathStart(target)
  const mark = target.indexOf('?')
  const path = mark === -1 ? target.slice(start) : target.slice(start, mark)
  return {
    method,
    // An absolute URL without a path means the root (RFC 9110, section 4.2.3).
    path: path === '' && start > 0 ? '/' : path,
    query: mark === -1 ? '' : target.slice(mark + 1),
    headers,
    http10: !http11,
  }
}

/** A client may send an absolute URL, as it would to a proxy. */
function pathStart(target: string): number {
  if (target.startsWith('/')) return 0
  const absolute = /^https?:\/\/[^/?]*/i.exec(target)
  return absolute === null ? 0 : absolute[0].length
}

/**
 * Most requests repeat the headers of the one before, which then need not be parsed again. The version is part of the key,
 * because HTTP/1.1 requires a Host and HTTP/1.0 does not.
 */
let lastValid: { readonly text: string; readonly http11: boolean; readonly headers: HeaderText } | undefined

function parseFields(text: string, http11: boolean): HeaderText | HeadProblem {
  if (lastValid !== undefined && lastValid.text === text && lastValid.http11 === http11) return lastValid.headers
  if (!FIELDS.test(text)) return lineProblem(text)
  const headers = new HeaderText(text)
  const problem = fieldsProblem(headers, http11)
  if (problem !== undefined) return problem
  lastValid = { text, http11, headers }
  return headers
}

function requestLineProblem(text: string): HeadProblem {
  if (!VALID_LINES.test(text)) return INVALID_LINES
  const line = text.slice(0, text.indexOf('\r\n'))
  if (/ HTTP\/[0-9]/.test(line) && !/ HTTP\/1\.[01]$/.test(line)) return bad('the version of HTTP is not 1.1 or 1.0')
  return bad('the request line is not a method, a target in ASCII and HTTP/1.1')
}

function lineProblem(fields: string): HeadProblem {
  if (!VALID_LINES.test(fields)) return INVALID_LINES
  const wrong = fields.split('\r\n').findIndex((line) => !FIELDS.test(`${line}${END}`))
  return bad(`header line ${wrong + 1} is not a name, a colon and a value`)
}

/** Fields that must not be repeated: a proxy and this server could disagree on the end of a request or on its host. */
const SINGLE_FIELDS = ['host', 'content-length', 'transfer-encoding']

function fieldsProblem(headers: HeaderText, http11: boolean): HeadProblem | undefined {
  if (headers.hasMoreThan(HEAD_LIMITS.fields)) return tooLarge(`${HEAD_LIMITS.fields} header fields`)
  const repeated = SINGLE_FIELDS.find((name) => headers.isRepeated(name))
  if (repeated !== undefined) return bad(`the header ${repeated} was sent more than once`)
  if (http11 && headers.get('host') === undefined) return bad('the header host is missing')
  const [length, encoding] = [headers.get('content-length'), headers.get('transfer-encoding')]
  if (length !== undefined && encoding !== undefined) return bad('there are both content-length and transfer-encoding')
  if (length !== undefined && !/^[0-9]{1,15}$/.test(length)) return bad('content-length is not a number of bytes')
  // A proxy that speaks HTTP/1.0 does not know of it, and may see the end of the request elsewhere (RFC 9112, section 6.1).
  if (encoding !== undefined && !http11) return bad('transfer-encoding is not part of HTTP/1.0')
  // The end of the body could not be found (RFC 9112, section 6.3).
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') return bad('transfer-encoding is not chunked')
  return undefined
}

/** True if the connection stays open after the response: as the client wishes, unless a body follows that was not read. */
export function staysOpen({ headers, http10, body }: RequestHead): boolean {
  const bodyFollows =
    body === undefined &&
    (headers.get('transfer-encoding') !== undefined || Number(headers.get('content-length') ?? 0) > 0)
  if (bodyFollows) return false
  const connection = headers.get('connection')
  if (connection === undefined) return !http10
  const options = connection
    .toLowerCase()
    .split(',')
    .map((option) => option.trim())
  return !options.includes('close') && (!http10 || options.includes('keep-alive'))
}
