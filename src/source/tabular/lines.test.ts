// Lines come out of a text file whole, wherever it is cut, and what is not text is refused in its place.
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Faults, FaultyRecords } from '../faults.ts'
import { LONGEST_LINE, readLines, UnreadableFile } from './lines.ts'

const scratch = mkdtempSync(join(tmpdir(), 'nomenclator-lines-'))
afterAll(() => rmSync(scratch, { recursive: true }))

async function read(content: string | Uint8Array) {
  const path = join(scratch, 'given')
  await Bun.write(path, content)
  const faults = new Faults()
  const lines: string[] = []
  try {
    for await (const piece of readLines(path, 'given', faults)) {
      expect(piece.first).toBe(lines.length + 1)
      lines.push(...piece.lines)
    }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    return { lines, refused: refusal(faults) }
  }
  return { lines, refused: undefined }
}

function refusal(faults: Faults) {
  try {
    faults.throwIfAny()
    return 'without a fault'
  } catch (error) {
    if (error instanceof FaultyRecords && error.count === 1) return error.faults[0]
    throw error
  }
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
    ['empty lines', '\n\na\n\n', ['', '', 'a', '']],
    ['other separators as part of the text', 'a\u2028b\u0085c\n', ['a\u2028b\u0085c']],
    ['a replacement character that was there before', 'a\ufffdb\n', ['a\ufffdb']],
    ['long lines', `${'ñ'.repeat(LONGEST_LINE / 2)}\nb`, ['ñ'.repeat(LONGEST_LINE / 2), 'b']],
  ]
  test.each(cases)('%s', async (_, text, lines) =>
    expect(await read(text)).toEqual({ lines: [...lines], refused: undefined }),
  )

  test.each([0, 1, 2, 3])('characters of four bytes, cut after %i of them', async (shift) => {
    const lines = ['x'.repeat(shift), ...Array.from({ length: 50_000 }, (_, at) => `🌵🌵🌵🌵${at % 10}`)]
    expect(await read(lines.join('\n'))).toEqual({ lines, refused: undefined })
  })
})

describe('refuses', () => {
  const latin1 = (text: string) => Buffer.from(text, 'latin1')
  const cases: readonly [what: string, content: Uint8Array, read: number, line: number, value: string][] = [
    ['Latin-1', latin1('Peru\nMéxico\nEspaña\n'), 1, 2, 'M\ufffdxico'],
    ['Latin-1 far down', latin1(`${'Peru\n'.repeat(100_000)}España\nPeru`), 100_000, 100_001, 'Espa\ufffda'],
    ['Latin-1 on the first line', latin1('Perú\n'), 0, 1, 'Per\ufffd'],
    ['UTF-16', Buffer.from('\ufeffPeru', 'utf16le'), 0, 1, '\ufffd\ufffdP\0e\0r\0u\0'],
    ['a character cut in two', Buffer.from('a\nMé').subarray(0, -1), 1, 2, 'M\ufffd'],
    ['half a surrogate pair', Buffer.from('61eda080', 'hex'), 0, 1, 'a\ufffd\ufffd\ufffd'],
    ['a bad byte far along the line', latin1(`${'x'.repeat(500)}é!\n`), 0, 1, `${'x'.repeat(20)}\ufffd!`],
  ]
  test.each(cases)('%s', async (_, content, read_, line, value) => {
    const { lines, refused } = await read(content)
    const expected = 'UTF-8; \ufffd stands for bytes that are not'
    expect(lines).toHaveLength(read_)
    expect(refused).toEqual({ file: 'given', line, column: 'all', value: JSON.stringify(value), expected })
  })

  test('a line that does not end', async () => {
    const { lines, refused } = await read(`a\n${'x'.repeat(3 * LONGEST_LINE)}\nb`)
    expect(lines).toEqual(['a'])
    expect(refused).toMatchObject({ line: 2, column: 'all', expected: 'lines of at most 1048576 bytes' })
  })
})
