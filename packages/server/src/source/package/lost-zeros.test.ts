// Codes that a spreadsheet took for numbers are told, with what they must have been.
import { expect, test } from 'bun:test'
import { LostZeros } from './lost-zeros.ts'

function found(texts: readonly string[]) {
  const lost = new LostZeros()
  for (const [at, text] of texts.entries()) lost.take(text, () => ({ file: 'x', line: at + 2 }))
  const { count, places } = lost.found()
  return { count, wholes: places.map(({ location, whole }) => `${location.line} ${whole}`) }
}
const codes = Array.from({ length: 18 }, (_, at) => String(14_001 + at * 977))
const none = { count: 0, wholes: [] }

test.each([
  ['two of twenty', [...codes, '1001', '9015'], { count: 2, wholes: ['20 01001', '21 09015'] }],
  ['the first of ten', ['901', ...codes.slice(0, 9)], { count: 1, wholes: ['2 00901'] }],
  ['three of twenty, which may be right', [...codes.slice(1), '1001', '9015', '4001'], none],
  ['three shorter', [...codes, '15'], none],
  ['a series', Array.from({ length: 99 }, (_, at) => String(at + 1)), none],
  ['codes with letters', [...codes, 'A001'], none],
  ['none at all', [], none],
])('%s', (_, texts, expected) => {
  expect(found(texts)).toEqual(expected)
})
