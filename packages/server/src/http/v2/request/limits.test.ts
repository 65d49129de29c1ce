// How much of each parameter is allowed: the last value that is, and the first that is not.
import { describe, expect, test } from 'bun:test'
import { builtInCatalog } from '../../../source/built-in.ts'
import { ProblemError } from '../../problem.ts'
import {
  MAX_FIELDS,
  MAX_FILTER_VALUES,
  MAX_PAGE,
  MAX_PER_PAGE,
  MAX_QUERY_ROWS,
  MAX_SEARCH_CHARACTERS,
  MAX_SORT_FIELDS,
  MAX_SUGGESTIONS,
  MAX_WITHIN_KM,
  MAX_WORDS,
  MIN_WITHIN_KM,
} from '../parameter-definitions.ts'
import { catalogRouteAt, fixedRouteAt } from '../v2-routes.ts'
import { parseQuery, writeCursor } from './query-string.ts'
import { parseBulkRequest, parseListRequest, parseRecordRequest } from './records-request.ts'
import { parseResolveBodyRequest, parseResolveRequest } from './resolve-request.ts'
import { parseSearchRequest } from './search-request.ts'

const HEADERS = new Map<string, string>()
const words = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`).join('+')
const repeated = (pair: string, count: number) => Array.from({ length: count }, () => pair).join('&')
const names = (name: string, count: number) => Array.from({ length: count }, () => name).join(',')
const cursor = (digest: string) => writeCursor(digest, 0)
const DIGEST = 'abcdef0123456789'.repeat(4)

function parse(target: string) {
  const [path = '', text = ''] = target.split('?')
  const route = fixedRouteAt(`/api/v2/${path}`) ?? catalogRouteAt(builtInCatalog, `/api/v2/${path}`)
  const query = parseQuery(text)
  switch (route.kind) {
    case 'list':
      return parseListRequest(route, query, HEADERS)
    case 'bulk':
      return parseBulkRequest(route, query, HEADERS)
    case 'record':
      return parseRecordRequest(route, query, HEADERS)
    case 'search':
      return parseSearchRequest(query, builtInCatalog)
    case 'resolve':
      return parseResolveRequest(query, HEADERS, builtInCatalog)
    default:
      throw new Error(`${route.kind} has no limits`)
  }
}

/** The kind of problem that a request has, and the parameter. */
function refusal(target: string): string | undefined {
  try {
    parse(target)
    return undefined
  } catch (error) {
    if (error instanceof ProblemError && 'name' in error.problem) return `${error.problem.kind} ${error.problem.name}`
    throw error
  }
}

const LIST = 'localidades'
type Limits = readonly [what: string, allowed: string, refused: string, parameter: string][]
const listLimits: Limits = [
  ['page', `page=${MAX_PAGE}`, `page=${MAX_PAGE + 1}`, 'page'],
  ['the first page', 'page=1', 'page=0', 'page'],
  ['per_page', `per_page=${MAX_PER_PAGE}`, `per_page=${MAX_PER_PAGE + 1}`, 'per_page'],
  ['words', `q=${words(MAX_WORDS)}`, `q=${words(MAX_WORDS + 1)}`, 'q'],
  ['characters', `q=${'a'.repeat(MAX_SEARCH_CHARACTERS)}`, `q=${'a'.repeat(MAX_SEARCH_CHARACTERS + 1)}`, 'q'],
  ['any word', 'q=a', 'q=-', 'q'],
  [
    'fields to sort by',
    `sort=${names('poblacion', MAX_SORT_FIELDS)}`,
    `sort=${names('poblacion', MAX_SORT_FIELDS + 1)}`,
    'sort',
  ],
  ['fields', `fields=${names('poblacion', MAX_FIELDS)}`, `fields=${names('poblacion', MAX_FIELDS + 1)}`, 'fields'],
  [
    'values of filters',
    repeated('idEstado=1', MAX_FILTER_VALUES),
    `${repeated('idEstado=1', MAX_FILTER_VALUES)}&idMunicipio=1`,
    'idMunicipio',
  ],
  ['a bound', 'poblacion_min=0', 'poblacion_min=-1', 'poblacion_min'],
  ['a bound once', 'poblacion_min=1', 'poblacion_min=1&poblacion_min=2', 'poblacion_min'],
  ['latitude', 'near=90,0', 'near=90.1,0', 'near'],
  ['southern latitude', 'near=-90,0', 'near=-90.1,0', 'near'],
  ['longitude', 'near=0,180', 'near=0,180.1', 'near'],
  [
    'the smallest radius',
    `near=0,0&within_km=${MIN_WITHIN_KM}`,
    `near=0,0&within_km=${MIN_WITHIN_KM / 2}`,
    'within_km',
  ],
  ['the largest radius', `near=0,0&within_km=${MAX_WITHIN_KM}`, `near=0,0&within_km=${MAX_WITHIN_KM + 1}`, 'within_km'],
  ['a radius around a point', 'near=0,0&within_km=1', 'within_km=1', 'within_km'],
  ['facts without fields', 'facts=true', 'facts=true&fields=poblacion', 'facts'],
  ['a cursor without a page', `after=${cursor(DIGEST)}`, `after=${cursor(DIGEST)}&page=1`, 'after'],
  [
    'a cursor of the release that is named',
    `after=${cursor(DIGEST)}&release=${DIGEST}`,
    `after=${cursor(DIGEST)}&release=${DIGEST.replace('abc', 'abd')}`,
    'after',
  ],
  [
    'a cursor of a release that is named in short',
    `after=${cursor(DIGEST)}&release=abcdef01`,
    `after=${cursor(DIGEST)}&release=abcdef02`,
    'after',
  ],
]
const searchLimits: Limits = [
  ['suggestions', `q=a&limit=${MAX_SUGGESTIONS}`, `q=a&limit=${MAX_SUGGESTIONS + 1}`, 'limit'],
  ['a search', 'q=a', '', 'q'],
  ['collections with coordinates', 'q=a&in=localidades&near=0,0', 'q=a&in=paises&near=0,0', 'in'],
  ['a record within', 'q=a&within=estados:1', 'q=a&within=localidades:1', 'within'],
  ['a record within, with a colon', 'q=a&within=estados:1', 'q=a&within=estados', 'within'],
]
const resolveLimits: Limits = [
  ['rows', repeated('q=a', MAX_QUERY_ROWS), repeated('q=a', MAX_QUERY_ROWS + 1), 'q'],
  ['characters of a row', `q=${'a'.repeat(MAX_SEARCH_CHARACTERS)}`, `q=${'a'.repeat(MAX_SEARCH_CHARACTERS + 1)}`, 'q'],
  ['free text or parts', 'estado=a', 'estado=a&q=b', 'estado'],
  ['a row', 'q=a', 'q=', 'q'],
]
describe.each([
  [LIST, listLimits],
  ['search', searchLimits],
  ['resolve', resolveLimits],
])('%s', (path, limits) => {
  test.each(limits)('%s', (_, allowed, refused, parameter) => {
    expect(refusal(`${path}?${allowed}`)).toBeUndefined()
    expect(refusal(`${path}?${refused}`)).toBe(`bad-parameter ${parameter}`)
  })
})

test.each([
  [`${LIST}?by=code`, 'by'],
  [`${LIST}/all?page=1`, 'page'],
  ['paises?near=0,0', 'near'],
  ['paises/1?q=a', 'q'],
  ['search?q=a&excel=true', 'excel'],
])('a parameter of other routes is none of %s', (target, parameter) =>
  expect(refusal(target)).toBe(`unknown-parameter ${parameter}`),
)

test('what is not said has a value all the same', () => {
  expect(parse(LIST)).toMatchObject({
    start: { page: 1 },
    perPage: 50,
    by: undefined,
    query: { filters: [], words: [], sorts: [] },
    rendition: { fields: undefined, facts: false, embed: 'full', format: 'json', added: [] },
  })
  expect(parse('search?q=a')).toMatchObject({ limit: 10, within: undefined, near: undefined })
  expect(parseResolveBodyRequest(parseQuery(''), HEADERS, builtInCatalog)).toMatchObject({
    names: [...builtInCatalog.entities.keys()],
    format: 'json',
  })
})

test.each([
  ['each once', 'search?q=a&in=paises,estados&in=paises', ['pais', 'estado']],
  ['all with coordinates', 'search?q=a&near=1,2', ['localidad']],
])('collections are searched %s', (_, target, expected) => {
  const { searched } = parse(target) as ReturnType<typeof parseSearchRequest>
  expect(searched.map(({ name }) => name)).toEqual(expected)
})
