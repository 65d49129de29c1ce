// Brings a source in: builds a release, compares it with the current one, guards, and makes it current.

import { OperationalError } from '../base/operational-error.ts'
import { entityIn } from '../catalog/catalog.ts'
import { type Entity, embedsOf, type Values } from '../catalog/entity.ts'
import { Faults } from '../source/faults.ts'
import { type Finding, Findings } from '../source/findings.ts'
import type { Source } from '../source/source.ts'
import { checkAliases } from './aliases.ts'
import { buildRelease } from './build/build.ts'
import type { Built, OnProgress } from './build/build-loop.ts'
import { type BuiltUpon, completionByRelease, completionBySource, storedRows } from './build/completion.ts'
import { withBoundaries } from './build/entity-boundaries.ts'
import { recordsWithoutChildren, type WithoutChildren } from './build/records-without-children.ts'
import { countIn } from './diff.ts'
import { breakingChanges, type ChangesByEntity, compareReleases, refuseContradictions } from './guard.ts'
import { IdRegistry, isNumbered } from './home/id-registry.ts'
import type { ReleaseStore } from './home/release-store.ts'
import { rememberBuilt } from './home/signature-check.ts'
import { verifyEntity } from './home/verify.ts'
import { findingsByKind, type Manifest, type ReleasedEntity, type ReleaseFinding } from './manifest.ts'
import {
  DamagedRelease,
  type OpenEntity,
  OtherFormatRelease,
  type Release,
  readManifest,
  releaseOf,
} from './release.ts'

export type ImportOptions = {
  /** The source that completes the given one when there is no release yet. */
  readonly fallback: Source
  readonly acceptChanges: boolean
  readonly dryRun: boolean
  readonly onProgress?: OnProgress
  /** Gives the signatures of a release of the home before it is made current. */
  readonly sign?: (store: ReleaseStore, digest: string) => Promise<string>
}

export type ImportReport = {
  readonly digest: string
  readonly previous: string | undefined
  readonly outcome: 'activated' | 'nothing to do' | 'dry run'
  /** The number of records of each entity, and the name of its collection. */
  readonly counts: Readonly<Record<string, number>>
  readonly collections: Readonly<Record<string, string>>
  /** The differences from the release before; undefined if there was none. */
  readonly changes: ChangesByEntity | undefined
  readonly breakingChanges: readonly string[]
  /** New records without children, since the source does not provide these. */
  readonly childless: readonly WithoutChildren[]
  readonly findings: readonly Finding[]
  readonly seconds: number
  readonly recordsPerSecond: number
}

export class BreakingChanges extends OperationalError {
  readonly found: readonly string[]

  constructor(found: readonly string[], isFirst: boolean, change = 'this import') {
    const why = isFirst
      ? 'this import looks like a part of the catalog, and there is no release to add it to'
      : `${change} would break what those who rely on the current release expect`
    super(
      `${why}:\n${found.map((one) => `  ${one}`).join('\n')}\n` +
        'Nothing was changed. Look at it with --dry-run, and give --accept-changes if it is right.',
    )
    this.found = found
  }
}

/** The caller holds the lock of the home, and has upgraded it. */
export async function importRelease(
  store: ReleaseStore,
  source: Source,
  options: ImportOptions,
): Promise<ImportReport> {
  const current = readCurrent(store, source, options.fallback)
  const { registry, unknown } = await registryFor(store, source, current, options.fallback)
  const directory = store.newBuilding()
  try {
    const started = performance.now()
    const completion = current === undefined ? completionBySource(options.fallback) : completionByRelease(current)
    const ofRows = await buildRelease(source, completion, directory, registry, options.onProgress)
    const withShapes = await withBoundaries(ofRows, source, directory, store)
    const seconds = (performance.now() - started) / 1_000
    const { manifest, directories } = withShapes
    const release = releaseOf(manifest, (digest) => directories.get(digest) ?? store.entityDirectory(digest))
    refuseContradictions(release)
    if (source.aliases !== undefined) checkAliases(release, manifest.aliases ?? [])
    const changes = await changesSince(current, release)
    const missing = current === undefined ? await partOnly(release, source, options.fallback) : []
    const knownIds = { registry, unknown }
    const found = missing.length > 0 ? missing : guarded(current?.release, release, changes, knownIds)
    if (found.length > 0 && !options.acceptChanges && !options.dryRun)
      throw new BreakingChanges(found, missing.length > 0)
    const childless = await recordsWithoutChildren(release, source.provides, completion)
    const built = { directories, manifest: withChanges(manifest, current?.release, changes) }
    const outcome = (await isCurrent(store, built)) ? 'nothing to do' : options.dryRun ? 'dry run' : 'activated'
    if (outcome === 'activated') await makeCurrent(store, built, registry, options.sign)
    else if (outcome === 'nothing to do' && !options.dryRun) await signIfOther(store, manifest.digest, options.sign)
    const previous = current?.release.digest
    return { ...reportOf(release, source, seconds), previous, outcome, changes, breakingChanges: found, childless }
  } finally {
    store.sweep()
  }
}

/** The release to build upon and to compare with, and what of it is damaged. */
type Current = BuiltUpon & { readonly damage: Map<string, DamagedRelease> }

/**
 * The latest of the releases that were current whose manifest can be read. Damage is no reason to refuse its
 * replacement, but nothing else can be built upon it.
 */
function readCurrent(store: ReleaseStore, source: Source, fallback: Source): Current | undefined {
  const refuseUnlessProvided = (name: string, wrong: DamagedRelease) => {
    if (!source.provides.includes(name)) throw wrong
  }
  let unreadable: DamagedRelease | undefined
  let current: Current | undefined
  for (const digest of new Set(store.history())) {
    try {
      current = currentOf(store, readManifest(store.releaseDirectory(digest), digest))
      break
    } catch (error) {
      const damage = damageIn(store, digest, error)
      if (damage === undefined) throw error
      unreadable ??= damage
    }
  }
  for (const [name, wrong] of current?.damage ?? []) refuseUnlessProvided(name, wrong)
  // An earlier release is good to compare with; to build upon it would bring back what the current one replaced.
  if (unreadable !== undefined) {
    const names = current === undefined ? publishable(store, fallback) : Object.keys(current.release.manifest.entities)
    for (const name of names) refuseUnlessProvided(name, unreadable)
  }
  return current
}

/** The damage that an error means. The caller has upgraded the home, so a release that is still outdated is damaged. */
function damageIn(store: ReleaseStore, digest: string, error: unknown): DamagedRelease | undefined {
  if (error instanceof OtherFormatRelease && error.state === 'outdated')
    return new DamagedRelease(store.releaseDirectory(digest), 'is in an earlier format and could not be upgraded')
  return error instanceof DamagedRelease ? error : undefined
}

/** The entities that a home may hold whose manifests cannot be read: those of its first release, and those in the id registry. */
const publishable = (store: ReleaseStore, fallback: Source): ReadonlySet<string> =>
  new Set([...fallback.provides, ...store.loadIdRegistry().names()])

function currentOf(store: ReleaseStore, manifest: Manifest): Current {
  const damage = new Map<string, DamagedRelease>()
  const release = releaseOf(manifest, store.entityDirectory, (name, error) => damage.set(name, error))
  const verify = async (name: string) => {
    const { stored } = release.entity(name)
    const files = ['records', 'offsets', 'index', 'facts'] as const
    const isUnread = stored !== undefined && !damage.has(name)
    const [wrong] = isUnread ? await verifyEntity(stored.directory, stored.digest, { files }) : []
    if (wrong !== undefined) damage.set(name, wrong)
    return damage.get(name)
  }
  const verifications = new Map<string, ReturnType<typeof verify>>()
  const damageOf: Current['damageOf'] = (name) => verifications.getOrInsertComputed(name, () => verify(name))
  return {
    release,
    damage,
    damageOf,
    verified: async (name) => {
      const wrong = await damageOf(name)
      if (wrong !== undefined) throw wrong
      return release.entity(name)
    },
  }
}

type KnownIds = {
  readonly registry: IdRegistry
  /** The entities whose published identifiers are lost. */
  readonly unknown: readonly string[]
}

/** Invented records neither take nor keep anyone's identifier. */
async function registryFor(store: ReleaseStore, source: Source, current: Current | undefined, fallback: Source) {
  if (source.origin.synthetic) return { registry: new IdRegistry(), unknown: [] }
  const registry = store.loadIdRegistry()
  if (fallback !== source) await preferIdsOf(fallback, source.provides, registry)
  const unknown: string[] = []
  if (current === undefined || current.release.manifest.source.synthetic) return { registry, unknown }
  const { catalog, manifest } = current.release
  for (const [name, { count }] of Object.entries(manifest.entities)) {
    const entity = catalog.entities.get(name)
    // A registry that was lost knows nothing of identifiers that are still published.
    if (entity === undefined || !isNumbered(entity) || registry.knows(entity) || count === 0) continue
    if ((await current.damageOf(name)) === undefined) registry.seed(entity, rowsIn(current.release.entity(name)))
    else unknown.push(name)
  }
  return { registry, unknown }
}

/** Prefers the identifiers of the bundled data, so that a code has the same one whichever source comes first. */
async function preferIdsOf(fallback: Source, names: readonly string[], registry: IdRegistry): Promise<void> {
  const report = { faults: new Faults(), findings: new Findings() }
  for (const name of names.filter((one) => fallback.provides.includes(one))) {
    const entity = entityIn(fallback.catalog, name)
    if (!isNumbered(entity)) continue
    const blocks = await Array.fromAsync(fallback.read(name, report))
    registry.prefer(entity, blocks.flatMap(({ rows }) => rows) as readonly Values[])
  }
}

function* rowsIn(entity: OpenEntity): Generator<Values> {
  for (const { rows } of storedRows(entity)) yield* rows as readonly Values[]
}

/** Only entities that differ are read, once they have been verified. */
async function changesSince(current: Current | undefined, built: Release): Promise<ChangesByEntity | undefined> {
  if (current === undefined) return undefined
  const { release, damage, damageOf } = current
  const isSound = async (entity: Entity): Promise<boolean> => {
    if ((await damageOf(entity.name)) !== undefined) return false
    // The key of a record is read out of the index of its parent, too.
    const inKey = embedsOf(entity).filter(([field]) => entity.key.includes(field))
    for (const [, parent] of inKey) if (!(await isSound(parent))) return false
    return true
  }
  const unreadable = new Map<string, ReleasedEntity>()
  for (const [name, released] of Object.entries(release.manifest.entities)) {
    const differs = released.digest !== built.manifest.entities[name]?.digest
    const entity = release.catalog.entities.get(name)
    const isReadable = !damage.has(name) && (!differs || (entity !== undefined && (await isSound(entity))))
    if (!isReadable) unreadable.set(name, released)
  }
  return compareReleases(release, built, unreadable)
}

/** The manifest with the counts of changes; without them where the records of a list could only be counted. */
function withChanges(manifest: Manifest, older: Release | undefined, changes: ChangesByEntity = {}): Manifest {
  const all = Object.entries(changes)
  if (older === undefined || all.some(([, { isByNumber }]) => isByNumber)) return manifest
  const collectionOf = (name: string) => (manifest.entities[name] ?? older.manifest.entities[name])?.collection ?? name
  const counted = all.flatMap(([name, { added, changed, removed }]) =>
    added + changed + removed === 0 ? [] : [[collectionOf(name), { added, changed, removed }] as const],
  )
  return { ...manifest, changes: { since: older.digest, collections: Object.fromEntries(counted) } }
}

/**
 * Why the first release of a home looks like a part of a catalog: INEGI, say, publishes a file of each state that looks just
 * like that of the country.
 */
async function partOnly(built: Release, { publishedBy }: Source, fallback: Source): Promise<string[]> {
  if (publishedBy === undefined || countIn(built, publishedBy) > 1) return []
  const report = { faults: new Faults(), findings: new Findings() }
  let expected = 0
  for await (const { rows } of fallback.read(publishedBy, report)) expected += rows.length
  return expected > 1 ? [`${publishedBy}: ${countIn(built, publishedBy)} of ${expected} that the bundled data has`] : []
}

/** The identifier of a real record stays with it. */
function guarded(
  current: Release | undefined,
  built: Release,
  changes: ChangesByEntity | undefined,
  { registry, unknown }: KnownIds,
): string[] {
  const breaks = current === undefined || changes === undefined ? [] : breakingChanges(current, built, changes)
  if (breaks.length > 0 || built.manifest.source.synthetic) return breaks
  const summary = (claims: readonly string[], what: string) =>
    claims.length === 0 ? [] : [`${claims.length} ${what}, such as ${claims[0]}`]
  const digestIn = (release: Release | undefined, name: string) => release?.manifest.entities[name]?.digest
  const incomparable = unknown.filter((name) => digestIn(current, name) !== digestIn(built, name))
  return [
    ...incomparable.map(
      (name) => `${name}: its records are damaged and not in the id registry, so that identifiers may change`,
    ),
    ...summary(registry.reassigned, 'identifiers of records that are gone would be given again'),
    ...summary(registry.moved, 'records would get another identifier than they had'),
  ]
}

/** True if the current release is just like the one that was built, and nothing that was built again is damaged there. */
async function isCurrent(store: ReleaseStore, { manifest, directories }: Built): Promise<boolean> {
  const { digest, entities } = manifest
  const current = store.currentDigest() === digest ? store.manifestOrReason(digest) : undefined
  if (current === undefined || 'unreadable' in current) return false
  for (const [name, { digest }] of Object.entries(entities)) {
    if (current.entities[name]?.digest !== digest) return false
    if (directories.has(digest) && (await verifyEntity(store.entityDirectory(digest), digest)).length > 0) return false
  }
  return true
}

async function makeCurrent(
  store: ReleaseStore,
  { manifest, directories }: Built,
  registry: IdRegistry,
  sign: ImportOptions['sign'],
): Promise<void> {
  // The registry first: cut short after this, an identifier may stay unused, but is never given twice.
  if (!manifest.source.synthetic) store.saveIdRegistry(registry)
  for (const [digest, directory] of directories) await store.placeEntity(directory, digest)
  rememberBuilt(store, manifest, directories.keys())
  store.placeRelease(manifest)
  // Before it is current, so that nodes that require a signature swap to it at once.
  await signIfOther(store, manifest.digest, sign)
  store.activate(manifest.digest)
}

async function signIfOther(store: ReleaseStore, digest: string, sign: ImportOptions['sign']): Promise<void> {
  const signature = await sign?.(store, digest)
  if (signature !== undefined && signature !== store.signatureOf(digest)) store.placeSignature(digest, signature)
}

function reportOf({ manifest, entity }: Release, { packages, provides, boundaries }: Source, seconds: number) {
  const names = Object.keys(manifest.entities)
  const counts = Object.fromEntries(names.map((name) => [name, entity(name).count]))
  const collections = Object.fromEntries(names.map((name) => [name, entity(name).definition.plural]))
  const records = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const recordsPerSecond = Math.round(records / seconds)
  // The findings of other packages were reported when they were imported.
  const isTold = ({ entity: of }: ReleaseFinding) =>
    packages === undefined || of === undefined || provides.includes(of) || boundaries?.has(of)
  const findings = findingsByKind({ ...manifest, findings: manifest.findings.filter(isTold) })
  return { digest: manifest.digest, counts, collections, findings, seconds, recordsPerSecond }
}
