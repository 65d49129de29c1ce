// What may be asked of a list of API v2, derived from the definition of its entity.
import type { Entity } from '../../catalog/entity.ts'
import { type FieldPath, pathsOf } from '../../catalog/paths.ts'
import type { Filter } from '../../find/conditions.ts'
import { FORMATS } from '../../page/rendition.ts'

export const MAX_PER_PAGE = 1_000
export const DEFAULT_PER_PAGE = 50
export const MAX_PAGE = 999_999_999_999_999
export const MAX_WORDS = 10
export const MAX_SEARCH_CHARACTERS = 200
/** In all filters of a request together. */
export const MAX_FILTER_VALUES = 100

export type Parameter = {
  readonly name: string
  readonly description: string
  readonly repeatable: boolean
  /** How many values it may have, where it may have several. */
  readonly most?: number
  /** What it filters by. */
  readonly filter?: { readonly path: FieldPath; readonly match: Filter['match'] }
  /** Whether it must be given. */
  readonly required?: boolean
  readonly schema: Readonly<Record<string, unknown>>
}

const once = (name: string, description: string, schema: Parameter['schema']): Parameter => ({
  name,
  description,
  repeatable: false,
  schema,
})

export const RELEASE = once(
  'release',
  'Read this release instead of the current one: its digest, or the beginning of it',
  {
    type: 'string',
    pattern: '^[0-9a-f]{8,64}$',
  },
)
export const FORMAT = once('format', 'Form of the answer; goes before the Accept header', {
  type: 'string',
  enum: FORMATS,
})
export const FIELDS = once('fields', 'Only these fields: dotted paths, separated by commas', { type: 'string' })
export const EMBED = once('embed', 'Embedded records in full, or only by their identifiers', {
  type: 'string',
  enum: ['full', 'id'],
  default: 'full',
})
export const QUERY = once(
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
  most: MAX_FILTER_VALUES,
  filter: { path, match: 'equals' },
  schema: path.numeric ? { type: 'integer', minimum: 0, maximum: 2_147_483_647 } : { type: 'string', minLength: 1 },
})

const prefixOf = (path: FieldPath): Parameter => ({
  name: `${path.path}${PREFIX}`,
  description: `Only records whose ${path.path} begins like one of these`,
  repeatable: true,
  most: MAX_FILTER_VALUES,
  filter: { path, match: 'begins' },
  schema: { type: 'string', minLength: 1 },
})

const PREFIX = '_prefix'

const isCode = ({ field }: FieldPath) => field.kind === 'code'

export function filterParameters(entity: Entity): Parameter[] {
  const paths = [...pathsOf(entity).values()]
  return [...paths.map(filterOf), ...paths.filter(isCode).map(prefixOf)]
}

/** The parameters of a list, by name. */
export function listParameters(entity: Entity): ReadonlyMap<string, Parameter> {
  const known = parametersByEntity.get(entity)
  if (known !== undefined) return known
  const paths = [...pathsOf(entity).keys()]
  const parameters = [
    once('page', 'Number of the page, from 1', { type: 'integer', minimum: 1, maximum: MAX_PAGE, default: 1 }),
    once('per_page', 'Records on a page', {
      type: 'integer',
      minimum: 1,
      maximum: MAX_PER_PAGE,
      default: DEFAULT_PER_PAGE,
    }),
    once('after', 'Cursor out of a Link header: the page after it', { type: 'string' }),
    QUERY,
    once('sort', 'Field to sort by, with a minus before it for descending; else by relevance, or as published', {
      type: 'string',
      enum: paths.flatMap((path) => [path, `-${path}`]),
    }),
    FIELDS,
    EMBED,
    FORMAT,
    RELEASE,
    ...filterParameters(entity),
  ]
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]))
  parametersByEntity.set(entity, byName)
  return byName
}

const parametersByEntity = new WeakMap<Entity, ReadonlyMap<string, Parameter>>()
