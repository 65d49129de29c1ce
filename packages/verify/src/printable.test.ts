// Values as people read them: short, and without characters that control a terminal.
import { expect, test } from 'bun:test'
import { shown } from './printable.ts'

test.each([
  ['nothing', undefined, 'nothing'],
  ['a text', 'a "b"', '"a \\"b\\""'],
  ['a number', 7, '7'],
  ['a record', { a: [null] }, '{"a":[null]}'],
  ['a control character', 'a\u0085b', '"a b"'],
  ['a mark of direction', 'a\u200fb\u202ec\u2066d\u061ce', '"a b c d e"'],
  ['as many characters as are shown', 'x'.repeat(118), `"${'x'.repeat(118)}"`],
  ['one more', 'x'.repeat(119), `"${'x'.repeat(119)}…`],
])('%s', (_, value, text) => {
  expect(shown(value)).toBe(text)
})
