// The table of parameters of API v2, derived from the definitions. What a request may say, how it is parsed, what it costs, and what the
// OpenAPI document says of it stands here alone.

import { parseDecimal } from '../../base/decimal-number.ts'
import { memoized } from '../../base/memoized.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { broaderOf, type Entity, embedsOf, factsOf, hasCoordinates } from '../../catalog/entity.ts'
import { isNameFact, languagesOf } from '../../catalog/languages/languages.ts'
import { descendantsOf, ownerOf } from '../../catalog/lineage.ts'
import { pathNamed, pathsOf, type RecordPath } from '../../catalog/paths.ts'
import { wordsOf } from '../../catalog/words.ts'
import { MAX_NEAREST_SORTED } from '../../query/finder.ts'
import { FORMATS, recordFormats } from '../../query/formats/formats.ts'
import type { RecordFormat } from '../../query/formats/record-format.ts'
import { GEOMETRIES } from '../../query/formats/record-format.ts'
import { languageMeant } from '../../query/formats/shown-names.ts'
import type { Near } from '../../query/near.ts'
import type { Sort } from '../../query/sort.ts'
import type { Box } from '../../source/boundaries/corners.ts'
import { badParameter } from '../problem.ts'
import { filtersBeside } from './filter-parameters.ts'
import { keyNamed, type NameInPath, RECORD_NAMED_BY } from './key-text.ts'
import { fieldNameRef, NOT_EMPTY } from './openapi/schemas.ts'
import {
  choice,
  flag,
  notEmpty,
  noWork,
  oneOfThese,
  type Parameter,
  type ParameterTable,
  parameter,
  wholeNumber,
} from './parameter.ts'
import { countOf, LONG_WORK, NO_WORK, RESHAPED, type Work } from './work.ts'

export const MAX_SORT_FIELDS = 5
/** More than an entity has, and few enough to cost nothing. */
export const MAX_FIELDS = 200
export const MAX_SUGGESTIONS = 50
export const MAX_PER_PAGE = 1_000
export const MAX_PAGE = 999_999_999_999_999
export const MAX_WORDS = 32
export const MAX_SEARCH_CHARACTERS = 300
/** A metre: distances are whole metres. */
export const MIN_WITHIN_KM = 0.001
/** Half the circumference of the Earth, and a little more. */
export const MAX_WITHIN_KM = 20_040
/** The values of all filters of a request together. */
export const MAX_FILTER_VALUES = 100

const long = (): Work => LONG_WORK

const DIGEST = { type: 'string', pattern: '^[0-9a-f]{8,64}$' } as const

export const RELEASE = parameter(
  'release',
  'Read this release instead of the current one: its digest, or at least the first 8 digits of it',
  {
    schema: DIGEST,
    // Another release than the current one is opened by compute workers, whatever is read of it.
    work: noWork,
  },
)
export const PAGE = wholeNumber('page', 'Number of the page, from 1', {
  max: MAX_PAGE,
  absent: 1,
  elsewhere: ['offset', 'skip', 'start'],
})
const PAGE_SIZES = ['per_page', 'limit', 'size', 'page_size', 'pagesize', 'count', 'rows', 'top']
/** The work of a page is that of its records, as many as this says. */
export const PER_PAGE = wholeNumber('per_page', 'Records on a page', {
  max: MAX_PER_PAGE,
  absent: 50,
  elsewhere: PAGE_SIZES,
})
export const AFTER = parameter('after', 'Cursor from a Link header: the page that follows it; not together with page', {
  work: noWork,
})

/** Formats with what a response in them has, in words. */
const formatWords = (formats: readonly (keyof typeof recordFormats)[]) =>
  formats
    .flatMap((name) => {
      const { description }: RecordFormat = recordFormats[name]
      return description === undefined ? [] : `with ${name} ${description}`
    })
    .join('; ')
/** The work of a format is that of the one which is negotiated. */
export const FORMAT = choice(
  'format',
  `Format of the response; takes precedence over the Accept header. ${formatWords(FORMATS).replace('with', 'With')}`,
  FORMATS,
  undefined,
)
export const EXCEL = flag('excel', 'Whether csv begins with a byte-order mark, for Excel')
export const EMBED = choice(
  'embed',
  'Whether embedded records are given in full, or by their identifiers: with id, that stands in place of each, in a list where it has several values',
  ['full', 'id'],
  'full',
  { work: (embed) => (embed === 'full' ? NO_WORK : RESHAPED) },
)
export const FACTS = flag(
  'facts',
  'Whether the facts of the records are given too; null where one is not known',
  (facts) => (facts ? LONG_WORK : NO_WORK),
)

/** The words to search for, and the text that has them. */
type SearchText = { readonly text: string; readonly words: readonly string[] }
export const QUERY = parameter<SearchText | undefined>(
  'q',
  'Words, or beginnings of words, in any order, in names and codes; accents and case do not matter, and typing errors are forgiven when little is found',
  {
    schema: { type: 'string', minLength: 1, maxLength: MAX_SEARCH_CHARACTERS },
    elsewhere: ['query', 'search', 'text'],
    parse: ([text], name) => {
      const words = text.length > MAX_SEARCH_CHARACTERS ? [] : wordsOf(text)
      if (words.length > 0 && words.length <= MAX_WORDS) return { text, words }
      const allowed = `one to ${MAX_WORDS} words of letters or digits, in at most ${MAX_SEARCH_CHARACTERS} characters`
      throw badParameter(name, text, allowed)
    },
    work: long,
  },
)

const DEGREES = '(-?[0-9]{1,3}(?:\\.[0-9]{1,15})?)'
/** Takes a point apart into its latitude and longitude. */
const POINT_PATTERN = `^${DEGREES},${DEGREES}$`
const POINT = new RegExp(POINT_PATTERN)
const MAX_LATITUDE = 90
const MAX_LONGITUDE = 180
function pointIn(point: string, name: string): Omit<Near, 'within'> {
  const [, latitude = Number.NaN, longitude = Number.NaN] = (POINT.exec(point) ?? []).map(Number)
  if (Math.abs(latitude) <= MAX_LATITUDE && Math.abs(longitude) <= MAX_LONGITUDE) return { latitude, longitude }
  throw badParameter(
    name,
    point,
    `a latitude from -${MAX_LATITUDE} to ${MAX_LATITUDE}, a comma, and a longitude from -${MAX_LONGITUDE} to ${MAX_LONGITUDE}, with a point before their decimals, as in 19.43,-99.13`,
  )
}
/** A parameter whose value is a point. */
const pointParameter = (name: string, description: string) =>
  parameter<Omit<Near, 'within'> | undefined>(name, description, {
    schema: { type: 'string', pattern: POINT_PATTERN, examples: ['19.43,-99.13'] },
    parse: ([point], given) => pointIn(point, given),
    work: long,
  })
export const NEAR = pointParameter(
  'near',
  `Latitude and longitude of a point: the nearest records come first, each with its distance; those without coordinates are left out. With sort, those within within_km, or the ${MAX_NEAREST_SORTED} nearest, in that order`,
)
export const CONTAINING = pointParameter(
  'containing',
  'A point, as in near: only records whose boundary holds it, or that are below one whose does, the nearest first',
)
const BBOX_PATTERN = `^${DEGREES},${DEGREES},${DEGREES},${DEGREES}$`
export const BBOX = parameter<Box | undefined>(
  'bbox',
  'Only records with a point or a part of their boundary in a box: west, south, east, north',
  {
    schema: { type: 'string', pattern: BBOX_PATTERN, examples: ['-99.4,19.0,-98.9,19.6'] },
    elsewhere: ['bounds', 'box'],
    parse: ([text], name) => {
      const [west = Number.NaN, south = Number.NaN, east = Number.NaN, north = Number.NaN] =
        new RegExp(BBOX_PATTERN).exec(text)?.slice(1).map(Number) ?? []
      const areDegrees = [west, east].every((one) => Math.abs(one) <= MAX_LONGITUDE)
      if (areDegrees && south >= -MAX_LATITUDE && south <= north && north <= MAX_LATITUDE)
        return [west, south, east, north]
      throw badParameter(
        name,
        text,
        `longitude and latitude of the south-west, then of the north-east, in degrees with commas between, as in -99.4,19.0,-98.9,19.6; the south is not above the north`,
      )
    },
    work: long,
  },
)
export const GEOMETRY = choice(
  'geometry',
  'The detail of boundaries in geojson: by default full on a record, else as much as a screen shows',
  GEOMETRIES,
  undefined,
)
/** The radius around a point, in metres. */
export const WITHIN_KM = parameter<number | undefined>('within_km', 'Only records within so many kilometres of near', {
  schema: { type: 'number', minimum: MIN_WITHIN_KM, maximum: MAX_WITHIN_KM },
  parse: ([distance], name) => {
    const kilometres = parseDecimal(distance) ?? 0
    if (kilometres >= MIN_WITHIN_KM && kilometres <= MAX_WITHIN_KM) return Math.round(kilometres * 1_000_000) / 1_000
    throw badParameter(
      name,
      distance,
      `a number from ${MIN_WITHIN_KM} to ${MAX_WITHIN_KM}, with a point before its decimals`,
    )
  },
  work: noWork,
})
export const BY = choice(
  'by',
  'Whether the path names the record by its identifier or by its official code; by default what can be no identifier is a code',
  RECORD_NAMED_BY,
  undefined,
)

/** The names in a list that is separated by commas. */
function namesIn(list: string, name: string, max: number): string[] {
  const names = list.split(',')
  if (names.length > max) throw badParameter(name, list, `at most ${max} fields`)
  return names
}

function fieldAt(entity: Entity, parameter: string, name: string): RecordPath {
  const path = pathNamed(entity, name)
  if (path === undefined) throw badParameter(parameter, name, oneOfThese([...pathsOf(entity).keys()], name))
  return path
}

/** The fields to show; undefined for all. */
export const fieldsOf = memoized(
  (entity: Entity): Parameter<readonly RecordPath[] | undefined> => ({
    ...parameter<readonly RecordPath[] | undefined>(
      'fields',
      'Only these fields, by their dotted paths; columns of csv stand in this order',
      {
        of: entity.name,
        commaSeparated: true,
        max: MAX_FIELDS,
        parse: ([list], name) => {
          const named = new Set(namesIn(list, name, MAX_FIELDS))
          return [...new Set([...named].map((one) => fieldAt(entity, name, one)))]
        },
        work: (paths) => (paths?.some(({ field }) => field.kind === 'fact') ? LONG_WORK : RESHAPED),
      },
    ),
    // A getter, since only the OpenAPI document reads it.
    get schema() {
      return fieldNameRef(entity)
    },
  }),
)

export const sortOf = memoized(
  (entity: Entity): Parameter<readonly Sort[]> => ({
    ...parameter<readonly Sort[]>(
      'sort',
      'Fields to sort by, in descending order with a minus; by default by relevance with q, else as published',
      {
        of: entity.name,
        commaSeparated: true,
        max: MAX_SORT_FIELDS,
        elsewhere: ['order', 'order_by', 'orderby'],
        absent: [],
        parse: ([list], name) =>
          namesIn(list, name, MAX_SORT_FIELDS).map((one) => {
            const descending = one.startsWith('-')
            return { steps: fieldAt(entity, name, descending ? one.slice(1) : one).steps, descending }
          }),
        work: long,
      },
    ),
    get schema() {
      const descending = [...pathsOf(entity).keys()].map((path) => `-${path}`)
      return { anyOf: [fieldNameRef(entity), { type: 'string', enum: descending }] }
    },
  }),
)

/** The value of `lang` for all languages. */
const ALL_LANGUAGES = 'all'

/** The language that names are shown in, one of these; undefined for all. */
const languageIn = (languages: readonly string[], of: string, work: Parameter['work']): Parameter<string | undefined> =>
  parameter<string | undefined>(
    'lang',
    `Only names in this language (BCP 47), which Content-Language names: ${[...languages, ALL_LANGUAGES].join(', ')}. A record without one has the first name that it has`,
    {
      of,
      schema: { type: 'string', minLength: 1, examples: [languages[0] ?? ALL_LANGUAGES] },
      elsewhere: ['language', 'locale'],
      parse: ([tag], name) => {
        if (tag === ALL_LANGUAGES) return undefined
        const language = languageMeant(languages, tag)
        if (language === undefined) throw badParameter(name, tag, oneOfThese([...languages, ALL_LANGUAGES], tag))
        return language
      },
      work,
    },
  )

const RENAMED: Work = { perKilobyte: 23 }

/** True if names of the records are facts, which are read from files of their own. */
const hasNameFacts = memoized(
  (entity: Entity): boolean =>
    factsOf(entity).some(([, fact]) => isNameFact(fact)) || embedsOf(entity).some(([, one]) => hasNameFacts(one)),
)

export const languageOf = memoized((entity: Entity) =>
  languageIn(languagesOf(entity), entity.name, (language) =>
    language === undefined ? NO_WORK : hasNameFacts(entity) ? LONG_WORK : RENAMED,
  ),
)

/** The records below one take a walk through all of them. */
const BELOW_TIMES = 10

/** The ancestor that records must have in their tree. */
export const withinOf = memoized((entity: Entity) =>
  parameter<NameInPath | undefined>(
    'within',
    'Only records below this one in their tree, at any depth; by its key, as in a path',
    {
      of: entity.name,
      schema: NOT_EMPTY,
      parse: ([text], name) => ({ name: text, key: keyNamed(entity, notEmpty(name, text)) }),
      work: (_, list) => ({ touched: BELOW_TIMES * countOf(list) }),
    },
  ),
)
export const ROOT = flag('root', 'Only records that are below no other', (isRoot, list) =>
  isRoot ? { touched: countOf(list) } : NO_WORK,
)

/** Where a parameter of records belongs: to a path that names a record, to pages, to what selects records, to how they are written. */
type Group = 'path' | 'page' | 'selection' | 'rendition'
type Entry = readonly [group: Group, of: (entity: Entity) => Parameter, has?: (entity: Entity) => boolean]

const isTree = (entity: Entity) => broaderOf(entity) !== undefined

/** The parameters of records but for filters, in the order in which they are described, each with the lists that have it. */
const RECORD_PARAMETERS: readonly Entry[] = [
  ['path', () => BY],
  ['page', () => PAGE],
  ['page', () => PER_PAGE],
  ['page', () => AFTER],
  ['selection', () => QUERY],
  ['selection', sortOf],
  ['selection', () => NEAR, hasCoordinates],
  ['selection', () => WITHIN_KM, hasCoordinates],
  ['selection', () => CONTAINING],
  ['selection', () => BBOX],
  ['selection', withinOf, isTree],
  ['selection', () => ROOT, isTree],
  ['rendition', fieldsOf],
  ['rendition', () => FACTS],
  ['rendition', () => EMBED],
  ['rendition', languageOf, (entity) => languagesOf(entity).length > 0],
  ['rendition', () => FORMAT],
  ['rendition', () => EXCEL],
  ['rendition', () => GEOMETRY],
  ['rendition', () => RELEASE],
]

/** Filters by any field. None has the name of another parameter, whether or not the list has that: one that gets languages keeps its filters. */
export const filterParameters = memoized((entity: Entity): readonly Parameter[] =>
  filtersBeside(
    entity,
    RECORD_PARAMETERS.map(([, of]) => of(entity).name),
  ),
)

const tableOf = (parameters: readonly Parameter[]): ParameterTable => new Map(parameters.map((one) => [one.name, one]))

/** Derives a table once for each definition. */
const derived = <D extends object>(
  derive: (definition: D) => readonly Parameter[],
): ((definition: D) => ParameterTable) => memoized((definition: D) => tableOf(derive(definition)))

const recordTable = (...groups: readonly Group[]) =>
  derived((entity: Entity) => [
    ...RECORD_PARAMETERS.flatMap(([group, of, has]) =>
      groups.includes(group) && has?.(entity) !== false ? [of(entity)] : [],
    ),
    ...(groups.includes('selection') ? filterParameters(entity) : []),
  ])

export const listParameters = recordTable('page', 'selection', 'rendition')
export const bulkParameters = recordTable('selection', 'rendition')
/** The parameters of a list below a record that the path names. */
export const childListParameters = recordTable('path', 'page', 'selection', 'rendition')
export const childBulkParameters = recordTable('path', 'selection', 'rendition')
export const recordParameters = recordTable('path', 'rendition')
export const describeParameters = tableOf([RELEASE])

/** The collections that are named, each once, out of these; undefined for all. */
export const collectionsIn = (
  catalog: Catalog,
  collections: Catalog['collections'] = catalog.collections,
): Parameter<readonly Entity[] | undefined> =>
  parameter<readonly Entity[] | undefined>('in', 'Only these collections; may also be repeated', {
    repeatable: true,
    commaSeparated: true,
    schema: { type: 'string', enum: [...catalog.collections.keys()] },
    parse: (texts, name) => {
      const entities = texts
        .flatMap((text) => text.split(','))
        .map((plural) => {
          const entity = collections.get(plural)
          if (entity === undefined) throw badParameter(name, plural, oneOfThese([...collections.keys()], plural))
          return entity
        })
      return [...new Set(entities)]
    },
    work: noWork,
  })

/** An entity that others embed, and whose records have a single identifier. */
const parentIn = (catalog: Catalog): Entity | undefined =>
  [...catalog.entities.values()].find(
    (entity) => ownerOf(entity) === undefined && descendantsOf(catalog, entity).length > 0,
  )

/** The languages of the names in all collections. */
export const languagesIn = (catalog: Catalog): readonly string[] => [
  ...new Set([...catalog.entities.values()].flatMap(languagesOf)),
]

/** A record as `within` names it, which a release may not have. */
export type NamedAncestor = NameInPath & { readonly entity: Entity }

/** The ancestor that suggestions must have. */
export const ancestorIn = (catalog: Catalog) =>
  parameter<NamedAncestor | undefined>(
    'within',
    'Only records below this one: its collection, a colon, and its identifier, or else its official code as in a path',
    {
      schema: {
        type: 'string',
        pattern: '^[a-z0-9-]+:.+$',
        examples: [`${parentIn(catalog)?.plural ?? 'collection'}:1`],
      },
      parse: ([text], parameterName) => {
        const [plural = '', ...rest] = text.split(':')
        const entity = catalog.collections.get(plural)
        const name = rest.join(':')
        if (entity !== undefined && name !== '' && ownerOf(entity) === undefined)
          return { entity, name, key: keyNamed(entity, name) }
        const can = [...catalog.entities.values()].filter((one) => ownerOf(one) === undefined).map((one) => one.plural)
        const allowed = `one of ${can.join(', ')}, a colon, and an identifier or code, as in estados:9`
        throw badParameter(parameterName, text, allowed)
      },
      work: long,
    },
  )

export const LIMIT = wholeNumber('limit', 'Maximum number of suggestions', {
  max: MAX_SUGGESTIONS,
  absent: 10,
  elsewhere: PAGE_SIZES,
})

const SEARCH_FORMATS = ['json', 'options', 'geojson'] as const
export type SearchFormat = (typeof SEARCH_FORMATS)[number]
export const SEARCH_FORMAT = choice(
  'format',
  'With options there are only the official code of each, or else its key, as value, and its name as label; with geojson, suggestions are features',
  SEARCH_FORMATS,
  'json',
  { of: 'search' },
)

export const languageOfSearch = (catalog: Catalog) => languageIn(languagesIn(catalog), 'search', long)

export const searchParameters = derived((catalog: Catalog): readonly Parameter[] => [
  { ...QUERY, of: 'search', required: true },
  collectionsIn(catalog),
  ancestorIn(catalog),
  { ...BY, of: 'search', description: 'What within has after the colon, where it could be both' },
  LIMIT,
  ...([...catalog.entities.values()].some(hasCoordinates) ? [NEAR, WITHIN_KM] : []),
  languageOfSearch(catalog),
  SEARCH_FORMAT,
  GEOMETRY,
  RELEASE,
])

/** Rows in one GET request; more are sent in a body. */
export const MAX_QUERY_ROWS = 50

export const RESOLVE_FORMATS = ['json', 'ndjson', 'csv'] as const
export type ResolveFormat = (typeof RESOLVE_FORMATS)[number]

export const RESOLVE_FORMAT = choice(
  'format',
  'Format of the response; takes precedence over the Accept header. With ndjson and csv there is a line for every row',
  RESOLVE_FORMATS,
  undefined,
  { of: 'resolve' },
)

/** The parameters of rows that are sent in a body. */
export const resolveBodyParameters = derived((catalog: Catalog): readonly Parameter[] => [
  {
    ...collectionsIn(catalog),
    of: 'resolve',
    description: 'The collections of which free text may name a record; all by default',
  },
  RESOLVE_FORMAT,
  RELEASE,
])

function rowText(name: string, text: string): string {
  if (text !== '' && text.length <= MAX_SEARCH_CHARACTERS) return text
  throw badParameter(name, text, `text of 1 to ${MAX_SEARCH_CHARACTERS} characters`)
}

const ROW_TEXT = { type: 'string', minLength: 1, maxLength: MAX_SEARCH_CHARACTERS }

export const ROWS = parameter<readonly string[] | undefined>(
  'q',
  `A row of free text, such as a name with those of what it is in; up to ${MAX_QUERY_ROWS} times. Not together with parts`,
  {
    of: 'resolve',
    repeatable: true,
    max: MAX_QUERY_ROWS,
    schema: ROW_TEXT,
    elsewhere: QUERY.elsewhere ?? [],
    parse: (texts, name) => {
      if (texts.length <= MAX_QUERY_ROWS) return texts.map((text) => rowText(name, text))
      const allowed = `at most ${MAX_QUERY_ROWS} values; send more rows in the body of a POST`
      throw badParameter(name, `${texts.length} values`, allowed)
    },
    work: long,
  },
)

/** The parts that a single row in a query may have: by the names of all entities but those that mean something else there. */
export const rowParts = memoized(({ entities }: Catalog): readonly Parameter<string>[] =>
  [...entities.keys()]
    .filter((name) => ![ROWS, RESOLVE_FORMAT, RELEASE, { name: 'in' }].some((other) => other.name === name))
    .map((name) =>
      parameter<string>(name, 'Part of a single row: a name, an abbreviation, an alias or a code', {
        schema: ROW_TEXT,
        parse: ([text]) => rowText(name, text),
        work: long,
      }),
    ),
)

const degrees = (name: string, description: string, max: number, elsewhere: readonly string[]) =>
  parameter<number | undefined>(name, description, {
    of: 'resolve',
    schema: { type: 'number', minimum: -max, maximum: max },
    elsewhere,
    parse: ([text]) => {
      const value = parseDecimal(text)
      if (value !== undefined && Math.abs(value) <= max) return value
      throw badParameter(name, text, `degrees from -${max} to ${max}, as a decimal number`)
    },
    work: long,
  })

export const ROW_LATITUDE = degrees(
  'lat',
  'Latitude of a single row, in degrees: with lon, the record at the point decides between names, or is meant where there are none',
  MAX_LATITUDE,
  ['latitud', 'latitude'],
)
export const ROW_LONGITUDE = degrees('lon', 'Longitude of a single row, in degrees, with lat', MAX_LONGITUDE, [
  ...['longitud', 'longitude', 'lng'],
])

/** The coordinates that a single row in a query may have, but in a catalog with lists of these names. */
export const rowCoordinates = ({ entities }: Catalog): readonly Parameter<number | undefined>[] =>
  [ROW_LATITUDE, ROW_LONGITUDE].some(({ name }) => entities.has(name)) ? [] : [ROW_LATITUDE, ROW_LONGITUDE]

/** The parameters of rows in the query: free text, each in its own parameter, or the parts of a single row. */
export const resolveParameters = derived((catalog: Catalog): readonly Parameter[] => [
  ROWS,
  ...rowParts(catalog),
  ...rowCoordinates(catalog),
  ...resolveBodyParameters(catalog).values(),
])

export const CHANGES_FORMATS = ['json', 'ndjson'] as const

export const FROM = parameter('from', 'Digest of the release that the client has', {
  of: 'changes',
  schema: DIGEST,
  required: true,
  work: long,
})
export const TO = parameter('to', 'Digest of the release that the client wants; the current one by default', {
  of: 'changes',
  schema: DIGEST,
  work: long,
})
export const CHANGES_FORMAT = choice(
  'format',
  'One document, or with ndjson a line for each change; takes precedence over the Accept header',
  CHANGES_FORMATS,
  undefined,
  { of: 'changes' },
)

export const changesParameters = derived((catalog: Catalog): readonly Parameter[] => [
  collectionsIn(catalog),
  FROM,
  TO,
  { ...EMBED, of: 'changes' },
  CHANGES_FORMAT,
])
