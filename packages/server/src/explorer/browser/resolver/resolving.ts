// The rows of a table on their way to records: what was found for each, what someone chose instead, and how many there are of each.
import type { CandidateRecord, ResolvedRow, SentRow } from './api.ts'
import { type Columns, FREE_TEXT } from './inferred-columns.ts'
import { type TableRow, textOf } from './table.ts'

/** The state of a row: it waits for its response, it is sure, it needs a look or a search, or someone has chosen. */
export type State = 'pending' | 'sure' | 'review' | 'none' | 'chosen'

/** Rows that say the same, which are sent once and decided together. */
export type Entry = {
  readonly sent: SentRow
  readonly rows: readonly number[]
  resolution?: ResolvedRow
  /** The record that someone chose, or `none`. */
  choice?: CandidateRecord | 'none'
}

/** Few enough to show progress, many enough not to wait for each. */
export const ROWS_PER_REQUEST = 200
/** The longest value that API v2 reads. */
const MAX_CHARACTERS = 300

export class Resolving {
  readonly entries: readonly Entry[]
  /** The entry of every row. */
  readonly #entryOf: readonly Entry[]
  readonly #counts: Record<State, number>
  /** Counts the choices, so that those that were downloaded can be told from those since. */
  #choices = 0

  /** Rows that say the same as some of another table keep what someone chose there. */
  constructor(rows: readonly TableRow[], columns: Columns, before?: Resolving) {
    const entries = new Map<string, Entry & { rows: number[] }>()
    this.#entryOf = rows.map((row, at) => {
      const sent = sentRow(row, columns)
      const key = JSON.stringify(sent)
      const entry = entries.get(key) ?? { sent, rows: [] }
      entry.rows.push(at)
      entries.set(key, entry)
      return entry
    })
    this.entries = [...entries.values()]
    this.#counts = { pending: rows.length, sure: 0, review: 0, none: 0, chosen: 0 }
    for (const { sent, choice } of before?.entries ?? []) {
      const entry = entries.get(JSON.stringify(sent))
      if (entry !== undefined && choice !== undefined) this.choose(entry, choice)
    }
  }

  get choices(): number {
    return this.#choices
  }

  get counts(): Readonly<Record<State, number>> {
    return this.#counts
  }

  get total(): number {
    return this.#entryOf.length
  }

  entryAt(row: number): Entry {
    return this.#entryOf[row] as Entry
  }

  /** The entries that were not sent yet, some at a time. */
  *unresolved(): Generator<readonly Entry[]> {
    for (let start = 0; start < this.entries.length; start += ROWS_PER_REQUEST) {
      const some = this.entries.slice(start, start + ROWS_PER_REQUEST)
      const unresolved = some.filter(({ resolution }) => resolution === undefined)
      if (unresolved.length > 0) yield unresolved
    }
  }

  resolve(entry: Entry, resolution: ResolvedRow): void {
    this.#change(entry, () => {
      entry.resolution = resolution
    })
  }

  choose(entry: Entry, choice: CandidateRecord | 'none'): void {
    this.#choices++
    this.#change(entry, () => {
      entry.choice = choice
    })
  }

  #change(entry: Entry, change: () => void): void {
    this.#counts[stateOf(entry)] -= entry.rows.length
    change()
    this.#counts[stateOf(entry)] += entry.rows.length
  }
}

export function stateOf({ resolution, choice }: Entry): State {
  if (choice !== undefined) return 'chosen'
  if (resolution === undefined) return 'pending'
  if (resolution.verdict === 'exact' || resolution.verdict === 'sure') return 'sure'
  return resolution.verdict === 'none' && resolution.alternatives.length === 0 ? 'none' : 'review'
}

/** The record that a row means; undefined if that is not decided. */
export function recordOf({ resolution, choice }: Entry): CandidateRecord | undefined {
  if (choice !== undefined) return choice === 'none' ? undefined : choice
  return resolution === undefined || resolution.verdict === 'ambiguous' || resolution.verdict === 'none'
    ? undefined
    : (resolution as CandidateRecord)
}

/** The records to choose from for a row, the best first. */
export function candidatesOf({ resolution }: Entry): CandidateRecord[] {
  if (resolution === undefined) return []
  const best = resolution.url === null ? [] : [resolution as CandidateRecord]
  return [...best, ...resolution.alternatives.filter(({ url }) => url !== resolution.url)]
}

function sentRow(row: TableRow, columns: Columns): SentRow {
  const free = columns.indexOf(FREE_TEXT)
  const valueAt = (column: number) => textOf(row[column]).slice(0, MAX_CHARACTERS)
  if (free !== -1) return valueAt(free)
  return Object.fromEntries(columns.flatMap((part, column) => (part === undefined ? [] : [[part, valueAt(column)]])))
}
