// The scanner of forms: fields are counted, and their JSON is bounded however it is encoded and in whatever pieces it comes.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { MAX_FORM_FIELDS, MAX_FORM_VALUES, MAX_JSON_LEVELS } from './body-limits.ts'
import type { BodyProblem } from './body-scanner.ts'
import { FormScanner } from './form-scanner.ts'

function problemIn(text: string, size = Number.POSITIVE_INFINITY): BodyProblem | undefined {
  const bytes = Buffer.from(text)
  const scanner = new FormScanner()
  for (let at = 0; at < bytes.length; at += size) {
    const problem = scanner.scan(bytes.subarray(at, at + size))
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Every byte percent-encoded. */
const encoded = (text: string) => Buffer.from(text).toString('hex').replace(/../g, '%$&')
const levels = (count: number) => '['.repeat(count) + ']'.repeat(count)
const values = (count: number) => `{${Array<string>(count).fill('"k":1').join(',')}}`
const tooMuch = (name: string, value: string): BodyProblem => ({
  kind: 'bad-parameter',
  name,
  value,
  allowed: `JSON of at most ${MAX_JSON_LEVELS} levels and ${MAX_FORM_VALUES} values`,
})

describe('the limits are exact', () => {
  const encodings = { plain: (text: string) => text, uri: encodeURIComponent, all: encoded }
  const cases = Object.entries(encodings).flatMap(([name, encode]) =>
    [1, 7, Number.POSITIVE_INFINITY].map((size) => [name, size, encode] as const),
  )

  test.each(cases)('levels, %s encoded in pieces of %p bytes', (_name, size, encode) => {
    expect(problemIn(`queries=${encode(levels(MAX_JSON_LEVELS))}`, size)).toBeUndefined()
    expect(problemIn(`queries=${encode(levels(MAX_JSON_LEVELS + 1))}`, size)).toEqual(tooMuch('queries', '[…]'))
  })

  test.each(cases)('values, %s encoded in pieces of %p bytes', (_name, size, encode) => {
    expect(problemIn(`a=b&extend=${encode(values(MAX_FORM_VALUES))}&c`, size)).toBeUndefined()
    expect(problemIn(`a=b&extend=${encode(values(MAX_FORM_VALUES + 1))}`, size)).toEqual(tooMuch('extend', '{…}'))
  })

  test('fields', () => {
    expect(problemIn('a&'.repeat(MAX_FORM_FIELDS - 1))).toBeUndefined()
    const wrong = `the form has more than ${MAX_FORM_FIELDS} fields`
    expect(problemIn('a&'.repeat(MAX_FORM_FIELDS))).toEqual({ kind: 'bad-request', wrong })
  })
})

const DEEP = levels(MAX_JSON_LEVELS + 1)

test.each([
  ['whose name is encoded', `${encoded('queries')}=${DEEP}`],
  ['after blanks', `${' \r\n'.repeat(50)}queries=${DEEP}`],
  ['that is the second of its name', `queries={}&queries=${DEEP}`],
  ['after a name without a value', `queries&=&queries=${DEEP}`],
  ['after a percent sign without digits', `queries=%&queries=${DEEP}`],
  ['after a string with escapes', `queries=["${'\\"\\\\'.repeat(3)}",${DEEP}`],
])('a field is JSON %s', (_name, text) => {
  for (const size of [1, 2, 3, Number.POSITIVE_INFINITY])
    expect(problemIn(text, size)).toMatchObject({ kind: 'bad-parameter', name: 'queries' })
})

test.each([
  ['of another name', `prefix=${DEEP}`],
  ['of another name after JSON', `queries={}&prefix=${DEEP}`],
  ['of a longer name', `queries_${'a'.repeat(500)}=${DEEP}`],
  ['in a string', `queries=["${DEEP}"]`],
  ['in a string with an encoded quote', `queries=%5B%22\\%22${DEEP}%22%5D`],
])('brackets are none %s', (_name, text) => {
  for (const size of [1, 2, 3, Number.POSITIVE_INFINITY]) expect(problemIn(text, size)).toBeUndefined()
})

test('good forms are good in whatever pieces', () => {
  const fields = fc.dictionary(fc.constantFrom('queries', 'extend', 'a'), fc.json({ maxDepth: 5 }))
  fc.assert(
    fc.property(fields, fc.integer({ min: 1, max: 20 }), (form, size) => {
      expect(problemIn(new URLSearchParams(form).toString(), size)).toBeUndefined()
    }),
  )
})
