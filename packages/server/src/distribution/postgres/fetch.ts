// Brings a home to the state of the shared shelf: fetches the chunks that it lacks, verifies them, and makes the current release current.
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../base/failure.ts'
import { isObject } from '../../base/json.ts'
import { syncDirectory } from '../../release/files/durable-file.ts'
import { isBuiltHere, prove, refuseRollback } from '../../release/home/proved.ts'
import type { Shelf } from '../../release/home/shelf.ts'
import { rebuildRelease } from '../../release/home/upgrade.ts'
import { verifyEntity } from '../../release/home/verify.ts'
import {
  DIGEST,
  ENTITY_FILES,
  ENTITY_MANIFEST_FILE,
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
import { DamagedRelease, NewerRelease, OutdatedRelease, readReleasedEntity } from '../../release/release.ts'
import {
  type Proof,
  SIGNATURE_FILE,
  signableManifest,
  UnsignedRelease,
} from '../../release/signing/release-signature.ts'
import { bytesAt, readFully, sha256, unpack } from './chunks.ts'
import type { ShelfConnection } from './connection.ts'
import { type Listing, type ReleaseFiles, readFollowed, readListing, saveFollowed } from './pointer.ts'

/** What the shelf offers is not what its digest says, or cannot be read by this program. */
export class ReleaseRefused extends Failure {}

export type FetchProgress = {
  /** Chunks and bytes that came over the network, compressed. */
  readonly onChunk: (bytes: number) => void
  /** Called with the release that is being fetched. */
  readonly onRelease: (digest: string) => void
}

type FetchOptions = Partial<FetchProgress> & {
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
  shelf: Shelf,
  connection: ShelfConnection,
  options: FetchOptions = {},
): Promise<Fetched> {
  const listing = await readListing(connection)
  const { generation, change, releases } = listing
  const followed = readFollowed(shelf.home)
  const own = followed?.own ?? shelf.digests()
  const [current] = listing.history.split('\n').filter((digest) => DIGEST.test(digest))
  const fetch = new ReleaseFetch(shelf, connection, options)
  const present = new Set<string>()
  if (current !== undefined) {
    const files = releases.get(current)
    if (files === undefined)
      throw new ReleaseRefused(`the shelf has no release ${current.slice(0, 12)}, which it calls current`)
    const isNew = await fetch.bring(current, files, true)
    present.add(current)
    if (followed === undefined) shelf.keepOwnIdRegistry()
    shelf.adopt(listing, isNew)
    saveFollowed(shelf.home, { generation, change, complete: false, own })
  }
  const missing: string[] = []
  for (const [digest, files] of newestFirst(releases)) {
    if (digest === current) continue
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
  const gone = shelf.digests().filter((digest) => !releases.has(digest) && !own.includes(digest))
  if (current !== undefined) for (const digest of gone) shelf.remove(digest)
  rmSync(fetchingDirectory(shelf), { recursive: true, force: true })
  if (current !== undefined) saveFollowed(shelf.home, { generation, change, complete: missing.length === 0, own })
  return { listing, present, missing }
}

const isRefusal = (error: unknown): error is Failure =>
  error instanceof ReleaseRefused ||
  error instanceof UnsignedRelease ||
  error instanceof DamagedRelease ||
  error instanceof NewerRelease ||
  error instanceof OutdatedRelease

const fetchingDirectory = ({ home }: Shelf) => join(home, 'fetching')

function newestFirst(releases: Listing['releases']): [string, ReleaseFiles][] {
  const built = (files: ReleaseFiles) => {
    const manifest = parsedObject(files[MANIFEST_FILE] ?? '')
    return typeof manifest === 'object' && 'built' in manifest ? String(manifest.built) : ''
  }
  return [...releases].toSorted(([, a], [, b]) => built(b).localeCompare(built(a)))
}

class ReleaseFetch {
  readonly #shelf: Shelf
  readonly #connection: ShelfConnection
  readonly #options: FetchOptions

  constructor(shelf: Shelf, connection: ShelfConnection, options: FetchOptions) {
    this.#shelf = shelf
    this.#connection = connection
    this.#options = options
  }

  /** Puts a release into the home unless it is there as the shelf has it. Says whether anything was changed. */
  async bring(digest: string, files: ReleaseFiles, isCurrent = false): Promise<boolean> {
    const shelf = this.#shelf
    const parsed = parseManifest(files[MANIFEST_FILE] ?? '')
    const local = shelf.manifestOrReason(digest)
    const isThere = !('unreadable' in local) && !this.#isDamaged(local)
    // Another version of the program wrote it; the same records may be here in a format that this one reads.
    if ((parsed.state === 'newer' || parsed.state === 'outdated') && isThere) return false
    const manifest = this.#wantedManifest(digest, parsed, files)
    const proof = this.#proved(digest, manifest, files[SIGNATURE_FILE], isCurrent)
    if (isThere && shelf.hasReleaseFiles(digest, files)) return false
    const isUnsigned = proof?.covers.includes('files') === false
    const isSigned = files[SIGNATURE_FILE] === shelf.signatureOf(digest)
    if (isThere && isUnsigned && isSigned && isBuiltHere(shelf, local)) return false
    this.#options.onRelease?.(digest)
    for (const entity of Object.values(manifest.entities)) await this.#bringEntity(entity)
    shelf.placeReleaseFiles(digest, files)
    // What no signature covers is made here, of records that one does.
    if (isUnsigned || (parsed.state === 'outdated' && this.#options.outdated !== true))
      await rebuildRelease(shelf, digest)
    if (shelf.trust !== undefined) shelf.read(digest)
    return true
  }

  /** Checks signatures before anything is fetched; undefined where none are required. */
  #proved(digest: string, manifest: Manifest, signature: string | undefined, isCurrent: boolean): Proof | undefined {
    const { trust } = this.#shelf
    if (trust === undefined) return undefined
    const proof = prove(digest, signableManifest(manifest), signature, trust)
    if (isCurrent) refuseRollback(this.#shelf, digest, proof, trust)
    return proof
  }

  #isDamaged = ({ entities }: Manifest): boolean =>
    Object.values(entities).some(({ digest }) => this.#options.damaged?.(digest) === true)

  #wantedManifest(digest: string, parsed: ParsedManifest, files: ReleaseFiles): Manifest {
    switch (parsed.state) {
      case 'damaged':
        throw new ReleaseRefused(`the shelf has a damaged release ${digest.slice(0, 12)}: its manifest ${parsed.wrong}`)
      case 'newer':
        throw new NewerRelease(digest, parsed.version, parsed.entities)
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
    if (this.#options.damaged?.(digest) !== true && isSound(this.#shelf.entityDirectory(digest), expected)) return
    const directory = join(fetchingDirectory(this.#shelf), digest)
    const manifest = await this.#entityManifest(expected)
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, ENTITY_MANIFEST_FILE), manifest.text)
    await new EntityFetch(this.#shelf, this.#connection, this.#options, directory, digest).files(manifest.value)
    const [wrong] = await verifyEntity(directory, digest)
    if (wrong !== undefined) {
      rmSync(directory, { recursive: true, force: true })
      throw damagedEntity(digest, wrong.message)
    }
    await Promise.all(readdirSync(directory).map((name) => syncFile(join(directory, name))))
    syncDirectory(directory)
    await this.#shelf.placeEntity(directory, digest)
  }

  async #entityManifest(expected: ReleasedEntity): Promise<{ readonly text: string; readonly value: EntityManifest }> {
    const { digest } = expected
    const [row] = await this.#connection.query<{ manifest: string }>(
      'SELECT manifest FROM nomenclator.entity WHERE digest = $1',
      [digest],
    )
    if (row === undefined) throw damagedEntity(digest, 'it is not there')
    if (sha256(row.manifest) !== digest) throw damagedEntity(digest, 'its manifest does not match its digest')
    const value: EntityManifest = JSON.parse(row.manifest)
    const unknown = Object.keys(value.files).find((name) => !KNOWN_FILES.includes(name))
    if (unknown !== undefined) throw damagedEntity(digest, `it must not have a file ${JSON.stringify(unknown)}`)
    // The digest of a release is that of its records, so they must be those of the entity that is named for them.
    if (!isSameContent(releasedEntity(value), expected))
      throw damagedEntity(digest, 'it has other records than the release that names it')
    return { text: row.manifest, value }
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

type ChunkRow = { readonly file: string; readonly start: string; readonly chunk: string; readonly size: number }

type OpenedFile = {
  readonly descriptor: number
  /** Whether an earlier attempt has left it. */
  readonly isResumed: boolean
}

/** Where the bytes of a chunk belong. */
type Place = { readonly descriptor: number; readonly start: number }
type MissingChunk = { readonly size: number; readonly places: Place[] }

/** How many chunks are unpacked at a time. */
const AT_A_TIME = 4
const CHUNKS_OF_A_QUERY = 500

/** The files of one entity. What an attempt that was cut short has left is taken up again. */
class EntityFetch {
  readonly #shelf: Shelf
  readonly #connection: ShelfConnection
  readonly #options: FetchOptions
  readonly #directory: string
  readonly #digest: string

  constructor(shelf: Shelf, connection: ShelfConnection, options: FetchOptions, directory: string, digest: string) {
    this.#shelf = shelf
    this.#connection = connection
    this.#options = options
    this.#directory = directory
    this.#digest = digest
  }

  async files(manifest: EntityManifest): Promise<void> {
    const rows = await this.#connection.query<ChunkRow>(
      `SELECT file, start, chunk, size FROM nomenclator.entity_chunk JOIN nomenclator.chunk ON chunk = chunk.digest
       WHERE entity = $1 ORDER BY file, start`,
      [this.#digest],
    )
    using opened = new DisposableStack()
    const files = new Map<string, OpenedFile>()
    for (const [name, { size }] of Object.entries(manifest.files)) {
      const path = join(this.#directory, name)
      const isResumed = existsSync(path)
      const descriptor = openSync(path, isResumed ? 'r+' : 'wx+')
      opened.defer(() => closeSync(descriptor))
      ftruncateSync(descriptor, size)
      files.set(name, { descriptor, isResumed })
    }
    const missing = await this.#missing(rows, files)
    await this.#copyLocal(missing)
    await this.#download(missing)
  }

  /** The chunks that are not in place already. */
  async #missing(
    rows: readonly ChunkRow[],
    files: ReadonlyMap<string, OpenedFile>,
  ): Promise<Map<string, MissingChunk>> {
    const missing = new Map<string, MissingChunk>()
    const covered = new Map<string, number>()
    for (const { file, start, chunk, size } of rows) {
      const opened = files.get(file)
      if (opened === undefined || Number(start) !== (covered.get(file) ?? 0))
        throw damagedEntity(this.#digest, `the chunks of ${file} do not make up the file`)
      covered.set(file, Number(start) + size)
      const { descriptor, isResumed } = opened
      if (isResumed && holds(descriptor, Number(start), size, chunk)) continue
      if (isResumed) await Bun.sleep(0)
      const { places } = missing.get(chunk) ?? { places: [] as Place[] }
      places.push({ descriptor, start: Number(start) })
      missing.set(chunk, { size, places })
    }
    return missing
  }

  /** Copies the chunks that entities in the home share with this one. */
  async #copyLocal(missing: Map<string, MissingChunk>): Promise<void> {
    if (missing.size === 0) return
    const local = this.#localEntities()
    const rows = await this.#connection.query<{ entity: string; file: string; start: string; chunk: string }>(
      `SELECT DISTINCT ON (chunk) entity, file, start, chunk FROM nomenclator.entity_chunk
       WHERE chunk IN (SELECT jsonb_array_elements_text($1::text::jsonb))
         AND entity IN (SELECT jsonb_array_elements_text($2::text::jsonb))`,
      [JSON.stringify([...missing.keys()]), JSON.stringify(local)],
    )
    for (const { entity, file, start, chunk } of rows) {
      const bytes = bytesAt(
        join(this.#shelf.entityDirectory(entity), file),
        Number(start),
        missing.get(chunk)?.size ?? 0,
      )
      // What is damaged here is fetched like anything else.
      if (bytes === undefined || sha256(bytes) !== chunk) continue
      write(bytes, missing.get(chunk)?.places ?? [])
      missing.delete(chunk)
      await Bun.sleep(0)
    }
  }

  #localEntities(): string[] {
    const directory = join(this.#shelf.entityDirectory(this.#digest), '..')
    return existsSync(directory) ? readdirSync(directory).filter((name) => DIGEST.test(name)) : []
  }

  async #download(missing: ReadonlyMap<string, MissingChunk>): Promise<void> {
    const digests = [...missing.keys()]
    for (let at = 0; at < digests.length; at += CHUNKS_OF_A_QUERY) {
      const some = digests.slice(at, at + CHUNKS_OF_A_QUERY)
      const arrived = await this.#downloadSome(some, missing)
      const lost = some.find((digest) => !arrived.has(digest))
      if (lost !== undefined) throw damagedEntity(this.#digest, `chunk ${lost.slice(0, 12)} is not there`)
    }
  }

  async #downloadSome(digests: readonly string[], missing: ReadonlyMap<string, MissingChunk>): Promise<Set<string>> {
    const list = digests.map((digest) => `'${digest}'`).join(', ')
    const rows = this.#connection.copyOut(`SELECT digest, packed FROM nomenclator.chunk WHERE digest IN (${list})`)
    const arrived = new Set<string>()
    const running = new Set<Promise<void>>()
    let wrong: unknown
    for await (const [digestBytes, packed] of rows) {
      const digest = digestBytes?.toString('latin1') ?? ''
      const chunk = missing.get(digest)
      if (chunk === undefined || packed === undefined) continue
      this.#options.onChunk?.(packed.length)
      const taking = this.#take(digest, packed, chunk).then(
        () => void arrived.add(digest),
        (error) => {
          wrong ??= error
        },
      )
      running.add(taking)
      void taking.finally(() => running.delete(taking))
      if (running.size >= AT_A_TIME) await Promise.race(running)
    }
    await Promise.all(running)
    // Only now: the sound chunks that arrived after a damaged one need not be fetched again.
    if (wrong !== undefined) throw wrong
    return arrived
  }

  async #take(digest: string, packed: Uint8Array, { size, places }: MissingChunk): Promise<void> {
    const bytes = await unpack(packed).catch(() => undefined)
    if (bytes === undefined || bytes.length !== size || sha256(bytes) !== digest)
      throw damagedEntity(this.#digest, `chunk ${digest.slice(0, 12)} has other content than its digest says`)
    write(bytes, places)
  }
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
