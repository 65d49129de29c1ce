// Builds the index of one entity from its rows, in the order of their positions.
import { type Entity, embedsOf, type Field, type Values } from '../../catalog/entity.ts'
import type { FileFacts } from '../durable-file.ts'
import { type ColumnBuild, EmbedColumnBuild, NumberColumnBuild, TextColumnBuild } from './columns.ts'
import { SectionWriter } from './sections.ts'
import { tidyUp } from './tidy.ts'
import { WordTable } from './word-lists.ts'
import { type Texts, writeWords } from './word-sections.ts'

/** The position of each record that may be embedded, by identifier: of the entities built so far. */
export type PositionsById = Map<string, ReadonlyMap<number, number>>

/** Some rows, field by field, so that they are cheap to hand to another thread. */
export type Batch = {
  readonly count: number
  /** Texts in UTF-8 with a line feed between any two: none of them has one. */
  readonly columns: Readonly<Record<string, Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>>
}

const BETWEEN = '\n'
const encoder = new TextEncoder()

export function batchOf(entity: Entity, rows: readonly Values[]): Batch {
  const columns = fieldsOf(entity).map(([field, { kind }]) => {
    const isText = kind === 'code' || kind === 'name'
    if (isText) return [field, encoder.encode(rows.map((row) => row[field] as string).join(BETWEEN))]
    const numbers = new Uint32Array(rows.length)
    for (let at = 0; at < rows.length; at++) numbers[at] = rows[at]?.[field] as number
    return [field, numbers]
  })
  return { count: rows.length, columns: Object.fromEntries(columns) }
}

const fieldsOf = (entity: Entity) => Object.entries(entity.fields).filter(([, { kind }]) => kind !== 'copy')

type Column = { readonly field: string; readonly kind: Field['kind']; readonly build: ColumnBuild }

export class IndexBuild {
  readonly #wordTable = new WordTable()
  #columns: Column[]
  #count = 0

  constructor(entity: Entity, positions: PositionsById, expected: number | undefined) {
    const parents = new Map(embedsOf(entity))
    const buildOf = (field: string, kind: Field['kind']): ColumnBuild => {
      const parent = parents.get(field)
      if (parent !== undefined) return new EmbedColumnBuild(expected, positions.get(parent.name) ?? new Map())
      return kind === 'id' ? new NumberColumnBuild(expected) : new TextColumnBuild(expected, this.#wordTable)
    }
    this.#columns = fieldsOf(entity).map(([field, { kind }]) => ({ field, kind, build: buildOf(field, kind) }))
  }

  /** The next rows, each at the position after the last. */
  add({ count, columns }: Batch): void {
    this.#count += count
    for (const { field, build } of this.#columns) build.add(columns[field] as Uint8Array | Uint32Array, count)
  }

  /** Writes the index, synced to disk. Every column is forgotten as soon as it is written. */
  write(path: string): FileFacts {
    const file = new SectionWriter(path)
    try {
      const names: Texts[] = []
      const codes: Texts[] = []
      for (let column = this.#columns.shift(); column !== undefined; column = this.#columns.shift()) {
        const { field, kind, build } = column
        build.write(file, field)
        if (build instanceof TextColumnBuild) (kind === 'name' ? names : codes).push(build.words())
        tidyUp(this.#count)
      }
      writeWords(file, this.#wordTable.table, names, codes, this.#count)
      return file.finish()
    } finally {
      file.close()
    }
  }
}
