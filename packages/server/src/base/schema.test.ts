// Schemas: what each reads, what it refuses, and where it says that the fault is.
import { describe, expect, test } from 'bun:test'
import {
  boolean,
  dictionaryOf,
  either,
  later,
  listOf,
  mismatchText,
  objectOf,
  oneOf,
  optional,
  parse,
  type Schema,
  suchThat,
  text,
  variants,
  wholeNumber,
} from './schema.ts'

type Tree = { readonly name: string; readonly children?: readonly Tree[] }
const tree: Schema<Tree> = objectOf({
  name: text(5),
  children: optional(
    listOf(
      later(() => tree),
      2,
    ),
  ),
})

const shape = variants('kind', {
  circle: objectOf({ kind: oneOf('circle'), radius: wholeNumber(1, 9) }),
  line: objectOf({ kind: oneOf('line'), from: wholeNumber(), to: wholeNumber() }),
})

describe.each<[string, Schema<unknown>, readonly unknown[], readonly unknown[]]>([
  ['a boolean', boolean, [true, false], [0, 'true', null]],
  ['a text', text(3), ['', 'abc'], ['abcd', 3, null, ['a']]],
  ['a text with a pattern', text(3, /^[a-z]*$/), ['abc'], ['aB', 'ab1']],
  ['a whole number', wholeNumber(1, 9), [1, 9], [0, 10, 1.5, '1', Number.NaN, null]],
  [
    'a whole number without an end',
    wholeNumber(),
    [0, Number.MAX_SAFE_INTEGER],
    [-1, 2 ** 53, Number.POSITIVE_INFINITY],
  ],
  ['one of some values', oneOf('a', 1), ['a', 1], ['b', '1', null]],
  ['a list', listOf(wholeNumber(), 2), [[], [1, 2]], [[1, 2, 3], [-1], 'ab', { length: 0 }]],
  ['an object', objectOf({ a: wholeNumber() }), [{ a: 1 }], [{}, [], null, 'a', { a: '1' }]],
  ['an object with what may be absent', objectOf({ a: optional(boolean) }), [{}, { a: true }], [{ a: null }, { a: 1 }]],
  [
    'a dictionary',
    dictionaryOf(text(2), boolean, 2),
    [{}, { a: true, b: false }],
    [{ abc: true }, { a: 1 }, { a: true, b: true, c: true }, []],
  ],
  [
    'variants',
    shape,
    [
      { kind: 'circle', radius: 2 },
      { kind: 'line', from: 1, to: 2 },
    ],
    [{ kind: 'circle', from: 1 }, { kind: 'constructor' }, { kind: ['circle'] }, 'circle'],
  ],
  ['either', either((value) => typeof value === 'string', text(3), wholeNumber()), ['abc', 4], ['abcd', -1, null]],
  [
    'a further test',
    suchThat(listOf(wholeNumber(), 9), 'ascending numbers', (list) =>
      list.every((one, at) => at === 0 || one > (list[at - 1] as number)),
    ),
    [[], [1, 2]],
    [[2, 1], [1, 'x'], 1],
  ],
  [
    'a schema within itself',
    tree,
    [{ name: 'a', children: [{ name: 'b' }] }],
    [{ name: 'a', children: [{ name: 1 }] }, { children: [] }],
  ],
])('%s', (_, schema, right, wrong) => {
  test.each(right.map((value) => [value]))('reads %j', (value) => {
    expect(parse(schema, value)).toEqual({ value })
  })

  test.each(wrong.map((value) => [value]))('refuses %j', (value) => {
    expect(parse(schema, value)).toMatchObject({ mismatches: [{ expected: expect.any(String) }] })
  })
})

const faultsOf = (schema: Schema<unknown>, value: unknown) => {
  const result = parse(schema, value)
  return 'mismatches' in result ? result.mismatches.map(mismatchText) : []
}

test('all that is wrong is said, with its place', () => {
  const schema = objectOf({ title: text(4), entities: dictionaryOf(text(9), objectOf({ count: wholeNumber() }), 9) })
  expect(faultsOf(schema, { title: 7, entities: { pais: { count: '3' }, 'a b': {} } })).toEqual([
    'title is 7; expected a text of at most 4 letters',
    'entities.pais.count is "3"; expected a whole number of 0 or more',
    'entities."a b".count is nothing; expected a whole number of 0 or more',
  ])
  expect(faultsOf(listOf(boolean, 3), [true, [], {}])).toEqual([
    '[1] is a list of 0; expected true or false',
    '[2] is an object; expected true or false',
  ])
})

test('a thousand faults are not all said', () => {
  expect(faultsOf(listOf(boolean, 1_000), Array(1_000).fill(1))).toHaveLength(20)
})

test('what is shown of a value is short, and nothing that a terminal obeys', () => {
  expect(faultsOf(boolean, `\u001b[31m\u202e${'x'.repeat(1_000)}`)).toEqual([
    `it is "\\u001b[31m\\u202e${'x'.repeat(43)}…"; expected true or false`,
  ])
})

test('members that no one declared are left out', () => {
  const value = JSON.parse('{ "a": true, "b": 1, "__proto__": { "c": 1 } }')
  expect(Object.entries((parse(objectOf({ a: boolean }), value) as { value: object }).value)).toEqual([['a', true]])
})

test('a member that is only inherited is absent', () => {
  expect(faultsOf(objectOf({ constructor: boolean }), {})).toHaveLength(1)
})

test('a dictionary has the names that were given and no others', () => {
  const given = JSON.parse('{ "__proto__": true, "toString": false }')
  const { value } = parse(dictionaryOf(text(20), boolean, 9), given) as { value: Record<string, boolean> }
  expect(Object.entries(value)).toEqual([
    ['__proto__', true],
    ['toString', false],
  ])
  expect([value.constructor, value.hasOwnProperty]).toEqual([undefined, undefined] as never)
})
