// Matches the records of two servers by key as they come, and finds the fields that differ.
import { type ContractEntity, PER_PAGE } from './contract.ts'
import { isObject, partsOf, valueAt } from './json.ts'
import { shown } from './printable.ts'

type Placed = { readonly key: string; readonly page: number; readonly position: number; readonly record: unknown }
type Waiting = Map<string, Placed[]>
type Values = readonly [left: unknown, right: unknown]
type FieldDifference = { readonly key: string; readonly page: number; readonly field: string; readonly values: Values }

/** The most records without a counterpart with which two servers are worth comparing further. */
export const MAX_WAITING = 100_000

/** Records of two servers. Only a record that has no match yet is kept. */
export class RecordMatch {
  readonly #entity: ContractEntity
  readonly #onField: (difference: FieldDifference) => void
  readonly #waiting: readonly [left: Waiting, right: Waiting] = [new Map(), new Map()]
  readonly matches: { readonly key: string; readonly left: number; readonly right: number }[] = []
  #waitingCount = 0
  /** The pages that were compared. */
  readonly pages = new Set<number>()

  constructor(entity: ContractEntity, onField: (difference: FieldDifference) => void) {
    this.#entity = entity
    this.#onField = onField
  }

  get isHopeless(): boolean {
    return this.#waitingCount > MAX_WAITING
  }

  /** The records of one server that have no match. */
  unmatched = (side: 0 | 1): Placed[] => [...this.#waiting[side].values()].flat()

  add(page: number, left: readonly unknown[], right: readonly unknown[]): void {
    this.pages.add(page)
    for (const [side, records] of [[0, left] as const, [1, right] as const])
      for (const placed of this.#placed(page, records)) {
        if (this.#match(side, placed)) continue
        const waiting = this.#waiting[side].get(placed.key)
        if (waiting === undefined) this.#waiting[side].set(placed.key, [placed])
        else waiting.push(placed)
        this.#waitingCount++
      }
  }

  /** Matches records with those that wait for a match; the others do not wait. */
  addBeside(page: number, left: readonly unknown[], right: readonly unknown[]): void {
    for (const placed of this.#placed(page, left)) this.#match(0, placed)
    for (const placed of this.#placed(page, right)) this.#match(1, placed)
  }

  /** Returns the records that come, on the second server, after one that they precede on the first. */
  misplaced(): { readonly key: string; readonly left: number; readonly right: number }[] {
    let furthest = -1
    const matches = this.matches.toSorted((a, b) => a.left - b.left)
    return matches.filter(({ right }) => {
      const isBehind = right < furthest
      furthest = Math.max(furthest, right)
      return isBehind
    })
  }

  /** A record without a key is identified by all its fields. */
  #placed(page: number, records: readonly unknown[]): Placed[] {
    return records.map((record, at) => {
      const key = partsOf(this.#entity, 'key', record) ?? shown(record)
      return { key, page, position: (page - 1) * PER_PAGE + at + 1, record }
    })
  }

  /** Matches a record with one of the other server, and returns false if none waits for it. */
  #match(side: 0 | 1, placed: Placed): boolean {
    const { key } = placed
    const waiting = this.#waiting[side === 0 ? 1 : 0]
    const others = waiting.get(key)
    const other = others?.shift()
    if (other === undefined) return false
    this.#waitingCount--
    if (others?.length === 0) waiting.delete(key)
    const [left, right] = side === 0 ? [placed, other] : [other, placed]
    this.matches.push({ key, left: left.position, right: right.position })
    for (const [field, ...values] of differencesBetween(left.record, right.record))
      this.#onField({ key, page: left.page, field, values })
    return true
  }
}

/** Returns the paths at which two values differ; the order of fields has no meaning. */
function differencesBetween(left: unknown, right: unknown, path = ''): (readonly [path: string, ...Values])[] {
  if (Object.is(left, right)) return []
  if (!isObject(left) || !isObject(right)) return [[path || 'record', left, right]]
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].flatMap((name) =>
    differencesBetween(valueAt(left, [name]), valueAt(right, [name]), path === '' ? name : `${path}.${name}`),
  )
}
