// Checks that pages of lines lose nothing, however the bytes arrive.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { eachLine, LineTooLong, LONGEST_LINE, pagesOf } from './lines.ts'

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

const linesOf = (text: string) => {
  const lines: string[] = []
  eachLine(text, (line) => lines.push(line))
  return lines
}

test('whatever the chunks, pages are the whole and break only after a line', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'ñ', '\n', '\r\n', '🌵') })
  const law = fc.asyncProperty(text, fc.integer({ min: 1, max: 9 }), async (written, size) => {
    const pages = await Array.fromAsync(pagesOf(inChunks(Buffer.from(written), size)), (page) => page.toString())
    expect(pages.join('')).toBe(written)
    for (const page of pages.slice(0, -1)) expect(page.endsWith('\n')).toBe(true)
    expect(pages.flatMap(linesOf)).toEqual(linesOf(written))
  })
  return fc.assert(law)
})

describe('lines', () => {
  test.each([
    ['of a page', 'a\nb\n', ['a', 'b']],
    ['without an end', 'a\nb', ['a', 'b']],
    ['with a carriage return each', 'a\r\nb\r\n', ['a', 'b']],
    ['mixed', 'a\r\nb\nc', ['a', 'b', 'c']],
    ['empty', '\n\r\n\n', ['', '', '']],
    ['of nothing', '', []],
  ])('%s', (_, page, lines) => expect(linesOf(page)).toEqual(lines))
})

test.each([1_000, 16_384, 1 << 20])('a line without end is given up in chunks of %i bytes', async (size) => {
  const endless = Buffer.concat([Buffer.from('CVE_ENT\n'), Buffer.alloc(LONGEST_LINE + 1, 'x')])
  await expect(Array.fromAsync(pagesOf(inChunks(endless, size)))).rejects.toBeInstanceOf(LineTooLong)
})
