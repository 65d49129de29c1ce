// The explorer as a reader of API v2: requests it within the process, and gives what it responds.
import type { Catalog } from '../catalog/catalog.ts'
import { type Entity, hasCoordinates } from '../catalog/entity.ts'
import type { PublishedRecord } from '../catalog/flatten.ts'
import type { HttpRequest } from '../http/exchange.ts'
import { ProblemError } from '../http/problem.ts'
import { OPENAPI_PATH, V2_PATH } from '../http/routes.ts'
import { respondV2, type V2Context } from '../http/v2/pipeline.ts'
import { type ListRequest, parseQuery, parseRequest } from '../http/v2/request.ts'
import { wholeCodeOf } from '../query/search/codes.ts'
import type { Release } from '../release/release.ts'
import { type ChangeSummary, summarizeChanges } from './change-summary.ts'
import { type DotGrid, dotGrid } from './dot-grid.ts'
import { type Facet, facetOf, facetParameters, knownFacts } from './facets.ts'
import { apiCollectionPath, type Pairs, withQuery } from './links.ts'
import { type Bounds, boundsOf, groupHues, type MapGroups, mapGroups } from './map-points.ts'

/** A record as API v2 gives it with facts: what is not known is null. */
export type ReadRecord = { readonly [field: string]: string | number | null | PublishedRecord }

export type ReadList = {
  readonly records: readonly ReadRecord[]
  readonly total: number
  readonly page: number
  readonly perPage: number
  readonly totalPages: number
}

export type Suggestion = {
  readonly collection: string
  readonly key: Readonly<Record<string, string | number>>
  readonly name: string
  readonly breadcrumb: readonly string[]
  readonly matches: readonly { readonly field: string; readonly ranges: readonly (readonly [number, number])[] }[]
}

export type ReleaseSummary = {
  readonly digest: string
  readonly built: string
  readonly current: boolean
  readonly source: string
  readonly synthetic: boolean
  readonly counts: Readonly<Record<string, number>>
  readonly bytes: number
}

export type ReleaseDetails = Omit<ReleaseSummary, 'source'> & {
  readonly source: {
    readonly title: string
    readonly credits: readonly { readonly to: string; readonly of: readonly string[] }[]
  }
  readonly findings: readonly {
    readonly kind: string
    readonly says: string
    readonly count: number
    readonly examples: readonly string[]
  }[]
  readonly versions: { readonly nomenclator: string; readonly bun: string }
}

/** What a map shows: where, how many points, and what they are coloured by. */
export type MapFrame = {
  readonly bounds: Bounds
  readonly points: number
  readonly groups: MapGroups | undefined
  /** The hue of every group, in degrees. */
  readonly hues: readonly number[]
}

const NO_HEADERS: HttpRequest['headers'] = new Map()
const decoder = new TextDecoder()

export class ApiReader {
  readonly #context: V2Context
  readonly release: Release
  /** What names the release in a request; nothing for the current one. */
  readonly #named: Pairs

  constructor(context: V2Context, releasePrefix: string | undefined) {
    this.#context = context
    const { releases } = context
    this.release = releasePrefix === undefined ? releases.current : releases.find('release', releasePrefix)
    this.#named = this.isCurrent ? [] : [['release', this.release.digest]]
  }

  get isCurrent(): boolean {
    return this.release.digest === this.#context.releases.current.digest
  }

  get catalog(): Catalog {
    return this.release.catalog
  }

  count(entity: Entity): number {
    return this.release.entity(entity.name).count
  }

  list(path: string, pairs: Pairs): ReadList {
    const { head, value } = this.#get(path, [...pairs, ...this.#named])
    const header = (name: string) => Number(new RegExp(`^${name}: ([0-9]+)`, 'm').exec(head)?.[1])
    return {
      records: value as ReadRecord[],
      total: header('X-Total'),
      page: header('X-Page'),
      perPage: header('X-Per-Page'),
      totalPages: header('X-Total-Pages'),
    }
  }

  record(path: string, pairs: Pairs = []): ReadRecord {
    return this.#get(path, [...pairs, ...this.#named]).value as ReadRecord
  }

  /** The record in another release; undefined where it is not there. */
  recordIn(digest: string, path: string): ReadRecord | undefined {
    try {
      const pairs = [
        ['facts', 'true'],
        ['release', digest],
      ] as const
      return this.#get(path, pairs).value as ReadRecord
    } catch (error) {
      if (error instanceof ProblemError && MISSING.has(error.problem.kind)) return undefined
      throw error
    }
  }

  search(pairs: Pairs): readonly Suggestion[] {
    return this.#get(`${V2_PATH}/search`, [...pairs, ...this.#named]).value as Suggestion[]
  }

  /** Newest first. */
  releases(): readonly ReleaseSummary[] {
    return this.#get(`${V2_PATH}/releases`, []).value as ReleaseSummary[]
  }

  releaseDetails(digest: string): ReleaseDetails {
    return this.#get(`${V2_PATH}/releases/${encodeURIComponent(digest)}`, []).value as ReleaseDetails
  }

  openapi(): unknown {
    return this.#get(OPENAPI_PATH, []).value
  }

  changes(from: string, to: string): Promise<readonly ChangeSummary[]> {
    return summarizeChanges(this.#context.releases.find('from', from), this.#context.releases.find('to', to))
  }

  /** The facets of a list, each with as many values as are worth showing. */
  facets(entity: Entity, pairs: Pairs, max: number): Facet[] {
    const request = this.#listRequest(entity, pairs)
    return facetParameters(this.release, entity).map((parameter) => facetOf(this.release, request, parameter, max))
  }

  /** One facet of a list, with all of its values. */
  facet(entity: Entity, pairs: Pairs, parameter: string): Facet {
    return facetOf(this.release, this.#listRequest(entity, pairs), parameter, Number.MAX_SAFE_INTEGER)
  }

  /** How many records of a list each parent has, by its identifier. */
  countsBy(entity: Entity, pairs: Pairs, parameter: string): ReadonlyMap<string, number> {
    const { values } = this.facet(entity, pairs, parameter)
    return new Map(values.map(({ value, count }) => [value, count]))
  }

  #listRequest(entity: Entity, pairs: Pairs): ListRequest {
    const route = { kind: 'list', entity, parent: undefined } as const
    return parseRequest(route, parseQuery(withQuery('', pairs).slice(1)), NO_HEADERS, this.release) as ListRequest
  }

  /** Where the records of an entity are; undefined where no coordinates are known. */
  dotGrid(entity: Entity): DotGrid | undefined {
    return dotGrid(this.release, entity)
  }

  /** The map of an entity; undefined where no coordinates are known. */
  map(entity: Entity): MapFrame | undefined {
    const open = this.release.entity(entity.name)
    const bounds = hasCoordinates(entity) ? boundsOf(open) : undefined
    if (bounds === undefined) return undefined
    return {
      bounds,
      points: open.index.points.positions.length,
      groups: mapGroups(this.release, entity),
      hues: groupHues(this.release, entity),
    }
  }

  knownFacts(entity: Entity): readonly string[] {
    return knownFacts(this.release, entity)
  }

  /** The parts of the whole official code of a record; undefined where it has none. */
  wholeCode(entity: Entity, record: PublishedRecord): string[] | undefined {
    return wholeCodeOf(this.release, entity, record)
  }

  /** How many records a list has. */
  total(entity: Entity, pairs: Pairs): number {
    const none: Pairs = [
      ['per_page', '1'],
      ['fields', entity.key.at(-1) as string],
    ]
    return this.list(apiCollectionPath(entity), [...pairs, ...none]).total
  }

  #get(path: string, pairs: Pairs): { readonly head: string; readonly value: unknown } {
    const request = { method: 'GET', path, query: withQuery('', pairs).slice(1), headers: NO_HEADERS }
    const response = respondV2(this.#context, request)
    if (response instanceof Promise || !(response.body instanceof Uint8Array))
      throw new Error(`${path} has no response that can be read at once`)
    return { head: response.head, value: JSON.parse(decoder.decode(response.body)) }
  }
}

/** A release may have gone meanwhile, and an earlier one may not have had the collection. */
const MISSING: ReadonlySet<string> = new Set(['record-not-found', 'not-found', 'release-gone'])
