// Touches what is about to be read of a home on another thread, so that a disk that does not respond holds no process.
//
// One file after the other: whatever hangs then occupies one thread, and others are left for what is served meanwhile.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openFile, readText } from '../files/regular-file.ts'
import { MANIFEST_FILE, type Manifest, parsedObject } from '../manifest.ts'
import type { ReleaseDirectories } from '../release.ts'

/** Resolves when a release can be opened without waiting, or cannot be opened at all. */
export async function touchRelease(places: ReleaseDirectories, digest: string): Promise<void> {
  const directory = places.releaseDirectory(digest)
  await touchFiles(directory)
  const { entities } = await manifestAt(directory)
  for (const entity of Object.values(entities ?? {}))
    if (typeof entity?.digest === 'string') await touchFiles(places.entityDirectory(entity.digest))
}

/** Resolves when all files of a directory can be opened at once, or cannot be opened. */
export async function touchFiles(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => [])
  for (const name of names) {
    const file = await openFile(join(directory, name)).catch(() => undefined)
    await file?.close()
  }
}

/** A manifest as far as it can be read: nothing of it has been checked. */
export async function manifestAt(directory: string): Promise<Partial<Manifest>> {
  const text = await readText(join(directory, MANIFEST_FILE)).catch(() => undefined)
  const manifest = parsedObject(text ?? '')
  return typeof manifest === 'string' ? {} : manifest
}
