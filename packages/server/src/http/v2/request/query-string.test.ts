// The cursor of a walk: what is written is read again, and nothing else is.
import { expect, test } from 'bun:test'
import { readCursor, writeCursor } from './query-string.ts'

const DIGEST = '0123456789abcdef'.repeat(4)
const encoded = (text: string) => Buffer.from(text).toString('base64url')

test.each([0, 7, 10, 999_999_999, 9_999_999_999])('the position %i is read as it was written', (position) =>
  expect(readCursor(writeCursor(DIGEST, position))).toEqual({ release: '0123456789abcdef', position }),
)

test.each([
  ['eleven digits', '0123456789abcdef-12345678901'],
  ['a leading zero', '0123456789abcdef-07'],
  ['no position', '0123456789abcdef-'],
  ['a digit less of the release', '0123456789abcde-7'],
  ['a digit more of it', '0123456789abcdef0-7'],
  ['what is no digit', '0123456789abcdeg-7'],
  ['something before', ' 0123456789abcdef-7'],
  ['something after', '0123456789abcdef-7 '],
  ['nothing', ''],
])('%s is none', (_, text) => expect(readCursor(encoded(text))).toBeUndefined())
