// A map from a record's key to a small number (a line, a position), flat in memory for millions of records.
import { type Entity, hasNumericKey, type Identity, identityOf, type Values } from '../../catalog/entity.ts'
import { NumberList } from '../index/number-list.ts'

const SMALLEST = 1_024
const FULLEST = 0.7
const GROWTH = 1.5

/** A map from keys to numbers. */
export type Keys = {
  readonly size: number
  get(row: Values): number | undefined
  /** Remembers the number of a key; of a key already there it returns the earlier number and changes nothing. */
  add(row: Values, number: number): number | undefined
}

export const keyTableOf = (entity: Entity, expected?: number): Keys =>
  entity.key.every((field) => isNumberIn(entity, field)) && entity.key.length <= 2
    ? new KeyTable(entity.key, expected)
    : new TextKeyTable(entity)

function isNumberIn({ fields }: Entity, name: string): boolean {
  const field = fields[name]
  return field?.kind === 'id' || (field?.kind === 'embed' && hasNumericKey(field.entity))
}

/** Keys of any kind. */
class TextKeyTable implements Keys {
  readonly #entity: Entity
  readonly #numbers = new Map<Identity, number>()

  constructor(entity: Entity) {
    this.#entity = entity
  }

  get size(): number {
    return this.#numbers.size
  }

  get(row: Values): number | undefined {
    return this.#numbers.get(identityOf(this.#entity, row))
  }

  add(row: Values, number: number): number | undefined {
    const key = identityOf(this.#entity, row)
    const earlier = this.#numbers.get(key)
    if (earlier === undefined) this.#numbers.set(key, number)
    return earlier
  }
}

export class KeyTable implements Keys {
  readonly #fields: readonly string[]
  /** The two parts of each key in the order in which they came, and their numbers. */
  readonly #outer: NumberList
  readonly #inner: NumberList
  readonly #numbers: NumberList
  /** Open addressing: the place of a key in these lists plus one, or zero. */
  #slots: Uint32Array

  /** A table that knows how many to expect needs not grow, which takes more memory while it lasts. */
  constructor(key: readonly string[], expected = 0) {
    if (key.length > 2) throw new Error(`${key.join(', ')}: a key has one field or two`)
    this.#fields = key
    this.#outer = new NumberList(expected)
    this.#inner = new NumberList(expected)
    this.#numbers = new NumberList(expected)
    this.#slots = new Uint32Array(Math.max(Math.ceil(expected / FULLEST) + 1, SMALLEST))
  }

  get size(): number {
    return this.#numbers.length
  }

  get(row: Values): number | undefined {
    const held = this.#slots[this.#find(this.#part(row, 0), this.#part(row, 1))] as number
    return held === 0 ? undefined : this.#numbers.at(held - 1)
  }

  /** Remembers the number of a key; of a key already there it returns the earlier number and changes nothing. */
  add(row: Values, number: number): number | undefined {
    const outer = this.#part(row, 0)
    const inner = this.#part(row, 1)
    const slot = this.#find(outer, inner)
    const held = this.#slots[slot] as number
    if (held !== 0) return this.#numbers.at(held - 1)
    this.#outer.push(outer)
    this.#inner.push(inner)
    this.#numbers.push(number)
    this.#slots[slot] = this.size
    if (this.size > this.#slots.length * FULLEST) this.#grow()
    return undefined
  }

  #part(row: Values, position: number): number {
    const field = this.#fields[position]
    return field === undefined ? 0 : (row[field] as number)
  }

  /** The slot of a key, or the one that it would have. */
  #find(outer: number, inner: number): number {
    const slots = this.#slots
    const mixed = Math.imul(outer, 0x9e3779b1) ^ Math.imul(inner, 0x85ebca6b)
    let slot = ((mixed ^ (mixed >>> 15)) >>> 0) % slots.length
    for (let held = slots[slot] as number; held !== 0; held = slots[slot] as number) {
      if (this.#outer.at(held - 1) === outer && this.#inner.at(held - 1) === inner) break
      slot = slot + 1 === slots.length ? 0 : slot + 1
    }
    return slot
  }

  #grow(): void {
    this.#slots = new Uint32Array(Math.ceil(this.#slots.length * GROWTH))
    for (let place = 0; place < this.size; place++) {
      this.#slots[this.#find(this.#outer.at(place), this.#inner.at(place))] = place + 1
    }
  }
}
