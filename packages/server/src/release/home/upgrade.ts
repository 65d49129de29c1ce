// Upgrades the releases of a home to the format of this version: everything is derived anew from their own records.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { OperationalError } from '../../base/operational-error.ts'
import { orderedCatalog } from '../../catalog/catalog.ts'
import { definitionsDigest } from '../../catalog/definitions-digest.ts'
import { embedsOf } from '../../catalog/entity.ts'
import { Faults } from '../../source/faults.ts'
import type { Finding } from '../../source/findings.ts'
import { buildEntities, type OnProgress, type ReusableEntity } from '../build/build-loop.ts'
import { blocksOf } from '../build/completion.ts'
import { keptBoundaries } from '../build/entity-boundaries.ts'
import { sha256OfFile } from '../files/durable-file.ts'
import { scanRows } from '../files/scan.ts'
import {
  ENTITY_FORMAT,
  ENTITY_MANIFEST_FILE,
  type EntityManifest,
  FACTS_FILE,
  isSameContent,
  MANIFEST_FILE,
  type Manifest,
  newManifest,
  numberingOf,
  type ReleasedEntity,
  type ReleaseFinding,
} from '../manifest.ts'
import { entityManifest, manifestSchema } from '../manifest-schema.ts'
import { DamagedRelease, openEntity, readAs } from '../release.ts'
import { IdRegistry } from './id-registry.ts'
import { outdatedReleases } from './other-formats.ts'
import type { ReleaseStore } from './release-store.ts'
import { builtHere, rememberBuilt } from './signature-check.ts'

export type Upgraded = {
  readonly digest: string
  /** The entities that were in an earlier format. */
  readonly entities: readonly string[]
  /** Why the release could not be upgraded; it was left as it is. */
  readonly failure?: string
}

type UpgradeEvents = {
  readonly onRelease?: (digest: string, version: string) => void
  readonly onProgress?: OnProgress
}

/** The caller holds the lock of the home. Each release is upgraded by itself: cut short, the next upgrade goes on. */
export async function upgradeHome(store: ReleaseStore, events: UpgradeEvents = {}): Promise<Upgraded[]> {
  const upgraded: Upgraded[] = []
  const rebuilt = new Map<string, ReusableEntity>()
  try {
    for (const { digest, version, entities } of outdatedReleases(store)) {
      events.onRelease?.(digest, version)
      try {
        await rebuild(store, digest, { rebuilt, onProgress: events.onProgress })
        upgraded.push({ digest, entities })
      } catch (error) {
        if (!(error instanceof OperationalError)) throw error
        upgraded.push({ digest, entities, failure: error.message })
      }
    }
  } finally {
    store.sweep()
  }
  return upgraded
}

/**
 * Builds the files of a release anew from its records, except for entities that were built in this home.
 * The caller holds the lock of the home.
 */
export const rebuildRelease = (store: ReleaseStore, digest: string): Promise<void> =>
  rebuild(store, digest, { rebuilt: new Map(), onProgress: undefined, trusted: builtHere(store) })

type Rebuilding = {
  /** The entities that were rebuilt for other releases, which often have the same. */
  readonly rebuilt: Map<string, ReusableEntity>
  readonly onProgress: OnProgress | undefined
  /** The entities of this format that stay as they are, by their digests; all if undefined. */
  readonly trusted?: ReadonlySet<string>
}

async function rebuild(store: ReleaseStore, digest: string, { rebuilt, onProgress, trusted }: Rebuilding) {
  const old = readAs(manifestSchema, join(store.releaseDirectory(digest), MANIFEST_FILE))
  const manifests = new Map(Object.entries(old.entities).map(([name, one]) => [name, readEntity(store, one)]))
  const faults = new Faults()
  const directory = store.newBuilding()
  const { entities, findings } = await buildEntities({
    catalog: orderedCatalog([...manifests.values()].map(({ definition }) => definition)),
    directory,
    registry: new IdRegistry(),
    faults,
    sourceOf: async (definition, digestOf) => {
      const { name } = definition
      const released = old.entities[name] as ReleasedEntity
      const manifest = manifests.get(name) as EntityManifest
      const parents = embedsOf(definition).map(([, parent]) => parent.name)
      const declared = definitionsDigest([manifest.definition])
      const key = [
        name,
        declared,
        released.records,
        released.facts,
        released.boundaries,
        ...parents.map(digestOf),
      ].join(' ')
      const stays =
        released.format === ENTITY_FORMAT &&
        trusted?.has(released.digest) !== false &&
        parents.every((parent) => manifest.parents[parent] === digestOf(parent))
      const reusable = stays ? { released, findings: findingsOf(old, name) } : rebuilt.get(key)
      if (reusable !== undefined && existsSync(store.entityDirectory(reusable.released.digest))) return reusable
      const { records, facts } = await soundFiles(store, released)
      return {
        rows: () => blocksOf(scanRows(definition, records, facts), `release ${digest.slice(0, 12)}, ${name}`),
        expected: released.count,
        boundaries: keptBoundaries(store.entityDirectory(released.digest), manifest.files),
        onBuilt: async (built, findings) => {
          faults.throwIfAny()
          if (built === undefined || !isSameContent(built, released))
            throw new OperationalError(
              `${records} is not rendered as it was by this version; the release was left as it is`,
            )
          await store.placeEntity(join(directory, name), built.digest)
          rebuilt.set(key, { released: built, findings })
        },
      }
    },
    open: (definition, digest) => openEntity(definition, digest, store.entityDirectory(digest)),
    onProgress,
  })
  const { built, source, aliases, packages, changes } = old
  const all = [...findings, ...findingsOfSource(old, findings)]
  const numbering = (name: string) => numberingOf(old, name)
  const manifest = newManifest({ built, source, entities, findings: all, aliases, packages, changes, numbering })
  if (manifest.digest !== digest) throw new OperationalError(`release ${digest} has other records than its digest says`)
  const digests = rebuilt.values().map(({ released }) => released.digest)
  rememberBuilt(store, manifest, digests)
  store.placeRelease(manifest)
}

/** The other files of an earlier format need not be as its manifest says. */
const readEntity = (store: ReleaseStore, { digest }: ReleasedEntity): EntityManifest =>
  readAs(entityManifest, join(store.entityDirectory(digest), ENTITY_MANIFEST_FILE))

/** The paths of the files that an entity is built from, which are as the release says. */
async function soundFiles(store: ReleaseStore, { digest, records, facts }: ReleasedEntity) {
  const pathOf = async (name: string, sha256: string) => {
    const path = join(store.entityDirectory(digest), name)
    if (!existsSync(path)) throw new DamagedRelease(path, 'is missing')
    if ((await sha256OfFile(path)) !== sha256)
      throw new DamagedRelease(path, 'has other content than it was built with')
    return path
  }
  return {
    records: await pathOf('records', records),
    facts: facts === undefined ? undefined : await pathOf(FACTS_FILE, facts),
  }
}

const findingsOf = ({ findings }: Manifest, name: string): Finding[] =>
  findings.filter(({ entity }) => entity === name).map(withoutEntity)

/** The findings that only the source could have, such as rows that it left out: the records do not show them. */
function findingsOfSource({ findings }: Manifest, found: readonly Finding[]): Finding[] {
  const kinds = new Set(found.map(({ kind }) => kind))
  return findings.filter(({ kind, entity }) => entity === undefined && !kinds.has(kind)).map(withoutEntity)
}

const withoutEntity = ({ entity: _, ...finding }: ReleaseFinding): Finding => finding
