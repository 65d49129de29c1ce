// Reads a release again, byte for byte, and says what does not match its manifest.
import { join } from 'node:path'
import { entityNames } from '../catalog/entities.ts'
import { sha256OfFile } from './durable-file.ts'
import { ENTITY_FILE_PARTS } from './manifest.ts'
import { DamagedRelease, readManifest } from './release.ts'

export async function verifyRelease(directory: string, digest: string): Promise<string[]> {
  try {
    const manifest = readManifest(directory, digest)
    const wrong: string[] = []
    for (const entity of entityNames) {
      for (const part of ENTITY_FILE_PARTS) {
        const path = join(directory, `${entity}.${part}`)
        if ((await sha256OfFile(path)) !== manifest.entities[entity].files[part].sha256)
          wrong.push(new DamagedRelease(path, 'has other content than it was built with').message)
      }
    }
    return wrong
  } catch (error) {
    if (error instanceof DamagedRelease) return [error.message]
    throw error
  }
}
