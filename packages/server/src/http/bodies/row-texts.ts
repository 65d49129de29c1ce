// Cuts a body into its rows, one after the other, so that only one row at a time is parsed.
import { ProblemError } from '../problem.ts'
import { MAX_JSON_LEVELS, MAX_LINES } from './body-limits.ts'

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE, END_BRACKET, END_BRACE] = Buffer.from('"\\,[{]}')
const [LINE_FEED, CARRIAGE_RETURN] = Buffer.from('\n\r')
const BLANKS: readonly number[] = [...Buffer.from(' \t\r\n')]
const BYTE_ORDER_MARK = Buffer.from('\ufeff')

export const badBody = (wrong: string): ProblemError => new ProblemError({ kind: 'bad-body', wrong })
export const badRow = (row: number, wrong: string, allowed = ROW_ALLOWED): ProblemError =>
  new ProblemError({ kind: 'bad-row', row, wrong, allowed })
const ROW_ALLOWED = 'a text, or an object with a text for each part'
const TOO_DEEP = -1
const notJson = (wrong: string) => badBody(`the body is not JSON: ${wrong}`)

/** Yields the bytes of each line without its end, LF or CR LF. */
export function* linesOf(body: Buffer): Generator<Buffer> {
  let count = 0
  for (let start = firstByte(body), end = 0; start < body.length; start = end + 1) {
    if (++count > MAX_LINES) throw new ProblemError({ kind: 'content-too-large', max: MAX_LINES, unit: 'lines' })
    const lineFeed = body.indexOf(LINE_FEED as number, start)
    end = lineFeed === -1 ? body.length : lineFeed
    yield body.subarray(start, end > start && body[end - 1] === CARRIAGE_RETURN ? end - 1 : end)
  }
}

/** Yields the bytes of each element of a JSON array. Whether an element is JSON shows when it is parsed. */
export function* elementsOf(body: Buffer): Generator<Buffer> {
  const opening = afterBlanks(body, firstByte(body))
  if (opening === body.length) throw badBody('the body has no rows')
  if (body[opening] !== BRACKET) throw badBody('the body is not an array of rows')
  for (let start = opening + 1, row = 1; ; row++) {
    const end = endOfElement(body, start)
    if (end === TOO_DEEP) throw badRow(row, `it has more than ${MAX_JSON_LEVELS} levels`)
    if (end === body.length) throw notJson('it ends before its array does')
    const isLast = body[end] !== COMMA
    if (body[end] === END_BRACE) throw notJson('its array is closed by a brace')
    if (isLast && afterBlanks(body, end + 1) < body.length) throw notJson('something stands after its array')
    const isEmptyArray = isLast && start === opening + 1 && afterBlanks(body, start) === end
    if (!isEmptyArray) yield body.subarray(start, end)
    if (isLast) return
    start = end + 1
  }
}

/** True if JSON has so many levels that parsing it would take much time and memory. */
export const isTooDeep = (json: Buffer): boolean => endOfElement(json, 0) === TOO_DEEP

/** Returns the position of the comma or bracket after an element; the end of the body if there is none; or TOO_DEEP. */
function endOfElement(body: Buffer, start: number): number {
  let levels = 0
  for (let at = start; at < body.length; at++) {
    const byte = body[at]
    if (byte === QUOTE) at = endOfString(body, at)
    else if (byte === BRACKET || byte === BRACE) {
      if (++levels > MAX_JSON_LEVELS) return TOO_DEEP
    } else if (levels === 0 && (byte === COMMA || byte === END_BRACKET || byte === END_BRACE)) return at
    else if (byte === END_BRACKET || byte === END_BRACE) levels--
  }
  return body.length
}

const firstByte = (body: Buffer): number =>
  body.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0

function afterBlanks(body: Buffer, from: number): number {
  let at = from
  while (BLANKS.includes(body[at] as number)) at++
  return at
}

/** Returns the position of the quote that closes a string; the end of the body if none does. */
function endOfString(body: Buffer, opening: number): number {
  for (let end = body.indexOf(QUOTE as number, opening + 1); end !== -1; end = body.indexOf(QUOTE as number, end + 1)) {
    let from = end
    while (body[from - 1] === BACKSLASH) from--
    if ((end - from) % 2 === 0) return end
  }
  return body.length
}
