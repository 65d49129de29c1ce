// The explorer: pages for people over API v2. The way of a request: its page, its language, its release, HTML, response.
import type { Entity } from '../catalog/entity.ts'
import { emptyResponse, type Headers, type HttpRequest, type HttpResponse, isRead } from '../http/exchange.ts'
import { attachment, NO_SNIFFING } from '../http/header-fields.ts'
import type { Html } from '../http/html.ts'
import { otherMethod, redirected } from '../http/methods.ts'
import { type Problem, ProblemError, presentationOf } from '../http/problem.ts'
import type { V2Context } from '../http/v2/context.ts'
import { percentDecoded } from '../http/v2/key-text.ts'
import { parseQuery, type QueryPairs } from '../http/v2/request/query-string.ts'
import type { Release } from '../release/release.ts'
import { ApiReader } from './api-reader.ts'
import { ASSETS_PATH, assetResponse } from './assets.ts'
import { isLanguage, languageOf, requestedLanguage } from './language.ts'
import { rendered } from './layout.ts'
import {
  DOCS_PATH,
  EXPLORE_PATH,
  LANGUAGE_PARAMETER,
  MAP_PATH,
  PICKER_FORM_PATH,
  PICKER_PATH,
  RELEASE_PARAMETER,
  RELEASES_PATH,
  RESERVED_PARAMETERS,
  RESOLVER_PATH,
  TREE_PATH,
  withQuery,
} from './links.ts'
import { isMapData, respondMapData } from './map-data.ts'
import { collectionPage } from './pages/collection.ts'
import { docsPage, RUN_PATH, resourcePage } from './pages/docs.ts'
import { homePage } from './pages/home.ts'
import { mapPage, placeWithCode } from './pages/map.ts'
import { pickerPage } from './pages/picker.ts'
import { pickerForm } from './pages/picker-form.ts'
import { problemPage } from './pages/problem.ts'
import { recordByCode, recordPage } from './pages/record.ts'
import { releasesPage } from './pages/releases.ts'
import { resolverPage } from './pages/resolver.ts'
import { searchPage } from './pages/search.ts'
import { treePage } from './pages/tree.ts'
import { isPickerFile, respondPickerFile } from './picker-files.ts'
import { runTarget } from './reference.ts'
import { PAGE_VARY, pageResponse } from './response.ts'
import type { Site } from './site.ts'
import { type DownloadLink, type ExplorerPage, parameter, type View } from './view.ts'

type Response = HttpResponse | Promise<HttpResponse>

/** A page, a file to keep, or an address to go to instead. */
type Outcome = ExplorerPage | DownloadLink | { readonly location: string }

type PageRoute = (view: View) => Outcome | Promise<Outcome>

/** The context of pages: that of API v2, and the site that they belong to. */
type PageContext = V2Context & { readonly site: Site | undefined }

export function respondExplorer(context: PageContext, request: HttpRequest): Response {
  if (request.path.startsWith(ASSETS_PATH)) return respondAsset(context.site, request)
  if (isMapData(request.path)) return respondMapData(context, request)
  if (isPickerFile(request.path)) return respondPickerFile(context, request)
  const { pairs } = parseQuery(request.query)
  // Forms send what was left empty, too: the address to share is the one without.
  const filled = pairs.filter(([, value]) => value !== '')
  const route = routeAt(context.releases.current, request.path)
  if (route === undefined) throw new ProblemError({ kind: 'not-found', known: ['/', ...PAGES.keys()] })
  if (!isRead(request)) return otherMethod(request)
  if (request.path.endsWith('/') && request.path !== '/') return redirected(request)
  if (filled.length < pairs.length && request.path !== RUN_PATH) return goTo(withQuery(request.path, filled))
  const view = viewOf(context, request, filled)
  const outcome = route(view)
  return outcome instanceof Promise
    ? outcome.then((settled) => outcomeResponse(request, view, settled))
    : outcomeResponse(request, view, outcome)
}

function outcomeResponse(request: HttpRequest, view: View, outcome: Outcome): HttpResponse {
  if ('location' in outcome) return goTo(outcome.location)
  if ('main' in outcome) return respondPage(request, view, rendered(view, outcome))
  return respondPage(request, view, outcome.html, attachment(outcome.fileName))
}

const respondPage = (request: HttpRequest, view: View, html: Html, headers: Headers = {}): HttpResponse =>
  pageResponse(request, {
    status: 200,
    language: view.language.code,
    isLanguageNamed: parameter(view.carried, LANGUAGE_PARAMETER) !== undefined,
    html,
    headers,
  })

const goTo = (location: string): HttpResponse =>
  emptyResponse(303, { ...NO_SNIFFING, Location: location, Vary: PAGE_VARY, 'Cache-Control': 'no-store' })

function respondAsset(site: Site | undefined, request: HttpRequest): HttpResponse {
  const response = assetResponse(site, request)
  if (response === undefined) throw new ProblemError({ kind: 'not-found', known: [ASSETS_PATH] })
  return isRead(request) ? response : otherMethod(request)
}

const PAGES: ReadonlyMap<string, PageRoute> = new Map<string, PageRoute>([
  [EXPLORE_PATH, searchPage],
  [TREE_PATH, treePage],
  [MAP_PATH, (view) => mapPage(view)],
  [PICKER_PATH, pickerPage],
  [PICKER_FORM_PATH, pickerForm],
  [RESOLVER_PATH, resolverPage],
  [RELEASES_PATH, releasesPage],
  [DOCS_PATH, docsPage],
  [RUN_PATH, ({ api, pairs }) => ({ location: runTarget(api, pairs) })],
])

/** The page at a path, with or without a slash after it. */
function routeAt({ catalog }: Release, path: string): PageRoute | undefined {
  if (path === '/') return homePage
  const trimmed = path.endsWith('/') ? path.slice(0, -1) : path
  const fixed = PAGES.get(trimmed)
  if (fixed !== undefined) return fixed
  const [, first, named = '', key, ...more] = trimmed.split('/')
  const plural = percentDecoded(named) ?? ''
  if (`/${first}` === DOCS_PATH && key === undefined) return resourcePage(catalog, plural)
  if (more.length > 0 || !catalog.collections.has(plural) || key === '') return undefined
  if (`/${first}` === MAP_PATH && key === undefined) return withCodes(plural, mapPage, placeWithCode)
  if (`/${first}` !== EXPLORE_PATH) return undefined
  return key === undefined ? withCodes(plural, collectionPage, recordByCode) : recordRoute(plural, key)
}

type AddressByCode = (view: View, entity: Entity, code: string) => string | undefined

/** The page of a list; where no more than one is found and a record has what was searched for as its official code, that of the record. */
const withCodes =
  (plural: string, page: (view: View, entity: Entity) => ExplorerPage, addressOf: AddressByCode): PageRoute =>
  (view) => {
    const entity = entityNamed(view, plural)
    const query = parameter(view.pairs, 'q')
    if (query === undefined || view.api.total(entity, [['q', query]]) > 1) return page(view, entity)
    const location = addressOf(view, entity, encodeURIComponent(query.trim()))
    return location === undefined ? page(view, entity) : { location }
  }

/** The key is as it stands in the path: it may have encoded signs that separate its parts. */
const recordRoute =
  (plural: string, key: string): PageRoute =>
  (view) => {
    const entity = entityNamed(view, plural)
    const location = recordByCode(view, entity, key)
    return location === undefined ? recordPage(view, entity, key) : { location }
  }

/** The entity as the release that is read defines it. */
function entityNamed({ api }: View, plural: string): Entity {
  const entity = api.catalog.collections.get(plural)
  if (entity === undefined) throw new ProblemError({ kind: 'not-found', known: [...api.catalog.collections.keys()] })
  return entity
}

function viewOf(context: PageContext, { path, headers }: HttpRequest, pairs: QueryPairs): View {
  const named = parameter(pairs, LANGUAGE_PARAMETER)
  const language = languageOf(requestedLanguage(named, headers))
  const baseUrl = context.baseUrlOf()
  return {
    language,
    words: language.words,
    site: context.site,
    api: new ApiReader(context, parameter(pairs, RELEASE_PARAMETER), language),
    baseUrl,
    path,
    pairs: pairs.filter(([name]) => !RESERVED_PARAMETERS.includes(name)),
    carried: pairs.filter(
      ([name, value]) => RESERVED_PARAMETERS.includes(name) && (name !== LANGUAGE_PARAMETER || isLanguage(value)),
    ),
  }
}

/** A problem as a page. What the address asks for may be the problem, so the page shows the current release. */
export function respondProblemPage(context: PageContext, request: HttpRequest, problem: Problem): HttpResponse {
  const { status, detail, headers = {} } = presentationOf(problem, request.path)
  const languagePairs = pairsOf(request).filter(([name]) => name === LANGUAGE_PARAMETER)
  const baseUrlOf = () => (problem.kind === 'bad-host' ? '' : context.baseUrlOf())
  const view = { ...viewOf({ ...context, baseUrlOf }, request, languagePairs), pairs: pairsOf(request) }
  const page = problemPage(view, problem, status, detail)
  return pageResponse(request, {
    status,
    language: view.language.code,
    isLanguageNamed: false,
    html: rendered(view, page),
    headers,
  })
}

/** The parameters of an address; none where its query cannot be read. */
function pairsOf({ query }: HttpRequest): QueryPairs {
  try {
    return parseQuery(query).pairs
  } catch {
    return []
  }
}
