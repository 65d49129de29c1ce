// CSV is parsed line by line and written cell by cell.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { addedCells, csvCell, extendedLine, parseCsvLine, spreadsheetCell, withoutGuard } from './csv.ts'

describe('a line', () => {
  const value = fc.string({ unit: fc.constantFrom('a', '"', ',', ' ', "'", 'ñ', '🌵', '\t', '\\', ';') })
  const record = fc.array(value, { minLength: 1, maxLength: 5 })

  test('written with quotes where they are needed gives back its values', () =>
    fc.assert(
      fc.property(record, (values) =>
        expect(parseCsvLine(values.map((value) => csvCell(value)).join(','))).toEqual(values),
      ),
    ))

  test('written with quotes around any value gives back its values', () => {
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
    const cells = fc.array(fc.tuple(value, fc.boolean()), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(cells, (values) => {
        const line = values.map(([text, isQuoted]) => (isQuoted ? quoted(text) : csvCell(text))).join(',')
        expect(parseCsvLine(line)).toEqual(values.map(([text]) => text))
      }),
    )
  })
})

describe('a cell', () => {
  test.each([
    ['plain text', 'Peña', 'Peña'],
    ['nothing', '', ''],
    ['blanks', ' a ', ' a '],
    ['a comma', 'a,b', '"a,b"'],
    ['a quote', 'El "Sueño"', '"El ""Sueño"""'],
    ['a carriage return', 'a\rb', '"a\rb"'],
    ['a line feed', 'a\nb', '"a\nb"'],
    ['other separators', 'a;b\tc', 'a;b\tc'],
    ['what a spreadsheet takes for a formula', '=1', '=1'],
    ['another apostrophe', "'n Huis", "'n Huis"],
  ])('with %s', (_, text, cell) => expect(csvCell(text)).toBe(cell))

  test.each([
    ['=1', "'=1"],
    ['-1,5', `"'-1,5"`],
    ["'@a", "''@a"],
    ["'n Huis", "'n Huis"],
    ['a=b', 'a=b'],
    ['a, -b', '"a, -b"'],
    ['x;=HYPERLINK(0);y', "x;'=HYPERLINK(0);y"],
    ["x;'=1", "x;''=1"],
    ['x|@y', "x|'@y"],
    ['a\n=1', '"a\n\'=1"'],
    ['a\r+1', '"a\r\'+1"'],
    [' =1', " '=1"],
    ['\t=1', "\t'=1"],
    ['\u200b=1', "\u200b'=1"],
    ['\ufeff-1', "\ufeff'-1"],
    ['\u034f=1', "\u034f'=1"],
    ['\u3164=1', "\u3164'=1"],
    ['\ufe0f+1', "\ufe0f'+1"],
    ['\uff1d1', "'\uff1d1"],
    ['\ufe661', "'\ufe661"],
    ['x; =1', "x; '=1"],
    ['x\v=1', "x\v'=1"],
    ['x; - y', 'x; - y'],
    ['x;"=1;y', `"x;""'=1;y"`],
    ['x;""\u115f-1', `"x;""""\u115f'-1"`],
    ['x;\u200b\uff20y', "x;\u200b'\uff20y"],
  ])('safe in a spreadsheet, and the same without its guard: %s', (text, cell) => {
    expect(spreadsheetCell(text)).toBe(cell)
    expect(withoutGuard((parseCsvLine(cell) as string[])[0] as string)).toBe(text)
  })
})

test('any text is the same once its guards are taken off', () => {
  const letters = ['a', "'", '"', '=', '-', '@', ';', ',', '\n', '\t', ' ', '\u200b', '\u115f', '\uff1d', '\v']
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...letters) }), (text) => {
      expect((parseCsvLine(spreadsheetCell(text)) as string[]).map(withoutGuard)).toEqual([text])
    }),
  )
})

test.each([
  ['a line without formulas', 'a,-1,+52 33', 'a,-1,+52 33,"x"'],
  ['a formula', 'a,=1', 'a,\'=1,"x"'],
  ['a formula behind a tab', 'a,\t=1', 'a,\t\'=1,"x"'],
  ['one behind another separator', '"b",x;=1', 'b,x;\'=1,"x"'],
  ['a guard that is there', "'=1,b", '\'=1,b,"x"'],
])('%s, with a cell added', (_, line, expected) => {
  expect(extendedLine(line, parseCsvLine(line) as string[], ',"x"', ',')).toBe(expected)
})

test('cells that are added are safe', () => expect(addedCells(['=1', 'x;=2'], ';')).toBe(';\'=1;"x;\'=2"'))
