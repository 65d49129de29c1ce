// Writes all files of one entity from its rows: records, facts, columns and words, in the order of their positions.
import { join } from 'node:path'
import { batchOf, type PositionOf } from '../../catalog/batch.ts'
import type { Entity, Values } from '../../catalog/entity.ts'
import { batchRenderer, type RenderedParents } from '../../catalog/render.ts'
import { type OnRecord, RecordWriter } from '../files/record-file.ts'
import { ColumnsBuild } from '../index/columns-build.ts'
import { WordsBuild } from '../index/words-build.ts'
import type { EntityFiles } from '../manifest.ts'
import { type FactsWriter, factsWriter } from './facts-writer.ts'
import { forceGc, forceGcAfter } from './force-gc.ts'

const ROWS_PER_BATCH = 2_000

export class EntityWriter implements Disposable {
  readonly #entity: Entity
  readonly #directory: string
  readonly #positionOf: PositionOf
  readonly #render: ReturnType<typeof batchRenderer>
  readonly #records: RecordWriter
  readonly #facts: FactsWriter
  readonly #columns: ColumnsBuild
  #words: WordsBuild | undefined
  #rows: Values[] = []
  #batches = 0
  #count = 0

  /** `expected` is how many rows there will be, where that is known. */
  constructor(
    entity: Entity,
    directory: string,
    parents: RenderedParents,
    expected: number | undefined,
    onRecord?: OnRecord,
  ) {
    this.#entity = entity
    this.#directory = directory
    this.#positionOf = (name, identity) => parents.get(name)?.positionOf.get(identity) as number
    this.#render = batchRenderer(entity, parents)
    this.#records = new RecordWriter(directory, onRecord)
    this.#facts = factsWriter(entity, directory)
    this.#columns = new ColumnsBuild(entity, parents, expected, directory)
    this.#words = new WordsBuild(entity, expected)
  }

  add(row: Values): void {
    if (this.#rows.push(row) === ROWS_PER_BATCH) this.#writeBatch()
  }

  /** All files are on disk, whole, when this returns. */
  finish(): EntityFiles {
    this.#writeBatch()
    const facts = this.#facts.finish()
    const records = this.#records.finish()
    const words = (this.#words as WordsBuild).write(join(this.#directory, 'words'))
    // The columns of many facts need the memory.
    this.#words = undefined
    forceGc(this.#count)
    const index = this.#columns.write(join(this.#directory, 'index'))
    return { ...records, ...(facts === undefined ? {} : { facts }), index, words }
  }

  [Symbol.dispose](): void {
    this.#records[Symbol.dispose]()
    this.#facts[Symbol.dispose]()
    this.#columns[Symbol.dispose]()
  }

  #writeBatch(): void {
    this.#facts.add(this.#rows)
    const batch = batchOf(this.#entity, this.#rows, this.#positionOf)
    this.#count += batch.count
    this.#rows = []
    this.#render(batch, this.#records)
    this.#columns.add(batch)
    this.#words?.add(batch)
    forceGcAfter(++this.#batches)
  }
}
