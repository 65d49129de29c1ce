// A cache that evicts what was used least recently, limited by the number of its entries and by their weight.

type CacheLimits<V> = {
  readonly maxEntries: number
  readonly maxWeight?: number
  readonly weightOf?: (value: V) => number
}

/** Entries are in a ring, in the order of their last use: to move one there is faster than to set it again in a Map. */
type Entry<V> = { readonly key: string; readonly value: V; readonly weight: number; older: Entry<V>; newer: Entry<V> }

export class LruCache<V> {
  readonly #limits: CacheLimits<V>
  readonly #entries = new Map<string, Entry<V>>()
  /** The one used last. */
  #latest: Entry<V> | undefined
  #weight = 0

  constructor(limits: CacheLimits<V>) {
    this.#limits = limits
  }

  /** The cached value of a key, or else the computed one, which is cached. */
  get(key: string, compute: () => V): V {
    const cached = this.#entries.get(key)
    if (cached !== undefined) {
      if (cached !== this.#latest) {
        leave(cached)
        this.#enter(cached)
      }
      return cached.value
    }
    const value = compute()
    // While one value is computed, another may have been cached under the same key.
    const other = this.#entries.get(key)
    if (other !== undefined) this.#remove(other)
    const entry = { key, value, weight: this.#limits.weightOf?.(value) ?? 0 } as Entry<V>
    this.#entries.set(key, entry)
    this.#weight += entry.weight
    this.#enter(entry)
    // The most recent entry stays, however heavy it is.
    while (this.#isOverLimits && entry.newer !== entry) this.#remove(entry.newer)
    return value
  }

  #enter(entry: Entry<V>): void {
    const before = this.#latest ?? entry
    // After the latest comes the oldest.
    entry.newer = before.newer ?? entry
    entry.older = before
    entry.newer.older = entry
    before.newer = entry
    this.#latest = entry
  }

  #remove(entry: Entry<V>): void {
    this.#entries.delete(entry.key)
    this.#weight -= entry.weight
    if (entry === this.#latest) this.#latest = entry.older === entry ? undefined : entry.older
    leave(entry)
  }

  get #isOverLimits(): boolean {
    const { maxEntries, maxWeight = Number.POSITIVE_INFINITY } = this.#limits
    return this.#entries.size > maxEntries || this.#weight > maxWeight
  }
}

function leave<V>({ older, newer }: Entry<V>): void {
  older.newer = newer
  newer.older = older
}
