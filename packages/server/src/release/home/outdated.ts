// What of a home another version of the program has written: an earlier one, which an upgrade brings up, or a later one.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { renameDurably } from '../files/durable-file.ts'
import { ENTITY_FILES, type Manifest, type OtherFormat, otherFormat, parsedObject } from '../manifest.ts'
import { NewerRelease } from '../release.ts'
import type { ReleaseStore } from './release-store.ts'

type Outdated = OtherFormat & { readonly digest: string }

/** Up to version 0.1.0 the registry had this name. One that is there already is never replaced: it knows more. */
function oldRegistry(store: ReleaseStore): string | undefined {
  const path = join(store.home, 'numbers.json')
  return existsSync(path) && !existsSync(store.idRegistryFile) ? path : undefined
}

/** Gives a registry of an earlier version the name that it has now. */
export function adoptOldRegistry(store: ReleaseStore): void {
  const registry = oldRegistry(store)
  if (registry !== undefined) renameDurably(registry, store.idRegistryFile)
}

/** Whether there is anything to bring up. */
export const isOutdated = (store: ReleaseStore): boolean =>
  oldRegistry(store) !== undefined || outdatedReleases(store).length > 0 || leftovers(store).length > 0

/** The releases that a later version of the program has written. */
export const newerReleases = (store: ReleaseStore): NewerRelease[] =>
  store.digests().flatMap((digest) => {
    const other = otherFormatAt(store, digest)
    return other?.state === 'newer' ? [new NewerRelease(digest, other.version, other.entities)] : []
  })

function otherFormatAt(store: ReleaseStore, digest: string): OtherFormat | undefined {
  const manifest = parsedObject(store.manifestText(digest) ?? '')
  return typeof manifest === 'string' ? undefined : otherFormat(manifest as Manifest)
}

/** The releases to bring up; those that were current last come first. */
export function outdatedReleases(store: ReleaseStore): Outdated[] {
  const there = new Set(store.digests())
  const digests = new Set([...store.history().filter((digest) => there.has(digest)), ...there])
  return [...digests].flatMap((digest) => {
    const other = otherFormatAt(store, digest)
    return other?.state === 'outdated' ? [{ ...other, digest }] : []
  })
}

/** The files of entities that a release of an old format has in its own directory. */
export function filesOfOld(store: ReleaseStore, digest: string): string[] {
  const endings = ENTITY_FILES.map((file) => `.${file}`)
  const directory = store.releaseDirectory(digest)
  return readdirSync(directory)
    .filter((name) => endings.some((ending) => name.endsWith(ending)))
    .map((name) => join(directory, name))
}

/** The releases that have been brought up and still have files of before. */
export const leftovers = (store: ReleaseStore): string[] =>
  store
    .digests()
    .filter((digest) => filesOfOld(store, digest).length > 0 && !('unreadable' in store.manifestOrReason(digest)))
