// Nomenclator and SQLite side by side over the same localities: the first fifty of what matches, and the number of all.
import { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { pick, randomFrom, times } from '../../packages/server/src/source/synthetic/random.ts'
import { workPath } from '../machine.ts'
import { ratioOf, type Spread, spreadOf } from '../spread.ts'
import { countsOf } from './latency.ts'
import { folded } from './localities.ts'
import type { LocalityQuery, Service } from './service.ts'

const SCHEMA = `
  PRAGMA journal_mode = OFF;
  PRAGMA synchronous = OFF;
  CREATE TABLE localidad (
    position INTEGER PRIMARY KEY, cveLocalidad TEXT, idLocalidad INTEGER, idMunicipio INTEGER, idEstado INTEGER, name TEXT
  );
  CREATE VIRTUAL TABLE words USING fts5(
    descLocalidad, cveLocalidad, content = '', prefix = '1 2 3', tokenize = "unicode61 remove_diacritics 2"
  );`

const INDEXES = `
  CREATE INDEX byCode ON localidad (cveLocalidad);
  CREATE INDEX byId ON localidad (idLocalidad);
  CREATE INDEX byMunicipality ON localidad (idMunicipio);
  CREATE INDEX byState ON localidad (idEstado);
  CREATE INDEX byName ON localidad (name);
  INSERT INTO words (words) VALUES ('optimize');
  ANALYZE;`

type Locality = {
  readonly cveLocalidad: string
  readonly descLocalidad: string
  readonly idLocalidad: number
  readonly idMunicipio: { readonly idMunicipio: number }
  readonly idEstado: { readonly idEstado: number }
}

function filled(path: string, service: Service): Database {
  const database = new Database(path, { create: true })
  database.run(SCHEMA)
  const row = database.prepare('INSERT INTO localidad VALUES (?, ?, ?, ?, ?, ?)')
  const words = database.prepare('INSERT INTO words (rowid, descLocalidad, cveLocalidad) VALUES (?, ?, ?)')
  const count = countsOf(service).get('localidades') ?? 0
  let position = 0
  database.transaction(() => {
    for (let page = 1; position < count; page++) {
      const target = `/api/v2/localidades?per_page=1000&page=${page}`
      for (const { cveLocalidad, descLocalidad, idLocalidad, ...parents } of service.json<Locality[]>(target)) {
        const { idMunicipio, idEstado } = parents
        row.run(position, cveLocalidad, idLocalidad, idMunicipio.idMunicipio, idEstado.idEstado, folded(descLocalidad))
        words.run(position, descLocalidad, cveLocalidad)
        position++
      }
    }
  })()
  database.run(INDEXES)
  return database
}

const LIMIT = 50
const ROUNDS = 5

/** Words in the order of the rows: ordering by relevance would take SQLite longer. */
function inSqlite(database: Database, { equal, words, byName }: LocalityQuery): { total: number } {
  const [key, from] = equal === undefined ? ['rowid', 'words'] : ['position', 'localidad']
  const conditions = equal === undefined ? ['words MATCH ?'] : Object.keys(equal).map((field) => `${field} = ?`)
  const values = equal === undefined ? [(words ?? []).map((word) => `${word}*`).join(' ')] : Object.values(equal)
  const where = `FROM ${from} WHERE ${conditions.join(' AND ')}`
  const order = byName ? 'ORDER BY name, position' : ''
  database.query(`SELECT ${key} ${where} ${order} LIMIT ${LIMIT}`).values(...values)
  return (
    database.query<{ total: number }, typeof values>(`SELECT count(*) AS total ${where}`).get(...values) ?? { total: 0 }
  )
}

const random = randomFrom(5)
const states = times(32, (at) => at + 1)
/** Words that find so much that no typing errors are forgiven, since SQLite forgives none. */
const THREE_WORDS =
  `san juan de, santa maria la, san jose de, colonia san jose, barrio de san, la cruz de, el rincon de,
  san pedro de, villa de san, nuevo san juan, san francisco de, el puerto de`.split(/,\s+/)

const questions: Readonly<Record<string, readonly LocalityQuery[]>> = {
  'one filter': states.map((idEstado) => ({ equal: { idEstado } })),
  'two filters, sorted by name': times(60, () => ({
    ...{ equal: { idEstado: pick(random, states), idLocalidad: 1 + random(20) }, byName: true },
  })),
  'words that begin with one letter': [...'abcdefghijlmnopqrstuvyz'].map((letter) => ({ words: [letter] })),
  'three words': THREE_WORDS.map((words) => ({ words: words.split(' ') })),
}

export type AgainstSqlite = {
  /** Microseconds for each query. */
  readonly contests: readonly { description: string; queries: number; ours: Spread; theirs: Spread; times: Spread }[]
  readonly bytes: number
}

export function againstSqlite(service: Service): AgainstSqlite {
  const path = workPath('search', 'localidades.sqlite')
  using database = filled(path, service)
  const contests = Object.entries(questions).map(([description, queries]) => {
    const timed = (run: (query: LocalityQuery) => unknown) => {
      const begun = Bun.nanoseconds()
      for (const query of queries) run(query)
      return (Bun.nanoseconds() - begun) / 1_000 / queries.length
    }
    const rounds = times(ROUNDS + 1, () => {
      const find = service.newFinder()
      return { ours: timed((query) => find(query, LIMIT)), theirs: timed((query) => inSqlite(database, query)) }
    }).slice(1)
    for (const query of queries) {
      const [ours, theirs] = [service.newFinder()(query, LIMIT).total, inSqlite(database, query).total]
      // SQLite does not find records by their aliases.
      if (ours < theirs || ours > theirs + service.aliases)
        throw new Error(`${JSON.stringify(query)}: ${ours} found here and ${theirs} by SQLite`)
    }
    const [ours, theirs] = [rounds.map((round) => round.ours), rounds.map((round) => round.theirs)]
    const spreads = { ours: spreadOf(ours), theirs: spreadOf(theirs), times: ratioOf(theirs, ours) }
    return { description, queries: queries.length, ...spreads }
  })
  return { contests, bytes: statSync(path).size }
}
