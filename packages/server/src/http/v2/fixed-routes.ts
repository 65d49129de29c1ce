// The table of the routes of API v2 whose paths name no list: the path of each, and what the OpenAPI document says of it.

import { V2_PATH } from '../../base/api-v2.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { MAX_ROWS } from '../bodies/body-limits.ts'
import type { ProblemKind } from '../problem.ts'
import { OPENAPI_PATH, PROFILE_PATH, RESOLVE_PATH } from '../routes.ts'
import { type Json, listOf, schemaRef, TEXT } from './openapi/schemas.ts'
import type { ParameterTable } from './parameter.ts'
import {
  changesParameters,
  describeParameters,
  resolveBodyParameters,
  resolveParameters,
  searchParameters,
} from './parameter-definitions.ts'

export type Tag = 'Overview' | 'Lists' | 'Records' | 'Bulk' | 'Search' | 'Releases' | 'API v1'

/** A route, and what the OpenAPI document says of it besides what follows from its path and its parameters. */
export type DescribedRoute = {
  readonly path: string
  /** The default is GET. */
  readonly method?: 'post'
  readonly parameters?: (catalog: Catalog) => ParameterTable
  readonly tag: Tag
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

const RELEASE_PATH = `${V2_PATH}/releases/{digest}`

/** The routes that are read, by the names of their operations. */
export const FIXED_ROUTES = {
  describeApi: {
    path: V2_PATH,
    parameters: () => describeParameters,
    tag: 'Overview',
    summary: 'The collections of API v2 with their fields and filters',
    description: 'Everything that a client needs to find its way, and the release that it reads.',
    schema: schemaRef('ApiDescription'),
  },
  getOpenapi: {
    path: OPENAPI_PATH,
    tag: 'Overview',
    summary: 'This document',
    description: 'OpenAPI 3.1 of both versions of the API.',
    schema: { type: 'object' },
  },
  search: {
    path: `${V2_PATH}/search`,
    parameters: searchParameters,
    tag: 'Search',
    summary: 'Suggestions from all collections, the best first',
    description: 'For someone who is typing: each suggestion has its collection, its ancestors and what matches.',
    schema: listOf(schemaRef('Suggestion')),
  },
  resolve: {
    path: RESOLVE_PATH,
    parameters: resolveParameters,
    tag: 'Search',
    summary: 'The records that rows of a table mean, and how sure that is',
    description: 'Rows of free text, or the parts of one row.',
    schema: listOf(schemaRef('ResolvedRow')),
  },
  listReleases: {
    path: `${V2_PATH}/releases`,
    tag: 'Releases',
    summary: 'The releases that can be read, newest first',
    description: 'A release is named by its digest and never changes.',
    schema: listOf(schemaRef('ReleaseSummary')),
  },
  getRelease: {
    path: RELEASE_PATH,
    tag: 'Releases',
    summary: 'One release: its source, and what is unexpected in it',
    description: 'As in the list of releases, with the source in detail.',
    schema: schemaRef('Release'),
  },
  getReleaseManifest: {
    path: `${RELEASE_PATH}/manifest`,
    tag: 'Releases',
    summary: 'Everything that makes a release what it is, but for its records',
    description:
      'Checksums, definitions, aliases and where it came from: what a mirror needs to have the same release.',
    schema: schemaRef('ReleaseManifest'),
  },
  getReleaseChecksums: {
    path: `${RELEASE_PATH}/checksums`,
    tag: 'Releases',
    summary: 'The checksums of a release, which are what is signed',
    description: 'A line for each entity with the SHA-256 of its records. The SHA-256 of this text is the digest.',
    schema: TEXT,
    mediaType: 'text/plain',
  },
  getReleaseSignature: {
    path: `${RELEASE_PATH}/signature`,
    tag: 'Releases',
    summary: 'The signature of a release',
    description: 'Of its checksums, in the format of minisign.',
    schema: TEXT,
    mediaType: 'text/plain',
    problems: ['not-signed'],
  },
  changes: {
    path: `${V2_PATH}/changes`,
    parameters: changesParameters,
    tag: 'Releases',
    summary: 'What changed from one release to another',
    description:
      'For clients that keep a copy. After a 410 they take everything again. Where the two releases number a collection ' +
      'otherwise, all of its records are removed, and then all of now added.',
    schema: schemaRef('Changes'),
    hasRanges: true,
  },
} as const satisfies Readonly<Record<string, DescribedRoute>>

/** The route that rows are posted to. */
export const ROWS_ROUTE: DescribedRoute = {
  path: RESOLVE_PATH,
  method: 'post',
  parameters: resolveBodyParameters,
  tag: 'Search',
  summary: `The same for up to ${MAX_ROWS} rows`,
  description: 'The response is sent while the rows are resolved.',
  requestBody: {
    required: true,
    description:
      'Also lines of JSON (application/x-ndjson), or a table (text/csv) with a header of parts, or of q alone.',
    content: {
      'application/json': { schema: { ...listOf(schemaRef('RowToResolve')), minItems: 1, maxItems: MAX_ROWS } },
    },
  },
  hasValidator: false,
  schema: listOf(schemaRef('ResolvedRow')),
  problems: ['bad-body', 'bad-row'],
}

/** The JSON Schema of data packages is loaded by editors, and no part of the document. */
export const READ_PATHS = {
  ...Object.fromEntries(Object.entries(FIXED_ROUTES).map(([name, { path }]) => [name, path])),
  getProfile: PROFILE_PATH,
} as Readonly<Record<ReadRouteName, string>>

export type ReadRouteName = keyof typeof FIXED_ROUTES | 'getProfile'
