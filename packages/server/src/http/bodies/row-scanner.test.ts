// The scanner of rows: it finds the rows that parsing the whole body would, and the same in whatever pieces a body comes.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { MAX_BLANK_LINES, MAX_JSON_LEVELS, MAX_ROW_BYTES, MAX_ROW_VALUES, MAX_ROWS } from './body-limits.ts'
import { CSV_LINES, type Format, JSON_ARRAY, JSON_LINES, RowScanner } from './row-scanner.ts'

/** What is found in a body that comes in pieces of these sizes, over and over; or at once. */
function scanned(format: Format, text: string, sizes: readonly number[] = [Number.POSITIVE_INFINITY]) {
  const bytes = Buffer.from(text)
  const scanner = new RowScanner(format)
  for (let at = 0, piece = 0; at < bytes.length; piece++) {
    const size = sizes[piece % sizes.length] as number
    const problem = scanner.scan(bytes.subarray(at, at + size))
    if (problem !== undefined) return { problem }
    at += size
  }
  const problem = scanner.end()
  if (problem !== undefined) return { problem }
  const { bounds } = scanner
  return {
    rows: Array.from({ length: bounds.length / 2 }, (_, at) =>
      bytes.toString('utf8', bounds[at * 2], bounds[at * 2 + 1]),
    ),
  }
}

const problemIn = (format: Format, text: string) => scanned(format, text).problem

/** Parses it row by row; undefined if it is not an array of JSON. */
function parsedByRow(text: string, sizes: readonly number[]): unknown[] | undefined {
  try {
    return scanned(JSON_ARRAY, text, sizes).rows?.map((row) => JSON.parse(row) as unknown)
  } catch {
    return undefined
  }
}

function parsedWhole(text: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 10 })

describe('row by row is as the whole', () => {
  test('for arrays of any JSON', () => {
    const values = fc.array(fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }), { maxLength: 8 })
    const spaces = fc.constantFrom('', ' ', '\t', '\r\n ')
    fc.assert(
      fc.property(values, spaces, fc.constantFrom(undefined, 1, '\t'), sizes, (array, space, indent, cuts) => {
        const text = `${space}${JSON.stringify(array, undefined, indent)}${space}`
        expect(parsedByRow(text, cuts)).toEqual(parsedWhole(text) as unknown[])
      }),
    )
  })

  test('for texts that are nearly JSON, and for those that are not', () => {
    const tokens = fc.constantFrom(
      '[',
      ']',
      '{',
      '}',
      ',',
      ':',
      '"',
      '\\',
      ' ',
      '\n',
      '1',
      '-',
      'null',
      '"a"',
      'á',
      '[]',
      '"k":1',
    )
    const texts = fc.array(tokens, { maxLength: 12 }).map((parts) => parts.join(''))
    const nearly = fc.tuple(texts, texts).map(([a, b]) => `["x",${a},{"k":${b}}]`)
    fc.assert(
      fc.property(fc.oneof(texts, nearly), sizes, (text, cuts) => {
        expect(parsedByRow(text, cuts)).toEqual(parsedWhole(text))
      }),
      { numRuns: 2_000 },
    )
  })

  test('for lines, whatever is in them', () => {
    const lines = fc.array(fc.constantFrom('"', '\\', ',', '\n', '\r\n', 'a', 'é', ' ', '[', '}', '""'), {
      maxLength: 40,
    })
    fc.assert(
      fc.property(fc.constantFrom(JSON_LINES, CSV_LINES), lines, sizes, (format, parts, cuts) => {
        const text = parts.join('')
        const expected = text.split('\n')
        if (expected.at(-1) === '') expected.pop()
        expect(scanned(format, text, cuts).rows).toEqual(expected)
      }),
    )
  })
})

test('what is found does not depend on the pieces', () => {
  const formats = { JSON_ARRAY, JSON_LINES, CSV_LINES }
  const repeated = fc.constantFrom<[string, number]>(
    ...['[', ']', '{', '}', ',', '"', '\\', '\n', ' ', 'a', '[],', '"a",'].map((text): [string, number] => [text, 1]),
    ['[', MAX_JSON_LEVELS],
    [',', MAX_ROW_VALUES],
    ['x', MAX_ROW_BYTES - 50],
    [' ', 60],
    ['\n', MAX_BLANK_LINES],
    ['[],', MAX_ROWS],
    ['a\n', MAX_ROWS],
  )
  const parts = fc.array(repeated, { maxLength: 10 })
  const cuts = fc.array(fc.integer({ min: 1, max: 40_000 }), { minLength: 1, maxLength: 6 })
  const starts = fc.constantFrom('', '[', ' [')
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(formats)), starts, parts, cuts, (name, start, texts, sizes) => {
      const format = formats[name as keyof typeof formats]
      const body = `${start}${texts.map(([text, count]) => text.repeat(count)).join('')}`
      const inPieces = JSON.stringify(scanned(format, body, sizes))
      expect(inPieces === JSON.stringify(scanned(format, body))).toBe(true)
    }),
    { numRuns: 300 },
  )
})

describe('the limits are exact', () => {
  const ROWS = { kind: 'too-many-rows', max: MAX_ROWS } as const
  const BLANK = { kind: 'content-too-large', max: MAX_BLANK_LINES, unit: 'blank lines' } as const
  const row = (number: number, wrong: string) => expect.objectContaining({ kind: 'bad-row', row: number, wrong })
  const levels = (count: number) => '['.repeat(count) + ']'.repeat(count)
  const list = (one: string, count: number) => Array<string>(count).fill(one).join(',')
  const LEVELS = `it has more than ${MAX_JSON_LEVELS} levels`
  const VALUES = `it has more than ${MAX_ROW_VALUES} values`
  const BYTES = `it has more than ${MAX_ROW_BYTES} bytes`

  test.each<[string, Format, (more: number) => string, unknown]>([
    ['rows of an array', JSON_ARRAY, (more) => `[${list('"a"', MAX_ROWS + more)}]`, ROWS],
    ['rows that are lines', JSON_LINES, (more) => '"a"\n'.repeat(MAX_ROWS + more), ROWS],
    ['rows without the last line end', JSON_LINES, (more) => `${'"a"\n'.repeat(MAX_ROWS - 1 + more)}"a"`, ROWS],
    ['rows of a table', CSV_LINES, (more) => `a,b\n${'a,b\n'.repeat(MAX_ROWS + more)}`, ROWS],
    ['blank rows of a table of one column', CSV_LINES, (more) => `q\n${'\r\n'.repeat(MAX_ROWS + more)}`, ROWS],
    ['blank lines', JSON_LINES, (more) => `${' \n'.repeat(MAX_BLANK_LINES + more)}"a"`, BLANK],
    ['blank lines before a table', CSV_LINES, (more) => `${'\n'.repeat(MAX_BLANK_LINES + more)}a,b`, BLANK],
    ['blank lines of a table', CSV_LINES, (more) => `a,b\n${'\r\n'.repeat(MAX_BLANK_LINES + more)}`, BLANK],
    ['levels', JSON_ARRAY, (more) => `["a",${levels(MAX_JSON_LEVELS + more)}]`, row(2, LEVELS)],
    ['levels of a line', JSON_LINES, (more) => `"a"\n${levels(MAX_JSON_LEVELS + more)}`, row(2, LEVELS)],
    ['values', JSON_ARRAY, (more) => `[{},[${list('1', MAX_ROW_VALUES + more)}]]`, row(2, VALUES)],
    ['values of a line', JSON_LINES, (more) => `{}\n[${list('1', MAX_ROW_VALUES + more)}]`, row(2, VALUES)],
    ['columns of a header', CSV_LINES, (more) => list('q', MAX_ROW_VALUES + more), row(0, VALUES)],
    ['columns of a row', CSV_LINES, (more) => `q\na\n${list('q', MAX_ROW_VALUES + more)}`, row(2, VALUES)],
    ['bytes of a row', JSON_ARRAY, (more) => `["${'a'.repeat(MAX_ROW_BYTES - 2 + more)}"]`, row(1, BYTES)],
    ['bytes of a line', JSON_LINES, (more) => `"a"\n${'a'.repeat(MAX_ROW_BYTES + more)}\n`, row(2, BYTES)],
    ['bytes of the last line', JSON_LINES, (more) => 'a'.repeat(MAX_ROW_BYTES + more), row(1, BYTES)],
    ['bytes of a header', CSV_LINES, (more) => 'a'.repeat(MAX_ROW_BYTES + more), row(0, BYTES)],
    ['blanks before an array', JSON_ARRAY, (more) => `${' '.repeat(MAX_ROW_BYTES + more)}[]`, row(1, BYTES)],
  ])('%s', (_name, format, text, problem) => {
    expect(problemIn(format, text(0))).toBeUndefined()
    expect<unknown>(problemIn(format, text(1))).toEqual(problem)
  })

  test('commas in a quoted value separate no columns', () =>
    expect(problemIn(CSV_LINES, `q\n"${','.repeat(300)}"\n"${'""'.repeat(300)},${','.repeat(300)}"`)).toBeUndefined())
})

describe('an array is refused', () => {
  const bad = (wrong: string) => ({ kind: 'bad-body', wrong }) as const
  test.each([
    ['nothing', '', 'the body has no rows'],
    ['blanks', ' \n', 'the body has no rows'],
    ['an object', '{"a":1}', 'the body is not an array of rows'],
    ['a byte order mark that is not at the beginning', ' \ufeff[]', 'the body is not an array of rows'],
    ['two byte order marks', '\ufeff\ufeff[]', 'the body is not an array of rows'],
    ['no end', '["a"', 'the body is not JSON: it ends before its array does'],
    ['a text without an end', '["a]', 'the body is not JSON: it ends before its array does'],
    ['a brace for its end', '["a"}', 'the body is not JSON: its array is closed by a brace'],
    ['a second array', '["a"]["b"]', 'the body is not JSON: something stands after its array'],
  ])('%s', (_name, text, wrong) => {
    expect(problemIn(JSON_ARRAY, text)).toEqual(bad(wrong))
    expect(scanned(JSON_ARRAY, text, [1]).problem).toEqual(bad(wrong))
  })

  test('but not with one byte order mark, or blanks around it', () =>
    expect(scanned(JSON_ARRAY, '\ufeff \r\n["a" ]\t', [1]).rows).toEqual(['"a" ']))
})
