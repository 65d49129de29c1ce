// A cache that evicts what was used least recently, limited by the number of its entries and by their weight.

type CacheLimits<V> = {
  readonly maxEntries: number
  readonly maxWeight?: number
  readonly weightOf?: (value: V) => number
}

export class LruCache<V> {
  readonly #limits: CacheLimits<V>
  /** A Map keeps the order of insertion, so the least recently used entry comes first. */
  readonly #entries = new Map<string, V>()
  #weight = 0

  constructor(limits: CacheLimits<V>) {
    this.#limits = limits
  }

  /** The cached value of a key, or else the computed one, which is cached. */
  get(key: string, compute: () => V): V {
    const entries = this.#entries
    const cached = entries.get(key)
    if (cached !== undefined || entries.has(key)) {
      entries.delete(key)
      entries.set(key, cached as V)
      return cached as V
    }
    const value = compute()
    // While one value is computed, another may have been cached under the same key.
    this.#remove(key)
    entries.set(key, value)
    this.#weight += this.#weightOf(value)
    if (this.#isOverLimits) this.#evict()
    return value
  }

  #remove(key: string): void {
    if (!this.#entries.has(key)) return
    this.#weight -= this.#weightOf(this.#entries.get(key) as V)
    this.#entries.delete(key)
  }

  get #isOverLimits(): boolean {
    const { maxEntries, maxWeight = Number.POSITIVE_INFINITY } = this.#limits
    return this.#entries.size > maxEntries || this.#weight > maxWeight
  }

  /** The most recent entry stays, however heavy it is. */
  #evict(): void {
    for (const key of this.#entries.keys()) {
      if (this.#entries.size <= 1 || !this.#isOverLimits) return
      this.#remove(key)
    }
  }

  #weightOf(value: V): number {
    return this.#limits.weightOf?.(value) ?? 0
  }
}
