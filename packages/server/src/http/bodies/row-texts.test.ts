// The rows that a body is cut into: those that parsing the whole body would find.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ProblemError } from '../problem.ts'
import { MAX_JSON_LEVELS, MAX_LINES } from './body-limits.ts'
import { elementsOf, isTooDeep, linesOf } from './row-texts.ts'

const textsOf = (cut: typeof elementsOf, text: string) => Array.from(cut(Buffer.from(text)), String)

function parsedByRow(text: string): unknown[] | undefined {
  try {
    return textsOf(elementsOf, text).map((row) => JSON.parse(row) as unknown)
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

describe('row by row is as the whole', () => {
  test('for arrays of any JSON', () => {
    const values = fc.array(fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }), { maxLength: 8 })
    const spaces = fc.constantFrom('', ' ', '\t', '\r\n ')
    fc.assert(
      fc.property(values, spaces, fc.constantFrom(undefined, 1, '\t'), (array, space, indent) => {
        const text = `${space}${JSON.stringify(array, undefined, indent)}${space}`
        expect(parsedByRow(text)).toEqual(parsedWhole(text) as unknown[])
      }),
    )
  })

  test('for texts that are nearly JSON, and for those that are not', () => {
    const tokens = fc.constantFrom(...'[]{},:"\\ \n1-á', 'null', '"a"', '[]', '"k":1')
    const texts = fc.array(tokens, { maxLength: 12 }).map((parts) => parts.join(''))
    const nearly = fc.tuple(texts, texts).map(([a, b]) => `["x",${a},{"k":${b}}]`)
    fc.assert(
      fc.property(fc.oneof(texts, nearly), (text) => {
        expect(parsedByRow(text)).toEqual(parsedWhole(text))
      }),
      { numRuns: 3_000 },
    )
  })

  test('for lines, whatever is in them', () => {
    const lines = fc.array(fc.constantFrom('"', '\\', ',', '\n', '\r\n', 'a', 'é', ' ', '[', '""'), { maxLength: 40 })
    fc.assert(
      fc.property(lines, (parts) => {
        const text = parts.join('')
        const expected = text.split(/\r?\n/)
        if (expected.at(-1) === '') expected.pop()
        expect(textsOf(linesOf, text)).toEqual(expected)
      }),
    )
  })
})

function problemIn(cut: typeof elementsOf, text: string): unknown {
  try {
    textsOf(cut, text)
    return undefined
  } catch (error) {
    return (error as ProblemError).problem
  }
}

describe('an array is refused', () => {
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
  ])('%s', (_name, text, wrong) => expect(problemIn(elementsOf, text)).toEqual({ kind: 'bad-body', wrong }))

  test('but not with one byte order mark, or blanks around it', () =>
    expect(textsOf(elementsOf, '\ufeff \r\n["a" ]\t')).toEqual(['"a" ']))
})

test('the limit on levels is exact', () => {
  const levels = (count: number) => `${'['.repeat(count)}${']'.repeat(count)}`
  const [most, tooMany] = [levels(MAX_JSON_LEVELS), levels(MAX_JSON_LEVELS + 1)]
  expect([isTooDeep(Buffer.from(most)), isTooDeep(Buffer.from(tooMany))]).toEqual([false, true])
  expect(isTooDeep(Buffer.from(JSON.stringify(tooMany)))).toBe(false)
  expect(textsOf(elementsOf, `["a",${most}]`)).toEqual(['"a"', most])
  const wrong = `it has more than ${MAX_JSON_LEVELS} levels`
  expect(problemIn(elementsOf, `["a",${tooMany}]`)).toMatchObject({ kind: 'bad-row', row: 2, wrong })
})

test('the limit on lines is exact', () => {
  expect(problemIn(linesOf, '\n'.repeat(MAX_LINES))).toBeUndefined()
  const tooMany = { kind: 'content-too-large', max: MAX_LINES, unit: 'lines' }
  expect(problemIn(linesOf, '\n'.repeat(MAX_LINES + 1))).toEqual(tooMany)
})
