// The boundaries of an entity in a build: kept as they are, or put in the place of others beside the same records.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { GivenShape } from '../../source/boundaries/corners.ts'
import type { Source } from '../../source/source.ts'
import { BOUNDARY_FILES, boundariesApart, boundaryWriter, type WriteBoundaries } from '../boundaries/boundary-levels.ts'
import { boundaryListOf } from '../boundaries/boundary-records.ts'
import { type FileSummary, syncDirectory, writeDurably } from '../files/durable-file.ts'
import { mapped } from '../files/mapped-file.ts'
import {
  ENTITY_MANIFEST_FILE,
  type EntityFiles,
  type EntityManifest,
  manifestText,
  newManifest,
  numberingOf,
  type ReleaseFinding,
  releasedEntity,
} from '../manifest.ts'
import { DamagedRelease, releaseOf, type StoredEntity } from '../release.ts'
import type { Built } from './build-loop.ts'

/** Where the entities are that were not built. */
type Store = { readonly entityDirectory: (digest: string) => string }

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
export const isOfBoundary = (kind: string): boolean => kind.startsWith('boundary-')

/** A release that was built, with the boundaries that its source has for lists in it: the same records in other directories. */
export async function withBoundaries(built: Built, source: Source, directory: string, store: Store): Promise<Built> {
  const { manifest } = built
  const given = [...(source.boundaries ?? [])].filter(([name]) => Object.hasOwn(manifest.entities, name))
  if (given.length === 0) return built
  const directories = new Map(built.directories)
  const release = releaseOf(manifest, (digest) => directories.get(digest) ?? store.entityDirectory(digest))
  const entities = { ...manifest.entities }
  let { findings } = manifest
  for (const [name, match] of given) {
    const { definition, stored } = release.entity(name)
    const { shapes, findings: ofShapes } = match(boundaryListOf(release, definition))
    const isKept = ({ entity, kind }: ReleaseFinding) => entity !== name || !isOfBoundary(kind)
    findings = [...findings.filter(isKept), ...ofShapes.map((finding) => ({ ...finding, entity: name }))]
    if (shapes.length === 0) continue
    const target = join(directory, `${name}.boundaries`)
    const released = await entityWith(shapes, stored as StoredEntity, target)
    entities[name] = released
    directories.delete((stored as StoredEntity).digest)
    directories.set(released.digest, target)
  }
  const { aliases, packages } = manifest
  const numbering = (name: string) => numberingOf(manifest, name)
  return { manifest: newManifest({ ...manifest, entities, findings, aliases, packages, numbering }), directories }
}

async function entityWith(shapes: readonly GivenShape[], before: StoredEntity, directory: string) {
  mkdirSync(directory, { recursive: true })
  const [, others] = boundariesApart(before.manifest.files)
  const files: EntityFiles = {
    ...copied(before.directory, others, directory),
    ...(await boundaryWriter(shapes)(directory)),
  }
  const changed: EntityManifest = { ...before.manifest, files }
  writeDurably(join(directory, ENTITY_MANIFEST_FILE), manifestText(changed))
  syncDirectory(directory)
  return releasedEntity(changed)
}
