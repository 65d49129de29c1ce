// All files of one entity, from its rows in the order of their positions: those of many rows are built in threads.
import { type Batch, batchOf } from '../catalog/batch.ts'
import type { Entity, Values } from '../catalog/entity.ts'
import { forceGcAfter } from './force-gc.ts'
import type { EntityFacts } from './manifest.ts'
import { PARTS, type Part, type PartBuild, type PartOrder, partBuild } from './parts.ts'
import type { OnRecord } from './record-file.ts'
import type { BuildThreads } from './threads/build-threads.ts'

const ROWS_PER_BATCH = 2_000
/** Fewer are dealt with before a thread has started. */
const FEW_BATCHES = 10

/** Whether so many rows are dealt with in threads. */
export const isForThreads = (expected: number): boolean => expected >= FEW_BATCHES * ROWS_PER_BATCH

export class EntityParts implements Disposable {
  readonly #entity: Entity
  readonly #order: PartOrder
  readonly #threads: BuildThreads
  /** What is built here from the first row on. */
  readonly #here = new Map<Part, PartBuild>()
  /** What is built in threads, if there is much of it. */
  readonly #elsewhere: readonly Part[]
  #held: Batch[] | undefined = []
  #rows: Values[] = []
  #count = 0
  #batches = 0

  /** Whoever wants every record as soon as it is rendered has them rendered here. */
  constructor(entity: Entity, order: PartOrder, threads: BuildThreads, onRecord?: OnRecord) {
    this.#entity = entity
    this.#order = order
    this.#threads = threads
    if (onRecord !== undefined) this.#here.set('records', partBuild('records', entity, order, onRecord))
    this.#elsewhere = PARTS.filter((part) => !this.#here.has(part))
    if (isForThreads(order.expected ?? 0)) this.#moveToThreads([])
  }

  add(row: Values): void {
    this.#count++
    if (this.#rows.push(row) === ROWS_PER_BATCH) this.#pass()
  }

  /** Resolves when what was added has been dealt with far enough to add more. */
  drained(): Promise<void> {
    return this.#threads.drained()
  }

  /** Everything is on disk, whole, when this resolves. What is built here is done when this returns. */
  async finish(): Promise<EntityFacts> {
    this.#pass()
    const held = this.#held
    if (held !== undefined) {
      for (const part of this.#elsewhere) {
        const build = partBuild(part, this.#entity, this.#order)
        this.#here.set(part, build)
        for (const batch of held) build.add(batch)
      }
    }
    const files = PARTS.map((part) => this.#here.get(part)?.finish() ?? this.#threads.finish(part))
    // What fails is thrown when none of the others is still at work.
    await Promise.allSettled(files)
    return { count: this.#count, files: Object.assign({}, ...(await Promise.all(files))) }
  }

  [Symbol.dispose](): void {
    for (const build of this.#here.values()) build[Symbol.dispose]()
  }

  #pass(): void {
    const batch = batchOf(this.#entity, this.#rows)
    this.#rows = []
    forceGcAfter(++this.#batches)
    for (const build of this.#here.values()) build.add(batch)
    if (this.#held === undefined) this.#threads.add(this.#elsewhere, batch)
    else if (this.#held.push(batch) === FEW_BATCHES) this.#moveToThreads(this.#held)
  }

  #moveToThreads(held: readonly Batch[]): void {
    this.#held = undefined
    this.#threads.begin(this.#entity, this.#elsewhere, this.#order)
    for (const batch of held) this.#threads.add(this.#elsewhere, batch)
  }
}
