// The same questions to SQLite over the same localities: b-trees on the columns, FTS5 with prefixes for the words.
import { Database } from 'bun:sqlite'
import { rmSync, statSync } from 'node:fs'
import { sortKey } from '../../src/catalog/words.ts'
import type { Release } from '../../src/release/release.ts'
import { workPath } from '../machine/places.ts'
import { progress } from '../report/progress.ts'

const SCHEMA = `
  PRAGMA journal_mode = OFF;
  PRAGMA synchronous = OFF;
  CREATE TABLE localidad (
    position INTEGER PRIMARY KEY, cveLocalidad TEXT, idLocalidad INTEGER, idMunicipio INTEGER, idEstado INTEGER,
    sortKey TEXT
  );
  CREATE VIRTUAL TABLE words USING fts5(
    descLocalidad, cveLocalidad, content = '', prefix = '1 2 3', tokenize = "unicode61 remove_diacritics 2"
  );`

const INDEXES = `
  CREATE INDEX byCode ON localidad (cveLocalidad);
  CREATE INDEX byId ON localidad (idLocalidad);
  CREATE INDEX byMunicipality ON localidad (idMunicipio);
  CREATE INDEX byState ON localidad (idEstado);
  CREATE INDEX byName ON localidad (sortKey);
  INSERT INTO words (words) VALUES ('optimize');
  ANALYZE;`

/** Positions of a page, and how many there are in all: what a search has to find before anything is rendered. */
export type Page = { readonly total: number; readonly positions: readonly number[] }

export class SqliteSearch implements Disposable {
  readonly #database: Database
  readonly bytes: number

  constructor(release: Release) {
    const path = workPath('search', 'localidades.sqlite')
    rmSync(path, { force: true })
    this.#database = new Database(path, { create: true })
    fill(this.#database, release)
    this.bytes = statSync(path).size
  }

  filtered(state: number, limit: number): Page {
    return {
      total: this.#number('SELECT count(*) AS n FROM localidad WHERE idEstado = ?', state),
      positions: this.#numbers('SELECT position AS n FROM localidad WHERE idEstado = ? LIMIT ?', state, limit),
    }
  }

  filteredTwice(state: number, id: number, limit: number): Page {
    const where = 'FROM localidad WHERE idEstado = ? AND idLocalidad = ?'
    return {
      total: this.#number(`SELECT count(*) AS n ${where}`, state, id),
      positions: this.#numbers(`SELECT position AS n ${where} ORDER BY sortKey, position LIMIT ?`, state, id, limit),
    }
  }

  /** In the order of the rows: ordering by relevance would take it longer. */
  matching(expression: string, limit: number): Page {
    return {
      total: this.#number('SELECT count(*) AS n FROM words WHERE words MATCH ?', expression),
      positions: this.#numbers('SELECT rowid AS n FROM words WHERE words MATCH ? LIMIT ?', expression, limit),
    }
  }

  [Symbol.dispose](): void {
    this.#database.close()
  }

  #number(sql: string, ...values: (string | number)[]): number {
    return this.#numbers(sql, ...values)[0] as number
  }

  #numbers(sql: string, ...values: (string | number)[]): number[] {
    return this.#database
      .query<{ n: number }, (string | number)[]>(sql)
      .all(...values)
      .map(({ n }) => n)
  }
}

function fill(database: Database, release: Release): void {
  const localidad = release.entity('localidad').records
  const { show, end } = progress('filling SQLite')
  database.run(SCHEMA)
  const row = database.prepare('INSERT INTO localidad VALUES (?, ?, ?, ?, ?, ?)')
  const words = database.prepare('INSERT INTO words (rowid, descLocalidad, cveLocalidad) VALUES (?, ?, ?)')
  const decoder = new TextDecoder()
  database.transaction(() => {
    for (let position = 0; position < localidad.count; position++) {
      const { cveLocalidad, descLocalidad, idLocalidad, idMunicipio, idEstado } = JSON.parse(
        decoder.decode(localidad.record(position)),
      )
      const key = sortKey(descLocalidad)
      row.run(position, cveLocalidad, idLocalidad, idMunicipio.idMunicipio, idEstado.idEstado, key)
      words.run(position, descLocalidad, cveLocalidad)
      if (position % 10_000 === 0) show(position, localidad.count)
    }
  })()
  database.run(INDEXES)
  end()
}
