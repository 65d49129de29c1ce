// Reads an address from its end: the state, and before it the municipality, or a town in it. Street, number, quarter and postal code
// stand before them and are set aside, and so is a telephone number after them. Some addresses begin with the state, or with the
// municipality and its state.
import { LruCache } from '../../base/lru-cache.ts'
import { memoized } from '../../base/memoized.ts'
import type { Entity } from '../../catalog/entity.ts'
import type { Language } from '../../catalog/languages/language.ts'
import { languageOfNames } from '../../catalog/languages/languages.ts'
import { wordsOf } from '../../catalog/words.ts'
import type { Release } from '../../release/release.ts'
import { entityNames } from './entity-names.ts'
import { ancestorOf } from './levels.ts'
import { matchesAnywhere, matchesCalled, mayName } from './part-matches.ts'
import { stateOfPostalCode } from './postal-codes.ts'
import type { PartMatch } from './record-match.ts'
import { parentsFor } from './row-matches.ts'
import { matchesByTown, type TownPlaces } from './towns.ts'
import { type WrittenPart, writtenPart } from './written-part.ts'

/** How many words a name in an address has at most. */
export const MAX_NAME_WORDS = 7
/** Up to this cost some words are the name of a record. */
export const MAX_NAME_COST = 0.35
/** A town costs more, since it stands for what it is in. */
const MAX_TOWN_COST = 0.75
/** Of five digits, of four after a lost zero, or a zero where none is known. */
const POSTAL_CODE = /^(?:[0-9]{4,5}|0+)$/
const CODE_AT_FIRST = /^\s*[0-9]{5}\s+\p{L}/u

/** A record that some words at the end of others name. */
type NamedEnd = { readonly position: number; readonly words: readonly string[]; readonly rest: readonly string[] }

export type ParsedAddress = {
  /** The parts that it may be, the state first, unless a city is known without it. */
  readonly readings: readonly (readonly WrittenPart[])[]
  /** Whether its postal code is one of another state. */
  readonly isContradicted: boolean
  /** Whether its state is recognised by its postal code alone, or may as well be the city of that name. */
  readonly isGuess?: boolean
}

/**
 * The parts of an address, if it names a state or a city; undefined for what is no address. Where no state is named, it is that of the
 * postal code.
 */
export function addressOf(
  release: Release,
  places: TownPlaces,
  segments: readonly string[],
): ParsedAddress | undefined {
  const [first, second] = segments
  const isState = (text: string | undefined) => isNamed(release, places.above, text)
  const beginsWithState = () => [first, POSTAL_CODE.test(first ?? '') ? second : undefined].some(isState)
  const rotated = () => (isState(second) ? [...segments.slice(2), ...segments.slice(0, 2)] : undefined)
  // After a postal code at the beginning stands what the end of other addresses has.
  const order = CODE_AT_FIRST.test(first ?? '') ? rotated() : undefined
  const fromEnd = readFromEnd(release, order ?? segments, places)
  const place = fromEnd && atPlace(release, fromEnd)
  if (place !== undefined) return place
  const otherOrder = () => (beginsWithState() ? segments.toReversed() : rotated())
  const other = order === undefined && !isState(segments.at(-1)) ? otherOrder() : undefined
  const text = (other && readFromEnd(release, other, places)) ?? fromEnd
  if (text === undefined) return undefined
  return (text === fromEnd ? undefined : atPlace(release, text)) ?? atCity(release, text) ?? atState(release, text)
}

/** An address, and what stands at its end. */
type AddressText = TownPlaces & {
  /** The words of each segment, and all of them without postal codes, with a sign between segments. */
  readonly all: readonly (readonly string[])[]
  readonly words: readonly string[]
  readonly country: NamedEnd | undefined
  /** The states that are named at its end, with what stands before each of them. */
  readonly named: () => Iterable<NamedEnd>
  /** The states of its postal codes. */
  readonly ofCodes: readonly Omit<NamedEnd, 'rest'>[]
}

function readFromEnd(release: Release, segments: readonly string[], places: TownPlaces): AddressText | undefined {
  const { entity, above, top } = places
  const language = languageOfNames(entity)
  const all = withoutTelephone(segments.map(wordsOf), language)
  if (!isAddress(all, language) && !hasHouse(release, places, segments)) return undefined
  const words = withoutPostalCode(all, language)
  const ofCodes = postalCodesIn(all, language).flatMap((code) => stateOfCode(release, above, code) ?? [])
  const country = endNaming(release, words, top)
  const named = () => statesAt(release, words, country, places)
  return { ...places, all, words, country, named, ofCodes }
}

/** The states at the end of an address, those that are trusted most first. */
function* statesAt(
  release: Release,
  words: readonly string[],
  country: NamedEnd | undefined,
  { above, top }: TownPlaces,
): Generator<NamedEnd> {
  // The name of a country at the end may be that of a state: it is the country where a state stands before it.
  const before = stateBefore(release, country, above, top)
  const states = [before, endNaming(release, words, above)].flatMap((state) => state ?? [])
  yield* states
  // The country stands before the state too, as in "México, D.F.", and the state twice, as in "Ciudad de México, CDMX".
  for (const state of states) {
    const other = state === before ? undefined : endNaming(release, state.rest, top)
    const again = endNaming(release, state.rest, above)
    for (const end of [other, again?.position === state.position ? again : undefined])
      if (end !== undefined && words[end.rest.length] === BETWEEN_SEGMENTS) yield { ...state, rest: end.rest }
  }
}

/** The address where its state or its postal code has what stands before it in it, called so. */
function atPlace(release: Release, text: AddressText): ParsedAddress | undefined {
  const { words, country, named, ofCodes } = text
  for (const state of named()) {
    const place = placeIn(release, text, state)
    if (place !== undefined)
      return addressAt(release, text, state, [writtenPart(release, text.entity, place.join(' '))])
  }
  for (const state of ofCodes)
    for (const rest of [country?.rest ?? words, words]) {
      const isWritten = rest === words && [...named()].some(({ position }) => position === state.position)
      const place = isWritten ? undefined : placeIn(release, text, { ...state, rest })
      // Where nobody wrote the state, a street may be called as a place in it.
      if (place !== undefined && place.length === lastSegment(rest).length)
        return addressAt(release, text, state, [writtenPart(release, text.entity, place.join(' '))])
    }
  return undefined
}

/** The address in a city that is known without its state. */
function atCity(release: Release, text: AddressText): ParsedAddress | undefined {
  const { entity, all, words, country, ofCodes } = text
  const said = saidState(text)
  if (all.length === 1 || ofCodes.length > 0 || (said !== undefined && isSegment(text, said))) return undefined
  const segment = lastSegment(country?.rest ?? words)
  const part = writtenPart(release, entity, segment.join(' '))
  const isName = part.digits === undefined && !languageOfNames(entity).isSeat(segment)
  const called = isName ? matchesCalled(release, part).filter(isCalledSo) : []
  const names = entityNames(release, entity)
  const isKnown = called.length === 1 && called.every(({ position, isWhole }) => isWhole && names.isCity(position))
  return isKnown ? { readings: [[part]], isContradicted: false } : undefined
}

/** The address of which the state is certain; what stands before it is misspelt, a small town or a quarter, or tells nothing. */
function atState(release: Release, text: AddressText): ParsedAddress | undefined {
  const { entity, towns, above, top, words, country, ofCodes } = text
  const said = saidState(text)
  const [ofCode] = said === undefined ? ofCodes : []
  const state = said ?? (ofCode && { ...ofCode, rest: country?.rest ?? words })
  if (state === undefined) return undefined
  const isIn = (of: Entity) => (position: number) =>
    ancestorOf(release, of.name, position, above.name) === state.position
  const before = lastSegment(state.rest)
  const isQuarter = before.length === 0 || isRecognised(before, entity)
  // The city has the name of its state, and the address says that it is in a city, or that its postal code is one of it.
  const city = writtenPart(release, entity, state.words.join(' '))
  const isOfCode = ofCodes.some(({ position }) => position === state.position)
  const isInCity = languageOfNames(entity).isSeat(before) || isBesideCode(text, state, isQuarter)
  const mayBeCity = isInCity || (isOfCode && isQuarter)
  if (said && mayBeCity && isSegment(text, state) && matchesCalled(release, city, isIn(entity)).some(isCalledSo))
    return { ...addressAt(release, text, state, [city]), isGuess: !isInCity }
  const place = writtenPart(release, entity, isQuarter ? '' : before.join(' '))
  const statePart = writtenPart(release, above, state.words.join(' '))
  // The name of a town is not that of a record, misspelt.
  const town = writtenPart(release, towns, place.written.text)
  const called = isQuarter ? [] : matchesCalled(release, town, isIn(towns)).filter(isCalledSo)
  const isKnown = called.some(({ position }) => entityNames(release, towns).isWellKnown(position))
  const isNear = () =>
    parentsFor(release, [statePart, place]).some(
      ({ cost, position }) => cost <= MAX_MISSPELT_COST && isIn(entity)(position),
    )
  // In a segment with other words a state may be the end of their name.
  const isApart = isSegment(text, state) || isOfCode || before.some((word) => NUMBER.test(word))
  const isCertain = said !== undefined && isApart && !namesTop(release, text, state)
  const nothing = writtenPart(release, entity, '')
  // A street and a quarter are in the state of their postal code, if that is right and no other country is written.
  const hasStreet = isStreetAtFirst(words[1] ?? '', languageOfNames(entity)) || text.all.length > 2
  const isAbroad =
    country !== undefined && country.position !== ancestorOf(release, above.name, state.position, top?.name ?? '')
  if (ofCode !== undefined && isQuarter && before.length > 0 && hasStreet && ofCodes.length === 1 && !isAbroad)
    return { ...addressAt(release, text, state, [nothing]), isGuess: true }
  if (!isCertain && (isQuarter || !isNear())) return undefined
  return addressAt(release, text, state, isKnown ? [town, nothing] : [called.length > 0 ? nothing : place])
}

/** How many letters the name of a state has at least; fewer are rather a code, or another word. */
const MIN_STATE = 4

/** The state that is named at the end of an address and is no part of another name, with the least before it. */
function saidState(text: AddressText): NamedEnd | undefined {
  const { isStreet, isLinking } = languageOfNames(text.entity)
  const isSaid = (state: NamedEnd) => {
    const [last = '', first = ''] = [state.rest.at(-1), state.words[0]]
    const isApart = !isStreet(last) && !isLinking(last) && !isLinking(first)
    return isSegment(text, state) || (isApart && state.words.join('').length >= MIN_STATE)
  }
  return [...text.named()].filter(isSaid).toSorted((a, b) => a.rest.length - b.rest.length)[0]
}

/** Whether what is named begins a segment. */
const isSegment = ({ words }: AddressText, { rest }: NamedEnd): boolean => words[rest.length] === BETWEEN_SEGMENTS

/**
 * Whether a postal code stands beside what is named as beside a city: before it in the same segment, or in the next one where a quarter
 * stands before it. Any other name before it is rather what the state has in it, however it is written.
 */
function isBesideCode({ all }: AddressText, { words }: NamedEnd, isAfterQuarter: boolean): boolean {
  const at = all.findLastIndex((segment) => segment.slice(-words.length).join() === words.join())
  const beside = [all[at]?.at(-words.length - 1), ...(isAfterQuarter ? (all[at + 1] ?? []) : [])]
  return at !== -1 && beside.some((word) => POSTAL_CODE.test(word ?? ''))
}

/** Whether the name of a state is that of its country. */
const namesTop = (release: Release, { top }: AddressText, { words }: NamedEnd): boolean =>
  isNamed(release, top, words.join(' '))

/** Up to this cost a name is misspelt. */
export const MAX_MISSPELT_COST = 1.3

function addressAt(
  release: Release,
  { above, ofCodes }: AddressText,
  { position, words }: Omit<NamedEnd, 'rest'>,
  places: readonly WrittenPart[],
): ParsedAddress {
  const isContradicted = ofCodes.length > 0 && !ofCodes.some((state) => state.position === position)
  const state = writtenPart(release, above, words.join(' '))
  return { readings: places.map((place) => [state, place]), isContradicted }
}

const lastSegment = (words: readonly string[]): readonly string[] =>
  words.slice(words.lastIndexOf(BETWEEN_SEGMENTS) + 1)

/** Whether some words are those of a street or a quarter, have a number, or say nothing. */
const isRecognised = (words: readonly string[], entity: Entity): boolean =>
  words.some(languageOfNames(entity).isStreet) ||
  words.some(languageOfNames(entity).isHamlet) ||
  isNumbered(words, entity)

/** Whether some words have the number of a house, or say that there is none, or nothing. */
function isNumbered(words: readonly string[], entity: Entity): boolean {
  const { isSeat, isAbsent } = languageOfNames(entity)
  const isNumber = (word: string, at: number) =>
    NUMBER.test(word) || isAbsent([word]) || isAbsent(words.slice(at, at + 2))
  return words.some(isNumber) || isSeat(words)
}

/**
 * Whether a name in a segment begins after these words: they are recognised, or say what it is. No name begins with "de" or after it, and where
 * a comma follows, a quarter may have the name of a city in its own, as in "Parque Industrial Monterrey, Nuevo León".
 */
function isApart(words: readonly string[], entity: Entity, isBeforeComma: boolean): boolean {
  const { isNoise, isLinking, isPostalCode, isHamlet } = languageOfNames(entity)
  const saysWhat = (word: string) => (isNoise(word) && !isHamlet(word)) || isLinking(word) || isPostalCode(word)
  if (words.every(saysWhat)) return true
  return (isBeforeComma ? isNumbered : isRecognised)(words, entity) && !isLinking(words.at(-1) ?? '')
}

/** The state that a postal code lies in. */
function stateOfCode(release: Release, entity: Entity, postalCode: string): Omit<NamedEnd, 'rest'> | undefined {
  const state = stateOfPostalCode(postalCode)
  if (state === undefined) return undefined
  const part = writtenPart(release, entity, state)
  const named = matchesAnywhere(release, part).find(({ cost }) => cost === 0)
  return named === undefined ? undefined : { position: named.position, words: [state] }
}

/** A record with its ancestors has no more segments, beside the most distant one. */
const MAX_SEGMENTS_OF_NAME = 3

/** The record that is called what a part says, or has it as its code, wherever it is; a number, also in words, is rather that of a house. */
export function namedBy(release: Release, part: WrittenPart): number | undefined {
  const { typed, numbers } = part.written
  if (part.digits !== undefined || (typed.length === 1 && numbers !== '')) return undefined
  const matches = part.code === undefined ? matchesCalled(release, part) : matchesAnywhere(release, part)
  let best: PartMatch | undefined
  for (const match of matches) if (isCalledSo(match) && (best === undefined || match.cost < best.cost)) best = match
  return best?.position
}

const namedCaches = memoized((_: Release) =>
  memoized((_: Entity) => new LruCache<number | undefined>({ maxEntries: 4_096 })),
)

/** The record of an entity that a text names, wherever it is; texts have the same states and records again and again. */
export const namedByText = (release: Release, entity: Entity, text: string): number | undefined =>
  namedCaches(release)(entity).get(text, () =>
    mayName(release, entity, text) ? namedBy(release, writtenPart(release, entity, text)) : undefined,
  )

/** Whether a text is the name of a record of an entity. */
export const isNamed = (release: Release, entity: Entity | undefined, text = ''): boolean =>
  entity !== undefined && namedByText(release, entity, text) !== undefined

export const isCalledSo = ({ cost, isDoubtful }: PartMatch): boolean => cost <= MAX_NAME_COST && !isDoubtful

/** A quarter may be a town as well. */
export const isStreetAtFirst = (word: string, { isStreet, isHamlet }: Language): boolean =>
  isStreet(word) && !isHamlet(word)

/** Whether a text has a postal code, begins with a street, or has more segments than a record with its ancestors. */
const isAddress = (segments: readonly (readonly string[])[], language: Language): boolean =>
  isStreetAtFirst(segments[0]?.[0] ?? '', language) ||
  segments.length > MAX_SEGMENTS_OF_NAME ||
  segments.some((words) => words.some((_, place) => isPostalCodeAt(words, place, language)))

export const NUMBER = /^[0-9]+$/

/**
 * Whether the first of several segments is a street with the number of a house. It may be a town with a number in its name where one is
 * called so, or where what follows is the record that it is in.
 */
function hasHouse(release: Release, { entity, towns, above }: TownPlaces, segments: readonly string[]): boolean {
  const [first = '', second = '', third = ''] = segments
  const hasNumber = wordsOf(first).some((word, at) => at > 0 && NUMBER.test(word))
  if (segments.length < 3 || !hasNumber || isNamed(release, towns, first)) return false
  const state = namedByText(release, above, third)
  const isIn = (position: number) => ancestorOf(release, entity.name, position, above.name) === state
  return !matchesCalled(release, writtenPart(release, entity, second), isIn).some(isCalledSo)
}

/** Whether a word is a postal code: by its digits, or as a number after a sign of one, as people write 0 where they know none. */
function isPostalCodeAt(words: readonly string[], place: number, { isPostalCode }: Language): boolean {
  const word = words[place] as string
  if (POSTAL_CODE.test(word)) return true
  const [before = '', sign = ''] = [words[place - 2], words[place - 1]]
  // A letter alone is no sign: "C 5" is a street.
  return NUMBER.test(word) && isPostalCode(sign) && (sign.length > 1 || isPostalCode(before))
}

/** Whether a word says that a postal code follows; a letter does so beside the other one alone: the last one of "S.L.P." does not. */
function isSignAt(words: readonly string[], place: number, { isPostalCode }: Language): boolean {
  const word = words[place] as string
  if (word.length > 1) return isPostalCode(word)
  const [before, after] = [words[place - 1] ?? ' ', words[place + 1] ?? ' ']
  return isPostalCode(word + after) || isPostalCode(before + word)
}

/** The segments without a telephone number at their end, and what says that it is one. */
function withoutTelephone(segments: readonly (readonly string[])[], { isTelephone }: Language): (readonly string[])[] {
  const isNumber = (word: string) => NUMBER.test(word)
  const kept = [...segments]
  while (kept.length > 1 && kept.at(-1)?.every(isNumber) && (kept.at(-1)?.join('').length ?? 0) >= MIN_TELEPHONE)
    kept.pop()
  const last = kept.pop() ?? []
  const sign = last.findIndex((word, at) => isTelephone(word) && last.slice(at + 1).every(isNumber))
  const rest = sign === -1 ? last : last.slice(0, sign)
  return rest.length === 0 ? kept : [...kept, rest]
}

/** A telephone number has more digits than a postal code. */
const MIN_TELEPHONE = 7

const BETWEEN_SEGMENTS = ','

/** The words of all segments with a sign between them, and in the place of postal codes and what says that they are some. */
function withoutPostalCode(segments: readonly (readonly string[])[], language: Language): string[] {
  const isOfPostalCode = (words: readonly string[], place: number): boolean => {
    if (isPostalCodeAt(words, place, language)) return true
    if (!isSignAt(words, place, language)) return false
    const next = words.findIndex((other, later) => later > place && !language.isPostalCode(other))
    return next === -1 || isPostalCodeAt(words, next, language)
  }
  // Four digits after the street are rather the number of a house.
  const isHouse = (words: readonly string[], place: number): boolean =>
    words === segments[0] &&
    segments.length > 1 &&
    place > 0 &&
    words[place]?.length === 4 &&
    !language.isPostalCode(words[place - 1] as string)
  return segments
    .flatMap((words) => [
      BETWEEN_SEGMENTS,
      ...words.map((word, place) => (isOfPostalCode(words, place) && !isHouse(words, place) ? BETWEEN_SEGMENTS : word)),
    ])
    .filter((word, at, all) => word !== BETWEEN_SEGMENTS || (all[at + 1] ?? BETWEEN_SEGMENTS) !== BETWEEN_SEGMENTS)
}

const WHOLE_POSTAL_CODE = /^[0-9]{5}$/

/** The numbers that are postal codes: after a sign of one, or at the beginning or end of a segment, but at the end of the first one. */
function postalCodesIn(segments: readonly (readonly string[])[], language: Language): string[] {
  const signed: string[] = []
  const others: string[] = []
  for (const [at, words] of segments.entries())
    for (const [place, word] of words.entries()) {
      if (POSTAL_CODE.test(word) && place > 0 && isSignAt(words, place - 1, language)) signed.push(word)
      else if (
        WHOLE_POSTAL_CODE.test(word) &&
        (place === 0 || ((at > 0 || segments.length === 1) && place === words.length - 1))
      )
        others.push(word)
    }
  return signed.length > 0 ? signed : others
}

const trimmed = (words: readonly string[]): readonly string[] =>
  words.at(-1) === BETWEEN_SEGMENTS ? words.slice(0, -1) : words

/** The first or last of some words, and the others. */
export type End = { readonly end: readonly string[]; readonly rest: readonly string[] }

/** The ends of some words within their segment, the longest first. */
export function* endsOf(words: readonly string[], max = MAX_NAME_WORDS): Generator<End> {
  const from = words.lastIndexOf(BETWEEN_SEGMENTS) + 1
  for (let start = Math.max(from, words.length - max); start < words.length; start++)
    yield { end: words.slice(start), rest: trimmed(words.slice(0, start)) }
}

/** The state at the end of what stands before its country: the last word of "Baja California Sur" is the code of another one. */
export function stateBefore(
  release: Release,
  country: NamedEnd | undefined,
  above: Entity,
  top: Entity | undefined,
  ends: (words: readonly string[]) => Iterable<End> = endsOf,
): NamedEnd | undefined {
  const state = endNaming(release, country?.rest ?? [], above, ends)
  if (state === undefined || top === undefined) return undefined
  return ancestorOf(release, above.name, state.position, top.name) === country?.position ? state : undefined
}

export function endNaming(
  release: Release,
  words: readonly string[],
  entity: Entity | undefined,
  ends: (words: readonly string[]) => Iterable<End> = endsOf,
): NamedEnd | undefined {
  if (entity === undefined) return undefined
  for (const { end, rest } of ends(words)) {
    const position = namedByText(release, entity, end.join(' '))
    if (position !== undefined) return { position, words: end, rest }
  }
  return undefined
}

/** The words that name a record below a state, or a town in one, at the end of what is before the state. */
function placeIn(release: Release, text: AddressText, state: NamedEnd): readonly string[] | undefined {
  const { entity, above } = text
  const isInState = (position: number) => ancestorOf(release, entity.name, position, above.name) === state.position
  const { isStreet, isAbsent, isGenitive } = languageOfNames(entity)
  const segment = lastSegment(state.rest)
  const parts = [...endsOf(state.rest)]
    .filter(
      ({ end }) => !isGenitive(end[0] ?? '') && isApart(segment.slice(0, -end.length), entity, isSegment(text, state)),
    )
    .map(({ end }) => ({ end, part: writtenPart(release, entity, end.join(' ')) }))
    .filter(({ part }) => part.digits === undefined)
  const isPlace = ({ part }: (typeof parts)[number]) => matchesCalled(release, part, isInState).some(isCalledSo)
  const isTown = ({ part }: (typeof parts)[number]) =>
    matchesByTown(release, part, isInState).some(({ cost }) => cost <= MAX_TOWN_COST)
  const place = parts.find(isPlace)
  const [whole] = parts
  // A town may have the name of another place behind its own, as Zamora de Hidalgo.
  const isOfTown = place !== undefined && place !== whole && whole !== undefined && isTown(whole)
  const end = (isOfTown ? whole : (place ?? parts.find(isTown)))?.end
  if (end === undefined) return undefined
  // A street or a quarter has the name of some place, but is none.
  const [before = '', sign = ''] = state.rest.slice(0, -end.length).slice(-2)
  return isStreet(sign) && !isAbsent([before, sign]) ? undefined : end
}
