// Takes a release over from another Nomenclator: the same records under the same digest, with what is here already used again.
import { rmSync } from 'node:fs'
import { Failure } from '../../base/failure.ts'
import { entityData } from '../../catalog/catalog.ts'
import { type Entity, embedsOf } from '../../catalog/entity.ts'
import type { Built } from '../../release/build/build.ts'
import { type BuildPlan, buildEntities, type DigestOf } from '../../release/build/build-loop.ts'
import { blocksOf } from '../../release/build/completion.ts'
import { scanEntity } from '../../release/files/scan.ts'
import { prove, refuseRollback } from '../../release/home/proved.ts'
import type { Shelf } from '../../release/home/shelf.ts'
import type { Build, ImportOptions } from '../../release/import.ts'
import { isSameContent, newManifest, type ReleasedEntity, type ReleaseFinding } from '../../release/manifest.ts'
import { openEntity, readEntityManifest, type StoredEntity } from '../../release/release.ts'
import { signableRecords, type Trust } from '../../release/signing/release-signature.ts'
import type { Download } from '../../source/download.ts'
import { Faults } from '../../source/faults.ts'
import { inferredNumbering, type Numbering } from '../../source/numbering.ts'
import type { Block, Source } from '../../source/source.ts'
import { downloadedRows, type Origin, type OriginRelease, type RecordsDownload } from './origin.ts'

type OriginEntity = OriginRelease['entities'][number]

/** An entity on disk, and how a release here names it. */
type LocalEntity = { readonly stored: StoredEntity; readonly released: ReleasedEntity }

/** The entities of all releases here, found by their records and facts. */
class LocalEntities {
  readonly #byContent = new Map<string, LocalEntity>()

  constructor(shelf: Shelf) {
    for (const { manifest } of shelf.list()) {
      if ('unreadable' in manifest) continue
      for (const [name, released] of Object.entries(manifest.entities)) {
        const { digest, records, facts } = released
        const key = contentKey(name, records, facts)
        if (this.#byContent.has(key)) continue
        const directory = shelf.entityDirectory(digest)
        const stored = { digest, directory, manifest: readEntityManifest(directory, digest) }
        this.#byContent.set(key, { released, stored })
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
  /** How the release must be signed. */
  readonly trust: Trust | undefined
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
  if (options.trust !== undefined) refuseUnproved(shelf, release, signature, options.trust)
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
  const build: Build = (directory, registry, onProgress) =>
    buildMirrored({ shelf, release, source, local, downloads, directory, registry, onProgress })
  return {
    release,
    signature,
    source,
    downloaded: release.entities.filter(({ name }) => downloads.has(name)).map(({ collection }) => collection),
    bytes: [...downloads.values()].reduce((sum, { path }) => sum + Bun.file(path).size, 0),
    options: { build, ...(signature === undefined ? {} : { sign: async () => signature }) },
    discard,
  }
}

const contentOf = ({ entities }: OriginRelease) => Object.fromEntries(entities.map((entity) => [entity.name, entity]))

/** The files are built here, of records that are signed. */
function refuseUnproved(shelf: Shelf, release: OriginRelease, signature: string | undefined, trust: Trust): void {
  const { digest, built, source, aliases, packages, entities } = release
  const signable = signableRecords(
    { entities: contentOf(release), aliases, packages },
    { built, source, numbering: numberingsOf(release) },
    entities.map(({ definition }) => definition),
  )
  const proof = prove(digest, signable, signature, trust)
  refuseRollback(shelf, digest, proof, trust)
}

const numberingsOf = ({ entities, source }: OriginRelease) =>
  Object.fromEntries(entities.map(({ name, numbering }) => [name, numbering ?? inferredNumbering(source, name)]))

type MirrorBuild = Pick<BuildPlan, 'directory' | 'registry' | 'onProgress'> & {
  readonly shelf: Shelf
  readonly release: OriginRelease
  readonly source: Source
  readonly local: LocalEntities
  readonly downloads: ReadonlyMap<string, Download>
}

async function buildMirrored({ shelf, release, source, local, downloads, ...building }: MirrorBuild): Promise<Built> {
  const { catalog, built, findings, aliases, packages } = release
  const faults = new Faults()
  const byName = new Map(release.entities.map((entity) => [entity.name, entity]))
  const {
    entities,
    findings: found,
    directories,
  } = await buildEntities({
    ...building,
    catalog,
    faults,
    sourceOf: async (definition, digestOf) => {
      const entity = byName.get(definition.name) as OriginEntity
      const { stored, released } = local.find(entity) ?? {}
      if (stored !== undefined && released !== undefined && isSame(stored, definition, digestOf))
        return { released, findings: [] }
      const downloaded = downloads.get(entity.name)
      return {
        rows: () => rowsOf(entity, definition, stored, downloaded, faults),
        expected: entity.count,
        onBuilt: (built) => {
          if (built !== undefined && isSameContent(entity, built)) return
          // What cannot be used is not gone on with the next time.
          downloaded?.discard()
          faults.throwIfAny()
          throw new Failure(
            `the origin sent ${built?.count ?? 0} records of ${entity.collection} that are not those of release ` +
              `${release.digest.slice(0, 12)}: their checksum is another. Nothing was changed`,
          )
        },
      }
    },
    open: (definition, digest) => openEntity(definition, digest, shelf.entityDirectory(digest)),
  })
  const numberings = numberingsOf(release)
  const numbering = (name: string) => numberings[name] as Numbering
  const all = [...found, ...findings.filter((finding) => !found.some((one) => isAlike(one, finding)))]
  const manifest = newManifest({ built, source: source.origin, entities, findings: all, aliases, packages, numbering })
  return { manifest, directories }
}

/** What is found here in records that were built counts, whatever the origin says of them. */
const isAlike = (one: ReleaseFinding, other: ReleaseFinding) => one.kind === other.kind && one.entity === other.entity

/** What is here is the same down to its index: the definition and what it is made from are the same too. */
const isSame = ({ manifest }: StoredEntity, definition: Entity, digestOf: DigestOf): boolean =>
  JSON.stringify(manifest.definition) === JSON.stringify(entityData(definition)) &&
  embedsOf(definition).every(([, { name }]) => manifest.parents[name] === digestOf(name))

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
