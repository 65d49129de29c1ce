// The records of a list by what they are referred to: their keys, other fields that identify them, and the tree that they form.
import type { Identity } from '../../catalog/entity.ts'

const BETWEEN = '\0'

export class ListRecords {
  /** The place of each record in its table. */
  readonly #places = new Map<Identity, number>()
  readonly #byFields: Map<string, Map<string, Identity>>
  /** The record above each that has one. */
  readonly above = new Map<Identity, Identity>()

  /** `indexed` are the sets of fields, other than the key, that are referred to. */
  constructor(indexed: readonly (readonly string[])[]) {
    this.#byFields = new Map(indexed.map((fields) => [fields.join(BETWEEN), new Map()]))
  }

  get size(): number {
    return this.#places.size
  }

  has(identity: Identity): boolean {
    return this.#places.has(identity)
  }

  placeOf(identity: Identity): number | undefined {
    return this.#places.get(identity)
  }

  identities(): IterableIterator<Identity> {
    return this.#places.keys()
  }

  /** `textOf` gives the text of another column of the record. */
  add(identity: Identity, place: number, textOf: (column: string) => string): void {
    this.#places.set(identity, place)
    for (const [fields, index] of this.#byFields) {
      const texts = fields.split(BETWEEN).map(textOf)
      const key = texts.join(BETWEEN)
      // What several records have tells none of them.
      if (!texts.includes('') && !index.has(key)) index.set(key, identity)
    }
  }

  /** The record whose fields have these texts. */
  byFields(fields: readonly string[], texts: readonly string[]): Identity | undefined {
    return this.#byFields.get(fields.join(BETWEEN))?.get(texts.join(BETWEEN))
  }
}
