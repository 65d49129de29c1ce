// What is asked of a list: the query string of a v2 request, read once.

import { MAX_ID } from '../../catalog/check.ts'
import type { Entity } from '../../catalog/entity.ts'
import { type FieldPath, pathsOf } from '../../catalog/paths.ts'
import { wordsOf } from '../../catalog/words.ts'
import type { Filter } from '../../find/filter.ts'
import type { Query } from '../../find/finder.ts'
import type { Sort } from '../../find/sort.ts'
import { nearest } from '../../nearest.ts'
import type { Selection } from '../../page/selection.ts'
import {
  DEFAULT_PER_PAGE,
  listParameters,
  MAX_FILTER_VALUES,
  MAX_PAGE,
  MAX_PER_PAGE,
  MAX_SEARCH_CHARACTERS,
  MAX_WORDS,
} from './parameter-definitions.ts'
import { badParameter, oneOf, type Parameters, readParameters, wholeNumber } from './parameters.ts'

export type ListRequest = {
  readonly query: Query
  /** The page that is wanted, or the cursor after which it begins. */
  readonly at: { readonly page: number } | { readonly after: string }
  readonly perPage: number
  readonly selection: Selection
  readonly parameters: Parameters
}

export function readListRequest(entity: Entity, query: string): ListRequest {
  const parameters = readParameters(query, listParameters(entity))
  const page = wholeNumber(parameters, 'page', { least: 1, most: MAX_PAGE, defaultValue: 1 })
  const after = parameters.one('after')
  if (after !== undefined && parameters.has('page'))
    throw badParameter('after', after, 'either page or after, not both')
  return {
    query: {
      filters: filtersOf(entity, parameters),
      words: searchWords(parameters),
      sorts: sortsOf(entity, parameters),
    },
    at: after === undefined ? { page } : { after },
    perPage: wholeNumber(parameters, 'per_page', { least: 1, most: MAX_PER_PAGE, defaultValue: DEFAULT_PER_PAGE }),
    selection: selectionOf(entity, parameters),
    parameters,
  }
}

function filtersOf(entity: Entity, parameters: Parameters): Filter[] {
  const known = listParameters(entity)
  refuseTooMany(known, parameters)
  const filters: Filter[] = []
  for (const [name, given] of parameters.values) {
    const filter = known.get(name)?.filter
    if (filter === undefined) continue
    const { path, match } = filter
    const values = given.map((value) => (path.numeric ? identifier(name, value) : notEmpty(name, value)))
    filters.push({ steps: path.steps, match, values })
  }
  return filters
}

/** Each value costs time, and a request line holds hundreds. */
function refuseTooMany(known: ReturnType<typeof listParameters>, { entries }: Parameters): void {
  if (entries.length <= MAX_FILTER_VALUES) return
  const beyond = entries.filter(([name]) => known.get(name)?.filter !== undefined)[MAX_FILTER_VALUES]
  if (beyond === undefined) return
  const [name, value] = beyond
  throw badParameter(name, value, `no further value: all filters of a request have at most ${MAX_FILTER_VALUES}`)
}

function identifier(name: string, value: string): number {
  const number = /^(?:0|[1-9][0-9]{0,9})$/.test(value) ? Number(value) : -1
  if (number < 0 || number > MAX_ID) throw badParameter(name, value, `a whole number from 0 to ${MAX_ID}`)
  return number
}

function notEmpty(name: string, value: string): string {
  if (value === '') throw badParameter(name, value, 'a value: to ask for any, leave the parameter out')
  return value
}

export function searchWords(parameters: Parameters): string[] {
  const given = parameters.one('q')
  if (given === undefined) return []
  const words = given.length > MAX_SEARCH_CHARACTERS ? [] : wordsOf(given)
  if (words.length > 0 && words.length <= MAX_WORDS) return words
  const allowed = `one to ${MAX_WORDS} words of letters or digits, in at most ${MAX_SEARCH_CHARACTERS} characters`
  throw badParameter('q', given, allowed)
}

function sortsOf(entity: Entity, parameters: Parameters): Sort[] {
  const given = parameters.one('sort')
  if (given === undefined) return []
  const descending = given.startsWith('-')
  return [{ steps: pathAt(entity, 'sort', descending ? given.slice(1) : given).steps, descending }]
}

function pathAt(entity: Entity, parameter: string, name: string): FieldPath {
  const paths = pathsOf(entity)
  const path = paths.get(name)
  if (path !== undefined) return path
  const meant = nearest(name, [...paths.keys()])
  const allowed = `${[...paths.keys()].join(', ')}${meant === undefined ? '' : `; did you mean ${meant}?`}`
  throw badParameter(parameter, name, allowed)
}

export function selectionOf(entity: Entity, parameters: Parameters): Selection {
  const request = parameters.one('fields')?.split(',')
  for (const field of request ?? []) pathAt(entity, 'fields', field)
  // Whoever wants a record whole has asked for what is in it, too.
  const fields = request?.filter((field) => !request.some((outer) => field.startsWith(`${outer}.`)))
  return { fields, embed: oneOf(parameters, 'embed', ['full', 'id'], 'full') }
}
