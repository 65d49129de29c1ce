// A map from the key of a record to a small number (a line, a page, a position), for millions of records.
import { type Entity, type Identity, identityOf, type Values } from './entity.ts'

const HIGH = 0x1_0000_0000
/** Greatest number that keeps all digits beside a second one. */
const MAX_OUTER = 0x1f_ffff

/** True for a whole number below `HIGH`; a row that nobody has checked may have any other, too. */
const isIndex = (value: unknown): value is number => typeof value === 'number' && value >>> 0 === value

export class KeyTable {
  readonly #entity: Entity
  readonly #numbers = new Map<Identity, number>()

  constructor(entity: Entity) {
    this.#entity = entity
  }

  get(row: Values): number | undefined {
    return this.#numbers.get(this.#keyOf(row))
  }

  /** Remembers the number of a key; of a key already there it returns the earlier number and changes nothing. */
  add(row: Values, number: number): number | undefined {
    const key = this.#keyOf(row)
    const earlier = this.#numbers.get(key)
    if (earlier === undefined) this.#numbers.set(key, number)
    return earlier
  }

  /** A key of two numbers is kept as one number: millions of texts take several times the memory. */
  #keyOf(row: Values): Identity {
    const { key } = this.#entity
    const outer = row[key[0] as string]
    const inner = row[key[1] as string]
    const isPacked = key.length === 2 && isIndex(outer) && isIndex(inner) && outer <= MAX_OUTER
    return isPacked ? outer * HIGH + inner : identityOf(this.#entity, row)
  }
}
