// Reads entities again, byte for byte, and says what does not match their manifests.
import { join } from 'node:path'
import { sha256OfFile } from '../files/durable-file.ts'
import type { EntityFiles } from '../manifest.ts'
import { DamagedRelease, type ReleaseDirectories, readEntityManifest, readManifest, readRelease } from '../release.ts'

type VerifyOptions = {
  /** Some of the files; all if not given. */
  readonly files?: readonly (keyof EntityFiles)[]
  readonly sha256?: (path: string) => Promise<string>
}

/** The faults of the files of an entity. */
export async function verifyEntity(
  directory: string,
  digest: string,
  { files, sha256 = sha256OfFile }: VerifyOptions = {},
): Promise<DamagedRelease[]> {
  try {
    const manifest = readEntityManifest(directory, digest)
    const wrong: DamagedRelease[] = []
    for (const file of files ?? (Object.keys(manifest.files) as (keyof EntityFiles)[])) {
      const path = join(directory, file)
      const expected = manifest.files[file]?.sha256
      if (expected === undefined) continue
      const actual = await sha256(path).catch((error: unknown) => new DamagedRelease(path, unreadable(error)))
      if (actual instanceof DamagedRelease) wrong.push(actual)
      else if (actual !== expected) wrong.push(new DamagedRelease(path, 'has other content than it was built with'))
    }
    return wrong
  } catch (error) {
    if (error instanceof DamagedRelease) return [error]
    throw error
  }
}

/** A disk that cannot read a sector any more reports it when the file is read, and not sooner. */
function unreadable(error: unknown): string {
  if (!(error instanceof Error && 'code' in error)) throw error
  return `cannot be read (${error.code})`
}

/** Returns a function that finds the faults of a release; an entity that several releases share is read once for all of them. */
export function releaseVerifier(places: ReleaseDirectories): (digest: string) => Promise<string[]> {
  const verified = new Map<string, Promise<DamagedRelease[]>>()
  const verify = (digest: string) =>
    verified.getOrInsertComputed(digest, () => verifyEntity(places.entityDirectory(digest), digest))
  return async (digest) => {
    try {
      const { entities } = readManifest(places.releaseDirectory(digest), digest)
      const wrong: string[] = []
      for (const entity of Object.values(entities))
        wrong.push(...(await verify(entity.digest)).map(({ message }) => message))
      if (wrong.length === 0) readRelease(places, digest)
      return wrong
    } catch (error) {
      if (error instanceof DamagedRelease) return [error.message]
      throw error
    }
  }
}
