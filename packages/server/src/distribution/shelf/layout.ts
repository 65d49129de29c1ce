// The files of a shelf, the same on a node, a static host or a CDN: a pointer, and files that never change under their names.
//
//   current                     the pointer: generation, change, the changes before it, and the digest of the listing
//   releases/<digest>.json      a listing: history, id registry, and the files of all releases
//   entities/<digest>/chunks    an entity: its entity.json, and which chunks its files are made of
//   entities/<digest>/<chunk>   a chunk, compressed with zstd
import { isObject } from '../../base/json.ts'
import { DIGEST, parsedObject } from '../../release/manifest.ts'
import type { FileChunk } from './chunks.ts'
import type { Listing, Pointer } from './pointer.ts'
import type { ShelvedEntity } from './shelf-reader.ts'

export const POINTER_NAME = 'current'
/** A path that only nodes have: its status says if the node has a release, or awaits it. */
export const releaseName = (digest: string): string => `releases/${digest}`
export const listingName = (digest: string): string => `releases/${digest}.json`
export const entityName = (entity: string): string => `entities/${entity}/chunks`
export const chunkName = (entity: string, chunk: string): string => `entities/${entity}/${chunk}`

/** A pointer, and the digest of the listing that it points to. */
export type ListedPointer = Pointer & { readonly listing: string }

export const pointerText = ({ generation, change, chain, listing }: ListedPointer): string =>
  `${JSON.stringify({ generation, change, chain, listing })}\n`

/** Returns undefined for a text that is no pointer. */
export function parsePointer(text: string): ListedPointer | undefined {
  const { generation, change, chain, listing } = parsedObject(text) as Partial<Record<keyof ListedPointer, unknown>>
  if (!Number.isSafeInteger(generation) || typeof change !== 'string' || !isDigest(listing)) return undefined
  if (!Array.isArray(chain) || !chain.every((one) => typeof one === 'string')) return undefined
  return { generation: generation as number, change, chain, listing }
}

export const listingText = ({ history, idRegistry, releases }: Omit<Listing, keyof Pointer>): string =>
  JSON.stringify({ history, idRegistry, releases: Object.fromEntries(releases) })

export function parseListing(text: string, pointer: Pointer): Listing | undefined {
  const { history, idRegistry, releases } = parsedObject(text) as Partial<Record<keyof Listing, unknown>>
  if (typeof history !== 'string' || typeof idRegistry !== 'string' || !isObject(releases)) return undefined
  const areFiles = (files: unknown) => isObject(files) && Object.values(files).every((file) => typeof file === 'string')
  if (!Object.entries(releases).every(([digest, files]) => DIGEST.test(digest) && areFiles(files))) return undefined
  const { generation, change, chain } = pointer
  return { generation, change, chain, history, idRegistry, releases: new Map(Object.entries(releases as never)) }
}

export const entityText = (entity: ShelvedEntity): string => JSON.stringify(entity)

export function parseEntity(text: string): ShelvedEntity | undefined {
  const { manifest, chunks } = parsedObject(text) as Partial<Record<keyof ShelvedEntity, unknown>>
  if (typeof manifest !== 'string' || !Array.isArray(chunks) || !chunks.every(isChunk)) return undefined
  return { manifest, chunks }
}

const isDigest = (value: unknown): value is string => typeof value === 'string' && DIGEST.test(value)
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0

const isChunk = (value: unknown): value is FileChunk =>
  isObject(value) &&
  typeof value.file === 'string' &&
  isDigest(value.digest) &&
  isCount(value.start) &&
  isCount(value.size)
