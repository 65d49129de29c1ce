// The files of a shelf, the same on a node, a static host or a CDN: a pointer, and files that never change under their names.
//
//   current                     the pointer: generation, change, the changes before it, and the digest of the listing
//   releases/<digest>.json      a listing: history, id registry, and the files of all releases
//   entities/<digest>/chunks    an entity: its entity.json, and which chunks its files are made of
//   entities/<digest>/<chunk>   a chunk, compressed with zstd
import { boundedJson, isBounded } from '../../base/json-bounds.ts'
import {
  dictionaryOf,
  listOf,
  objectOf,
  readOrUndefined,
  suchThat,
  type TypeOf,
  text,
  wholeNumber,
} from '../../base/schema.ts'
import { sha256 } from '../../base/texts.ts'
import { MAX_CHUNK_BYTES } from './chunks.ts'
import { type ListedPointer, type Listing, listedPointer, MAX_RELEASES, type Pointer } from './pointer.ts'
import { soundPart } from './shelf-failures.ts'

export const POINTER_NAME = 'current'
/** A path that only nodes have: its status says if the node has a release, or awaits it. */
export const releaseName = (digest: string): string => `releases/${digest}`
export const listingName = (digest: string): string => `releases/${digest}.json`
export const entityName = (entity: string): string => `entities/${entity}/chunks`
export const chunkName = (entity: string, chunk: string): string => `entities/${entity}/${chunk}`

export const pointerText = ({ generation, change, chain, listing }: ListedPointer): string =>
  `${JSON.stringify({ generation, change, chain, listing })}\n`

/** Returns undefined for a text that is no pointer. */
export const parsePointer = (json: Uint8Array): ListedPointer | undefined =>
  readOrUndefined(listedPointer, boundedJson(json))

const MAX_FILE_LETTERS = 1 << 24
const MAX_REGISTRY_LETTERS = 1 << 25
/** Three for each identifier: a million of them. */
export const MAX_REGISTRY_VALUES = 3 << 20
const MAX_HISTORY_LETTERS = 1 << 13
const MAX_CHUNKS = 200_000

const name = text(100)
/** A file that is read as JSON when it is used. */
const file = suchThat(text(MAX_FILE_LETTERS), 'JSON of fewer and less deep values', (json) => isBounded(json))
export const listing = objectOf({
  history: text(MAX_HISTORY_LETTERS, /^(?:[0-9a-f]{64}(?:\n|$))*$/, 'digests, a line each'),
  idRegistry: suchThat(text(MAX_REGISTRY_LETTERS), 'an id registry of at most a million identifiers', (json) =>
    isBounded(json, MAX_REGISTRY_VALUES),
  ),
  releases: dictionaryOf(sha256, dictionaryOf(name, file, MAX_RELEASES), MAX_RELEASES),
})

export const listingText = ({ history, idRegistry, releases }: Omit<Listing, keyof Pointer>): string =>
  JSON.stringify({ history, idRegistry, releases: Object.fromEntries(releases) })

/** A listing as its host has it; throws if it is not sound. */
export function listingOf(value: unknown, { generation, change, chain }: Pointer): Listing {
  const { releases, ...rest } = soundPart(listing, value, 'a list of its releases')
  return { generation, change, chain, ...rest, releases: new Map(Object.entries(releases)) }
}

const chunk = objectOf({ file: name, digest: sha256, start: wholeNumber(), size: wholeNumber(1, MAX_CHUNK_BYTES) })

/** The text of the entity.json of an entity, and the chunks of all its files, in order. */
export const entity = objectOf({ manifest: file, chunks: listOf(chunk, MAX_CHUNKS) })
export type ShelvedEntity = TypeOf<typeof entity>

export const entityText = (entity: ShelvedEntity): string => JSON.stringify(entity)

/** Returns undefined for what is no entity. */
export const entityOf = (value: unknown): ShelvedEntity | undefined => readOrUndefined(entity, value)
