// Which columns identify the rows of a table: those that are declared, or those that look like it.
import type { Guess } from './descriptor.ts'
import {
  blanksOf,
  type Column,
  columnNamed,
  distinctOf,
  identifies,
  isOneLine,
  looksLikeCodes,
  type Table,
  unidentifiedBy,
} from './guess-table.ts'
import { isCodeWord, isOfOthers, namesCode, namesDescription, namesName, nounsOf, subjectOf } from './guess-words.ts'

export type Key = {
  readonly columns: readonly Column[]
  readonly isDeclared: boolean
  readonly guess?: Guess
}
export type NoKey = { readonly reason: string }

/** Columns that references of other tables mean, and which so are likely to be the key. */
export type Referred = ReadonlySet<string>

const MAX_KEY_COLUMNS = 4
/** Columns that are tried together. */
const MAX_TRIED = 10
/** The share of rows that may lack a key or have that of another, and are left out. */
const MAX_LOST = 0.02

export function keyOf(table: Table, referred: Referred): Key | NoKey {
  const declared = declaredKey(table)
  if (declared !== undefined) return declared
  if (table.rows === 0) return { reason: 'it has no rows, and no primaryKey is declared' }
  const isOpen = (columns: readonly Column[]) => !table.notUnique.some((set) => isSameSet(set, columns))
  const ranked = table.columns
    .filter((column) => isOneLine(column) && distinctOf(column).size > 0)
    .map((column): Ranked => ({ column, rank: rankOf(column, table, referred) }))
    .toSorted((a, b) => b.rank - a.rank)
  const full = ranked.filter(({ column }) => blanksOf(column) === 0)
  const identifying = (columns: readonly Column[]) => isOpen(columns) && identifies(columns)
  const single = full.find(({ column, rank }) => rank > 0 && identifying([column]))
  if (single !== undefined) return guessed(table, [single.column], 'it looks like a code and no two rows have the same')
  const pair = setsOf(full, 2).find(identifying)
  if (pair !== undefined)
    return guessed(table, pair, 'no column alone is different in every row, and these together are')
  const name = full.find(({ column }) => identifying([column]))
  if (name !== undefined) return guessed(table, [name.column], 'it is the only column that is different in every row')
  const isNearly = (columns: readonly Column[]) => isOpen(columns) && isIdentifiedNearly(columns, table.rows)
  const nearly = ranked.find(({ column, rank }) => rank > 1 && isNearly([column]))
  if (nearly !== undefined) return guessed(table, [nearly.column], whoIsLeftOut([nearly.column], table.rows))
  for (let size = 3; size <= MAX_KEY_COLUMNS; size++) {
    const more = setsOf(full, size).find(identifying)
    if (more !== undefined) return guessed(table, more, 'no fewer columns are different in every row')
  }
  for (let size = 2; size < MAX_KEY_COLUMNS; size++) {
    const most = setsOf(ranked, size).find(isNearly)
    if (most !== undefined) return guessed(table, most, whoIsLeftOut(most, table.rows))
  }
  return { reason: `no ${MAX_KEY_COLUMNS} columns or fewer are filled and different in every row` }
}

type Ranked = { readonly column: Column; readonly rank: number }

/** Sets of columns that have a code among them, the likeliest first. */
const setsOf = (ranked: readonly Ranked[], size: number): readonly (readonly Column[])[] =>
  combinations(ranked.slice(0, MAX_TRIED), size)
    .filter((set) => set.some(({ rank }) => rank > 0))
    .toSorted((a, b) => sum(b) - sum(a))
    .map((set) => set.map(({ column }) => column))

function isIdentifiedNearly(columns: readonly Column[], rows: number): boolean {
  const limit = Math.floor(rows * MAX_LOST)
  const { blank, double } = unidentifiedBy(columns, limit)
  return blank + double <= limit
}

const counted = (rows: number) => (rows === 1 ? '1 row' : `${rows} rows`)

function whoIsLeftOut(columns: readonly Column[], rows: number): string {
  const { blank, double } = unidentifiedBy(columns, rows)
  const lost = [
    blank > 0 ? [`${counted(blank)} without it`] : [],
    double > 0 ? [`${counted(double)} with that of another row`] : [],
  ]
  return `it identifies nearly every row; ${lost.flat().join(' and ')} cannot be published`
}

function declaredKey(table: Table): Key | NoKey | undefined {
  const names = table.resource.schema?.primaryKey
  if (names === undefined || names.length === 0) return undefined
  const columns = names.map((name) => columnNamed(table, name))
  const missing = names.filter((_, at) => columns[at] === undefined)
  if (missing.length > 0)
    return { reason: `its primaryKey has ${missing.map(quoted).join(', ')}, which is no column of the file` }
  return { columns: columns as Column[], isDeclared: true }
}

const guessed = ({ resource, columns: all }: Table, columns: readonly Column[], why: string): Key => {
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

/** How much a column looks like the key: 0 where it does not, more than 1 where its name says so. */
function rankOf(column: Column, table: Table, referred: Referred): number {
  const { words, declared, name } = column
  if (referred.has(name)) return 8
  const role = declared.own.get('role')
  if (role === 'code') return 7
  if (role !== undefined || !looksLikeCodes(column)) return 0
  const isCode = namesCode(words)
  if (!isCode && (namesName(words) || namesDescription(words))) return 0
  const ofOthers = isOfOthers(words) ? 0.5 : 0
  if (declared.constraints?.unique === true && declared.type !== 'number') return 6 - ofOthers
  if (words.every(isCodeWord)) return 5 - ofOthers
  if (isAbout(words, table)) return isCode ? 4.5 : 4
  if (isCode) return 3 - 2 * ofOthers
  return isMeasure(column) ? 0 : 1 - ofOthers
}

/** Whether a column is named after what the list has: `section` of `sections`, `agency_code` of `agencies`. */
function isAbout(words: readonly string[], { resource }: Table): boolean {
  const nouns = nounsOf(resource.name)
  const subject = subjectOf(words)
  return subject.length > 0 && subject.every((word) => nouns.includes(word)) && subject.at(-1) === nouns.at(-1)
}

const MEASURES = new Set(['number', 'integer', 'boolean', 'date', 'datetime', 'time', 'year', 'yearmonth', 'geopoint'])

/** Whether its values are declared to be quantities, or have a fraction: two rows may come to have the same. */
const isMeasure = (column: Column): boolean =>
  MEASURES.has(column.declared.type ?? '') || column.values.every((value) => /^-?[0-9]+\.[0-9]+$/.test(value))

const sum = (set: readonly Ranked[]) => set.reduce((total, { rank }) => total + rank, 0)

const isSameSet = (names: readonly string[], columns: readonly Column[]) =>
  names.length === columns.length && columns.every(({ name }) => names.includes(name))

function combinations<T>(items: readonly T[], size: number): T[][] {
  if (size === 0) return [[]]
  return items.flatMap((item, at) => combinations(items.slice(at + 1), size - 1).map((rest) => [item, ...rest]))
}

export const quoted = (name: string): string => JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name)
