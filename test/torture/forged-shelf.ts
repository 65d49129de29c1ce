// A publisher that lies: one change to what a shelf of files says, with every digest made to fit.
import { linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isBounded } from '../../packages/server/src/base/json-bounds.ts'
import type { EntityData } from '../../packages/server/src/catalog/catalog.ts'
import { definitionsDigest } from '../../packages/server/src/catalog/definitions-digest.ts'
import { sha256 } from '../../packages/server/src/distribution/shelf/chunks.ts'
import { entityName, listingName, POINTER_NAME } from '../../packages/server/src/distribution/shelf/layout.ts'
import {
  DIGEST,
  type EntityManifest,
  type Manifest,
  manifestText,
  releaseDigest,
  releasedEntity,
} from '../../packages/server/src/release/manifest.ts'
import type { Random } from '../../packages/server/src/source/synthetic/random.ts'
import { changeOneMember } from './state-changes.ts'

type Shelved = { readonly manifest: EntityManifest; readonly chunks: unknown }
type Files = Record<string, unknown> & { 'manifest.json': Manifest }

/** All that a shelf says, with JSON where its files have JSON in texts. Any of it may be of another type once it is changed. */
type Documents = {
  readonly pointer: Record<string, unknown>
  history: string
  readonly idRegistry: unknown
  readonly releases: Readonly<Record<string, Files>>
  readonly entities: Readonly<Record<string, Shelved>>
}

const isJson = (name: string) => name.endsWith('.json')

function documentsIn(shelf: string): Documents {
  const read = (name: string) => JSON.parse(readFileSync(join(shelf, name), 'utf8'))
  const { listing, ...pointer } = read(POINTER_NAME)
  const { history, idRegistry, releases } = read(listingName(listing))
  const parsed = (files: Record<string, string>) =>
    Object.entries(files).map(([name, text]) => [name, isJson(name) ? JSON.parse(text) : text])
  const entities = readdirSync(join(shelf, 'entities')).map((digest) => {
    const { manifest, chunks } = read(entityName(digest))
    return [digest, { manifest: JSON.parse(manifest), chunks }]
  })
  return {
    ...{ pointer, history, idRegistry: JSON.parse(idRegistry) },
    releases: Object.fromEntries(
      Object.entries(releases as Record<string, Record<string, string>>).map(([digest, files]) => [
        digest,
        Object.fromEntries(parsed(files)),
      ]),
    ),
    entities: Object.fromEntries(entities),
  }
}

/** What cannot be made to fit stays as it is. */
function ifPossible(change: () => void): void {
  try {
    change()
  } catch {
    // The change is so that no digest can be computed.
  }
}

const LARGE = 1 << 20

/** The text of a manifest as it is written; the spaces of a large one would be many megabytes. */
function textOf(manifest: unknown): string {
  const text = JSON.stringify(manifest) ?? ''
  return text.length > LARGE || !isBounded(text) ? text : manifestText(manifest as Manifest)
}

const members = (value: unknown): [string, unknown][] => Object.entries(value ?? {})

/** Writes a shelf like another one with one change in it, and says what was changed. */
export function forgeShelf(random: Random, from: string, to: string): string {
  const documents = documentsIn(from)
  const what = changeOneMember(random, documents)
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(to, name)), { recursive: true })
    writeFileSync(join(to, name), text)
  }
  const releases = members(documents.releases) as [string, Files][]
  const definitions = new Map<string, EntityData>()
  let isChanged = false
  for (const [digest, shelved] of members(documents.entities) as [string, Shelved][]) {
    const text = textOf(shelved?.manifest)
    const forged = sha256(text)
    if (forged !== digest) {
      isChanged = true
      for (const [, files] of releases)
        for (const entity of Object.values(files?.['manifest.json']?.entities ?? {}))
          if (entity?.digest === digest)
            ifPossible(() => Object.assign(entity, { digest: forged }, releasedEntity(shelved.manifest)))
    }
    ifPossible(() => void definitions.set(forged, shelved.manifest.definition))
    write(entityName(forged), JSON.stringify({ manifest: text, chunks: shelved?.chunks }))
    for (const chunk of DIGEST.test(digest) ? readdirSync(join(from, 'entities', digest)) : [])
      if (chunk !== 'chunks') linkSync(join(from, 'entities', digest, chunk), join(to, 'entities', forged, chunk))
  }
  let { history } = documents
  const listed = releases.map(([digest, files]) => {
    const manifest = files?.['manifest.json']
    ifPossible(() => {
      for (const one of isChanged ? (manifest.packages ?? []) : []) {
        const lists = one.lists.map((list) => definitions.get(manifest.entities[list]?.digest ?? '') as EntityData)
        Object.assign(one, { definitions: definitionsDigest(lists) })
      }
    })
    ifPossible(() => Object.assign(manifest, { digest: releaseDigest(manifest) }))
    const forged = typeof manifest?.digest === 'string' ? manifest.digest : digest
    ifPossible(() => {
      history = history.replaceAll(digest, forged)
    })
    const texts = members(files).map(([name, file]) => [name, isJson(name) ? textOf(file) : file])
    return [forged, typeof files === 'object' ? Object.fromEntries(texts) : files]
  })
  const idRegistry = JSON.stringify(documents.idRegistry)
  const listing = JSON.stringify({ history, idRegistry, releases: Object.fromEntries(listed) })
  write(listingName(sha256(listing)), listing)
  write(POINTER_NAME, JSON.stringify({ ...documents.pointer, listing: sha256(listing) }))
  return what
}
