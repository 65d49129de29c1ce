// The tables of a shelf: which of them this program knows, and what it applies.
import { expect, test } from 'bun:test'
import type { ShelfConnection } from './connection.ts'
import { checkSchema, migrate, migrations } from './schema.ts'

/** A database whose last migration has this number; what is applied to it is kept. */
function databaseAt(number: number | undefined): { connection: ShelfConnection; applied: unknown[] } {
  const applied: unknown[] = []
  const query = async (text: string, parameters: readonly unknown[] = []) => {
    if (text.includes('to_regclass')) return [{ there: number !== undefined }]
    if (text.includes('max(number)')) return [{ number: number ?? 0 }]
    if (text.startsWith('INSERT INTO nomenclator.migration')) applied.push(parameters)
    return []
  }
  const transaction = (_mode: string, run: () => Promise<unknown>) => run()
  return { connection: { query, transaction } as unknown as ShelfConnection, applied }
}

const newest = migrations.length

test.each<[string, number | undefined, string]>([
  ['nothing', undefined, 'has no shelf yet; make one with nomenclator shelf migrate'],
  ['no migration', 0, 'has no shelf yet; make one with nomenclator shelf migrate'],
  ['that of a newer program', newest + 1, 'which a newer Nomenclator made'],
])('a database that has %s is refused', async (_, number, words) => {
  expect(checkSchema(databaseAt(number).connection)).rejects.toThrow(words)
})

test('a database with all migrations is taken', async () => {
  await checkSchema(databaseAt(newest).connection)
})

test.each<[string, number | undefined, readonly number[]]>([
  ['nothing', undefined, migrations.map(({ number }) => number)],
  ['everything', newest, []],
])('to a database that has %s, what is missing is applied', async (_, number, numbers) => {
  const { connection, applied } = databaseAt(number)
  expect((await migrate(connection)).map((one) => one.number)).toEqual([...numbers])
  expect(applied).toEqual(migrations.filter((one) => numbers.includes(one.number)).map((one) => [one.number, one.name]))
})

test('nothing is applied to what a newer program made', async () => {
  const { connection, applied } = databaseAt(newest + 1)
  await expect(migrate(connection)).rejects.toThrow('which a newer Nomenclator made')
  expect(applied).toEqual([])
})
