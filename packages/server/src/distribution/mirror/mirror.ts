// Takes a release over from another Nomenclator: the same records under the same digest, with what is here already used again.
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../base/failure.ts'
import { entityData, entityIn } from '../../catalog/catalog.ts'
import { type Entity, embedsOf } from '../../catalog/entity.ts'
import { type Built, blocksOf, type buildRelease } from '../../release/build/build.ts'
import { buildEntity } from '../../release/build/entity-build.ts'
import { ParentRecords } from '../../release/build/parent-records.ts'
import { scanEntity } from '../../release/files/scan.ts'
import type { Shelf } from '../../release/home/shelf.ts'
import type { ImportOptions } from '../../release/import.ts'
import {
  ENTITY_FORMAT,
  type Manifest,
  type ReleasedEntity,
  releaseDigest,
  thisVersion,
} from '../../release/manifest.ts'
import { OpenEntity, readEntityManifest, type StoredEntity } from '../../release/release.ts'
import type { PublicKey } from '../../release/signing/minisign.ts'
import { proofOf, UnsignedRelease } from '../../release/signing/release-signature.ts'
import type { Download } from '../../source/download.ts'
import { Faults } from '../../source/faults.ts'
import { Findings } from '../../source/findings.ts'
import type { Block, Source } from '../../source/source.ts'
import { downloadedRows, type Origin, type OriginRelease, type RecordsDownload } from './origin.ts'

type OriginEntity = OriginRelease['entities'][number]

/** An entity on disk, and how a release here names it. */
type LocalEntity = { readonly stored: StoredEntity; readonly released: ReleasedEntity }

/** Of all releases here, the entities with the same records and facts as one of the origin. */
class LocalEntities {
  readonly #byContent = new Map<string, LocalEntity>()

  constructor(shelf: Shelf) {
    for (const { manifest } of shelf.list()) {
      if ('unreadable' in manifest) continue
      for (const [name, released] of Object.entries(manifest.entities)) {
        const { digest, format, records, facts } = released
        const directory = shelf.entityDirectory(digest)
        const key = contentKey(name, records, facts)
        if (format === ENTITY_FORMAT && !this.#byContent.has(key))
          this.#byContent.set(key, {
            released,
            stored: { digest, directory, manifest: readEntityManifest(directory, digest) },
          })
      }
    }
  }

  find({ name, records, facts }: OriginEntity): LocalEntity | undefined {
    return this.#byContent.get(contentKey(name, records, facts))
  }
}

const contentKey = (name: string, records: string, facts: string | undefined) => `${name} ${records} ${facts ?? ''}`

/** What was fetched of a release, before anything is built from it. */
type Mirrored = {
  readonly release: OriginRelease
  readonly signature: string | undefined
  readonly source: Source
  /** The collections that were downloaded; the others were here already. */
  readonly downloaded: readonly string[]
  readonly bytes: number
  readonly options: Pick<ImportOptions, 'build' | 'sign'>
  /** Removes what was downloaded. */
  readonly discard: () => void
}

type MirrorOptions = Pick<RecordsDownload, 'directory' | 'onRetry'> & {
  readonly onProgress: (collection: string, done: number, size: number | undefined) => void
  /** One of these must have signed the release. */
  readonly requiredKeys: readonly PublicKey[] | undefined
}

/** Fetches what is not here of a release. Its checksums and its signature are checked before the first record is downloaded. */
export async function fetchRelease(
  shelf: Shelf,
  origin: Origin,
  digest: string,
  options: MirrorOptions,
): Promise<Mirrored> {
  const release = await origin.release(digest)
  const signature = await origin.signature(digest)
  if (options.requiredKeys !== undefined) refuseUnproved(release, signature, options.requiredKeys)
  const local = new LocalEntities(shelf)
  const downloads = new Map<string, Download>()
  for (const entity of release.entities)
    if (entity.count > 0 && local.find(entity) === undefined)
      downloads.set(
        entity.name,
        await origin.download(digest, entity, {
          ...options,
          onProgress: (done, size) => options.onProgress(entity.collection, done, size),
        }),
      )
  const discard = () => {
    for (const one of downloads.values()) one.discard()
    rmSync(options.directory, { recursive: true, force: true })
  }
  const source: Source = {
    origin: { ...release.source, options: { ...release.source.options, mirror: origin.base } },
    catalog: release.catalog,
    provides: release.entities.map(({ name }) => name),
    expected: (name) => release.entities.find((entity) => entity.name === name)?.count,
    read: () => [],
  }
  const build: typeof buildRelease = (_, _base, directory, registry, onProgress) =>
    buildMirrored({ shelf, release, source, local, downloads, directory }, registry, onProgress)
  return {
    release,
    signature,
    source,
    downloaded: release.entities.filter(({ name }) => downloads.has(name)).map(({ collection }) => collection),
    bytes: [...downloads.values()].reduce((sum, { path }) => sum + Bun.file(path).size, 0),
    options: { build, ...(signature === undefined ? {} : { sign: () => signature }) },
    discard,
  }
}

const contentOf = ({ entities }: OriginRelease) => Object.fromEntries(entities.map((entity) => [entity.name, entity]))

function refuseUnproved(release: OriginRelease, signature: string | undefined, keys: readonly PublicKey[]): void {
  const { digest, aliases } = release
  const signable = {
    checksums: { entities: contentOf(release), aliases },
    definitions: release.entities.map(({ definition }) => definition),
  }
  const proof = proofOf(signable, signature, keys)
  if ('wrong' in proof) throw new UnsignedRelease(digest, proof.wrong, keys)
}

type Building = {
  readonly shelf: Shelf
  readonly release: OriginRelease
  readonly source: Source
  readonly local: LocalEntities
  readonly downloads: ReadonlyMap<string, Download>
  readonly directory: string
}

async function buildMirrored(
  { shelf, release, source, local, downloads, directory }: Building,
  registry: Parameters<typeof buildRelease>[3],
  onProgress: Parameters<typeof buildRelease>[4] = () => {},
): Promise<Built> {
  const { catalog, digest, built, findings, aliases } = release
  const parents = new ParentRecords(catalog)
  const faults = new Faults()
  const entities: Record<string, ReleasedEntity> = {}
  const directories = new Map<string, string>()
  const digestOf = (name: string) => (entities[name] as ReleasedEntity).digest
  const directoryOf = (entity: string) => directories.get(entity) ?? shelf.entityDirectory(entity)
  for (const wanted of release.entities) {
    const { name, count, collection } = wanted
    const definition = entityIn(catalog, name)
    const { stored, released: same } = local.find(wanted) ?? {}
    const parentNames = embedsOf(definition).map(([, parent]) => parent.name)
    if (stored !== undefined && same !== undefined && isSame(stored, definition, parentNames, digestOf)) {
      entities[name] = same
      continue
    }
    for (const parent of parentNames) {
      const entity = entityIn(catalog, parent)
      if (!parents.has(entity)) parents.load(openEntity(entity, digestOf(parent), directoryOf(digestOf(parent))))
    }
    const released = await buildEntity(
      definition,
      rowsOf(wanted, definition, stored, downloads.get(name), faults),
      join(directory, name),
      {
        parents,
        digestOf,
        registry,
        report: { faults, findings: new Findings() },
        expected: count,
        onProgress: (done) => onProgress(collection, done, count),
      },
    )
    const isExpected =
      released?.records === wanted.records && released.facts === wanted.facts && released.count === count
    if (!isExpected) {
      // What cannot be used is not gone on with the next time.
      downloads.get(name)?.discard()
      faults.throwIfAny()
      throw new Failure(
        `the origin sent ${released?.count ?? 0} records of ${collection} that are not those of release ` +
          `${digest.slice(0, 12)}: their checksum is another. Nothing was changed`,
      )
    }
    entities[name] = released
    directories.set(released.digest, join(directory, name))
  }
  if (releaseDigest(entities, aliases) !== digest) throw new Error('the checksums were compared one by one')
  const manifest: Manifest = {
    digest,
    built,
    source: source.origin,
    versions: thisVersion(),
    entities,
    findings,
    ...(aliases.length === 0 ? {} : { aliases }),
  }
  return { manifest, directories }
}

/** What is here is the same down to its index: the definition and what it is made from are the same too. */
function isSame(
  { directory, manifest }: StoredEntity,
  definition: Entity,
  parentNames: readonly string[],
  digestOf: (name: string) => string,
): boolean {
  return (
    existsSync(directory) &&
    JSON.stringify(manifest.definition) === JSON.stringify(entityData(definition)) &&
    parentNames.every((parent) => manifest.parents[parent] === digestOf(parent))
  )
}

const openEntity = (definition: Entity, digest: string, directory: string) =>
  new OpenEntity(definition, { digest, directory, manifest: readEntityManifest(directory, digest) }, () => 0)

/** Rows that were downloaded, or those of an entity here with the same records. */
function rowsOf(
  { name, count }: OriginEntity,
  definition: Entity,
  stored: StoredEntity | undefined,
  downloaded: Download | undefined,
  faults: Faults,
): AsyncIterable<Block> | Iterable<Block> {
  if (downloaded !== undefined) return downloadedRows(downloaded.path, definition, count, faults)
  return stored === undefined
    ? []
    : blocksOf(scanEntity(definition, stored), `entity ${stored.digest.slice(0, 12)}, ${name}`)
}
