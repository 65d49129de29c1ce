// What of a home another version of the program has written: an earlier one, which an upgrade brings up, or a later one.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { renameDurably } from '../files/durable-file.ts'
import { ENTITY_FILES, type Manifest, type OtherFormat, otherFormat, parsedObject } from '../manifest.ts'
import { NewerRelease } from '../release.ts'
import type { Shelf } from './shelf.ts'

type Outdated = OtherFormat & { readonly digest: string }

/** Up to version 0.1.0 the registry had this name. One that is there already is never replaced: it knows more. */
function oldRegistry(shelf: Shelf): string | undefined {
  const path = join(shelf.home, 'numbers.json')
  return existsSync(path) && !existsSync(shelf.idRegistryFile) ? path : undefined
}

/** Gives a registry of an earlier version the name that it has now. */
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
    const other = otherFormatAt(shelf, digest)
    return other?.state === 'newer' ? [new NewerRelease(digest, other.version, other.entities)] : []
  })

function otherFormatAt(shelf: Shelf, digest: string): OtherFormat | undefined {
  const manifest = parsedObject(shelf.manifestText(digest) ?? '')
  return typeof manifest === 'string' ? undefined : otherFormat(manifest as Manifest)
}

/** The releases to bring up; those that were current last come first. */
export function outdatedReleases(shelf: Shelf): Outdated[] {
  const there = new Set(shelf.digests())
  const digests = new Set([...shelf.history().filter((digest) => there.has(digest)), ...there])
  return [...digests].flatMap((digest) => {
    const other = otherFormatAt(shelf, digest)
    return other?.state === 'outdated' ? [{ ...other, digest }] : []
  })
}

/** The files of entities that a release of an old format has in its own directory. */
export function filesOfOld(shelf: Shelf, digest: string): string[] {
  const endings = ENTITY_FILES.map((file) => `.${file}`)
  const directory = shelf.releaseDirectory(digest)
  return readdirSync(directory)
    .filter((name) => endings.some((ending) => name.endsWith(ending)))
    .map((name) => join(directory, name))
}

/** The releases that have been brought up and still have files of before. */
export const leftovers = (shelf: Shelf): string[] =>
  shelf
    .digests()
    .filter((digest) => filesOfOld(shelf, digest).length > 0 && !('unreadable' in shelf.manifestOrReason(digest)))
