// Homes as another version of the program would have written them: the same records in another format.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReleaseStore } from '../../packages/server/src/release/home/release-store.ts'
import {
  ENTITY_MANIFEST_FILE,
  type EntityManifest,
  MANIFEST_FILE,
  type Manifest,
  manifestText,
  type ReleasedEntity,
  releasedEntity,
} from '../../packages/server/src/release/manifest.ts'

/** Files that have another layout in another format. */
const DERIVED = ['offsets', 'index', 'words'] as const

/** Rewrites a file that may only be read. */
export function rewrite(path: string, text: string): void {
  rmSync(path)
  writeFileSync(path, text)
}

/** Rewrites all releases of a home in a format: all entities, or one and those that embed it. */
export function rewriteInFormat(store: ReleaseStore, format: number, writer: string, only?: string): void {
  const renamed = new Map<string, string>()
  const rewriteEntity = (name: string, { digest }: ReleasedEntity): void => {
    if (renamed.has(digest)) return
    const directory = store.entityDirectory(digest)
    const path = join(directory, ENTITY_MANIFEST_FILE)
    const entity: EntityManifest = JSON.parse(readFileSync(path, 'utf8'))
    const parents = Object.entries(entity.parents).map(([parent, of]) => [parent, renamed.get(of) as string])
    const isOther = only === undefined || name === only
    const other = { ...entity, ...(isOther ? { format } : {}), parents: Object.fromEntries(parents) }
    rewrite(path, manifestText(other))
    if (isOther) for (const file of DERIVED) rewrite(join(directory, file), 'as that format has it')
    renamed.set(digest, releasedEntity(other).digest)
    renameSync(directory, store.entityDirectory(renamed.get(digest) as string))
  }
  for (const release of store.digests()) {
    const path = join(store.releaseDirectory(release), MANIFEST_FILE)
    const manifest: Manifest = JSON.parse(readFileSync(path, 'utf8'))
    const entities = Object.entries(manifest.entities).map(([name, released]) => {
      rewriteEntity(name, released)
      const isOther = only === undefined || name === only
      const digest = renamed.get(released.digest)
      return [name, { ...released, digest, ...(isOther ? { format } : {}) }]
    })
    const versions = { ...manifest.versions, nomenclator: writer }
    rewrite(path, JSON.stringify({ ...manifest, versions, entities: Object.fromEntries(entities) }))
  }
}
