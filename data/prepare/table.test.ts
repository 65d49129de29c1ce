/** Owns the cases of writing a table as CSV. */
import { expect, test } from 'bun:test'
import { renderCsv, table } from './table.ts'

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
