// A cache that evicts what was used least recently, limited by the number of its entries and by their weight.

type CacheLimits<V> = {
  readonly maxEntries: number
  readonly maxWeight?: number
  readonly weightOf?: (value: V) => number
}

type Entry<V> = {
  readonly value: V /** How many entries had been moved to the end when this one was. */
  moved: number
}

/** An entry that was used within this share of all entries stays where it is: moving it costs more than finding it. */
const LATELY = 1 / 8

export class LruCache<V> {
  readonly #limits: CacheLimits<V>
  /** A Map keeps the order of insertion, so the least recently used entry comes first. */
  readonly #entries = new Map<string, Entry<V>>()
  /** Where eviction goes on: an iterator that began anew would pass all that was evicted before. */
  readonly #oldest = this.#entries.keys()
  readonly #lately: number
  #moved = 0
  #weight = 0

  constructor(limits: CacheLimits<V>) {
    this.#limits = limits
    this.#lately = Math.floor(limits.maxEntries * LATELY)
  }

  /** The cached value of a key, or else the computed one, which is cached. */
  get(key: string, compute: () => V): V {
    const entries = this.#entries
    const cached = entries.get(key)
    if (cached !== undefined) {
      if (this.#moved - cached.moved > this.#lately) {
        entries.delete(key)
        entries.set(key, cached)
        cached.moved = ++this.#moved
      }
      return cached.value
    }
    const value = compute()
    // While one value is computed, another may have been cached under the same key.
    this.#remove(key)
    entries.set(key, { value, moved: ++this.#moved })
    this.#weight += this.#weightOf(value)
    if (this.#isOverLimits) this.#evict()
    return value
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#weight -= this.#weightOf(entry.value)
    this.#entries.delete(key)
  }

  get #isOverLimits(): boolean {
    const { maxEntries, maxWeight = Number.POSITIVE_INFINITY } = this.#limits
    return this.#entries.size > maxEntries || this.#weight > maxWeight
  }

  /** The most recent entry stays, however heavy it is. */
  #evict(): void {
    while (this.#entries.size > 1 && this.#isOverLimits) this.#remove(this.#oldest.next().value as string)
  }

  #weightOf(value: V): number {
    return this.#limits.weightOf?.(value) ?? 0
  }
}
