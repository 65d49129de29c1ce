// The records of a list by what they are referred to: their keys, other fields that identify them, and the tree that they form.
import type { Identity } from '../../catalog/entity.ts'
import { type CodeCut, cutOf } from './code-tree.ts'

const BETWEEN = '\0'
const NONE = -1

/** What is asked of the records that others refer to. */
export type KnownRecords = Pick<ListRecords, 'has' | 'byFields'>

/** The records by the values of columns that are not their key. */
type FieldsIndex = { readonly columns: readonly number[]; readonly identities: Map<string, Identity> }

/** Records are numbered as they come, because numbers take little and are compared at once. */
export class ListRecords {
  readonly #positions = new Map<Identity, number>()
  readonly #identities: Identity[] = []
  /** The place of each record in its table. */
  readonly #places: number[] = []
  /** What the rows say is above each record. */
  readonly #said: (Identity | undefined)[] = []
  /** The position of the record above each, once that is known. */
  #above = new Int32Array()
  readonly #indexes: ReadonlyMap<string, FieldsIndex>

  /** `indexed` are the sets of columns, other than the key, that are referred to; `header` has all columns. */
  constructor(indexed: readonly (readonly string[])[], header: readonly string[]) {
    this.#indexes = new Map(
      indexed.map((fields) => [
        fields.join(BETWEEN),
        { columns: fields.map((field) => header.indexOf(field)), identities: new Map() },
      ]),
    )
  }

  get size(): number {
    return this.#identities.length
  }

  has(identity: Identity): boolean {
    return this.#positions.has(identity)
  }

  positionOf(identity: Identity): number | undefined {
    return this.#positions.get(identity)
  }

  placeAt(position: number): number {
    return this.#places[position] as number
  }

  /** Adds a record with the row that it stands in. Where there is one of this identity, gives its position and adds nothing. */
  add(identity: Identity, place: number, above: Identity | undefined, row: readonly string[]): number | undefined {
    const next = this.#identities.length
    const position = this.#positions.getOrInsert(identity, next)
    if (position !== next) return position
    this.#identities.push(identity)
    this.#places.push(place)
    this.#said.push(above)
    for (const { columns, identities } of this.#indexes.values()) {
      const texts = columns.map((column) => row[column] ?? '')
      if (!texts.includes('')) identities.getOrInsert(texts.join(BETWEEN), identity)
    }
    return undefined
  }

  /** The record whose fields have these texts. */
  byFields(fields: readonly string[], texts: readonly string[]): Identity | undefined {
    return this.#indexes.get(fields.join(BETWEEN))?.identities.get(texts.join(BETWEEN))
  }

  /** How the keys are cut so that each has the one above before it; undefined where they form no tree. */
  codeCut(): CodeCut | undefined {
    return cutOf(this.#identities.map(String), (code) => this.has(code))
  }

  /**
   * Settles what is above each record: `parentOf` gives it, from what its row says, and `cut` is called with one record of each
   * circle, which becomes a root.
   */
  plant(
    parentOf: (identity: Identity, said: Identity | undefined, position: number) => Identity | undefined,
    cut: (position: number, above: Identity) => void,
  ): void {
    this.#above = new Int32Array(this.size)
    for (const [position, identity] of this.#identities.entries()) {
      const parent = parentOf(identity, this.#said[position], position)
      this.#above[position] = parent === undefined ? NONE : (this.#positions.get(parent) ?? NONE)
    }
    this.#said.length = 0
    this.#cutCircles(cut)
  }

  /** Goes up from every record, and marks the way with its number: whoever meets its own mark is in a circle. */
  #cutCircles(cut: (position: number, above: Identity) => void): void {
    const ways = new Int32Array(this.size)
    for (let start = 0; start < this.size; start++) {
      let at = start
      while (at !== NONE && ways[at] === 0) {
        ways[at] = start + 1
        at = this.#above[at] as number
      }
      if (at === NONE || ways[at] !== start + 1) continue
      cut(at, this.#identities[this.#above[at] as number] as Identity)
      this.#above[at] = NONE
    }
  }

  /** The record above the one at a position. */
  aboveAt(position: number): Identity | undefined {
    return this.#identities[this.#above[position] ?? NONE]
  }
}
