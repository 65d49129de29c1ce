// Builds the index of one entity from its rows, in the order of their positions.
import { type Entity, embedsOf, identifierOf, type Values } from '../../catalog/entity.ts'
import type { FileFacts } from '../durable-file.ts'
import { type ColumnBuild, EmbedColumnBuild, NumberColumnBuild, type Sections, TextColumnBuild } from './columns.ts'
import { writeSections } from './sections.ts'
import { WordBuild } from './word-build.ts'

/** The position of each record that may be embedded, by identifier: of the entities built so far. */
export type PositionsById = Map<string, Map<number, number>>

export class IndexBuild {
  readonly #columns: readonly (readonly [field: string, column: ColumnBuild])[]
  readonly #names: readonly string[]
  readonly #codes: readonly string[]
  readonly #words = new WordBuild()
  readonly #identifier: string | undefined
  readonly #positionById = new Map<number, number>()
  #count = 0

  constructor(entity: Entity, positions: PositionsById, expected: number | undefined) {
    const parents = new Map(embedsOf(entity))
    const fields = Object.entries(entity.fields)
    const columnOf = (field: string, kind: string): ColumnBuild => {
      const parent = parents.get(field)
      if (parent !== undefined) return new EmbedColumnBuild(expected, positions.get(parent.name) ?? new Map())
      return kind === 'id' ? new NumberColumnBuild(expected) : new TextColumnBuild(expected)
    }
    this.#columns = fields
      .filter(([, { kind }]) => kind !== 'copy')
      .map(([field, { kind }]) => [field, columnOf(field, kind)])
    this.#names = fields.filter(([, { kind }]) => kind === 'name').map(([field]) => field)
    this.#codes = fields.filter(([, { kind }]) => kind === 'code').map(([field]) => field)
    if (entity.key.length === 1) {
      this.#identifier = identifierOf(entity)
      positions.set(entity.name, this.#positionById)
    }
  }

  add(row: Values): void {
    for (const [field, column] of this.#columns) column.add(row[field] as string | number)
    this.#words.add(
      this.#names.map((field) => row[field] as string),
      this.#codes.map((field) => row[field] as string),
    )
    if (this.#identifier !== undefined) this.#positionById.set(row[this.#identifier] as number, this.#count)
    this.#count++
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
