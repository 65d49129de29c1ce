// Reads a text as a town, the record that it is in, and the state of that.
import { memoized } from '../../base/memoized.ts'
import type { Entity } from '../../catalog/entity.ts'
import { languageOfNames } from '../../catalog/languages/languages.ts'
import { ancestorsOf } from '../../catalog/lineage.ts'
import { wordsOf } from '../../catalog/words.ts'
import type { Release } from '../../release/release.ts'
import { ancestorLevels } from '../search/ancestor-match.ts'
import {
  type End,
  endNaming,
  endsOf,
  isCalledSo,
  isNamed,
  MAX_NAME_WORDS,
  namedBy,
  namedByWords,
  stateBefore,
} from './address.ts'
import { entityNames } from './entity-names.ts'
import { ancestorOf } from './levels.ts'
import { countBelow } from './parents.ts'
import { matchesCalled } from './part-matches.ts'
import { parentOfTowns, townsIn } from './towns.ts'
import { type WrittenPart, writtenPart } from './written-part.ts'

/**
 * The parts of a text of three segments that are a town, the record that it is in and the state of that, in this order or the other,
 * where both are called so. Of two segments, those of a record or a town and its state, where it is called so. The country may stand
 * beside the state, and the two alone are parts too. Undefined for any other text.
 */
export function townParts(release: Release, segments: readonly string[]): readonly WrittenPart[] | undefined {
  const places = placesIn(release)
  if (places === undefined) return undefined
  for (const order of [segments, segments.toReversed()]) {
    const inCountry = inState(release, places, order)
    if (inCountry !== undefined) return inCountry
  }
  return inPlace(release, places, segments)
}

/** The same without the country. */
function inPlace(
  release: Release,
  { entity, towns, above }: Places,
  segments: readonly string[],
): readonly WrittenPart[] | undefined {
  for (const order of [segments, segments.toReversed()]) {
    const [first = '', second = '', third, ...more] = order
    if (second === '' || more.length > 0) continue
    const statePart = writtenPart(release, above, third ?? second)
    const position = namedBy(release, statePart)
    if (position === undefined) continue
    const isCalledInState = (part: WrittenPart) =>
      part.digits === undefined &&
      matchesCalled(release, part, (at) => ancestorOf(release, part.entity.name, at, above.name) === position).some(
        isCalledSo,
      )
    const place = writtenPart(release, entity, third === undefined ? first : second)
    const town = writtenPart(release, towns, first)
    if (isCalledInState(place)) return third === undefined ? [statePart, place] : [statePart, place, town]
    if (third === undefined && isCalledInState(town)) return [statePart, town]
  }
  return undefined
}

/** The parts of segments that end with a state and its country, whose name may be that of a state and of what is in it too. */
function inState(release: Release, places: Places, segments: readonly string[]): readonly WrittenPart[] | undefined {
  const { above, top } = places
  const [country = '', state = '', ...others] = segments.toReversed()
  if (top === undefined || !isNamed(release, top, country)) return undefined
  const [countryPart, statePart] = [writtenPart(release, top, country), writtenPart(release, above, state)]
  const { typed, numbers } = statePart.written
  // A number in words is a name, and not the code of a state.
  if (statePart.digits === undefined && typed.length === 1 && numbers !== '') return undefined
  const position = namedBy(release, statePart)
  if (position === undefined || ancestorOf(release, above.name, position, top.name) !== namedBy(release, countryPart))
    return undefined
  return others.length === 0 ? [countryPart, statePart] : inPlace(release, places, segments.slice(0, -1))
}

/** The entity whose records have towns in them, that of the towns, and those above. */
type Places = {
  readonly entity: Entity
  readonly towns: Entity
  readonly above: Entity
  readonly top: Entity | undefined
}

const placesIn = memoized((release: Release): Places | undefined => {
  const entity = parentOfTowns(release)
  const [above, top] = entity === undefined ? [] : ancestorsOf(entity).map((step) => step.entity)
  if (entity === undefined || above === undefined) return undefined
  return { entity, towns: townsIn(release)(entity) as Entity, above, top }
})

/**
 * The ways to read words without commas as a town, the record that it is in and the state of that, in this order or the other: the
 * longest name of a record first, and last as one of the two. None where the words name no state. Where there is a comma, the state
 * may be repeated before it.
 */
export function townReadings(
  release: Release,
  words: readonly string[],
  mayRepeat: boolean,
): (readonly WrittenPart[])[] {
  const places = placesIn(release)
  if (places === undefined || isCalled(release, [places.entity, places.towns], words)) return []
  const { entity, towns, above, top } = places
  const names = entityNames(release, towns)
  const placed: (readonly WrittenPart[])[] = []
  const alone: (readonly WrittenPart[])[] = []
  for (const ends of [endsOf, beginningsOf]) {
    if (placed.length > 0) break
    const country = top === undefined ? undefined : endNaming(release, words, top, ends)
    const before = country === undefined ? undefined : stateBefore(release, country, above, top, ends)
    for (const state of [before, endNaming(release, words, above, ends)]) {
      if (state === undefined || state.rest.length === 0) continue
      const { position } = state
      const statePart = partOf(release, above, state.words)
      const isIn = (of: Entity) => (at: number) => ancestorOf(release, of.name, at, above.name) === position
      const inState = readingsInPlaces(release, places, ends(state.rest), state.rest, isIn(entity))
      placed.push(...inState.map((parts) => [statePart, ...parts]))
      const isOfState = inState.some(([place]) => place?.written.text === statePart.written.text)
      // Where the state is named twice, the one before it is no part of a town's name, unless a town is called so.
      const town = partOf(release, towns, state.rest)
      const called = matchesCalled(release, town, isIn(towns))
      const isTown = called.some(isCalledSo)
      const isRepeated = isOfState && !mayRepeat
      // What names a record in the state is no town with its words in its name.
      if (inState.length > 0 && !isTown && !(isOfState && mayRepeat)) continue
      const place = partOf(release, entity, state.rest)
      // The name of a hamlet is not that of a record, misspelt, nor of one that it is in.
      const isHamlet = called.some((match) => !names.isSeat(match.position))
      if (!isHamlet && !isRepeated && place.digits === undefined) alone.push([statePart, place])
      if (isTown || !isRepeated) alone.push([statePart, town])
    }
  }
  return [...placed, ...alone]
}

/** The ways to read words without commas as a town and the record that it is in, whose state is not named, in this order or the other. */
export function placeReadings(release: Release, words: readonly string[]): (readonly WrittenPart[])[] {
  const places = placesIn(release)
  if (places === undefined) return []
  return [endsOf, beginningsOf].flatMap((ends) => {
    const isPlace = ({ end, rest }: End) => rest.length > 0 && namedByWords(release, places.above, end) === undefined
    return readingsInPlaces(release, places, [...ends(words)].filter(isPlace), words)
  })
}

/** The ways to read two segments as a town and the record that it is in, which is called so; no state or country is a town. */
export function pairReadings(release: Release, segments: readonly string[]): (readonly WrittenPart[])[] {
  const places = placesIn(release)
  if (places === undefined) return []
  return [segments, segments.toReversed()].flatMap(([own = '', place = '']) =>
    !namesState(release, [own]) &&
    !namesCountry(release, [own, place]) &&
    isCalled(release, [places.entity], wordsOf(place))
      ? [[writtenPart(release, places.entity, place), writtenPart(release, places.towns, own)]]
      : [],
  )
}

/** The records of an entity that are called what a text says. */
const called = (release: Release, entity: Entity, text: string): (number | undefined)[] =>
  matchesCalled(release, writtenPart(release, entity, text))
    .filter(isCalledSo)
    .map(({ position }) => position)

/** How many letters the name of a country has at least; fewer are rather the code of a state. */
const MIN_COUNTRY = 4

/** A country and what would be in it, where the last segment names one of which the catalog has no states. */
export function partsAbroad(release: Release, segments: readonly string[]): readonly WrittenPart[] | undefined {
  const places = placesIn(release)
  const [own, last] = segments.slice(-2)
  if (places?.top === undefined || own === undefined || last === undefined || last.length < MIN_COUNTRY)
    return undefined
  const country = writtenPart(release, places.top, last)
  const position = namedBy(release, country)
  const [level] = ancestorLevels(release, places.above)
  if (position === undefined || level === undefined || countBelow(level, [{ position }]) > 0) return undefined
  const isTown = () => {
    const isIn = called(release, places.entity, own)
    const parentOf = (at: number) => ancestorOf(release, places.towns.name, at, places.entity.name)
    return (
      matchesCalled(release, writtenPart(release, places.towns, last), (at) => isIn.includes(parentOf(at))).length > 0
    )
  }
  const isElse = namesState(release, [last]) || namesPlace(release, last) || namesCountry(release, [own]) || isTown()
  return isElse ? undefined : [country, writtenPart(release, places.above, own)]
}

/** Whether some text is what a record is called that has towns in it. */
export function namesPlace(release: Release, text: string): boolean {
  const places = placesIn(release)
  return places !== undefined && isCalled(release, [places.entity], wordsOf(text))
}

/** Whether one of some segments names a state. */
export const namesState = (release: Release, segments: readonly string[]): boolean =>
  segments.some((text) => isNamed(release, placesIn(release)?.above, text))

/** Whether one of some segments names what is above the states. */
export const namesCountry = (release: Release, segments: readonly string[]): boolean =>
  segments.some((text) => isNamed(release, placesIn(release)?.top, text))

/** The ways to read some words as a record that is called so, which is wanted, and a town in it, of which nothing may be said. */
function readingsInPlaces(
  release: Release,
  { entity, towns }: Places,
  ends: Iterable<End>,
  words: readonly string[],
  isWanted?: (position: number) => boolean,
): WrittenPart[][] {
  const { isRank, isNoise, isHamlet } = languageOfNames(towns)
  const readings: WrittenPart[][] = []
  const whole = partOf(release, towns, words)
  for (const { end, rest } of ends) {
    const place = partOf(release, entity, end)
    const places = place.digits === undefined ? matchesCalled(release, place, isWanted).filter(isCalledSo) : []
    if (places.length === 0) continue
    if (rest.length === 0) {
      readings.push([place])
      continue
    }
    // "Ciudad Lerdo" is no town "Ciudad" in Lerdo, and a hamlet of the name of its municipality is anywhere.
    if (rest.every(isHamlet)) continue
    if (rest.every((word) => isRank(word) || isNoise(word))) {
      readings.push([place, whole])
      continue
    }
    const town = partOf(release, towns, rest)
    readings.push([place, town])
    const isInPlace = (at: number) =>
      places.some(({ position }) => ancestorOf(release, towns.name, at, entity.name) === position)
    // A saint may stand before the name of what a town is in, as in San Vicente Chicoloapan.
    if (whole.withoutSaint !== undefined && matchesCalled(release, town, isInPlace).length === 0)
      readings.push([place, whole])
  }
  return readings
}

const partOf = (release: Release, entity: Entity, words: readonly string[]): WrittenPart =>
  writtenPart(release, entity, words.join(' '))

/** Whether some words are the whole name of a record of one of some entities. */
const isCalled = (release: Release, entities: readonly Entity[], words: readonly string[]): boolean =>
  entities.some((entity) =>
    matchesCalled(release, partOf(release, entity, words)).some((match) => match.isWhole && isCalledSo(match)),
  )

/** The beginnings of some words, the longest first. */
function* beginningsOf(words: readonly string[]): Generator<End> {
  for (let count = Math.min(words.length, MAX_NAME_WORDS); count > 0; count--)
    yield { end: words.slice(0, count), rest: words.slice(count) }
}
