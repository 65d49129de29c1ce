/** Owns the cases of writing a table as CSV and reading it back. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseCsv, renderCsv, table } from './table.ts'

test('columns keep their order, and a field is quoted only where it must be', () => {
  const rows = [
    { id: 1, name: 'Mérida' },
    { id: 2, name: 'Barrio la Mesa, Rioyos' },
    { id: 3, name: 'El "Tule"' },
    { id: 4, name: "Tz'Aquiviljok (Norte) [Granja]" },
  ]
  expect(renderCsv(table('place.csv', ['name', 'id'], rows))).toBe(
    `name,id\nMérida,1\n"Barrio la Mesa, Rioyos",2\n"El ""Tule""",3\nTz'Aquiviljok (Norte) [Granja],4\n`,
  )
})

test('a table that was written is read back the same', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'ñ', '"', ',', ' ', '[') })
  fc.assert(
    fc.property(fc.array(fc.record({ name: text, id: fc.nat() })), (records) => {
      const written = table('place.csv', ['name', 'id'], records)
      const rows = records.map(({ name, id }) => [name, String(id)])
      expect(parseCsv('place.csv', renderCsv(written))).toEqual({ ...written, rows })
    }),
  )
})
