// Reads entities again, byte for byte, and says what does not match their manifests.
import { join } from 'node:path'
import { sha256OfFile } from '../files/durable-file.ts'
import type { EntityFiles } from '../manifest.ts'
import { DamagedRelease, type Places, readEntityManifest, readManifest } from '../release.ts'

/** What is wrong with the files of an entity, or with some of them. */
export async function verifyEntity(
  directory: string,
  digest: string,
  files?: readonly (keyof EntityFiles)[],
): Promise<DamagedRelease[]> {
  try {
    const manifest = readEntityManifest(directory, digest)
    const wrong: DamagedRelease[] = []
    for (const file of files ?? (Object.keys(manifest.files) as (keyof EntityFiles)[])) {
      const path = join(directory, file)
      const expected = manifest.files[file]?.sha256
      if (expected !== undefined && (await sha256OfFile(path)) !== expected)
        wrong.push(new DamagedRelease(path, 'has other content than it was built with'))
    }
    return wrong
  } catch (error) {
    if (error instanceof DamagedRelease) return [error]
    throw error
  }
}

/** What is wrong with a release; an entity that several releases share is read once for all of them. */
export function releaseVerifier(places: Places): (digest: string) => Promise<string[]> {
  const verified = new Map<string, Promise<DamagedRelease[]>>()
  const verify = (digest: string) => {
    const known = verified.get(digest) ?? verifyEntity(places.entityDirectory(digest), digest)
    verified.set(digest, known)
    return known
  }
  return async (digest) => {
    try {
      const { entities } = readManifest(places.releaseDirectory(digest), digest)
      const wrong: string[] = []
      for (const { digest } of Object.values(entities))
        for (const { message } of await verify(digest)) wrong.push(message)
      return wrong
    } catch (error) {
      if (error instanceof DamagedRelease) return [error.message]
      throw error
    }
  }
}
