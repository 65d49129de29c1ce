// One release on disk: its manifests checked, its entities open for reading.

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { parsedAs } from '../base/json-bounds.ts'
import { OperationalError } from '../base/operational-error.ts'
import type { Schema } from '../base/schema.ts'
import { version } from '../base/version.ts'
import { type Catalog, completedCatalog, type EntityData, entityData, orderedCatalog } from '../catalog/catalog.ts'
import { clashOf } from '../catalog/collections.ts'
import { contradictionIn } from '../catalog/definition-schema.ts'
import { definitionsDigest } from '../catalog/definitions-digest.ts'
import type { Entity } from '../catalog/entity.ts'
import { builtInCatalog } from '../source/built-in.ts'
import { packageListsFault } from '../source/package/package-info.ts'
import { BoundaryFile } from './boundaries/boundary-file.ts'
import { BOUNDARY_FILES, BOUNDARY_LEVELS, type BoundaryLevel } from './boundaries/boundary-levels.ts'
import { RecordFile } from './files/record-file.ts'
import { NotAFile, readTextSync } from './files/regular-file.ts'
import { emptyIndex } from './index/empty-index.ts'
import { type EntityIndex, IndexFile } from './index/index-file.ts'
import {
  ENTITY_MANIFEST_FILE,
  type EntityManifest,
  isSameContent,
  MANIFEST_FILE,
  MAX_MANIFEST_BYTES,
  type Manifest,
  type OtherFormat,
  parseManifest,
  type ReleasedEntity,
  type ReleasedPackage,
  releasedEntity,
} from './manifest.ts'
import { entityManifest } from './manifest-schema.ts'
import type { Proof } from './signing/release-signature.ts'

export class DamagedRelease extends OperationalError {
  constructor(path: string, wrong: string) {
    super(
      `the release is damaged: ${path} ${wrong}. ` +
        'It was left as it is; import its source again to replace it, or activate another release.',
    )
  }
}

const FORMAT_WORDS = {
  outdated: (_writer: string, entities: string) =>
    `; ${entities} are in an earlier format. Upgrade it with nomenclator upgrade, which keeps its digest.`,
  'too old': (writer: string, entities: string) =>
    `: ${entities} are in a format that this program (${version}) no longer reads. Nothing was changed. Use Nomenclator ` +
    `${writer}, or a version between the two, or give another home with --home DIR: nomenclator serve builds the bundled data ` +
    'there, and what else was imported is imported into it again.',
  'too new': (writer: string, entities: string) =>
    `, which is newer than this program (${version}): ${entities} are in a format that it does not know. Nothing was ` +
    `changed. Use Nomenclator ${writer} or later, or another home.`,
} as const

/** A release in a format that this program does not serve. */
export class OtherFormatRelease extends OperationalError {
  readonly state: OtherFormat['state']

  constructor(digest: string, { state, version: writer, entities }: OtherFormat) {
    const words = FORMAT_WORDS[state](writer, entities.join(', '))
    super(`release ${digest.slice(0, 12)} was written by Nomenclator ${writer}${words}`)
    this.state = state
  }
}

/** The content of a file that must be there. */
export function contentOf(path: string): string {
  try {
    const content = readTextSync(path, MAX_MANIFEST_BYTES)
    if (content !== undefined) return content
  } catch (error) {
    throw error instanceof NotAFile ? new DamagedRelease(path, error.wrong) : error
  }
  throw new DamagedRelease(path, 'is missing')
}

/** The content of a file as a schema reads it. */
export function readAs<T>(schema: Schema<T>, path: string): T {
  const parsed = parsedAs(schema, contentOf(path))
  if ('wrong' in parsed) throw new DamagedRelease(path, parsed.wrong)
  return parsed.value
}

/** The directories of the releases and entities of a home. */
export type ReleaseDirectories = {
  readonly releaseDirectory: (digest: string) => string
  readonly entityDirectory: (digest: string) => string
}

/** The manifest of a release that this program reads; of any other it throws why not. */
export function readManifest(directory: string, digest: string): Manifest {
  const path = join(directory, MANIFEST_FILE)
  const parsed = parseManifest(contentOf(path))
  switch (parsed.state) {
    case 'damaged':
      throw new DamagedRelease(path, parsed.wrong)
    case 'readable':
      if (parsed.manifest.digest !== digest)
        throw new DamagedRelease(path, `belongs to release ${parsed.manifest.digest}`)
      return parsed.manifest
    default:
      throw new OtherFormatRelease(digest, parsed)
  }
}

/** The manifest of an entity; throws unless its files are there and of the right size. */
export function readEntityManifest(directory: string, digest: string): EntityManifest {
  const path = join(directory, ENTITY_MANIFEST_FILE)
  const manifest = readAs(entityManifest, path)
  for (const [file, { size }] of Object.entries(manifest.files)) checkSize(join(directory, file), size)
  if (releasedEntity(manifest).digest !== digest) throw new DamagedRelease(path, 'does not match its own digest')
  return manifest
}

/** The manifest of an entity that a release names: the digest of the release is that of its records, so they must be these. */
export function readReleasedEntity(directory: string, released: ReleasedEntity): EntityManifest {
  const manifest = readEntityManifest(directory, released.digest)
  const found = releasedEntity(manifest)
  const path = join(directory, ENTITY_MANIFEST_FILE)
  if (!isSameContent(found, released))
    throw new DamagedRelease(path, 'has other records than the release that names it')
  if (found.collection !== released.collection || found.format !== released.format)
    throw new DamagedRelease(path, 'has another collection or format than the release that names it')
  return manifest
}

function checkSize(path: string, expected: number): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) throw new DamagedRelease(path, 'is missing')
  if (!stats.isFile()) throw new DamagedRelease(path, 'is not a regular file')
  if (stats.size !== expected) throw new DamagedRelease(path, `has ${stats.size} bytes instead of ${expected}`)
}

/** An entity on disk. */
export type StoredEntity = {
  readonly digest: string
  readonly directory: string
  readonly manifest: EntityManifest
}

/** One entity of a release. Its files are mapped into memory when they are first read. */
export class OpenEntity {
  readonly definition: Entity
  /** Undefined for an entity that the release lacks, which is then empty. */
  readonly stored: StoredEntity | undefined
  readonly count: number
  readonly #countOf: (name: string) => number
  #records: RecordFile | undefined
  #index: EntityIndex | undefined
  readonly #boundaries = new Map<BoundaryLevel, BoundaryFile>()

  /** `countOf` gives the number of records of an entity that it embeds. */
  constructor(definition: Entity, stored: StoredEntity | undefined, countOf: (name: string) => number) {
    this.definition = definition
    this.stored = stored
    this.count = stored?.manifest.count ?? 0
    this.#countOf = countOf
  }

  get records(): RecordFile {
    this.#records ??= new RecordFile(this.stored?.directory ?? '', this.count)
    return this.#records
  }

  get index(): EntityIndex {
    this.#index ??=
      this.stored === undefined
        ? emptyIndex(this.definition, this.#countOf)
        : new IndexFile(this.stored.directory, this.definition)
    return this.#index
  }

  /** The boundaries of its records at a level of detail; undefined where it has none. */
  boundaries(level: BoundaryLevel): BoundaryFile | undefined {
    const file = BOUNDARY_FILES[level]
    const { stored } = this
    if (stored?.manifest.files[file] === undefined) return undefined
    return this.#boundaries.getOrInsertComputed(level, () => new BoundaryFile(join(stored.directory, file)))
  }
}

/** An entity by itself, to read its records. */
export const openEntity = (definition: Entity, digest: string, directory: string): OpenEntity =>
  new OpenEntity(definition, { digest, directory, manifest: readEntityManifest(directory, digest) }, () => 0)

export class Release {
  readonly digest: string
  readonly manifest: Manifest
  readonly catalog: Catalog
  /** When it was built, as an HTTP date. */
  readonly lastModified: string
  /** The proof by its signatures; undefined if none are required. */
  readonly proof: Proof | undefined
  readonly #entities: ReadonlyMap<string, OpenEntity>

  constructor(manifest: Manifest, catalog: Catalog, entities: ReadonlyMap<string, OpenEntity>, proof?: Proof) {
    this.digest = manifest.digest
    this.manifest = manifest
    this.catalog = catalog
    this.lastModified = new Date(manifest.built).toUTCString()
    this.proof = proof
    this.#entities = entities
  }

  withProof(proof: Proof): Release {
    return new Release(this.manifest, this.catalog, this.#entities, proof)
  }

  /** Throws for an entity that is not in the catalog. */
  entity = (name: string): OpenEntity => {
    const entity = this.#entities.get(name)
    if (entity === undefined) throw new Error(`the release has no ${name}`)
    return entity
  }

  /** Maps all files at once: what is mapped can still be read when the release is removed from disk. */
  map(): this {
    for (const entity of this.#entities.values())
      void [entity.records, entity.index, BOUNDARY_LEVELS.map((level) => entity.boundaries(level))]
    return this
  }
}

/** A release whose manifests are in order; nothing of it is mapped yet. */
export function readRelease(places: ReleaseDirectories, digest: string): Release {
  return releaseOf(readManifest(places.releaseDirectory(digest), digest), places.entityDirectory)
}

/** Called for an entity that is damaged; the release is then without it. */
type OnDamage = (name: string, damage: DamagedRelease) => void

/** The release of a manifest, with its entities in the given directories. Damage is thrown unless `onDamage` is given. */
export function releaseOf(manifest: Manifest, directoryOf: (digest: string) => string, onDamage?: OnDamage): Release {
  const stored = new Map<string, StoredEntity>()
  const own = new Map<string, EntityData>()
  // A list that ships with the program stands in for one that the release lacks, or that is damaged.
  const others = [...shippedDefinitions].filter(([name]) => onDamage !== undefined || !(name in manifest.entities))
  for (const [name, released] of Object.entries(manifest.entities)) {
    const { digest } = released
    const directory = directoryOf(digest)
    try {
      const entity = readReleasedEntity(directory, released)
      const { definition } = entity
      const wrong =
        (definition.name === name ? clashOf(definition, own) : `defines ${definition.name} instead of ${name}`) ??
        contradictionIn(definition, new Map([...others, ...own]))
      if (wrong !== undefined) throw new DamagedRelease(join(directory, ENTITY_MANIFEST_FILE), `is not sound: ${wrong}`)
      own.set(name, definition)
      stored.set(name, { digest, directory, manifest: entity })
    } catch (error) {
      if (onDamage === undefined || !(error instanceof DamagedRelease)) throw error
      onDamage(name, error)
    }
  }
  const wrong = onDamage === undefined ? packagesFault(manifest, own) : undefined
  if (wrong !== undefined) throw new DamagedRelease(`release ${manifest.digest.slice(0, 12)}`, `is not sound: ${wrong}`)
  const catalog = catalogOfRelease([...own.values()])
  const countOf = (name: string) => stored.get(name)?.manifest.count ?? 0
  const entities = [...catalog.entities].map(
    ([name, definition]) => [name, new OpenEntity(definition, stored.get(name), countOf)] as const,
  )
  return new Release(manifest, catalog, new Map(entities))
}

const shippedDefinitions = new Map([...builtInCatalog.entities].map(([name, entity]) => [name, entityData(entity)]))

/** Says which package of a release does not have the lists, or the definitions of them, that its digest is made of. */
function packagesFault({ packages = [] }: Manifest, own: ReadonlyMap<string, EntityData>): string | undefined {
  const isOther = ({ lists, definitions }: ReleasedPackage) =>
    definitions !== definitionsDigest(lists.flatMap((list) => own.get(list) ?? []))
  const other = packages.find(isOther)
  return packageListsFault(packages, own) ?? (other && `the lists of package ${other.name} are defined otherwise`)
}

const isBuiltIn = (one: EntityData) => one.package === undefined && builtInCatalog.entities.has(one.name)

/** A built-in list that came with a later version of the program is empty in a release that has the others. */
function catalogOfRelease(definitions: readonly EntityData[]): Catalog {
  return definitions.length === 0 || definitions.some(isBuiltIn)
    ? completedCatalog(definitions, builtInCatalog)
    : orderedCatalog(definitions)
}
