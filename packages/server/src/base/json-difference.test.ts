// Records compared and reduced in bytes give what parsed records give.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { differingPaths, withoutEmbeds } from './json-difference.ts'

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value))
const found = (old: unknown, now: unknown) => differingPaths(bytes(old), bytes(now))

describe('the paths of values that differ', () => {
  test.each<[string, unknown, unknown, string[] | undefined]>([
    ['none', { a: 1, b: 'x' }, { a: 1, b: 'x' }, []],
    ['a number and a text', { a: 1, b: 'x' }, { a: 12, b: 'y' }, ['a', 'b']],
    ['a text that begins like the other', { a: 'x', b: 1 }, { a: 'xy', b: 1 }, ['a']],
    ['texts with quotes, braces and commas', { a: '","b":{', b: '\\' }, { a: '","b":{', b: '\\"' }, ['b']],
    ['what is not known', { a: null }, { a: 0 }, ['a']],
    ['in an embedded record', { a: { b: { c: 1 }, d: 2 } }, { a: { b: { c: 2 }, d: 2 } }, ['a.b.c']],
    ['an embedded record and none', { a: { b: '}' }, c: 1 }, { a: 7, c: 1 }, ['a']],
    ['an embedded record without fields', { a: {}, c: 1 }, { a: {}, c: 2 }, ['c']],
    ['of other fields', { a: 1 }, { b: 1 }, undefined],
    ['of one field more', { a: 1 }, { a: 1, b: 2 }, undefined],
    ['of one field less', { a: 1, b: 2 }, { a: 1 }, undefined],
    ['of fields in another order', { a: 1, b: 2 }, { b: 2, a: 1 }, undefined],
    ['of one field more in an embedded record', { a: { b: 1 } }, { a: { b: 1, c: 1 } }, undefined],
    ['of an embedded record that became empty', { a: { b: 1 } }, { a: {} }, undefined],
  ])('%s', (_, old, now, paths) => expect(found(old, now)).toEqual(paths))
})

type Tree = { readonly [name: string]: string | number | null | Tree }

function differing(old: Tree, now: Tree, prefix = ''): string[] {
  return Object.keys(now).flatMap((name) => {
    const [before, after] = [old[name], now[name]]
    if (typeof before === 'object' && before !== null && typeof after === 'object' && after !== null)
      return differing(before, after, `${prefix}${name}.`)
    return before === after ? [] : [`${prefix}${name}`]
  })
}

test('are those of the parsed records, whatever the values', () => {
  const value = fc.oneof(fc.string({ unit: 'binary', maxLength: 6 }), fc.integer(), fc.constant(null))
  const inner = fc.record({ a: value, ñ: value })
  const record = fc.record({ x: value, y: inner, z: fc.oneof(value, inner), last: value })
  fc.assert(
    fc.property(record, record, (old, now) => {
      expect(found(old, now)).toEqual(differing(old, now))
      expect(found(old, old)).toEqual([])
    }),
  )
})

test('embedded records are replaced by their identifiers, whatever is in them', () => {
  const value = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 6 }),
    fc.integer(),
    fc.constantFrom('}', '{', '"', '\\'),
  )
  const id = fc.nat()
  const grandparent = fc.record({ name: value, id })
  const parent = fc.record({ name: value, id, above: grandparent })
  const record = fc.record({ a: value, first: parent, b: value, second: grandparent, last: value })
  fc.assert(
    fc.property(record, ({ first, second, ...rest }) => {
      const ids = [undefined, first.id, undefined, second.id]
      const { a, b, last } = rest
      const reduced = withoutEmbeds(bytes({ a, first, b, second, last }), (at) => String(ids[at]))
      expect(Buffer.from(reduced).toString()).toBe(JSON.stringify({ a, first: first.id, b, second: second.id, last }))
    }),
  )
  const nothing = () => '0'
  for (const one of [{}, { a: 1 }, { a: 'x'.repeat(10_000), b: null }])
    expect(Buffer.from(withoutEmbeds(bytes(one), nothing)).toString()).toBe(JSON.stringify(one))
  expect(Buffer.from(withoutEmbeds(bytes({ a: { id: 5 } }), () => '5')).toString()).toBe('{"a":5}')
})
