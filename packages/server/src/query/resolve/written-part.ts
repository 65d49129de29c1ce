// A part of a row as it was written: its words, the same without words that say nothing, and what of it may be a code.
import { LruCache } from '../../base/lru-cache.ts'
import { memoized } from '../../base/memoized.ts'
import type { Entity } from '../../catalog/entity.ts'
import type { Language } from '../../catalog/languages/language.ts'
import { languageOfNames } from '../../catalog/languages/languages.ts'
import { ancestorsOf } from '../../catalog/lineage.ts'
import { wordsOf } from '../../catalog/words.ts'
import { recordsCoded } from '../../release/aliases.ts'
import { positionsWithCode } from '../../release/official-codes.ts'
import type { Release } from '../../release/release.ts'
import { typedCode, typedCodeOf } from '../search/codes.ts'
import { seatsAmong } from '../search/seats.ts'
import { isLight } from '../search/word-match.ts'
import { type Forms, type IsKnown, WrittenName } from './name-match.ts'
import { withoutPostalCode } from './postal-codes.ts'
import { isKnownIn, repairedTexts } from './repaired-text.ts'

/** What a part may say as well; where nothing is left out, how it says so. */
type OtherName = { readonly name: WrittenName; readonly cost: number; readonly how?: 'abbreviation' }

export type WrittenPart = {
  readonly entity: Entity
  /** What tells it from other parts. */
  readonly key: string
  readonly written: WrittenName
  /** The same without the words before it that say what it is, as in "municipio de Jalpa", or with a given name for its initial. */
  readonly stripped: readonly OtherName[]
  /** The same without the saint or the rank before it, if there is one: "San Cosme Xaloztoc" is Xaloztoc. */
  readonly withoutSaint: WrittenName | undefined
  /** What may be a code: digits, or the letters of an abbreviation. */
  readonly code: string | undefined
  readonly digits: string | undefined
  /** A code that stands beside the name, as in "14 - Jalisco". */
  readonly beside: string | undefined
  /** The records that have or had it as their whole code, as in "14039 - Guadalajara". */
  readonly besideAt: readonly number[]
  /** Whether there is a comma or a bracket in it, so that it says several things. */
  readonly isList: boolean
  /** Whether a bracket is opened in it and not closed, so that the end of a name is missing. */
  readonly isCutOff: boolean
  /** Whether the text was damaged, and is read as what it was before. */
  readonly isRepaired: boolean
}

/** The parts of a row, from the most distant ancestor to the record itself; empty parts are left out, and what is too long is cut. */
export function writtenParts(release: Release, texts: ReadonlyMap<string, string>, maxLength: number): WrittenPart[] {
  const parts: WrittenPart[] = []
  texts.forEach((text, name) => {
    const entity = release.entity(name).definition
    const own = withoutPostalCode(text.slice(0, maxLength), languageOfNames(entity))
    const part = writtenPart(release, entity, own)
    if (part.written.words.length > 0 && !isNothing(entity, own)) parts.push(part)
  })
  return parts.sort((a, b) => ancestorsOf(a.entity).length - ancestorsOf(b.entity).length)
}

/** Whether what is below nothing else is said to be nothing, by a slash: "NA" is Namibia, and "N/A" is not. */
const isNothing = (entity: Entity, text: string): boolean =>
  text.includes('/') && ancestorsOf(entity).length === 0 && languageOfNames(entity).isAbsent([wordsOf(text).join('')])

/** A code and a name in one cell, and a number as a spreadsheet writes it. */
const CODE_AND_NAME = /^\s*([0-9]+(?:\.[0-9]+)*)\s*[-–—.:)]\s*(\p{L}.*)$/u
/** The same with less between them, or in the other order. */
const CODE_BEFORE = /^\s*([0-9]+(?:\.[0-9]+)*)\s+(\p{L}.*)$/u
const CODE_AFTER = /^\s*(\p{L}.*?)[-–—:([]\s*([0-9][0-9.]*[0-9])\s*[)\]]?\s*$/u
/** Letters with a slash between them are one abbreviation, as "c/o". */
const SLASHED = /(?<!\p{L})(\p{L})\/(\p{L})(?!\p{L})/gu
const LISTED = /\S\s*[,(]/
const UNCLOSED = /\S\s*[([][^)\]]*$/
const DECIMAL = /^\s*([0-9]+)\.0+\s*$/
const DAY_OF_MONTH = /^\s*([0-9]{1,2})(?:[-/ ]|( de ))(\p{L}{3,})\.?\s*$/iu
/** What begins a name behind it, as lists have it that are sorted: "Paz, La", "México, Estado de". */
const WORDS_BEHIND = /^([^,(]*\S)\s*[,(]\s*((?:\p{L}+ )*(\p{L}+))\s*\)?\s*$/u

/** What tells some parts from others. */
export const keyOf = (parts: readonly WrittenPart[]): string =>
  parts.length === 1 ? (parts[0] as WrittenPart).key : parts.map(({ key }) => key).join('|')

const MAX_PARTS = 512
const partsIn = memoized((_: Release) => memoized((_: Entity) => new LruCache<WrittenPart>({ maxEntries: MAX_PARTS })))

/** Tables say the same again and again. */
export const writtenPart = (release: Release, entity: Entity, text: string): WrittenPart =>
  partsIn(release)(entity).get(text, () => readPart(release, entity, text))

function readPart(release: Release, entity: Entity, text: string): WrittenPart {
  const isKnown = isKnownIn(release, entity)
  const cell = PLAIN.test(text) ? plainCell(text) : cellWithSigns(release, entity, text, isKnown)
  const { own, others, beside, isNoCode, isList, isCutOff, isRepaired } = cell
  const nameOf = (words: readonly string[]) => new WrittenName(words, languageOfNames(entity), isKnown)
  const written = nameOf(isNoCode ? [own.trim()] : wordsOf(own))
  const otherNames = others.map((other) => ({ name: nameOf(wordsOf(other)), cost: 0 }))
  const digits = typedCode(written.typed)
  const shorter = withoutNoise(written, entity.name, seatsAmong(release, entity.name) !== undefined)
  const stripped = [...shorter, ...otherNames, ...[{ name: written, cost: 0 }, ...shorter].flatMap(withGivenName)]
  // "Edo. Jal." has the letters of a code after a word that says of what.
  const named = [written, ...shorter.map(({ name }) => name).filter(({ typed }) => typedCode(typed) === undefined)]
  const texts = [beside ?? '', isRepaired ? '*' : '', written.text, ...stripped.map(({ name }) => name.text)]
  return {
    entity,
    key: `${entity.name}=${texts.join(' / ')}${isList ? ',' : ''}${isCutOff ? '(' : ''}`,
    written,
    stripped,
    withoutSaint: withoutSaint(written),
    digits,
    code: digits ?? (isNoCode ? undefined : named.find((name) => isCodeLike(entity, name.typedJoined))?.typedJoined),
    beside,
    besideAt: beside === undefined ? [] : recordsCoded(release, entity, beside).positions,
    isList,
    isCutOff,
    isRepaired,
  }
}

/** All ways to read a part: as it is written, and as what it may say as well. */
export function readingsOf({ written, stripped }: WrittenPart): readonly Forms[] {
  if (stripped.length === 0) return written.readings
  return [written, ...stripped.map(({ name }) => name)].flatMap(({ readings }) => readings)
}

/** What a part says, and what its signs and digits say of that. */
type Cell = Pick<WrittenPart, 'beside' | 'isList' | 'isCutOff' | 'isRepaired'> & {
  readonly own: string
  /** What it may say as well. */
  readonly others: readonly string[]
  readonly isNoCode: boolean
}

/** Nearly all names are letters and blanks alone, in which there is nothing else to read. */
export const PLAIN = /^[a-zA-ZáéíóúüñÁÉÍÓÚÜÑ ]*$/

const plainCell = (own: string): Cell => ({
  own,
  others: [],
  beside: undefined,
  isNoCode: false,
  isList: false,
  isCutOff: false,
  isRepaired: false,
})

function cellWithSigns(release: Release, entity: Entity, typed: string, isKnown: IsKnown): Cell {
  const language = languageOfNames(entity)
  const said = withoutAbsent(typed, language)
  const text = withArticle(withWholeMonth(said, language), language)
  // Words that say that a code follows are no name beside it.
  const isCode = typedCodeOf(entity, wordsOf(text)) !== undefined
  const { beside, name, whole } = isCode ? {} : codeBeside(text)
  const given = (name ?? DECIMAL.exec(text)?.[1] ?? text).replace(SLASHED, '$1$2')
  const [repaired, ...otherwise] = language.isAbsent(wordsOf(given)) ? [] : repairedTexts(given, isKnown)
  const own = repaired ?? given
  return {
    own,
    others: whole === undefined ? otherwise : [...otherwise, whole],
    beside,
    // A number with a fraction or a sum is no code, and no words that are one without a space.
    isNoCode: SUM.test(given) || isFraction(release, entity, given),
    isList: LISTED.test(own),
    isCutOff: UNCLOSED.test(own),
    isRepaired: repaired !== undefined,
  }
}

/** The day that a place is named for as it is written in names, where its month is short, as where a spreadsheet took it for a date. */
function withWholeMonth(text: string, language: Language): string {
  const [, day, between = ' ', short] = DAY_OF_MONTH.exec(text) ?? []
  const month = short === undefined ? undefined : language.monthOf(short.toLowerCase())
  return month === undefined ? text : `${Number(day)}${between}${month}`
}

const LETTER = /\p{L}/u

/** The parts of a list that say something. */
function withoutAbsent(text: string, { isAbsent }: Language): string {
  if (!text.includes(',')) return text
  const parts = text.split(',')
  const said = parts.filter((part) => !(LETTER.test(part) && isAbsent(wordsOf(part))))
  return said.length === 0 || said.length === parts.length ? text : said.join(',')
}

/** A name with its article before it, or with what ends with "de". */
function withArticle(text: string, { isLinking, isGenitive }: Language): string {
  const [, name, behind = '', last = ''] = WORDS_BEHIND.exec(text) ?? []
  const isArticle = behind === last && isLinking(last.toLowerCase()) && !isGenitive(last.toLowerCase())
  const goesOn = behind !== last && isGenitive(last.toLowerCase())
  return isArticle || goesOn ? `${behind} ${name}` : text
}

type CodeBeside = { readonly beside?: string; readonly name?: string; readonly whole?: string }

/** A name and a code that stands before or after it, and the whole text where it may as well be a name; nothing where it is not both. */
function codeBeside(text: string): CodeBeside {
  const [, code, rest] = CODE_AND_NAME.exec(text) ?? []
  if (code !== undefined && rest !== undefined) return { beside: withoutPoints(code), name: rest }
  const [, before, nameAfter] = CODE_BEFORE.exec(text) ?? []
  const [, nameBefore, after] = CODE_AFTER.exec(text) ?? []
  const [beside, name] = [before ?? after, nameAfter ?? nameBefore]
  return beside === undefined || name === undefined ? {} : { beside: withoutPoints(beside), name, whole: text }
}

const withoutPoints = (code: string): string => code.replaceAll('.', '')

const SUM = /[0-9]\s*\+\s*[0-9]/
const FRACTION = /^\s*[0-9]+[.,]([0-9]+)\s*$/

/** Whether a text is a number with a fraction, and no code that is written with a point. */
function isFraction(release: Release, entity: Entity, text: string): boolean {
  const [, fraction] = FRACTION.exec(text) ?? []
  if (fraction === undefined) return false
  return fraction.length < 2 || positionsWithCode(release, entity, wordsOf(text).join('')).length === 0
}

/** The same text as a part of another entity. */
export const writtenPartAs = (release: Release, entity: Entity, { written, beside }: WrittenPart): WrittenPart =>
  writtenPart(release, entity, beside === undefined ? written.text : `${beside} ${written.text}`)

const codePatterns = memoized(({ fields }: Entity) =>
  Object.values(fields).flatMap((field) => (field.kind === 'code' ? field.pattern : [])),
)

/** Whether a text has the form of a code of the entity, in whatever case. */
const isCodeLike = (entity: Entity, joined: string): boolean =>
  codePatterns(entity).some((pattern) => pattern.test(joined.toUpperCase()))

/** The cost of an initial, and how many letters what follows it has at least. */
const INITIAL_COST = 0.2
const MIN_AFTER_INITIAL = 5

/** What an initial before a name may stand for: "E. Zapata" is Emiliano Zapata; the second one of a person tells nothing. */
function withGivenName({ name, cost }: OtherName): OtherName[] {
  const { language, isKnown, typed } = name
  const isGiven = (word = '') => language.givenNames(word.charAt(0)).includes(word)
  const at = typed.findIndex((word) => word.length === 1)
  if (at === -1 || isGiven(typed[at - 1]) || (typed.slice(at + 1).at(-1)?.length ?? 0) < MIN_AFTER_INITIAL) return []
  return language.givenNames(typed[at] as string).map((given) => ({
    name: new WrittenName(typed.with(at, given), language, isKnown),
    cost: cost + INITIAL_COST,
    how: 'abbreviation',
  }))
}

const MAX_STRIPPED = 2

/** The cost of leaving out a word that says of which entity the record is. */
export const ENTITY_NOISE_COST = 0.2
/** The cost of leaving out another one such as "rancho", which may be part of the name. */
export const OTHER_NOISE_COST = 0.6

/**
 * What is left without the first word that says what a record is, without the first two, and so on. A hamlet is no municipality and
 * no country of its name.
 */
function withoutNoise(
  { typed: words, language, isKnown }: WrittenName,
  entity: string,
  mayBeHamlet: boolean,
): WrittenPart['stripped'] {
  const { isNoise, isLeading, isHamlet, isGenitive, longFormsOf } = language
  const ways: { readonly name: WrittenName; readonly cost: number }[] = []
  let [rest, cost] = [words, 0]
  const saysWhat = (word: string) =>
    (isNoise(word) || isLeading(word) || longFormsOf(word).some(isNoise)) && (mayBeHamlet || !isHamlet(word))
  while (ways.length < MAX_STRIPPED && saysWhat(rest[0] ?? '')) {
    const first = rest[0] as string
    cost += first === entity || longFormsOf(first).includes(entity) ? ENTITY_NOISE_COST : OTHER_NOISE_COST
    rest = rest.slice(isGenitive(rest[1] ?? '') ? 2 : 1)
    if (rest.length === 0) break
    ways.push({ name: new WrittenName(rest, language, isKnown), cost })
  }
  return ways
}

function withoutSaint({ words, language, isKnown }: WrittenName): WrittenName | undefined {
  const [first = ''] = words
  const count = language.isRank(first) ? 1 : language.saintWords(first)
  const rest = count === 0 ? [] : words.slice(language.isLinking(words[count] ?? '') ? count + 1 : count)
  const isName = rest.length > 0 && !isLight(language, rest[0] as string)
  return isName ? new WrittenName(rest, language, isKnown) : undefined
}

/** How many letters there are in the words that say something. */
export const lettersIn = (words: readonly string[], language: Language): number =>
  words.reduce((sum, word) => sum + (isLight(language, word) ? 0 : word.length), 0)
