// The text of a table: unpacked where it is gzip, decoded from whatever it is written in, chunk by chunk.
import { asciiText, detectEncoding, isUtf8, wideEncoding } from '../../encoding.ts'
import type { TellFinding } from '../../findings.ts'
import { UnreadableTable } from './unreadable-table.ts'

/** The bytes of a file in their order. */
export type Bytes = AsyncIterable<Uint8Array>

/** A label that a decoder knows. */
type Encoding = ConstructorParameters<typeof TextDecoder>[0]

/** What the descriptor says of the bytes, and where to tell that they are otherwise. */
type TextOptions = {
  readonly file: string
  readonly encoding: string | undefined
  readonly tell: TellFinding
}

/** As for a zip: tables shrink to a tenth, and a small bomb does no harm. */
const MAX_UNPACKED = 4 * 2 ** 30
const MAX_RATIO = 200
const MIN_BOMB = 64 << 20
const PIECE = 16 << 10
/** Enough to see what a file is. */
const START = 1_024

export async function* textChunks(given: Bytes, options: TextOptions): AsyncGenerator<string> {
  const { start, rest } = await unpacked(given, options.file)
  yield* decoded(start, rest, options)
}

/** The bytes that a file of gzip holds, and those of any other file as they are. */
export async function unpacked(bytes: Bytes, file: string): ReturnType<typeof begun> {
  const given = await begun(bytes)
  return given.start[0] === 0x1f && given.start[1] === 0x8b ? begun(gunzipped(given.rest, file)) : given
}

/** The first byte that is not UTF-8 in a file that is read as such, as a fault; undefined where there is none. */
export async function notUtf8(bytes: Bytes, file: string): Promise<UnreadableTable['fault'] | undefined> {
  const { start, rest } = await unpacked(bytes, file)
  let [line, column] = [1, 1]
  let cut: Uint8Array = new Uint8Array()
  const faultIn = (chunk: Uint8Array): UnreadableTable['fault'] | undefined => {
    const isSound = isUtf8(chunk)
    for (let index = 0; index < chunk.length; column++) {
      const length = isSound ? characterLength(chunk[index] as number) : soundLength(chunk, index)
      if (length === 0) {
        const value = `byte 0x${(chunk[index] as number).toString(16).toUpperCase()}`
        const expected =
          'UTF-8, as in the rest of the file: save all of it as UTF-8, or declare "encoding": "windows-1252" if all of it is in that'
        return { file, line, column: `column ${column}`, value, expected }
      }
      if (chunk[index] === LINE_FEED) {
        line++
        column = 0
      }
      index += length
    }
    return undefined
  }
  if (wideEncoding(start) !== undefined) return undefined
  for await (const chunk of rest) {
    const joined = joinedBytes([cut, chunk])
    const whole = withoutCutCharacter(joined)
    cut = joined.subarray(whole.length)
    const fault = faultIn(whole)
    if (fault !== undefined) return fault
  }
  return faultIn(cut)
}

const LINE_FEED = 0x0a
/** The number of bytes of a character, by its first. */
const characterLength = (lead: number) => (lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4)

/** Likewise; 0 where no sound character begins. */
function soundLength(bytes: Uint8Array, index: number): number {
  const length = characterLength(bytes[index] as number)
  return isUtf8(bytes.subarray(index, index + length)) ? length : 0
}

/** The first bytes, and all of them again. */
export async function begun(bytes: Bytes): Promise<{ readonly start: Uint8Array; readonly rest: Bytes }> {
  const iterator = bytes[Symbol.asyncIterator]()
  const first: Uint8Array[] = []
  let length = 0
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    first.push(next.value)
    length += next.value.length
    if (length >= START) break
  }
  async function* rest(): AsyncGenerator<Uint8Array> {
    try {
      yield* first
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
    } finally {
      await iterator.return?.()
    }
  }
  return { start: joinedBytes(first).subarray(0, START), rest: rest() }
}

/** One array of all bytes. */
export function joinedBytes(parts: readonly Uint8Array[]): Uint8Array {
  const [only, ...more] = parts
  if (only !== undefined && more.length === 0) return only
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}

async function* gunzipped(bytes: Bytes, file: string): AsyncGenerator<Uint8Array> {
  const packed = bytes[Symbol.asyncIterator]()
  let [taken, given] = [0, 0]
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: async (controller) => {
      const { done, value } = await packed.next()
      if (done === true) return controller.close()
      taken += value.length
      controller.enqueue(value as Uint8Array<ArrayBuffer>)
    },
    cancel: async () => void (await packed.return?.()),
  })
  const reader = source.pipeThrough(new DecompressionStream('gzip')).getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      given += next.value.length
      if (given > MAX_UNPACKED || (given > MIN_BOMB && given > taken * MAX_RATIO))
        throw new UnreadableTable({
          file,
          line: 1,
          column: 'all',
          value: `${Math.round(given / 1e6)} MB or more out of ${taken} bytes of gzip`,
          expected: 'a table that unpacks to less; unpack it yourself if it is right',
        })
      // Rows are made of one piece at a time, so that large ones would take more memory.
      for (let at = 0; at < next.value.length; at += PIECE) yield next.value.subarray(at, at + PIECE)
    }
  } catch (error) {
    if (error instanceof UnreadableTable) throw error
    const expected = `sound gzip (${error instanceof Error ? error.message : String(error)}); pack the file again`
    throw new UnreadableTable({ file, line: 1, column: 'all', value: 'damaged gzip', expected })
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

async function* decoded(start: Uint8Array, bytes: Bytes, options: TextOptions): AsyncGenerator<string> {
  const wide = wideEncoding(start)
  const declared = options.encoding === undefined ? undefined : labelOf(options.encoding, options)
  const isMarked = hasMark(start)
  if (wide === undefined && !isMarked && declared !== undefined && !['utf-8', 'windows-1252'].includes(declared)) {
    yield* decodedAs(declared, bytes)
  } else if (wide !== undefined) {
    if (declared !== wide) tellEncoding(wide, declared, options)
    yield* decodedAs(wide, bytes)
  } else {
    yield* narrow(isMarked ? 'utf-8' : declared, bytes, options)
  }
}

const UTF8_MARK = [0xef, 0xbb, 0xbf]

/** True of bytes that begin with the mark of UTF-8. */
export const hasMark = (start: Uint8Array): boolean => UTF8_MARK.every((byte, at) => start[at] === byte)

/** Undefined where the encoding is not known; the bytes then tell it. */
function labelOf(encoding: string, { file, tell }: TextOptions): string | undefined {
  const name = encoding.trim().toLowerCase().replaceAll('_', '-')
  const label = ALIASES.get(name) ?? name
  try {
    return new TextDecoder(label as Encoding).encoding
  } catch {
    const description = 'an encoding is not known, and the file is read as what it is'
    tell('encoding', description, { file, value: JSON.stringify(encoding).slice(0, 40) })
    return undefined
  }
}

const ALIASES = new Map([
  ['cp1252', 'windows-1252'],
  ['latin-1', 'windows-1252'],
  ['latin1', 'windows-1252'],
  ['iso-8859-1', 'windows-1252'],
  ['iso8859-1', 'windows-1252'],
  ['ansi', 'windows-1252'],
  ['utf-8-sig', 'utf-8'],
  ['utf8', 'utf-8'],
  ['ascii', 'utf-8'],
  ['us-ascii', 'utf-8'],
])

async function* decodedAs(encoding: string, bytes: Bytes): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding as Encoding)
  for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

/** UTF-8 or Windows-1252. What is declared is believed until letters beyond ASCII say otherwise. */
async function* narrow(
  declared: string | undefined,
  bytes: Bytes,
  { file, tell }: TextOptions,
): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  for await (const chunk of bytes) {
    const ascii = decoder === undefined ? asciiText(chunk) : undefined
    if (ascii !== undefined) {
      yield ascii
      continue
    }
    decoder ??= decoderFor(chunk, declared, file, tell)
    yield decoder.decode(chunk, { stream: true })
  }
  if (decoder !== undefined) yield decoder.decode()
}

function decoderFor(
  chunk: Uint8Array,
  declared: string | undefined,
  file: string,
  tell: TextOptions['tell'],
): TextDecoder {
  const detected = detectEncoding(chunk) ?? 'utf-8'
  // Every file is sound Windows-1252, so what is sound UTF-8 is UTF-8 whatever is said of it.
  const encoding = declared === 'windows-1252' && !isUtf8(withoutCutCharacter(chunk)) ? declared : detected
  if (encoding !== (declared ?? 'utf-8')) tellEncoding(encoding, declared, { file, tell })
  return new TextDecoder(encoding)
}

function tellEncoding(encoding: string, declared = 'utf-8', { file, tell }: Pick<TextOptions, 'file' | 'tell'>): void {
  const description =
    'a file is not in the encoding that is declared, or in UTF-8 where none is; it is read as what it is'
  tell('encoding', description, { file, value: encoding, says: `${encoding}, not ${declared}` })
}

/** Without the last bytes, which may be the first of a character that goes on in the next chunk. */
function withoutCutCharacter(chunk: Uint8Array): Uint8Array {
  for (let end = chunk.length; end > chunk.length - 4 && end > 0; end--) {
    if ((chunk[end - 1] as number) < 0x80) return chunk.subarray(0, end)
    if ((chunk[end - 1] as number) >= 0xc0) return chunk.subarray(0, end - 1)
  }
  return chunk
}
