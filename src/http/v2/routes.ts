// The routes of API v2: which part answers which path.
import { entityByPlural, OPENAPI_PATH, V2_PATH } from '../../catalog/collections.ts'
import { type EntityName, entities, entityNames } from '../../catalog/entities.ts'
import { identifierOf } from '../../catalog/entity.ts'
import { ownerOf, pathTo } from '../../catalog/lineage.ts'
import type { Filter } from '../../find/filter.ts'
import type { HttpRequest, HttpResponse } from '../exchange.ts'
import { isRead, otherMethod, redirected, withoutSlash } from '../methods.ts'
import type { Problem } from '../problem.ts'
import { answerAll } from './bulk.ts'
import { answerChanges } from './changes.ts'
import {
  answerDescription,
  answerRelease,
  answerReleases,
  childrenTemplate,
  parents,
  recordTemplate,
} from './describe.ts'
import { namedBy, positionOf } from './key.ts'
import { answerList } from './list.ts'
import type { OpenReleases } from './open-releases.ts'
import { answerOpenapi } from './openapi/document.ts'
import { BadQuery } from './parameters.ts'
import { answerRecord } from './record.ts'
import { answerSearch } from './search.ts'

type Outcome = HttpResponse | Problem
type Handler = (releases: OpenReleases, request: HttpRequest, baseUrl: string) => Outcome | Promise<Outcome>

const collectionPaths = entityNames.map((name) => `${V2_PATH}/${entities[name].plural}`)

/** Every path there is, with its variable parts in braces. */
export const v2Paths: readonly string[] = [
  V2_PATH,
  ...collectionPaths,
  ...collectionPaths.map((path) => `${path}/all`),
  ...entityNames.map((name) => recordTemplate(entities[name])),
  ...parents.flatMap(([above, children]) => children.map((child) => childrenTemplate(above, child))),
  `${V2_PATH}/search`,
  `${V2_PATH}/releases`,
  `${V2_PATH}/releases/{digest}`,
  `${V2_PATH}/changes`,
]

const others: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ['search', answerSearch],
  ['releases', answerReleases],
  ['changes', answerChanges],
])

/** What answers a path; undefined where there is nothing. */
function routeOf(path: string): Handler | undefined {
  if (path === OPENAPI_PATH) return answerOpenapi
  const segments = segmentsOf(path)
  if (segments === undefined) return undefined
  const [first, ...rest] = segments
  if (first === undefined) return answerDescription
  const name = entityByPlural.get(first)
  if (name !== undefined) return collectionRoute(name, rest)
  if (first === 'releases' && rest.length === 1) return releaseRoute(rest[0] as string)
  if (rest.length > 0) return undefined
  return others.get(first)
}

/** The decoded parts of a path below the one of API v2. */
function segmentsOf(path: string): string[] | undefined {
  if (path === V2_PATH) return []
  try {
    const segments = path.slice(V2_PATH.length + 1).split('/')
    if (segments.includes('')) return undefined
    return path.includes('%') ? segments.map(decodeURIComponent) : segments
  } catch {
    return undefined
  }
}

function collectionRoute(name: EntityName, [id, below, belowId, ...more]: readonly string[]): Handler | undefined {
  if (more.length > 0) return undefined
  if (id === undefined) return listRoute(name, () => [])
  if (below === undefined)
    return id === 'all' ? (releases, request) => answerAll(releases, name, request) : recordRoute(name, id)
  const child = entityByPlural.get(below)
  if (child === undefined || ownerOf(entities[name]) !== undefined) return undefined
  if (belowId !== undefined) return ownedRoute(name, id, child, belowId)
  const path = pathTo(entities[child], entities[name])
  if (path === undefined) return undefined
  const above = namedBy(entities[name], 'id', id)
  const toAbove = { steps: path.steps, match: 'equals', values: [Number(id)] } as const
  return listRoute(
    child,
    (release) => (above === undefined || positionOf(release, name, above) === undefined ? undefined : [toAbove]),
    name,
  )
}

type Within = (release: Parameters<typeof positionOf>[0]) => readonly Filter[] | undefined

/** The list of an entity; what may be missing is the record that they are below. */
function listRoute(name: EntityName, within: Within, above: EntityName = name): Handler {
  return guarded(above, (releases, request, baseUrl) =>
    answerList(releases, name, ({ release }) => within(release), request, baseUrl),
  )
}

function recordRoute(name: EntityName, id: string): Handler | undefined {
  // Numbered within another: its number alone names no record.
  if (ownerOf(entities[name]) !== undefined) return () => missing(name)
  return guarded(name, (releases, request) =>
    answerRecord(releases, name, (by) => namedBy(entities[name], by, id), request),
  )
}

/** A record that is numbered within another, below that one. */
function ownedRoute(name: EntityName, id: string, child: EntityName, childId: string): Handler | undefined {
  const owner = ownerOf(entities[child])
  if (owner?.entity !== entities[name]) return undefined
  return guarded(child, (releases, request) =>
    answerRecord(
      releases,
      child,
      (by) => {
        const above = namedBy(entities[name], 'id', id)
        const own = namedBy(entities[child], by, childId)
        if (above === undefined || own === undefined) return undefined
        const steps = [owner.field, identifierOf(owner.entity)]
        return [{ steps, match: 'equals', values: [Number(id)] }, ...own]
      },
      request,
    ),
  )
}

const releaseRoute =
  (digest: string): Handler =>
  (releases, request, baseUrl) =>
    answerRelease(releases, digest, request, baseUrl) ?? { kind: 'not-found', known: [`${V2_PATH}/releases/{digest}`] }

type Unguarded = (releases: OpenReleases, request: HttpRequest, baseUrl: string) => Outcome | undefined

const guarded =
  (name: EntityName, handler: Unguarded): Handler =>
  (releases, request, baseUrl) =>
    handler(releases, request, baseUrl) ?? missing(name)

const missing = (name: EntityName): Problem => ({
  kind: 'record-not-found',
  what: `${name} at this path`,
  hint: `Records are at ${recordTemplate(entities[name])}, or by official code with ?by=code.`,
})

/** The answer to a request for a path of API v2; what is wrong with its parameters is a problem too. */
export function answerV2(
  releases: OpenReleases,
  request: HttpRequest,
  baseUrlOf: () => string | Problem,
): Outcome | Promise<Outcome> {
  const handler = routeOf(request.path)
  const isSlashed = handler === undefined && routeOf(withoutSlash(request.path)) !== undefined
  if (handler === undefined && !isSlashed) return { kind: 'not-found', known: v2Paths }
  if (!isRead(request)) return otherMethod(request)
  if (handler === undefined) return redirected(request)
  const baseUrl = baseUrlOf()
  if (typeof baseUrl !== 'string') return baseUrl
  try {
    const outcome = handler(releases, request, baseUrl)
    return outcome instanceof Promise ? outcome.catch(problemOf) : outcome
  } catch (error) {
    return problemOf(error)
  }
}

function problemOf(error: unknown): Problem {
  if (error instanceof BadQuery) return error.problem
  throw error
}
