// Builds the columns of one entity from its rows, in the order of their positions.
import { type Batch, type GivenField, givenFields } from '../../catalog/batch.ts'
import type { Entity } from '../../catalog/entity.ts'
import type { RenderedParents } from '../../catalog/render.ts'
import type { FileSummary } from '../durable-file.ts'
import { forceGc } from '../force-gc.ts'
import { type ColumnBuild, EmbedColumnBuild, NumberColumnBuild, TextColumnBuild } from './columns.ts'
import { SectionWriter } from './sections.ts'

type Column = { readonly name: string; readonly build: ColumnBuild }

export class ColumnsBuild {
  readonly #columns: Column[]
  #count = 0

  constructor(entity: Entity, parents: RenderedParents, expected: number | undefined) {
    const buildOf = ({ kind, parent }: GivenField): ColumnBuild => {
      if (parent !== undefined) return new EmbedColumnBuild(expected, [...(parents.get(parent.name)?.keys() ?? [])])
      return kind === 'id' ? new NumberColumnBuild(expected) : new TextColumnBuild(expected)
    }
    this.#columns = givenFields(entity).map((field) => ({ name: field.name, build: buildOf(field) }))
  }

  /** The next rows, each at the position after the last. */
  add({ count, columns }: Batch): void {
    this.#count += count
    for (const { name, build } of this.#columns) build.add(columns[name] as Uint8Array | Uint32Array, count)
  }

  /** Writes the file, synced to disk. Every column is forgotten as soon as it is written. */
  write(path: string): FileSummary {
    using file = new SectionWriter(path)
    for (let column = this.#columns.shift(); column !== undefined; column = this.#columns.shift()) {
      column.build.write(file, column.name)
      forceGc(this.#count)
    }
    return file.finish()
  }
}
