// Brings a home to the state of the shared shelf: fetches the chunks that it lacks, verifies them, and makes the current release current.
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
import { isObject } from '../../base/json.ts'
import { messageOf, OperationalError } from '../../base/operational-error.ts'
import { syncDirectory } from '../../release/files/durable-file.ts'
import { readTextSync } from '../../release/files/regular-file.ts'
import type { ReleaseStore } from '../../release/home/release-store.ts'
import {
  adoptRotations,
  checkSignature,
  currentTrust,
  isBuiltHere,
  refuseRollback,
} from '../../release/home/signature-check.ts'
import { rebuildRelease } from '../../release/home/upgrade.ts'
import { verifyEntity } from '../../release/home/verify.ts'
import { deltaFileOf, restore, travelName } from '../../release/index/delta-form.ts'
import {
  DIGEST,
  ENTITY_FILES,
  ENTITY_MANIFEST_FILE,
  type EntityFileName,
  type EntityManifest,
  FACTS_FILE,
  isSameContent,
  MANIFEST_FILE,
  type Manifest,
  type ParsedManifest,
  parsedObject,
  parseManifest,
  type ReleasedEntity,
  releasedEntity,
} from '../../release/manifest.ts'
import { DamagedRelease, OtherFormatRelease, readReleasedEntity } from '../../release/release.ts'
import { KEYS_FILE } from '../../release/signing/key-rotation.ts'
import {
  type Proof,
  SIGNATURE_FILE,
  signableManifest,
  UnsignedRelease,
} from '../../release/signing/release-signature.ts'
import { chunksOf, type FileChunk, MAX_CHUNK_BYTES, readFully, sha256, unpack } from './chunks.ts'
import {
  compareStates,
  type HostPointer,
  type Listing,
  type ReleaseFiles,
  readFollowed,
  saveFollowed,
} from './pointer.ts'
import type { ShelfReader, ShelvedEntity } from './shelf-reader.ts'

/** What the shelf offers is not what its digest says, or cannot be read by this program. */
export class ReleaseRefused extends OperationalError {}

export type FetchProgress = {
  /** Chunks and bytes that came over the network, compressed. */
  readonly onChunk: (bytes: number) => void
  /** Called with the release that is being fetched. */
  readonly onRelease: (digest: string) => void
}

type FetchOptions = Partial<FetchProgress> & {
  /** The state to bring the home to; the newest if not given. */
  readonly state?: HostPointer
  /** Whether a state is taken that does not go on from what the home has: a person says so. */
  readonly anyState?: boolean
  /** Whether the current release will do: of the others, only what the home has is looked at. */
  readonly currentOnly?: boolean
  /** Whether releases of an earlier format are taken too, to be upgraded. */
  readonly outdated?: boolean
  /** What is known to be damaged on disk, by the digest of the entity: it is fetched anew. */
  readonly damaged?: (digest: string) => boolean
}

export type Fetched = {
  readonly listing: Listing
  /** The releases that the home has and the shelf, too. */
  readonly present: ReadonlySet<string>
  /** Why some of them could not be had; none of them is the current one. */
  readonly missing: readonly string[]
}

/**
 * The caller holds the lock of the home. The current release comes first and becomes current as soon as it is whole; if it
 * cannot be had, this throws, and the home has the current release that it had.
 */
export async function fetchShelf(
  store: ReleaseStore,
  reader: ShelfReader,
  options: FetchOptions = {},
): Promise<Fetched> {
  const listing = await reader.listing(options.state)
  const { generation, change, chain, releases } = listing
  const followed = readFollowed(store.home)
  const { trouble } = compareStates([{ ...listing, host: options.state?.host ?? 'the shelf' }], followed)
  if (trouble !== undefined && options.anyState !== true) throw new ReleaseRefused(trouble.message)
  const own = followed?.own ?? store.digests()
  const [current] = listing.history.split('\n').filter((digest) => DIGEST.test(digest))
  const fetch = new ReleaseFetch(store, reader, options)
  const present = new Set<string>()
  if (current !== undefined) {
    const files = releases.get(current)
    if (files === undefined)
      throw new ReleaseRefused(`the shelf has no release ${current.slice(0, 12)}, which it calls current`)
    const isNew = await fetch.bring(current, files, true).catch(async (error) => {
      // With a release before it, a home that has none to serve serves more than with none.
      const isReadable = (digest: string) => !('unreadable' in store.manifestOrReason(digest))
      if (isRefusal(error) && !store.digests().some(isReadable)) await fetch.bringAnySound(newestFirst(releases))
      throw error
    })
    present.add(current)
    if (followed === undefined) store.keepOwnIdRegistry()
    store.adopt(listing, isNew)
    saveFollowed(store.home, { generation, change, chain, complete: false, own })
  }
  const missing: string[] = []
  for (const [digest, files] of newestFirst(releases)) {
    if (digest === current || (options.currentOnly && !store.hasReleaseFiles(digest, files))) continue
    try {
      await fetch.bring(digest, files)
      present.add(digest)
    } catch (error) {
      if (!isRefusal(error)) throw error
      // What must be signed and is not, is as good as not there.
      if (!(error instanceof UnsignedRelease)) missing.push(error.message)
    }
  }
  // What a home had before it followed a shelf is not the shelf's to remove.
  const gone = store.digests().filter((digest) => !releases.has(digest) && !own.includes(digest))
  if (current !== undefined) for (const digest of gone) store.remove(digest)
  // What was fetched of releases that are not whole is not fetched again.
  if (missing.length === 0) rmSync(fetchingDirectory(store), { recursive: true, force: true })
  const complete = missing.length === 0 && (options.currentOnly !== true || present.size === releases.size)
  if (current !== undefined) saveFollowed(store.home, { generation, change, chain, complete, own })
  return { listing, present, missing }
}

const isRefusal = (error: unknown): error is OperationalError =>
  error instanceof ReleaseRefused ||
  error instanceof UnsignedRelease ||
  error instanceof DamagedRelease ||
  error instanceof OtherFormatRelease

const fetchingDirectory = ({ home }: ReleaseStore) => join(home, 'fetching')

function newestFirst(releases: Listing['releases']): [string, ReleaseFiles][] {
  const built = (files: ReleaseFiles) => {
    const manifest = parsedObject(files[MANIFEST_FILE] ?? '')
    return typeof manifest === 'object' && 'built' in manifest ? String(manifest.built) : ''
  }
  return [...releases].toSorted(([, a], [, b]) => built(b).localeCompare(built(a)))
}

class ReleaseFetch {
  readonly #store: ReleaseStore
  readonly #reader: ShelfReader
  readonly #options: FetchOptions

  constructor(store: ReleaseStore, reader: ShelfReader, options: FetchOptions) {
    this.#store = store
    this.#reader = reader
    this.#options = options
  }

  /** Puts a release into the home unless it is there as the shelf has it. Says whether anything was changed. */
  async bring(digest: string, files: ReleaseFiles, isCurrent = false): Promise<boolean> {
    const store = this.#store
    const parsed = parseManifest(files[MANIFEST_FILE] ?? '')
    const local = store.manifestOrReason(digest)
    const isThere = !('unreadable' in local) && !this.#isDamaged(local)
    // Another version of the program wrote it; the same records may be here in a format that this one reads.
    if (parsed.state !== 'readable' && parsed.state !== 'damaged' && isThere) return false
    const manifest = this.#wantedManifest(digest, parsed, files)
    if (isCurrent) adoptRotations(store, files[KEYS_FILE])
    const proof = this.#proved(digest, manifest, files[SIGNATURE_FILE], isCurrent)
    if (isThere && store.hasReleaseFiles(digest, files)) return false
    const isUnsigned = proof?.covers.includes('files') === false
    const isSigned = files[SIGNATURE_FILE] === store.signatureOf(digest)
    if (isThere && isUnsigned && isSigned && isBuiltHere(store, local)) return false
    this.#options.onRelease?.(digest)
    for (const entity of Object.values(manifest.entities)) await this.#bringEntity(entity)
    store.placeReleaseFiles(digest, files)
    // What no signature covers is made here, of records that one does.
    if (isUnsigned || (parsed.state === 'outdated' && this.#options.outdated !== true))
      await rebuildRelease(store, digest)
    if (store.trust !== undefined) store.read(digest)
    return true
  }

  /** Puts the first of these releases that can be had into the home. */
  async bringAnySound(releases: readonly [string, ReleaseFiles][]): Promise<void> {
    for (const [digest, files] of releases) {
      try {
        await this.bring(digest, files)
        return
      } catch (error) {
        if (!isRefusal(error)) throw error
      }
    }
  }

  /** Checks signatures before anything is fetched; undefined where none are required. */
  #proved(digest: string, manifest: Manifest, signature: string | undefined, isCurrent: boolean): Proof | undefined {
    const trust = currentTrust(this.#store)
    if (trust === undefined) return undefined
    const proof = checkSignature(digest, signableManifest(manifest), signature, trust)
    if (isCurrent) refuseRollback(this.#store, digest, proof, trust)
    return proof
  }

  #isDamaged = ({ entities }: Manifest): boolean =>
    Object.values(entities).some(({ digest }) => this.#options.damaged?.(digest) === true)

  #wantedManifest(digest: string, parsed: ParsedManifest, files: ReleaseFiles): Manifest {
    switch (parsed.state) {
      case 'damaged':
        throw new ReleaseRefused(`the shelf has a damaged release ${digest.slice(0, 12)}: its manifest ${parsed.wrong}`)
      case 'too old':
      case 'too new':
        throw new OtherFormatRelease(digest, parsed)
      case 'outdated':
        return outdatedManifest(digest, files)
      case 'readable':
        if (parsed.manifest.digest !== digest)
          throw new ReleaseRefused(`the shelf has another release under the digest ${digest.slice(0, 12)}`)
        return parsed.manifest
    }
  }

  async #bringEntity(expected: ReleasedEntity): Promise<void> {
    const { digest } = expected
    if (this.#options.damaged?.(digest) !== true && isSound(this.#store.entityDirectory(digest), expected)) return
    const directory = join(fetchingDirectory(this.#store), digest)
    const { manifest, shelved } = await this.#entity(expected)
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, ENTITY_MANIFEST_FILE), shelved.manifest)
    await new EntityFetch(this.#store, this.#reader, this.#options, directory, digest).files(manifest, shelved.chunks)
    const [wrong] = await verifyEntity(directory, digest)
    if (wrong !== undefined) {
      rmSync(directory, { recursive: true, force: true })
      throw damagedEntity(digest, wrong.message)
    }
    await Promise.all(readdirSync(directory).map((name) => syncFile(join(directory, name))))
    syncDirectory(directory)
    await this.#store.placeEntity(directory, digest)
  }

  async #entity(
    expected: ReleasedEntity,
  ): Promise<{ readonly manifest: EntityManifest; readonly shelved: ShelvedEntity }> {
    const { digest } = expected
    const shelved = await this.#reader.entity(digest)
    if (shelved === undefined) throw damagedEntity(digest, 'it is not there')
    if (sha256(shelved.manifest) !== digest) throw damagedEntity(digest, 'its manifest does not match its digest')
    const manifest: EntityManifest = JSON.parse(shelved.manifest)
    const unknown = Object.keys(manifest.files).find((name) => !KNOWN_FILES.includes(name))
    if (unknown !== undefined) throw damagedEntity(digest, `it must not have a file ${JSON.stringify(unknown)}`)
    // The digest of a release is that of its records, so they must be those of the entity that is named for them.
    if (!isSameContent(releasedEntity(manifest), expected))
      throw damagedEntity(digest, 'it has other records than the release that names it')
    return { manifest, shelved }
  }
}

/** A manifest of an earlier format, as far as it has to be sound to fetch what it names. */
function outdatedManifest(digest: string, files: ReleaseFiles): Manifest {
  const manifest = parsedObject(files[MANIFEST_FILE] ?? '') as Partial<Manifest>
  const { source, entities = {} } = manifest
  const isSoundOne = (entity: ReleasedEntity | null) => DIGEST.test(entity?.digest ?? '')
  if (!isObject(source?.options) || !isObject(entities) || !Object.values(entities).every(isSoundOne))
    throw new ReleaseRefused(`the shelf has a damaged release ${digest.slice(0, 12)}: its manifest is not sound`)
  return manifest as Manifest
}

/** What another machine calls a file becomes a path here: no other name is taken. */
const KNOWN_FILES: readonly string[] = [...ENTITY_FILES, FACTS_FILE]

const damagedEntity = (digest: string, wrong: string): ReleaseRefused =>
  new ReleaseRefused(`the shelf has a damaged entity ${digest.slice(0, 12)}: ${wrong}`)

/** Whether its manifest is in order and has the records of the release, and its files are there and of the right size. */
function isSound(directory: string, expected: ReleasedEntity): boolean {
  try {
    readReleasedEntity(directory, expected)
    return true
  } catch (error) {
    if (error instanceof DamagedRelease) return false
    throw error
  }
}

/** Not in one go with what else this process does: it may be serving. */
async function syncFile(path: string): Promise<void> {
  await using file = await open(path, 'r+')
  await file.sync()
}

type OpenedFile = {
  readonly descriptor: number
  /** Whether an earlier attempt has left it. */
  readonly isResumed: boolean
}

/** Where the bytes of a chunk belong. */
type Place = { readonly descriptor: number; readonly start: number }
type MissingChunk = Pick<FileChunk, 'file' | 'size'> & { readonly places: Place[] }

/** How much is cut to look for chunks: it takes a second of a core for some hundred megabytes. */
const MAX_LOCAL_BYTES = 1 << 28

/** Lets others have their turn: this process may be serving. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** How many chunks are unpacked at a time. */
const AT_A_TIME = 4

/** The files of one entity. What an attempt that was cut short has left is taken up again. */
class EntityFetch {
  readonly #store: ReleaseStore
  readonly #reader: ShelfReader
  readonly #options: FetchOptions
  readonly #directory: string
  readonly #digest: string

  constructor(store: ReleaseStore, reader: ShelfReader, options: FetchOptions, directory: string, digest: string) {
    this.#store = store
    this.#reader = reader
    this.#options = options
    this.#directory = directory
    this.#digest = digest
  }

  async files(manifest: EntityManifest, chunks: readonly FileChunk[]): Promise<void> {
    const names = new Set(chunks.map(({ file }) => file))
    {
      using opened = new DisposableStack()
      const files = new Map<string, OpenedFile>()
      for (const name of names) {
        const size = manifest.files[(deltaFileOf(name) ?? name) as EntityFileName]?.size
        if (size === undefined) throw damagedEntity(this.#digest, `it has no file ${JSON.stringify(name)}`)
        const path = join(this.#directory, name)
        const isResumed = existsSync(path)
        const descriptor = openSync(path, isResumed ? 'r+' : 'wx+')
        opened.defer(() => closeSync(descriptor))
        const made = chunks.reduce((sum, chunk) => sum + (chunk.file === name ? chunk.size : 0), 0)
        if (made > size) throw damagedEntity(this.#digest, `the chunks of ${name} do not make up the file`)
        ftruncateSync(descriptor, made)
        files.set(name, { descriptor, isResumed })
      }
      const missing = await this.#missing(chunks, files)
      await this.#copyLocal(manifest.definition.name, missing)
      await this.#download(missing)
    }
    for (const [file, { size }] of Object.entries(manifest.files)) {
      const path = join(this.#directory, file)
      const form = join(this.#directory, travelName(file))
      if (form !== path && existsSync(form)) this.#restore(form, path, size)
      // A file without a byte has no chunk.
      else if (!existsSync(path)) writeFileSync(path, '')
    }
  }

  #restore(form: string, path: string, size: number): void {
    try {
      restore(form, path, size)
    } catch (error) {
      throw damagedEntity(this.#digest, messageOf(error))
    } finally {
      rmSync(form)
    }
  }

  /** The chunks that are not in place already. */
  async #missing(
    chunks: readonly FileChunk[],
    files: ReadonlyMap<string, OpenedFile>,
  ): Promise<Map<string, MissingChunk>> {
    const missing = new Map<string, MissingChunk>()
    const covered = new Map<string, number>()
    for (const { file, start, digest, size } of chunks) {
      const opened = files.get(file)
      if (opened === undefined || start !== (covered.get(file) ?? 0) || size > MAX_CHUNK_BYTES)
        throw damagedEntity(this.#digest, `the chunks of ${file} do not make up the file`)
      covered.set(file, start + size)
      const { descriptor, isResumed } = opened
      if (isResumed && holds(descriptor, start, size, digest)) continue
      if (isResumed) await Bun.sleep(0)
      const { places } = missing.get(digest) ?? { places: [] as Place[] }
      places.push({ descriptor, start })
      missing.set(digest, { file, size, places })
    }
    return missing
  }

  /** Copies the chunks that the last states of the same list have, and an earlier attempt. */
  async #copyLocal(name: string, missing: Map<string, MissingChunk>): Promise<void> {
    let size = 0
    for (const directory of [this.#directory, ...localStates(this.#store, name)])
      for (const file of KNOWN_FILES) {
        const isMissing = [...missing.values()].some((chunk) => chunk.file === travelName(file))
        const isBeingWritten = directory === this.#directory && travelName(file) === file
        if (!isMissing || isBeingWritten || size > MAX_LOCAL_BYTES) continue
        size += statSync(join(directory, file), { throwIfNoEntry: false })?.size ?? 0
        await this.#copyFile(directory, file, missing)
      }
  }

  async #copyFile(directory: string, file: string, missing: Map<string, MissingChunk>): Promise<void> {
    try {
      for (const { digest, bytes } of chunksOf(directory, file)) {
        const found = missing.get(digest)
        if (found !== undefined) write(bytes, found.places)
        missing.delete(digest)
        await turn()
      }
    } catch {
      // What is damaged here is fetched like anything else.
    }
  }

  async #download(missing: ReadonlyMap<string, MissingChunk>): Promise<void> {
    if (missing.size === 0) return
    const lost = new Set(missing.keys())
    const running = new Set<Promise<void>>()
    let wrong: unknown
    for (let attempt = 0; attempt < (this.#reader.attempts ?? 1) && lost.size > 0; attempt++) {
      for await (const [digest, packed] of this.#reader.chunks(this.#digest, [...lost], attempt)) {
        const chunk = missing.get(digest)
        if (chunk === undefined) continue
        this.#options.onChunk?.(packed.length)
        const taking = this.#take(digest, packed, chunk).then(
          () => void lost.delete(digest),
          (error) => {
            wrong ??= error
          },
        )
        running.add(taking)
        void taking.finally(() => running.delete(taking))
        if (running.size >= AT_A_TIME) await Promise.race(running)
      }
      await Promise.all(running)
    }
    // Only now: the sound chunks that arrived after a damaged one need not be fetched again.
    const [first] = lost
    if (first === undefined) return
    throw wrong ?? damagedEntity(this.#digest, `chunk ${first.slice(0, 12)} is not there`)
  }

  async #take(digest: string, packed: Uint8Array, { size, places }: MissingChunk): Promise<void> {
    const bytes = await unpack(packed, size).catch(() => undefined)
    if (bytes === undefined || bytes.length !== size || sha256(bytes) !== digest)
      throw damagedEntity(this.#digest, `chunk ${digest.slice(0, 12)} has other content than its digest says`)
    write(bytes, places)
  }
}

/** The directories of the entities in a home that are of one list: that of the current release first, then those placed last. */
export function localStates(store: ReleaseStore, name: string): string[] {
  const all = store.entityDirectory('')
  const digests = existsSync(all) ? readdirSync(all).filter((digest) => DIGEST.test(digest)) : []
  const directories = digests.map((digest) => store.entityDirectory(digest))
  const isOfList = (directory: string) => {
    const manifest = parsedObject(readTextSync(join(directory, ENTITY_MANIFEST_FILE)) ?? '') as Partial<EntityManifest>
    return manifest.definition?.name === name
  }
  const digest = store.currentDigest()
  const manifest = digest === undefined ? undefined : store.manifestOrReason(digest)
  const current = manifest && !('unreadable' in manifest) ? manifest.entities[name]?.digest : undefined
  const placed = (directory: string) => (basename(directory) === current ? Infinity : statSync(directory).mtimeMs)
  return directories.filter(isOfList).toSorted((a, b) => placed(b) - placed(a))
}

function write(bytes: Uint8Array, places: readonly Place[]): void {
  for (const { descriptor, start } of places)
    for (let done = 0; done < bytes.length; )
      done += writeSync(descriptor, bytes, done, bytes.length - done, start + done)
}

const holds = (descriptor: number, start: number, size: number, digest: string): boolean => {
  const bytes = Buffer.allocUnsafe(size)
  return readFully(descriptor, bytes, start) === size && sha256(bytes) === digest
}
