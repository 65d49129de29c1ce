// The operations of both APIs, derived from a catalog: the path, parameters, response and problems of each.

import { V1_PATH, v1PathOf } from '../../../base/api-v1.ts'
import { V2_PATH } from '../../../base/api-v2.ts'
import { type Catalog, entityIn } from '../../../catalog/catalog.ts'
import { PER_PAGE, v1Collections } from '../../../catalog/collections.ts'
import type { Entity } from '../../../catalog/entity.ts'
import { languagesOf } from '../../../catalog/languages/languages.ts'
import { descendantsOf } from '../../../catalog/lineage.ts'
import { pascalCase } from '../../../catalog/typescript.ts'
import { MAX_ROWS } from '../../bodies/body-limits.ts'
import type { ProblemKind } from '../../problem.ts'
import { OPENAPI_PATH, RESOLVE_PATH } from '../../routes.ts'
import { FORMATS } from '../../v1/page-request.ts'
import { choice, type Parameter, type ParameterTable } from '../parameter.ts'
import {
  bulkParameters,
  changesParameters,
  childBulkParameters,
  childListParameters,
  describeParameters,
  listParameters,
  PAGE,
  RELEASE,
  recordParameters,
  resolveBodyParameters,
  resolveParameters,
  searchParameters,
} from '../parameter-definitions.ts'
import {
  bulkTemplate,
  childrenTemplate,
  recordTemplate,
  recordVariables,
  releasePartTemplate,
  releaseTemplate,
  treeTemplates,
} from '../v2-routes.ts'
import { COUNT, type Json, listOf, NOT_EMPTY, recordRef, schemaRef, TEXT } from './schemas.ts'

export type Operation = {
  readonly path: string
  /** The default is GET. */
  readonly method?: 'post'
  readonly requestBody?: Json
  readonly id: string
  readonly tag: Tag
  /** The package of its collection. */
  readonly package?: string | undefined
  readonly summary: string
  readonly description: string
  readonly inPath?: readonly Json[]
  readonly inQuery?: ParameterTable
  /** The headers of the response with status 200. */
  readonly headers?: readonly HeaderName[]
  /** False if it has no validator, so that there is never a 304. */
  readonly hasValidator?: boolean
  /** The schema of the body of that response. */
  readonly schema: Json
  /** The default is JSON. */
  readonly mediaType?: string
  /** The name under which several operations share that response. */
  readonly sharedAs?: string
  /** Its problems besides those of any request. */
  readonly problems?: readonly ProblemKind[]
}

export type Tag = 'Overview' | 'Lists' | 'Records' | 'Bulk' | 'Search' | 'Releases' | 'API v1'

const header = (description: string, schema: Json, required = true): Json => ({ description, required, schema })

/** The headers that the document describes one by one; its introduction describes those of nearly every response. */
export const headers = {
  'X-Page': header('Number of this page', COUNT),
  'X-Per-Page': header('Records on a page', COUNT),
  'X-Total': header('Number of records in all', COUNT),
  'X-Total-Pages': header('Number of pages in all', COUNT),
  Link: header('Other pages (RFC 8288), where there are any', TEXT, false),
  'Content-Language': header('Languages of the names, where lang is given', TEXT, false),
  'Repr-Digest': header('Digest of the body as it is sent (RFC 9530)', TEXT, false),
} satisfies Readonly<Record<string, Json>>

type HeaderName = keyof typeof headers

const PAGE_HEADERS = ['X-Page', 'X-Per-Page', 'X-Total', 'X-Total-Pages', 'Link'] as const
/** The name under which the lists of an entity share their response. */
const pageOf = (entity: Entity) => `${pascalCase(entity.plural)}Page`

const languageHeader = (entity: Entity): HeaderName[] => (languagesOf(entity).length === 0 ? [] : ['Content-Language'])

export function operationsOf(catalog: Catalog): Operation[] {
  const entities = [...catalog.entities.values()]
  const below = entities.flatMap((parent) => descendantsOf(catalog, parent).map((child) => placeBelow(parent, child)))
  return [
    ...otherOperations(catalog),
    ...entities.map((entity) => listOperation(ownPlace(entity))),
    ...below.map(listOperation),
    ...entities.map(recordOperation),
    ...entities.map((entity) => bulkOperation(ownPlace(entity))),
    ...entities.flatMap(placesAround).flatMap((place) => [listOperation(place), bulkOperation(place)]),
    ...below.map(bulkOperation),
    ...v1Operations(catalog),
  ]
}

/** Where a list of records is: by itself, or below or around a record that the path names. */
type Place = {
  readonly entity: Entity
  readonly path: string
  /** What is added to the names of its operations. */
  readonly suffix: string
  readonly inPages: string
  readonly all: string
  /** The entity of the record that the path names. */
  readonly named?: Entity
}

const ownPlace = (entity: Entity): Place => ({
  entity,
  path: `${V2_PATH}/${entity.plural}`,
  suffix: '',
  inPages: `${entity.title}, in pages`,
  all: `All ${entity.title.toLowerCase()}`,
})

function placeBelow(parent: Entity, entity: Entity): Place {
  const where = `below one of the ${parent.title.toLowerCase()}`
  return {
    entity,
    path: childrenTemplate(parent, entity),
    suffix: `Of${pascalCase(parent.name)}`,
    inPages: `${entity.title} ${where}, in pages`,
    all: `All ${entity.title.toLowerCase()} ${where}`,
    named: parent,
  }
}

/** The lists around one record of a tree. */
const placesAround = (entity: Entity): Place[] =>
  treeTemplates(entity).map(([axis, path]) => {
    const what = `${entity.title}: the ${axis} of one`
    const suffix = pascalCase(axis)
    return { entity, path, suffix, inPages: `${what}, in pages`, all: `${what}, all of them`, named: entity }
  })

/** The values in the path of a record. */
const keyInPath = (entity: Entity): Json[] =>
  recordVariables(entity).map(([name, { field, numeric }]) => ({
    name,
    description: `${field.description}; with by=code its official code`,
    schema: numeric ? { type: ['integer', 'string'] } : NOT_EMPTY,
  }))

const recordsOf = ({ entity, named }: Place) => ({
  package: entity.package,
  inPath: named === undefined ? [] : keyInPath(named),
  schema: listOf(recordRef(entity)),
})
const namedProblems = ({ named }: Place): ProblemKind[] => (named === undefined ? [] : ['record-not-found'])

const listOperation = (place: Place): Operation => ({
  ...recordsOf(place),
  path: place.path,
  id: `list${pascalCase(place.entity.plural)}${place.suffix}`,
  tag: 'Lists',
  summary: place.inPages,
  description: 'Filtered, searched and sorted.',
  inQuery: (place.named === undefined ? listParameters : childListParameters)(place.entity),
  headers: [...PAGE_HEADERS, ...languageHeader(place.entity)],
  sharedAs: pageOf(place.entity),
  problems: ['page-beyond-last', 'release-gone', ...namedProblems(place)],
})

const bulkOperation = (place: Place): Operation => ({
  ...recordsOf(place),
  path: bulkTemplate(place.path),
  id: `all${pascalCase(place.entity.plural)}${place.suffix}`,
  tag: 'Bulk',
  summary: place.all,
  description: 'Filtered, searched and sorted. Range and If-Range resume an interrupted download (206).',
  inQuery: (place.named === undefined ? bulkParameters : childBulkParameters)(place.entity),
  headers: ['X-Total', 'Repr-Digest', ...languageHeader(place.entity)],
  sharedAs: `All${pascalCase(place.entity.plural)}`,
  problems: ['release-gone', 'range-not-satisfiable', ...namedProblems(place)],
})

const recordOperation = (entity: Entity): Operation => ({
  path: recordTemplate(entity),
  id: `get${pascalCase(entity.name)}`,
  tag: 'Records',
  package: entity.package,
  summary: `One of the ${entity.title.toLowerCase()}`,
  description: 'By its identifier, or by its official code.',
  inPath: keyInPath(entity),
  inQuery: recordParameters(entity),
  headers: languageHeader(entity),
  schema: recordRef(entity),
  problems: ['record-not-found', 'release-gone'],
})

/** An operation on a release that the path names. */
const ofRelease = (operation: Omit<Operation, 'tag'>): Operation => ({
  tag: 'Releases',
  inPath: [{ name: 'digest', description: 'its digest, or the beginning of it', schema: RELEASE.schema }],
  problems: ['not-found', 'release-gone'],
  ...operation,
})

const otherOperations = (catalog: Catalog): Operation[] => [
  {
    path: V2_PATH,
    id: 'describeApi',
    tag: 'Overview',
    summary: 'The collections of API v2 with their fields and filters',
    description: 'Everything that a client needs to find its way, and the release that it reads.',
    inQuery: describeParameters,
    schema: schemaRef('ApiDescription'),
    problems: ['release-gone'],
  },
  {
    path: OPENAPI_PATH,
    id: 'getOpenapi',
    tag: 'Overview',
    summary: 'This document',
    description: 'OpenAPI 3.1 of both versions of the API.',
    schema: { type: 'object' },
  },
  {
    path: `${V2_PATH}/search`,
    id: 'search',
    tag: 'Search',
    summary: 'Suggestions from all collections, the best first',
    description: 'For someone who is typing: each suggestion has its collection, its ancestors and what matches.',
    inQuery: searchParameters(catalog),
    schema: listOf(schemaRef('Suggestion')),
    problems: ['release-gone'],
  },
  {
    path: RESOLVE_PATH,
    id: 'resolve',
    tag: 'Search',
    summary: 'The records that rows of a table mean, and how sure that is',
    description: 'Rows of free text, or the parts of one row.',
    inQuery: resolveParameters(catalog),
    schema: listOf(schemaRef('ResolvedRow')),
    problems: ['release-gone'],
  },
  {
    path: RESOLVE_PATH,
    method: 'post',
    id: 'resolveRows',
    tag: 'Search',
    summary: `The same for up to ${MAX_ROWS} rows`,
    description: 'The response is sent while the rows are resolved.',
    inQuery: resolveBodyParameters(catalog),
    requestBody: {
      required: true,
      description:
        'Also lines of JSON (application/x-ndjson), or a table (text/csv) with a header of parts, or of q alone.',
      content: {
        'application/json': {
          schema: { ...listOf(schemaRef('RowToResolve')), minItems: 1, maxItems: MAX_ROWS },
        },
      },
    },
    hasValidator: false,
    schema: listOf(schemaRef('ResolvedRow')),
    problems: ['release-gone', 'bad-body', 'bad-row'],
  },
  {
    path: `${V2_PATH}/releases`,
    id: 'listReleases',
    tag: 'Releases',
    summary: 'The releases that can be read, newest first',
    description: 'A release is named by its digest and never changes.',
    schema: listOf(schemaRef('ReleaseSummary')),
  },
  ofRelease({
    path: releaseTemplate,
    id: 'getRelease',
    summary: 'One release: its source, and what is unexpected in it',
    description: 'As in the list of releases, with the source in detail.',
    schema: schemaRef('Release'),
  }),
  ofRelease({
    path: releasePartTemplate('manifest'),
    id: 'getReleaseManifest',
    summary: 'Everything that makes a release what it is, but for its records',
    description:
      'Checksums, definitions, aliases and where it came from: what a mirror needs to have the same release.',
    schema: schemaRef('ReleaseManifest'),
  }),
  ofRelease({
    path: releasePartTemplate('checksums'),
    id: 'getReleaseChecksums',
    summary: 'The checksums of a release, which are what is signed',
    description: 'A line for each entity with the SHA-256 of its records. The SHA-256 of this text is the digest.',
    schema: TEXT,
    mediaType: 'text/plain',
  }),
  ofRelease({
    path: releasePartTemplate('signature'),
    id: 'getReleaseSignature',
    summary: 'The signature of a release',
    description: 'Of its checksums, in the format of minisign.',
    schema: TEXT,
    mediaType: 'text/plain',
    problems: ['not-found', 'not-signed', 'release-gone'],
  }),
  {
    path: `${V2_PATH}/changes`,
    id: 'changes',
    tag: 'Releases',
    summary: 'What changed from one release to another',
    description:
      'For clients that keep a copy. After a 410 they take everything again. Where the two releases number a collection ' +
      'otherwise, all of its records are removed, and then all of now added.',
    inQuery: changesParameters(catalog),
    headers: ['Repr-Digest'],
    schema: schemaRef('Changes'),
    problems: ['release-gone', 'range-not-satisfiable'],
  },
]

/** The page of API v1 is that of API v2. */
const V1_FORMAT = choice('format', 'Both give JSON', FORMATS, undefined, { of: 'v1' })
const v1Parameters: ParameterTable = new Map<string, Parameter>([
  [PAGE.name, { ...PAGE, of: 'v1' }],
  [V1_FORMAT.name, V1_FORMAT],
])

const v1Operations = (catalog: Catalog): Operation[] => [
  {
    path: V1_PATH,
    id: 'listCollectionsV1',
    tag: 'API v1',
    summary: 'The collections of API v1',
    description: 'The URL of each, by name.',
    hasValidator: false,
    schema: schemaRef('CollectionsV1'),
  },
  ...v1Collections(catalog).map(
    ({ name, title, entity }): Operation => ({
      path: v1PathOf({ name }),
      id: `list${pascalCase(name)}V1`,
      tag: 'API v1',
      summary: `${title}, ${PER_PAGE} on a page`,
      description: 'Parameters that are not known are ignored.',
      inQuery: v1Parameters,
      headers: PAGE_HEADERS,
      schema: listOf(recordRef(entityIn(catalog, entity))),
      sharedAs: pageOf(entityIn(catalog, entity)),
      problems: ['page-beyond-last'],
    }),
  ),
]
