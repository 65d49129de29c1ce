// Chooses the key of a table and a role for each other column: the likeliest by score that the laws allow.
import { type Column, type InferredTable, isPair } from './columns.ts'
import type { Declared } from './declared.ts'
import { languageOfWord, names } from './lexicon.ts'
import { hasCircles, type KeyedTable, type Relation } from './relations.ts'
import { marginOf, ROLES, type Role, type Weights } from './score.ts'
import { shareOf } from './table-profile.ts'

/** A role of a column, and how much likelier it is than the next best. */
export type Choice = {
  readonly column: Column
  readonly role: Role
  readonly relation?: Relation
  readonly language?: string
  readonly score: number
  /** The role that is nearly as likely. */
  readonly next?: { readonly role: Role; readonly relation?: Relation; readonly margin: number }
}

export type ChosenKey = {
  readonly columns: readonly Column[]
  readonly score: number
  /** Rows that lack it, or have that of another row. */
  readonly lost: number
  readonly next?: { readonly columns: readonly Column[]; readonly margin: number }
}

const CANDIDATES = 5
const MAX_KEY_COLUMNS = 4
/** Columns that are tried together. */
const MAX_TOGETHER = 8
/** Each further column of a key must be worth so much. */
const PER_COLUMN = 1.5
const PER_LOST = 2
/** Law: a key identifies; it may be lost in few rows, which is told. */
const MAX_LOST = 0.02
/** The most rows that are compared to find a key. */
const MAX_SCANNED = 20_000_000

/** Sets of columns that identify rows, the likeliest first; `restOf` scores what remains once a key is taken. */
export function keysOf(
  table: InferredTable,
  restOf: (key: readonly Column[]) => number,
  declared: Declared,
  weights?: Weights,
): readonly ChosenKey[] {
  const { profile, columns } = table
  const scored = columns
    .filter((column) => mayBeKey(column))
    .map((column) => ({ column, score: marginOf('key', column, declared.sightsOf(column), weights) }))
    .toSorted((a, b) => b.score - a.score)
  let budget = MAX_SCANNED
  const isOpen = (set: readonly Column[]) =>
    !profile.notUnique?.some((names) => names.length === set.length && set.every(({ name }) => names.includes(name)))
  const found: ChosenKey[] = []
  for (let size = 1; size <= MAX_KEY_COLUMNS; size++) {
    // Law: sets of three only where nothing less does.
    if (size > 2 && found.some(({ score }) => score > 0)) break
    const tried = size === 1 ? scored : scored.slice(0, MAX_TOGETHER)
    for (const set of combinations(tried, size)) {
      const own = set.map(({ column }) => column)
      if (!isOpen(own) || budget < 0 || (size > 1 && isRedundant(own, found))) continue
      budget -= profile.rows
      const lost = unidentifiedBy(own)
      if (lost > MAX_LOST * profile.rows) continue
      const mean = set.reduce((sum, { score }) => sum + score, 0) / size
      const score = mean - PER_COLUMN * (size - 1) - (lost > 0 ? PER_LOST : 0)
      found.push({ columns: own.toSorted((a, b) => a.at - b.at), score, lost })
    }
  }
  return found
    .toSorted((a, b) => b.score - a.score)
    .slice(0, CANDIDATES)
    .map((key) => ({ ...key, score: key.score + restOf(key.columns) }))
    .toSorted((a, b) => b.score - a.score)
}

/** Law: no fractions, no empty columns, no text of several lines. */
const mayBeKey = ({ sights, profile, declared }: Column) =>
  profile.isOneLine &&
  profile.values.length > 0 &&
  sights.fraction !== 1 &&
  ['code', undefined].includes(declared.own.get('role') as string | undefined)

/** True for a set with a column more than one that identifies the rows without loss. */
const isRedundant = (set: readonly Column[], found: readonly ChosenKey[]) =>
  found.some(({ columns, lost }) => lost === 0 && columns.every((column) => set.includes(column)))

function combinations<T>(items: readonly T[], size: number): T[][] {
  if (size === 0) return [[]]
  return items.flatMap((item, at) => combinations(items.slice(at + 1), size - 1).map((rest) => [item, ...rest]))
}

/** How many rows lack a value in one of the columns, or have all of another row. */
export function unidentifiedBy(columns: readonly Column[]): number {
  const [first, ...rest] = columns.map(({ profile }) => profile.hashes)
  if (first === undefined) return 0
  const joined = first.slice()
  for (const hashes of rest)
    for (let row = 0; row < joined.length; row++)
      joined[row] = joined[row] === 0 || hashes[row] === 0 ? 0 : mixed(joined[row] as number, hashes[row] as number)
  joined.sort()
  let [lost, last] = [0, 0]
  for (const hash of joined) {
    if (hash === 0 || hash === last) lost++
    last = hash
  }
  return lost
}

function mixed(one: number, other: number): number {
  const low = Math.imul((one >>> 0) ^ 0x9e3779b1, 0x85ebca6b) ^ (other >>> 0)
  const high = Math.imul(Math.floor(one / 2 ** 32) ^ (low >>> 7), 0xc2b2ae35) ^ Math.floor(other / 2 ** 32)
  return 2 ** 32 * (high & 0x1fffff) + (Math.imul(low ^ (high >>> 13), 0x5f356495) >>> 0) + 1
}

/** Roles of consequence: where two of them are nearly as likely, that is told. */
const OF_CONSEQUENCE: readonly Role[] = [
  'key',
  'name',
  'parent',
  'reference',
  'latitude',
  'longitude',
  'coordinates',
  'validFrom',
  'validTo',
]
const NEAR = 1

type Option = { readonly column: Column; readonly role: Role; readonly score: number; readonly relation?: Relation }

/** A role for every column that is no part of the key, or refers besides. `relationsOf` gives the lists that a column may refer to. */
export function rolesOf(
  table: KeyedTable,
  relationsOf: (column: Column) => readonly Relation[],
  declared: Declared,
  weights?: Weights,
): readonly Choice[] {
  const options = table.columns
    .flatMap((column) => optionsOf(column, table, relationsOf(column), declared, weights))
    .toSorted((a, b) => b.score - a.score)
  const chosen = new Map<Column, Option & { language?: string }>()
  for (const option of options) {
    if (chosen.has(option.column)) continue
    const language = isAllowed(option, options, chosen)
    if (language !== false) chosen.set(option.column, { ...option, ...(language === undefined ? {} : { language }) })
  }
  pairNames(chosen)
  return [...chosen.values()]
    .toSorted((a, b) => a.column.at - b.column.at)
    .map((choice) => {
      const next = options.find(
        (other) =>
          other.column === choice.column &&
          other.role !== choice.role &&
          choice.score - other.score < NEAR &&
          (OF_CONSEQUENCE.includes(other.role) || OF_CONSEQUENCE.includes(choice.role)) &&
          isAllowed(other, options, chosen) !== false,
      )
      if (next === undefined || declared.roleOf(choice.column) !== undefined) return choice
      const { role, relation } = next
      return {
        ...choice,
        next: { role, ...(relation === undefined ? {} : { relation }), margin: choice.score - next.score },
      }
    })
}

function optionsOf(
  column: Column,
  table: KeyedTable,
  relations: readonly Relation[],
  declared: Declared,
  weights: Weights | undefined,
): readonly Option[] {
  const isKey = table.key.includes(column)
  const optionOf = (role: Role, relation?: Relation): Option => ({
    column,
    role,
    score: role === 'value' ? 0 : marginOf(role, column, relation?.sights, weights),
    ...(relation === undefined ? {} : { relation }),
  })
  const settled = declared.roleOf(column)
  if (settled !== undefined && !(isKey && settled === 'code')) return [{ column, role: settled, score: DECLARED }]
  if (column.profile.values.length === 0) return [optionOf('value')]
  const related = relations.flatMap((relation) => {
    const isSelf = relation.target.table === table
    if (isSelf) return isKey ? [] : [optionOf('parent', relation)]
    // The key of a list stands for itself; a part of it may refer.
    return isKey && table.key.length === 1 ? [] : [optionOf('reference', relation)]
  })
  const plain = isKey
    ? table.key.length > 1
      ? (['name', 'value'] as const)
      : (['value'] as const)
    : ROLES.filter((role) => !['key', 'parent', 'reference'].includes(role))
  return [...related, ...plain.map((role) => optionOf(role))].filter(
    ({ score, role }) => (score > 0 && !declared.has(role)) || role === 'value',
  )
}

const DECLARED = 1_000

/** Law: found in nine of ten; a reference of plain integers, or one that no header names, needs evidence. */
export const MIN_FOUND = 0.9
const ENOUGH = 0.8

type Chosen = ReadonlyMap<Column, Option & { readonly language?: string }>

/** False where a law speaks against a role; for a name, the language that it has then. */
function isAllowed(option: Option, options: readonly Option[], chosen: Chosen): string | undefined | false {
  const { column, role, relation, score } = option
  const { sights, profile } = column
  if (score >= DECLARED) return column.language
  const taken = [...chosen.values()].filter((one) => one.role === role && one.column !== column)
  switch (role) {
    case 'reference': {
      const { named = 0, information = 0, found = 0, integers = 0, outside = 0 } = relation?.sights ?? {}
      const isEnough = information >= ENOUGH || (integers === 0 ? named >= 0.5 : named === 1 && outside === 0)
      const isRepeated =
        relation?.target.kind === 'name' && taken.some((one) => one.relation?.target.table === relation.target.table)
      return found >= MIN_FOUND && isEnough && !isRepeated ? undefined : false
    }
    case 'parent': {
      const { information = 0, found = 0 } = relation?.sights ?? {}
      const key = relation?.target.table?.columns.find(({ name }) => name === relation.target.field)
      const isEnough = sights.parent === 1 || information >= ENOUGH
      if (taken.length > 0 || found < MIN_FOUND || !isEnough || key === undefined) return false
      return hasTwoLevels(key, column) && !hasCircles(key, column) ? undefined : false
    }
    case 'name':
      return sights.wordy === 1 || sights.name === 1 ? languageAllowed(option, taken) : false
    case 'latitude':
    case 'longitude': {
      const limit = role === 'latitude' ? 90 : 180
      const other = role === 'latitude' ? 'longitude' : 'latitude'
      const isWithin = shareOf(profile.values, (value) => Math.abs(Number(value.replace(',', '.'))) <= limit) === 1
      const partner = options.find((one) => one.role === other && isBeside(one.column, column))
      return isWithin && partner !== undefined && taken.length === 0 ? undefined : false
    }
    case 'coordinates':
      return taken.length === 0 && sights.pair === 1 ? undefined : false
    case 'validFrom':
    case 'validTo':
      return taken.length === 0 && (sights.dateType === 1 || sights.dated === 1) ? undefined : false
    case 'description':
      return taken.every((one) => one.column.language !== column.language) && profile.types.length === 0
        ? undefined
        : false
    case 'alias':
      return profile.types.length === 0 ? undefined : false
    case 'code':
      return profile.isOneLine && sights.dateType !== 1 && sights.repeats !== 1 ? undefined : false
    default:
      return undefined
  }
}

/** A parent by which some record is below another, and not every record is its own. */
const hasTwoLevels = (key: Column, parent: Column) =>
  parent.profile.hashes.some((hash, row) => hash !== 0 && hash !== key.profile.hashes[row])

/** `lat` and `lon` of the same thing. */
const isBeside = (one: Column, other: Column) => {
  const rest = ({ words }: Column) => words.filter((word) => !names(word, 'latitude', 'longitude')).join()
  return rest(one) === rest(other)
}

/** Law: one name a language. A second name without one needs a header in another language than the first. */
function languageAllowed({ column }: Option, taken: readonly (Option & { readonly language?: string })[]) {
  const { language } = column
  if (taken.length === 0) return language
  const isSibling = taken.some(
    (one) => one.column.stem.join() === column.stem.join() || one.column.language === undefined,
  )
  if (language !== undefined)
    return taken.every((one) => one.column.language !== language) && (isSibling || column.sights.name === 1)
      ? language
      : false
  if (taken.every((one) => one.column.language !== undefined)) return column.sights.name === 1 ? undefined : false
  const [first] = taken
  const own = impliedLanguage(column)
  const other = first === undefined ? undefined : impliedLanguage(first.column)
  const isTranslation = taken.length === 1 && own !== undefined && other !== undefined && own !== other
  return isTranslation && first?.column.subject.join() === column.subject.join() ? own : false
}

/** The language of the word that says that a column is a name. */
const impliedLanguage = ({ words }: Column): string | undefined =>
  words.map((word) => languageOfWord(word, 'name')).find((language) => language !== undefined)

/** Of two names whose headers say the same in two languages, the first has its language too. */
function pairNames(chosen: Map<Column, Option & { language?: string }>): void {
  const named = [...chosen.values()].filter(({ role }) => role === 'name')
  const isImplied = named.some(({ column, language }) => column.language === undefined && language !== undefined)
  if (!isImplied) return
  for (const one of named) {
    const language = one.language ?? impliedLanguage(one.column)
    if (language !== undefined) chosen.set(one.column, { ...one, language })
  }
}

export const isLongitudeFirst = ({ profile, words }: Column): boolean =>
  names(words[0] ?? '', 'longitude') ||
  shareOf(profile.values.filter(isPair), (value) => Math.abs(Number.parseFloat(value.replace('(', ''))) <= 90) < 0.95
