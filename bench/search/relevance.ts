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
  /** What did not come first, and what did instead. */
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
}

export function scoreRelevance({ json }: Service): Relevance {
  const results = readRelevance().map((expected) => {
    const { query, in: collections, within } = expected
    const asked = Object.entries({ q: query, limit: '5', in: collections, within }).filter(([, value]) => value !== '')
    const parameters = asked.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
    const found = json<Suggestion[]>(`/api/v2/search?${parameters}`)
    const records = found.map(({ collection, key, name }) => `${name} (${collection} ${Object.values(key).join('/')})`)
    const wanted = `${expected.name} (${expected.collection} ${expected.key})`
    return { expected, wanted, best: records[0] ?? 'nothing', place: records.indexOf(wanted) }
  })
  const scoreOf = (category: Category): Score => {
    const own = results.filter(({ expected }) => expected.category === category)
    const first = own.filter(({ place }) => place === 0).length
    return { queries: own.length, first, amongFive: own.filter(({ place }) => place !== -1).length }
  }
  return {
    scores: Object.fromEntries(CATEGORIES.map((category) => [category, scoreOf(category)])) as Relevance['scores'],
    misses: results
      .filter(({ place }) => place !== 0)
      .map(
        ({ expected, wanted, best }) =>
          `“${expected.query}” (${expected.category}) should find ${wanted}, and found ${best}`,
      ),
  }
}
