// Builds indexes in a thread of its own while records are rendered; those of few records where they are.
import type { EntityName } from '../../catalog/entities.ts'
import { type Entity, identifierOf, type Values } from '../../catalog/entity.ts'
import type { FileFacts } from '../durable-file.ts'
import { type Batch, batchOf, IndexBuild, type PositionsById } from '../index/index-build.ts'
import { Thread } from './thread.ts'

export type IndexWork =
  | { readonly begin: EntityName; readonly positions: PositionsById; readonly expected: number | undefined }
  | { readonly batch: Batch }
  | { readonly path: string }

const ROWS_PER_BATCH = 2_000
/** An index of fewer is built before a thread has started. */
const FEW_BATCHES = 10
/** So many batches may wait to be indexed; then records wait. */
const MOST_WAITING = 20

export class IndexThread implements Disposable {
  readonly #thread = new Thread<IndexWork, FileFacts | undefined>(new URL('./index-work.ts', import.meta.url))
  readonly #positions: PositionsById = new Map()

  /** The rows of an entity come next, each at the position after the last. */
  begin(entity: Entity, expected: number | undefined): EntityIndex {
    return new EntityIndex(this.#thread, entity, this.#positions, expected)
  }

  [Symbol.dispose](): void {
    this.#thread[Symbol.dispose]()
  }
}

export class EntityIndex {
  readonly #thread: Thread<IndexWork, FileFacts | undefined>
  readonly #entity: Entity
  readonly #positions: PositionsById
  readonly #expected: number | undefined
  readonly #identifier: string | undefined
  readonly #positionById = new Map<number, number>()
  readonly #held: Batch[] = []
  readonly #waiting: Promise<unknown>[] = []
  #rows: Values[] = []
  #count = 0
  #isThreaded = false

  constructor(
    thread: Thread<IndexWork, FileFacts | undefined>,
    entity: Entity,
    positions: PositionsById,
    expected: number | undefined,
  ) {
    this.#thread = thread
    this.#entity = entity
    this.#positions = positions
    this.#expected = expected
    this.#identifier = entity.key.length === 1 ? identifierOf(entity) : undefined
  }

  add(row: Values): void {
    if (this.#identifier !== undefined) this.#positionById.set(row[this.#identifier] as number, this.#count)
    this.#count++
    this.#rows.push(row)
    if (this.#rows.length === ROWS_PER_BATCH) this.#pass()
  }

  /** Resolves when not too much waits to be indexed. */
  async keptUp(): Promise<void> {
    while (this.#waiting.length > MOST_WAITING) await this.#waiting.shift()
  }

  /** Writes the index, synced to disk. */
  async write(path: string): Promise<FileFacts> {
    this.#pass()
    this.#positions.set(this.#entity.name, this.#positionById)
    if (!this.#isThreaded) {
      const build = new IndexBuild(this.#entity, this.#positions, this.#expected)
      for (const batch of this.#held) build.add(batch)
      return build.write(path)
    }
    // Asked at once, before the thread is told of another entity.
    return (await this.#thread.ask({ path })) as FileFacts
  }

  #pass(): void {
    const batch = batchOf(this.#entity, this.#rows)
    this.#rows = []
    if (this.#isThreaded) {
      const indexed = this.#thread.ask({ batch })
      // What fails in a thread fails all that is asked of it later, so that it is heard of in the end.
      indexed.catch(() => {})
      this.#waiting.push(indexed)
      return
    }
    this.#held.push(batch)
    if (this.#held.length < FEW_BATCHES) return
    this.#isThreaded = true
    this.#thread.tell({
      begin: this.#entity.name as EntityName,
      positions: this.#positions,
      expected: this.#expected,
    })
    for (const held of this.#held.splice(0)) this.#thread.tell({ batch: held })
  }
}
