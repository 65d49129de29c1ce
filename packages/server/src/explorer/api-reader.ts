// The explorer as a reader of API v2: the same parsers, finders and limits, as values instead of responses.
import { memoized } from '../base/memoized.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { type Entity, hasCoordinates } from '../catalog/entity.ts'
import type { PublishedRecord } from '../catalog/flatten.ts'
import { ownerOf } from '../catalog/lineage.ts'
import { keyPathsOf } from '../catalog/paths.ts'
import type { RequestHeaders } from '../http/exchange.ts'
import { ProblemError } from '../http/problem.ts'
import type { V2Context } from '../http/v2/context.ts'
import { describeRelease, describeReleases } from '../http/v2/describe.ts'
import { findPage, type ListPage, recordJsons } from '../http/v2/find.ts'
import { keyNamed } from '../http/v2/key-text.ts'
import { openapiDocument } from '../http/v2/openapi/document.ts'
import { findRecord, positionNamed } from '../http/v2/record-key.ts'
import { recordRoute } from '../http/v2/record-paths.ts'
import type { QueryPairs, RawQuery } from '../http/v2/request/query-string.ts'
import {
  type ListRequest,
  parseListRequest,
  parseRecordRequest,
  type RecordRequest,
} from '../http/v2/request/records-request.ts'
import { parseSearchRequest } from '../http/v2/request/search-request.ts'
import { type RenderedSuggestion, searchSuggestions } from '../http/v2/suggestions.ts'
import { selectedRecords } from '../query/formats/json.ts'
import { nameReplacer } from '../query/formats/shown-names.ts'
import { recordsCoded } from '../release/aliases.ts'
import { isRenumbered, type RecordChange } from '../release/diff.ts'
import { knownFacts } from '../release/facts.ts'
import type { Release } from '../release/release.ts'
import { type ChangeSummary, changesOnPage, summarizeChanges } from './change-summary.ts'
import { type DotGrid, dotGrid } from './dot-grid.ts'
import { type Facet, facetOf, facetParameters } from './facets.ts'
import { type Forest, forestOf } from './forest.ts'
import { type Histogram, histogramFields, histogramOf, sumOf } from './histograms.ts'
import type { PageLanguage } from './language.ts'
import { type Bounds, boundsOf, groupHues, type MapGroups, mapGroups } from './map-points.ts'

export type ReadList = ListPage & { readonly records: readonly PublishedRecord[] }

export type ListedRelease = ReturnType<typeof describeReleases>[number]
export type ReleaseDetails = ReturnType<typeof describeRelease>

/** The extent of a map, its number of points, and the groups that give them their colours. */
export type MapFrame = {
  readonly bounds: Bounds
  readonly points: number
  readonly groups: MapGroups | undefined
  /** The hue of every group, in degrees. */
  readonly hues: readonly number[]
}

const NO_HEADERS: RequestHeaders = new Map()

/** The query of a request that names no release: the reader has chosen one. */
const queryOf = (pairs: QueryPairs): RawQuery => ({ pairs, release: undefined })

const entitiesOf = memoized((release: Release): readonly Entity[] =>
  [...release.catalog.entities.values()].filter(({ name }) => release.entity(name).stored !== undefined),
)

export class ApiReader {
  readonly #context: V2Context
  readonly #language: PageLanguage
  readonly release: Release

  /** The language is that in which records are named. */
  constructor(context: V2Context, releasePrefix: string | undefined, language: PageLanguage) {
    this.#context = context
    this.#language = language
    const { releases } = context
    this.release = releasePrefix === undefined ? releases.current : releases.find('release', releasePrefix)
  }

  get isCurrent(): boolean {
    return this.release.digest === this.#context.releases.current.digest
  }

  get catalog(): Catalog {
    return this.release.catalog
  }

  /** The entities that the release has: of those that came with a later version of the program it may lack some. */
  get entities(): readonly Entity[] {
    return entitiesOf(this.release)
  }

  count(entity: Entity): number {
    return this.release.entity(entity.name).count
  }

  list(entity: Entity, pairs: QueryPairs): ReadList {
    const request = listRequest(entity, pairs)
    const { page, positions } = findPage(this.release, request)
    return { ...page, records: readRecords(this.release, request, positions, this.#language) }
  }

  total(entity: Entity, pairs: QueryPairs): number {
    return findPage(this.release, listRequest(entity, pairs)).page.total
  }

  /** A record by the values of its key. */
  record(entity: Entity, segments: readonly string[], pairs: QueryPairs = []): PublishedRecord {
    return readRecord(this.release, entity, segments, pairs, this.#language)
  }

  /** The record with its facts in another release; undefined if that release has no such record or numbers its records differently. */
  recordIn(digest: string, { plural }: Entity, segments: readonly string[]): PublishedRecord | undefined {
    try {
      const release = this.#context.releases.find('release', digest)
      const entity = release.catalog.collections.get(plural)
      if (entity === undefined || keyPathsOf(entity).length !== segments.length) return undefined
      if (isRenumbered(release, this.release, entity.name)) return undefined
      return readRecord(release, entity, segments, [['facts', 'true']], this.#language)
    } catch (error) {
      if (error instanceof ProblemError && MISSING.has(error.problem.kind)) return undefined
      throw error
    }
  }

  search(pairs: QueryPairs): readonly RenderedSuggestion[] {
    const request = parseSearchRequest(queryOf(pairs), this.catalog)
    return searchSuggestions(this.release, request, this.#context.baseUrlOf())
  }

  /** The releases, newest first. */
  releases(): readonly ListedRelease[] {
    const { releases, baseUrlOf } = this.#context
    return describeReleases(releases.list(), releases.current.digest, baseUrlOf())
  }

  /** The release that is read. */
  releaseDetails(): ReleaseDetails {
    const { releases, baseUrlOf } = this.#context
    return describeRelease(this.release.manifest, releases.current.digest, baseUrlOf())
  }

  /** The OpenAPI document, which describes the current release. */
  openapi() {
    const { releases, baseUrlOf } = this.#context
    return openapiDocument(releases.current.catalog, baseUrlOf())
  }

  changes(from: string, to: string): Promise<readonly ChangeSummary[]> {
    const { releases, work } = this.#context
    return summarizeChanges(releases.find('from', from), releases.find('to', to), work)
  }

  /** A page of the changes of one kind of the records of an entity. */
  changesOnPage(
    from: string,
    to: string,
    which: Parameters<typeof changesOnPage>[2],
  ): Promise<readonly RecordChange[]> {
    const { releases, work } = this.#context
    return changesOnPage(releases.find('from', from), releases.find('to', to), which, work)
  }

  /** The facets of a list, each with as many values as are worth showing. */
  facets(entity: Entity, pairs: QueryPairs, max: number): Facet[] {
    const request = listRequest(entity, pairs)
    return facetParameters(this.release, entity).map((parameter) =>
      facetOf(this.release, request, parameter, max, this.#language),
    )
  }

  /** One facet of a list, with all of its values. */
  facet(entity: Entity, pairs: QueryPairs, parameter: string): Facet {
    return facetOf(this.release, listRequest(entity, pairs), parameter, Number.MAX_SAFE_INTEGER, this.#language)
  }

  /** The sum of a number over the records of a list, and the count of records that have it. */
  sum(entity: Entity, pairs: QueryPairs, field: string): { readonly sum: number; readonly known: number } {
    return sumOf(this.release, listRequest(entity, pairs), field)
  }

  /** How the numbers of a list are spread, for each field that has some. */
  histograms(entity: Entity, pairs: QueryPairs): Histogram[] {
    const request = listRequest(entity, pairs)
    return histogramFields(entity).flatMap((field) => histogramOf(this.release, request, field) ?? [])
  }

  /** The number of records of a list under each parent, by the key of the parent. */
  countsBy(entity: Entity, pairs: QueryPairs, parameter: string): ReadonlyMap<string, number> {
    const { values } = this.facet(entity, pairs, parameter)
    return new Map(values.map(({ value, count }) => [value, count]))
  }

  /** The places of the records of an entity; undefined if none has coordinates. */
  dotGrid(entity: Entity): DotGrid | undefined {
    return dotGrid(this.release, entity)
  }

  /** The map of an entity; undefined if no record has coordinates. */
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

  /** The forest that the records of an entity are; undefined if they stand in no tree. */
  forest(entity: Entity): Forest | undefined {
    return forestOf(this.release.entity(entity.name))
  }

  /** The position of a record among those of its entity. */
  positionOf(entity: Entity, segments: readonly string[]): number {
    return findRecord(this.release, recordRequest(entity, segments, []))
  }

  /** The record that has or had an official code, where no record has that as its key. */
  recordWithCode(entity: Entity, code: string): PublishedRecord | undefined {
    const key = keyNamed(entity, code)
    const named = { name: code, key: ownerOf(entity) === undefined ? key : undefined }
    if (positionNamed(this.release, entity, named, 'id') !== undefined) return undefined
    const position =
      positionNamed(this.release, entity, named, 'code') ?? recordsCoded(this.release, entity, code).positions[0]
    return position === undefined ? undefined : this.recordsAt(entity, [position])[0]
  }

  /** The records at some positions, with their facts. */
  recordsAt(entity: Entity, positions: readonly number[]): readonly PublishedRecord[] {
    const request = listRequest(entity, [['facts', 'true']])
    return readRecords(this.release, request, positions, this.#language)
  }

  knownFacts(entity: Entity): readonly string[] {
    return knownFacts(this.release.entity(entity.name))
  }
}

const listRequest = (entity: Entity, pairs: QueryPairs): ListRequest =>
  parseListRequest({ kind: 'list', entity, parent: undefined }, queryOf(pairs), NO_HEADERS)

function recordRequest(entity: Entity, segments: readonly string[], pairs: QueryPairs): RecordRequest {
  const route = recordRoute(entity, segments)
  if (route === undefined) throw new Error(`${segments.join(', ')} cannot be ${entity.name}`)
  return parseRecordRequest(route, queryOf(pairs), NO_HEADERS)
}

function readRecord(
  release: Release,
  entity: Entity,
  segments: readonly string[],
  pairs: QueryPairs,
  language: PageLanguage,
): PublishedRecord {
  const request = recordRequest(entity, segments, pairs)
  return readRecords(release, request, [findRecord(release, request)], language)[0] as PublishedRecord
}

/** The records at some positions, with all of their names in the language. */
function readRecords(
  release: Release,
  request: ListRequest | RecordRequest,
  positions: ArrayLike<number> & Iterable<number>,
  { code }: PageLanguage,
): readonly PublishedRecord[] {
  const { entity, rendition } = request
  const records = selectedRecords(entity, rendition, recordJsons(release, request, positions))
  const addNames = nameReplacer(release, release.entity(entity.name), code, true)
  return addNames === undefined ? records : records.map((record, at) => addNames(record, positions[at] as number))
}

/** Problems that mean here that another release has no such record: it, or the release, is gone. All others are thrown on. */
const MISSING: ReadonlySet<string> = new Set(['record-not-found', 'release-gone'])
