// References from list to list, none of which leads back: a record cannot be embedded in what it embeds.

export class OneWay<T> {
  readonly #above = new Map<T, Set<T>>()

  /** False where the reference would lead back to its own list, and is left out. */
  add(from: T, to: T): boolean {
    if (this.#leadsTo(to, from, new Set())) return false
    this.#above.getOrInsertComputed(from, () => new Set()).add(to)
    return true
  }

  #leadsTo(from: T, to: T, visited: Set<T>): boolean {
    if (from === to) return true
    if (visited.has(from)) return false
    visited.add(from)
    return [...(this.#above.get(from) ?? [])].some((next) => this.#leadsTo(next, to, visited))
  }
}
