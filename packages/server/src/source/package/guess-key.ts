// Which columns identify the rows of a table: those that are declared, or those that look like it.
import type { Guess } from './descriptor.ts'
import {
  allFit,
  blanksOf,
  columnNamed,
  distinctOf,
  identifies,
  isBlank,
  isOneLine,
  looksLikeCodes,
  type ProfiledColumn,
  type ProfiledTable,
  unidentifiedBy,
} from './guess-table.ts'
import { isDecimal, isSeries, isWholeNumber } from './guess-types.ts'
import {
  isCodeWord,
  isOfOthers,
  namesCode,
  namesDescription,
  namesName,
  namesPosition,
  nounsOf,
  subjectOf,
} from './guess-words.ts'

export type Key = {
  readonly columns: readonly ProfiledColumn[]
  readonly isDeclared: boolean
  /** Whether a few rows lack it, or have that of another. */
  readonly leavesOutRows?: true
  readonly guess?: Guess
}
type NoKey = { readonly reason: string }

/** Columns that references of other tables mean, and which so are likely to be the key. */
type Referred = ReadonlySet<string>

const MAX_KEY_COLUMNS = 4
/** Columns that are tried together. */
const MAX_TRIED = 10
/** The share of rows that may lack a key or have that of another, and are left out. */
const MAX_LOST = 0.02
/** The most rows that are compared to find a key. */
const MAX_SCANNED = 20_000_000

export function keyOf(table: ProfiledTable, referred: Referred): Key | NoKey {
  const declared = declaredKey(table)
  if (declared !== undefined) return declared
  if (table.rows === 0) return { reason: 'it has no rows, and no primaryKey is declared' }
  const ranked = table.columns
    .filter((column) => isOneLine(column) && !isBlank(column))
    .map((column): Ranked => ({ column, rank: rankOf(column, table, referred) }))
    .toSorted((a, b) => b.rank - a.rank)
  const reason = `no ${MAX_KEY_COLUMNS} columns or fewer are filled and different in every row`
  return guessedKey(table, ranked) ?? { reason }
}

type Ranked = { readonly column: ProfiledColumn; readonly rank: number }
/** What columns have to be, to be tried. */
type IsTried = (rank: number) => boolean

const isCode: IsTried = (rank) => rank > 0
const isNamedCode: IsTried = (rank) => rank > 1
const isNoMeasure: IsTried = (rank) => rank >= 0

/** The first set of columns that identifies the rows, from the likeliest to the last resort. */
function guessedKey(table: ProfiledTable, ranked: readonly Ranked[]): Key | undefined {
  const { rows, notUnique } = table
  // Long tables whose rows are alike would be gone through for every set of columns.
  let budget = MAX_SCANNED
  const isOpen = (columns: readonly ProfiledColumn[]) => {
    budget -= rows
    return budget > 0 && !notUnique.some((set) => isSameSet(set, columns))
  }
  const full = ranked.filter(({ column }) => blanksOf(column) === 0)
  const whole = (size: number, isTried: IsTried, why: string, isLed: IsTried = isCode): Key | undefined => {
    const found = setsOf(full, size, isTried, isLed).find((columns) => isOpen(columns) && identifies(columns))
    return found === undefined ? undefined : guessed(table, found, why)
  }
  const nearly = (size: number, isTried: IsTried): Key | undefined => {
    const found = setsOf(ranked, size, isTried, isCode).find(
      (columns) => isOpen(columns) && isIdentifiedNearly(columns, rows),
    )
    return found === undefined ? undefined : guessedNearly(table, found)
  }
  return (
    whole(1, isCode, 'it looks like a code and no two rows have the same') ??
    whole(2, isCode, 'no code alone is different in every row, and these together are', isNamedCode) ??
    whole(1, isNoMeasure, 'no column that looks like a code is different in every row, and this is') ??
    whole(2, isNoMeasure, 'no column alone is different in every row, and these together are') ??
    nearly(1, isNamedCode) ??
    whole(3, isNoMeasure, 'no fewer columns are different in every row') ??
    whole(4, isNoMeasure, 'no fewer columns are different in every row') ??
    nearly(2, isNoMeasure) ??
    nearly(3, isNoMeasure) ??
    whole(1, () => true, 'no other column is different in every row')
  )
}

/** Sets of columns, the likeliest first; of several, one leads the others. */
const setsOf = (
  ranked: readonly Ranked[],
  size: number,
  isTried: IsTried,
  isLed: IsTried,
): readonly (readonly ProfiledColumn[])[] => {
  const tried = ranked.filter(({ rank }) => isTried(rank))
  return combinations(size === 1 ? tried : tried.slice(0, MAX_TRIED), size)
    .filter((set) => size === 1 || set.some(({ rank }) => isLed(rank)))
    .toSorted((a, b) => sum(b) - sum(a))
    .map((set) => set.map(({ column }) => column))
}

function isIdentifiedNearly(columns: readonly ProfiledColumn[], rows: number): boolean {
  const limit = Math.floor(rows * MAX_LOST)
  const { blank, double } = unidentifiedBy(columns, limit)
  return blank + double <= limit
}

const guessedNearly = (table: ProfiledTable, columns: readonly ProfiledColumn[]): Key => ({
  ...guessed(table, columns, whoIsLeftOut(columns, table.rows)),
  leavesOutRows: true,
})

const counted = (rows: number) => (rows === 1 ? '1 row' : `${rows} rows`)

function whoIsLeftOut(columns: readonly ProfiledColumn[], rows: number): string {
  const { blank, double } = unidentifiedBy(columns, rows)
  const lost = [
    blank > 0 ? [`${counted(blank)} without it`] : [],
    double > 0 ? [`${counted(double)} with that of another row`] : [],
  ]
  return `it identifies nearly every row; ${lost.flat().join(' and ')} cannot be published`
}

function declaredKey(table: ProfiledTable): Key | NoKey | undefined {
  const names = table.resource.schema?.primaryKey
  if (names === undefined || names.length === 0) return undefined
  const columns = names.map((name) => columnNamed(table, name))
  const missing = names.filter((_, at) => columns[at] === undefined)
  if (missing.length > 0)
    return { reason: `its primaryKey has ${missing.map(quoted).join(', ')}, which is no column of the file` }
  return { columns: columns as ProfiledColumn[], isDeclared: true }
}

const guessed = ({ resource, columns: all }: ProfiledTable, columns: readonly ProfiledColumn[], why: string): Key => {
  const inOrder = all.filter((column) => columns.includes(column))
  const names = inOrder.map(({ name }) => name)
  return {
    columns: inOrder,
    isDeclared: false,
    guess: {
      resource: resource.name,
      ...(names.length === 1 ? { field: names[0] as string } : {}),
      what: `The key is ${names.map(quoted).join(' with ')}: ${why}.`,
      otherwise: `"primaryKey": ${JSON.stringify(names)} in its schema, with the fields that identify a row`,
    },
  }
}

/** How much a column looks like the key: more than 1 where its name says so, 0 where it does not, less where it is a measure. */
function rankOf(column: ProfiledColumn, table: ProfiledTable, referred: Referred): number {
  const { words, declared, name } = column
  if (referred.has(name)) return 8
  const role = declared.own.get('role')
  if (role === 'code') return 7
  if (role !== undefined || !looksLikeCodes(column)) return 0
  const isCode = namesCode(words)
  if (!isCode && (namesName(words) || namesDescription(words))) return 0
  const ofOthers = isOfOthers(words) ? 0.5 : 0
  if (declared.constraints?.unique === true && declared.type !== 'number') return 6 - ofOthers
  if (words.length > 0 && words.every(isCodeWord)) return 5 - ofOthers
  if (isAbout(words, table) && (isCode || !hasFractions(column))) return isCode ? 4.5 : 4
  if (isCode) return 3 - 2 * ofOthers
  return isMeasure(column) || namesPosition(words) ? -1 : 1 - ofOthers
}

/** Whether a column is named after what the list has: `section` of `sections`, `agency_code` of `agencies`. */
function isAbout(words: readonly string[], { resource }: ProfiledTable): boolean {
  const nouns = nounsOf(resource.name)
  const subject = subjectOf(words)
  return subject.length > 0 && subject.every((word) => nouns.includes(word)) && subject.at(-1) === nouns.at(-1)
}

const MEASURES = new Set(['number', 'integer', 'boolean', 'date', 'datetime', 'time', 'year', 'yearmonth', 'geopoint'])

/** Whether its values are quantities, which are different by chance: declared so, or numbers that nobody counted up. */
const isMeasure = (column: ProfiledColumn): boolean =>
  MEASURES.has(column.declared.type ?? '') ||
  (allFit(column, isDecimal) && !isSeries(distinctOf(column)) && !areCodes(column))

/** Whether its values are numbers, and not all of them whole: an index in a table of that name is no code. */
const hasFractions = (column: ProfiledColumn) => allFit(column, isDecimal) && !allFit(column, isWholeNumber)

/** Whole numbers of as many digits each are codes more often than not. */
const areCodes = (column: ProfiledColumn) =>
  new Set(column.values.map(({ length }) => length)).size === 1 && allFit(column, isWholeNumber)

const sum = (set: readonly Ranked[]) => set.reduce((total, { rank }) => total + rank, 0)

const isSameSet = (names: readonly string[], columns: readonly ProfiledColumn[]) =>
  names.length === columns.length && columns.every(({ name }) => names.includes(name))

function combinations<T>(items: readonly T[], size: number): T[][] {
  if (size === 0) return [[]]
  return items.flatMap((item, at) => combinations(items.slice(at + 1), size - 1).map((rest) => [item, ...rest]))
}

export const quoted = (name: string): string => JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name)
