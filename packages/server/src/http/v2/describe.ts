// What API v2 tells of itself: its collections with their fields and filters, and the releases that can be read.

import { type Entity, type Field, identifierOf } from '../../catalog/entity.ts'
import { descendantsOf } from '../../catalog/lineage.ts'
import { pathsOf } from '../../catalog/paths.ts'
import { collectionCounts, type Manifest, numberingOf, sizeOf } from '../../release/manifest.ts'
import type { Release } from '../../release/release.ts'
import { definitionsOf } from '../../release/signing/release-signature.ts'
import { OPENAPI_PATH, V2_PATH } from '../routes.ts'
import { filterParameters } from './parameter-definitions.ts'
import { childrenTemplate, recordTemplate } from './paths.ts'

export function describeIndex(release: Release, baseUrl: string) {
  const { digest, manifest, catalog } = release
  return {
    release: { digest, built: manifest.built, url: `${baseUrl}${V2_PATH}/releases/${digest}` },
    search: `${baseUrl}${V2_PATH}/search?q={q}`,
    releases: `${baseUrl}${V2_PATH}/releases`,
    changes: `${baseUrl}${V2_PATH}/changes?from={digest}`,
    openapi: `${baseUrl}${OPENAPI_PATH}`,
    collections: [...catalog.entities.values()].map((entity) => describeCollection(release, entity, baseUrl)),
  }
}

function typeOf(field: Field, numeric: boolean): string {
  if (field.kind === 'embed') return 'record'
  if (field.kind === 'fact') return field.type === 'text' ? 'string' : field.type
  return numeric ? 'integer' : 'string'
}

const describeCollection = ({ catalog, ...release }: Release, entity: Entity, baseUrl: string) => ({
  name: entity.plural,
  count: release.entity(entity.name).count,
  url: `${baseUrl}${V2_PATH}/${entity.plural}`,
  record: `${baseUrl}${recordTemplate(entity)}`,
  all: `${baseUrl}${V2_PATH}/${entity.plural}/all`,
  children: descendantsOf(catalog, entity).map((child) => `${baseUrl}${childrenTemplate(entity, child)}`),
  key: entity.key,
  keyPaths: entity.key.map((field) => keyPath(entity, field)),
  code: entity.code,
  fields: [...pathsOf(entity).values()].map(({ path, field, numeric }) => ({
    path,
    type: typeOf(field, numeric),
    says: field.description,
    ...(field.kind === 'fact' ? { fact: true } : {}),
  })),
  filters: filterParameters(entity).map((parameter) => parameter.name),
})

/** Where a part of the key stands in a record that is given in full. */
function keyPath(entity: Entity, name: string): string {
  const field = entity.fields[name]
  return field?.kind === 'embed' ? `${name}.${identifierOf(field.entity)}` : name
}

export const describeReleases = (manifests: readonly Manifest[], currentDigest: string, baseUrl: string) =>
  manifests.map((manifest) => summaryOf(manifest, currentDigest, baseUrl))

export const describeRelease = (manifest: Manifest, currentDigest: string, baseUrl: string) => ({
  ...summaryOf(manifest, currentDigest, baseUrl),
  source: manifest.source,
  findings: manifest.findings.map(({ kind, description, count, examples }) => ({
    kind,
    says: description,
    count,
    examples,
  })),
  versions: manifest.versions,
  numbering: Object.fromEntries(
    Object.entries(manifest.entities).map(([name, { collection }]) => [collection, numberingOf(manifest, name)]),
  ),
})

/** Everything that makes the release what it is, but for the records themselves: what a mirror needs. */
export function describeManifest(release: Release) {
  const { digest, built, source, versions, entities, findings, aliases = [], packages } = release.manifest
  const definitions = new Map(definitionsOf(release).map((definition) => [definition.name, definition]))
  return {
    digest,
    built,
    source,
    versions,
    entities: Object.entries(entities).map(([name, { collection, count, records, facts, digest: ofFiles }]) => ({
      name,
      collection,
      count,
      records,
      ...(facts === undefined ? {} : { facts }),
      digest: ofFiles,
      numbering: numberingOf(release.manifest, name),
      definition: definitions.get(name),
    })),
    aliases,
    ...(packages === undefined ? {} : { packages }),
    findings: findings.map(({ kind, description, count, examples, entity }) => ({
      kind,
      says: description,
      count,
      examples,
      ...(entity === undefined ? {} : { entity }),
    })),
  }
}

const summaryOf = (manifest: Manifest, currentDigest: string, baseUrl: string) => ({
  digest: manifest.digest,
  built: manifest.built,
  current: manifest.digest === currentDigest,
  source: manifest.source.title,
  synthetic: manifest.source.synthetic,
  counts: collectionCounts(manifest),
  bytes: sizeOf(manifest),
  url: `${baseUrl}${V2_PATH}/releases/${manifest.digest}`,
})
