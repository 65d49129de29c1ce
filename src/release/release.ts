// One release on disk, checked and opened for reading.

import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Catalog } from '../catalog/catalog.ts'
import { builtInCatalog, type EntityName, entityNames } from '../catalog/entities.ts'
import type { Entity } from '../catalog/entity.ts'
import { Failure } from '../failure.ts'
import { IndexFile } from './index/index-file.ts'
import { ENTITY_FILE_PARTS, MANIFEST_FILE, type Manifest, parseManifest } from './manifest.ts'
import { RecordFile } from './record-file.ts'

export class DamagedRelease extends Failure {
  constructor(path: string, wrong: string) {
    super(
      `the release is damaged: ${path} ${wrong}. ` +
        'It was left as it is; import its source again to replace it, or activate another release.',
    )
  }
}

/** A release to be read from end to end. Nothing of it is mapped, so that garbage is not left lying for its sake. */
export type StoredRelease = {
  readonly directory: string
  readonly manifest: Manifest
}

/** One entity of a release, open for reading. */
export type OpenEntity = {
  readonly definition: Entity
  readonly count: number
  readonly records: RecordFile
  readonly index: IndexFile
}

/** A release to be served: its records are mapped into memory. */
export type Release = StoredRelease & {
  readonly digest: string
  /** When it was built, as an HTTP date. */
  readonly lastModified: string
  readonly catalog: Catalog
  /** Throws for an entity that is not in the catalog. */
  readonly entity: (name: string) => OpenEntity
}

/** The manifest of the release in a directory, once its files have been seen to be there and of the right size. */
export function readManifest(directory: string, digest: string): Manifest {
  const path = join(directory, MANIFEST_FILE)
  if (!existsSync(path)) throw new DamagedRelease(path, 'is missing')
  const manifest = parseManifest(readFileSync(path, 'utf8'))
  if ('wrong' in manifest) throw new DamagedRelease(path, manifest.wrong)
  if (manifest.digest !== digest) throw new DamagedRelease(path, `belongs to release ${manifest.digest}`)
  for (const entity of entityNames) {
    for (const part of ENTITY_FILE_PARTS)
      checkSize(join(directory, `${entity}.${part}`), manifest.entities[entity].files[part].size)
  }
  return manifest
}

function checkSize(path: string, expected: number): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) throw new DamagedRelease(path, 'is missing')
  if (found.size !== expected) throw new DamagedRelease(path, `has ${found.size} bytes instead of ${expected}`)
}

export const storedRelease = (directory: string, digest: string): StoredRelease => ({
  directory,
  manifest: readManifest(directory, digest),
})

export function openRelease(directory: string, digest: string): Release {
  const manifest = readManifest(directory, digest)
  const catalog = builtInCatalog
  const opened = new Map(
    [...catalog.entities].map(([name, definition]) => {
      const { count } = manifest.entities[name as EntityName]
      const records = new RecordFile(directory, name, count)
      return [name, { definition, count, records, index: new IndexFile(directory, definition) }]
    }),
  )
  return {
    directory,
    manifest,
    digest,
    lastModified: new Date(manifest.built).toUTCString(),
    catalog,
    entity: (name) => {
      const entity = opened.get(name)
      if (entity === undefined) throw new Error(`the release has no ${name}`)
      return entity
    },
  }
}
