// The table of the routes of API v2 whose paths name no list: the path and the parameters of each, by the name of its operation.

import { V2_PATH, V2_SEGMENTS } from '../../base/api-v2.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { OPENAPI_PATH, PROFILE_PATH, RESOLVE_PATH } from '../routes.ts'
import type { ParameterTable } from './parameter.ts'
import {
  changesParameters,
  describeParameters,
  resolveBodyParameters,
  resolveParameters,
  searchParameters,
} from './parameter-definitions.ts'

export type FixedPath = {
  readonly path: string
  /** The default is GET. */
  readonly method?: 'post'
  readonly parameters?: (catalog: Catalog) => ParameterTable
}

const RELEASES_PATH = `${V2_PATH}/${V2_SEGMENTS.releases}`
const RELEASE_PATH = `${RELEASES_PATH}/{digest}`

/** The routes that are read. */
const READ_ROUTES = {
  describeApi: { path: V2_PATH, parameters: () => describeParameters },
  getOpenapi: { path: OPENAPI_PATH },
  search: { path: `${V2_PATH}/${V2_SEGMENTS.search}`, parameters: searchParameters },
  resolve: { path: RESOLVE_PATH, parameters: resolveParameters },
  listReleases: { path: RELEASES_PATH },
  getRelease: { path: RELEASE_PATH },
  getReleaseManifest: { path: `${RELEASE_PATH}/manifest` },
  getReleaseChecksums: { path: `${RELEASE_PATH}/checksums` },
  getReleaseSignature: { path: `${RELEASE_PATH}/signature` },
  changes: { path: `${V2_PATH}/${V2_SEGMENTS.changes}`, parameters: changesParameters },
} as const satisfies Readonly<Record<string, FixedPath>>

/** The routes that the OpenAPI document describes: those, and the one that rows are posted to. */
export const FIXED_ROUTES = {
  ...READ_ROUTES,
  resolveRows: { path: RESOLVE_PATH, method: 'post', parameters: resolveBodyParameters },
} as const satisfies Readonly<Record<string, FixedPath>>

export type ReadRouteName = keyof typeof READ_ROUTES | 'getProfile'

/** The JSON Schema of data packages is loaded by editors, and no part of the document. */
export const READ_PATHS = {
  ...Object.fromEntries(Object.entries(READ_ROUTES).map(([name, { path }]) => [name, path])),
  getProfile: PROFILE_PATH,
} as Readonly<Record<ReadRouteName, string>>
