// Rows with a key that one before them has: compared with that one, once a table was read.
import type { Identity } from '../../catalog/entity.ts'
import type { Table } from './read/rows.ts'
import { RowPlaces } from './row-places.ts'

export type RepeatedRow = {
  readonly identity: Identity
  /** The places of the row that was there before, and of this one. */
  readonly earlier: number
  readonly place: number
  readonly values: readonly string[]
}

/** So many are compared. */
const MAX_COMPARED = 10_000

export class RepeatedRows {
  readonly #table: Table
  readonly #rows: RepeatedRow[] = []
  #count = 0

  constructor(table: Table) {
    this.#table = table
  }

  add(row: RepeatedRow): void {
    this.#count++
    if (this.#rows.length < MAX_COMPARED) this.#rows.push(row)
  }

  get areMany(): boolean {
    return this.#count > MAX_COMPARED
  }

  get uncompared(): number {
    return this.#count - this.#rows.length
  }

  /** Tells of each whether all its values are those of the row before it. */
  async compare(tell: (row: RepeatedRow, isSame: boolean) => void): Promise<void> {
    if (this.#count === 0) return
    const first = await this.#rowsAt(new Set(this.#rows.map(({ earlier }) => earlier)))
    for (const row of this.#rows)
      tell(row, first.get(row.earlier)?.every((value, index) => value === row.values[index]) === true)
  }

  async #rowsAt(wanted: ReadonlySet<number>): Promise<ReadonlyMap<number, readonly string[]>> {
    const places = new RowPlaces()
    const found = new Map<number, readonly string[]>()
    for await (const { file, lines, rows } of this.#table.rows()) {
      for (let index = 0; index < rows.length; index++) {
        const place = places.of(file, lines[index] as number)
        if (wanted.has(place)) found.set(place, rows[index] as string[])
      }
      if (found.size === wanted.size) break
    }
    return found
  }
}
