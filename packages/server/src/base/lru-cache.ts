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
    const cached = this.#remove(key)
    const value = cached === undefined ? compute() : cached.value
    // While one value is computed, another may have been cached under the same key.
    if (cached === undefined) this.#remove(key)
    this.#entries.set(key, value)
    this.#weight += this.#weightOf(value)
    this.#evict()
    return value
  }

  #remove(key: string): { readonly value: V } | undefined {
    if (!this.#entries.has(key)) return undefined
    const value = this.#entries.get(key) as V
    this.#entries.delete(key)
    this.#weight -= this.#weightOf(value)
    return { value }
  }

  /** The most recent entry stays, however heavy it is. */
  #evict(): void {
    const { maxEntries, maxWeight = Number.POSITIVE_INFINITY } = this.#limits
    for (const key of this.#entries.keys()) {
      if (this.#entries.size <= 1 || (this.#entries.size <= maxEntries && this.#weight <= maxWeight)) return
      this.#remove(key)
    }
  }

  #weightOf(value: V): number {
    return this.#limits.weightOf?.(value) ?? 0
  }
}
