// Reads an address from its end: the state, and before it the municipality, or a town in it. Street, number, quarter and postal code
// stand before them and are set aside, and so is a telephone number after them. Some addresses begin with the state.
import { LruCache } from '../../base/lru-cache.ts'
import { memoized } from '../../base/memoized.ts'
import type { Entity } from '../../catalog/entity.ts'
import type { Language } from '../../catalog/languages/language.ts'
import { languageOfNames } from '../../catalog/languages/languages.ts'
import { wordsOf } from '../../catalog/words.ts'
import { aliasesOf } from '../../release/aliases.ts'
import type { Release } from '../../release/release.ts'
import { ancestorOf } from './levels.ts'
import { hasName } from './name-table.ts'
import { matchesAnywhere, matchesCalled } from './part-matches.ts'
import { stateOfPostalCode } from './postal-codes.ts'
import type { PartMatch } from './record-match.ts'
import { matchesByTown, type Places } from './towns.ts'
import { type WrittenPart, writtenPart } from './written-part.ts'

/** How many words a name in an address has at most. */
export const MAX_NAME_WORDS = 7
/** Up to this cost some words are the name of a record. */
const MAX_NAME_COST = 0.35
/** A town costs more, since it stands for what it is in. */
const MAX_TOWN_COST = 0.75
/** Of five digits, of four after a lost zero, or a zero where none is known. */
const POSTAL_CODE = /^(?:[0-9]{4,5}|0+)$/

/** A record that some words at the end of others name. */
type NamedEnd = { readonly position: number; readonly words: readonly string[]; readonly rest: readonly string[] }

export type Address = {
  /** The state first. */
  readonly parts: readonly WrittenPart[]
  /** Whether its postal code is one of another state. */
  readonly isContradicted: boolean
}

/**
 * The parts of an address, if it names a state and a record in it; undefined for what is no address. Where no state is named, it is
 * that of the postal code.
 */
export function addressOf(release: Release, places: Places, segments: readonly string[]): Address | undefined {
  const [first, second] = segments
  const isState = (text: string | undefined) => isNamed(release, places.above, text)
  const beginsWithState = () =>
    [first, POSTAL_CODE.test(first ?? '') ? second : undefined].some(isState) && !isState(segments.at(-1))
  return (
    addressFromEnd(release, segments, places) ??
    (beginsWithState() ? addressFromEnd(release, segments.toReversed(), places) : undefined)
  )
}

function addressFromEnd(
  release: Release,
  segments: readonly string[],
  { entity, above, top }: Places,
): Address | undefined {
  const language = languageOfNames(entity)
  const all = withoutTelephone(segments.map(wordsOf), language)
  if (!isAddress(all, language)) return undefined
  const words = withoutPostalCode(all, language)
  const states = postalCodesIn(all, language).flatMap((code) => stateOfCode(release, above, code) ?? [])
  const state = endNaming(release, words, above)
  const country = endNaming(release, words, top)
  // The name of a country at the end may be that of a state: it is the country where a state stands before it.
  const before = stateBefore(release, country, above, top)
  const ofCode: readonly NamedEnd[] = states.flatMap((one) =>
    [country?.rest ?? words, words].map((rest) => ({ ...one, rest })),
  )
  // The country stands before the state too, as in "México, D.F.", and the state twice, as in "Ciudad de México, CDMX".
  function* readings(): Generator<NamedEnd | undefined> {
    yield* [before, state]
    if (state !== undefined) yield withoutNamed(state, endNaming(release, state.rest, top))
    for (const named of [before, state]) {
      const again = endNaming(release, named?.rest ?? [], above)
      if (named !== undefined && again?.position === named.position) yield withoutNamed(named, again)
    }
    yield* ofCode
  }
  for (const named of readings()) {
    if (named === undefined) continue
    const place = placeIn(release, entity, above, named)
    // Where nobody wrote the state, a street may be called as a place in it.
    const isWhole = place?.length === named.rest.length - named.rest.lastIndexOf(BETWEEN_SEGMENTS) - 1
    if (place === undefined || (ofCode.includes(named) && !isWhole)) continue
    const parts = [writtenPart(release, above, named.words.join(' ')), writtenPart(release, entity, place.join(' '))]
    return { parts, isContradicted: states.length > 0 && !states.some(({ position }) => position === named.position) }
  }
  return undefined
}

const withoutNamed = (state: NamedEnd, end: NamedEnd | undefined): NamedEnd | undefined =>
  end === undefined ? undefined : { ...state, rest: end.rest }

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
    mayName(release, entity, wordsOf(text)) ? namedBy(release, writtenPart(release, entity, text)) : undefined,
  )

/** Whether one of some words is in the names of an entity or stands for others, or all are one name without spaces: few words are. */
function mayName(release: Release, { name }: Entity, words: readonly string[]): boolean {
  const { definition, index } = release.entity(name)
  const aliases = aliasesOf(release, name)?.words.words
  const isWord = (word: string) =>
    index.words.words.indexOf(word) !== undefined ||
    aliases?.indexOf(word) !== undefined ||
    index.words.language.longFormsOf(word).length > 0
  const joined = words.join('')
  return words.some(isWord) || isWord(joined) || hasName(release, definition, joined)
}

/** Whether a text is the name of a record of an entity. */
export const isNamed = (release: Release, entity: Entity | undefined, text = ''): boolean =>
  entity !== undefined && namedByText(release, entity, text) !== undefined

export const isCalledSo = ({ cost, isDoubtful }: PartMatch): boolean => cost <= MAX_NAME_COST && !isDoubtful

/** A quarter may be a town as well. */
const isStreetAtFirst = (word: string, { isStreet, isHamlet }: Language): boolean => isStreet(word) && !isHamlet(word)

/** Whether a text has a postal code, begins with a street, or has more segments than a record with its ancestors. */
const isAddress = (segments: readonly (readonly string[])[], language: Language): boolean =>
  isStreetAtFirst(segments[0]?.[0] ?? '', language) ||
  segments.length > MAX_SEGMENTS_OF_NAME ||
  segments.some((words) => words.some((_, place) => isPostalCodeAt(words, place, language)))

const NUMBER = /^[0-9]+$/

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
  return segments
    .flatMap((words) => [
      BETWEEN_SEGMENTS,
      ...words.map((word, place) => (isOfPostalCode(words, place) ? BETWEEN_SEGMENTS : word)),
    ])
    .filter((word, at, all) => word !== BETWEEN_SEGMENTS || (all[at + 1] ?? BETWEEN_SEGMENTS) !== BETWEEN_SEGMENTS)
}

const WHOLE_POSTAL_CODE = /^[0-9]{5}$/

/** The numbers that are postal codes: after a sign of one, or at the beginning or end of a segment that is not the first. */
function postalCodesIn(segments: readonly (readonly string[])[], { isPostalCode }: Language): string[] {
  const signed: string[] = []
  const others: string[] = []
  for (const [at, words] of segments.entries())
    for (const [place, word] of words.entries()) {
      if (POSTAL_CODE.test(word) && isPostalCode(words[place - 1] ?? '')) signed.push(word)
      else if (at > 0 && WHOLE_POSTAL_CODE.test(word) && (place === 0 || place === words.length - 1)) others.push(word)
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
function placeIn(release: Release, entity: Entity, above: Entity, state: NamedEnd): readonly string[] | undefined {
  const isInState = (position: number) => ancestorOf(release, entity.name, position, above.name) === state.position
  const parts = [...endsOf(state.rest)]
    .map(({ end }) => ({ end, part: writtenPart(release, entity, end.join(' ')) }))
    .filter(({ part }) => part.digits === undefined)
  const isPlace = ({ part }: (typeof parts)[number]) => matchesCalled(release, part, isInState).some(isCalledSo)
  const isTown = ({ part }: (typeof parts)[number]) =>
    matchesByTown(release, part).some(({ position, cost }) => cost <= MAX_TOWN_COST && isInState(position))
  const place = parts.find(isPlace)
  const [whole] = parts
  // A town may have the name of another place behind its own, as Zamora de Hidalgo.
  const isOfTown = place !== undefined && place !== whole && whole !== undefined && isTown(whole)
  const end = (isOfTown ? whole : (place ?? parts.find(isTown)))?.end
  if (end === undefined) return undefined
  // A street or a quarter has the name of some place, but is none.
  const { isStreet, isAbsent } = languageOfNames(entity)
  const [before = '', sign = ''] = state.rest.slice(0, -end.length).slice(-2)
  return isStreet(sign) && !isAbsent([before, sign]) ? undefined : end
}
