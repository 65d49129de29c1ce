// CSV is read the same however it comes in pieces, and what is broken is told with its line.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Findings } from '../../findings.ts'
import type { Dialect } from '../descriptor.ts'
import { delimitedRows } from './delimited.ts'
import { UnreadableTable } from './unreadable-table.ts'

async function* pieces(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}

async function read(text: string, dialect: Dialect = {}, size = 7) {
  const findings = new Findings()
  const rows: string[][] = []
  const lines: number[] = []
  for await (const batch of delimitedRows(pieces(text, size), {
    file: 'x.csv',
    dialect,
    lookAhead: 20,
    tell: (...found) => findings.add(...found),
  })) {
    rows.push(...batch.rows)
    lines.push(...batch.lines)
  }
  const told = findings.list().flatMap(({ kind, examples }) => examples.map((example) => `${kind} ${example}`))
  return { rows, lines, told }
}

test('what was written is read, with the line of each row, in pieces of any size', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', 'ñ', ',', '"', '\n', '\r\n', ' ', ';'), maxLength: 6 })
  const rows = fc.array(fc.tuple(cell, cell, cell), { maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 1, max: 50 }), fc.constantFrom('\n', '\r\n'), async (given, size, end) => {
      const all = [['one', 'two', 'three'], ...given]
      const written = all.map((row) => row.map((value) => `"${value.replaceAll('"', '""')}"`).join(','))
      const first = written.map((_, index) => written.slice(0, index).join('').split('\n').length + index)
      const { rows: found, lines } = await read(written.join(end), {}, size)
      expect(found).toEqual(all)
      expect(lines).toEqual(first)
    }),
  )
})

describe('dialects', () => {
  test.each([
    ['commas', 'a,b\n1,2', {}, []],
    ['semicolons, which are told', 'a;b\n1;2', {}, ['separator x.csv: ";", not ","']],
    ['what is declared', 'a;b\n1;2', { delimiter: ';' }, []],
    ['what is there instead', 'a;b\n1;2', { delimiter: '|' }, ['separator x.csv: ";", not "|"']],
    ['separators in quotes are none', '"a;;;",b\n1,2', {}, []],
    ['no quotes at all', 'a,"b\n1,2', { quoteChar: false }, []],
    ['escapes', 'a,b\n"x\\"y",2', { escapeChar: '\\' }, []],
  ] as const)('%s', async (_, text, dialect, expected) => {
    const { rows, told } = await read(text, dialect)
    expect(rows.map((row) => row.length)).toEqual([2, 2])
    expect(told).toEqual([...expected])
  })

  test('text after a closing quote is kept and told', async () => {
    const { rows, told } = await read('a,b\n"The "best" one",2\n')
    expect(rows[1]?.[1]).toBe('2')
    expect(told).toEqual(['stray-quote x.csv:2, column 1: best" one"'])
  })

  test('a quote inside a value that is not quoted is itself', async () => {
    expect((await read('a,b\n5" pipe,2\n')).rows[1]).toEqual(['5" pipe', '2'])
  })
})

test('a quote that is not closed is refused at the line where it opens', async () => {
  const failure = read('a,b\n1,2\n3,"x\ny\nz\n').catch((error: unknown) => error)
  expect(await failure).toBeInstanceOf(UnreadableTable)
  expect(((await failure) as UnreadableTable).fault).toMatchObject({
    line: 3,
    column: 'column 2',
    expected: 'a closing quote',
  })
})
