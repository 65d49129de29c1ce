// Reads a text as a town, the record that it is in, and the state of that.
import type { Entity } from '../../catalog/entity.ts'
import { ancestorsOf } from '../../catalog/lineage.ts'
import type { Release } from '../../release/release.ts'
import { type End, endsOf, isCalledSo, isNamed, MAX_NAME_WORDS, namedBy, namedByWords } from './address.ts'
import { ancestorOf } from './levels.ts'
import { matchesCalled } from './part-matches.ts'
import { parentOfTowns, townsIn } from './towns.ts'
import { type WrittenPart, writtenPart } from './written-part.ts'

/**
 * The parts of a text of three segments that are a town, the record that it is in and the state of that, in this order or the other,
 * where both are called so; the country may stand beside the state. Of two segments, those of a record or a town and its state,
 * where it is called so. Undefined for any other text.
 */
export function townParts(release: Release, segments: readonly string[]): readonly WrittenPart[] | undefined {
  const entity = parentOfTowns(release)
  const [above, top] = entity === undefined ? [] : ancestorsOf(entity).map((step) => step.entity)
  if (entity === undefined || above === undefined) return undefined
  const towns = townsIn(release)(entity) as Entity
  for (const order of [segments, segments.toReversed()]) {
    const [first = '', second = '', third, country, ...more] = order
    if (second === '' || more.length > 0 || (country !== undefined && !isNamed(release, top, country))) continue
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

/**
 * The ways to read words without commas as a town, the record that it is in and the state of that, in this order or the other: the
 * longest name of a record first, and last as one of the two. None where the words name no state. Where
 * there is a comma, the state may be repeated before it.
 */
export function townReadings(
  release: Release,
  words: readonly string[],
  mayRepeat: boolean,
): (readonly WrittenPart[])[] {
  const entity = parentOfTowns(release)
  const [above, top] = entity === undefined ? [] : ancestorsOf(entity).map((step) => step.entity)
  if (entity === undefined || above === undefined) return []
  const towns = townsIn(release)(entity) as Entity
  const part = (as: Entity, some: readonly string[]) => writtenPart(release, as, some.join(' '))
  if (isCalled(release, [entity, towns], words)) return []
  const placed: WrittenPart[][] = []
  const alone: WrittenPart[][] = []
  for (const ends of [endsOf, beginningsOf]) {
    if (placed.length > 0) break
    const named = (of: readonly string[], as: Entity) =>
      [...ends(of)].find(({ end }) => namedByWords(release, as, end) !== undefined)
    const country = top === undefined ? undefined : named(words, top)
    const states = [country === undefined ? undefined : named(country.rest, above), named(words, above)]
    for (const state of states) {
      if (state === undefined || state.rest.length === 0) continue
      const statePart = part(above, state.end)
      const position = namedBy(release, statePart)
      const isInState = (at: number) => ancestorOf(release, entity.name, at, above.name) === position
      let isOfState = false
      const town = part(towns, state.rest)
      for (const { end, rest } of ends(state.rest)) {
        const place = part(entity, end)
        const places = place.digits === undefined ? matchesCalled(release, place, isInState).filter(isCalledSo) : []
        if (places.length === 0) continue
        placed.push([statePart, place, ...(rest.length === 0 ? [] : [part(towns, rest)])])
        const isInPlace = (at: number) =>
          places.some(({ position }) => ancestorOf(release, towns.name, at, entity.name) === position)
        // A saint may stand before the name of what a town is in, as in San Vicente Chicoloapan.
        const isOfSaint = town.withoutSaint !== undefined && rest.length > 0
        if (isOfSaint && matchesCalled(release, part(towns, rest), isInPlace).length === 0)
          placed.push([statePart, place, town])
        if (place.written.text === statePart.written.text) isOfState = true
      }
      // Where the state is named twice, the one before it is no part of a town's name, unless a town is called so.
      const isTownInState = (at: number) => ancestorOf(release, towns.name, at, above.name) === position
      const isTown = matchesCalled(release, town, isTownInState).some(isCalledSo)
      const isRepeated = isOfState && !mayRepeat
      const place = part(entity, state.rest)
      if (!isTown && !isRepeated && place.digits === undefined) alone.push([statePart, place])
      if (isTown || !isRepeated) alone.push([statePart, town])
    }
  }
  return [...placed, ...alone]
}

/** Whether some words are the name of a record of one of some entities. */
const isCalled = (release: Release, entities: readonly Entity[], words: readonly string[]): boolean =>
  entities.some((entity) => matchesCalled(release, writtenPart(release, entity, words.join(' '))).some(isCalledSo))

/** The beginnings of some words, the longest first. */
function* beginningsOf(words: readonly string[]): Generator<End> {
  for (let count = Math.min(words.length, MAX_NAME_WORDS); count > 0; count--)
    yield { end: words.slice(0, count), rest: words.slice(count) }
}
