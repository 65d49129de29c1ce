// Columns as an inference sees them: named sights of the header, the place, the values and the rest of the table, each from 0 to 1.
import { isFieldName } from '../../../base/texts.ts'
import { cutOf } from '../code-tree.ts'
import { listName } from '../declared-table.ts'
import type { Resource, TableField } from '../descriptor.ts'
import { isSeries } from './evidence.ts'
import { languageIn } from './language.ts'
import { type Concept, headerWords, isPluralOf, isSameWord, isShortFor, names, nounOf, subjectOf } from './lexicon.ts'
import { type ColumnProfile, shareOf, type TableProfile } from './table-profile.ts'

export type Sights = Readonly<Record<string, number>>

export type Column = {
  readonly profile: ColumnProfile
  readonly name: string
  readonly at: number
  readonly words: readonly string[]
  /** The words that say what it is about, without those of a language. */
  readonly subject: readonly string[]
  /** The language that its header, its title or its declaration names. */
  readonly language?: string
  /** Its words without those of the language. */
  readonly stem: readonly string[]
  /** What the descriptor says of it. */
  readonly declared: TableField
  readonly sights: Sights
}

export type InferredTable = {
  readonly resource: Resource
  readonly profile: TableProfile
  readonly columns: readonly Column[]
  /** What the list is about, by its name. */
  readonly nouns: readonly string[]
}

const UNDECLARED = new Set([undefined, '', 'any', 'default'])
export const isTypeDeclared = ({ declared }: Column): boolean => !UNDECLARED.has(declared.type)

/** Unique numbers that show what a row is by its place are no codes. */
const MIN_FAMILY = 2

export function inferredTable(
  resource: Resource,
  profile: TableProfile,
  packageNouns: readonly string[],
): InferredTable {
  const declared = new Map(resource.schema?.fields.map((field) => [field.name, field]))
  const nouns = [...subjectOf(headerWords(resource.name)), ...packageNouns]
  const first = new Map(profile.columns.toReversed().map((column) => [column.name, column]))
  const sound = profile.columns.filter((column) => isFieldName(column.name) && first.get(column.name) === column)
  const bare = sound.map((column, at) => bareColumn(column, at, declared.get(column.name)))
  const families = Map.groupBy(
    bare.filter(({ language }) => language !== undefined),
    ({ stem }) => stem.join(' '),
  )
  const isSure = ({ language, stem, isSure }: BareColumn) =>
    language === undefined ||
    isSure ||
    new Set(families.get(stem.join(' '))?.map((one) => one.language)).size >= MIN_FAMILY
  const known = bare.map((column) => (isSure(column) ? column : withoutLanguage(column)))
  const around = new Surroundings(known, nouns)
  const columns = known.map((column) => ({ ...column, sights: sightsOf(column, around, { nouns, resource }, profile) }))
  return { resource, profile, columns, nouns }
}

type BareColumn = Omit<Column, 'sights'> & { readonly isSure: boolean }

function bareColumn(profile: ColumnProfile, at: number, field: TableField | undefined): BareColumn {
  const declared: TableField = field ?? { name: profile.name, own: new Map() }
  const words = headerWords(profile.name)
  const told = declared.own.get('language')
  const found =
    languageIn(words) ?? (declared.title === undefined ? undefined : languageIn(headerWords(declared.title)))
  const stem = found?.stem ?? words
  const language = typeof told === 'string' ? told : found?.language
  const isNamed = stem.length === 0 || stem.some((word) => names(word, 'name', 'description', 'alias'))
  const isSure = typeof told === 'string' || (found?.isAmbiguous === false && (isNamed || found.isNamed))
  return {
    profile,
    name: profile.name,
    at,
    words,
    stem,
    subject: subjectOf(stem),
    ...(language === undefined ? {} : { language }),
    declared,
    isSure,
  }
}

function withoutLanguage({ language: _, ...column }: BareColumn): BareColumn {
  return { ...column, stem: column.words, subject: subjectOf(column.words) }
}

/** True for a header that is the last word of what the list is called, in the singular: the `synonym` of `city-synonyms`. */
const isCalledAs = (stem: readonly string[], resource: string) =>
  stem.length === 1 && isPluralOf(headerWords(listName(resource)).at(-1) ?? '', stem[0] as string)

/** How much the words of a column are those of a list: all of them, or a part. */
function namedAfter(subject: readonly string[], nouns: readonly string[]): number {
  if (subject.length === 0 || nouns.length === 0) return 0
  const isOf = (word: string) => nouns.some((noun) => isSameWord(word, noun))
  if (subject.every(isOf)) return 1
  const last = nouns.at(-1) as string
  if (subject.some((word) => isSameWord(word, last))) return 0.7
  return subject.some((word) => isOf(word) || nouns.some((noun) => isShortFor(word, noun))) ? 0.5 : 0
}

const CONCEPTS: readonly Concept[] = [
  'code',
  'name',
  'description',
  'alias',
  'other',
  'main',
  'parent',
  'year',
  'start',
  'end',
  'date',
  'foreign',
  'contact',
  'postal',
  'tax',
  'quantity',
  'kind',
]
const REPEATED = 0.5
const MAX_SHORT = 4
/** So many values that are all different are no chance. */
const MANY = 20

const every = (words: readonly string[], ...concepts: readonly Concept[]) =>
  words.length > 0 && words.every((word) => names(word, ...concepts))
const has = (words: readonly string[], ...concepts: readonly Concept[]) =>
  words.some((word) => names(word, ...concepts))

const subjectKey = ({ subject }: Pick<BareColumn, 'subject'>) => subject.map(nounOf).join(' ')

/** What the columns of a table are together, counted once. */
class Surroundings {
  readonly columns: readonly BareColumn[]
  readonly wordy: ReadonlySet<BareColumn>
  /** Columns of text that tell records apart. */
  readonly telling: ReadonlySet<BareColumn>
  readonly firstWordy: BareColumn | undefined
  readonly widest: number
  /** Columns of text that are called names, or what the list is about; and columns of codes. */
  readonly called: ReadonlySet<BareColumn>
  readonly about: ReadonlySet<BareColumn>
  readonly codes: ReadonlySet<BareColumn>
  readonly #mates: ReadonlyMap<string, { readonly codes: number; readonly others: number }>
  readonly #bySubject: ReadonlyMap<string, readonly BareColumn[]>
  readonly #byStem: ReadonlyMap<string, readonly BareColumn[]>

  constructor(columns: readonly BareColumn[], nouns: readonly string[]) {
    this.columns = columns
    const wordy = columns.filter(isWordy)
    this.wordy = new Set(wordy)
    this.telling = new Set(
      wordy.filter(({ profile }) => profile.distinct.length > REPEATED * (profile.rows - profile.empty)),
    )
    this.firstWordy = wordy[0]
    this.widest = Math.max(0, ...wordy.map(spread))
    this.called = new Set(wordy.filter(({ stem }) => has(stem, 'name')))
    this.about = new Set(wordy.filter(({ subject }) => namedAfter(subject, nouns) === 1))
    this.codes = new Set(columns.filter(({ stem }) => has(stem, 'code') && !has(stem, 'name')))
    this.#bySubject = Map.groupBy(columns, subjectKey)
    this.#mates = new Map(
      [...this.#bySubject].map(([subject, own]) => {
        const codes = own.filter(({ stem }) => has(stem, 'code')).length
        return [subject, { codes, others: own.length - codes }]
      }),
    )
    this.#byStem = Map.groupBy(columns, ({ stem }) => stem.join(' '))
  }

  /** True if another column about the same is one of codes, or is none. */
  hasMate(column: BareColumn, isOfCodes: boolean): boolean {
    if (column.subject.length === 0) return false
    const { codes, others } = this.#mates.get(subjectKey(column)) ?? { codes: 0, others: 0 }
    const isCode = has(column.stem, 'code')
    return (isOfCodes ? codes - Number(isCode) : others - Number(!isCode)) > 0
  }

  /** True if another column says the same in another language. */
  hasTranslation({ language, stem, subject }: BareColumn): boolean {
    if (language === undefined) return false
    const alike = this.#byStem.get(stem.join(' ')) ?? []
    const about = subject.length === 0 ? [] : (this.#bySubject.get(subjectKey({ subject })) ?? [])
    return [...alike, ...about].some((other) => other.language !== undefined && other.language !== language)
  }
}

const without = (columns: ReadonlySet<BareColumn>, column: BareColumn) =>
  columns.size - Number(columns.has(column)) === 0

function sightsOf(
  column: BareColumn,
  around: Surroundings,
  { nouns, resource }: Pick<InferredTable, 'nouns' | 'resource'>,
  { rows }: TableProfile,
): Sights {
  const { profile, stem, subject, at, language } = column
  const { shares, empty, distinct, values, lengths } = profile
  const { columns: all, wordy } = around
  const filled = Math.max(1, rows - empty)
  const before = all[at - 1]
  const longest = Math.max(0, ...lengths.keys())
  const isCodeLike = shares.spaced <= 0.1 && shares.address < 0.5 && longest <= 40 && profile.isOneLine
  const own = isCalledAs(stem, resource.name) ? 1 : namedAfter(subject, nouns)
  const told: Record<string, boolean | number> = {
    bias: 1,
    ...Object.fromEntries(CONCEPTS.map((concept) => [concept, has(stem, concept)])),
    // Texts are counted by nobody: an area that is none of land is a part of an institution.
    quantity: has(stem, 'quantity') && shareOf(values.slice(0, 100), (value) => /\p{L}/u.test(value)) < 0.5,
    parent: has(stem, 'parent') || has(headerWords(column.declared.title ?? ''), 'parent'),
    latitude: has(stem, 'latitude') && !has(stem, 'longitude'),
    longitude: has(stem, 'longitude') && !has(stem, 'latitude'),
    point: has(stem, 'point') || (has(stem, 'latitude') && has(stem, 'longitude')),
    onlyCode: every(stem, 'code', 'generic') && has(stem, 'code'),
    onlyName: every(stem, 'name', 'main', 'generic') && has(stem, 'name'),
    onlyPosition: every(stem, 'position') || profile.name.trim() === '#',
    rowNumber:
      (every(stem, 'position', 'number', 'generic') || stem.length === 0) && shares.digits === 1 && isSeries(values),
    otherName: has(stem, 'other') && has(stem, 'name'),
    onlyStart: has(stem, 'start') && every(stem, 'start', 'valid', 'generic'),
    onlyEnd: has(stem, 'end') && every(stem, 'end', 'valid', 'generic'),
    besideName: has(stem, 'description') && around.called.size > 0,
    inLanguage: language !== undefined,
    family: around.hasTranslation(column),
    besideNames: around.hasTranslation(column) && around.called.size > 0 && !around.called.has(column),
    bareLanguage: language !== undefined && stem.length === 0,
    own,
    // What the list is about is no property of its records.
    ...(own === 1 ? { kind: false, quantity: false, alias: false } : {}),
    aboutElse: subject.length > 0 && own === 0,
    noSubject: subject.length === 0,
    mateHasCode: !has(stem, 'code') && around.hasMate(column, true),
    mateHasName: has(stem, 'code') && around.hasMate(column, false),
    first: at === 0,
    second: at === 1,
    late: all.length < 2 ? 0 : at / (all.length - 1),
    afterCode: before !== undefined && has(before.stem, 'code') && !has(before.stem, 'name'),
    unique: distinct.length === rows && empty === 0,
    distinct: distinct.length / filled,
    identifies: distinct.length === filled && filled >= MANY,
    repeats: values.length > 0 && distinct.length / filled < REPEATED,
    constant: distinct.length === 1 && rows > 1,
    empty: empty / Math.max(1, rows),
    oneLength: lengths.size === 1 && longest > 1,
    acronym: longest <= MAX_SHORT && shares.upper > 0.5,
    codeLike: isCodeLike,
    leadingZero: shares.leadingZero > 0 && shares.digits > 0.9,
    digits: shares.digits === 1,
    number: shares.number === 1,
    fraction: isFraction(profile),
    series: shares.digits === 1 && isSeries(values),
    slug: isSlug(column) && [...around.called].some((other) => other !== column && !isSlug(other)),
    measure: shares.number === 1 && shares.leadingZero === 0 && lengths.size > 1 && !isSeries(values),
    upper: shares.upper,
    mixed: shareOf(values.slice(0, 100), (value) => /[0-9]/.test(value) && /\p{L}/u.test(value)),
    spaced: shares.spaced,
    sentence: shares.sentence,
    letters: shares.letters,
    lower: shares.lower,
    address: shares.address,
    listed: shares.listed,
    structured: shares.structured,
    long: !profile.isOneLine,
    dated: shares.dated > 0.8 && shares.letters <= 0.5,
    dateType: profile.types.some(({ type }) => type === 'date' || type === 'datetime'),
    wordy: wordy.has(column),
    onlyWordy: around.telling.size === 1 && around.telling.has(column),
    firstWordy: around.firstWordy === column,
    wordiest: wordy.has(column) && spread(column) >= around.widest,
    noName: around.called.size === 0,
    noOtherName: without(around.called, column),
    noCode: without(around.codes, column),
    noOwn: without(around.about, column),
    pair: column.declared.type === 'geopoint' || shareOf(values.slice(0, 100), isPair) > 0.95,
  }
  told.descriptionAlone =
    told.description === true &&
    told.noOwn === true &&
    ![...around.called].some((other) => other.language === undefined || other.language === language)
  return Object.fromEntries(
    Object.entries(told).flatMap(([name, value]) => (Number(value) === 0 ? [] : [[name, Number(value)]])),
  )
}

const PAIR = /^\(?\s*-?[0-9]{1,3}(?:\.[0-9]+)?\s*[,; ]\s*-?[0-9]{1,3}(?:\.[0-9]+)?\s*\)?$/
export const isPair = (value: string): boolean => PAIR.test(value)

/** True for text that people read. */
const isWordy = ({ profile: { shares, types } }: BareColumn) =>
  types.length === 0 && shares.letters > 0.5 && shares.address < 0.5 && shares.structured < 0.5

/** True for numbers that are not whole, unless they are codes such as 1, 1.1 and 1.2. */
const isFraction = ({ types, values }: ColumnProfile): boolean =>
  types.some(({ type }) => type === 'number') &&
  !types.some(({ type }) => type === 'integer') &&
  cutOf(values, (code) => values.includes(code)) === undefined

/** True for names that programs have for things. */
const isSlug = ({ profile: { shares, isOneLine } }: BareColumn) =>
  isOneLine && shares.lower === 1 && shares.letters === 1 && shares.spaced === 0

/** How much text there is, where values are different. */
const spread = ({ profile: { values, distinct, rows } }: BareColumn) =>
  values.slice(0, 100).reduce((sum, value) => sum + value.split(/\s+/).length, 0) *
  (distinct.length / Math.max(1, rows))
