// Touches what is about to be read of a home on another thread, so that a disk that does not respond holds no process.
//
// One file after the other: whatever hangs then occupies one thread, and others are left for what is served meanwhile.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openFile, readText } from '../files/regular-file.ts'
import { DIGEST, MANIFEST_FILE, MAX_MANIFEST_BYTES, outlineOf } from '../manifest.ts'
import type { ReleaseDirectories } from '../release.ts'

/** Resolves when a release can be opened without waiting, or cannot be opened at all. */
export async function touchRelease(places: ReleaseDirectories, digest: string): Promise<void> {
  const directory = places.releaseDirectory(digest)
  await touchFiles(directory)
  for (const { digest } of Object.values((await manifestAt(directory)).entities ?? {}))
    if (digest !== undefined && DIGEST.test(digest)) await touchFiles(places.entityDirectory(digest))
}

/** Resolves when all files of a directory can be opened at once, or cannot be opened. */
export async function touchFiles(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => [])
  for (const name of names) {
    const file = await openFile(join(directory, name)).catch(() => undefined)
    await file?.close()
  }
}

/** A manifest so far as it can be read: nothing of it has been checked. */
export const manifestAt = async (directory: string): Promise<ReturnType<typeof outlineOf>> =>
  outlineOf(await readText(join(directory, MANIFEST_FILE), MAX_MANIFEST_BYTES).catch(() => undefined))
