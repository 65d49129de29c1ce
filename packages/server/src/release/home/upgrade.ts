// Brings the releases of a home up to the format of this version: rendered and indexed again from their own records.
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { OperationalError } from '../../base/operational-error.ts'
import { type EntityData, entityData, entityIn, orderedCatalog } from '../../catalog/catalog.ts'
import { embedsOf } from '../../catalog/entity.ts'
import { builtInCatalog } from '../../source/built-in.ts'
import { Faults } from '../../source/faults.ts'
import type { Finding } from '../../source/findings.ts'
import { buildEntities, type OnProgress, type ReusableEntity } from '../build/build-loop.ts'
import { blocksOf } from '../build/completion.ts'
import { definitionsDigest } from '../definitions-digest.ts'
import { sha256OfFile } from '../files/durable-file.ts'
import { scanRows } from '../files/scan.ts'
import {
  ENTITY_FORMAT,
  ENTITY_MANIFEST_FILE,
  type EntityManifest,
  FACTS_FILE,
  MANIFEST_FILE,
  type Manifest,
  newManifest,
  numberingOf,
  type ReleasedEntity,
  type ReleaseFinding,
} from '../manifest.ts'
import { contentOf, DamagedRelease, openEntity } from '../release.ts'
import { IdRegistry } from './id-registry.ts'
import { adoptOldRegistry, filesOfOld, leftovers, outdatedReleases } from './outdated.ts'
import { builtHere, rememberBuilt } from './proved.ts'
import type { ReleaseStore } from './release-store.ts'

export type Upgraded = {
  readonly digest: string
  /** The entities that were brought up; or why they could not be, and the release was left as it is. */
  readonly entities: readonly string[]
  readonly failure?: string
}

type UpgradeEvents = {
  readonly onRelease?: (digest: string, version: string) => void
  readonly onProgress?: OnProgress
}

/** The caller holds the lock of the home. Every release is brought up by itself: cut short, it goes on the next time. */
export async function upgradeHome(store: ReleaseStore, events: UpgradeEvents = {}): Promise<Upgraded[]> {
  adoptOldRegistry(store)
  const upgraded: Upgraded[] = []
  const made = new Map<string, ReusableEntity>()
  try {
    for (const { digest, version, entities } of outdatedReleases(store)) {
      events.onRelease?.(digest, version)
      try {
        await upgradeRelease(store, digest, made, events.onProgress)
        upgraded.push({ digest, entities })
      } catch (error) {
        if (!(error instanceof OperationalError)) throw error
        upgraded.push({ digest, entities, failure: error.message })
      }
    }
  } finally {
    store.sweep()
  }
  for (const digest of leftovers(store)) for (const path of filesOfOld(store, digest)) rmSync(path)
  return upgraded
}

/**
 * Builds the files of a release anew from its records, but for entities that are known to be what their records make them. The caller
 * holds the lock of the home.
 */
export const rebuildRelease = (
  store: ReleaseStore,
  digest: string,
  known: ReadonlySet<string> = builtHere(store),
): Promise<void> => upgradeRelease(store, digest, new Map(), undefined, known)

type OldFile = { readonly path: string; readonly sha256: string }

/** An entity of a release that is brought up. */
type OldEntity = {
  readonly name: string
  readonly definition: EntityData
  readonly count: number
  readonly records: OldFile
  readonly facts?: OldFile
  /** Set where it is in the format of this version already. */
  readonly current?: { readonly released: ReleasedEntity; readonly parents: EntityManifest['parents'] }
}

/** `made` has what was made for other releases, which often have the same entities. */
async function upgradeRelease(
  store: ReleaseStore,
  digest: string,
  made: Map<string, ReusableEntity>,
  onProgress: OnProgress | undefined,
  known?: ReadonlySet<string>,
): Promise<void> {
  const old: OldManifest = JSON.parse(contentOf(join(store.releaseDirectory(digest), MANIFEST_FILE)))
  const oldEntities = 'format' in old ? entitiesInRelease(store, digest, old) : entitiesOnShelf(store, old)
  const faults = new Faults()
  const directory = store.newBuilding()
  const { entities, findings } = await buildEntities({
    catalog: orderedCatalog(oldEntities.map(({ definition }) => definition)),
    directory,
    registry: new IdRegistry(),
    faults,
    sourceOf: async (definition, digestOf) => {
      const { name, count, records, facts, current } = oldEntities.find(
        ({ name }) => name === definition.name,
      ) as OldEntity
      const parents = embedsOf(definition).map(([, parent]) => parent.name)
      const declared = definitionsDigest([entityData(definition)])
      const key = [name, declared, records.sha256, facts?.sha256, ...parents.map(digestOf)].join(' ')
      const isCurrent =
        current !== undefined &&
        known?.has(current.released.digest) !== false &&
        parents.every((parent) => current.parents[parent] === digestOf(parent))
      const reusable = isCurrent ? { released: current.released, findings: findingsOf(old, name) } : made.get(key)
      if (reusable !== undefined && existsSync(store.entityDirectory(reusable.released.digest))) return reusable
      for (const file of facts === undefined ? [records] : [records, facts]) await refuseDamage(file)
      const rows = scanRows(definition, records.path, facts?.path)
      return {
        rows: () => blocksOf(rows, `release ${digest.slice(0, 12)}, ${name}`),
        expected: count,
        onBuilt: async (released, findings) => {
          faults.throwIfAny()
          if (released?.records !== records.sha256 || released.facts !== facts?.sha256)
            throw new OperationalError(
              `${records.path} is not rendered as it was by this version; the release was left as it is`,
            )
          await store.placeEntity(join(directory, name), released.digest)
          made.set(key, { released, findings })
        },
      }
    },
    open: (definition, digest) => openEntity(definition, digest, store.entityDirectory(digest)),
    onProgress,
  })
  const { built, source, aliases, packages } = old
  const all = [...findings, ...findingsOfSource(old, findings)]
  const manifest = newManifest({
    built,
    source,
    entities,
    findings: all,
    aliases,
    packages,
    numbering: (name) => numberingOf(old, name),
  })
  if (manifest.digest !== digest) throw new OperationalError(`release ${digest} has other records than its digest says`)
  rememberBuilt(
    store,
    manifest,
    made.values().map(({ released }) => released.digest),
  )
  store.placeRelease(manifest)
}

async function refuseDamage({ path, sha256 }: OldFile): Promise<void> {
  if (!existsSync(path)) throw new DamagedRelease(path, 'is missing')
  if ((await sha256OfFile(path)) !== sha256) throw new DamagedRelease(path, 'has other content than it was built with')
}

/** A manifest of an earlier format, as far as it is read here. */
type OldManifest = Pick<Manifest, 'built' | 'source' | 'aliases' | 'packages'> & {
  readonly format?: number
  readonly entities: Readonly<Record<string, ReleasedEntity & OldFiles>>
  readonly findings: readonly (Omit<ReleaseFinding, 'description'> & { description?: string; says?: string })[]
}

/** Up to version 0.1.0 a release had the files of its entities in its own directory. */
type OldFiles = { readonly files: { readonly records: { readonly sha256: string } } }

function entitiesInRelease(store: ReleaseStore, digest: string, { entities }: OldManifest): OldEntity[] {
  return Object.entries(entities).map(([name, { count, files }]) => ({
    name,
    // Its definitions were those of the program, whose published fields do not change.
    definition: entityData(entityIn(builtInCatalog, name)),
    count,
    records: { path: join(store.releaseDirectory(digest), `${name}.records`), sha256: files.records.sha256 },
  }))
}

function entitiesOnShelf(store: ReleaseStore, { entities }: OldManifest): OldEntity[] {
  return Object.entries(entities).map(([name, released]) => {
    const directory = store.entityDirectory(released.digest)
    const path = join(directory, ENTITY_MANIFEST_FILE)
    const { definition, parents }: EntityManifest = JSON.parse(contentOf(path))
    const records = { path: join(directory, 'records'), sha256: released.records }
    const facts =
      released.facts === undefined ? {} : { facts: { path: join(directory, FACTS_FILE), sha256: released.facts } }
    const current = released.format === ENTITY_FORMAT ? { current: { released, parents } } : {}
    return { name, definition, count: released.count, records, ...facts, ...current }
  })
}

const findingsOf = ({ findings }: OldManifest, name: string): Finding[] =>
  findings.filter(({ entity }) => entity === name).map(described)

/** What only the source could tell, such as rows that it left out: it is not found again in the records. */
function findingsOfSource({ findings }: OldManifest, found: readonly Finding[]): Finding[] {
  const kinds = new Set(found.map(({ kind }) => kind))
  return findings.filter(({ kind, entity }) => entity === undefined && !kinds.has(kind)).map(described)
}

const described = ({ kind, description, says, count, examples }: OldManifest['findings'][number]): Finding => ({
  kind,
  description: description ?? says ?? '',
  count,
  examples,
})
