// Lines come out of a file whole, however its bytes arrive, and what is not text is found on its line.
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { Faults, FaultyRecords } from './faults.ts'
import { type Lines, MAX_LINE, readLines, textFile, UnreadableFile } from './lines.ts'

const scratch = mkdtempSync(join(tmpdir(), 'nomenclator-lines-'))
afterAll(() => rmSync(scratch, { recursive: true }))

async function collect(reading: AsyncIterable<Lines>, faults: Faults) {
  const lines: string[] = []
  try {
    for await (const chunk of reading) {
      expect(chunk.first).toBe(lines.length + 1)
      lines.push(...chunk.lines)
    }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    return { lines, refused: onlyFault(faults) }
  }
  return { lines, refused: undefined }
}

function onlyFault(faults: Faults) {
  try {
    faults.throwIfAny()
    return 'without a fault'
  } catch (error) {
    if (error instanceof FaultyRecords && error.count === 1) return error.faults[0]
    throw error
  }
}

const given = join(scratch, 'given')

async function read(content: string | Uint8Array) {
  await Bun.write(given, content)
  const faults = new Faults()
  return collect(
    readLines(textFile(given), faults, () => 'utf-8'),
    faults,
  )
}

const bytesOf = (...parts: (string | number | Buffer)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.of(part) : Buffer.from(part))))
const latin1 = (text: string) => Buffer.from(text, 'latin1')

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

describe('reads', () => {
  const cases: readonly [what: string, text: string, lines: readonly string[]][] = [
    ['nothing', '', []],
    ['only a byte order mark', '\ufeff', []],
    ['a byte order mark before text', '\ufeffa\n', ['a']],
    ['a byte order mark elsewhere as part of the text', 'a\n\ufeffb', ['a', '\ufeffb']],
    ['a last line that ends', 'a\nb\n', ['a', 'b']],
    ['a last line that does not end', 'a\nb', ['a', 'b']],
    ['CRLF', 'a\r\nb\r\n', ['a', 'b']],
    ['CRLF and LF', 'a\r\nb\nc', ['a', 'b', 'c']],
    ['a lone CR as part of the text', 'a\rb\n', ['a\rb']],
    ['a CR before CRLF as part of the text', 'a\r\r\nb\n', ['a\r', 'b']],
    ['empty lines', '\n\r\n\na\n\n', ['', '', '', 'a', '']],
    ['other separators as part of the text', 'a\u2028b\u0085c\n', ['a\u2028b\u0085c']],
    ['a replacement character that was there before', 'a\ufffdb\n', ['a\ufffdb']],
    ['long lines', `${'ñ'.repeat(MAX_LINE / 2)}\nb`, ['ñ'.repeat(MAX_LINE / 2), 'b']],
  ]
  test.each(cases)('%s', async (_, text, lines) =>
    expect(await read(text)).toEqual({ lines: [...lines], refused: undefined }),
  )

  test.each([0, 1, 2, 3])('characters of four bytes, cut after %i of them', async (shift) => {
    const lines = ['x'.repeat(shift), ...Array.from({ length: 50_000 }, (_, at) => `🌵🌵🌵🌵${at % 10}`)]
    expect(await read(lines.join('\n'))).toEqual({ lines, refused: undefined })
  })

  test('the same lines, however the bytes arrive', () => {
    const anyText = fc.string({ unit: fc.constantFrom('a', 'ñ', '\n', '\r\n', '🌵', '\ufffd') })
    return fc.assert(
      fc.asyncProperty(anyText, fc.integer({ min: 1, max: 9 }), async (text, size) => {
        const open = () => inChunks(Buffer.from(text), size)
        const faults = new Faults()
        const { lines } = await collect(
          readLines({ file: 'given', open }, faults, () => 'utf-8'),
          faults,
        )
        expect(lines).toEqual(
          text
            .replace(/\r?\n$/, '')
            .split(/\r?\n/)
            .slice(0, text === '' ? 0 : undefined),
        )
      }),
    )
  })
})

describe('marks the line that is not in UTF-8', () => {
  const cases: readonly [what: string, content: Uint8Array, line: number, text: string][] = [
    ['Latin-1', latin1('Peru\nMéxico\nEspaña\n'), 2, 'M\ufffdxico'],
    ['Latin-1 far down', latin1(`${'Peru\n'.repeat(100_000)}España\nPeru`), 100_001, 'Espa\ufffda'],
    ['Latin-1 on the first line', latin1('Perú\n'), 1, 'Per\ufffd'],
    ['UTF-16', Buffer.from('\ufeffPeru', 'utf16le'), 1, '\ufffd\ufffdP\0e\0r\0u\0'],
    ['a character cut in two', Buffer.from('a\nMé').subarray(0, -1), 2, 'M\ufffd'],
    ['half a surrogate pair', Buffer.from('61eda080', 'hex'), 1, 'a\ufffd\ufffd\ufffd'],
  ]
  test.each(cases)('%s', async (_, content, line, text) => {
    await Bun.write(given, content)
    const chunks = await Array.fromAsync(readLines(textFile(given), new Faults(), () => 'utf-8'))
    const damaged = chunks.find(({ isDamaged }) => isDamaged)
    expect([damaged?.first, damaged?.lines]).toEqual([line, [text]])
  })
})

test.each([
  [MAX_LINE, false],
  [MAX_LINE + 1, true],
])('a line of %i bytes is refused: %p', async (size, isRefused) => {
  const open = () => inChunks(bytesOf(Buffer.alloc(size, 'x'), '\nb'), size)
  const faults = new Faults()
  const { lines, refused } = await collect(
    readLines({ file: 'given', open }, faults, () => 'utf-8'),
    faults,
  )
  expect([lines.length, refused !== undefined]).toEqual(isRefused ? [0, true] : [2, false])
})

test.each([1_000, 16_384, MAX_LINE])('refuses a line without end that arrives in chunks of %i bytes', async (size) => {
  const open = () => inChunks(bytesOf('a\n', Buffer.alloc(3 * MAX_LINE, 'x'), '\nb'), size)
  const faults = new Faults()
  const { lines, refused } = await collect(
    readLines({ file: 'given', open }, faults, () => 'utf-8'),
    faults,
  )
  expect(lines).toEqual(['a'])
  expect(refused).toEqual({
    file: 'given',
    line: 2,
    column: 'all',
    value: '"a longer line"',
    expected: 'lines of at most 1048576 bytes',
  })
})

describe('an encoding that must be detected', () => {
  /** By the first accent. */
  const detect = (bytes: Buffer) => (bytes.includes('ñ') ? 'utf-8' : bytes.includes(0xf1) ? 'windows-1252' : undefined)

  /** Every chunk, of which damaged lines are marked. */
  async function decoded(...chunks: Buffer[]) {
    async function* open() {
      yield* chunks
    }
    const reading = readLines({ file: 'given', open }, new Faults(), detect)
    return Array.fromAsync(reading, ({ lines, encoding, isDamaged }) => [
      ...(isDamaged ? ['damaged'] : []),
      encoding,
      ...lines,
    ])
  }

  const [utf8, windows] = ['utf-8', 'windows-1252'] as const
  test.each<[what: string, chunks: Buffer[], expected: (string | undefined)[][]]>([
    [
      'is unknown at first',
      [bytesOf('a\n'), bytesOf('ñ\n')],
      [
        [undefined, 'a'],
        [utf8, 'ñ'],
      ],
    ],
    [
      'is given by a mark',
      [bytesOf('\ufeffa\n'), bytesOf('ñ\n')],
      [
        [utf8, 'a'],
        [utf8, 'ñ'],
      ],
    ],
    [
      'may be Windows-1252',
      [bytesOf('a\n'), latin1('ñ\n')],
      [
        [undefined, 'a'],
        [windows, 'ñ'],
      ],
    ],
    ['has what Latin-1 lacks', [bytesOf(latin1('ñ '), 0x93, 0x80, 0x94)], [[windows, 'ñ “€”']]],
    [
      'stays as detected',
      [bytesOf('ñ\n'), latin1('ñ\n')],
      [
        [utf8, 'ñ'],
        ['damaged', utf8, '\ufffd'],
      ],
    ],
    ['is not that of the mark', [bytesOf('\ufeff', latin1('ñ\n'))], [['damaged', utf8, '\ufffd']]],
    [
      'has a mark that is not at the start',
      [bytesOf('a\n'), bytesOf('\ufeffñ\n')],
      [
        [undefined, 'a'],
        [utf8, '\ufeffñ'],
      ],
    ],
    [
      'has damaged lines among sound ones',
      [bytesOf('ñ\n\ufffd\n', latin1('é\né\n'), 'a\n', latin1('é'))],
      [
        [utf8, 'ñ', '\ufffd'],
        ['damaged', utf8, '\ufffd'],
        ['damaged', utf8, '\ufffd'],
        [utf8, 'a'],
        ['damaged', utf8, '\ufffd'],
      ],
    ],
  ])('%s', async (_, chunks, expected) => expect(await decoded(...chunks)).toEqual(expected))
})
