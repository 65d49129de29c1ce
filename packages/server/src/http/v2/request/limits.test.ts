// How much of each parameter is allowed: the last value that is, and the first that is not.
import { expect, test } from 'bun:test'
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
import { catalogRouteAt } from '../paths.ts'
import { parseQuery, writeCursor } from './query-string.ts'
import { parseBulkRequest, parseListRequest, parseRecordRequest } from './records.ts'
import { parseResolveBodyRequest, parseResolveRequest } from './resolve.ts'
import { parseSearchRequest } from './search.ts'

const HEADERS = new Map<string, string>()
const words = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`).join('+')
const repeated = (pair: string, count: number) => Array.from({ length: count }, () => pair).join('&')
const names = (name: string, count: number) => Array.from({ length: count }, () => name).join(',')
const cursor = (digest: string) => writeCursor(digest, 0)
const DIGEST = 'abcdef0123456789'.repeat(4)

function parse(target: string) {
  const [path = '', text = ''] = target.split('?')
  const route = catalogRouteAt(builtInCatalog, `/api/v2/${path}`)
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
    case 'index':
      throw new Error('the index has no limits')
  }
}

/** What a request is refused for: the parameter that is wrong, or the one that is not known. */
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
const limits: readonly [what: string, allowed: string, refused: string, parameter: string][] = [
  ['page', `${LIST}?page=${MAX_PAGE}`, `${LIST}?page=${MAX_PAGE + 1}`, 'page'],
  ['the first page', `${LIST}?page=1`, `${LIST}?page=0`, 'page'],
  ['per_page', `${LIST}?per_page=${MAX_PER_PAGE}`, `${LIST}?per_page=${MAX_PER_PAGE + 1}`, 'per_page'],
  ['words', `${LIST}?q=${words(MAX_WORDS)}`, `${LIST}?q=${words(MAX_WORDS + 1)}`, 'q'],
  [
    'characters',
    `${LIST}?q=${'a'.repeat(MAX_SEARCH_CHARACTERS)}`,
    `${LIST}?q=${'a'.repeat(MAX_SEARCH_CHARACTERS + 1)}`,
    'q',
  ],
  ['any word', `${LIST}?q=a`, `${LIST}?q=-`, 'q'],
  [
    'fields to sort by',
    `${LIST}?sort=${names('poblacion', MAX_SORT_FIELDS)}`,
    `${LIST}?sort=${names('poblacion', MAX_SORT_FIELDS + 1)}`,
    'sort',
  ],
  [
    'fields',
    `${LIST}?fields=${names('poblacion', MAX_FIELDS)}`,
    `${LIST}?fields=${names('poblacion', MAX_FIELDS + 1)}`,
    'fields',
  ],
  [
    'values of filters',
    `${LIST}?${repeated('idEstado=1', MAX_FILTER_VALUES)}`,
    `${LIST}?${repeated('idEstado=1', MAX_FILTER_VALUES)}&idMunicipio=1`,
    'idMunicipio',
  ],
  ['a bound', `${LIST}?poblacion_min=0`, `${LIST}?poblacion_min=-1`, 'poblacion_min'],
  ['a bound once', `${LIST}?poblacion_min=1`, `${LIST}?poblacion_min=1&poblacion_min=2`, 'poblacion_min'],
  ['latitude', `${LIST}?near=90,0`, `${LIST}?near=90.1,0`, 'near'],
  ['southern latitude', `${LIST}?near=-90,0`, `${LIST}?near=-90.1,0`, 'near'],
  ['longitude', `${LIST}?near=0,180`, `${LIST}?near=0,180.1`, 'near'],
  [
    'the smallest radius',
    `${LIST}?near=0,0&within_km=${MIN_WITHIN_KM}`,
    `${LIST}?near=0,0&within_km=${MIN_WITHIN_KM / 2}`,
    'within_km',
  ],
  [
    'the largest radius',
    `${LIST}?near=0,0&within_km=${MAX_WITHIN_KM}`,
    `${LIST}?near=0,0&within_km=${MAX_WITHIN_KM + 1}`,
    'within_km',
  ],
  ['a radius around a point', `${LIST}?near=0,0&within_km=1`, `${LIST}?within_km=1`, 'within_km'],
  ['facts without fields', `${LIST}?facts=true`, `${LIST}?facts=true&fields=poblacion`, 'facts'],
  ['a cursor without a page', `${LIST}?after=${cursor(DIGEST)}`, `${LIST}?after=${cursor(DIGEST)}&page=1`, 'after'],
  [
    'a cursor of the release that is named',
    `${LIST}?after=${cursor(DIGEST)}&release=${DIGEST}`,
    `${LIST}?after=${cursor(DIGEST)}&release=${DIGEST.replace('abc', 'abd')}`,
    'after',
  ],
  [
    'a cursor of a release that is named in short',
    `${LIST}?after=${cursor(DIGEST)}&release=abcdef01`,
    `${LIST}?after=${cursor(DIGEST)}&release=abcdef02`,
    'after',
  ],
  ['suggestions', `search?q=a&limit=${MAX_SUGGESTIONS}`, `search?q=a&limit=${MAX_SUGGESTIONS + 1}`, 'limit'],
  ['a search', 'search?q=a', 'search', 'q'],
  ['collections with coordinates', 'search?q=a&in=localidades&near=0,0', 'search?q=a&in=paises&near=0,0', 'in'],
  ['a record within', 'search?q=a&within=estados:1', 'search?q=a&within=localidades:1', 'within'],
  ['a record within, with a colon', 'search?q=a&within=estados:1', 'search?q=a&within=estados', 'within'],
  ['rows', `resolve?${repeated('q=a', MAX_QUERY_ROWS)}`, `resolve?${repeated('q=a', MAX_QUERY_ROWS + 1)}`, 'q'],
  [
    'characters of a row',
    `resolve?q=${'a'.repeat(MAX_SEARCH_CHARACTERS)}`,
    `resolve?q=${'a'.repeat(MAX_SEARCH_CHARACTERS + 1)}`,
    'q',
  ],
  ['free text or parts', 'resolve?estado=a', 'resolve?estado=a&q=b', 'estado'],
  ['a row', 'resolve?q=a', 'resolve?q=', 'q'],
]
test.each(limits)('%s', (_, allowed, refused, parameter) => {
  expect(refusal(allowed)).toBeUndefined()
  expect(refusal(refused)).toBe(`bad-parameter ${parameter}`)
})

test.each([
  [`${LIST}?by=code`, 'by'],
  [`${LIST}/all?page=1`, 'page'],
  ['paises?near=0,0', 'near'],
  ['paises/1?q=a', 'q'],
  ['search?q=a&format=csv', 'format'],
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
