// The meaning of the columns of a table: inferred of their headers and values as for a package, or else by the records that values name.
import { type Column, inferredTable } from '../../../source/package/infer/columns.ts'
import { headerWords, subjectOf } from '../../../source/package/infer/lexicon.ts'
import { namedFor } from '../../../source/package/infer/relations.ts'
import { TableProfiler } from '../../../source/package/infer/table-profile.ts'
import { tidyHeader } from '../../../source/package/read/header.ts'
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

const MAX_PROFILED_ROWS = 400

/** What is seen of each column; undefined of one whose header can be no name. */
export function seenColumns(header: TableRow, rows: readonly TableRow[]): readonly (Column | undefined)[] {
  const names = tidyHeader(header.map(textOf), { file: '', line: 1 }, () => undefined)
  const profiler = new TableProfiler(names, { maxRows: MAX_PROFILED_ROWS })
  profiler.add(rows.map((row) => names.map((_, at) => textOf(row[at]))))
  const { columns } = inferredTable({ name: '', paths: [], own: new Map() }, profiler.profile(), [])
  return names.map((name) => columns.find((column) => column.name === name))
}

/** A column with names comes before a column with codes of the same part. */
const FOR_CODES = 1

/** How much a header names a part: all of it, as one word among others, or by the beginning of a word. */
function strengthOf({ subject, words, sights }: Column, { names, codes }: ListPart): number {
  const named = (ones: readonly string[]) =>
    Math.max(0, ...ones.map((one) => namedFor(subject, subjectOf(headerWords(one)), [])))
  const [byName, byCode] = [named(names), named(codes)]
  const strength = Math.max(byName, byCode)
  const isOfCodes = sights.code === 1 || byName < byCode
  return strength === 0 ? 0 : strength + 1 / words.length - (isOfCodes ? FOR_CODES : 0)
}

/** The columns whose headers say what they are; each part once. */
export function columnsByHeader(columns: readonly (Column | undefined)[], parts: readonly ListPart[]): Columns {
  const matches = columns.flatMap((seen, column) => {
    if (seen === undefined) return []
    const found = parts.map(({ name }, at) => ({
      part: name,
      column,
      strength: strengthOf(seen, parts[at] as ListPart),
    }))
    const best = Math.max(...found.map(({ strength }) => strength))
    const strongest = found.filter(({ strength }) => strength === best && strength !== 0)
    // A name that several parts have says nothing.
    return strongest.length === 1 ? strongest : []
  })
  return assigned(columns.length, matches)
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
  const columns = seenColumns(first, others)
  if (columnsByHeader(columns, parts).some((part) => part !== undefined)) return true
  const isWord = (cell: string) => cell !== '' && !/\d/.test(cell)
  const hasDigits = ({ profile: { values } }: Column) => values.slice(0, MAX_SAMPLE).some((value) => /\d/.test(value))
  return first.map(textOf).every(isWord) && columns.some((column) => column !== undefined && hasDigits(column))
}

const MAX_SAMPLE = 8
const MAX_SAMPLED_COLUMNS = 20

/** A value of a column as if it were one of a part. */
type Sample = { readonly column: number; readonly part: string; readonly value: string }

/** Values to look up: they decide on columns without a telling header, and confirm or refute the other headers. */
export function samplesOf(
  columns: readonly (Column | undefined)[],
  known: Columns,
  parts: readonly ListPart[],
): Sample[] {
  const free = parts.map(({ name }) => name).filter((name) => !known.includes(name))
  return columns.slice(0, MAX_SAMPLED_COLUMNS).flatMap((seen, column) => {
    if (seen === undefined || isNoPlace(seen)) return []
    const meant = known[column] === undefined ? free : [known[column]]
    return seen.profile.values.slice(0, MAX_SAMPLE).flatMap((value) => meant.map((part) => ({ column, part, value })))
  })
}

const MAX_SHORT = 4
/** Short numbers are codes of many lists, and ages and years, too; amounts, times and telephones are none of any. */
const isNoPlace = ({ sights, profile: { lengths, shares } }: Column): boolean =>
  (shares.digits === 1 && Math.max(...lengths.keys()) <= MAX_SHORT) ||
  [sights.fraction, sights.dateType, sights.contact, sights.address].includes(1)

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

/** A table without any known column is free text: its only column, or the one with the most of it. */
export function orFreeText(known: Columns, columns: readonly (Column | undefined)[]): Columns {
  if (known.some((part) => part !== undefined)) return known
  const wordiest = Math.max(
    0,
    columns.findIndex((column) => column?.sights.wordiest === 1),
  )
  return known.map((_, column) => (column === wordiest ? FREE_TEXT : undefined))
}
