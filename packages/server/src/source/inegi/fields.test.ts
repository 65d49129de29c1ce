// Checks how a line is split, as published, saved again, or broken.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Fields } from './fields.ts'

function valuesOf(line: string, columns: number): string[] | number {
  const fields = new Fields(columns)
  return fields.split(line) ? Array.from({ length: columns }, (_, at) => fields.text(at)) : fields.count
}

describe('a line as published', () => {
  test.each([
    ['plain values', '"01","Aguascalientes","3"', ['01', 'Aguascalientes', '3']],
    [
      'the unescaped quote of the seconds',
      '"21°52´47.362"N","102°17´45.768"W","1"',
      ['21°52´47.362"N', '102°17´45.768"W', '1'],
    ],
    ['the unescaped quote in the last value', '"a","b","102°17´45.768"W"', ['a', 'b', '102°17´45.768"W']],
    ['a name in quotes', '"0012","Rancho "El Sueño"","7"1"', ['0012', 'Rancho "El Sueño"', '7"1']],
    ['a name that begins with a quote', '"0012",""El Sueño" Chico","7"1"', ['0012', '"El Sueño" Chico', '7"1']],
    ['a name that is all in quotes', '"0012",""El Sueño"","7"1"', ['0012', '"El Sueño"', '7"1']],
    ['a quote twice that is meant', '"a""b","7"1","c"', ['a""b', '7"1', 'c']],
    ['empty values', '"","",""', ['', '', '']],
    ['a comma for a value', '"a",",","b"', ['a', ',', 'b']],
    ['commas in values', '"a, b","c,","d"', ['a, b', 'c,', 'd']],
    ['marks for missing numbers', '"-","*","0"', ['-', '*', '0']],
    ['brackets and parentheses', '"[Granja (Anexo)]","(x)","]"', ['[Granja (Anexo)]', '(x)', ']']],
    ['blanks around a value, not those within', '" San  Juan ","b\u00a0","c"', ['San  Juan', 'b', 'c']],
    ['letters that are put together from two', '"An\u0303o","b","c"', ['A\u00f1o', 'b', 'c']],
  ])('%s', (_, line, values) => expect(valuesOf(line, 3)).toEqual(values))
})

describe('a line that was saved again', () => {
  test.each([
    ['without quotes', '01,Aguascalientes,3', ['01', 'Aguascalientes', '3']],
    ['without quotes, and the seconds have theirs', '01,21°52´47.362"N,3', ['01', '21°52´47.362"N', '3']],
    ['with quotes where they are needed', '01,"21°52´47.362""N",3', ['01', '21°52´47.362"N', '3']],
    ['with quotes at the ends only', '"a","b, c",d', ['a', 'b, c', 'd']],
    [
      'with all values in quotes, and quotes doubled',
      '"01","Rancho ""El Sueño""","7""1"',
      ['01', 'Rancho "El Sueño"', '7"1'],
    ],
    ['with a name that is all in doubled quotes', '"01","""El Sueño""","7""1"', ['01', '"El Sueño"', '7"1']],
    ['with doubled quotes around a comma', '"a"",""b","c","d"', ['a","b', 'c', 'd']],
    ['with empty values', ',,', ['', '', '']],
    ['with nothing after the last comma', '"a","b",', ['a', 'b', '']],
    ['with some empty values in quotes', '"",b,""', ['', 'b', '']],
  ])('%s', (_, line, values) => expect(valuesOf(line, 3)).toEqual(values))
})

describe('a line that has not the columns of the header', () => {
  test.each([
    ['one too few', '"a","b"', 2],
    ['one too many', '"a","b","c","d"', 4],
    ['one too many without quotes', 'a,b,c,d', 4],
    ['a name with a comma without quotes', '01,San Juan, Centro,3', 4],
    ['a name that holds what ends a value', '"a","El "X","Y"","c"', 4],
    ['cut off within a value', '"a","b","c', 0],
    ['cut off after the quote that opens a value', '"a","b","', 2],
    ['text after a quoted value', '"a" b,c,d', 0],
    ['nothing', '', 1],
    ['one quote', '"', 0],
    ['two quotes', '""', 1],
  ])('%s', (_, line, count) => expect(valuesOf(line, 3)).toBe(count))
})

test('the same fields can take line after line', () => {
  const fields = new Fields(2)
  expect([fields.split('"a","7"1"'), fields.text(0), fields.text(1)]).toEqual([true, 'a', '7"1'])
  expect([fields.split('b,"7""1"'), fields.text(0), fields.text(1)]).toEqual([true, 'b', '7"1'])
  expect(fields.split('c')).toBe(false)
  expect([fields.split('"7""1","d"'), fields.text(0), fields.text(1)]).toEqual([true, '7"1', 'd'])
})

test.each([
  ['0104', 104],
  ['0000', 0],
  ['104', undefined],
  ['00104', undefined],
  ['01O4', undefined],
  ['010 ', undefined],
  ['٠١٠٤', undefined],
  ['', undefined],
])('%p read as four digits is %p', (text, number) => {
  const fields = new Fields(2)
  fields.split(`"${text}","x"`)
  expect(fields.digits(0, 4)).toBe(number)
})

const value = fc.string({ unit: fc.constantFrom('a', 'ñ', ' ', ',', '"', '[', '1', '´') }).map((text) => text.trim())
const lines = fc.array(value, { minLength: 2, maxLength: 6 })

test('whatever the values, a line as published is read back unless it is ambiguous', () => {
  const law = fc.property(lines, (values) => {
    fc.pre(values.every((text) => !text.includes('","') && !text.startsWith(',"') && !text.endsWith('",')))
    // A single quote anywhere shows that quotes are not doubled, as the seconds do in what is published.
    expect(valuesOf([...values, '7"1'].map((text) => `"${text}"`).join(','), values.length + 1)).toEqual([
      ...values,
      '7"1',
    ])
  })
  fc.assert(law)
})

test('whatever the values, a line with quotes where they are needed is read back', () => {
  const law = fc.property(lines, (values) => {
    const written = values.map((text) => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text))
    fc.pre(!(written[0] as string).startsWith('"'))
    expect(valuesOf(written.join(','), values.length)).toEqual(values)
  })
  fc.assert(law)
})
