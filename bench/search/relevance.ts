// The relevance set: queries, the record that should come first for each, and how often it does.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import type { Service } from './service.ts'

export const CATEGORIES = [
  'exact',
  'accentless',
  'one-typo',
  'two-typos',
  'partial',
  'code',
  'homonym',
  'mixed-order',
  'well-known',
  'alias',
  'abbreviation',
  'three-levels',
  'state-abbreviated',
  'noise-word',
  'glued',
  'by-ear',
] as const
export type Category = (typeof CATEGORIES)[number]

export type Expectation = {
  readonly category: Category
  readonly query: string
  readonly in: string
  readonly within: string
  readonly collection: string
  /** The values of its key, with slashes between them. */
  readonly key: string
  readonly name: string
}

export type Score = { readonly queries: number; readonly first: number; readonly amongFive: number }

export type Relevance = {
  readonly scores: Readonly<Record<Category, Score>>
  /** A line for each record that did not come first, with the one that did. */
  readonly misses: readonly string[]
}

export const readRelevance = (): Expectation[] =>
  parse(readFileSync(join(import.meta.dir, 'relevance.csv'), 'utf8'), {
    columns: true,
    comment: '#',
    comment_no_infix: true,
  })

type Suggestion = {
  readonly collection: string
  readonly key: Readonly<Record<string, string | number>>
  readonly name: string
  readonly score: number
  readonly how: readonly string[]
}

/** Every `step`th query, those of each category in turn. */
export const sampleOf = (expectations: readonly Expectation[], step: number): Expectation[] =>
  CATEGORIES.flatMap((category) =>
    expectations.filter((expected) => expected.category === category).filter((_, at) => at % step === 0),
  )

/** The suggestions for a query, the best first, in the collections that it names or else in these. */
export function suggestionsFor({ json }: Service, expected: Expectation, collections = ''): Suggestion[] {
  const { query, within } = expected
  const request = { q: query, limit: '5', in: expected.in || collections, within }
  const parameters = Object.entries(request).filter(([, value]) => value !== '')
  return json(`/api/v2/search?${parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`)
}

export function scoreRelevance(service: Service): Relevance {
  const results = readRelevance().map((expected) => {
    const suggestions = suggestionsFor(service, expected)
    return { expected, best: suggestions[0], place: placeOf(expected, suggestions) }
  })
  const scoreOf = (category: Category): Score => {
    const places = results.filter(({ expected }) => expected.category === category).map(({ place }) => place)
    return {
      queries: places.length,
      first: places.filter((place) => place === 0).length,
      amongFive: places.filter((place) => place !== -1).length,
    }
  }
  return {
    scores: Object.fromEntries(CATEGORIES.map((category) => [category, scoreOf(category)])) as Relevance['scores'],
    misses: results
      .filter(({ place }) => place !== 0)
      .map(
        ({ expected, best }) =>
          `“${expected.query}” (${expected.category}) should find ${expected.name} (${expected.collection} ${expected.key}), and found ${best === undefined ? 'nothing' : `${best.name} (${best.collection} ${keyOf(best)})`}`,
      ),
  }
}

/** The values of the key of a suggestion, with slashes between them. */
export const keyOf = ({ key }: Suggestion): string => Object.values(key).join('/')

/** The place of the expected record among the suggestions, or -1. */
export const placeOf = (expected: Expectation, suggestions: readonly Suggestion[]): number =>
  suggestions.findIndex(
    (suggestion) => suggestion.collection === expected.collection && keyOf(suggestion) === expected.key,
  )
