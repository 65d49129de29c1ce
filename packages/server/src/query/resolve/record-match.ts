// How far a part of a row is from one record: from the nearest of its names, aliases and codes.
import { checkpoint } from '../../base/checkpoint.ts'
import { typedCode } from '../search/codes.ts'
import { distanceOf } from '../search/edit-distance.ts'
import { HOW } from '../search/explanation.ts'
import { isNumeral, isSlight, matchName, type NameMatch, WITHOUT_SAINT_COST, type WrittenName } from './name-match.ts'
import { OTHER_NOISE_COST, type WrittenPart } from './written-part.ts'

/**
 * In which ways a row may match: as in a search; by a code that the record had before; as a seat by the name of its parent; by the name
 * of a town in it; with its parts swapped; elsewhere than a part says; as damaged text that was repaired; without a part that says nothing;
 * in spite of the postal code of another state; or by the point that a row gives.
 */
export const ROW_HOW = [
  ...HOW,
  'former-code',
  'seat',
  'town',
  'swapped',
  'elsewhere',
  'repaired',
  'ignored-part',
  'other-postal-code',
  'point',
] as const
export type RowHow = (typeof ROW_HOW)[number]

/** One of the names of a record. */
export type CalledName = {
  readonly name: WrittenName
  /** What it costs to call the record so. */
  readonly cost: number
  /** How it is matched where it is not the name of the record itself. */
  readonly how?: RowHow
  /** Whether it is too little to be sure. */
  readonly isDoubtful?: boolean
  /** Whether it is the name of a parent, or has it in it. */
  readonly isOfParent?: boolean
}

/** A record with all that it is called. */
export type NamedRecord = {
  readonly position: number
  readonly names: readonly CalledName[]
  /** Whether it has records below it: like a seat, it may be called by a short form of its name, as "Toluca" for "Toluca de Lerdo". */
  readonly hasBelow: boolean
  /** Whether some thousand people live in it, so that a short form of its name is enough where its parent is named. */
  readonly isTown: boolean
  readonly isSeat: boolean
  /** Whether some hundred thousand people live in it. */
  readonly isCity: boolean
  /** Its codes, folded; read when they are asked for. */
  readonly codes: readonly string[]
  /** The same record where it does not go by the names of its parent. */
  readonly withoutNamesOfParent: () => NamedRecord
}

/** A record that a part may mean. */
export type PartMatch = Omit<NameMatch, 'how'> & {
  readonly how: RowHow
  readonly position: number
  /** Whether it is a seat that is meant only where its parent is named: so little of its name is written, or so much beside it. */
  readonly needsParent?: boolean | undefined
  /** What it costs where its parent is named, if that is less. */
  readonly costBesideParent?: number | undefined
}

/** The greatest cost of a match. */
export const MAX_COST = 3.4
/** The cost of a code whose leading zeros are missing. */
const WITHOUT_ZEROS_COST = 0.05
/** The cost of a number for a name that says it, as 1 for "Uno": it is rather a code. */
const NUMBER_COST = 0.6
/** The cost of the short form of the name of a seat. */
export const SHORT_SEAT_COST = 0.2
const BEGINNING_OF_SEAT_COST = 0.5
/** The cost of a name beside a code that is another's. */
const OTHER_CODE_COST = 1.5

/** The cost of text that was damaged and repaired. */
const REPAIRED_COST = 0.1

const LEADING_ZEROS = /^0+(?=.)/
export const withoutZeros = (code: string): string => code.replace(LEADING_ZEROS, '')

export const matchByCode = (position: number, isWithoutZeros: boolean, how: RowHow = 'code'): PartMatch => ({
  position,
  cost: isWithoutZeros ? WITHOUT_ZEROS_COST : 0,
  how,
  isWhole: true,
  isPrefix: false,
  isDoubtful: false,
  isShort: false,
})

/** Undefined where the record has too little in common with the part. */
export function matchRecord(record: NamedRecord, part: WrittenPart): PartMatch | undefined {
  checkpoint()
  const { names } = record
  let best: PartMatch | undefined
  for (let at = 0; at < names.length; at++) best = matchCalled(record, part, names[at] as CalledName, best)
  if (part.digits !== undefined && best !== undefined && best.how !== 'alias')
    best = { ...best, cost: best.cost + NUMBER_COST }
  if (best?.cost !== 0 && part.code !== undefined) {
    const coded = matchCode(record, part.code, part.digits)
    if (coded !== undefined && (best === undefined || coded.cost < best.cost)) best = coded
  }
  if (best !== undefined) best = besideCode(record, part, best)
  if (best !== undefined && part.isRepaired)
    best = { ...best, cost: best.cost + REPAIRED_COST, how: best.how === 'exact' ? 'repaired' : best.how }
  return best === undefined || best.cost > MAX_COST ? undefined : best
}

/** How a part matches one of the names of a record, if that costs less than the best match so far; or else that one. */
function matchCalled(
  record: NamedRecord,
  part: WrittenPart,
  called: CalledName,
  best: PartMatch | undefined,
): PartMatch | undefined {
  const { name, cost, how, isDoubtful } = called
  if (best !== undefined && best.cost <= cost) return best
  // A number in words is no code.
  if (how === 'alias' && typedCode(name.typed) !== undefined && !saysCode(part)) return best
  const plain = matchAny(part, name)
  const match: SeatMatch | undefined = record.isSeat
    ? how === 'alias' && called.isOfParent !== true
      ? asPart(plain)
      : matchSeat(record, part, called, plain)
    : matchShort(record, plain)
  if (match === undefined || (best !== undefined && cost + match.cost >= best.cost)) return best
  const isTooShort = match.isShort && !record.hasBelow && !record.isSeat
  // What goes on with "de Abajo" is another place than the one without.
  const isTooLong = match.isShort && match.how === 'dropped-words'
  const { isLinking, isRank, saintWords } = name.language
  // What ends with "de" went on; and a word such as "Villa" or "Santa" is how many names begin.
  const isBeginning = (word: string) => isRank(word) || saintWords(word) > 1 || isSlight(name.language, word)
  const { typed } = part.written
  const isCutOff =
    (match.how === 'dropped-words' && isLinking(typed.at(-1) ?? '')) || (match.isPrefix && typed.every(isBeginning))
  return {
    position: record.position,
    cost: cost + match.cost,
    how: how ?? match.how,
    isWhole: match.isWhole && how !== 'dropped-words',
    isPrefix: match.isPrefix,
    isDoubtful:
      isDoubtful === true ||
      match.isDoubtful ||
      isCutOff ||
      isTooLong ||
      (record.hasBelow && !name.words.includes(part.written.words[0] ?? '') && isOfFarm(part, match)) ||
      (isTooShort && !record.isTown) ||
      (match.cost >= MIN_OTHER_KIND && isOtherKind(part.written, name)),
    isShort: match.isShort,
    needsParent: isTooShort || match.needsParent || isWeak(part.written, name, match),
    costBesideParent: match.costBesideParent === undefined ? undefined : cost + match.costBesideParent,
  }
}

/** How many letters a name has at least that is known by itself with one wrong letter, and with two. */
const MIN_ONE_WRONG = 5
const MIN_TWO_WRONG = 10
const TWO_EDITS_COST = 2
/** Words of so many letters are not known with two wrong ones; shorter ones may stand for longer words. */
const [MIN_FAR, MAX_FAR] = [3, 5]

/** Whether a name is misspelt so that it may be another one: its first letter is another, or too few are right in it or in a word: "Cell" for "Soil". */
function isWeak(typed: WrittenName, name: WrittenName, { how, cost }: SeatMatch): boolean {
  if (how !== 'typo') return false
  const [written, own] = [typed.typedJoined, name.typedJoined]
  if (!typed.words.some((word) => word[0] === own[0])) return true
  if (isWithin(written, own)) return false
  if (written.length < (cost < TWO_EDITS_COST ? MIN_ONE_WRONG : MIN_TWO_WRONG)) return true
  const isNear = (word: string) => name.words.some((other) => distanceOf(word, other, 1).toWord <= 1)
  return typed.words.some((word) => word.length >= MIN_FAR && word.length <= MAX_FAR && !isNear(word))
}

/** Whether letters of a text were only left out. */
function isWithin(letters: string, text: string): boolean {
  let at = 0
  for (const letter of text) if (letter === letters[at]) at++
  return at === letters.length
}

/** Whether a part is a code of digits, or is one without the words before it. */
const saysCode = ({ digits, stripped }: WrittenPart): boolean =>
  digits !== undefined || stripped.some(({ name }) => typedCode(name.typed) !== undefined)

/** From this cost on a name may be that of another kind of place. */
const MIN_OTHER_KIND = 1

/** Whether two names say first that they are of other kinds: "Rancho Nuevo" is not "Pueblo Nuevo". */
export function isOtherKind(written: WrittenName, { readings, language: { isKind } }: WrittenName): boolean {
  const [typed, name] = [written.readings[0]?.words ?? [], readings[0]?.words ?? []]
  const [own, other] = [typed[0] ?? '', name[0] ?? '']
  return isKind(own) && isKind(other) && !name.includes(own) && !typed.includes(other)
}

/** Whether a part says that it is a farm or an ejido, and a record has the rest of its name: that is not the town, nor what has towns in it. */
export const isOfFarm = ({ written: { words, language } }: WrittenPart, { cost }: Pick<NameMatch, 'cost'>): boolean =>
  cost >= OTHER_NOISE_COST && language.isHamlet(words[0] ?? '')

type SeatMatch = Omit<PartMatch, 'position'>

/** What has records below it is called by its short name too. */
const matchShort = ({ hasBelow }: NamedRecord, match: NameMatch | undefined): NameMatch | undefined =>
  hasBelow && match?.isPrefix === true && match.isShort
    ? { ...match, cost: Math.min(match.cost, SHORT_SEAT_COST) }
    : match

/** What else a city is called is the name of some part of it, unless it has that of its parent in it: no one calls the city so for short. */
const asPart = (match: NameMatch | undefined): NameMatch | undefined => (match?.isPrefix === true ? undefined : match)

/** A seat is meant by less than its name, and by more. */
function matchSeat(
  record: NamedRecord,
  part: WrittenPart,
  { name, isOfParent }: CalledName,
  match: NameMatch | undefined,
): SeatMatch | undefined {
  const { written } = part
  if (match?.isPrefix === true) {
    if (match.isShort) return { ...match, cost: Math.min(match.cost, SHORT_SEAT_COST), how: 'seat' }
    const isRest = isBeginningOf(written.words, name.words) || (isOfParent === true && isAbridged(written, name))
    return isRest ? { ...match, ...ABRIDGED_SEAT } : match
  }
  if (match?.isDoubtful === false) return isOfParent === true ? asMisspeltParent(match) : match
  // The name of its parent may have a letter that makes another word of it: the row has the name once more.
  const isMisspelt = match?.how === 'typo' && match.cost <= 1 && written.typedJoined.length >= MIN_MISSPELT
  const isNumbered = written.words.some((word) => isNumeral(word) && !name.words.includes(word))
  if (isMisspelt && isOfParent === true && !isNumbered)
    return { ...match, isDoubtful: false, needsParent: !record.isCity }
  if (isOfParent === true && isAbridged(written, name))
    return { isWhole: false, isPrefix: false, isShort: false, ...ABRIDGED_SEAT }
  return matchWithSaint(record, part, name) ?? match
}

/** What is left of the name of a seat, beside that of its parent. */
const ABRIDGED_SEAT = { cost: BEGINNING_OF_SEAT_COST, how: 'seat', isDoubtful: false, needsParent: true } as const

/** The name of the parent, misspelt beside the name itself, costs no more than this. */
const MISSPELT_PARENT_COST = 1.5
const asMisspeltParent = (match: NameMatch): SeatMatch =>
  match.how === 'typo' && match.cost > MISSPELT_PARENT_COST
    ? { ...match, costBesideParent: MISSPELT_PARENT_COST }
    : match

/** A town has the saint of its church or its rank before its name, unless that has another one; the quarters of a city have saints too. */
function matchWithSaint(
  { names, isCity }: NamedRecord,
  { withoutSaint, written: { words, isKnown } }: WrittenPart,
  name: WrittenName,
): SeatMatch | undefined {
  const own = (names[0] as CalledName).name
  const { saintWords, isRank } = own.language
  if (withoutSaint === undefined || saintWords(own.words[0] ?? '') > 0) return undefined
  // What is misspelt before the name of a town is rather the name of another one.
  if (!words.slice(0, words.length - withoutSaint.words.length).every(isKnown)) return undefined
  const rest = matchName(withoutSaint, name)
  if (rest === undefined || rest.isDoubtful) return undefined
  const isMisspelt = rest.how === 'typo' && rest.cost <= 1 && withoutSaint.typedJoined.length >= MIN_MISSPELT
  if (!(rest.isWhole || isMisspelt || (rest.isPrefix && rest.isShort))) return undefined
  const cost = WITHOUT_SAINT_COST + (isMisspelt ? rest.cost : 0)
  const needsParent = isCity || isMisspelt || isRank(words[0] ?? '')
  return { ...rest, cost, how: 'dropped-words', isWhole: false, isPrefix: false, isShort: false, needsParent }
}

/** How many letters a name has at least that is known in spite of a wrong one. */
const MIN_MISSPELT = 7

const isBeginningOf = (words: readonly string[], name: readonly string[]): boolean =>
  words.length < name.length && words.every((word, at) => word === name[at])

/** How many letters a word has at least that tells a name of which others are left out, and how many words initials stand for at most. */
const MIN_TELLING = 5
const MAX_INITIALS = 3

/**
 * Whether some words are those of a name in their order, from its first to its last, with words left out or as initials: "Acuamanala
 * de Hidalgo" for "Acuamanala de Miguel Hidalgo", "SP y SP Teposcolula" for "San Pedro y San Pablo Teposcolula".
 */
function isAbridged({ words }: WrittenName, { words: name, language }: WrittenName): boolean {
  const { isLinking, saintWords, isRank } = language
  const [typed, long] = [words, name].map((list) => list.filter((word) => !isLinking(word))) as [string[], string[]]
  let [at, isTelling] = [0, false]
  for (const [index, word] of typed.entries()) {
    const from = at
    while (at < long.length && countSpelled(word, long, at) === 0) at++
    // What is left out stands after a word that tells the name.
    const isFirstTelling = typed[0] === long[0] && saintWords(long[0] ?? '') === 0 && !isRank(long[0] ?? '')
    if (at === long.length || (at > from && (index === 0 || !isFirstTelling))) return false
    if (word === long[at] && word.length >= MIN_TELLING) isTelling = true
    at += countSpelled(word, long, at)
  }
  return isTelling && at === long.length
}

/** How many words of a name a word stands for: for itself, or for those of which it has the initials. */
function countSpelled(word: string, name: readonly string[], at: number): number {
  if (word === name[at]) return 1
  const isInitials = word.length <= MAX_INITIALS && [...word].every((letter, next) => name[at + next]?.[0] === letter)
  return isInitials ? word.length : 0
}

function matchAny({ written, stripped }: WrittenPart, name: WrittenName): NameMatch | undefined {
  let best = matchName(written, name)
  for (let at = 0; at < stripped.length; at++) {
    const { name: rest, cost, how: asWritten } = stripped[at] as WrittenPart['stripped'][number]
    const match = matchName(rest, name)
    if (match === undefined || (best !== undefined && match.cost + cost >= best.cost)) continue
    const how = match.how === 'exact' ? (asWritten ?? 'dropped-words') : match.how
    // What goes on after a word that was left out is another name, and not what was cut off.
    const isAllWritten = cost === 0 || asWritten !== undefined
    best = { ...match, cost: match.cost + cost, how, ...(isAllWritten ? {} : { isWhole: false, isPrefix: false }) }
  }
  return best
}

/** A match with a record, in doubt where the code beside what is written is that of another one. */
export const besideCode = (record: NamedRecord, { beside, besideAt }: WrittenPart, match: PartMatch): PartMatch =>
  beside === undefined || hasCode(record, beside, besideAt)
    ? match
    : { ...match, cost: match.cost + OTHER_CODE_COST, isDoubtful: true }

/** Whether a record has a code, is also called so, or has it in its name. */
const hasCode = (record: NamedRecord, code: string, positions: readonly number[]): boolean =>
  positions.includes(record.position) ||
  matchCode(record, code, code) !== undefined ||
  record.names.some(({ name }) => name.numbers.split(' ').includes(code))

function matchCode(record: NamedRecord, code: string, digits: string | undefined): PartMatch | undefined {
  const codes = record.codes
  if (codes.includes(code)) return matchByCode(record.position, false)
  const short = digits === undefined ? undefined : withoutZeros(digits)
  return short !== undefined && codes.some((one) => withoutZeros(one) === short)
    ? matchByCode(record.position, true)
    : undefined
}
