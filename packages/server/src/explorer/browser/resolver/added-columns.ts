// The table with codes: the columns that are added to the one that was given.
import type { CandidateRecord } from './api.ts'
import { candidatesOf, type Entry, type Resolving, recordOf } from './resolving.ts'
import type { Cell, TableRow } from './table.ts'

/** A record and those that it is in, each with the code that people know it by. */
type Level = { readonly collection: string; readonly code: string; readonly name: string }

type Coded = Pick<CandidateRecord, 'key' | 'code'>

/** The official code, or the key of a record that has none. */
const codeText = ({ key, code }: Coded): string => code ?? Object.values(key).flat().join('-')

/** The record itself first. */
const levelsOf = (record: CandidateRecord): Level[] => [
  { collection: record.collection, code: codeText(record), name: record.name },
  ...record.parents.map((parent, at) => ({
    collection: parent.collection,
    code: codeText(parent),
    name: record.breadcrumb[at] ?? '',
  })),
]

export const codeOf = (candidate: CandidateRecord): string => codeText(candidate)

/** A part with the names of the columns for its codes and names. */
export type AddedPart = {
  readonly collection: string
  readonly codeHeader: string
  readonly nameHeader: string
  /** True if all records of the release belong to one record of this list, so that it needs no column. */
  readonly isConstant: boolean
}

type AddedColumns = {
  readonly names: LevelNames
  /** From the outermost. */
  readonly parts: readonly AddedPart[]
  readonly verdictHeader: string
  readonly verdictOf: (entry: Entry) => string
}

/** The names of records by their codes: of those that rows mean, of all that were proposed, and of what they are in. */
export class LevelNames {
  readonly #names = new Map<string, string>()

  constructor({ entries }: Resolving) {
    for (const entry of entries)
      for (const record of [...candidatesOf(entry), recordOf(entry)]) if (record) this.add(record)
  }

  add(record: CandidateRecord): void {
    for (const { collection, code, name } of levelsOf(record)) this.#names.set(`${collection} ${code}`, name)
  }

  of({ collection, code }: Pick<Level, 'collection' | 'code'>): string | undefined {
    return this.#names.get(`${collection} ${code}`)
  }
}

/** The codes of certain levels that no name is known of, by their collection. */
export function unnamedLevels({ entries }: Resolving, names: LevelNames): ReadonlyMap<string, ReadonlySet<string>> {
  const unnamed = new Map<string, Set<string>>()
  for (const level of entries.filter((entry) => recordOf(entry) === undefined).flatMap(sureLevels)) {
    if (names.of(level) !== undefined) continue
    const codes = unnamed.get(level.collection) ?? new Set()
    unnamed.set(level.collection, codes.add(level.code))
  }
  return unnamed
}

/** The table that was given with columns for the records, and how sure they are. All codes are text. */
export function extendedRows(
  header: TableRow | undefined,
  rows: readonly TableRow[],
  resolving: Resolving,
  { names, parts, verdictHeader, verdictOf }: AddedColumns,
): Cell[][] {
  const records = resolving.entries.flatMap((entry) => recordOf(entry) ?? [])
  const levelsIn = (entry: Entry): Level[] => {
    const record = recordOf(entry)
    if (record !== undefined) return levelsOf(record)
    return sureLevels(entry).flatMap((level) => {
      const name = names.of(level)
      return name === undefined ? [] : [{ ...level, name }]
    })
  }
  const own = new Set(records.map(({ collection }) => collection))
  const ancestors = new Set(resolving.entries.flatMap(levelsIn).map(({ collection }) => collection))
  const shown = parts.filter(
    ({ collection, isConstant }) => own.has(collection) || (ancestors.has(collection) && !isConstant),
  )
  const width = rows[0]?.length ?? 0
  const given = header ?? Array.from({ length: width }, (_, at) => columnLetters(at))
  const headers = uniqueNames(given.map(String), [
    ...shown.flatMap(({ codeHeader, nameHeader }) => [codeHeader, nameHeader]),
    verdictHeader,
  ])
  const extended = rows.map((row, at) => {
    const entry = resolving.entryAt(at)
    const levels = new Map(levelsIn(entry).map((level) => [level.collection, level]))
    const added = shown.flatMap(({ collection }) => {
      const level = levels.get(collection)
      return [level?.code ?? '', level?.name ?? '']
    })
    return [...row, ...added, verdictOf(entry)]
  })
  return [[...given, ...headers], ...extended]
}

/** The levels that are certain although the record is not, such as the state and the municipality of an unknown locality. */
const sureLevels = ({ resolution, choice }: Entry) =>
  choice !== undefined || resolution === undefined
    ? []
    : resolution.levels.flatMap(({ collection, code, verdict }) =>
        code !== null && (verdict === 'exact' || verdict === 'sure') ? [{ collection, code }] : [],
      )

/** A column that is there already keeps its name. */
const uniqueNames = (given: readonly string[], added: readonly string[]): string[] =>
  added.map((name) => {
    let unique = name
    for (let number = 2; given.includes(unique); number++) unique = `${name} ${number}`
    return unique
  })

const LETTERS = 26

/** The letters of a column in a spreadsheet: A to Z, AA and so on. */
export function columnLetters(column: number): string {
  const last = String.fromCharCode('A'.charCodeAt(0) + (column % LETTERS))
  return column < LETTERS ? last : `${columnLetters(Math.floor(column / LETTERS) - 1)}${last}`
}
