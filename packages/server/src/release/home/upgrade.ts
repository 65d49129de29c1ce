// Brings the releases of a home up to the format of this version: rendered and indexed again from their own records.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../base/failure.ts'
import { type EntityData, entityData, entityIn, orderedCatalog } from '../../catalog/catalog.ts'
import { builtInCatalog } from '../../catalog/entities.ts'
import { type Entity, embedsOf } from '../../catalog/entity.ts'
import { Faults } from '../../source/faults.ts'
import { type Finding, Findings } from '../../source/findings.ts'
import { blocksOf, type OnProgress } from '../build/build.ts'
import { buildEntity } from '../build/entity-build.ts'
import { ParentRecords } from '../build/parent-records.ts'
import { renameDurably, sha256OfFile } from '../files/durable-file.ts'
import { scanRows } from '../files/scan.ts'
import {
  ENTITY_FILES,
  ENTITY_FORMAT,
  ENTITY_MANIFEST_FILE,
  type EntityManifest,
  FACTS_FILE,
  MANIFEST_FILE,
  type Manifest,
  type ParsedManifest,
  parseManifest,
  type ReleasedEntity,
  type ReleaseFinding,
  releaseDigest,
  thisVersion,
} from '../manifest.ts'
import { DamagedRelease, NewerRelease, OpenEntity, readEntityManifest } from '../release.ts'
import { IdRegistry } from './id-registry.ts'
import type { Shelf } from './shelf.ts'

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

type Outdated = Extract<ParsedManifest, { state: 'outdated' }> & { readonly digest: string }

/** Up to version 0.1.0 the registry had this name. One that is there already is never replaced: it knows more. */
function oldRegistry(shelf: Shelf): string | undefined {
  const path = join(shelf.home, 'numbers.json')
  return existsSync(path) && !existsSync(shelf.idRegistryFile) ? path : undefined
}

/** Gives it the name that it has. */
export function adoptOldRegistry(shelf: Shelf): void {
  const registry = oldRegistry(shelf)
  if (registry !== undefined) renameDurably(registry, shelf.idRegistryFile)
}

/** Whether there is anything to bring up. */
export const isOutdated = (shelf: Shelf): boolean =>
  oldRegistry(shelf) !== undefined || outdatedReleases(shelf).length > 0 || leftovers(shelf).length > 0

/** The releases that a later version of the program has written. */
export const newerReleases = (shelf: Shelf): NewerRelease[] =>
  shelf.digests().flatMap((digest) => {
    const parsed = parsedAt(shelf, digest)
    return parsed?.state === 'newer' ? [new NewerRelease(digest, parsed.version, parsed.entities)] : []
  })

function parsedAt(shelf: Shelf, digest: string): ParsedManifest | undefined {
  const path = join(shelf.releaseDirectory(digest), MANIFEST_FILE)
  return existsSync(path) ? parseManifest(readFileSync(path, 'utf8')) : undefined
}

/** Those that were current last come first. */
function outdatedReleases(shelf: Shelf): Outdated[] {
  const there = new Set(shelf.digests())
  const digests = new Set([...shelf.history().filter((digest) => there.has(digest)), ...there])
  return [...digests].flatMap((digest) => {
    const parsed = parsedAt(shelf, digest)
    return parsed?.state === 'outdated' ? [{ ...parsed, digest }] : []
  })
}

/** The caller holds the lock of the home. Every release is brought up by itself: cut short, it goes on the next time. */
export async function upgradeHome(shelf: Shelf, events: UpgradeEvents = {}): Promise<Upgraded[]> {
  adoptOldRegistry(shelf)
  const upgraded: Upgraded[] = []
  const known = new Map<string, Result>()
  try {
    for (const { digest, version, entities } of outdatedReleases(shelf)) {
      events.onRelease?.(digest, version)
      try {
        await upgradeRelease(shelf, digest, known, events.onProgress ?? (() => {}))
        upgraded.push({ digest, entities })
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        upgraded.push({ digest, entities, failure: error.message })
      }
    }
  } finally {
    shelf.sweep()
  }
  for (const digest of leftovers(shelf)) for (const path of filesOfOld(shelf, digest)) rmSync(path)
  return upgraded
}

type OldFile = { readonly path: string; readonly sha256: string }

/** An entity of a release that is brought up. */
type OldEntity = {
  readonly name: string
  readonly definition: EntityData
  readonly count: number
  readonly records: OldFile
  readonly facts?: OldFile
  /** Of one that is in the format of this version already. */
  readonly current?: { readonly released: ReleasedEntity; readonly parents: EntityManifest['parents'] }
}

type Result = { readonly released: ReleasedEntity; readonly findings: readonly Finding[] }

/** `known` has what was made for other releases, which often have the same entities. */
async function upgradeRelease(
  shelf: Shelf,
  digest: string,
  known: Map<string, Result>,
  onProgress: OnProgress,
): Promise<void> {
  const old: OldManifest = JSON.parse(readFileSync(join(shelf.releaseDirectory(digest), MANIFEST_FILE), 'utf8'))
  const olds = 'format' in old ? entitiesInRelease(shelf, digest, old) : entitiesOnShelf(shelf, old)
  const catalog = orderedCatalog(olds.map(({ definition }) => definition))
  const parents = new ParentRecords(catalog)
  const building = shelf.newBuilding()
  const entities: Record<string, ReleasedEntity> = {}
  const findings: ReleaseFinding[] = []
  const digestOf = (name: string) => (entities[name] as ReleasedEntity).digest
  for (const { name, count, records, facts, current } of olds) {
    const definition = entityIn(catalog, name)
    const parentNames = embedsOf(definition).map(([, parent]) => parent.name)
    const key = [name, records.sha256, facts?.sha256, ...parentNames.map(digestOf)].join(' ')
    const isCurrent =
      current !== undefined && parentNames.every((parent) => current.parents[parent] === digestOf(parent))
    let result = isCurrent ? { released: current.released, findings: findingsOf(old, name) } : known.get(key)
    if (result === undefined || !existsSync(shelf.entityDirectory(result.released.digest))) {
      for (const file of facts === undefined ? [records] : [records, facts]) await refuseDamage(file)
      for (const parent of parentNames) {
        const entity = entityIn(catalog, parent)
        if (!parents.has(entity)) parents.load(openEntity(shelf, entity, digestOf(parent)))
      }
      const directory = join(building, name)
      const report = { faults: new Faults(), findings: new Findings() }
      const file = `release ${digest.slice(0, 12)}, ${name}`
      const released = await buildEntity(
        definition,
        blocksOf(scanRows(definition, records.path, facts?.path), file),
        directory,
        {
          parents,
          digestOf,
          registry: new IdRegistry(),
          report,
          expected: count,
          onProgress: (done) => onProgress(definition.plural, done, count),
        },
      )
      report.faults.throwIfAny()
      if (released?.records !== records.sha256 || released.facts !== facts?.sha256)
        throw new Failure(`${records.path} is not rendered as it was by this version; the release was left as it is`)
      await shelf.placeEntity(directory, released.digest)
      result = { released, findings: report.findings.list() }
      known.set(key, result)
    }
    entities[name] = result.released
    findings.push(...result.findings.map((finding) => ({ ...finding, entity: name })))
  }
  const { built, source, aliases } = old
  if (releaseDigest(entities, aliases) !== digest)
    throw new Failure(`release ${digest} has other records than its digest says`)
  findings.push(...findingsOfSource(old, findings))
  shelf.placeRelease({
    digest,
    built,
    source,
    versions: thisVersion(),
    entities,
    findings,
    ...(aliases && { aliases }),
  })
}

async function refuseDamage({ path, sha256 }: OldFile): Promise<void> {
  if (!existsSync(path)) throw new DamagedRelease(path, 'is missing')
  if ((await sha256OfFile(path)) !== sha256) throw new DamagedRelease(path, 'has other content than it was built with')
}

function openEntity(shelf: Shelf, definition: Entity, digest: string): OpenEntity {
  const directory = shelf.entityDirectory(digest)
  return new OpenEntity(definition, { digest, directory, manifest: readEntityManifest(directory, digest) }, () => 0)
}

/** A manifest of an earlier format, as far as it is read here. */
type OldManifest = Pick<Manifest, 'built' | 'source' | 'aliases'> & {
  readonly format?: number
  readonly entities: Readonly<Record<string, ReleasedEntity & OldFiles>>
  readonly findings: readonly (Omit<ReleaseFinding, 'description'> & { description?: string; says?: string })[]
}

/** Up to version 0.1.0 a release had the files of its entities in its own directory. */
type OldFiles = { readonly files: { readonly records: { readonly sha256: string } } }

function entitiesInRelease(shelf: Shelf, digest: string, { entities }: OldManifest): OldEntity[] {
  return Object.entries(entities).map(([name, { count, files }]) => ({
    name,
    // Its definitions were those of the program, whose published fields do not change.
    definition: entityData(entityIn(builtInCatalog, name)),
    count,
    records: { path: join(shelf.releaseDirectory(digest), `${name}.records`), sha256: files.records.sha256 },
  }))
}

function entitiesOnShelf(shelf: Shelf, { entities }: OldManifest): OldEntity[] {
  return Object.entries(entities).map(([name, released]) => {
    const directory = shelf.entityDirectory(released.digest)
    const path = join(directory, ENTITY_MANIFEST_FILE)
    if (!existsSync(path)) throw new DamagedRelease(path, 'is missing')
    const { definition, parents }: EntityManifest = JSON.parse(readFileSync(path, 'utf8'))
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

function filesOfOld(shelf: Shelf, digest: string): string[] {
  const endings = ENTITY_FILES.map((file) => `.${file}`)
  const directory = shelf.releaseDirectory(digest)
  return readdirSync(directory)
    .filter((name) => endings.some((ending) => name.endsWith(ending)))
    .map((name) => join(directory, name))
}

/** The releases that have been brought up and still have files of before. */
const leftovers = (shelf: Shelf): string[] =>
  shelf
    .digests()
    .filter((digest) => filesOfOld(shelf, digest).length > 0 && !('unreadable' in shelf.manifestOrReason(digest)))
