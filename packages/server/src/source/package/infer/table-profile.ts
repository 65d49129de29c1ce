// Profiles of the columns of a table, made in one pass over its rows: all that an inference sees of it.
import { isDay, valueReader } from '../values.ts'

/** A type that all values of a column fit, as Table Schema names it, with what it needs to be read. */
type FittingType = {
  readonly type: 'integer' | 'number' | 'boolean' | 'date' | 'datetime' | 'year'
  readonly format?: string
  readonly decimalChar?: ','
}

/** Forms of values: a profile has the share of each. */
const FORMS = {
  leadingZero: /^0[0-9]/,
  digits: /^[0-9]+$/,
  number: /^-?[0-9]+(?:[.,][0-9]+)?$/,
  upper: /^(?=.*\p{Lu})[\p{Lu}0-9\-./_]+$/u,
  spaced: /\S\s+\S/,
  sentence: /(?:\S+\s+){6}\S/,
  address: /^(?:https?:|www\.)|^\S+@\S+\.\S+$/,
  letters: /\p{L}{2}|\p{Ll}/u,
  lower: /^[^\p{Lu}]*\p{Ll}[^\p{Lu}]*$/u,
  listed: /\S[,;|] ?\S/,
  dated: /(?<![0-9])[12][0-9]{3}(?![0-9])/,
  roman: /^[IVXLCM]+$/i,
  structured: /^[[{].*[\]}]$/s,
} as const
type Form = keyof typeof FORMS

export type ColumnProfile = {
  /** As in the file. */
  readonly name: string
  readonly rows: number
  /** Rows without a value. */
  readonly empty: number
  /** Different values, as sorted numbers of `hashOf`. */
  readonly distinct: Float64Array
  /** The narrowest comes first; without one the column is text. */
  readonly types: readonly FittingType[]
  /** How many values have each length. */
  readonly lengths: ReadonlyMap<number, number>
  /** The first different values: all of them where there are no more than MAX_KEPT. */
  readonly values: readonly string[]
  /** The value of each row by `hashOf`, 0 where there is none. */
  readonly hashes: Float64Array
  /** Shares of the values that are kept. */
  readonly shares: Readonly<Record<Form, number>>
  /** True if every value is one line that is short enough for a name or a code. */
  readonly isOneLine: boolean
}

export type TableProfile = {
  readonly columns: readonly ColumnProfile[]
  readonly rows: number
  /** False where the table goes on after the rows that were profiled. */
  readonly isWhole: boolean
  /** Sets of columns that later rows have shown not to be unique. */
  readonly notUnique?: readonly (readonly string[])[]
}

/** Blocks of rows of texts, each as wide as the header, blanks around the texts removed. */
type TextRows = AsyncIterable<{ readonly rows: readonly (readonly string[])[] }>

type ProfileOptions = {
  /** Values of a column that mean that there is none, besides the empty text. */
  readonly missingIn?: (column: string) => readonly string[]
  readonly maxRows?: number
}

/** So many rows show what a column is. */
const DEFAULT_ROWS = 200_000
/** Wide tables are known by fewer rows, so that the memory is bounded. */
const MAX_CELLS = 4_000_000
const MAX_CHARACTERS = 100_000_000
const MAX_KEPT = 20_000
/** So many of them show the forms. */
const MAX_LOOKED = 1_000
const MAX_NAME = 1_000
/** Signs of a line or of none; those that stand for others in an encoding that was mistaken are mended where values are read. */
const CONTROL = /[^\P{Cc}\u0080-\u009f]/u

export async function profileTable(
  header: readonly string[],
  table: TextRows,
  options: ProfileOptions = {},
): Promise<TableProfile> {
  const profiler = new TableProfiler(header, options)
  for await (const { rows } of table) if (!profiler.add(rows)) break
  return profiler.profile()
}

/** Takes rows of texts until it has seen enough of them. */
export class TableProfiler {
  readonly #columns: readonly Column[]
  readonly #maxRows: number
  #rows = 0
  #characters = 0
  #isWhole = true

  constructor(header: readonly string[], { missingIn, maxRows = DEFAULT_ROWS }: ProfileOptions = {}) {
    this.#columns = header.map((name) => new Column(name, missingIn?.(name) ?? []))
    this.#maxRows = Math.min(maxRows, Math.ceil(MAX_CELLS / Math.max(1, header.length)))
  }

  /** False once no more rows are taken. */
  add(rows: readonly (readonly string[])[]): boolean {
    for (const row of rows) {
      if (this.#rows >= this.#maxRows || this.#characters > MAX_CHARACTERS) {
        this.#isWhole = false
        return false
      }
      this.#rows++
      for (const [at, column] of this.#columns.entries()) {
        const value = row[at] as string
        this.#characters += value.length
        column.add(value)
      }
    }
    return true
  }

  profile(): TableProfile {
    const columns = this.#columns.map((column) => column.profile())
    return { columns, rows: this.#rows, isWhole: this.#isWhole }
  }
}

/** The profile of values that stand in no table, such as the codes of a list. */
export function profileValues(name: string, values: Iterable<string>): ColumnProfile {
  const column = new Column(name, [])
  for (const value of values) column.add(value)
  return column.profile()
}

class Column {
  readonly #name: string
  readonly #missing: ReadonlySet<string>
  readonly #values = new Set<string>()
  readonly #lengths = new Map<number, number>()
  #hashes = new Float64Array(64)
  #types = TYPES
  #rows = 0
  #empty = 0
  #isOneLine = true

  constructor(name: string, missing: readonly string[]) {
    this.#name = name
    this.#missing = new Set(['', ...missing])
  }

  add(value: string): void {
    if (this.#rows === this.#hashes.length) {
      const longer = new Float64Array(2 * this.#rows)
      longer.set(this.#hashes)
      this.#hashes = longer
    }
    const row = this.#rows++
    if (this.#missing.has(value)) {
      this.#empty++
      return
    }
    this.#hashes[row] = hashOf(value)
    if (this.#values.size < MAX_KEPT) this.#values.add(value)
    this.#lengths.set(value.length, (this.#lengths.get(value.length) ?? 0) + 1)
    if (value.length > MAX_NAME || CONTROL.test(value)) this.#isOneLine = false
    if (this.#types.length > 0 && this.#types.some(([fits]) => !fits(value)))
      this.#types = this.#types.filter(([fits]) => fits(value))
  }

  profile(): ColumnProfile {
    const hashes = this.#hashes.slice(0, this.#rows)
    const values = [...this.#values]
    const looked = values.slice(0, MAX_LOOKED)
    const types = this.#rows === this.#empty ? [] : this.#types.map(([, type]) => type)
    return {
      name: this.#name,
      rows: this.#rows,
      empty: this.#empty,
      distinct: distinctOf(hashes),
      // A day that may be meant in two forms is meant in none.
      types: types.filter((one) => one.type !== 'date' || types.filter(({ type }) => type === 'date').length === 1),
      lengths: this.#lengths,
      values,
      hashes,
      shares: Object.fromEntries(
        Object.entries(FORMS).map(([form, pattern]) => [form, shareOf(looked, (value) => pattern.test(value))]),
      ) as Record<Form, number>,
      isOneLine: this.#isOneLine,
    }
  }
}

export const shareOf = <T>(items: readonly T[], fits: (item: T) => boolean): number =>
  items.length === 0 ? 0 : items.filter(fits).length / items.length

function distinctOf(hashes: Float64Array): Float64Array {
  const sorted = hashes.toSorted()
  let [size, last] = [0, 0]
  for (const hash of sorted) {
    if (hash === last) continue
    sorted[size++] = hash
    last = hash
  }
  return sorted.slice(0, size)
}

/** A number of 53 bits for a text, never 0: two of a million texts have the same with a chance of one in ten thousand. */
export function hashOf(text: string): number {
  let [low, high] = [0xdeadbeef, 0x41c6ce57]
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    low = Math.imul(low ^ unit, 0x9e3779b1)
    high = Math.imul(high ^ unit, 0x5f356495)
  }
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35)
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35)
  return 2 ** 32 * (high & 0x1fffff) + (low >>> 0) + 1
}

const MAX_DIGITS = 15
const isWholeNumber = (value: string): boolean => /^-?(?:0|[1-9][0-9]*)$/.test(value) && value.length <= MAX_DIGITS
const isYear = (value: string) => /^(?:1[0-9]|20|21)[0-9]{2}$/.test(value)

/** Forms of dates, each with the positions of year, month and day. */
const DATES: readonly (readonly [format: string | undefined, form: RegExp, parts: readonly number[]])[] = [
  [undefined, /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/, [1, 2, 3]],
  ['%Y/%m/%d', /^([0-9]{4})\/([0-9]{2})\/([0-9]{2})$/, [1, 2, 3]],
  ['%d/%m/%Y', /^([0-9]{2})\/([0-9]{2})\/([0-9]{4})$/, [3, 2, 1]],
  ['%m/%d/%Y', /^([0-9]{2})\/([0-9]{2})\/([0-9]{4})$/, [3, 1, 2]],
  ['%d.%m.%Y', /^([0-9]{2})\.([0-9]{2})\.([0-9]{4})$/, [3, 2, 1]],
  ['%d-%m-%Y', /^([0-9]{2})-([0-9]{2})-([0-9]{4})$/, [3, 2, 1]],
]

const hasForm = (form: RegExp, [year, month, day]: readonly number[]) => {
  const part = (match: RegExpExecArray, at: number | undefined) => Number(match[at ?? 0])
  return (value: string) => {
    const match = form.exec(value)
    return match !== null && isDay(part(match, year), part(match, month), part(match, day))
  }
}

const readTime = valueReader('date', { type: 'datetime', missingValues: [] })
/** A day with a time, as in ISO 8601. */
const isTime = (value: string) =>
  value.length > '2020-01-31'.length && value.includes(':') && readTime(value) !== undefined

type Typed = readonly [fits: (value: string) => boolean, type: FittingType]
const TYPES: readonly Typed[] = [
  [isYear, { type: 'year' }],
  [isWholeNumber, { type: 'integer' }],
  [(value) => /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/.test(value), { type: 'number' }],
  [(value) => /^-?(?:0|[1-9][0-9]*)(?:,[0-9]+)?$/.test(value), { type: 'number', decimalChar: ',' }],
  [(value) => /^(?:true|false)$/i.test(value), { type: 'boolean' }],
  [isTime, { type: 'datetime' }],
  ...DATES.map(
    ([format, form, parts]): Typed => [
      hasForm(form, parts),
      { type: 'date', ...(format === undefined ? {} : { format }) },
    ],
  ),
]
