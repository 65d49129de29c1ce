// The query parameters of every route of API v2, derived from the definitions: their names and schemas.

import { memoized } from '../../base/memoized.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { broaderOf, type Entity, hasCoordinates } from '../../catalog/entity.ts'
import { languagesOf } from '../../catalog/languages/languages.ts'
import { descendantsOf, ownerOf } from '../../catalog/lineage.ts'
import { pathsOf, type RecordPath } from '../../catalog/paths.ts'
import { MAX_NEAREST_SORTED } from '../../query/finder.ts'
import { FORMATS } from '../../query/formats/formats.ts'
import type { ValueMatch } from '../../query/wanted-values.ts'
import { DATE, fieldNameRef, ID, NOT_EMPTY } from './openapi/schemas.ts'

export const MAX_SORT_FIELDS = 5
/** More than an entity has, and few enough to cost nothing. */
export const MAX_FIELDS = 200
export const MAX_SUGGESTIONS = 50
export const DEFAULT_SUGGESTIONS = 10
export const MAX_PER_PAGE = 1_000
export const DEFAULT_PER_PAGE = 50
export const MAX_PAGE = 999_999_999_999_999
export const MAX_WORDS = 32
export const MAX_SEARCH_CHARACTERS = 300
/** A metre: distances are whole metres. */
export const MIN_WITHIN_KM = 0.001
/** Half the circumference of the Earth, and a little more. */
export const MAX_WITHIN_KM = 20_040
/** The values of all filters of a request together. */
export const MAX_FILTER_VALUES = 100

/** The parameters of a route, by name. */
export type ParameterTable = ReadonlyMap<string, Parameter>

export type Parameter = {
  readonly name: string
  /** The entity or route that it belongs to; absent if it is the same everywhere. */
  readonly of?: string
  readonly description: string
  readonly repeatable: boolean
  /** Maximum number of values, if it may have several. */
  readonly max?: number
  readonly filter?: { readonly path: RecordPath; readonly match: ValueMatch }
  /** Its name with the slugs of fields, if that is another. */
  readonly slug?: string
  readonly required?: boolean
  /** True if one value holds several, separated by commas: the schema describes each of them. */
  readonly commaSeparated?: boolean
  readonly schema: Readonly<Record<string, unknown>>
}

const once = (name: string, description: string, schema: Parameter['schema']): Parameter => ({
  name,
  description,
  repeatable: false,
  schema,
})

const DIGEST = { type: 'string', pattern: '^[0-9a-f]{8,64}$' } as const

export const RELEASE = once(
  'release',
  'Read this release instead of the current one: its digest, or at least the first 8 digits of it',
  DIGEST,
)
const PAGE = once('page', 'Number of the page, from 1', {
  type: 'integer',
  minimum: 1,
  maximum: MAX_PAGE,
  default: 1,
})
const PER_PAGE = once('per_page', 'Records on a page', {
  type: 'integer',
  minimum: 1,
  maximum: MAX_PER_PAGE,
  default: DEFAULT_PER_PAGE,
})
const AFTER = once('after', 'Cursor from a Link header: the page that follows it; not together with page', {
  type: 'string',
})
const FORMAT = once(
  'format',
  'Format of the response; takes precedence over the Accept header. With ndjson there is a record on every line; with csv (RFC 4180) a header line, and a column for every value, embedded ones by their dotted path; with xlsx the same as an Excel workbook',
  { type: 'string', enum: FORMATS },
)
const EXCEL = once('excel', 'Whether csv begins with a byte-order mark, for Excel', {
  type: 'boolean',
  default: false,
})
const EMBED = once(
  'embed',
  'Whether embedded records are given in full, or by their identifiers: with id, that stands in place of each, in a list where it has several values',
  { type: 'string', enum: ['full', 'id'], default: 'full' },
)
const FACTS = once('facts', 'Whether the facts of the records are given too; null where one is not known', {
  type: 'boolean',
  default: false,
})
const QUERY = once(
  'q',
  'Words, or beginnings of words, in any order, in names and codes; accents and case do not matter, and typing errors are forgiven when little is found',
  { type: 'string', minLength: 1, maxLength: MAX_SEARCH_CHARACTERS },
)
const DEGREES = '(-?[0-9]{1,3}(?:\\.[0-9]{1,15})?)'
/** Takes a point apart into its latitude and longitude. */
export const POINT_PATTERN: string = `^${DEGREES},${DEGREES}$`
const NEAR = once(
  'near',
  `Latitude and longitude of a point: the nearest records come first, each with its distance; those without coordinates are left out. With sort, those within within_km, or the ${MAX_NEAREST_SORTED} nearest, in that order`,
  { type: 'string', pattern: POINT_PATTERN, examples: ['19.43,-99.13'] },
)
const WITHIN_KM = once('within_km', 'Only records within so many kilometres of near', {
  type: 'number',
  minimum: MIN_WITHIN_KM,
  maximum: MAX_WITHIN_KM,
})
export const RECORD_NAMED_BY = ['id', 'code'] as const
const BY = once(
  'by',
  'Whether the path names the record by its identifier or by its official code; by default what can be no identifier is a code',
  { type: 'string', enum: RECORD_NAMED_BY },
)

const fieldsOf = (entity: Entity): Parameter => ({
  name: 'fields',
  of: entity.name,
  description: 'Only these fields, by their dotted paths; columns of csv stand in this order',
  repeatable: false,
  commaSeparated: true,
  max: MAX_FIELDS,
  // A getter, since only the OpenAPI document reads it.
  get schema() {
    return fieldNameRef(entity)
  },
})

const sortOf = (entity: Entity): Parameter => ({
  name: 'sort',
  of: entity.name,
  description: 'Fields to sort by, in descending order with a minus; by default by relevance with q, else as published',
  repeatable: false,
  commaSeparated: true,
  max: MAX_SORT_FIELDS,
  get schema() {
    const descending = [...pathsOf(entity).keys()].map((path) => `-${path}`)
    return { anyOf: [fieldNameRef(entity), { type: 'string', enum: descending }] }
  },
})

/** The value of `lang` for all languages. */
export const ALL_LANGUAGES = 'all'

const languageParameter = (languages: readonly string[]): Parameter =>
  once(
    'lang',
    `Only names in this language (BCP 47), which Content-Language names: ${[...languages, ALL_LANGUAGES].join(', ')}. A record without one has the first name that it has`,
    { type: 'string', minLength: 1, examples: [languages[0] ?? ALL_LANGUAGES] },
  )

const languageOf = (entity: Entity): Parameter[] =>
  languagesOf(entity).length === 0 ? [] : [{ ...languageParameter(languagesOf(entity)), of: entity.name }]

/** The parameters of a list that is a tree. */
const treeParameters = (entity: Entity): Parameter[] =>
  broaderOf(entity) === undefined
    ? []
    : [
        {
          ...once(
            'within',
            'Only records below this one in their tree, at any depth; by its key, as in a path',
            NOT_EMPTY,
          ),
          of: entity.name,
        },
        once('root', 'Only records that are below no other', { type: 'boolean', default: false }),
      ]

/** The schema of a value at a path. */
function valueSchema({ field, numeric }: RecordPath): Parameter['schema'] {
  if (numeric) return ID
  if (field.kind === 'fact' && field.type !== 'text')
    return { type: field.type, minimum: field.min, maximum: field.max }
  if (field.kind !== 'value') return NOT_EMPTY
  switch (field.type) {
    case 'integer':
    case 'year':
      return { type: 'integer' }
    case 'number':
      return { type: 'number' }
    case 'boolean':
      return { type: 'boolean' }
    case 'date':
      return DATE
    default:
      return NOT_EMPTY
  }
}

const isNumber = ({ field }: RecordPath): boolean =>
  (field.kind === 'fact' && field.type !== 'text') ||
  (field.kind === 'value' && ['integer', 'number', 'year'].includes(field.type))
const isOfType = ({ field }: RecordPath, type: 'text' | 'date' | 'list'): boolean =>
  field.kind === 'value' && field.type === type

/** Suffix of the path in the name of a parameter, and the one to use if that name is taken. */
const SUFFIXES: Readonly<Record<ValueMatch, readonly [usual: string, otherwise: string]>> = {
  equals: ['', '.is'],
  contains: ['', '.is'],
  begins: ['_prefix', '.prefix'],
  min: ['_min', '.min'],
  max: ['_max', '.max'],
}

/** Official codes are looked up in lists of them. */
const severalCodes = ({ field }: RecordPath) => (field.kind === 'derived' ? { commaSeparated: true } : {})

const filterOf = (entity: Entity, path: RecordPath): Parameter => ({
  name: path.path,
  of: entity.name,
  description: `Filter: ${path.field.description}${path.field.kind === 'embed' ? ', by its identifier' : ''}`,
  repeatable: true,
  ...severalCodes(path),
  filter: { path, match: isOfType(path, 'list') ? 'contains' : 'equals' },
  schema: valueSchema(path),
})

const boundOf = (entity: Entity, path: RecordPath, match: 'min' | 'max'): Parameter => ({
  name: path.path,
  of: entity.name,
  description: `Filter: known, and at ${match === 'min' ? 'least' : 'most'} this`,
  repeatable: false,
  filter: { path, match },
  schema: valueSchema(path),
})

const prefixOf = (entity: Entity, path: RecordPath): Parameter => ({
  name: path.path,
  of: entity.name,
  description: `Filter: beginning of the ${path.field.description}`,
  repeatable: true,
  ...severalCodes(path),
  filter: { path, match: 'begins' },
  schema: NOT_EMPTY,
})

/** Parameters of some lists only. No filter has these names: a list that gets names in languages keeps its filters. */
const OF_SOME_LISTS = ['lang', 'within', 'root', 'near', 'within_km']

/** Filters by any field, each under a name that no other parameter of a list has. */
export const filterParameters = memoized((entity: Entity): readonly Parameter[] => {
  const paths = [...pathsOf(entity).values()]
  const texts = paths.filter((path) => ['code', 'derived'].includes(path.field.kind) || isOfType(path, 'text'))
  const bounded = paths.filter((path) => isNumber(path) || isOfType(path, 'date'))
  const used = new Set([...OF_SOME_LISTS, ...otherParameters(entity).map(({ name }) => name)])
  return [
    ...paths.map((path) => filterOf(entity, path)),
    ...texts.map((path) => prefixOf(entity, path)),
    ...bounded.flatMap((path) => [boundOf(entity, path, 'min'), boundOf(entity, path, 'max')]),
  ]
    .map((parameter) => ({ ...parameter, name: freeName(parameter, 'path', used) }))
    .map((parameter) => {
      // A slug is another name besides, and takes none from a field.
      const isSame = parameter.filter?.path.slug === parameter.filter?.path.path
      return isSame ? parameter : { ...parameter, slug: freeName(parameter, 'slug', used) }
    })
})

function freeName({ filter }: Parameter, by: 'path' | 'slug', used: Set<string>): string {
  const { path, match } = filter as NonNullable<Parameter['filter']>
  const [usual, otherwise] = SUFFIXES[match]
  let name = `${path[by]}${used.has(`${path[by]}${usual}`) ? otherwise : usual}`
  while (used.has(name)) name += otherwise
  used.add(name)
  return name
}

const tableOf = (parameters: readonly Parameter[]): ParameterTable =>
  new Map(parameters.map((parameter) => [parameter.name, parameter]))

const bySlug = memoized(
  (table: ParameterTable): ParameterTable =>
    new Map([...table.values()].flatMap((one) => (one.slug === undefined ? [] : [[one.slug, one] as const]))),
)

/** The parameter that a query names, by the names of fields or by their slugs. */
export const parameterNamed = (table: ParameterTable, name: string): Parameter | undefined =>
  table.get(name) ?? bySlug(table).get(name)

/** Derives a table once for each definition. */
const derived = <D extends object>(
  derive: (definition: D) => readonly Parameter[],
): ((definition: D) => ParameterTable) => memoized((definition: D) => tableOf(derive(definition)))

export const noParameters: ParameterTable = new Map()
export const describeParameters = tableOf([RELEASE])

const PAGING = [PAGE, PER_PAGE, AFTER] as const

const responseParameters = (entity: Entity): Parameter[] => [
  fieldsOf(entity),
  FACTS,
  EMBED,
  ...languageOf(entity),
  FORMAT,
  EXCEL,
  RELEASE,
]

/** The parameters that select, sort and render records, but for filters by their fields. */
const queryOf = (entity: Entity): Parameter[] => [
  QUERY,
  sortOf(entity),
  ...(hasCoordinates(entity) ? [NEAR, WITHIN_KM] : []),
  ...treeParameters(entity),
  ...responseParameters(entity),
]

/** All parameters of the lists of an entity but for filters. */
const otherParameters = (entity: Entity): Parameter[] => [BY, ...PAGING, ...queryOf(entity)]

const filteredOf = (entity: Entity): Parameter[] => [...queryOf(entity), ...filterParameters(entity)]

export const listParameters = derived((entity: Entity) => [...PAGING, ...filteredOf(entity)])
export const bulkParameters = derived(filteredOf)
/** The parameters of a list below a record that the path names. */
export const childListParameters = derived((entity: Entity) => [BY, ...PAGING, ...filteredOf(entity)])
export const childBulkParameters = derived((entity: Entity) => [BY, ...filteredOf(entity)])

export const recordParameters = derived((entity: Entity) => [BY, ...responseParameters(entity)])

const IN = ({ collections }: Catalog): Parameter => ({
  name: 'in',
  description: 'Only these collections; may also be repeated',
  repeatable: true,
  commaSeparated: true,
  schema: { type: 'string', enum: [...collections.keys()] },
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

const WITHIN_NAMED_BY = { type: 'string', enum: RECORD_NAMED_BY }

export const searchParameters = derived((catalog: Catalog) => [
  { ...QUERY, of: 'search', required: true },
  IN(catalog),
  once(
    'within',
    'Only records below this one: its collection, a colon, and its identifier, or else its official code as in a path',
    { type: 'string', pattern: '^[a-z0-9-]+:.+$', examples: [`${parentIn(catalog)?.plural ?? 'collection'}:1`] },
  ),
  { ...once('by', 'What within has after the colon, where it could be both', WITHIN_NAMED_BY), of: 'search' },
  once('limit', 'Maximum number of suggestions', {
    type: 'integer',
    minimum: 1,
    maximum: MAX_SUGGESTIONS,
    default: DEFAULT_SUGGESTIONS,
  }),
  ...([...catalog.entities.values()].some(hasCoordinates) ? [NEAR, WITHIN_KM] : []),
  { ...languageParameter(languagesIn(catalog)), of: 'search' },
  RELEASE,
])

/** Rows in one GET request; more are sent in a body. */
export const MAX_QUERY_ROWS = 50

const LEVELS = (catalog: Catalog): Parameter => ({
  ...IN(catalog),
  of: 'resolve',
  description: 'The collections of which free text may name a record; all by default',
})

export const RESOLVE_FORMATS = ['json', 'ndjson', 'csv'] as const
export type ResolveFormat = (typeof RESOLVE_FORMATS)[number]

const RESOLVE_FORMAT: Parameter = {
  ...once(
    'format',
    'Format of the response; takes precedence over the Accept header. With ndjson and csv there is a line for every row',
    { type: 'string', enum: RESOLVE_FORMATS },
  ),
  of: 'resolve',
}

/** The parameters of rows that are sent in a body. */
export const resolveBodyParameters = derived((catalog: Catalog) => [LEVELS(catalog), RESOLVE_FORMAT, RELEASE])

/** The names of entities by which a row in the query may have parts: all but those that mean something else there. */
export const partsInQuery = ({ entities }: Catalog): string[] =>
  [...entities.keys()].filter((name) => !['q', 'in', 'format', 'release'].includes(name))

/** The parameters of rows in the query: free text, each in its own parameter, or the parts of a single row. */
export const resolveParameters = derived((catalog: Catalog) => [
  {
    name: 'q',
    of: 'resolve',
    description: `A row of free text, such as a name with those of what it is in; up to ${MAX_QUERY_ROWS} times. Not together with parts`,
    repeatable: true,
    max: MAX_QUERY_ROWS,
    schema: { type: 'string', minLength: 1, maxLength: MAX_SEARCH_CHARACTERS },
  },
  ...partsInQuery(catalog).map((name) =>
    once(name, `Part of a single row: a name, an abbreviation, an alias or a code`, {
      type: 'string',
      minLength: 1,
      maxLength: MAX_SEARCH_CHARACTERS,
    }),
  ),
  ...resolveBodyParameters(catalog).values(),
])

export const CHANGES_FORMATS = ['json', 'ndjson'] as const

const ofChanges = (parameter: Parameter): Parameter => ({ ...parameter, of: 'changes' })

export const changesParameters = derived((catalog: Catalog) => [
  IN(catalog),
  ...[
    { ...once('from', 'Digest of the release that the client has', DIGEST), required: true },
    once('to', 'Digest of the release that the client wants; the current one by default', DIGEST),
    EMBED,
    once('format', 'One document, or with ndjson a line for each change; takes precedence over the Accept header', {
      type: 'string',
      enum: CHANGES_FORMATS,
    }),
  ].map(ofChanges),
])
