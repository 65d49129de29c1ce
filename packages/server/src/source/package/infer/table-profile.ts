// Profiles of the columns of a table, made in one pass over its rows: all that an inference sees of it.

/** A type that all values of a column fit, as Table Schema names it, with what it needs to be read. */
export type FittingType = {
  readonly type: 'integer' | 'number' | 'boolean' | 'date' | 'datetime' | 'year'
  readonly format?: string
  readonly decimalChar?: ','
  readonly trueValues?: readonly string[]
  readonly falseValues?: readonly string[]
}

export type ColumnProfile = {
  /** As in the file. */
  readonly name: string
  readonly rows: number
  /** Rows without a value. */
  readonly empty: number
  /** Different values, also where there are too many to keep. */
  readonly distinct: number
  /** The narrowest comes first; without one the column is text. */
  readonly types: readonly FittingType[]
  /** How many values have each length. */
  readonly lengths: ReadonlyMap<number, number>
  /** The first different values, and how often each was found; all of them where `distinct` is no more. */
  readonly values: ReadonlyMap<string, number>
  /** A number for the value of each row, 0 where there is none: equal for equal values, by `hashOf`. */
  readonly hashes: Float64Array
  /** The least and the greatest value of a column of numbers. */
  readonly range?: readonly [min: number, max: number]
  /** Shares of the values that there are. */
  readonly shares: Readonly<Record<Form, number>>
  /** True if a value is too long for a name, or has several lines. */
  readonly isLong: boolean
}

/** Forms of values; a profile has the share of each. */
export const FORMS = [
  'leadingZero',
  'digits',
  'number',
  'upper',
  'spaced',
  'sentence',
  'address',
  'letters',
  'listed',
  'dated',
  'pointLatitudeFirst',
  'pointLongitudeFirst',
] as const
export type Form = (typeof FORMS)[number]

export type TableProfile = {
  readonly columns: readonly ColumnProfile[]
  readonly rows: number
  /** False where the table goes on after the rows that were profiled. */
  readonly isWhole: boolean
  /** Sets of columns that later rows have shown not to be unique. */
  readonly notUnique?: readonly (readonly string[])[]
}

/** Blocks of rows of texts, each as wide as the header, blanks around the texts removed. */
export type TextRows = AsyncIterable<{ readonly rows: readonly (readonly string[])[] }>
