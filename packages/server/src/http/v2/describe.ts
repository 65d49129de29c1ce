// Descriptions in API v2: its collections with their fields and filters, and the releases that can be read.

import { V2_PATH } from '../../base/api-v2.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Entity } from '../../catalog/entity.ts'
import { languagesOf } from '../../catalog/languages/languages.ts'
import { codesOf } from '../../catalog/official-code.ts'
import { keyPathsOf, pathsOf, type RecordPath } from '../../catalog/paths.ts'
import { collectionCounts, type Manifest, numberingOf, type ReleasedPackage, sizeOf } from '../../release/manifest.ts'
import type { Release } from '../../release/release.ts'
import { definitionsOf } from '../../release/signing/release-signature.ts'
import { OPENAPI_PATH } from '../routes.ts'
import { filterParameters } from './parameter-definitions.ts'
import { placesAround, placesBelow, recordTemplate } from './record-paths.ts'

export function describeIndex(release: Release, baseUrl: string) {
  const { digest, manifest, catalog } = release
  return {
    release: { digest, built: manifest.built, url: `${baseUrl}${V2_PATH}/releases/${digest}` },
    search: `${baseUrl}${V2_PATH}/search?q={q}`,
    releases: `${baseUrl}${V2_PATH}/releases`,
    changes: `${baseUrl}${V2_PATH}/changes?from={digest}`,
    openapi: `${baseUrl}${OPENAPI_PATH}`,
    packages: packagesOf(manifest).map((one) => describePackage(one, catalog)),
    collections: [...catalog.entities.values()].map((entity) => describeCollection(release, entity, baseUrl)),
  }
}

/** The packages that the lists of a release belong to. */
export const packagesOf = ({ packages = [] }: Manifest): readonly ReleasedPackage[] => packages

function describePackage(info: ReleasedPackage, { entities }: Catalog) {
  const { name, title, description, version, homepage, licenses, sources, keywords, contributors } = info
  return {
    name,
    ...defined({ title, description, version, homepage }),
    licenses,
    sources,
    keywords,
    contributors,
    collections: [...entities.values()].filter((entity) => entity.package === name).map(({ plural }) => plural),
  }
}

/** Leaves out the members that are undefined. */
const defined = <T extends object>(members: T): Partial<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>

function typeOf(field: RecordPath['field'], numeric: boolean): string {
  if (field.kind === 'embed') return 'record'
  if (field.kind === 'fact' || field.kind === 'value') return field.type === 'text' ? 'string' : field.type
  return numeric ? 'integer' : 'string'
}

const isDerived = ({ field }: RecordPath): boolean => field.kind === 'derived'

const describeCollection = ({ catalog, ...release }: Release, entity: Entity, baseUrl: string) => ({
  name: entity.plural,
  count: release.entity(entity.name).count,
  url: `${baseUrl}${V2_PATH}/${entity.plural}`,
  record: `${baseUrl}${recordTemplate(entity)}`,
  all: `${baseUrl}${V2_PATH}/${entity.plural}/all`,
  children: placesBelow(catalog, entity).map(({ path }) => `${baseUrl}${path}`),
  key: entity.key,
  keyPaths: keyPathsOf(entity).map(({ path }) => path),
  code: entity.code,
  codes: codesOf(entity).flatMap(({ name, title }) => (name === '' ? [] : { name, ...defined({ title }) })),
  fields: [...pathsOf(entity).values()].filter((path) => !isDerived(path)).map(describeField),
  derived: [...pathsOf(entity).values()].filter(isDerived).map(describeField),
  filters: filterParameters(entity).map((parameter) => parameter.name),
  ...defined({
    title: entity.package === undefined ? undefined : entity.title,
    titles: entity.titles,
    description: entity.description,
    package: entity.package,
    languages: languagesOf(entity).length === 0 ? undefined : languagesOf(entity),
    tree: describeTree(entity, baseUrl),
  }),
})

const describeField = ({ path, slug, steps, field, numeric }: RecordPath) => ({
  path,
  type: typeOf(field, numeric),
  says: field.description,
  ...(field.kind === 'fact' ? { fact: true } : {}),
  ...defined({
    optional: 'optional' in field && field.optional ? true : undefined,
    slug: slug === path ? undefined : slug,
    steps: steps.join('.') === path ? undefined : steps,
    title: field.title,
    language: 'language' in field ? field.language : undefined,
    role: field.kind === 'value' ? field.role : field.kind === 'broader' ? 'broader' : undefined,
  }),
})

function describeTree(entity: Entity, baseUrl: string): Record<string, string> | undefined {
  const places = placesAround(entity)
  return places.length === 0
    ? undefined
    : Object.fromEntries(places.map(({ axis, path }) => [axis, `${baseUrl}${path}`]))
}

export const describeReleases = (manifests: readonly Manifest[], currentDigest: string, baseUrl: string) =>
  manifests.map((manifest) => summaryOf(manifest, currentDigest, baseUrl))

const describeFinding = ({ kind, description, count, examples }: Manifest['findings'][number]) => ({
  kind,
  says: description,
  count,
  examples,
})

export const describeRelease = (manifest: Manifest, currentDigest: string, baseUrl: string) => ({
  ...summaryOf(manifest, currentDigest, baseUrl),
  source: manifest.source,
  findings: manifest.findings.map(describeFinding),
  versions: manifest.versions,
  numbering: Object.fromEntries(
    Object.entries(manifest.entities).map(([name, { collection }]) => [collection, numberingOf(manifest, name)]),
  ),
})

/** All parts of a release but its records, as a mirror needs them. */
export function describeManifest(release: Release) {
  const { digest, built, source, versions, entities, findings, aliases = [], packages } = release.manifest
  const definitions = new Map(definitionsOf(release).map((definition) => [definition.name, definition]))
  return {
    digest,
    built,
    source,
    versions,
    entities: Object.entries(entities).map(
      ([name, { collection, count, records, facts, boundaries, digest: ofFiles }]) => ({
        name,
        collection,
        count,
        records,
        ...defined({ facts, boundaries }),
        digest: ofFiles,
        numbering: numberingOf(release.manifest, name),
        definition: definitions.get(name),
      }),
    ),
    aliases,
    ...defined({ packages }),
    findings: findings.map((finding) => ({ ...describeFinding(finding), ...defined({ entity: finding.entity }) })),
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
