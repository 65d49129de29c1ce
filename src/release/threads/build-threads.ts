// Builds the parts of entities while rows are still read, each part in a thread of its own.
import type { Batch } from '../../catalog/batch.ts'
import type { EntityName } from '../../catalog/entities.ts'
import type { Entity } from '../../catalog/entity.ts'
import { type BuiltFiles, PARTS, type Part, type PartOrder } from '../parts.ts'
import { Thread } from './thread.ts'

type Begin = { readonly begin: EntityName; readonly part: Part; readonly order: PartOrder }
export type BuildWork = Begin | { readonly batch: Batch } | { readonly finish: true }

/** So many batches may wait to be dealt with; then rows wait. */
const MAX_WAITING = 20

const newThread = (): Thread<BuildWork, BuiltFiles> => new Thread(new URL('./build-work.ts', import.meta.url))

export class BuildThreads implements Disposable {
  readonly #threads = { records: newThread(), index: newThread(), words: newThread() }
  readonly #waiting: Promise<unknown>[] = []

  /** They start when they are first needed; earlier, if it is known that they will be. */
  start(): void {
    for (const part of PARTS) this.#threads[part].start()
  }

  /** The batches of an entity come next. What is asked for after this comes when all of it is done. */
  begin(entity: Entity, parts: readonly Part[], order: PartOrder): void {
    for (const part of parts) this.#threads[part].tell({ begin: entity.name as EntityName, part, order })
  }

  add(parts: readonly Part[], batch: Batch): void {
    const dealtWith = Promise.all(parts.map((part) => this.#threads[part].ask({ batch })))
    // What fails in a thread fails all that is asked of it later, so that it is heard of in the end.
    dealtWith.catch(() => {})
    this.#waiting.push(dealtWith)
  }

  /** Resolves when not too much waits to be dealt with. */
  async drained(): Promise<void> {
    while (this.#waiting.length > MAX_WAITING) await this.#waiting.shift()
  }

  finish(part: Part): Promise<BuiltFiles> {
    return this.#threads[part].ask({ finish: true })
  }

  [Symbol.dispose](): void {
    for (const part of PARTS) this.#threads[part][Symbol.dispose]()
  }
}
