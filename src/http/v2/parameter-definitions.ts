// The query parameters of every route of API v2, derived from the definitions: what each is called and may be.
import type { Catalog } from '../../catalog/catalog.ts'
import type { Entity } from '../../catalog/entity.ts'
import { type FieldPath, pathsOf } from '../../catalog/paths.ts'
import type { Filter } from '../../find/filter.ts'
import { FORMATS } from '../../page/rendition.ts'

export const MAX_SORT_FIELDS = 5
export const MAX_SUGGESTIONS = 50
export const DEFAULT_SUGGESTIONS = 10
export const MAX_PER_PAGE = 1_000
export const DEFAULT_PER_PAGE = 50
export const MAX_PAGE = 999_999_999_999_999
export const MAX_WORDS = 10
export const MAX_SEARCH_CHARACTERS = 200
/** In all filters of a request together. */
export const MAX_FILTER_VALUES = 100

/** The parameters of a route, by name. */
export type ParameterTable = ReadonlyMap<string, Parameter>

export type Parameter = {
  readonly name: string
  readonly description: string
  readonly repeatable: boolean
  /** How many values it may have, where it may have several. */
  readonly max?: number
  /** What it filters by. */
  readonly filter?: { readonly path: FieldPath; readonly match: Filter['match'] }
  /** Whether it must be given. */
  readonly required?: boolean
  /** Several values in one, separated by commas: then the schema is that of one of them. */
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
  'Read this release instead of the current one: its digest, or the beginning of it',
  DIGEST,
)
const FORMAT = once('format', 'Form of the answer; goes before the Accept header', {
  type: 'string',
  enum: FORMATS,
})
const fieldsOf = (entity: Entity): Parameter => ({
  name: 'fields',
  description: 'Only these fields: dotted paths, separated by commas',
  repeatable: false,
  commaSeparated: true,
  schema: { type: 'string', enum: [...pathsOf(entity).keys()] },
})

const EMBED = once('embed', 'Embedded records in full, or only by their identifiers', {
  type: 'string',
  enum: ['full', 'id'],
  default: 'full',
})
const QUERY = once(
  'q',
  'Words in any order, or beginnings of words, in names and codes; accents and case do not matter, and typing errors are forgiven when little is found',
  {
    type: 'string',
    minLength: 1,
    maxLength: MAX_SEARCH_CHARACTERS,
  },
)

const filterOf = (path: FieldPath): Parameter => ({
  name: path.path,
  description: `Only records whose ${path.path} is one of these: ${path.field.description}${path.field.kind === 'embed' ? ', by its identifier' : ''}`,
  repeatable: true,
  max: MAX_FILTER_VALUES,
  filter: { path, match: 'equals' },
  schema: path.numeric ? { type: 'integer', minimum: 0, maximum: 2_147_483_647 } : { type: 'string', minLength: 1 },
})

const prefixOf = (path: FieldPath): Parameter => ({
  name: `${path.path}${PREFIX}`,
  description: `Only records whose ${path.path} begins like one of these`,
  repeatable: true,
  max: MAX_FILTER_VALUES,
  filter: { path, match: 'begins' },
  schema: { type: 'string', minLength: 1 },
})

const PREFIX = '_prefix'

const isCode = ({ field }: FieldPath) => field.kind === 'code'

export function filterParameters(entity: Entity): Parameter[] {
  const paths = [...pathsOf(entity).values()]
  return [...paths.map(filterOf), ...paths.filter(isCode).map(prefixOf)]
}

const tableOf = (parameters: readonly Parameter[]): ParameterTable =>
  new Map(parameters.map((parameter) => [parameter.name, parameter]))

/** Derives a table once for each definition. */
function derived<D extends object>(derive: (definition: D) => readonly Parameter[]): (definition: D) => ParameterTable {
  const tables = new WeakMap<D, ParameterTable>()
  return (definition) => {
    const known = tables.get(definition)
    if (known !== undefined) return known
    const table = tableOf(derive(definition))
    tables.set(definition, table)
    return table
  }
}

export const noParameters: ParameterTable = new Map()
export const describeParameters = tableOf([RELEASE])
export const bulkParameters = tableOf([FORMAT, RELEASE])

export const listParameters = derived((entity: Entity) => {
  const paths = [...pathsOf(entity).keys()]
  return [
    once('page', 'Number of the page, from 1', { type: 'integer', minimum: 1, maximum: MAX_PAGE, default: 1 }),
    once('per_page', 'Records on a page', {
      type: 'integer',
      minimum: 1,
      maximum: MAX_PER_PAGE,
      default: DEFAULT_PER_PAGE,
    }),
    once('after', 'Cursor out of a Link header: the page after it', { type: 'string' }),
    QUERY,
    {
      name: 'sort',
      description:
        'Fields to sort by, the first before the second and so on, each with a minus before it for descending; else by relevance, or as published',
      repeatable: false,
      commaSeparated: true,
      max: MAX_SORT_FIELDS,
      schema: { type: 'string', enum: paths.flatMap((path) => [path, `-${path}`]) },
    },
    fieldsOf(entity),
    EMBED,
    FORMAT,
    RELEASE,
    ...filterParameters(entity),
  ]
})

export const RECORD_NAMED_BY = ['id', 'code'] as const

export const recordParameters = derived((entity: Entity) => [
  once('by', 'Whether the last part of the path is the identifier of the record or its official code', {
    type: 'string',
    enum: RECORD_NAMED_BY,
    default: 'id',
  }),
  fieldsOf(entity),
  EMBED,
  FORMAT,
  RELEASE,
])

const collectionNames = ({ collections }: Catalog) => ({ type: 'string', enum: [...collections.keys()] })

export const searchParameters = derived((catalog: Catalog) => [
  { ...QUERY, required: true },
  {
    name: 'in',
    description: 'Only in these collections, separated by commas',
    repeatable: false,
    commaSeparated: true,
    schema: collectionNames(catalog),
  },
  once('within', 'Only records below this one: its collection, a colon, and its identifier or code, as in estados:9', {
    type: 'string',
    pattern: '^[a-z-]+:.+$',
  }),
  once('limit', 'How many suggestions at most', {
    type: 'integer',
    minimum: 1,
    maximum: MAX_SUGGESTIONS,
    default: DEFAULT_SUGGESTIONS,
  }),
  RELEASE,
])

export const CHANGES_FORMATS = ['json', 'ndjson'] as const

export const changesParameters = derived((catalog: Catalog) => [
  { ...once('from', 'The release that the client has: its digest', DIGEST), required: true },
  once('to', 'The release that it wants; the current one if absent', DIGEST),
  { name: 'in', description: 'Only changes in this collection', repeatable: true, schema: collectionNames(catalog) },
  once('format', 'One document, or a line for each change', { type: 'string', enum: CHANGES_FORMATS }),
])
