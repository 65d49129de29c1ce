// The tables of the shared shelf: numbered SQL files, applied in order, each once.

import { ShelfRefused } from '../shelf/shelf-failures.ts'
import type { ShelfConnection } from './connection.ts'
import shelfSql from './sql/0001-shelf.sql' with { type: 'text' }
import rolesSql from './sql/roles.sql' with { type: 'text' }
import { WRITER_LOCK } from './writer-lock.ts'

type Migration = { readonly number: number; readonly name: string; readonly sql: string }

/** All migrations in order. A released migration never changes; another one follows it. */
export const migrations: readonly Migration[] = [{ number: 1, name: 'shelf', sql: shelfSql }]

/** The roles of readers and publishers, as SQL. */
export { rolesSql }

const NEWEST = migrations.length

/** Throws if the tables are not those of this version, and says what to do. */
export async function checkSchema(connection: ShelfConnection): Promise<void> {
  const number = await schemaNumber(connection)
  if (number === 0) throw new ShelfRefused('the database has no shelf yet; make one with nomenclator shelf migrate')
  if (number < NEWEST)
    throw new ShelfRefused(
      `the shelf has schema ${number}, and this program needs ${NEWEST}; bring it up with nomenclator shelf migrate`,
    )
  if (number > NEWEST)
    throw new ShelfRefused(
      `the shelf has schema ${number}, which a newer Nomenclator made; this one knows ${NEWEST}. Run the newer one here.`,
    )
}

/** Returns the number of the last migration; 0 if there is no shelf. */
async function schemaNumber(connection: ShelfConnection): Promise<number> {
  const [found] = await connection.query<{ there: boolean }>(
    "SELECT to_regclass('nomenclator.migration') IS NOT NULL AS there",
  )
  if (found?.there !== true) return 0
  const [last] = await connection.query<{ number: number }>(
    'SELECT coalesce(max(number), 0) AS number FROM nomenclator.migration',
  )
  return last?.number ?? 0
}

/** Applies the missing migrations, all or none. Concurrent calls wait for each other. */
export async function migrate(connection: ShelfConnection): Promise<readonly Migration[]> {
  return connection.transaction('', async () => {
    // Held until the end of the transaction; no writer may be in the middle of a change.
    await connection.query(`SELECT pg_advisory_xact_lock(${WRITER_LOCK})`, [], MIGRATION_SECONDS)
    const number = await schemaNumber(connection)
    if (number > NEWEST) await checkSchema(connection)
    const missing = migrations.filter((one) => one.number > number)
    for (const migration of missing) {
      await connection.query(migration.sql, [], MIGRATION_SECONDS)
      const { number, name } = migration
      await connection.query('INSERT INTO nomenclator.migration (number, name) VALUES ($1, $2)', [number, name])
    }
    return missing
  })
}

const MIGRATION_SECONDS = 600
