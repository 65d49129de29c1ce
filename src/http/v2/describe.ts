// What API v2 has: its collections with their fields and filters, and the releases that can be read.
import { V2_PATH } from '../../catalog/collections.ts'
import { builtInCatalog, type EntityName, entities, entityNames } from '../../catalog/entities.ts'
import type { Entity } from '../../catalog/entity.ts'
import { descendantsOf, ownerOf } from '../../catalog/lineage.ts'
import { pathsOf } from '../../catalog/paths.ts'
import { type Manifest, sizeOf } from '../../release/manifest.ts'
import type { HttpRequest, HttpResponse } from '../exchange.ts'
import { jsonResponse } from './answers.ts'
import type { OpenReleases, ReleaseGone } from './open-releases.ts'
import { openapiDocument } from './openapi/document.ts'
import { describeParameters, filterParameters, noParameters } from './parameter-definitions.ts'
import { readParameters } from './parameters.ts'

/** The path of a single record, with its parts in braces. */
export function recordTemplate(entity: Entity): string {
  const owner = ownerOf(entity)
  const own = `${entity.plural}/{${entity.key.at(-1)}}`
  return owner === undefined ? `${V2_PATH}/${own}` : `${V2_PATH}/${owner.entity.plural}/{${owner.field}}/${own}`
}

/** The path of the records below one, likewise. */
export const childrenTemplate = (above: Entity, child: EntityName): string =>
  `${V2_PATH}/${above.plural}/{${above.key[0]}}/${entities[child].plural}`

/** Records that are numbered within another have none below them. */
export const parents: readonly (readonly [Entity, readonly EntityName[]])[] = entityNames
  .map(
    (name) =>
      [entities[name], descendantsOf(builtInCatalog, entities[name]).map(({ name }) => name as EntityName)] as const,
  )
  .filter(([, children]) => children.length > 0)

export function answerDescription(
  releases: OpenReleases,
  request: HttpRequest,
  baseUrl: string,
): HttpResponse | ReleaseGone {
  const chosen = releases.chosen(readParameters(request.query, describeParameters))
  if ('kind' in chosen) return chosen
  const { manifest } = chosen.release
  return jsonResponse(request, chosen, {
    release: {
      digest: manifest.digest,
      built: manifest.built,
      url: `${baseUrl}${V2_PATH}/releases/${manifest.digest}`,
    },
    search: `${baseUrl}${V2_PATH}/search?q={q}`,
    releases: `${baseUrl}${V2_PATH}/releases`,
    changes: `${baseUrl}${V2_PATH}/changes?from={digest}`,
    openapi: `${baseUrl}/api/openapi.json`,
    collections: entityNames.map((name) => describeEntity(name, manifest, baseUrl)),
  })
}

function describeEntity(name: EntityName, manifest: Manifest, baseUrl: string) {
  const entity: Entity = entities[name]
  return {
    name: entity.plural,
    count: manifest.entities[name].count,
    url: `${baseUrl}${V2_PATH}/${entity.plural}`,
    record: `${baseUrl}${recordTemplate(entity)}`,
    all: `${baseUrl}${V2_PATH}/${entity.plural}/all`,
    children: descendantsOf(builtInCatalog, entity).map(
      ({ name: child }) => `${baseUrl}${childrenTemplate(entity, child as EntityName)}`,
    ),
    key: entity.key,
    code: entity.code,
    fields: [...pathsOf(entity).values()].map(({ path, field, numeric }) => ({
      path,
      type: field.kind === 'embed' ? 'record' : numeric ? 'integer' : 'string',
      says: field.description,
    })),
    filters: filterParameters(entity).map((parameter) => parameter.name),
  }
}

export function answerOpenapi(releases: OpenReleases, request: HttpRequest, baseUrl: string): HttpResponse {
  readParameters(request.query, noParameters)
  const release = releases.current
  return jsonResponse(request, { release, isNamed: false, isUndated: true }, openapiDocument(release.catalog, baseUrl))
}

export function answerReleases(releases: OpenReleases, request: HttpRequest, baseUrl: string): HttpResponse {
  readParameters(request.query, noParameters)
  const { current } = releases
  const listed = releases.list().map((manifest) => summaryOf(manifest, current.manifest.digest, baseUrl))
  return jsonResponse(request, { release: current, isNamed: false, isUndated: true }, listed)
}

export function answerRelease(
  releases: OpenReleases,
  given: string,
  request: HttpRequest,
  baseUrl: string,
): HttpResponse | ReleaseGone | undefined {
  readParameters(request.query, noParameters)
  if (!/^[0-9a-f]{8,64}$/.test(given)) return undefined
  const digest = releases.digestOf('digest', given)
  const release = typeof digest === 'string' ? releases.open(digest) : digest
  if ('kind' in release) return release
  const { manifest } = release
  const { source, findings, versions } = manifest
  const summary = summaryOf(manifest, releases.current.manifest.digest, baseUrl)
  return jsonResponse(
    request,
    { release, isNamed: false, isUndated: true },
    {
      ...summary,
      source,
      findings: findings.map(({ kind, description, count, examples }) => ({
        kind,
        says: description,
        count,
        examples,
      })),
      versions,
    },
  )
}

const summaryOf = (manifest: Manifest, current: string, baseUrl: string) => ({
  digest: manifest.digest,
  built: manifest.built,
  current: manifest.digest === current,
  source: manifest.source.title,
  synthetic: manifest.source.synthetic,
  counts: Object.fromEntries(entityNames.map((name) => [entities[name].plural, manifest.entities[name].count])),
  bytes: sizeOf(manifest),
  url: `${baseUrl}${V2_PATH}/releases/${manifest.digest}`,
})
