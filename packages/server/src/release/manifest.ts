// The manifests of a release and its entities: digests, counts, files, and the origin of the records.

import { parsedAs } from '../base/json-bounds.ts'
import { OperationalError } from '../base/operational-error.ts'
import { mismatchesText, parse, type TypeOf } from '../base/schema.ts'
import { version } from '../base/version.ts'
import { entityData } from '../catalog/catalog.ts'
import { canonicalJson } from '../catalog/definitions-digest.ts'
import type { Entity } from '../catalog/entity.ts'
import type { Finding } from '../source/findings.ts'
import { NUMBERINGS, type Numbering } from '../source/numbering.ts'
import type { Alias } from '../source/source.ts'
import { BOUNDARY_FILES, boundariesApart } from './boundaries/boundary-levels.ts'
import { RECORD_FILES } from './files/record-file.ts'
import { INDEX_FILES } from './index/index-file.ts'
import { type entityManifest, manifestOutline, manifestSchema } from './manifest-schema.ts'

/** Raised whenever the files of an entity are laid out or written in another way. */
export const ENTITY_FORMAT = 4
/** The oldest format whose manifests and records this program reads, to make everything else of them anew. */
export const OLDEST_FORMAT = 3
/** Raised only when the same records are rendered in another way: the digest of a release stays what it was. */
const RECORDS_FORMAT = 1

/** A million aliases fit. */
export const MAX_MANIFEST_BYTES = 1 << 28
const MAX_MANIFEST_VALUES = 1 << 23

export const MANIFEST_FILE = 'manifest.json'
export const ENTITY_MANIFEST_FILE = 'entity.json'

/** The files of an entity, beside its manifest. */
export const ENTITY_FILES = [...RECORD_FILES, ...INDEX_FILES] as const
export type EntityFileName = (typeof ENTITY_FILES)[number]
/** A file that is there only if a record has a fact. */
export const FACTS_FILE = 'facts'
/** The files of an entity that some have, and that are not built from others. */
export const OPTIONAL_FILES = [FACTS_FILE, ...Object.values(BOUNDARY_FILES)] as const

export type EntityManifest = TypeOf<typeof entityManifest>
export type EntityFiles = EntityManifest['files']

export type ReleasedEntity = Manifest['entities'][string]
export type Manifest = TypeOf<typeof manifestSchema>
export type ReleaseFinding = Manifest['findings'][number]
export type ReleaseChanges = NonNullable<Manifest['changes']>
export type ReleasedPackage = NonNullable<Manifest['packages']>[number]

/** The parts of a release that its digest depends on. */
export type Checksums = {
  readonly entities: ReleaseContent
  readonly aliases?: readonly Alias[] | undefined
  readonly packages?: readonly ReleasedPackage[] | undefined
}

const digestOf = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')

type EntityContent = Pick<ReleasedEntity, 'count' | 'records' | 'facts' | 'boundaries'>
type ReleaseContent = Readonly<Record<string, EntityContent>>

export const isSameContent = (a: EntityContent, b: EntityContent): boolean =>
  a.records === b.records && a.facts === b.facts && a.boundaries === b.boundaries && a.count === b.count

/**
 * The checksums of everything that a release consists of: its records, their facts and boundaries, the imported aliases, and what
 * its packages say of themselves. This is what is signed.
 */
export function checksumsText({ entities, aliases = [], packages = [] }: Checksums): string {
  const lines = Object.entries(entities).map(([name, { count, records, facts, boundaries }]) => {
    const shapes = boundaries === undefined ? '' : ` boundaries ${boundaries}`
    return `${name} ${count} ${records}${facts === undefined ? '' : ` ${facts}`}${shapes}\n`
  })
  const aliasLines = aliases.map(({ entity, code, alias, reason }) => JSON.stringify([entity, code, alias, reason]))
  if (aliasLines.length > 0) lines.push(`aliases ${digestOf(aliasLines.join('\n'))}\n`)
  if (packages.length > 0) lines.push(`packages ${digestOf(packages.map(canonicalJson).join('\n'))}\n`)
  return `nomenclator release ${RECORDS_FORMAT}\n${lines.join('')}`
}

/** It depends on these checksums alone, so that the same content is the same release on any machine. */
export const releaseDigest = (checksums: Checksums): string => digestOf(checksumsText(checksums))

type ManifestParts = Pick<Manifest, 'built' | 'source' | 'entities' | 'findings'> & {
  readonly aliases: readonly Alias[] | undefined
  readonly packages: readonly ReleasedPackage[] | undefined
  readonly numbering: (entity: string) => Numbering
  readonly changes?: ReleaseChanges | undefined
}

/** The manifest of a release that this program writes. */
export function newManifest({ built, source, entities, findings, numbering, ...parts }: ManifestParts): Manifest {
  const { aliases = [], packages = [], changes } = parts
  const numbered = Object.entries(entities).map(([name, entity]) => [name, { ...entity, numbering: numbering(name) }])
  const manifest = {
    digest: releaseDigest({ entities, aliases, packages }),
    built,
    source,
    versions: { nomenclator: version, bun: Bun.version },
    entities: Object.fromEntries(numbered),
    findings,
    ...(aliases.length === 0 ? {} : { aliases }),
    ...(packages.length === 0 ? {} : { packages }),
    ...(changes === undefined ? {} : { changes }),
  }
  const parsed = parse(manifestSchema, manifest)
  if ('value' in parsed && Buffer.byteLength(manifestText(parsed.value)) <= MAX_MANIFEST_BYTES) return parsed.value
  const wrong = 'value' in parsed ? `its manifest has more than ${MAX_MANIFEST_BYTES} bytes` : mismatchesText(parsed)
  throw new OperationalError(`no release can be made of this: ${wrong}; nothing was changed`)
}

/** The numbering of an entity of a release; `official` where the release does not have it. */
export const numberingOf = ({ entities }: Pick<Manifest, 'entities'>, name: string): Numbering =>
  entities[name]?.numbering ?? 'official'

export const manifestText = (manifest: Manifest | EntityManifest): string => `${JSON.stringify(manifest, null, 2)}\n`

export const entityManifestOf = (
  entity: Entity,
  count: number,
  parents: EntityManifest['parents'],
  files: EntityFiles,
): EntityManifest => ({ format: ENTITY_FORMAT, definition: entityData(entity), count, parents, files })

/** How a release names an entity with this manifest. */
export function releasedEntity(manifest: EntityManifest): ReleasedEntity {
  const { format, definition, count, files } = manifest
  const bytes = Object.values(files).reduce((sum, { size }) => sum + size, 0)
  const facts = files.facts === undefined ? {} : { facts: files.facts.sha256 }
  const [shapes, others] = boundariesApart(files)
  const boundaries =
    shapes.length === 0
      ? {}
      : { boundaries: digestOf(shapes.join(' ')), embeddedAs: digestOf(manifestText({ ...manifest, files: others })) }
  const [digest, records] = [digestOf(manifestText(manifest)), files.records.sha256]
  return { format, collection: definition.plural, digest, count, records, ...facts, ...boundaries, bytes }
}

/** The digest by which entities that embed the records of one name it. */
export const embeddedDigest = ({ embeddedAs, digest }: ReleasedEntity): string => embeddedAs ?? digest

export const DIGEST = /^[0-9a-f]{64}$/

/** The number of records of each of its collections. */
export const collectionCounts = ({ entities }: Manifest): Record<string, number> =>
  Object.fromEntries(Object.values(entities).map(({ collection, count }) => [collection, count]))

/** The bytes of all its files, those that it shares with other releases too. */
export const sizeOf = ({ entities }: Manifest): number =>
  Object.values(entities).reduce((sum, { bytes }) => sum + bytes, 0)

/** The findings by kind, whichever entities they are about. */
export function findingsByKind({ findings }: Manifest): Finding[] {
  const byKind = new Map<string, Finding>()
  for (const { kind, description, count, examples } of findings) {
    const before = byKind.get(kind) ?? { count: 0, examples: [] }
    const some = [...before.examples, ...examples].slice(0, Math.max(examples.length, before.examples.length))
    byKind.set(kind, { kind, description, count: before.count + count, examples: some })
  }
  return [...byKind.values()]
}

/** A manifest of another format: that of another version of the program. */
export type OtherFormat = {
  /** `upgrade` rebuilds an outdated release; what is too old or too new is refused. */
  readonly state: 'outdated' | 'too old' | 'too new'
  /** The version that wrote it. */
  readonly version: string
  /** The entities in that format. */
  readonly entities: readonly string[]
}

/** A manifest that this program reads, or why it does not. */
export type ParsedManifest =
  | { readonly state: 'readable'; readonly manifest: Manifest }
  | { readonly state: 'damaged'; readonly wrong: string }
  | OtherFormat

export function parseManifest(text: string): ParsedManifest {
  const other = otherFormat(outlineOf(text))
  if (other !== undefined) return other
  const parsed = parsedAs(manifestSchema, text, MAX_MANIFEST_VALUES)
  if ('wrong' in parsed) return { state: 'damaged', ...parsed }
  return parsed.value.digest === releaseDigest(parsed.value)
    ? { state: 'readable', manifest: parsed.value }
    : { state: 'damaged', wrong: 'does not match its own digest' }
}

type Outline = Partial<TypeOf<typeof manifestOutline>>

/** The outline of a manifest of any format; empty if it cannot be read. */
export function outlineOf(text: string | undefined): Outline {
  const parsed = parsedAs(manifestOutline, text ?? '', MAX_MANIFEST_VALUES)
  return 'value' in parsed ? parsed.value : {}
}

type OutlinedEntity = NonNullable<Outline['entities']>[string]
const isNumberedOtherwise = ({ numbering = 'official' }: OutlinedEntity) =>
  !NUMBERINGS.some((known) => known === numbering)

const OTHER_FORMATS = [
  ['too new', ({ format = ENTITY_FORMAT }: OutlinedEntity) => format > ENTITY_FORMAT],
  // Earlier versions shipped localities under codes of their own, of which nothing was kept.
  ['too old', (one: OutlinedEntity) => (one.format ?? ENTITY_FORMAT) < OLDEST_FORMAT || isNumberedOtherwise(one)],
  ['outdated', ({ format = ENTITY_FORMAT }: OutlinedEntity) => format < ENTITY_FORMAT],
] as const

/** The formats alone decide, before anything else of the manifest is checked. */
function otherFormat({ versions, entities = {} }: Outline): OtherFormat | undefined {
  for (const [state, isOther] of OTHER_FORMATS) {
    const names = Object.keys(entities).filter((name) => isOther(entities[name] ?? {}))
    if (names.length > 0) return { state, version: versions?.nomenclator ?? 'an unknown version', entities: names }
  }
  return undefined
}
