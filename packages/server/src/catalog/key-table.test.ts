// The table of keys behaves as a map does, however many keys there are and however they lie.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { localidad, pais } from '../../../../test/support/built-in.ts'
import { MAX_ID } from './check.ts'
import { KeyTable } from './key-table.ts'

const row = (idMunicipio: number, idLocalidad: number) => ({ idMunicipio, idLocalidad, idPais: idMunicipio })

// Few values, so that keys come again; powers of two, so that they could fall together; the ends of what is allowed.
const part = fc.oneof(
  fc.nat(20),
  fc.nat(30).map((power) => 2 ** power),
  fc.nat(MAX_ID),
  fc.constantFrom(0, 2 ** 21 - 1, 2 ** 21, MAX_ID - 1, MAX_ID),
  // Rows of others may have these, as far as nobody has checked them.
  fc.constantFrom(-1, -(2 ** 32), 0.5, 2 ** 32, 2 ** 32 + 1, 2 ** 53),
)

test('the first number of a key stays', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(part, part, fc.nat()), { maxLength: 300, size: 'max' }), (entries) => {
      const table = new KeyTable(localidad)
      const model = new Map<string, number>()
      for (const [outer, inner, number] of entries) {
        const key = `${outer}/${inner}`
        expect(table.get(row(outer, inner))).toBe(model.get(key))
        expect(table.add(row(outer, inner), number)).toBe(model.get(key))
        if (!model.has(key)) model.set(key, number)
        expect(table.get(row(outer, inner))).toBe(model.get(key))
      }
    }),
    { numRuns: 30 },
  )
})

test('other fields than those of the key do not matter', () => {
  const table = new KeyTable(pais)
  expect(table.add(row(7, 1), 3)).toBeUndefined()
  expect(table.add(row(7, 2), 4)).toBe(3)
  expect([table.get(row(7, 5)), table.get(row(8, 1))]).toEqual([3, undefined])
})
