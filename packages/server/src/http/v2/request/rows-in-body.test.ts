// The rows of a body: what is read as one in each type, and what is refused, by the number of its row.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { MAX_ROW_CHARACTERS } from '../../../query/resolve/resolve.ts'
import { builtInCatalog } from '../../../source/built-in.ts'
import { MAX_ROW_BYTES, MAX_ROW_VALUES, MAX_ROWS } from '../../bodies/body-limits.ts'
import { ProblemError } from '../../problem.ts'
import { rowsOf } from './rows-in-body.ts'

const [JSON_TYPE, LINES, CSV] = ['application/json', 'application/x-ndjson', 'text/csv'] as const

const read = (type: string, text: string | Uint8Array, headers: Readonly<Record<string, string>> = {}) =>
  Array.from(
    rowsOf(builtInCatalog, {
      method: 'POST',
      path: '/api/v2/resolve',
      query: '',
      headers: new Map(Object.entries({ 'content-type': type, ...headers })),
      body: typeof text === 'string' ? Buffer.from(text) : text,
    }),
    (row) => ('text' in row ? row.text : Object.fromEntries(row.parts)),
  )

function refusal(...body: Parameters<typeof read>): object | undefined {
  try {
    read(...body)
  } catch (error) {
    if (error instanceof ProblemError) return error.problem
    throw error
  }
  return undefined
}

const long = (length: number) => 'a'.repeat(length)

describe('rows are read', () => {
  test.each([
    ['an array of texts', JSON_TYPE, '["a", ""]', ['a', '']],
    [
      'objects with parts',
      JSON_TYPE,
      '[{"estado": "a", "municipio": 3, "pais": null}]',
      [{ estado: 'a', municipio: '3', pais: '' }],
    ],
    ['objects with free text', JSON_TYPE, '[{"q": "a"}]', ['a']],
    ['lines, some of them empty', LINES, '"a"\n\n{"estado": "b"}\r\n', ['a', { estado: 'b' }]],
    ['a table of one column, where an empty line is a row', CSV, 'q\r\na\r\n\r\nb\r\n', ['a', '', 'b']],
    [
      'a table of several columns, where an empty line is none',
      CSV,
      'estado,municipio\na,b\n\nc,d\n',
      [
        { estado: 'a', municipio: 'b' },
        { estado: 'c', municipio: 'd' },
      ],
    ],
    ['a table after empty lines', CSV, '\n\nestado\na', [{ estado: 'a' }]],
    ['a table with quotes', CSV, 'Estado\n"a, ""b"""\n', [{ estado: 'a, "b"' }]],
    ['a byte order mark', CSV, '\ufeffestado\na\n', [{ estado: 'a' }]],
    ['the longest text', JSON_TYPE, JSON.stringify([long(MAX_ROW_CHARACTERS)]), [long(MAX_ROW_CHARACTERS)]],
  ])('%s', (_, type, text, expected) => expect<unknown>(read(type, text)).toEqual(expected))

  test.each([
    ['text/csv; charset=utf-8', {}],
    ['text/csv; charset="UTF-8"; header=present', {}],
    [CSV, { 'content-encoding': 'identity' }],
    [CSV, { 'content-encoding': '' }],
  ])('in the type %s with %j', (type, headers) => expect<unknown>(read(type, 'q\na', headers)).toEqual(['a']))

  test.each(['application/ndjson', 'application/jsonl', 'APPLICATION/X-NDJSON'])('in the type %s', (type) =>
    expect<unknown>(read(type, '"a"')).toEqual(['a']),
  )
})

describe('rows are the same in every type', () => {
  const texts = fc.string({ unit: 'binary', maxLength: 20 })
  /** A quoted value ends on the line on which it begins. */
  const cells = texts.map((text) => text.replace(/[\r\n]/g, ' '))
  const blanks = fc.constantFrom('\n', '\r\n', '\n\n', '\n \t\r\n')
  const parts = ['pais', 'estado', 'municipio'] as const
  const tables = fc.array(fc.record({ pais: cells, estado: cells, municipio: cells }), { minLength: 1, maxLength: 6 })
  const quotedCell = (text: string) => `"${text.replaceAll('"', '""')}"`

  test('parts', () => {
    fc.assert(
      fc.property(tables, blanks, (rows, blank) => {
        const lines = rows.map((row) => JSON.stringify(row)).join(blank)
        const table = rows.map((row) => parts.map((part) => quotedCell(row[part])).join(','))
        expect<unknown>(read(JSON_TYPE, JSON.stringify(rows, undefined, 1))).toEqual(rows)
        expect<unknown>(read(LINES, lines + blank)).toEqual(rows)
        expect<unknown>(read(CSV, [parts.join(','), ...table].join(blank.replace(/[ \t]/g, '')))).toEqual(rows)
      }),
    )
  })

  test('texts, and objects beside them', () => {
    const mixed = fc.oneof(texts, fc.record({ estado: texts }), fc.record({ municipio: texts, pais: texts }))
    fc.assert(
      fc.property(fc.array(mixed, { minLength: 1, maxLength: 6 }), blanks, (rows, blank) => {
        expect<unknown>(read(JSON_TYPE, JSON.stringify(rows))).toEqual(rows)
        expect<unknown>(read(LINES, rows.map((row) => JSON.stringify(row)).join(blank))).toEqual(rows)
      }),
    )
  })
})

describe('a body is refused', () => {
  test.each([
    ['another type', 'text/plain', 'a', {}],
    ['no type', '', 'a', {}],
    ['another charset', 'text/csv; charset=latin1', 'q\na', {}],
    ['a compressed body', CSV, 'q\na', { 'content-encoding': 'gzip' }],
  ])('%s', (_, type, text, headers) =>
    expect(refusal(type, text, headers)).toMatchObject({ kind: 'unsupported-media-type' }),
  )

  test.each([
    ['not UTF-8', CSV, Uint8Array.of(0x71, 0x0a, 0xff)],
    ['no JSON', JSON_TYPE, '['],
    ['no array', JSON_TYPE, '{}'],
    ['no rows', JSON_TYPE, '[]'],
    ['a header alone', CSV, 'q\n'],
    ['nothing', LINES, ''],
  ])('%s', (_, type, text) => expect(refusal(type, text)).toMatchObject({ kind: 'bad-body' }))

  test.each([
    ['a row that is a number', JSON_TYPE, '["a", 1]', 2],
    ['a row that is no JSON', JSON_TYPE, '["a", b, "c"]', 2],
    ['no row after a comma', JSON_TYPE, '["a",]', 2],
    ['a row that is an array', JSON_TYPE, '[[]]', 1],
    ['a part that is an object', JSON_TYPE, '[{"estado": {}}]', 1],
    ['a part that there is not', JSON_TYPE, '["a", {"planeta": "b"}]', 2],
    ['free text beside parts', JSON_TYPE, '[{"q": "a", "estado": "b"}]', 1],
    ['a part twice', CSV, 'estado,Estado\na,b', 0],
    ['a line that is no JSON', LINES, '"a"\n\n{', 2],
    ['a header with an open quote', CSV, '"q\na', 0],
    ['a row with an open quote', CSV, 'q\na\n"b', 2],
    ['a row with too many values', CSV, 'estado,municipio\na,b\na,b,c', 2],
    ['a text that is too long', JSON_TYPE, JSON.stringify(['a', long(MAX_ROW_CHARACTERS + 1)]), 2],
    ['a part that is too long', CSV, `estado\na\n${long(MAX_ROW_CHARACTERS + 1)}`, 2],
  ])('%s', (_, type, text, row) => expect(refusal(type, text)).toMatchObject({ kind: 'bad-row', row }))
})

describe('the limits are exact', () => {
  const blanks = (bytes: number) => `"a"${' '.repeat(bytes - 3)}`
  const columns = (count: number) => Array.from({ length: count }, (_, at) => `"k${at}":1`).join()

  test.each([
    [
      'rows of an array',
      JSON_TYPE,
      (more: number) => JSON.stringify(Array(MAX_ROWS + more).fill('a')),
      'too-many-rows',
    ],
    ['rows that are lines', LINES, (more: number) => '"a"\n'.repeat(MAX_ROWS + more), 'too-many-rows'],
    ['rows of a table', CSV, (more: number) => `q\n${'a\n'.repeat(MAX_ROWS + more)}`, 'too-many-rows'],
    ['blank rows of a table', CSV, (more: number) => `q\n${'\r\n'.repeat(MAX_ROWS + more)}`, 'too-many-rows'],
    ['bytes of a row', JSON_TYPE, (more: number) => `[${blanks(MAX_ROW_BYTES + more)}]`, 'bad-row'],
    ['bytes of a line', LINES, (more: number) => blanks(MAX_ROW_BYTES + more), 'bad-row'],
  ])('%s', (_, type, text, kind) => {
    expect(refusal(type, text(0))).toBeUndefined()
    expect(refusal(type, text(1))).toMatchObject({ kind })
  })

  test('values of a row', () => {
    expect(refusal(JSON_TYPE, `[{${columns(MAX_ROW_VALUES)}}]`)).toMatchObject({ wrong: 'there is no part "k0"' })
    const wrong = `it has more than ${MAX_ROW_VALUES} values`
    expect(refusal(JSON_TYPE, `[{${columns(MAX_ROW_VALUES + 1)}}]`)).toMatchObject({ row: 1, wrong })
    expect(refusal(CSV, `q${',q'.repeat(MAX_ROW_VALUES)}\na`)).toMatchObject({ row: 0, wrong })
  })
})
