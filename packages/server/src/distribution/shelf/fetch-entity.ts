// Brings one entity into a home. Its files are made of chunks: those that the home has already are copied, and the others are fetched.

import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parsedObject } from '../../base/json-bounds.ts'
import { messageOf } from '../../base/operational-error.ts'
import { dictionaryOf, objectOf, oneOf, suchThat, wholeNumber } from '../../base/schema.ts'
import { sha256 as digestText, line } from '../../base/texts.ts'
import { unpack } from '../../base/zstd.ts'
import type { EntityData } from '../../catalog/catalog.ts'
import { parseDefinition } from '../../catalog/definition-schema.ts'
import { syncDirectory } from '../../release/files/durable-file.ts'
import type { ReleaseStore } from '../../release/home/release-store.ts'
import { verifyEntity } from '../../release/home/verify.ts'
import { restore, travelName } from '../../release/index/delta-form.ts'
import {
  DIGEST,
  ENTITY_FILES,
  ENTITY_MANIFEST_FILE,
  type EntityManifest,
  isSameContent,
  OPTIONAL_FILES,
  type ReleasedEntity,
  releasedEntity,
} from '../../release/manifest.ts'
import { DamagedRelease, readAs } from '../../release/release.ts'
import { chunksOf, type FileChunk, MAX_CHUNK_BYTES, readFully, sha256 } from './chunks.ts'
import { MAX_ENTITY_BYTES } from './offered.ts'
import { ReleaseRefused, soundPart } from './shelf-failures.ts'
import type { ShelfReader } from './shelf-reader.ts'

type EntityFetch = {
  readonly store: ReleaseStore
  readonly reader: ShelfReader
  /** Called with the size of each chunk that came over the network, compressed. */
  readonly onChunk?: ((bytes: number) => void) | undefined
  /** The definitions of the entities before it, which it may embed. */
  readonly known: ReadonlyMap<string, EntityData>
}

/** Entities that were begun are kept here, and the next attempt continues with them. */
export const fetchingDirectory = ({ home }: ReleaseStore) => join(home, 'fetching')

export async function fetchEntity(fetch: EntityFetch, name: string, expected: ReleasedEntity): Promise<EntityData> {
  const { digest } = expected
  const directory = join(fetchingDirectory(fetch.store), digest)
  const { manifest, shelved } = await readShelved(fetch, name, expected)
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, ENTITY_MANIFEST_FILE), shelved.manifest)
  await makeFiles(fetch, digest, directory, manifest, shelved.chunks)
  const [wrong] = await verifyEntity(directory, digest)
  if (wrong !== undefined) {
    rmSync(directory, { recursive: true, force: true })
    throw damagedEntity(digest, wrong.message)
  }
  await Promise.all(readdirSync(directory).map((name) => syncFile(join(directory, name))))
  syncDirectory(directory)
  await fetch.store.placeEntity(directory, digest)
  return manifest.definition
}

async function readShelved({ reader, known }: EntityFetch, name: string, expected: ReleasedEntity) {
  const { digest } = expected
  const shelved = await reader.entity(digest)
  if (shelved === undefined) throw damagedEntity(digest, 'it is not there')
  if (sha256(shelved.manifest) !== digest) throw damagedEntity(digest, 'its manifest does not match its digest')
  const value = parsedObject(shelved.manifest)
  soundPart(fetchable, value, `an entity ${digest.slice(0, 12)}`)
  const manifest = value as EntityManifest
  const read = parseDefinition(manifest.definition, known)
  if ('fault' in read) throw damagedEntity(digest, read.fault)
  const released = releasedEntity(manifest)
  // The digest of a release is that of its records, so they must be those of the entity that is named for them.
  const isNamed = manifest.definition.name === name && released.collection === expected.collection
  if (!isNamed || released.bytes !== expected.bytes || !isSameContent(released, expected))
    throw damagedEntity(digest, 'it has other records, or another name or size, than the release that names it')
  return { manifest, shelved }
}

/** A name that another machine gives becomes a path here: no other name is accepted. */
const ALLOWED_FILES = [...ENTITY_FILES, ...OPTIONAL_FILES] as const

const summary = objectOf({ size: wholeNumber(0, MAX_ENTITY_BYTES), sha256: digestText })
const files = dictionaryOf(oneOf(...ALLOWED_FILES), summary, 100)

/** The parts of the manifest of an entity that it is fetched by, in any format. */
const fetchable = objectOf({ files: suchThat(files, 'files with records', ({ records }) => records !== undefined) })

const damagedEntity = (digest: string, wrong: string): ReleaseRefused =>
  new ReleaseRefused(`the shelf has a damaged entity ${digest.slice(0, 12)}: ${wrong}`)

/** Asynchronous, since this process may be serving. */
async function syncFile(path: string): Promise<void> {
  await using file = await open(path, 'r+')
  await file.sync()
}

/** A place in an open file that the bytes of a chunk belong to. */
type Place = { readonly descriptor: number; readonly start: number }

/** The chunks that are in no file yet, by digest. */
type MissingChunks = Map<string, Pick<FileChunk, 'file' | 'size'> & { readonly places: Place[] }>

async function makeFiles(
  fetch: EntityFetch,
  digest: string,
  directory: string,
  { files, definition }: EntityManifest,
  chunks: readonly FileChunk[],
): Promise<void> {
  const names = Object.keys(files).map(travelName)
  const unknown = chunks.find(({ file }) => !names.includes(file))
  if (unknown !== undefined) throw damagedEntity(digest, `it has no file ${JSON.stringify(unknown.file)}`)
  {
    using opened = new DisposableStack()
    const missing: MissingChunks = new Map()
    for (const [file, { size }] of Object.entries(files)) {
      const name = travelName(file)
      const own = chunks.filter((chunk) => chunk.file === name)
      const end = endOf(own)
      if (end === undefined || end > size) throw damagedEntity(digest, `the chunks of ${name} do not make up the file`)
      const path = join(directory, name)
      const isResumed = existsSync(path)
      const descriptor = openSync(path, isResumed ? 'r+' : 'wx+')
      opened.defer(() => closeSync(descriptor))
      ftruncateSync(descriptor, end)
      for (const chunk of own) {
        if (isResumed) await turn()
        if (isResumed && holds(descriptor, chunk)) continue
        const { places } = missing.get(chunk.digest) ?? { places: [] as Place[] }
        places.push({ descriptor, start: chunk.start })
        missing.set(chunk.digest, { file: name, size: chunk.size, places })
      }
    }
    await copyLocal(fetch.store, directory, definition.name, missing)
    await download(fetch, digest, missing)
  }
  for (const [file, { size }] of Object.entries(files)) restoreFile(digest, directory, file, size)
}

/** The end of chunks that follow each other from the start of a file; undefined if they do not. */
function endOf(chunks: readonly FileChunk[]): number | undefined {
  let end = 0
  for (const { start, size } of chunks) {
    if (start !== end || size > MAX_CHUNK_BYTES) return undefined
    end += size
  }
  return end
}

/** Lets other tasks run: this process may be serving. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

function holds(descriptor: number, { start, size, digest }: FileChunk): boolean {
  const bytes = Buffer.allocUnsafe(size)
  return readFully(descriptor, bytes, start) === size && sha256(bytes) === digest
}

/** Cutting some hundred megabytes takes a second of a core. */
const MAX_LOCAL_BYTES = 1 << 28

/** Copies the chunks that other states of the same list have here, or files that an earlier attempt has finished. */
async function copyLocal(store: ReleaseStore, directory: string, list: string, missing: MissingChunks): Promise<void> {
  let size = 0
  for (const from of [directory, ...localStates(store, list)])
    for (const file of ALLOWED_FILES) {
      const name = travelName(file)
      const isBeingWritten = from === directory && name === file
      const isWanted = missing.values().some((chunk) => chunk.file === name)
      if (!isWanted || isBeingWritten || size > MAX_LOCAL_BYTES) continue
      size += statSync(join(from, file), { throwIfNoEntry: false })?.size ?? 0
      await copyFile(from, file, missing)
    }
}

async function copyFile(directory: string, file: string, missing: MissingChunks): Promise<void> {
  try {
    for (const { digest, bytes } of chunksOf(directory, file)) {
      write(bytes, missing.get(digest)?.places ?? [])
      missing.delete(digest)
      await turn()
    }
  } catch {
    // Chunks of a file that is damaged here are fetched.
  }
}

/** The part of the manifest of an entity that says which list it is of, in any format. */
const ofList = objectOf({ definition: objectOf({ name: line }) })

/** The entities of one list in a home: that of the current release first, then those that were placed last. */
export function localStates(store: ReleaseStore, name: string): string[] {
  const all = store.entityDirectory('')
  const digests = existsSync(all) ? readdirSync(all).filter((digest) => DIGEST.test(digest)) : []
  const directories = digests.map((digest) => store.entityDirectory(digest))
  const isOfList = (directory: string) => {
    try {
      return readAs(ofList, join(directory, ENTITY_MANIFEST_FILE)).definition.name === name
    } catch (error) {
      // An entity that is damaged lends no chunks.
      if (error instanceof DamagedRelease) return false
      throw error
    }
  }
  // A home whose history is damaged follows all the same, which mends it.
  const [digest] = store.knownHistory()
  const manifest = digest === undefined ? undefined : store.manifestOrReason(digest)
  const current = manifest && !('unreadable' in manifest) ? manifest.entities[name]?.digest : undefined
  const placed = (directory: string) => (basename(directory) === current ? Infinity : statSync(directory).mtimeMs)
  return directories.filter(isOfList).toSorted((a, b) => placed(b) - placed(a))
}

const MAX_UNPACKING = 4

/** Chunks that unpack to more than all honest ones do, or are named too often, are refused before they are written. */
const MAX_RATIO = 1_000
const FREE_BYTES = 1 << 26

async function download({ store, reader, onChunk }: EntityFetch, entity: string, missing: MissingChunks) {
  const lost = new Set(missing.keys())
  let room = FREE_BYTES
  const running = new Set<Promise<unknown>>()
  let wrong: unknown
  for (let attempt = 0; attempt < (reader.attempts ?? 1) && lost.size > 0; attempt++) {
    for await (const [digest, packed] of reader.chunks(entity, [...lost], attempt)) {
      const chunk = missing.get(digest)
      if (chunk === undefined) continue
      onChunk?.(packed.length)
      room += packed.length * MAX_RATIO - chunk.size * chunk.places.length
      if (room < 0) {
        rmSync(join(fetchingDirectory(store), entity), { recursive: true })
        throw damagedEntity(entity, 'its files are far larger than what they are unpacked from')
      }
      const unpacking: Promise<unknown> = unpack(packed, chunk.size)
        .catch(() => new Uint8Array())
        .then((bytes) => {
          if (bytes.length === chunk.size && sha256(bytes) === digest) {
            write(bytes, chunk.places)
            lost.delete(digest)
          } else wrong ??= damagedEntity(entity, `chunk ${digest.slice(0, 12)} has other content than its digest says`)
        })
        .catch((error) => {
          wrong ??= error
        })
        .finally(() => running.delete(unpacking))
      running.add(unpacking)
      if (running.size >= MAX_UNPACKING) await Promise.race(running)
    }
    await Promise.all(running)
  }
  // Thrown at the end: the sound chunks that arrived after a damaged one are not fetched again.
  const [first] = lost
  if (first !== undefined) throw wrong ?? damagedEntity(entity, `chunk ${first.slice(0, 12)} is not there`)
}

function write(bytes: Uint8Array, places: readonly Place[]): void {
  for (const { descriptor, start } of places)
    for (let done = 0; done < bytes.length; )
      done += writeSync(descriptor, bytes, done, bytes.length - done, start + done)
}

/** Makes a file of the form in which it travelled. */
function restoreFile(entity: string, directory: string, file: string, size: number): void {
  const form = join(directory, travelName(file))
  if (travelName(file) === file) return
  try {
    restore(form, join(directory, file), size)
  } catch (error) {
    throw damagedEntity(entity, messageOf(error))
  } finally {
    rmSync(form)
  }
}
