// Parses the query string of a request to API v2: once into names and values, then against the parameters of its route.

import { parseDecimal } from '../../base/decimal-number.ts'
import { nearest } from '../../base/nearest.ts'
import { parseWholeNumber } from '../../base/whole-number.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { factExpectation, MAX_ID } from '../../catalog/check.ts'
import { type Entity, type FactField, hasCoordinates } from '../../catalog/entity.ts'
import { ownerOf, pathTo } from '../../catalog/lineage.ts'
import { type FieldPath, pathsOf } from '../../catalog/paths.ts'
import { wordsOf } from '../../catalog/words.ts'
import type { Filter } from '../../query/filter.ts'
import type { Query } from '../../query/finder.ts'
import { FORMATS, type Format, type Rendition } from '../../query/formats/formats.ts'
import type { Selection } from '../../query/formats/selection.ts'
import { DISTANCE, type Near } from '../../query/near.ts'
import type { RowToResolve } from '../../query/resolve/resolve.ts'
import type { Scope } from '../../query/search/search.ts'
import type { Sort } from '../../query/sort.ts'
import type { Release } from '../../release/release.ts'
import type { RequestHeaders } from '../exchange.ts'
import { badParameter, ProblemError } from '../problem.ts'
import { type Encoding, negotiate } from './negotiate.ts'
import {
  bulkParameters,
  CHANGES_FORMATS,
  changesParameters,
  childBulkParameters,
  childListParameters,
  DEFAULT_PER_PAGE,
  DEFAULT_SUGGESTIONS,
  describeParameters,
  listParameters,
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
  noParameters,
  type ParameterTable,
  POINT_PATTERN,
  RECORD_NAMED_BY,
  recordParameters,
  resolveBodyParameters,
  resolveParameters,
  searchParameters,
} from './parameter-definitions.ts'
import { type CatalogRoute, percentDecoded } from './paths.ts'
import { identifierNamed, isBelow, type NamedBy } from './record-key.ts'

// The query string before it is known which parameters there are: names and values in their order, and the release
// that is meant, whose definitions decide about the rest.

export type Pairs = readonly (readonly [name: string, value: string])[]

export type RawQuery = {
  readonly pairs: Pairs
  /** Undefined for the current one. A wrong `after` names none; it is refused when the parameters are parsed. */
  readonly release: NamedRelease | undefined
}

/** The parameter that names it, and its digest or the beginning of that. */
type NamedRelease = { readonly parameter: 'release' | 'after'; readonly prefix: string }

export function parseQuery(query: string): RawQuery {
  const pairs = query === '' ? [] : query.split('&').map(parsePair)
  return { pairs, release: namedRelease(pairs) }
}

function namedRelease(pairs: Pairs): NamedRelease | undefined {
  const release = valueIn(pairs, 'release')
  if (release !== undefined) return { parameter: 'release', prefix: release }
  const cursor = readCursor(valueIn(pairs, 'after') ?? '')
  return cursor && { parameter: 'after', prefix: cursor.release }
}

/** The value of a parameter that is given exactly once. */
function valueIn(pairs: Pairs, name: string): string | undefined {
  const [pair, ...more] = pairs.filter(([given]) => given === name)
  return more.length > 0 ? undefined : pair?.[1]
}

function parsePair(pair: string): readonly [string, string] {
  const equals = pair.indexOf('=')
  const [name, value] = equals === -1 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)]
  return [formDecoded(name, name), formDecoded(value, name)]
}

const ENCODED = /[%+]/

function formDecoded(text: string, name: string): string {
  if (!ENCODED.test(text)) return text
  const decoded = percentDecoded(text.replaceAll('+', ' '))
  if (decoded === undefined) throw badParameter(name, text, 'text in UTF-8, percent-encoded')
  return decoded
}

/** Where a walk through a list is: the release, and the position of the last record that was sent. Opaque to clients. */
type Cursor = { readonly release: string; readonly position: number }

const CURSOR = /^([0-9a-f]{16})-(0|[1-9][0-9]{0,9})$/
const CURSOR_DIGITS = 16

export const writeCursor = (digest: string, position: number): string =>
  Buffer.from(`${digest.slice(0, CURSOR_DIGITS)}-${position}`).toString('base64url')

export function readCursor(text: string): Cursor | undefined {
  const [, release, position] = CURSOR.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? []
  return release === undefined ? undefined : { release, position: Number(position) }
}

export const badCursor = (after: string): ProblemError =>
  badParameter('after', after, 'a cursor out of the Link header of a page of the same list')

// The parameters of a route.

/** A query in which only known parameters stand, and only repeatable ones more than once. */
class Parameters {
  readonly #values = new Map<string, string[]>()

  constructor({ pairs }: RawQuery, known: ParameterTable) {
    for (const [name, value] of pairs) {
      const definition = known.get(name)
      if (definition === undefined) {
        const names = [...known.keys()]
        throw new ProblemError({ kind: 'unknown-parameter', name, known: names, nearest: nearest(name, names) })
      }
      const values = this.#values.get(name) ?? []
      values.push(value)
      this.#values.set(name, values)
      if (values.length > 1 && !definition.repeatable)
        throw badParameter(name, values.join(', '), 'one value: it may be given only once')
    }
  }

  has(name: string): boolean {
    return this.#values.has(name)
  }

  one(name: string): string | undefined {
    return this.#values.get(name)?.[0]
  }

  /** All values of each that was given. */
  all(): Iterable<readonly [name: string, values: readonly string[]]> {
    return this.#values
  }

  allOf(name: string): readonly string[] | undefined {
    return this.#values.get(name)
  }

  required(name: string, allowed: string): string {
    const value = this.one(name)
    if (value === undefined) throw badParameter(name, '', `${allowed}; it must be given`)
    return value
  }

  wholeNumber(name: string, { max, defaultValue }: { readonly max: number; readonly defaultValue: number }): number {
    const value = this.one(name)
    if (value === undefined) return defaultValue
    const number = parseWholeNumber(value, { min: 1, max })
    if (number === undefined) throw badParameter(name, value, `a whole number from 1 to ${max}`)
    return number
  }

  oneOf<W extends string>(name: string, words: readonly W[]): W | undefined {
    const value = this.one(name)
    const word = words.find((one) => one === value)
    if (value !== undefined && word === undefined) throw badParameter(name, value, oneOfThese(words, value))
    return word
  }
}

/** The words that are allowed, and which of them was probably meant. */
function oneOfThese(words: readonly string[], given: string): string {
  const meant = nearest(given, words)
  return `${words.join(', ')}${meant === undefined ? '' : `; did you mean ${meant}?`}`
}

// The request of each route.

type RouteOf<K extends CatalogRoute['kind']> = Extract<CatalogRoute, { readonly kind: K }>

/** A request for what is in a release: its route, and what its parameters and headers ask for. */
type CatalogRequest =
  | RouteOf<'index'>
  | (RouteOf<'search'> & ParsedSearch)
  | (RouteOf<'resolve'> & ResolveRequest & { readonly rows: readonly RowToResolve[] })
  | ListRequest
  | RecordRequest
  | BulkRequest

/** The definitions of the parameters are those of the release that is read. */
export function parseRequest(
  route: CatalogRoute,
  query: RawQuery,
  headers: RequestHeaders,
  release: Release,
): CatalogRequest {
  switch (route.kind) {
    case 'index':
      new Parameters(query, describeParameters)
      return route
    case 'search':
      return { ...route, ...parseSearchRequest(query, release.catalog) }
    case 'resolve':
      return { ...route, ...parseResolveRequest(query, headers, release.catalog) }
    case 'list':
      return { ...route, ...parseListRequest(query, headers, release.digest, route) }
    case 'record':
      return { ...route, ...parseRecordRequest(query, headers, route.entity) }
    case 'bulk':
      return { ...route, ...parseBulkRequest(query, headers, route) }
  }
}

/** Which records are found, and how they are rendered. */
type FoundRecords = {
  /** How the path names the record that they are below. */
  readonly by: NamedBy
  readonly query: Query
  readonly rendition: Rendition
  readonly encoding: Encoding | undefined
}

export type ListRequest = RouteOf<'list'> &
  FoundRecords & {
    /** The number of the page, or the cursor after which it begins. */
    readonly start: { readonly page: number } | { readonly after: string; readonly position: number }
    readonly perPage: number
  }

function parseListRequest(
  query: RawQuery,
  headers: RequestHeaders,
  digest: string,
  { entity, parent }: RouteOf<'list'>,
) {
  const table = parent === undefined ? listParameters(entity) : childListParameters(entity)
  const parameters = new Parameters(query, table)
  const start = startOf(parameters, digest)
  const found = foundRecords(query, headers, entity, parameters, table)
  const perPage = parameters.wholeNumber('per_page', { max: MAX_PER_PAGE, defaultValue: DEFAULT_PER_PAGE })
  return { ...found, start, perPage }
}

export type BulkRequest = RouteOf<'bulk'> & FoundRecords

function parseBulkRequest(query: RawQuery, headers: RequestHeaders, { entity, parent }: RouteOf<'bulk'>) {
  const table = parent === undefined ? bulkParameters(entity) : childBulkParameters(entity)
  return foundRecords(query, headers, entity, new Parameters(query, table), table)
}

function foundRecords(
  { pairs }: RawQuery,
  headers: RequestHeaders,
  entity: Entity,
  parameters: Parameters,
  table: ParameterTable,
): FoundRecords {
  const filters = filtersOf(pairs, parameters, table)
  const words = parameters.has('q') ? searchWords(parameters) : []
  const sorts = sortsOf(entity, parameters)
  const near = nearOf(parameters)
  if (near !== undefined && parameters.has('sort'))
    throw badParameter('sort', parameters.one('sort') as string, 'either near or sort, not both')
  const { rendition, encoding } = renditionOf(entity, parameters, headers)
  const added = near === undefined ? [] : [DISTANCE]
  return {
    by: namedBy(parameters) ?? 'id',
    query: { filters, words, sorts, near },
    rendition: { ...rendition, added },
    encoding,
  }
}

const namedBy = (parameters: Parameters): NamedBy | undefined => parameters.oneOf('by', RECORD_NAMED_BY)

const POINT = new RegExp(POINT_PATTERN)
const MAX_LATITUDE = 90
const MAX_LONGITUDE = 180

function nearOf(parameters: Parameters): Near | undefined {
  const given = parameters.one('near')
  const within = withinOf(parameters)
  if (given === undefined) return undefined
  const [, latitude = Number.NaN, longitude = Number.NaN] = (POINT.exec(given) ?? []).map(Number)
  if (!(Math.abs(latitude) <= MAX_LATITUDE && Math.abs(longitude) <= MAX_LONGITUDE))
    throw badParameter(
      'near',
      given,
      `a latitude from -${MAX_LATITUDE} to ${MAX_LATITUDE}, a comma, and a longitude from -${MAX_LONGITUDE} to ${MAX_LONGITUDE}, with a point before their decimals, as in 19.43,-99.13`,
    )
  return { latitude, longitude, within }
}

/** In metres. */
function withinOf(parameters: Parameters): number | undefined {
  const given = parameters.one('within_km')
  if (given === undefined) return undefined
  const kilometres = parseDecimal(given) ?? 0
  if (kilometres < MIN_WITHIN_KM || kilometres > MAX_WITHIN_KM)
    throw badParameter(
      'within_km',
      given,
      `a number from ${MIN_WITHIN_KM} to ${MAX_WITHIN_KM}, with a point before its decimals`,
    )
  if (!parameters.has('near')) throw badParameter('within_km', given, 'a distance from near, which must be given too')
  return Math.round(kilometres * 1_000_000) / 1_000
}

function startOf(parameters: Parameters, digest: string): ListRequest['start'] {
  const page = parameters.wholeNumber('page', { max: MAX_PAGE, defaultValue: 1 })
  const after = parameters.one('after')
  if (after === undefined) return { page }
  if (parameters.has('page')) throw badParameter('after', after, 'either page or after, not both')
  const cursor = readCursor(after)
  if (cursor === undefined) throw badCursor(after)
  if (parameters.has('release') && !digest.startsWith(cursor.release))
    throw badParameter('after', after, 'a cursor of the same release')
  return { after, position: cursor.position }
}

function filtersOf(pairs: Pairs, parameters: Parameters, known: ParameterTable): Filter[] {
  // Each value costs time, and a request line holds hundreds.
  const [name, value] = pairs.filter(([name]) => known.get(name)?.filter !== undefined)[MAX_FILTER_VALUES] ?? []
  if (name !== undefined && value !== undefined)
    throw badParameter(name, value, `no further value: all filters of a request have at most ${MAX_FILTER_VALUES}`)
  const filters: Filter[] = []
  for (const [name, given] of parameters.all()) {
    const filter = known.get(name)?.filter
    if (filter === undefined) continue
    const { path, match } = filter
    const values = given.map((value) => filterValue(name, path, value))
    filters.push({ steps: path.steps, match, values })
  }
  return filters
}

function filterValue(name: string, { field, numeric }: FieldPath, value: string): string | number {
  if (numeric) return identifier(name, value)
  return field.kind === 'fact' && field.type !== 'text' ? factNumber(name, field, value) : notEmpty(name, value)
}

function factNumber(name: string, fact: FactField, value: string): number {
  const number = parseDecimal(value)
  const expected = factExpectation(fact, number)
  if (number === undefined || expected !== undefined) throw badParameter(name, value, `${expected}`)
  return number
}

function identifier(name: string, value: string): number {
  const number = parseWholeNumber(value, { max: MAX_ID })
  if (number === undefined) throw badParameter(name, value, `a whole number from 0 to ${MAX_ID}`)
  return number
}

function notEmpty(name: string, value: string): string {
  if (value === '') throw badParameter(name, value, 'a value: to ask for any, leave the parameter out')
  return value
}

function searchWords(parameters: Parameters): string[] {
  const given = parameters.required('q', 'the words to search for')
  const words = given.length > MAX_SEARCH_CHARACTERS ? [] : wordsOf(given)
  if (words.length > 0 && words.length <= MAX_WORDS) return words
  const allowed = `one to ${MAX_WORDS} words of letters or digits, in at most ${MAX_SEARCH_CHARACTERS} characters`
  throw badParameter('q', given, allowed)
}

function sortsOf(entity: Entity, parameters: Parameters): Sort[] {
  return namesIn(parameters, 'sort', MAX_SORT_FIELDS).map((name) => {
    const descending = name.startsWith('-')
    return { steps: fieldAt(entity, 'sort', descending ? name.slice(1) : name).steps, descending }
  })
}

/** The names in a list that is separated by commas. */
function namesIn(parameters: Parameters, parameter: string, max: number): string[] {
  const given = parameters.one(parameter)
  const names = given?.split(',') ?? []
  if (names.length > max) throw badParameter(parameter, given as string, `at most ${max} fields`)
  return names
}

function fieldAt(entity: Entity, parameter: string, name: string): FieldPath {
  const paths = pathsOf(entity)
  const path = paths.get(name)
  if (path === undefined) throw badParameter(parameter, name, oneOfThese([...paths.keys()], name))
  return path
}

function renditionOf(entity: Entity, parameters: Parameters, headers: RequestHeaders) {
  const { format, encoding } = negotiate(headers, FORMATS, parameters.oneOf('format', FORMATS))
  return { rendition: { ...selectionOf(entity, parameters), format }, encoding }
}

function selectionOf(entity: Entity, parameters: Parameters): Selection {
  const embed = embedOf(parameters)
  const facts = parameters.oneOf('facts', ['true', 'false']) === 'true'
  if (!parameters.has('fields')) return { fields: undefined, facts, embed }
  if (facts) throw badParameter('facts', 'true', 'either facts, or fields that name them')
  const names = new Set(namesIn(parameters, 'fields', MAX_FIELDS))
  const paths = [...names].map((name) => fieldAt(entity, 'fields', name))
  // A record that is selected as a whole includes what is in it.
  const isIncluded = ({ steps }: FieldPath) => steps.some((_, end) => names.has(steps.slice(0, end).join('.')))
  return { fields: paths.filter((path) => !isIncluded(path)).map(({ path }) => path), facts, embed }
}

const embedOf = (parameters: Parameters): Selection['embed'] => parameters.oneOf('embed', ['full', 'id']) ?? 'full'

export type RecordRequest = RouteOf<'record'> & {
  readonly by: NamedBy
  readonly rendition: Rendition
  readonly encoding: Encoding | undefined
}

function parseRecordRequest(query: RawQuery, headers: RequestHeaders, entity: Entity) {
  const parameters = new Parameters(query, recordParameters(entity))
  return { by: namedBy(parameters) ?? 'id', ...renditionOf(entity, parameters, headers) }
}

export type SearchRequest = {
  readonly words: readonly string[]
  readonly scope: Scope
  readonly limit: number
  readonly near: Near | undefined
}

/** A record as `within` names it. */
type NamedAncestor = {
  readonly entity: Entity
  readonly name: string
  /** Undefined where it may be both. */
  readonly by: NamedBy | undefined
}

/** The same before it is known whether the record to keep to is there. */
export type ParsedSearch = Omit<SearchRequest, 'scope'> & {
  readonly searched: readonly Entity[]
  readonly within: NamedAncestor | undefined
}

function parseSearchRequest(query: RawQuery, catalog: Catalog): ParsedSearch {
  const parameters = new Parameters(query, searchParameters(catalog))
  const isSearchable = (entity: Entity) => !parameters.has('near') || hasCoordinates(entity)
  const searchable = new Map([...catalog.collections].filter(([, entity]) => isSearchable(entity)))
  return {
    words: searchWords(parameters),
    limit: parameters.wholeNumber('limit', { max: MAX_SUGGESTIONS, defaultValue: DEFAULT_SUGGESTIONS }),
    searched: collectionsIn(parameters, searchable) ?? [...searchable.values()],
    within: ancestorOf(parameters, catalog),
    near: nearOf(parameters),
  }
}

/** The collections that `in` names, each once; it may be repeated, and each time name several. */
function collectionsIn(parameters: Parameters, collections: Catalog['collections']): readonly Entity[] | undefined {
  const names = parameters.allOf('in')?.flatMap((value) => value.split(','))
  const named = names?.map((plural) => {
    const entity = collections.get(plural)
    if (entity === undefined) throw badParameter('in', plural, oneOfThese([...collections.keys()], plural))
    return entity
  })
  return named && [...new Set(named)]
}

function ancestorOf(parameters: Parameters, { entities, collections }: Catalog): NamedAncestor | undefined {
  const by = namedBy(parameters)
  const within = parameters.one('within')
  if (within === undefined) return undefined
  const [plural = '', ...rest] = within.split(':')
  const entity = collections.get(plural)
  const name = rest.join(':')
  if (entity !== undefined && name !== '' && ownerOf(entity) === undefined) return { entity, name, by }
  const can = [...entities.values()].filter((entity) => ownerOf(entity) === undefined).map(({ plural }) => plural)
  throw badParameter('within', within, `one of ${can.join(', ')}, a colon, and an identifier or code, as in estados:9`)
}

/** The entities to search, each with the filter that keeps to what is within a record, which must be there. */
export function scopeWithin(release: Release, searched: readonly Entity[], within: NamedAncestor | undefined): Scope {
  if (within === undefined) return searched.map(({ name }) => [name, []])
  const id = identifierOfAncestor(release, within)
  return searched.flatMap((entity) => {
    const way = pathTo(entity, within.entity)
    return way === undefined ? [] : [[entity.name, [isBelow(way, id)]] as const]
  })
}

/** Unless it is said which, a whole number is an identifier if a record has it, and everything else a code. */
function identifierOfAncestor(release: Release, { entity, name, by }: NamedAncestor): number {
  const named = (by: NamedBy) => identifierNamed(release, entity, name, by)
  const id = by === undefined ? (named('id') ?? named('code')) : named(by)
  if (id !== undefined) return id
  const how = by === undefined ? 'identifier or official code' : by === 'id' ? 'identifier' : 'official code'
  throw badParameter('within', `${entity.plural}:${name}`, `a record that is there, by its ${how} as in its path`)
}

/** In which form rows are resolved. */
export type ResolveRequest = {
  /** The entities of which free text may name a record. */
  readonly names: readonly string[]
  readonly format: Format
  readonly encoding: Encoding | undefined
}

function parseResolveRequest(query: RawQuery, headers: RequestHeaders, catalog: Catalog) {
  const parameters = new Parameters(query, resolveParameters(catalog))
  const texts = parameters.allOf('q')
  const parts = [...catalog.entities.keys()].filter((name) => parameters.has(name))
  const [part] = parts
  if (texts === undefined && part === undefined)
    throw badParameter(
      'q',
      '',
      `free text; it must be given, or parts of a row: ${[...catalog.entities.keys()].join(', ')}`,
    )
  if (texts !== undefined && part !== undefined)
    throw badParameter(part, parameters.one(part) as string, 'either q or parts of a row, not both')
  if (texts !== undefined && texts.length > MAX_QUERY_ROWS)
    throw badParameter(
      'q',
      `${texts.length} values`,
      `at most ${MAX_QUERY_ROWS} values; send more rows in the body of a POST`,
    )
  const rowText = (name: string, text: string) => {
    if (text !== '' && text.length <= MAX_SEARCH_CHARACTERS) return text
    throw badParameter(name, text, `text of 1 to ${MAX_SEARCH_CHARACTERS} characters`)
  }
  const rows: readonly RowToResolve[] = texts?.map((text) => ({ text: rowText('q', text) })) ?? [
    { parts: new Map(parts.map((name) => [name, rowText(name, parameters.one(name) as string)])) },
  ]
  return { rows, ...resolutionOf(parameters, headers, catalog) }
}

/** The same for rows that are sent in a body. */
export const parseResolveBodyRequest = (query: RawQuery, headers: RequestHeaders, catalog: Catalog): ResolveRequest =>
  resolutionOf(new Parameters(query, resolveBodyParameters(catalog)), headers, catalog)

function resolutionOf(parameters: Parameters, headers: RequestHeaders, { collections }: Catalog): ResolveRequest {
  const entities = collectionsIn(parameters, collections) ?? [...collections.values()]
  return {
    names: entities.map(({ name }) => name),
    ...negotiate(headers, FORMATS, parameters.oneOf('format', FORMATS)),
  }
}

/** The releases to compare: their digests, or the beginnings of them. */
type ComparedReleases = { readonly from: string; readonly to: string | undefined }

export function parseComparedReleases(query: RawQuery, catalog: Catalog): ComparedReleases {
  const parameters = new Parameters(query, changesParameters(catalog))
  return { from: parameters.required('from', 'the digest of the release to start from'), to: parameters.one('to') }
}

export type ChangesRequest = {
  readonly entities: readonly Entity[]
  readonly embed: Selection['embed']
  readonly format: (typeof CHANGES_FORMATS)[number]
  readonly encoding: Encoding | undefined
}

export function parseChangesRequest(query: RawQuery, headers: RequestHeaders, catalog: Catalog): ChangesRequest {
  const parameters = new Parameters(query, changesParameters(catalog))
  const negotiated = negotiate(headers, CHANGES_FORMATS, parameters.oneOf('format', CHANGES_FORMATS))
  return {
    entities: collectionsIn(parameters, catalog.collections) ?? [...catalog.entities.values()],
    embed: embedOf(parameters),
    ...negotiated,
  }
}

export function refuseParameters(query: RawQuery): void {
  new Parameters(query, noParameters)
}
