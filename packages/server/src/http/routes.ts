// The table of routes: the path of each surface of the service, its largest body, the label of its requests in metrics, what they
// cost, and whether its problems are pages. Everything that depends on a path is looked up here.
import { V1_PATH } from '../base/api-v1.ts'
import { V2_PATH, V2_SEGMENTS } from '../base/api-v2.ts'
import { MAX_FORM_BYTES, MAX_ROWS_BYTES } from './bodies/body-limits.ts'
import { MUCH } from './cost.ts'
import { ALLOW, COMMON_HEADERS, type Headers, type HttpRequest } from './exchange.ts'
import { NO_SNIFFING } from './header-fields.ts'

export const RESOLVE_PATH: string = `${V2_PATH}/${V2_SEGMENTS.resolve}`
export const OPENAPI_PATH = '/api/openapi.json'
/** The path of the JSON Schema of data packages, for editors. */
export const PROFILE_PATH = '/api/profile.json'
/** The path of the Reconciliation Service API. */
export const RECONCILE_PATH = '/reconcile'
/** The path of INEGI's web service of geostatistical codes, as programs call it. */
export const WSCATGEO_PATH = '/wscatgeo'
/** The path at which a home is served as a shelf that other nodes follow. */
export const SHELF_PATH = '/shelf'
/** The paths of pages for people. */
export const PAGE_PATHS = {
  home: '/',
  explore: '/explore',
  releases: '/releases',
  docs: '/docs',
  map: '/map',
  picker: '/picker',
  resolve: '/resolve',
  assets: '/assets',
} as const

/** The labels of requests in metrics: a closed set, because a client can invent paths without end. */
export const ROUTE_LABELS = [
  'v1 page',
  'v1 index',
  'v2 list',
  'v2 record',
  'v2 search',
  'v2 resolve',
  'v2 bulk',
  'v2 changes',
  'v2 releases',
  'v2 index',
  'reconcile',
  'wscatgeo',
  'openapi',
  'profile',
  'shelf',
  'home',
  'explorer',
  'map',
  'picker',
  'assets',
  'other',
  'invalid',
] as const
export type RouteLabel = (typeof ROUTE_LABELS)[number]

type Surface = {
  readonly name: 'v1' | 'v2' | 'reconcile' | 'wscatgeo' | 'shelf' | 'pages' | 'none'
  /** True if responses have headers that the frozen API v1 has not: the id of the request, and the rest of a limit. */
  readonly isExtended: boolean
  /** True if its problems are pages for a browser. */
  readonly hasProblemPages: boolean
  /** The cost of a request, where its path alone says what it costs. */
  readonly cost: number | 'parsed'
}

const V1: Surface = { name: 'v1', isExtended: false, hasProblemPages: false, cost: 0 }
const V2: Surface = { name: 'v2', isExtended: true, hasProblemPages: false, cost: 'parsed' }
/** It searches, and its lists have no pages. */
const WSCATGEO: Surface = { name: 'wscatgeo', isExtended: true, hasProblemPages: false, cost: MUCH }
const RECONCILE: Surface = { name: 'reconcile', isExtended: true, hasProblemPages: true, cost: MUCH }
const SHELF: Surface = { name: 'shelf', isExtended: true, hasProblemPages: false, cost: MUCH }
const PAGES: Surface = { name: 'pages', isExtended: false, hasProblemPages: true, cost: MUCH }

/** A path and all paths below it. */
type Route = {
  readonly path: string
  readonly surface: Surface
  readonly label: RouteLabel
  /** Returns the label of requests for a path below it, where that differs. */
  readonly labelBelow?: (rest: string) => RouteLabel
  /** The largest body that is posted to a path, in bytes; all other paths take none. */
  readonly maxBody?: Readonly<Record<string, number>>
}

/** The first route that a path belongs to counts. */
const ROUTES: readonly Route[] = [
  { path: V1_PATH, surface: V1, label: 'v1 index', labelBelow: (rest) => (rest === '' ? 'v1 index' : 'v1 page') },
  { path: `${V2_PATH}/${V2_SEGMENTS.search}`, surface: V2, label: 'v2 search' },
  { path: RESOLVE_PATH, surface: V2, label: 'v2 resolve', maxBody: { [RESOLVE_PATH]: MAX_ROWS_BYTES } },
  { path: `${V2_PATH}/${V2_SEGMENTS.changes}`, surface: V2, label: 'v2 changes' },
  { path: `${V2_PATH}/${V2_SEGMENTS.releases}`, surface: V2, label: 'v2 releases' },
  { path: V2_PATH, surface: V2, label: 'v2 index', labelBelow: collectionLabel },
  { path: OPENAPI_PATH, surface: V2, label: 'openapi' },
  { path: PROFILE_PATH, surface: V2, label: 'profile' },
  {
    path: RECONCILE_PATH,
    surface: RECONCILE,
    label: 'reconcile',
    // People enter the address of the service with or without a slash, and some clients follow no redirect of a POST.
    maxBody: { [RECONCILE_PATH]: MAX_FORM_BYTES, [`${RECONCILE_PATH}/`]: MAX_FORM_BYTES },
  },
  { path: WSCATGEO_PATH, surface: WSCATGEO, label: 'wscatgeo' },
  { path: SHELF_PATH, surface: SHELF, label: 'shelf' },
  { path: PAGE_PATHS.explore, surface: PAGES, label: 'explorer' },
  { path: PAGE_PATHS.releases, surface: PAGES, label: 'explorer' },
  { path: PAGE_PATHS.docs, surface: PAGES, label: 'explorer' },
  { path: PAGE_PATHS.map, surface: PAGES, label: 'map' },
  { path: PAGE_PATHS.picker, surface: PAGES, label: 'picker' },
  { path: PAGE_PATHS.resolve, surface: PAGES, label: 'explorer' },
  { path: PAGE_PATHS.assets, surface: PAGES, label: 'assets' },
  // Requests for something else below /api come from programs.
  { path: '/api', surface: { name: 'none', isExtended: false, hasProblemPages: false, cost: 0 }, label: 'other' },
]
const HOME: Route = { path: PAGE_PATHS.home, surface: PAGES, label: 'home' }
const NOWHERE: Route = {
  path: '',
  surface: { name: 'none', isExtended: false, hasProblemPages: true, cost: MUCH },
  label: 'other',
}

/** Returns the label below a collection of API v2: at most a record, a collection below it, and a record of that. */
function collectionLabel(rest: string): RouteLabel {
  const [first = '', second = '', third = '', fourth = '', ...more] = rest.split('/')
  if (more.length > 0) return 'other'
  if (first === '') return 'v2 index'
  if (fourth === V2_SEGMENTS.all || (second === V2_SEGMENTS.all && third === '')) return 'v2 bulk'
  return second !== '' && (third === '' || fourth !== '') ? 'v2 record' : 'v2 list'
}

const prefixes: readonly string[] = ROUTES.map(({ path }) => `${path}/`)

function routeAt(path: string): Route {
  for (let at = 0; at < ROUTES.length; at++)
    if (path.startsWith(prefixes[at] as string) || path === ROUTES[at]?.path) return ROUTES[at] as Route
  return path === HOME.path ? HOME : NOWHERE
}

/** The surface that a path belongs to, whether or not there is something at it. */
export const surfaceAt = (path: string): Surface => routeAt(path).surface

/** The headers of every response at a path, also of one without a body. */
export const commonHeadersAt = (path: string): Headers =>
  surfaceAt(path).name === 'v1' ? COMMON_HEADERS : { ...COMMON_HEADERS, ...NO_SNIFFING }

/** Returns the label of requests for a path, whether or not there is something at it. */
export function routeLabelAt(path: string): RouteLabel {
  const { path: start, label, labelBelow } = routeAt(path)
  return labelBelow === undefined || path === start ? label : labelBelow(path.slice(start.length + 1))
}

/** Requests for many rows or queries at a time, for whole collections, and for the changes between them. */
const LONG: ReadonlySet<RouteLabel> = new Set(['v2 resolve', 'reconcile', 'v2 bulk', 'v2 changes'])

/** True if a request may use more processor time than others. */
export const mayTakeLong = ({ path }: HttpRequest): boolean =>
  LONG.has(routeLabelAt(path)) || path === PAGE_PATHS.releases

/** Returns the largest body that is posted to a path, in bytes; undefined if none is read. */
export const maxBodyAt = (path: string): number | undefined => routeAt(path).maxBody?.[path]

/** The methods that are allowed at a path. */
export const allowedAt = (path: string): string => (maxBodyAt(path) === undefined ? ALLOW : `${ALLOW}, POST`)
