// Remembers on which page each key stood first, so that a record that comes twice is noticed.
import type { Entity, Values } from '../../catalog/entity.ts'

export class FirstPages {
  readonly #fields: readonly [outer: string | undefined, inner: string]
  readonly #pages = new Map<unknown, Map<unknown, number>>()

  constructor({ name, key: [first, second, ...more] }: Entity) {
    if (first === undefined || more.length > 0) throw new Error(`${name}: a key has one field or two`)
    this.#fields = second === undefined ? [undefined, first] : [first, second]
  }

  /** Of a key already there, the page that has it. */
  add(row: Values, page: number): number | undefined {
    const [outer, inner] = this.#fields
    const group = outer === undefined ? undefined : row[outer]
    let pages = this.#pages.get(group)
    if (pages === undefined) {
      pages = new Map()
      this.#pages.set(group, pages)
    }
    const earlier = pages.get(row[inner])
    if (earlier === undefined) pages.set(row[inner], page)
    return earlier
  }
}
