// JSON from outside: what is within its limits is read, and anything else costs nothing.
import { expect, test } from 'bun:test'
import { boundedJson } from './json-bounds.ts'

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

test.each<[string, string, unknown]>([
  ['an object', '{"a":[1,"b"]}', { a: [1, 'b'] }],
  [
    'brackets in texts',
    JSON.stringify(['['.repeat(100), '\\"{{{{{{{{{{{{{{{{{{{{{']),
    ['['.repeat(100), '\\"{{{{{{{{{{{{{{{{{{{{{'],
  ],
  ['many letters in texts', JSON.stringify(','.repeat(2_000_000)), ','.repeat(2_000_000)],
  ['what is nested 21 deep', nested(21), undefined],
  ['what is nested in 20 objects and a list', `${'{"":'.repeat(20)}[]${'}'.repeat(20)}`, undefined],
  ['more than a million values', `[${'0,'.repeat(1_100_000)}0]`, undefined],
  ['more than a million lists', `[${'[],'.repeat(600_000)}[]]`, undefined],
  ['no JSON', '{"a":', undefined],
  ['nothing', '', undefined],
])('%s', (_, json, value) => {
  expect(boundedJson(Buffer.from(json))).toEqual(value)
})

test('what is nested 20 deep is read', () => {
  expect(JSON.stringify(boundedJson(Buffer.from(nested(20))))).toBe(nested(20))
})
