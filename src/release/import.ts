// Brings a source in: completes it, builds a release, compares it with the current one, guards, and makes it current.
import { type EntityName, entityNames } from '../catalog/entities.ts'
import { Failure } from '../failure.ts'
import type { Source } from '../source/source.ts'
import { buildRelease, type OnProgress } from './build.ts'
import { completed, releaseSource } from './carry-over.ts'
import { breakingChanges, type Changes, compareReleases } from './guard.ts'
import { IdRegistry } from './id-registry.ts'
import type { Manifest } from './manifest.ts'
import { type StoredRelease, storedRelease } from './release.ts'
import type { Shelf } from './shelf.ts'
import { verifyRelease } from './verify.ts'

export type ImportOptions = {
  /** What completes the source when there is no release yet. */
  readonly fallback: Source
  readonly acceptChanges: boolean
  readonly dryRun: boolean
  readonly onProgress?: OnProgress
}

export type ImportReport = {
  readonly digest: string
  readonly previous: string | undefined
  readonly outcome: 'activated' | 'nothing to do' | 'dry run'
  readonly counts: Readonly<Record<EntityName, number>>
  /** Against the release before; absent when there was none. */
  readonly changes: Changes | undefined
  readonly breakingChanges: readonly string[]
  readonly findings: Manifest['findings']
  readonly seconds: number
  readonly recordsPerSecond: number
}

export class BreakingChanges extends Failure {
  constructor(found: readonly string[]) {
    super(
      `this import would surprise those who rely on the current release:\n${found.map((one) => `  ${one}`).join('\n')}\n` +
        'Nothing was changed. Look at it with --dry-run, and give --accept-changes if it is right.',
    )
  }
}

/** The caller holds the lock of the home. */
export async function importRelease(shelf: Shelf, source: Source, options: ImportOptions): Promise<ImportReport> {
  const base = await soundCurrent(shelf, source)
  const whole = completed(source, base === undefined ? options.fallback : releaseSource(base))
  // Invented records neither take nor keep anyone's number.
  const numbers = source.origin.synthetic ? new IdRegistry() : shelf.loadIdRegistry()
  const directory = shelf.newBuilding()
  try {
    const started = performance.now()
    const manifest = await buildRelease(whole, directory, numbers, options.onProgress)
    const seconds = (performance.now() - started) / 1_000
    const built = storedRelease(directory, manifest.digest)
    const changes = base === undefined ? undefined : compareReleases(base, built)
    const found = guarded(base, built, changes, numbers)
    if (found.length > 0 && !options.acceptChanges && !options.dryRun) throw new BreakingChanges(found)
    const same = base?.manifest.digest === manifest.digest
    const outcome = same ? 'nothing to do' : options.dryRun ? 'dry run' : 'activated'
    if (outcome === 'activated') await makeCurrent(shelf, directory, manifest, numbers)
    return { ...reportOf(manifest, seconds), previous: base?.manifest.digest, outcome, changes, breakingChanges: found }
  } finally {
    shelf.sweep()
  }
}

/** The release to compare with and to complete from. A damaged one is no use, but is no reason to refuse a whole catalog. */
async function soundCurrent(shelf: Shelf, source: Source): Promise<StoredRelease | undefined> {
  const digest = shelf.currentDigest()
  if (digest === undefined) return undefined
  // Byte for byte: what is carried over from it gets a new digest, under which no damage would ever be found again.
  const [damage] = await verifyRelease(shelf.directoryOf(digest), digest)
  if (damage === undefined) return shelf.stored(digest)
  if (source.provides.length === entityNames.length) return undefined
  throw new Failure(damage)
}

/** Invented records owe nothing to anyone, on either side; but a number given to a real record stays with it. */
function guarded(
  base: StoredRelease | undefined,
  built: StoredRelease,
  changes: Changes | undefined,
  numbers: IdRegistry,
): string[] {
  if (built.manifest.source.synthetic) return []
  const invented = base === undefined || changes === undefined || base.manifest.source.synthetic
  const found = invented ? [] : breakingChanges(base, built, changes)
  if (found.length > 0) return found
  const told = (claims: readonly string[], what: string) =>
    claims.length === 0 ? [] : [`${claims.length} ${what}, such as ${claims[0]}`]
  return [
    ...told(numbers.reassigned, 'identifiers of records that are gone would be given again'),
    ...told(numbers.moved, 'records would get another identifier than they had'),
  ]
}

async function makeCurrent(shelf: Shelf, directory: string, manifest: Manifest, numbers: IdRegistry): Promise<void> {
  // Numbers first: cut short after this, a number may stay unused, but is never given twice.
  if (!manifest.source.synthetic) shelf.saveIdRegistry(numbers)
  await shelf.place(directory, manifest.digest)
  shelf.activate(manifest.digest)
}

function reportOf(manifest: Manifest, seconds: number) {
  const counts = Object.fromEntries(entityNames.map((name) => [name, manifest.entities[name].count]))
  const records = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return {
    digest: manifest.digest,
    counts: counts as Record<EntityName, number>,
    findings: manifest.findings,
    seconds,
    recordsPerSecond: Math.round(records / seconds),
  }
}
