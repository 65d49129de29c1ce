// Reads a UTF-8 text file as lines, many at a time, in constant memory.
import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import type { Faults } from '../faults.ts'

export type Lines = { readonly first: number; readonly lines: readonly string[] }

/** Thrown when there is no sense in reading on; the reason is already among the faults. */
export class UnreadableFile extends Error {}

/** Far longer than any sound record; a file without line ends must not fill the memory. */
export const LONGEST_LINE = 1 << 20
const CHUNK = 1 << 18
const NEWLINE = 0x0a
const BOM = '\ufeff'
const SHOWN_BEFORE_BAD_BYTE = 20

/** Lines end with LF or CRLF, the last one need not; a byte order mark at the start is passed over. */
export async function* readLines(path: string, file: string, faults: Faults): AsyncGenerator<Lines> {
  let first = 1
  const refuse = (value: string, expected: string): never => {
    faults.add({ file, line: first, column: 'all', value, expected })
    throw new UnreadableFile()
  }
  for await (const bytes of wholeLines(path)) {
    if (bytes.length > LONGEST_LINE && bytes.at(-1) !== NEWLINE)
      refuse('a longer line', `lines of at most ${LONGEST_LINE} bytes`)
    const text = isUtf8(bytes) ? bytes : bytes.subarray(0, firstBadLine(bytes))
    const lines = linesOf(text.toString(), first === 1)
    if (lines.length > 0) yield { first, lines }
    first += lines.length
    if (text !== bytes) refuse(shownBadLine(bytes.subarray(text.length)), 'UTF-8; \ufffd stands for bytes that are not')
  }
}

/** Bytes up to the end of a line, or of the file, or of what is bearable. */
async function* wholeLines(path: string): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0)
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK })) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const end = bytes.lastIndexOf(NEWLINE) + 1
    if (end > 0) yield bytes.subarray(0, end)
    rest = bytes.subarray(end)
    if (rest.length > LONGEST_LINE) break
  }
  if (rest.length > 0) yield rest
}

function linesOf(text: string, atStart: boolean): string[] {
  const unmarked = atStart && text.startsWith(BOM) ? text.slice(BOM.length) : text
  const lines = (unmarked.includes('\r') ? unmarked.replaceAll('\r\n', '\n') : unmarked).split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** Where the first line begins that is not UTF-8. */
function firstBadLine(bytes: Buffer): number {
  for (let start = 0; ; ) {
    const end = bytes.indexOf(NEWLINE, start)
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) return start
    start = end + 1
  }
}

function shownBadLine(bytes: Buffer): string {
  const [line = ''] = bytes.toString().split('\n', 1)
  return line.slice(Math.max(0, line.indexOf('\ufffd') - SHOWN_BEFORE_BAD_BYTE))
}
