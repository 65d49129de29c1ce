// The relevance set: what was asked, what should come first, and how often it does.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { type Ask, queryOf } from './questions.ts'

export const CATEGORIES = ['exact', 'accentless', 'one-typo', 'partial', 'code', 'homonym', 'mixed-order'] as const
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

export type Score = {
  readonly category: Category
  readonly queries: number
  /** How many were answered with the expected record first, and among the first five. */
  readonly first: number
  readonly amongFive: number
}

export type Miss = { readonly expected: Expectation; readonly got: string }

const FILE = join(import.meta.dir, 'relevance.csv')
const FIVE = 5

export const readRelevance = (): Expectation[] =>
  parse(readFileSync(FILE, 'utf8'), { columns: true, comment: '#', comment_no_infix: true })

type Suggested = {
  readonly collection: string
  readonly key: Readonly<Record<string, string | number>>
  readonly name: string
}

/** The first five answers to a query, as anyone gets them who asks the typeahead. */
function answersTo(ask: Ask, { query, in: collections, within }: Expectation): Suggested[] {
  const narrowed = Object.entries({ in: collections, within }).filter(([, value]) => value !== '')
  const { body, status } = ask(`/api/v2/search?${queryOf([['q', query], ['limit', FIVE], ...narrowed])}`)
  const text = new TextDecoder().decode(body as Uint8Array)
  if (status !== 200) throw new Error(`${query}: ${text}`)
  return JSON.parse(text)
}

const isExpected = ({ collection, key }: Expectation, found: Suggested) =>
  found.collection === collection && Object.values(found.key).join('/') === key

export function scoreRelevance(
  ask: Ask,
  expectations: readonly Expectation[],
): { readonly scores: readonly Score[]; readonly misses: readonly Miss[] } {
  const places = expectations.map((expected) => {
    const found = answersTo(ask, expected)
    return { expected, found, place: found.findIndex((one) => isExpected(expected, one)) }
  })
  const scores = CATEGORIES.map((category) => {
    const own = places.filter(({ expected }) => expected.category === category)
    const first = own.filter(({ place }) => place === 0).length
    return { category, queries: own.length, first, amongFive: own.filter(({ place }) => place !== -1).length }
  })
  const misses = places
    .filter(({ place }) => place !== 0)
    .map(({ expected, found: [best] }) => ({
      expected,
      got: best === undefined ? 'nothing' : `${best.name} (${best.collection} ${Object.values(best.key).join('/')})`,
    }))
  return { scores, misses }
}
