// Presents a home as a shelf that other nodes follow: makes the content of the files in the layout on request.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pack } from '../../base/zstd.ts'
import type { ReleaseStore } from '../../release/home/release-store.ts'
import { verifyEntity } from '../../release/home/verify.ts'
import { DIGEST, ENTITY_MANIFEST_FILE, MANIFEST_FILE, manifestText } from '../../release/manifest.ts'
import { readEntityManifest } from '../../release/release.ts'
import { hasRestricted, releaseWithout, restrictedLists } from '../../release/restricted.ts'
import { ChunkReader, chunksOf, sha256 } from './chunks.ts'
import { listingText, type ShelvedEntity } from './layout.ts'
import { type ListedPointer, nextPointer, type Pointer, partOf, type ReleaseFiles, readFollowed } from './pointer.ts'

type State = Pick<Offer, 'digests' | 'leftOut' | 'withheld'> & {
  readonly pointer: ListedPointer
  readonly listing: string
}

/** The releases of a home as others may have them. */
type Offer = {
  readonly releases: ReadonlyMap<string, ReleaseFiles>
  /** The digests of all releases that are there to be had. */
  readonly digests: readonly string[]
  /** The digest under which a release is given that has lists which are left out. */
  readonly givenAs: ReadonlyMap<string, string>
  /** The lists that are left out. */
  readonly leftOut: readonly string[]
  /** The digests of their entities. */
  readonly withheld: ReadonlySet<string>
}

export class HomeShelf {
  readonly #store: ReleaseStore
  readonly #includesRestricted: boolean
  /** The last state, and a version of the home that can be computed without reading its files. */
  #state: (State & { readonly version: string }) | undefined
  readonly #entities = new Map<string, ShelvedEntity>()
  /** A reader of the entity that was requested last. */
  #reader: { readonly entity: string; readonly chunks: ChunkReader } | undefined

  /** Lists whose licence forbids to pass them on are left out unless they are included. */
  constructor(store: ReleaseStore, { includesRestricted = false } = {}) {
    this.#store = store
    this.#includesRestricted = includesRestricted
  }

  /** Returns the pointer and its listing; undefined if there is no current release, or it cannot be read. */
  state(): State | undefined {
    const store = this.#store
    const known = store.knownHistory()
    if (known.length === 0) return undefined
    const { generation, change, chain } = this.#pointer()
    const version = `${generation} ${change} ${this.#modified()}`
    if (this.#state?.version === version) return this.#state
    const digests = store.digests().filter((digest) => !('unreadable' in store.manifestOrReason(digest)))
    if (!digests.includes(known[0] ?? '')) return undefined
    const { releases, givenAs, ...offer } = this.#offer(digests.sort())
    const given = givenAs.size === 0 ? known : new Set(known.map((one) => givenAs.get(one) ?? one))
    const history = `${[...given].join('\n')}\n`
    const listing = listingText({ history, idRegistry: store.idRegistryText() ?? '', releases })
    const digest = sha256(listing)
    // A release that is left out makes this a part of the state that the home follows.
    const name = change === undefined ? digest.slice(0, 32) : givenAs.size > 0 ? partOf(change) : change
    this.#state = { version, listing, pointer: { generation, change: name, chain, listing: digest }, ...offer }
    return this.#state
  }

  #offer(digests: readonly string[]): Offer {
    const store = this.#store
    const releases = new Map<string, ReleaseFiles>()
    const givenAs = new Map<string, string>()
    const leftOut = new Set<string>()
    const withheld = new Set<string>()
    const isWhole = (digest: string) => {
      const manifest = store.manifestOrReason(digest)
      return this.#includesRestricted || 'unreadable' in manifest || !hasRestricted(manifest)
    }
    for (const digest of digests.filter((one) => !isWhole(one))) {
      const release = store.read(digest)
      const lists = restrictedLists(release)
      const { manifest } = releaseWithout(release, lists)
      givenAs.set(digest, manifest.digest)
      releases.set(manifest.digest, { [MANIFEST_FILE]: manifestText(manifest) })
      for (const list of lists) {
        leftOut.add(release.entity(list).definition.plural)
        withheld.add(release.manifest.entities[list]?.digest ?? '')
      }
    }
    // A release that was without these lists anyway keeps its own files, with its signature.
    for (const digest of digests.filter(isWhole)) releases.set(digest, store.releaseFiles(digest))
    const known = [...store.digests().filter((digest) => !givenAs.has(digest)), ...releases.keys()]
    return { releases, digests: known, givenAs, leftOut: [...leftOut], withheld }
  }

  /**
   * A home that follows a shelf has the state of the shelf, marked as a part until it has all releases, and after that the changes that were
   * made to the home alone. Any other home has the time of its last change.
   */
  #pointer(): Omit<Pointer, 'change'> & Partial<Pick<Pointer, 'change'>> {
    const followed = readFollowed(this.#store.home)
    if (followed === undefined) return { generation: this.#modified(), chain: [] }
    const { change, chain, generation, complete, ahead = [] } = followed
    const whole = { generation, chain, change: complete ? change : partOf(change) }
    return ahead.reduce<Pointer>(nextPointer, whole)
  }

  /** The time of the last change to releases, signatures or the current release, in milliseconds. */
  #modified(): number {
    const { currentFile } = this.#store
    const directories = this.#store.digests().map((digest) => this.#store.releaseDirectory(digest))
    const paths = [currentFile, join(this.#store.home, 'releases'), ...directories]
    return Math.max(...paths.map((path) => Math.floor(statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)))
  }

  /** Returns undefined if the entity is missing or damaged. */
  async entity(digest: string): Promise<ShelvedEntity | undefined> {
    const directory = this.#store.entityDirectory(digest)
    if (!this.#includesRestricted && this.state()?.withheld.has(digest) !== false) return undefined
    if (!DIGEST.test(digest) || !existsSync(join(directory, ENTITY_MANIFEST_FILE))) return undefined
    const cached = this.#entities.get(digest)
    if (cached !== undefined) return cached
    if ((await verifyEntity(directory, digest)).length > 0) return undefined
    try {
      const entity = shelvedEntity(directory, digest)
      this.#entities.set(digest, entity)
      return entity
    } catch {
      // The checksums are right, but a forged index lacks arrays.
      return undefined
    }
  }

  /** Returns a compressed chunk; undefined if it is missing or damaged. */
  async chunk(entity: string, digest: string): Promise<Uint8Array | undefined> {
    const found = (await this.entity(entity))?.chunks.find((chunk) => chunk.digest === digest)
    const bytes = found && this.#chunksOf(entity).bytesOf(found)
    // A damaged file may be repaired: the next request opens it again.
    if (bytes === undefined) this.#close()
    return bytes && pack(bytes)
  }

  #chunksOf(entity: string): ChunkReader {
    if (this.#reader?.entity === entity) return this.#reader.chunks
    this.#close()
    this.#reader = { entity, chunks: new ChunkReader(this.#store.entityDirectory(entity)) }
    return this.#reader.chunks
  }

  #close(): void {
    this.#reader?.chunks[Symbol.dispose]()
    this.#reader = undefined
  }
}

/** Describes a sound entity as a shelf has it. */
export function shelvedEntity(directory: string, digest: string): ShelvedEntity {
  const { files } = readEntityManifest(directory, digest)
  return {
    manifest: readFileSync(join(directory, ENTITY_MANIFEST_FILE), 'utf8'),
    chunks: Object.keys(files).flatMap((file) => [...chunksOf(directory, file).map(({ bytes: _, ...chunk }) => chunk)]),
  }
}
