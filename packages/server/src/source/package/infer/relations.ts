// Lists that the values of a column may be codes of: its own, others of the package, those of the home and of the program.
import { memoized } from '../../../base/memoized.ts'
import type { Column, InferredTable, Sights } from './columns.ts'
import { CodeSet, type Evidence } from './evidence.ts'
import type { KnownCode, KnownList } from './inference.ts'
import { headerWords, isSameWord, isShortFor, names, subjectOf } from './lexicon.ts'
import { profileValues } from './table-profile.ts'

/** A table with its key. */
export type KeyedTable = InferredTable & { readonly key: readonly Column[] }

/** Columns that identify the records of a list, and what is known of it. */
export type Target = {
  readonly package?: string
  readonly resource: string
  /** Names that the list goes by, each as its nouns. */
  readonly nouns: readonly (readonly string[])[]
  readonly field: string
  readonly fieldWords: readonly string[]
  readonly kind: 'key' | 'code' | 'name'
  readonly isNumber: boolean
  readonly table?: InferredTable
  readonly codes: () => CodeSet
  /** Lengths that values must have to be looked up, where the codes are read at need. */
  readonly lengths?: ReadonlySet<number>
}

export type Relation = { readonly target: Target; readonly evidence: Evidence; readonly sights: Sights }

/** Lists outside of a package are the same for all packages of a process, and may be long. */
const codeSetOf = memoized((code: KnownCode) => new CodeSet(profileValues(code.field, code.values())))
const codesOfColumn = memoized((column: Column) => new CodeSet(column.profile))

/** The columns by which a table may be referred to: its key, and what else tells its records apart. */
export function targetsIn(table: KeyedTable): readonly Target[] {
  const [key] = table.key
  if (key === undefined || table.key.length > 1) return []
  const others = table.columns.filter(
    ({ sights, profile }) => sights.unique === 1 && profile.isOneLine && sights.dateType !== 1,
  )
  return [key, ...others.filter((column) => column !== key)].map((column) => ({
    resource: table.resource.name,
    nouns: [subjectOf(headerWords(table.resource.name))],
    field: column.name,
    fieldWords: column.words,
    isNumber: column.sights.number === 1,
    kind: column === key ? 'key' : column.sights.codeLike === 1 && column.sights.wordy !== 1 ? 'code' : 'name',
    table,
    codes: () => codesOfColumn(column),
  }))
}

export const knownTargets = (lists: readonly KnownList[]): readonly Target[] =>
  lists.flatMap((list) =>
    list.codes.map((code: KnownCode) => ({
      package: list.package,
      resource: list.resource,
      nouns: list.names.map((name) => subjectOf(headerWords(name))),
      field: code.field,
      fieldWords: headerWords(code.field),
      kind: 'key' as const,
      isNumber: false,
      codes: () => codeSetOf(code),
      ...(code.lengths === undefined ? {} : { lengths: code.lengths }),
    })),
  )

/** How much a header says that a column refers to a list of these nouns. */
export function namedFor(subject: readonly string[], nouns: readonly string[], own: readonly string[]): number {
  const [last, lastNoun] = [subject.at(-1), nouns.at(-1)]
  if (last === undefined || lastNoun === undefined) return 0
  const isIn = (word: string, words: readonly string[]) => words.some((one) => isSameWord(word, one))
  if (nouns.every((noun) => isIn(noun, subject))) return 1
  if (isSameWord(last, lastNoun)) return nouns.slice(0, -1).every((noun) => isIn(noun, [...subject, ...own])) ? 1 : 0.5
  return nouns.length === 1 && isShortFor(last, lastNoun) ? 0.6 : 0
}

const MIN_FOUND = 0.5
const INFORMATION = 10

export function relationsOf(column: Column, own: InferredTable, targets: readonly Target[]): readonly Relation[] {
  const { profile, subject, words } = column
  if (profile.values.length === 0 || column.sights.fraction === 1 || column.sights.sentence === 1) return []
  const isTelling = !words.every((word) => names(word, 'code', 'name', 'generic', 'quantity'))
  const header = words.join(' ')
  return targets.flatMap((target): Relation[] => {
    const isSelf = target.table?.resource === own.resource
    if (isSelf && (target.field === column.name || (target.kind !== 'key' && column.sights.parent !== 1))) return []
    const sameHeader = !isSelf && isTelling && header === target.fieldWords.join(' ')
    const named = Math.max(0, ...target.nouns.map((nouns) => namedFor(subject, nouns, own.nouns)))
    if (target.kind !== 'key' && !isSelf && (named < 0.5 || target.isNumber)) return []
    if (target.package !== undefined && !mayBe(column, target.lengths, named)) return []
    const evidence = target.codes().evidenceFrom(profile)
    if (evidence === undefined || evidence.share < MIN_FOUND) return []
    const sights = {
      named: Math.max(named, sameHeader ? 1 : 0),
      sameHeader: Number(sameHeader),
      information: Math.min(1, evidence.information / INFORMATION),
      found: evidence.share,
      byName: Number(target.kind === 'name'),
      outside: Number(target.package !== undefined),
      self: Number(isSelf),
      sameThing: named < 0.5 && !sameHeader ? (column.sights.identifies ?? 0) : 0,
      integers: Number(target.codes().areNumbers),
    }
    return [{ target, evidence, sights }]
  })
}

/** What a column is beside the key of its table: about the same, or about something that another column has the code of. */
export function sightsBesideKey(column: Column, { key, columns }: KeyedTable): Sights {
  const isAlike = (other: Column) =>
    other !== column &&
    other.subject.length > 0 &&
    other.subject.length === column.subject.length &&
    other.subject.every((word, at) => isSameWord(word, column.subject[at] as string))
  const isOfKey = key.some(isAlike)
  const isOfOther =
    !isOfKey &&
    column.sights.code !== 1 &&
    columns.some((other) => !key.includes(other) && other.sights.code === 1 && isAlike(other))
  return {
    mateIsKey: Number(isOfKey),
    mateIsOther: Number(isOfOther),
    afterKey: Number(key.some(({ at }) => at === column.at - 1)),
  }
}

/** True for a column whose values have the lengths of the codes, or had them before zeros were lost; or of which its header says so. */
function mayBe({ profile }: Column, lengths: ReadonlySet<number> | undefined, named: number): boolean {
  if (lengths === undefined) return named >= 0.5
  const own = [...profile.lengths.keys()]
  return own.every((length) => lengths.has(length) || (named > 0 && lengths.has(length + 1)))
}

/** True if records lead back to themselves by what is above them, other than at a root. */
export function hasCircles(key: Column, parent: Column): boolean {
  const above = new Map<number, number>()
  for (const [row, hash] of key.profile.hashes.entries()) {
    const up = parent.profile.hashes[row] as number
    if (up !== 0 && up !== hash) above.set(hash, up)
  }
  const settled = new Set<number>()
  for (const start of above.keys()) {
    const way = new Set<number>()
    for (let at: number | undefined = start; at !== undefined && !settled.has(at); at = above.get(at)) {
      if (way.has(at)) return true
      way.add(at)
    }
    for (const one of way) settled.add(one)
  }
  return false
}
