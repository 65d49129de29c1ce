// The table of keys behaves as a map does, however many keys there are and however they lie.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { localidad, pais } from '../../../../../test/support/built-in.ts'
import { MAX_ID } from '../../catalog/check.ts'
import { KeyTable } from './key-table.ts'

setDefaultTimeout(180_000)

const row = (idMunicipio: number, idLocalidad: number) => ({ idMunicipio, idLocalidad, idPais: idMunicipio })

/** What a Map makes of the same: the first number of a key stays. */
class Model {
  readonly #numbers = new Map<string, number>()

  get size(): number {
    return this.#numbers.size
  }

  get(key: string): number | undefined {
    return this.#numbers.get(key)
  }

  add(key: string, number: number): number | undefined {
    const earlier = this.#numbers.get(key)
    if (earlier === undefined) this.#numbers.set(key, number)
    return earlier
  }
}

// Few values, so that keys come again; powers of two, so that they fall together; the ends of what is allowed.
const part = fc.oneof(
  fc.nat(20),
  fc.nat(30).map((power) => 2 ** power),
  fc.nat(MAX_ID),
  fc.constantFrom(0, MAX_ID - 1, MAX_ID),
)
const numbers = fc.nat(2 ** 32 - 2)

describe('like a map', () => {
  test('with keys of two fields', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(part, part, numbers), { maxLength: 300, size: 'max' }), (entries) => {
        const table = new KeyTable(localidad.key)
        const model = new Model()
        for (const [outer, inner, number] of entries) {
          const key = `${outer}/${inner}`
          expect(table.get(row(outer, inner))).toBe(model.get(key))
          expect(table.add(row(outer, inner), number)).toBe(model.add(key, number))
          expect(table.get(row(outer, inner))).toBe(model.get(key))
          expect(table.size).toBe(model.size)
        }
      }),
      { numRuns: 30 },
    )
  })

  test('with keys of one field, where another field does not matter', () => {
    const table = new KeyTable(pais.key)
    expect(table.add(row(7, 1), 3)).toBeUndefined()
    expect(table.add(row(7, 2), 4)).toBe(3)
    expect([table.get(row(7, 5)), table.get(row(8, 1)), table.size]).toEqual([3, undefined, 1])
  })
})

test.each([
  ['in order', (at: number) => [1 + (at % 7), at]],
  ['mirrored', (at: number) => [at, 1 + (at % 7)]],
  ['far apart', (at: number) => [at * 20_011, MAX_ID - at]],
  ['in steps of a power of two', (at: number) => [at * 64, at * 64]],
])('keeps 100,000 keys %s while it grows', (_, keyOf) => {
  const table = new KeyTable(localidad.key)
  const rows = Array.from({ length: 100_000 }, (_, at) => row(...(keyOf(at) as [number, number])))
  expect(rows.filter((one, at) => table.add(one, at) !== undefined)).toEqual([])
  expect(table.size).toBe(100_000)
  expect(rows.findIndex((one, at) => table.get(one) !== at)).toBe(-1)
  expect(rows.findIndex((one, at) => table.add(one, 0) !== at)).toBe(-1)
  expect(table.size).toBe(100_000)
})

test.each([0, 1, 700, 716, 717, 5_000, 5_001, 100_000])('keeps 5,000 keys when %i were expected', (expected) => {
  const table = new KeyTable(localidad.key, expected)
  const rows = Array.from({ length: 5_000 }, (_, at) => row(at * 7, at))
  for (const [at, one] of rows.entries()) table.add(one, at)
  expect(table.size).toBe(5_000)
  expect(rows.findIndex((one, at) => table.get(one) !== at)).toBe(-1)
  expect(table.get(row(1, 1))).toBeUndefined()
})

test('has room for keys of one field or two', () => {
  expect(() => new KeyTable(['a', 'b', 'c'])).toThrow('a, b, c: a key has one field or two')
})
