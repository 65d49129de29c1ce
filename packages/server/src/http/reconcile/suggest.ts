// Suggestions while someone types: records, properties and types, by the beginning of their names or by their identifiers.
import type { Entity } from '../../catalog/entity.ts'
import { wordsOf } from '../../catalog/words.ts'
import type { Release } from '../../release/release.ts'
import { MAX_SEARCH_CHARACTERS } from '../v2/parameter-definitions.ts'
import { searchTypes } from './candidates.ts'
import { findEntity, type RecordPlace, summaryOf, typeOf } from './entity.ts'
import { allProperties } from './properties.ts'

const PER_PAGE = 10
/** Nobody reads more suggestions than these. */
const MAX_SUGGESTIONS = 100

type SuggestRequest = {
  readonly prefix: string
  /** Number of suggestions to skip. */
  readonly cursor: number
}

export function suggestEntities(release: Release, types: readonly Entity[], { prefix, cursor }: SuggestRequest) {
  const end = Math.min(cursor + PER_PAGE, MAX_SUGGESTIONS)
  const identifiedPlace = findEntity(release, prefix.trim())
  const hasResults = cursor < end && wordsOf(prefix.slice(0, MAX_SEARCH_CHARACTERS)).length > 0
  const results = hasResults ? searchTypes(release, types, prefix, end) : []
  const places: RecordPlace[] =
    identifiedPlace === undefined
      ? results.map(({ name, position }) => ({ entity: release.entity(name).definition, position }))
      : [identifiedPlace]
  return places.slice(cursor, end).map((place) => ({ ...summaryOf(release, place), notable: [typeOf(place.entity)] }))
}

export function suggestProperties({ catalog }: Release, request: SuggestRequest) {
  const all = [...allProperties(catalog).values()]
  return beginning(all, ({ id, description }) => [id, ...id.split('.'), description], request).map(
    ({ id, description }) => ({ id, name: id, description }),
  )
}

export function suggestTypes({ catalog }: Release, request: SuggestRequest) {
  const all = [...catalog.entities.values()]
  return beginning(all, ({ name, plural, title }) => [plural, name, title], request).map(typeOf)
}

/** Selects by prefix: an equal text comes first, then a text that begins so, then one with a word that does. */
function beginning<T>(
  all: readonly T[],
  textsOf: (one: T) => readonly string[],
  { prefix, cursor }: SuggestRequest,
): T[] {
  const start = wordsOf(prefix).join(' ')
  const rankOf = (one: T): number => {
    const texts = textsOf(one).map((text) => wordsOf(text).join(' '))
    if (texts.some((text) => text === start)) return 0
    if (texts.some((text) => text.startsWith(start))) return 1
    return texts.some((text) => text.includes(` ${start}`)) ? 2 : 3
  }
  return all
    .map((one) => ({ one, rank: rankOf(one) }))
    .filter(({ rank }) => rank < 3)
    .toSorted((a, b) => a.rank - b.rank)
    .slice(cursor, cursor + PER_PAGE)
    .map(({ one }) => one)
}
