// Chooses a role for each column of a table: the likeliest by score that the laws allow.
import { type Column, isPair } from './columns.ts'
import type { Declared } from './declared.ts'
import { isSameWord, languageOfWord, names } from './lexicon.ts'
import { hasCircles, type KeyedTable, type Relation, sightsBesideKey } from './relations.ts'
import { marginOf, ROLES, type Role, type Weights } from './score.ts'
import { shareOf } from './table-profile.ts'

type Option = { readonly column: Column; readonly role: Role; readonly score: number; readonly relation?: Relation }

/** The role that was chosen for a column. */
export type RoleChoice = Option & {
  /** The language of a name. */
  readonly language?: string
  /** The role that is nearly as likely. */
  readonly next?: Option
}

/** Roles of consequence: where two of them are nearly as likely, that is told. */
const OF_CONSEQUENCE: readonly Role[] = [
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
/** The score of what is declared. */
const DECLARED = 1_000

/** A role for every column that is no part of the key, or is more than that. */
export function rolesOf(
  table: KeyedTable,
  relationsOf: (column: Column) => readonly Relation[],
  declared: Declared,
  weights?: Weights,
): readonly RoleChoice[] {
  const options = table.columns
    .flatMap((column) => optionsOf(column, table, relationsOf(column), declared, weights))
    .toSorted((a, b) => b.score - a.score)
  const chosen = new Chosen(options, table.nouns)
  for (const option of options) chosen.take(option)
  return chosen.inOrder(table.columns)
}

function optionsOf(
  column: Column,
  table: KeyedTable,
  relations: readonly Relation[],
  declared: Declared,
  weights: Weights | undefined,
): readonly Option[] {
  const isKey = table.key.includes(column)
  const isWholeKey = isKey && table.key.length === 1
  const besides = isKey ? {} : { ...sightsBesideKey(column, table), related: relatedness(relations) }
  const optionOf = (role: Role, relation?: Relation): Option => ({
    column,
    role,
    score: role === 'value' ? 0 : marginOf(role, column, { ...besides, ...relation?.sights }, weights),
    ...(relation === undefined ? {} : { relation }),
  })
  const settled = declared.roleOf(column)
  if (settled !== undefined && !(isKey && settled === 'code')) return [{ column, role: settled, score: DECLARED }]
  if (isWholeKey) return [optionOf('value')]
  const related = relations.flatMap((relation) => {
    const isSelf = relation.target.table?.resource === table.resource
    return isSelf && isKey ? [] : [optionOf(isSelf ? 'parent' : 'reference', relation)]
  })
  const plain: readonly Role[] = isKey
    ? ['name', 'value']
    : column.profile.values.length === 0
      ? ['validFrom', 'validTo', 'value']
      : ROLES.filter((role) => !['key', 'parent', 'reference'].includes(role))
  return [...related, ...plain.map((role) => optionOf(role))].filter(
    ({ score, role }) => (score > 0 && !declared.has(role)) || role === 'value',
  )
}

/** How much a header names a list that has the values of its column. */
export const relatedness = (relations: readonly Relation[]): number =>
  Math.max(
    0,
    ...relations.map(({ sights: { named = 0, found = 0, self = 0 } }) =>
      found >= MIN_FOUND && self === 0 ? named : 0,
    ),
  )

/** False where a law speaks against a role; else the language that a name has then. */
type Verdict = false | string | undefined
const allowedIf = (isRight: boolean): Verdict => (isRight ? undefined : false)

/** Law: found in nine of ten; a reference of plain integers, or one that no header names, needs evidence. */
export const MIN_FOUND = 0.9
const ENOUGH = 0.8
/** Further codes tell records apart. */
const MIN_DISTINCT = 0.9

class Chosen {
  readonly #options: ReadonlyMap<Column, readonly Option[]>
  readonly #byRole: ReadonlyMap<Role, readonly Option[]>
  readonly #nouns: readonly string[]
  readonly #choices = new Map<Column, RoleChoice>()
  readonly #taken = new Map<Role, RoleChoice[]>()

  constructor(options: readonly Option[], nouns: readonly string[]) {
    this.#nouns = nouns
    this.#options = Map.groupBy(options, ({ column }) => column)
    this.#byRole = Map.groupBy(options, ({ role }) => role)
  }

  take(option: Option): void {
    if (this.#choices.has(option.column)) return
    const language = this.#allows(option)
    if (language === false) return
    const choice = { ...option, ...(language === undefined ? {} : { language }) }
    this.#choices.set(option.column, choice)
    this.#taken.getOrInsertComputed(option.role, () => []).push(choice)
  }

  /** The choices, each with the role that is nearly as likely, if one of the two is of consequence. */
  inOrder(columns: readonly Column[]): readonly RoleChoice[] {
    this.#pairNames()
    return columns.flatMap((column) => {
      const choice = this.#choices.get(column)
      if (choice === undefined || choice.score >= DECLARED) return choice ?? []
      const next = this.#options.get(column)?.find((other) => this.#isNearly(other, choice))
      return next === undefined ? choice : { ...choice, next }
    })
  }

  #isNearly(other: Option, { role, score, relation }: RoleChoice): boolean {
    const isAnother = other.role !== role || (relation !== undefined && other.relation !== relation)
    const isOfConsequence = OF_CONSEQUENCE.includes(other.role) || OF_CONSEQUENCE.includes(role)
    return isAnother && isOfConsequence && score - other.score < NEAR && this.#allows(other) !== false
  }

  #others(role: Role, column: Column): readonly RoleChoice[] {
    return (this.#taken.get(role) ?? []).filter((one) => one.column !== column)
  }

  #allows(option: Option): Verdict {
    const { column, role, relation, score } = option
    const { sights, profile } = column
    if (score >= DECLARED) return column.language
    switch (role) {
      case 'reference':
        return allowedIf(relation !== undefined && this.#mayRefer(column, relation))
      case 'parent':
        return allowedIf(relation !== undefined && this.#mayBeParent(column, relation))
      case 'name':
        return this.#nameAllowed(column)
      case 'latitude':
      case 'longitude':
        return allowedIf(this.#mayBePoint(column, role))
      case 'coordinates':
        return allowedIf(this.#others(role, column).length === 0 && sights.pair === 1)
      case 'validFrom':
      case 'validTo':
        // Law: a time tells time.
        return allowedIf(
          this.#others(role, column).length === 0 &&
            (sights.dateType === 1 || sights.dated === 1 || profile.values.length === 0),
        )
      case 'description':
        return allowedIf(
          profile.types.length === 0 &&
            this.#others(role, column).every((one) => one.column.language !== column.language),
        )
      case 'alias':
        return allowedIf(profile.types.length === 0)
      case 'code':
        return allowedIf(
          profile.isOneLine &&
            sights.dateType !== 1 &&
            (sights.distinct ?? 0) >= MIN_DISTINCT &&
            !['integer', 'number'].includes(column.declared.type ?? ''),
        )
      default:
        return undefined
    }
  }

  #mayRefer(column: Column, { sights, target }: Relation): boolean {
    const { named = 0, information = 0, found = 0, integers = 0, outside = 0 } = sights
    const isNamedEnough = integers === 0 ? named >= 0.5 : named === 1 && outside === 0
    const isRepeated = this.#others('reference', column).some(
      ({ relation }) =>
        relation?.target.resource === target.resource && (target.kind === 'name' || relation.target.kind === 'name'),
    )
    return found >= MIN_FOUND && (information >= ENOUGH || isNamedEnough) && !isRepeated
  }

  /** Law: a parent is found, in two levels, without circles. */
  #mayBeParent(column: Column, { sights, target }: Relation): boolean {
    const { information = 0, found = 0 } = sights
    const key = target.table?.columns.find(({ name }) => name === target.field)
    if (key === undefined || found < MIN_FOUND || this.#others('parent', column).length > 0) return false
    if (column.sights.parent !== 1 && information < ENOUGH) return false
    return hasTwoLevels(key, column) && !hasCircles(key, column)
  }

  /** Law: latitude and longitude come as a pair, within their range. */
  #mayBePoint(column: Column, role: 'latitude' | 'longitude'): boolean {
    const limit = role === 'latitude' ? 90 : 180
    const isWithin = (value: string) => Math.abs(Number(value.replace(',', '.'))) <= limit
    const partners = this.#byRole.get(role === 'latitude' ? 'longitude' : 'latitude') ?? []
    return (
      this.#others(role, column).length === 0 &&
      shareOf(column.profile.values, isWithin) === 1 &&
      partners.some((one) => isBeside(one.column, column))
    )
  }

  /** Law: one name a language. A second one without a language needs a header in another language than the first. */
  #nameAllowed(column: Column): Verdict {
    const { sights, profile, language } = column
    if (!profile.isOneLine || (sights.wordy !== 1 && sights.name !== 1 && language === undefined)) return false
    const taken = this.#others('name', column)
    const [first] = taken
    if (first === undefined) return language
    const languages = taken.map((one) => one.column.language)
    if (language !== undefined) {
      const isSibling = taken.some((one) => one.column.subject.join() === column.subject.join())
      const isSame = isSibling || !languages.some((one) => one !== undefined)
      return !languages.includes(language) && isSame ? language : false
    }
    if (!languages.includes(undefined)) return allowedIf(sights.name === 1)
    const own = impliedLanguage(column)
    const isTranslation = taken.every(({ column: other, language: given }) => {
      const language = given ?? impliedLanguage(other)
      return own !== undefined && language !== undefined && language !== own && this.#areAlike(other, column)
    })
    return isTranslation ? own : false
  }

  /** True for headers about the same, one of which may say what the list is about besides. */
  #areAlike(one: Column, other: Column): boolean {
    const about = ({ subject }: Column) =>
      subject.filter((word) => !this.#nouns.some((noun) => isSameWord(word, noun))).join()
    return about(one) === about(other)
  }

  /** Of two names whose headers say the same in two languages, the first has its language too. */
  #pairNames(): void {
    const named = this.#taken.get('name') ?? []
    if (!named.some(({ column, language }) => column.language === undefined && language !== undefined)) return
    for (const one of named) {
      const language = one.language ?? impliedLanguage(one.column)
      if (language !== undefined) this.#choices.set(one.column, { ...one, language })
    }
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

/** The language of the word that says that a column is a name. */
const impliedLanguage = ({ words }: Column): string | undefined =>
  words.map((word) => languageOfWord(word, 'name')).find((language) => language !== undefined)

export const isLongitudeFirst = ({ profile, words }: Column): boolean =>
  names(words[0] ?? '', 'longitude') ||
  shareOf(profile.values.filter(isPair), (value) => Math.abs(Number.parseFloat(value.replace('(', ''))) <= 90) < 0.95
