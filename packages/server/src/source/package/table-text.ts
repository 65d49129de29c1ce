// The text of a table: unpacked where it is gzip, decoded from whatever it is written in, chunk by chunk.
import { isAscii, isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { detectEncoding, wideEncoding } from '../encoding.ts'
import type { TellFinding } from '../findings.ts'
import { UnreadableTable } from './unreadable-table.ts'

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
/** Enough to see what a file is. */
const START = 1_024

export async function* textChunks(bytes: AsyncIterable<Buffer>, options: TextOptions): AsyncGenerator<string> {
  const { start, rest } = await begun(bytes)
  if (start[0] === 0x1f && start[1] === 0x8b) {
    const unpacked = await begun(gunzipped(rest, options.file))
    yield* decoded(unpacked.start, unpacked.rest, options)
  } else {
    yield* decoded(start, rest, options)
  }
}

/** The first byte that is not UTF-8 in a file that is read as such, as a fault; undefined where there is none. */
export async function notUtf8(
  bytes: AsyncIterable<Buffer>,
  file: string,
): Promise<UnreadableTable['fault'] | undefined> {
  const given = await begun(bytes)
  const isPacked = given.start[0] === 0x1f && given.start[1] === 0x8b
  const { start, rest } = isPacked ? await begun(gunzipped(given.rest, file)) : given
  let [line, column] = [1, 1]
  let cut = Buffer.alloc(0)
  const faultIn = (chunk: Buffer): UnreadableTable['fault'] | undefined => {
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
    const joined = Buffer.concat([cut, chunk])
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
function soundLength(bytes: Buffer, index: number): number {
  const length = characterLength(bytes[index] as number)
  return isUtf8(bytes.subarray(index, index + length)) ? length : 0
}

/** The first bytes, and all of them again. */
export async function begun(
  bytes: AsyncIterable<Buffer>,
): Promise<{ readonly start: Buffer; readonly rest: AsyncIterable<Buffer> }> {
  const iterator = bytes[Symbol.asyncIterator]()
  const first: Buffer[] = []
  let length = 0
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    first.push(next.value)
    length += next.value.length
    if (length >= START) break
  }
  async function* rest(): AsyncGenerator<Buffer> {
    try {
      yield* first
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
    } finally {
      await iterator.return?.()
    }
  }
  return { start: Buffer.concat(first).subarray(0, START), rest: rest() }
}

async function* gunzipped(bytes: AsyncIterable<Buffer>, file: string): AsyncGenerator<Buffer> {
  let packed = 0
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of bytes) {
      packed += chunk.length
      yield chunk
    }
  }
  let unpacked = 0
  const gunzip = createGunzip()
  const input = Readable.from(counted(), { objectMode: false })
  input.on('error', (error) => gunzip.destroy(error))
  try {
    for await (const chunk of input.pipe(gunzip) as AsyncIterable<Buffer>) {
      unpacked += chunk.length
      if (unpacked > MAX_UNPACKED || (unpacked > MIN_BOMB && unpacked > packed * MAX_RATIO))
        throw new UnreadableTable({
          file,
          line: 1,
          column: 'all',
          value: `${Math.round(unpacked / 1e6)} MB or more out of ${packed} bytes of gzip`,
          expected: 'a table that unpacks to less; unpack it yourself if it is right',
        })
      yield chunk
    }
  } catch (error) {
    if (error instanceof UnreadableTable) throw error
    const expected = `sound gzip (${error instanceof Error ? error.message : String(error)}); pack the file again`
    throw new UnreadableTable({ file, line: 1, column: 'all', value: 'damaged gzip', expected })
  } finally {
    input.destroy()
  }
}

async function* decoded(start: Buffer, bytes: AsyncIterable<Buffer>, options: TextOptions): AsyncGenerator<string> {
  const wide = wideEncoding(start)
  const declared = options.encoding === undefined ? undefined : labelOf(options.encoding, options)
  const hasMark = start.subarray(0, 3).equals(UTF8_MARK)
  if (wide === undefined && !hasMark && declared !== undefined && !['utf-8', 'windows-1252'].includes(declared)) {
    yield* decodedAs(declared, bytes)
  } else if (wide !== undefined) {
    if (declared !== wide) tellEncoding(wide, declared, options)
    yield* decodedAs(wide, bytes)
  } else {
    yield* narrow(hasMark ? 'utf-8' : declared, bytes, options)
  }
}

const UTF8_MARK = Buffer.from('\ufeff')

/** Undefined where the encoding is not known; the bytes then tell it. */
function labelOf(encoding: string, { file, tell }: TextOptions): string | undefined {
  const name = encoding.trim().toLowerCase().replaceAll('_', '-')
  const label = ALIASES.get(name) ?? name
  try {
    return new TextDecoder(label as Bun.Encoding).encoding
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

async function* decodedAs(encoding: string, bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding as Bun.Encoding)
  for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

/** UTF-8 or Windows-1252. What is declared is believed until letters beyond ASCII say otherwise. */
async function* narrow(
  declared: string | undefined,
  bytes: AsyncIterable<Buffer>,
  { file, tell }: TextOptions,
): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  for await (const chunk of bytes) {
    if (decoder === undefined && isAscii(chunk)) {
      yield chunk.toString('latin1')
      continue
    }
    decoder ??= decoderFor(chunk, declared, file, tell)
    yield decoder.decode(chunk, { stream: true })
  }
  if (decoder !== undefined) yield decoder.decode()
}

function decoderFor(chunk: Buffer, declared: string | undefined, file: string, tell: TextOptions['tell']): TextDecoder {
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
function withoutCutCharacter(chunk: Buffer): Buffer {
  for (let end = chunk.length; end > chunk.length - 4 && end > 0; end--) {
    if ((chunk[end - 1] as number) < 0x80) return chunk.subarray(0, end)
    if ((chunk[end - 1] as number) >= 0xc0) return chunk.subarray(0, end - 1)
  }
  return chunk
}
