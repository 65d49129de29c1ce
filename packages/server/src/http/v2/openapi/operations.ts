// The operations of both APIs, derived from a catalog and the routes: the path, parameters, response and problems of each.
import { V1_PATH, v1PathOf } from '../../../base/api-v1.ts'
import { type Catalog, entityIn } from '../../../catalog/catalog.ts'
import { PER_PAGE, v1Collections } from '../../../catalog/collections.ts'
import type { Entity } from '../../../catalog/entity.ts'
import { languagesOf } from '../../../catalog/languages/languages.ts'
import { pascalCase } from '../../../catalog/typescript.ts'
import type { ProblemKind } from '../../problem.ts'
import { FORMATS } from '../../v1/page-request.ts'
import { FIXED_ROUTES, type FixedPath } from '../fixed-routes.ts'
import { choice, type Parameter, type ParameterTable } from '../parameter.ts'
import {
  bulkParameters,
  childBulkParameters,
  childListParameters,
  listParameters,
  PAGE,
  RELEASE,
  recordParameters,
} from '../parameter-definitions.ts'
import { bulkTemplate, type Place, placesOf, recordTemplate, recordVariables } from '../record-paths.ts'
import type document from './document.json'
import { type Json, listOf, NOT_EMPTY, recordRef } from './schemas.ts'

type Document = typeof document
type HeaderName = keyof Document['headers']

/** What the document says of an operation besides what follows from its path and its parameters. */
type OperationDescription = {
  readonly tag: keyof Document['tags']
  readonly summary: string
  readonly description: string
  /** The schema of the body of a response with status 200. */
  readonly schema: Json
  /** The default is JSON. */
  readonly mediaType?: string
  readonly requestBody?: Json
  /** True if the whole body has a digest, and parts of it can be requested. */
  readonly hasRanges?: boolean
  /** False if it has no validator, so that there is never a 304. */
  readonly hasValidator?: boolean
  /** Its problems besides those that follow. */
  readonly problems?: readonly ProblemKind[]
}

export type Operation = OperationDescription & {
  readonly path: string
  /** The default is GET. */
  readonly method?: 'post'
  readonly id: string
  /** The entity of its records. */
  readonly entity?: Entity
  readonly inPath: readonly Json[]
  readonly inQuery: ParameterTable
  /** The headers of the response with status 200. */
  readonly headers: readonly HeaderName[]
  /** The name under which several operations share that response. */
  readonly sharedAs?: string
  readonly problems: readonly ProblemKind[]
}

const DIGEST_IN_PATH: Json = {
  name: 'digest',
  description: 'its digest, or the beginning of it',
  schema: RELEASE.schema,
}

type Given = OperationDescription &
  Pick<Operation, 'id' | 'path' | 'method' | 'entity' | 'sharedAs'> & {
    readonly named?: Entity
    readonly parameters?: ParameterTable | undefined
  }

const where = <T>(isSo: boolean, ...items: readonly T[]): readonly T[] => (isSo ? items : [])

/** Adds to a route and its description what follows from its path and its parameters. */
function operation({ named, parameters = new Map(), problems = [], ...route }: Given): Operation {
  const { path, entity, hasRanges = false } = route
  const isPage = parameters.has(PAGE.name)
  const isOfRelease = path.includes('{digest}')
  const namesRelease = [...parameters.values()].some(({ schema }) => schema === RELEASE.schema)
  const languages = entity === undefined ? [] : languagesOf(entity)
  return {
    ...route,
    inPath: named === undefined ? where(isOfRelease, DIGEST_IN_PATH) : keyInPath(named),
    inQuery: parameters,
    headers: [
      ...where<HeaderName>(isPage, 'X-Page', 'X-Per-Page', 'X-Total', 'X-Total-Pages', 'Link'),
      ...where<HeaderName>(hasRanges && entity !== undefined, 'X-Total'),
      ...where<HeaderName>(hasRanges, 'Repr-Digest'),
      ...where<HeaderName>(languages.length > 0, 'Content-Language'),
    ],
    problems: [
      ...where<ProblemKind>(isPage, 'page-beyond-last'),
      ...where<ProblemKind>(named !== undefined, 'record-not-found'),
      ...where<ProblemKind>(isOfRelease, 'not-found'),
      ...problems,
      ...where<ProblemKind>(isOfRelease || namesRelease, 'release-gone'),
      ...where<ProblemKind>(hasRanges, 'range-not-satisfiable'),
    ],
  }
}

/** All operations; those whose paths name no list are described by the file of the document. */
export function operationsOf(catalog: Catalog, operations: Document['operations']): Operation[] {
  const { own, below, around } = placesOf(catalog)
  const described = operations as unknown as Readonly<Record<string, OperationDescription>>
  const fixed = (id: string, route: Pick<Given, 'path' | 'method' | 'parameters'>) =>
    operation({ ...route, ...(described[id] as OperationDescription), id })
  return [
    ...Object.entries<FixedPath>(FIXED_ROUTES).map(([id, route]) =>
      fixed(id, { ...route, parameters: route.parameters?.(catalog) }),
    ),
    ...own.map(listOperation),
    ...below.map(listOperation),
    ...[...catalog.entities.values()].map(recordOperation),
    ...own.map(bulkOperation),
    ...around.flatMap((place) => [listOperation(place), bulkOperation(place)]),
    ...below.map(bulkOperation),
    fixed('listCollectionsV1', { path: V1_PATH }),
    ...v1Lists(catalog),
  ]
}

/** The end of the names of the operations of a list, and its words: in pages, and as a whole. */
function wordsOf({ entity: { title }, named, axis }: Place) {
  if (axis !== undefined) {
    const words = `${title}: the ${axis} of one`
    return { suffix: pascalCase(axis), inPages: words, whole: `${words}, all of them` }
  }
  const where = named === undefined ? '' : ` below one of the ${named.title.toLowerCase()}`
  return {
    suffix: named === undefined ? '' : `Of${pascalCase(named.name)}`,
    inPages: `${title}${where}`,
    whole: `All ${title.toLowerCase()}${where}`,
  }
}

/** The values in the path of a record. */
const keyInPath = (entity: Entity): Json[] =>
  recordVariables(entity).map(([name, { field, numeric }]) => ({
    name,
    description: `${field.description}; with by=code its official code`,
    schema: numeric ? { type: ['integer', 'string'] } : NOT_EMPTY,
  }))

const listOperation = (place: Place): Operation => {
  const { entity, named } = place
  const { suffix, inPages } = wordsOf(place)
  return operation({
    ...place,
    id: `list${pascalCase(entity.plural)}${suffix}`,
    tag: 'Lists',
    summary: `${inPages}, in pages`,
    description: 'Filtered, searched and sorted.',
    parameters: (named === undefined ? listParameters : childListParameters)(entity),
    schema: listOf(recordRef(entity)),
    sharedAs: `${pascalCase(entity.plural)}Page`,
  })
}

const bulkOperation = (place: Place): Operation => {
  const { entity, named } = place
  const { suffix, whole } = wordsOf(place)
  return operation({
    ...place,
    path: bulkTemplate(place),
    id: `all${pascalCase(entity.plural)}${suffix}`,
    tag: 'Bulk',
    summary: whole,
    description: 'Filtered, searched and sorted. Range and If-Range resume an interrupted download (206).',
    parameters: (named === undefined ? bulkParameters : childBulkParameters)(entity),
    schema: listOf(recordRef(entity)),
    sharedAs: `All${pascalCase(entity.plural)}`,
    hasRanges: true,
  })
}

const recordOperation = (entity: Entity): Operation =>
  operation({
    entity,
    named: entity,
    path: recordTemplate(entity),
    id: `get${pascalCase(entity.name)}`,
    tag: 'Records',
    summary: `One of the ${entity.title.toLowerCase()}`,
    description: 'By its identifier, or by its official code.',
    parameters: recordParameters(entity),
    schema: recordRef(entity),
  })

/** The page of API v1 is that of API v2. */
const V1_FORMAT = choice('format', 'Both give JSON', FORMATS, undefined, { of: 'v1' })
const v1Parameters: ParameterTable = new Map<string, Parameter>([
  [PAGE.name, { ...PAGE, of: 'v1' }],
  [V1_FORMAT.name, V1_FORMAT],
])

const v1Lists = (catalog: Catalog): Operation[] =>
  v1Collections(catalog).map(({ name, title, entity }) =>
    operation({
      path: v1PathOf({ name }),
      id: `list${pascalCase(name)}V1`,
      tag: 'API v1',
      summary: `${title}, ${PER_PAGE} on a page`,
      description: 'Parameters that are not known are ignored.',
      parameters: v1Parameters,
      schema: listOf(recordRef(entityIn(catalog, entity))),
      sharedAs: `${pascalCase(name)}Page`,
    }),
  )
