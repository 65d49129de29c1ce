// The meaning of the columns of a table: by the header of a column, or else by the records that its values name.
import { type TableRow, textOf } from './table.ts'

/** A part that rows may have, and what its columns are called. */
export type ListPart = {
  readonly name: string
  readonly collection: string
  readonly label: string
  /** Headers of columns with its names, and of columns with its codes. */
  readonly names: readonly string[]
  readonly codes: readonly string[]
}

export const FREE_TEXT = 'q'

/** The meaning of each column: the name of a part, free text, or nothing. */
export type Columns = readonly (string | undefined)[]

const folded = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

type HeaderMatch = { readonly part: string; readonly strength: number }

/** How much a header says: the whole of it is a name, it has one among its words, or a word that begins one. */
const [WHOLE, WORD, BEGINNING] = [30, 20, 10]
/** A column with names comes before a column with codes of the same part. */
const FOR_CODES = 1
const MIN_BEGINNING = 3
const CODE_WORDS: ReadonlySet<string> = new Set(['cve', 'clave', 'code', 'codigo', 'id'])

function headerMatches(header: string, parts: readonly ListPart[]): HeaderMatch[] {
  const text = folded(header)
  if (text === '') return []
  const words = text.split(' ')
  const strengthOf = (known: readonly string[]): number => {
    const names = known.map(folded)
    const together = text.replaceAll(' ', '')
    if (names.some((name) => name.replaceAll(' ', '') === together)) return WHOLE
    if (names.some((name) => ` ${text} `.includes(` ${name} `))) return WORD
    const begins = (word: string) => word.length >= MIN_BEGINNING && names.some((name) => name.startsWith(word))
    return words.some(begins) ? BEGINNING : 0
  }
  const isOfCodes = words.some((word) => CODE_WORDS.has(word))
  const matches = parts.flatMap((part) => {
    const [byName, byCode] = [strengthOf(part.names), strengthOf(part.codes)]
    const strength = Math.max(byName - (isOfCodes ? FOR_CODES : 0), byCode - FOR_CODES)
    return strength <= 0 ? [] : [{ part: part.name, strength }]
  })
  const best = Math.max(...matches.map(({ strength }) => strength))
  const strongest = matches.filter(({ strength }) => strength === best)
  // A name that several parts have says nothing.
  return strongest.length === 1 ? strongest : []
}

/** The columns whose headers say what they are; each part once. */
export function columnsByHeader(header: TableRow, parts: readonly ListPart[]): Columns {
  const matches = header.flatMap((cell, column) =>
    headerMatches(textOf(cell), parts).map((match) => ({ ...match, column })),
  )
  return assigned(header.length, matches)
}

/** The strongest matches first, a part and a column once each; of equal ones the first column. */
function assigned(
  width: number,
  matches: readonly { readonly part: string; readonly column: number; readonly strength: number }[],
  known: Columns = [],
): Columns {
  const columns = Array.from({ length: width }, (_, at) => known[at])
  for (const { part, column } of matches.toSorted((a, b) => b.strength - a.strength || a.column - b.column))
    if (columns[column] === undefined && !columns.includes(part)) columns[column] = part
  return columns
}

/** True if the first row is a header: it names a part, or it has only words over columns with more than words. */
export function hasHeader(rows: readonly TableRow[], parts: readonly ListPart[]): boolean {
  const [first, ...others] = rows
  if (first === undefined || others.length === 0) return false
  if (columnsByHeader(first, parts).some((part) => part !== undefined)) return true
  const isWord = (cell: string) => cell !== '' && !/\d/.test(cell)
  const hasDigits = (column: number) => others.slice(0, MAX_SAMPLE).some((row) => /\d/.test(textOf(row[column])))
  return first.map(textOf).every(isWord) && first.some((_, column) => hasDigits(column))
}

const MAX_SAMPLE = 8
const MAX_SAMPLED_ROWS = 400
const MAX_SAMPLED_COLUMNS = 20

/** A value of a column as if it were one of a part. */
type Sample = { readonly column: number; readonly part: string; readonly value: string }

/** Values to look up: they decide on columns without a telling header, and confirm or refute the other headers. */
export function samplesOf(rows: readonly TableRow[], known: Columns, parts: readonly ListPart[]): Sample[] {
  const free = parts.map(({ name }) => name).filter((name) => !known.includes(name))
  return known
    .slice(0, MAX_SAMPLED_COLUMNS)
    .flatMap((part, column) =>
      sampleValues(rows, column).flatMap((value) =>
        (part === undefined ? free : [part]).map((meant) => ({ column, part: meant, value })),
      ),
    )
}

function sampleValues(rows: readonly TableRow[], column: number): string[] {
  const values = new Set<string>()
  for (const row of rows.slice(0, MAX_SAMPLED_ROWS)) {
    const value = textOf(row[column])
    if (value !== '') values.add(value)
    if (values.size === MAX_SAMPLE) break
  }
  // Short numbers are codes of many lists, and ages and years, too; what has decimals is an amount or a coordinate.
  return [...values].every(isAnyNumber) ? [] : [...values]
}

const isAnyNumber = (value: string): boolean => /^(?:\d{1,4}|-?\d+[.,]\d+)$/.test(value)

/** Least share of the values of a column that must name records of a part. */
const MIN_FIT = 0.7
const FOUND_SCORE = 0.99
/** A column that is called like a part is none of it where no value comes near: a civil status is no state. */
const NEAR_SCORE = 0.6

/** The columns, completed by their values; of parts that fit equally well the first, an ancestor of the others. */
export function columnsByValues(known: Columns, samples: readonly Sample[], scores: readonly number[]): Columns {
  const columns = new Map<string, { part: string; column: number; scores: number[] }>()
  for (const [at, { column, part }] of samples.entries()) {
    const key = `${column} ${part}`
    const tried = columns.get(key) ?? { part, column, scores: [] }
    tried.scores.push(scores[at] ?? 0)
    columns.set(key, tried)
  }
  const tried = [...columns.values()]
  const refuted = tried.filter(({ part, column, scores }) => known[column] === part && Math.max(...scores) < NEAR_SCORE)
  const matches = tried.map(({ part, column, scores }) => ({
    part,
    column,
    strength: scores.filter((score) => score >= FOUND_SCORE).length / scores.length,
  }))
  return assigned(
    known.length,
    matches.filter(({ strength, column }) => strength >= MIN_FIT && known[column] === undefined),
    known.map((part, column) => (refuted.some((one) => one.column === column) ? undefined : part)),
  )
}

/** A table without any known column is free text: its only column, or the one with the longest texts. */
export function orFreeText(columns: Columns, rows: readonly TableRow[]): Columns {
  if (columns.some((part) => part !== undefined) || columns.length === 0) return columns
  const lengths = columns.map((_, column) =>
    rows.slice(0, MAX_SAMPLED_ROWS).reduce((sum, row) => sum + textOf(row[column]).replace(/[\d\W]/g, '').length, 0),
  )
  const longest = lengths.indexOf(Math.max(...lengths))
  return columns.map((_, column) => (column === longest ? FREE_TEXT : undefined))
}
