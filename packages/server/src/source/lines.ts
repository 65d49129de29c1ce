// Reads text files as numbered lines, many at a time, in bounded memory.
import { isUtf8 } from 'node:buffer'
import type { TextEncoding } from './encoding.ts'
import type { Faults } from './faults.ts'

/** Bytes that should be text, under the name that faults give them. */
export type TextFile = { readonly file: string; readonly open: () => AsyncIterable<Buffer> }

export type Lines = {
  /** The number of the first of them; a file begins with line 1. */
  readonly first: number
  /** The texts of the lines, without their ends. */
  readonly lines: readonly string[]
  /** Undefined until it is known. */
  readonly encoding: TextEncoding | undefined
  /** True if the file begins with a byte order mark. */
  readonly hasMark: boolean
  /** True if this is a single line that is not in the encoding; U+FFFD stands for the bytes that are not. */
  readonly isDamaged: boolean
}

/** Thrown when the rest of a file cannot be read; the reason is already among the faults. */
export class UnreadableFile extends Error {}

/** Far longer than any sound record; a file without line ends must not fill the memory. */
export const MAX_LINE = 1 << 20
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const BYTE_ORDER_MARK = Buffer.from('\ufeff')

/** Bun.file also reads the files inside an executable, which streams of node:fs do not. */
export const textFile = (path: string): TextFile => ({ file: path, open: () => bytesOf(Bun.file(path)) })

/** The most bytes of standard input that can be read again. */
const MAX_REPLAYED = 16 << 20

/** Standard input, whose beginning can be read several times. */
export function standardInput(): TextFile {
  const bytes = bytesOf(Bun.stdin)
  const begun: Buffer[] = []
  let length = 0
  async function* replayed(): AsyncGenerator<Buffer> {
    if (length > MAX_REPLAYED) throw new Error('standard input was read before')
    for (let at = 0; at < begun.length; at++) yield begun[at] as Buffer
    for (let next = await bytes.next(); !next.done; next = await bytes.next()) {
      length += next.value.length
      if (length <= MAX_REPLAYED) begun.push(next.value)
      yield next.value
    }
  }
  return { file: 'standard input', open: replayed }
}

async function* bytesOf(file: Bun.BunFile): AsyncGenerator<Buffer> {
  for await (const { buffer, byteOffset, length } of file.stream()) yield Buffer.from(buffer, byteOffset, length)
}

/**
 * Lines end with LF or CRLF, the last one need not. A byte order mark at the start is skipped, and says that the file
 * is in UTF-8. Otherwise, `detectEncoding` is called with whole lines until it knows the encoding.
 */
export async function* readLines(
  { file, open }: TextFile,
  faults: Faults,
  detectEncoding: (bytes: Buffer) => TextEncoding | undefined,
): AsyncGenerator<Lines> {
  let first = 1
  let encoding: TextEncoding | undefined
  let hasMark = false
  try {
    for await (let bytes of wholeLines(open())) {
      if (first === 1 && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)) {
        bytes = bytes.subarray(BYTE_ORDER_MARK.length)
        hasMark = true
        encoding = 'utf-8'
      }
      encoding ??= detectEncoding(bytes)
      for (const { text, isDamaged } of encoding === 'windows-1252' ? decodeWindows1252(bytes) : decodeUtf8(bytes)) {
        const lines = splitLines(text)
        yield { first, lines, encoding, hasMark, isDamaged }
        first += lines.length
      }
    }
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error
    const expected = `lines of at most ${MAX_LINE} bytes`
    faults.add({ file, line: first, column: 'all', value: 'a longer line', expected })
    throw new UnreadableFile()
  }
}

class LineTooLong extends Error {}

/** The bytes, cut only after line feeds, so that no line and no character is cut in two. */
async function* wholeLines(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0)
  for await (const chunk of stream) {
    const end = chunk.lastIndexOf(LINE_FEED) + 1
    if (end > 0) yield rest.length === 0 ? chunk.subarray(0, end) : Buffer.concat([rest, chunk.subarray(0, end)])
    rest = end > 0 ? Buffer.from(chunk.subarray(end)) : Buffer.concat([rest, chunk])
    if (rest.length > MAX_LINE) throw new LineTooLong()
  }
  if (rest.length > 0) yield rest
}

type Decoded = { readonly text: string; readonly isDamaged: boolean }

/** Each damaged line comes alone, between the sound ones. */
function* decodeUtf8(bytes: Buffer): Generator<Decoded> {
  let rest = bytes
  while (!isUtf8(rest)) {
    const { start, end } = firstDamagedLine(rest)
    if (start > 0) yield { text: rest.toString('utf8', 0, start), isDamaged: false }
    yield { text: rest.toString('utf8', start, end), isDamaged: true }
    rest = rest.subarray(end)
  }
  if (rest.length > 0) yield { text: rest.toString(), isDamaged: false }
}

function firstDamagedLine(bytes: Buffer): { readonly start: number; readonly end: number } {
  for (let start = 0; ; ) {
    const end = bytes.indexOf(LINE_FEED, start) + 1 || bytes.length
    if (end === bytes.length || !isUtf8(bytes.subarray(start, end))) return { start, end }
    start = end
  }
}

const windows1252 = new TextDecoder('windows-1252')

/** Every byte is a character. */
function* decodeWindows1252(bytes: Buffer): Generator<Decoded> {
  const latin1 = bytes.toString('latin1')
  // Latin-1 is decoded much faster, and differs only where it has control characters.
  yield { text: /[\x80-\x9f]/.test(latin1) ? windows1252.decode(bytes) : latin1, isDamaged: false }
}

/** A loop, because to replace CRLF and split takes three times as long. */
function splitLines(text: string): string[] {
  const lines: string[] = []
  for (let start = 0; start < text.length; ) {
    const lineFeed = text.indexOf('\n', start)
    const next = lineFeed < 0 ? text.length : lineFeed
    const endsWithCr = next > start && text.charCodeAt(next - 1) === CARRIAGE_RETURN
    lines.push(text.slice(start, endsWithCr ? next - 1 : next))
    start = next + 1
  }
  return lines
}
