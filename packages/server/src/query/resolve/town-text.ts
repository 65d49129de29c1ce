// The ways to read a text as the names of a town, the record that it is in, the state of that and its country, in this order or the
// other.
import type { Entity } from '../../catalog/entity.ts'
import { languageOfNames } from '../../catalog/languages/languages.ts'
import { wordsOf } from '../../catalog/words.ts'
import type { Release } from '../../release/release.ts'
import { ancestorLevels } from '../search/ancestor-match.ts'
import {
  addressOf,
  type End,
  endNaming,
  endsOf,
  isCalledSo,
  isNamed,
  isStreetAtFirst,
  MAX_NAME_WORDS,
  NUMBER,
  namedBy,
  namedByText,
  type ParsedAddress,
  stateBefore,
} from './address.ts'
import { entityNames } from './entity-names.ts'
import { ancestorOf } from './levels.ts'
import { countBelow } from './parents.ts'
import { matchesCalled, mayName } from './part-matches.ts'
import type { PartMatch } from './record-match.ts'
import { placesIn, type TownPlaces } from './towns.ts'
import { type WrittenPart, writtenPart } from './written-part.ts'

/** How much a reading tells: nothing; what a record would be in; some record in it; all that it is in; which it is. */
export const RANKS = { nothing: 0, above: 1, unsure: 2, placed: 3, sure: 4, exact: 5 } as const
export type Rank = (typeof RANKS)[keyof typeof RANKS]

/** A way to read a text: the parts that it may be, the most distant ancestor first. */
type Way = {
  readonly readings: Iterable<readonly WrittenPart[]>
  /** Where what is trusted more tells so much, this way is not tried. */
  readonly unless: Rank
  /** What tells less than this is not taken. */
  readonly least?: Rank
  /** Whether something in the text says that it is not so, and whether nothing says that it is. */
  readonly isContradicted?: () => boolean
  readonly isGuess?: () => boolean
  /** Whether the text is read in no other way. */
  readonly isLast?: boolean
}

/** The ways to read a text of some segments, those that are trusted most first. */
export function* waysToRead(release: Release, segments: readonly string[], isName: () => boolean): Generator<Way> {
  const places = placesIn(release)
  if (places === undefined) return
  const [isOne, isTwo] = [segments.length === 1, segments.length === 2]
  if (!isOne) {
    yield { readings: partsAbroad(release, segments), unless: RANKS.exact }
    yield {
      readings: toldReadings(release, places, segments),
      unless: RANKS.exact,
      least: isTwo ? RANKS.exact : RANKS.nothing,
    }
  }
  let address: ParsedAddress | undefined
  function* addressReadings(): Generator<readonly WrittenPart[]> {
    address = addressOf(release, places as TownPlaces, segments)
    if (address !== undefined) yield* address.readings
  }
  const isContradicted = () => address?.isContradicted === true
  const isGuess = () => address?.isGuess === true
  yield { readings: addressReadings(), unless: RANKS.sure, isContradicted, isGuess, isLast: true }
  if (!isOne && !isTwo) return
  const words = segments.flatMap(wordsOf)
  const hasState = namesState(release, segments)
  // What may be a country is not the state before that is looked at, nor are words of one segment.
  const least = isOne || (hasState && !namesCountry(release, segments)) ? RANKS.nothing : RANKS.placed
  const misspelt: (readonly WrittenPart[])[] = []
  yield { readings: townReadings(release, places, words, MAX_NAME_WORDS, isTwo, misspelt), unless: RANKS.exact, least }
  yield { readings: misspelt, unless: RANKS.sure, least: RANKS.sure }
  if (isTwo) yield { readings: pairReadings(release, places, segments), unless: RANKS.exact }
  else if (!isName()) yield { readings: placeReadings(release, places, words), unless: RANKS.unsure }
}

/** A town, what it is in, the state of that and its country. */
const MAX_TOLD = 4
/** What has a postal code beside it is no part by itself; most addresses are known by that. */
const BESIDE_POSTAL_CODE = /\p{L}.*\b[0-9]{5}\b|\b[0-9]{5}\b.*\p{L}/u

/** What commas say: each segment is a part, but for the country. */
function* toldReadings(
  release: Release,
  places: TownPlaces,
  segments: readonly string[],
): Generator<readonly WrittenPart[]> {
  if (segments.length > MAX_TOLD || (segments.length > 2 && segments.some((text) => BESIDE_POSTAL_CODE.test(text))))
    return
  for (const parts of townReadings(release, places, segments, 1, false))
    if (parts.length >= segments.length - 1) {
      yield parts
      return
    }
}

/** Whether the state of a segment is named by the one before it too, as the capital is: "México, D.F.", "Ciudad de México, CDMX". */
function isSaidAgain(release: Release, before: string, last: string): boolean {
  const { above, top } = placesIn(release) as TownPlaces
  const state = namedByText(release, above, last)
  if (state === undefined || isNamed(release, top, last)) return false
  if (isNamed(release, top, before)) return isNamed(release, above, `${before} ${last}`)
  return namedByText(release, above, before) === state && !namesPlace(release, before)
}

/** The segments of a text without the country that stands beside a state in it, which goes without saying. */
export function withoutCountry(release: Release, segments: readonly string[]): readonly string[] {
  const { above, top } = placesIn(release) ?? {}
  if (above === undefined || segments.length < 3) return segments
  const [before = '', last = ''] = segments.slice(-2)
  if (segments.length === 3 && isSaidAgain(release, before, last)) return [...segments.slice(0, -2), last]
  for (const endsIn of [endsOf, beginningsOf]) {
    const ends = (list: readonly string[]) => endsIn(list, 1)
    const country = endNaming(release, segments, top, ends)
    const state = stateBefore(release, country, above, top, ends)
    if (country === undefined || state === undefined) continue
    // Beside one name, what has the name of the country itself is a state only before it.
    if (country.rest.length > 2 || !isNamed(release, top, state.words[0])) return country.rest
  }
  return segments
}

/**
 * The ways to read words or segments as a town, the record that it is in and the state of that: the longest name of a record first, and last as one
 * of the two. None where they name no state. So many of them are one name at most. Where there is a comma, the state may be repeated before it.
 * What ends with the name of a record may be that of another one, misspelt.
 */
function* townReadings(
  release: Release,
  places: TownPlaces,
  units: readonly string[],
  max: number,
  mayRepeat: boolean,
  misspelt: (readonly WrittenPart[])[] = [],
): Generator<readonly WrittenPart[]> {
  const { entity, towns, above, top } = places
  if (max > 1 && isCalled(release, [entity, towns], units)) return
  const names = entityNames(release, towns)
  const { isGenitive, isLinking } = languageOfNames(towns)
  const alone: (readonly WrittenPart[])[] = []
  for (const endsIn of [endsOf, beginningsOf]) {
    const ends = (list: readonly string[]) => endsIn(list, max)
    const topEnds = (list: readonly string[]) => [...ends(list)].filter(({ end }) => !isGenitive(end[0] ?? ''))
    const country = endNaming(release, units, top, topEnds)
    const before = stateBefore(release, country, above, top, topEnds)
    let isPlaced = false
    for (const state of [before, endNaming(release, units, above, topEnds)]) {
      if (state === undefined) continue
      const { position, rest } = state
      if (max > 1 && goesOn(rest, towns)) continue
      const statePart = partOf(release, above, state.words)
      if (rest.length === 0) {
        if (state === before && max === 1) yield [partOf(release, top as Entity, country?.words ?? []), statePart]
        continue
      }
      const isIn = (of: Entity) => (at: number) => ancestorOf(release, of.name, at, above.name) === position
      const town = partOf(release, towns, rest)
      const isAnyTown = () => max > 1 && matchesCalled(release, town, isIn(towns)).some(isCalledSo)
      // "El Palenque" is not Palenque where a town is called so.
      const isTownInstead = (place: WrittenPart) =>
        isLinking(rest[0] ?? '') &&
        matchesCalled(release, place, isIn(entity)).every(({ how }) => how === 'dropped-words') &&
        matchesCalled(release, town, isIn(towns)).some(({ cost }) => cost === 0)
      let [isInPlace, isOfState] = [false, false]
      for (const parts of readingsInPlaces(release, places, ends(rest), rest, isAnyTown, isIn(entity), max > 1)) {
        if (parts.length === 1 && isTownInstead(parts[0] as WrittenPart)) continue
        const numbered = max > 1 && parts.at(-1)?.digits !== undefined
        if (numbered && endsIn === beginningsOf) continue
        yield [statePart, ...(numbered ? parts.slice(0, -1) : parts)]
        isInPlace = true
        isOfState ||= parts[0]?.written.text === statePart.written.text
      }
      isPlaced ||= isInPlace
      // The name of one town has a comma at most.
      if (max === 1 && rest.length > 2) continue
      // Where the state is named twice, the one before it is no part of a town's name, unless a town is called so.
      const called = matchesCalled(release, town, isIn(towns))
      const isTown = called.some(isCalledSo)
      const isRepeated = isOfState && !mayRepeat
      const place = partOf(release, entity, rest)
      // The name of a hamlet is not that of a record, misspelt, nor of one that it is in.
      const isHamlet = called.some((match) => !names.isSeat(match.position))
      const mayBePlace = !isHamlet && !isRepeated && place.digits === undefined && max > 1
      // What names a record in the state is no town with its words in its name.
      const isNamed = isInPlace && !isTown && !(isOfState && mayRepeat)
      if (mayBePlace) (isNamed ? misspelt : alone).push([statePart, place])
      if (isNamed) continue
      if (isTown || (!isRepeated && max > 1)) alone.push([statePart, town])
    }
    if (isPlaced) break
  }
  yield* alone
}

/** The ways to read words without commas as a town and the record that it is in, whose state is not named, in this order or the other. */
function* placeReadings(
  release: Release,
  places: TownPlaces,
  words: readonly string[],
): Generator<readonly WrittenPart[]> {
  const { entity, above } = places
  // A number without commas is rather that of a house than the code of a town.
  const isPlace = ({ end, rest }: End) =>
    rest.length > 0 && !NUMBER.test(rest.join('')) && namedByText(release, above, end.join(' ')) === undefined
  const state = endNaming(release, words, above)
  // The end of the name of a state is no other name.
  const ends = [...endsOf(words)].filter(({ end }) => end.length > (state?.words.length ?? 0))
  yield* readingsInPlaces(release, places, ends.filter(isPlace), words, () => false)
  // Where words end with a state, what they begin with is in it.
  const isIn = (at: number) =>
    state === undefined || ancestorOf(release, entity.name, at, above.name) === state.position
  yield* readingsInPlaces(release, places, [...beginningsOf(words)].filter(isPlace), words, () => false, isIn)
}

/**
 * The ways to read two segments as a town and the record that it is in, which is called so; no state or country is a town. Where that
 * may be a state, the town is well known, or no other one in the state is called so.
 */
function* pairReadings(
  release: Release,
  { entity, towns, above }: TownPlaces,
  segments: readonly string[],
): Generator<readonly WrittenPart[]> {
  const names = entityNames(release, towns)
  for (const [own = '', place = ''] of [segments, segments.toReversed()]) {
    const isIn = called(release, entity, place)
    if (isIn.length === 0 || namesState(release, [own]) || namesCountry(release, [own, place])) continue
    const town = writtenPart(release, towns, own)
    const state = namedBy(release, writtenPart(release, above, place))
    const isInPlace = (at: number) => isIn.includes(ancestorOf(release, towns.name, at, entity.name))
    // "Centro" is the centre of some city, and what stands after a street a quarter, unless a town in what is called so stands before it.
    const { written, stripped } = writtenPart(release, entity, place)
    const isCentre = [written, ...stripped.map(({ name }) => name)].some(({ typed, language }) =>
      language.isSeat(typed),
    )
    const isStreet = isStreetAtFirst(town.written.typed[0] ?? '', town.written.language)
    // A number is no town, and a record before what is in it is recognised by that.
    if (town.digits !== undefined) continue
    const isTold = own === segments[0] ? !isCentre && !isStreet : town.written.language.isSeat(town.written.typed)
    if (!isTold && matchesCalled(release, town, isInPlace).length === 0) continue
    const isInEither = (at: number) => isInPlace(at) || ancestorOf(release, towns.name, at, above.name) === state
    const matches = state === undefined ? [] : matchesCalled(release, town, isInEither)
    const isKnown = (match: PartMatch) =>
      isCalledSo(match) && names.isWellKnown(match.position) && isInPlace(match.position)
    const isOnly = matches.length > 0 && matches.every(({ position }) => isInPlace(position))
    if (state === undefined || isOnly || matches.some(isKnown)) yield [writtenPart(release, entity, place), town]
  }
}

/** The records of an entity that are called what a text says. */
const called = (release: Release, entity: Entity, text: string): (number | undefined)[] =>
  matchesCalled(release, writtenPart(release, entity, text))
    .filter(isCalledSo)
    .map(({ position }) => position)

/** How many letters the name of a country has at least; fewer are rather the code of a state. */
const MIN_COUNTRY = 4

/** A country and what would be in it, where the last segment names one of which the catalog has no states. */
function partsAbroad(release: Release, segments: readonly string[]): (readonly WrittenPart[])[] {
  const places = placesIn(release)
  const [own, last] = segments.slice(-2)
  if (places?.top === undefined || own === undefined || last === undefined || last.length < MIN_COUNTRY) return []
  const country = writtenPart(release, places.top, last)
  const position = namedBy(release, country)
  const [level] = ancestorLevels(release, places.above)
  if (position === undefined || level === undefined || countBelow(level, [{ position }]) > 0) return []
  const isTown = () => {
    const isIn = called(release, places.entity, own)
    const parentOf = (at: number) => ancestorOf(release, places.towns.name, at, places.entity.name)
    return (
      matchesCalled(release, writtenPart(release, places.towns, last), (at) => isIn.includes(parentOf(at))).length > 0
    )
  }
  const isElse = namesState(release, [last]) || namesPlace(release, last) || namesCountry(release, [own]) || isTown()
  return isElse ? [] : [[country, writtenPart(release, places.above, own)]]
}

/** Whether some text is what a record is called that has towns in it. */
export function namesPlace(release: Release, text: string): boolean {
  const places = placesIn(release)
  return places !== undefined && isCalled(release, [places.entity], wordsOf(text))
}

/** Whether one of some segments names a state. */
const namesState = (release: Release, segments: readonly string[]): boolean =>
  segments.some((text) => isNamed(release, placesIn(release)?.above, text))

/** Whether one of some segments names what is above the states. */
export const namesCountry = (release: Release, segments: readonly string[]): boolean =>
  segments.some((text) => isNamed(release, placesIn(release)?.top, text))

/**
 * The ways to read some words as a record that is called so, which is wanted, and a town in it, of which nothing may be said. Where all of
 * them are the name of a town, or the end that names a record is that of a longer name of one, the rest is what a town in it is called.
 * A whole segment is no word such as "de", in whatever case.
 */
function* readingsInPlaces(
  release: Release,
  { entity, towns }: TownPlaces,
  ends: Iterable<End>,
  words: readonly string[],
  isTown: () => boolean,
  isWanted?: (position: number) => boolean,
  areWords = true,
): Generator<readonly WrittenPart[]> {
  const { isRank, isNoise, isHamlet, isHonor, isLinking, isGenitive } = languageOfNames(towns)
  const whole = () => partOf(release, towns, words)
  const records = entityNames(release, entity)
  let isPartOfName: boolean | undefined
  for (const { end, rest } of ends) {
    if (!mayName(release, entity, end.join(' '))) continue
    const place = partOf(release, entity, end)
    // No name begins with "de", but for Del Nayar.
    const begins = ({ position }: PartMatch) => records.wordsAt(position)[0] === end[0] || !isGenitive(end[0] ?? '')
    // Without commas, the number before a name is rather that of the name before it, unless it is the whole code.
    const hasCode = ({ position }: PartMatch) =>
      !areWords || place.beside === undefined || records.codesAt(position).includes(place.beside)
    const called = place.digits === undefined ? matchesCalled(release, place, isWanted).filter(isCalledSo) : []
    const places = called.filter((match) => begins(match) && hasCode(match))
    if (places.length === 0) continue
    if (rest.length === 0) {
      yield [place]
      continue
    }
    const town = partOf(release, towns, rest)
    const isInPlace = (at: number) =>
      places.some(({ position }) => ancestorOf(release, towns.name, at, entity.name) === position)
    const isKnown = () => matchesCalled(release, town, isInPlace).length > 0
    isPartOfName ??= isTown()
    if (isPartOfName && !isKnown()) continue
    isPartOfName = true
    // "Ciudad Lerdo" is no town "Ciudad" in Lerdo, and a hamlet of the name of its municipality is anywhere.
    if (areWords && rest.every(isHamlet)) continue
    const isTitle = (word: string) => isRank(word) || isNoise(word) || isHonor(word) || isLinking(word)
    if (areWords && rest.every(isTitle)) {
      yield [place, whole()]
      continue
    }
    if (areWords && goesOn(rest, towns)) continue
    yield [place, town]
    // A saint may stand before the name of what a town is in, as in San Vicente Chicoloapan.
    if (whole().withoutSaint !== undefined && !isKnown()) yield [place, whole()]
  }
}

/** Whether a name goes on after some words: none ends with "de". A letter may be the last word of one. */
const goesOn = (words: readonly string[], entity: Entity): boolean =>
  (words.at(-1)?.length ?? 0) > 1 && languageOfNames(entity).isLinking(words.at(-1) ?? '')

const partOf = (release: Release, entity: Entity, words: readonly string[]): WrittenPart =>
  writtenPart(release, entity, words.join(' '))

/** Whether some words are the whole name of a record of one of some entities. */
const isCalled = (release: Release, entities: readonly Entity[], words: readonly string[]): boolean =>
  entities.some(
    (entity) =>
      mayName(release, entity, words.join(' ')) &&
      matchesCalled(release, partOf(release, entity, words)).some((match) => match.isWhole && isCalledSo(match)),
  )

/** The beginnings of some words, the longest first. */
function* beginningsOf(words: readonly string[], max = MAX_NAME_WORDS): Generator<End> {
  for (let count = Math.min(words.length, max); count > 0; count--)
    yield { end: words.slice(0, count), rest: words.slice(count) }
}
