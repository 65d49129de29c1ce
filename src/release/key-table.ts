// A map from a record's key to a small number (a line, a position), flat in memory for millions of records.
import type { Entity, Values } from '../catalog/entity.ts'

const SLOT = 3
const FREE = 0
const SMALLEST = 1_024
const FULLEST = 0.7

/** Open addressing; each slot holds the two parts of a key and the number plus one. */
export class KeyTable {
  readonly #fields: readonly string[]
  #slots: Uint32Array
  #used = 0

  /** A table that knows how many to expect needs not grow, which takes more than half as much again while it lasts. */
  constructor(entity: Entity, expected = 0) {
    if (entity.key.length > 2) throw new Error(`${entity.name}: a key has one field or two`)
    this.#fields = entity.key
    this.#slots = new Uint32Array(Math.max(Math.ceil(expected / FULLEST) + 1, SMALLEST) * SLOT)
  }

  get size(): number {
    return this.#used
  }

  get(row: Values): number | undefined {
    const value = this.#slots[this.#find(this.#part(row, 0), this.#part(row, 1)) + 2] as number
    return value === FREE ? undefined : value - 1
  }

  /** Remembers the number of a key; of a key already there it returns the earlier number and changes nothing. */
  add(row: Values, number: number): number | undefined {
    const outer = this.#part(row, 0)
    const inner = this.#part(row, 1)
    const slot = this.#find(outer, inner)
    const earlier = this.#slots[slot + 2] as number
    if (earlier !== FREE) return earlier - 1
    this.#put(slot, outer, inner, number + 1)
    this.#used++
    if (this.#used * SLOT > this.#slots.length * FULLEST) this.#grow()
    return undefined
  }

  #part(row: Values, position: number): number {
    const field = this.#fields[position]
    return field === undefined ? 0 : (row[field] as number)
  }

  #find(outer: number, inner: number): number {
    const slots = this.#slots
    const capacity = slots.length / SLOT
    const mixed = Math.imul(outer, 0x9e3779b1) ^ Math.imul(inner, 0x85ebca6b)
    let index = ((mixed ^ (mixed >>> 15)) >>> 0) % capacity
    for (;;) {
      const slot = index * SLOT
      if (slots[slot + 2] === FREE || (slots[slot] === outer && slots[slot + 1] === inner)) return slot
      index = index + 1 === capacity ? 0 : index + 1
    }
  }

  #put(slot: number, outer: number, inner: number, value: number): void {
    this.#slots[slot] = outer
    this.#slots[slot + 1] = inner
    this.#slots[slot + 2] = value
  }

  #grow(): void {
    const old = this.#slots
    this.#slots = new Uint32Array(old.length * 2)
    for (let slot = 0; slot < old.length; slot += SLOT) {
      const [outer, inner, value] = [old[slot] as number, old[slot + 1] as number, old[slot + 2] as number]
      if (value !== FREE) this.#put(this.#find(outer, inner), outer, inner, value)
    }
  }
}
