// Builds the index of one entity from its rows, in the order of their positions.
import { type Entity, embedsOf, type Values } from '../../catalog/entity.ts'
import type { FileFacts } from '../durable-file.ts'
import { type ColumnBuild, EmbedColumnBuild, NumberColumnBuild, type Sections, TextColumnBuild } from './columns.ts'
import { writeSections } from './sections.ts'
import { WordBuild } from './word-build.ts'

/** The position of each record that may be embedded, by identifier: of the entities built so far. */
export type PositionsById = Map<string, ReadonlyMap<number, number>>

/** Some rows, field by field, so that they are cheap to hand to another thread. */
export type Batch = {
  readonly count: number
  readonly columns: Readonly<Record<string, readonly string[] | Uint32Array>>
}

export function batchOf(entity: Entity, rows: readonly Values[]): Batch {
  const columns = fieldsOf(entity).map(([field, { kind }]) => {
    const isText = kind === 'code' || kind === 'name'
    if (isText) return [field, rows.map((row) => row[field] as string)]
    const numbers = new Uint32Array(rows.length)
    for (let at = 0; at < rows.length; at++) numbers[at] = rows[at]?.[field] as number
    return [field, numbers]
  })
  return { count: rows.length, columns: Object.fromEntries(columns) }
}

const fieldsOf = (entity: Entity) => Object.entries(entity.fields).filter(([, { kind }]) => kind !== 'copy')

export class IndexBuild {
  readonly #columns: readonly (readonly [field: string, column: ColumnBuild])[]
  readonly #names: readonly string[]
  readonly #codes: readonly string[]
  readonly #words = new WordBuild()

  constructor(entity: Entity, positions: PositionsById, expected: number | undefined) {
    const parents = new Map(embedsOf(entity))
    const fields = fieldsOf(entity)
    const columnOf = (field: string, kind: string): ColumnBuild => {
      const parent = parents.get(field)
      if (parent !== undefined) return new EmbedColumnBuild(expected, positions.get(parent.name) ?? new Map())
      return kind === 'id' ? new NumberColumnBuild(expected) : new TextColumnBuild(expected)
    }
    this.#columns = fields.map(([field, { kind }]) => [field, columnOf(field, kind)])
    this.#names = fields.filter(([, { kind }]) => kind === 'name').map(([field]) => field)
    this.#codes = fields.filter(([, { kind }]) => kind === 'code').map(([field]) => field)
  }

  /** The next rows, each at the position after the last. */
  add({ count, columns }: Batch): void {
    for (const [field, column] of this.#columns) {
      const values = columns[field] as ArrayLike<string | number>
      for (let at = 0; at < count; at++) column.add(values[at] as string | number)
    }
    const textsOf = (fields: readonly string[]) => fields.map((field) => columns[field] as readonly string[])
    this.#words.add(count, textsOf(this.#names), textsOf(this.#codes))
  }

  /** Writes the index, synced to disk. */
  write(path: string): FileFacts {
    const all: Sections = {}
    const under = (prefix: string, sections: Sections) => {
      for (const [name, section] of Object.entries(sections)) all[`${prefix}.${name}`] = section
    }
    for (const [field, column] of this.#columns) under(field, column.sections())
    under('words', this.#words.sections())
    return writeSections(path, all)
  }
}
