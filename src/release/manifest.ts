// What a release says of itself: its digest, where it came from, its counts, its files.
import { entities as definitions, type EntityName, entityNames } from '../catalog/entities.ts'
import type { Finding } from '../source/findings.ts'
import type { Origin } from '../source/source.ts'
import type { FileFacts } from './durable-file.ts'
import { INDEX_FILE_PARTS } from './index/index-file.ts'
import { RECORD_FILE_PARTS } from './record-file.ts'

/** Raised whenever the files of a release are laid out or written in another way. */
export const FORMAT = 2
/** Raised only when the same records are rendered in another way: the digest of a release stays what it was. */
const RECORDS_FORMAT = 1
export const MANIFEST_FILE = 'manifest.json'

/** The files of each entity: <entity>.<part>. */
export const ENTITY_FILE_PARTS = [...RECORD_FILE_PARTS, ...INDEX_FILE_PARTS] as const
export type EntityFilePart = (typeof ENTITY_FILE_PARTS)[number]

export type EntityFacts = { readonly count: number; readonly files: Readonly<Record<EntityFilePart, FileFacts>> }

export type Manifest = {
  readonly format: number
  readonly digest: string
  readonly built: string
  readonly source: Origin
  readonly versions: { readonly nomenclator: string; readonly bun: string }
  readonly entities: Readonly<Record<EntityName, EntityFacts>>
  readonly findings: readonly Finding[]
}

/** The digest depends on the records alone, so that the same records are the same release on any machine. */
export function releaseDigest(entities: Manifest['entities']): string {
  const hasher = new Bun.CryptoHasher('sha256')
  hasher.update(`nomenclator release ${RECORDS_FORMAT}\n`)
  for (const name of entityNames)
    hasher.update(`${name} ${entities[name].count} ${entities[name].files.records.sha256}\n`)
  return hasher.digest('hex')
}

export const DIGEST = /^[0-9a-f]{64}$/

/** Reads a manifest; on anything unexpected says what. */
export function parseManifest(text: string): Manifest | { readonly wrong: string } {
  let manifest: Manifest
  try {
    manifest = JSON.parse(text)
  } catch {
    return { wrong: 'is not JSON' }
  }
  if (typeof manifest !== 'object' || manifest === null) return { wrong: 'is not a JSON object' }
  if (manifest.format !== FORMAT)
    return { wrong: `has format ${manifest.format}, and this program reads format ${FORMAT}` }
  if (!tellsItsOrigin(manifest)) return { wrong: 'does not say where it came from and when' }
  if (!hasEveryFile(manifest)) return { wrong: 'does not list the files of every entity' }
  if (manifest.digest !== releaseDigest(manifest.entities)) return { wrong: 'does not match its own digest' }
  return manifest
}

function tellsItsOrigin({ built, source, versions, findings }: Manifest): boolean {
  const texts = [source?.kind, source?.title, versions?.nomenclator, versions?.bun]
  return (
    !Number.isNaN(Date.parse(built)) &&
    texts.every((text) => typeof text === 'string') &&
    typeof source.synthetic === 'boolean' &&
    Array.isArray(source.credits) &&
    Array.isArray(findings)
  )
}

function hasEveryFile(manifest: Manifest): boolean {
  return entityNames.every((name) => {
    const facts = manifest.entities?.[name]
    return (
      Number.isSafeInteger(facts?.count) &&
      ENTITY_FILE_PARTS.every(
        (part) => Number.isSafeInteger(facts?.files?.[part]?.size) && DIGEST.test(facts?.files?.[part]?.sha256),
      )
    )
  })
}

/** How many records each of its collections has. */
export const collectionCounts = ({ entities }: Manifest): Record<string, number> =>
  Object.fromEntries(entityNames.map((name) => [definitions[name].plural, entities[name].count]))

/** The bytes of all its files. */
export function sizeOf({ entities }: Manifest): number {
  return entityNames
    .flatMap((name) => ENTITY_FILE_PARTS.map((part) => entities[name].files[part].size))
    .reduce((sum, size) => sum + size, 0)
}
