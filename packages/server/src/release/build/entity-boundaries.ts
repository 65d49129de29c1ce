// The boundaries of an entity in a build: kept as they are, or put in the place of others beside the same records.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Source } from '../../source/source.ts'
import { BOUNDARY_FILES, boundariesApart, boundaryWriter, type WriteBoundaries } from '../boundaries/boundary-levels.ts'
import { type FileSummary, syncDirectory, writeDurably } from '../files/durable-file.ts'
import { mapped } from '../files/mapped-file.ts'
import {
  ENTITY_MANIFEST_FILE,
  type EntityFiles,
  type EntityManifest,
  manifestText,
  releasedEntity,
} from '../manifest.ts'
import { DamagedRelease, type OpenEntity, type StoredEntity } from '../release.ts'
import type { ReusableEntity } from './build-loop.ts'

type Summaries = { readonly [file: string]: FileSummary | undefined }

/** The boundaries that an entity has on disk; undefined where it has none. */
export function keptBoundaries(directory: string, files: EntityFiles): WriteBoundaries | undefined {
  if (files.boundaries === undefined) return undefined
  const own = Object.fromEntries(Object.values(BOUNDARY_FILES).map((name) => [name, files[name] as FileSummary]))
  return async (target) => copied(directory, own, target)
}

/** Files of an entity, copied into a directory as they were written. */
function copied<S extends Summaries>(from: string, files: S, to: string): S {
  for (const [name, summary] of Object.entries(files)) {
    const path = join(from, name)
    if (writeDurably(join(to, name), mapped(path)).sha256 !== summary?.sha256)
      throw new DamagedRelease(path, 'has other content than it was built with')
  }
  return files
}

/** The kinds of findings about boundaries begin so. */
const BOUNDARY_FINDING = 'boundary-'

/** An entity with the same records and other boundaries, in a directory of its own. */
export async function withBoundaries(
  { stored }: OpenEntity,
  { findings }: ReusableEntity,
  given: NonNullable<ReturnType<NonNullable<Source['boundaries']>>>,
  directory: string,
): Promise<ReusableEntity> {
  const { directory: before, manifest } = stored as StoredEntity
  mkdirSync(directory, { recursive: true })
  const [, others] = boundariesApart(manifest.files)
  const files: EntityFiles = {
    ...copied(before, others, directory),
    ...(await boundaryWriter(given.shapes)(directory)),
  }
  const changed: EntityManifest = { ...manifest, files }
  writeDurably(join(directory, ENTITY_MANIFEST_FILE), manifestText(changed))
  syncDirectory(directory)
  const kept = findings.filter(({ kind }) => !kind.startsWith(BOUNDARY_FINDING))
  return { released: releasedEntity(changed), findings: [...kept, ...given.findings], directory }
}
