// Chooses the release to serve: the current one, or else the newest sound one before it.
import { messageOf, OperationalError } from '../../base/operational-error.ts'
import type { Release } from '../release.ts'
import type { ReleaseStore } from './release-store.ts'
import { manifestAt, touchRelease } from './touch-files.ts'

/** Faults by the digest of the entity or release that is damaged. */
export type Damage = ReadonlyMap<string, string>

export const noDamage: Damage = new Map()

/** Opens a release; throws if it cannot be opened, or the scrub has found damage in it. */
export async function openSound(store: ReleaseStore, digest: string, damage: Damage): Promise<Release> {
  await touchRelease(store, digest)
  return readSound(store, digest, damage).map()
}

/** Reads a release that is not damaged, for a process that serves nothing yet and may wait for the disk; nothing is mapped yet. */
function readSound(store: ReleaseStore, digest: string, damage: Damage): Release {
  const release = store.read(digest)
  const wrong = damageOf(release, damage)
  if (wrong !== undefined) throw new OperationalError(wrong)
  return release
}

/** The first fault of a release among the damage. */
export function damageOf({ manifest }: Release, damage: Damage): string | undefined {
  if (damage.size === 0) return undefined
  const digests = [manifest.digest, ...Object.values(manifest.entities).map(({ digest }) => digest)]
  return digests.map((digest) => damage.get(digest)).find((wrong) => wrong !== undefined)
}

export type ReleaseToServe = {
  readonly release: Release
  /** Why it is not the current release. */
  readonly reason?: string
}

type Hints = {
  readonly damage?: Damage
  /** The digest of the release that other workers serve. It is preferred where nothing says which one is current. */
  readonly served?: string | undefined
}

/**
 * The release to start with: the current one, or else the newest sound one. Undefined for a home without any; if there are
 * some and none can be opened, it throws why the first of them cannot.
 */
export async function openReleaseToServe(
  store: ReleaseStore,
  { damage = noDamage, served }: Hints = {},
): Promise<ReleaseToServe | undefined> {
  const current = await currentOrReason(store)
  if ('digest' in current) {
    try {
      return { release: readSound(store, current.digest, damage) }
    } catch (error) {
      const release = await openEarlier(store, current.digest, damage)
      if (release === undefined) throw error
      return { release, reason: messageOf(error) }
    }
  }
  const newest = await byDate(store)
  const release = await openFirst(store, served === undefined ? newest : [served, ...newest], damage)
  if (release !== undefined) return { release, reason: current.reason }
  if (current.isMissing && newest.length === 0) return undefined
  throw new OperationalError(current.reason)
}

/** The newest sound release besides this one: of those that were current, then of all others. */
export async function openEarlier(store: ReleaseStore, current: string, damage: Damage): Promise<Release | undefined> {
  const others = new Set([...(await store.historyAsync().catch(() => [])), ...(await byDate(store))])
  others.delete(current)
  return openFirst(store, [...others], damage)
}

async function openFirst(store: ReleaseStore, digests: readonly string[], damage: Damage) {
  for (const digest of digests) {
    try {
      return await openSound(store, digest, damage)
    } catch {
      // The next one may be sound. The reason does not matter: this is not the one that should be served.
    }
  }
  return undefined
}

/** All releases on disk, newest first. */
async function byDate(store: ReleaseStore): Promise<string[]> {
  const built = new Map<string, string>()
  for (const digest of await store.digestsAsync()) {
    built.set(digest, (await manifestAt(store.releaseDirectory(digest))).built ?? '')
  }
  return [...built]
    .sort(([a, builtA], [b, builtB]) => builtB.localeCompare(builtA) || a.localeCompare(b))
    .map(([digest]) => digest)
}

/** The digest of the current release, or why it cannot be read. */
export async function currentOrReason(
  store: ReleaseStore,
): Promise<{ readonly digest: string } | { readonly reason: string; readonly isMissing: boolean }> {
  try {
    const [digest] = await store.historyAsync()
    if (digest !== undefined) return { digest }
    return { reason: `${store.currentFile} is missing or cannot be reached.`, isMissing: true }
  } catch (error) {
    return { reason: messageOf(error), isMissing: false }
  }
}
