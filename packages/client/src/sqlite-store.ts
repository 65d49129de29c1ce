// A copy in an SQLite database: a row for each record, and a view for each collection.
import type { Head, Store } from './store.ts'

type Statement = {
  run(...values: (string | number)[]): unknown
  all(...values: (string | number)[]): unknown[]
}

/** An open database of `bun:sqlite`, `node:sqlite` or better-sqlite3. */
export type Database = { exec(sql: string): unknown; prepare(sql: string): Statement }

const PREFIX = 'nomenclator_'

/** Each collection can be read as the view `nomenclator_<collection>`, with the columns `key` and `record`. */
export function sqliteStore(database: Database): Store {
  database.exec(`CREATE TABLE IF NOT EXISTS ${PREFIX}head (head TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS ${PREFIX}digests (digest TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS ${PREFIX}records (digest TEXT, place INTEGER, key TEXT NOT NULL, record TEXT NOT NULL,
  PRIMARY KEY (digest, place)) WITHOUT ROWID`)
  const atOnce = (work: () => void) => {
    database.exec('BEGIN IMMEDIATE')
    try {
      work()
      database.exec('COMMIT')
    } catch (error) {
      database.exec('ROLLBACK')
      throw error
    }
  }
  const rows = <T>(sql: string, ...values: string[]) => database.prepare(sql).all(...values) as T[]
  const head = () => {
    const [row] = rows<{ head: string }>(`SELECT head FROM ${PREFIX}head`)
    return row && (JSON.parse(row.head) as Head)
  }
  return {
    head,
    get: (digest) => {
      if (rows(`SELECT digest FROM ${PREFIX}digests WHERE digest = ?`, digest).length === 0) return undefined
      const records = rows<{ record: string }>(
        `SELECT record FROM ${PREFIX}records WHERE digest = ? ORDER BY place`,
        digest,
      )
      return records.map(({ record }) => JSON.parse(record) as object)
    },
    put: (digest, records, keys) =>
      atOnce(() => {
        const insert = database.prepare(`INSERT OR REPLACE INTO ${PREFIX}records VALUES (?, ?, ?, ?)`)
        for (const [at, record] of records.entries()) insert.run(digest, at, keys[at] as string, JSON.stringify(record))
        database.prepare(`INSERT OR REPLACE INTO ${PREFIX}digests VALUES (?)`).run(digest)
      }),
    commit: (next) =>
      atOnce(() => {
        const view = (name: string) => `"${PREFIX}${name.replaceAll('"', '""')}"`
        for (const name of Object.keys(head()?.digests ?? {})) database.exec(`DROP VIEW IF EXISTS ${view(name)}`)
        const digests = JSON.stringify(Object.values(next.digests))
        for (const table of ['records', 'digests'])
          database
            .prepare(`DELETE FROM ${PREFIX}${table} WHERE digest NOT IN (SELECT value FROM json_each(?))`)
            .run(digests)
        database.exec(`DELETE FROM ${PREFIX}head`)
        database.prepare(`INSERT INTO ${PREFIX}head VALUES (?)`).run(JSON.stringify(next))
        for (const [name, digest] of Object.entries(next.digests))
          database.exec(
            `CREATE VIEW ${view(name)} AS SELECT key, record FROM ${PREFIX}records WHERE digest = '${digest}' ORDER BY place`,
          )
      }),
  }
}
