// Brings a home to the state of the shared shelf: fetches the releases that it lacks, and makes the current release current.

import { rmSync } from 'node:fs'
import { parsedObject } from '../../base/json-bounds.ts'
import type { OperationalError } from '../../base/operational-error.ts'
import type { EntityData } from '../../catalog/catalog.ts'
import type { ReleaseStore } from '../../release/home/release-store.ts'
import {
  adoptRotations,
  checkSignature,
  currentTrust,
  isBuiltHere,
  refuseRollback,
} from '../../release/home/signature-check.ts'
import { rebuildRelease } from '../../release/home/upgrade.ts'
import {
  DIGEST,
  type EntityManifest,
  MANIFEST_FILE,
  type Manifest,
  type ParsedManifest,
  parseManifest,
  type ReleasedEntity,
} from '../../release/manifest.ts'
import { DamagedRelease, OtherFormatRelease, readReleasedEntity, releaseOf } from '../../release/release.ts'
import { KEYS_FILE } from '../../release/signing/key-rotation.ts'
import {
  SIGNATURE_FILE,
  signableManifest,
  signableRelease,
  UnsignedRelease,
} from '../../release/signing/release-signature.ts'
import { sha256 } from './chunks.ts'
import { fetchEntity, fetchingDirectory } from './fetch-entity.ts'
import { fetchable, newestFirst, readRegistry } from './offered.ts'
import {
  compareStates,
  type HostPointer,
  type Listing,
  pointerOf,
  type ReleaseFiles,
  readFollowed,
  saveFollowed,
} from './pointer.ts'
import { ReleaseRefused, soundPart } from './shelf-failures.ts'
import type { ShelfReader } from './shelf-reader.ts'

export type FetchProgress = {
  /** Called with the size of each chunk that came over the network, compressed. */
  readonly onChunk: (bytes: number) => void
  /** Called with the release that is being fetched. */
  readonly onRelease: (digest: string) => void
}

type FetchOptions = Partial<FetchProgress> & {
  /** The state to bring the home to; the newest by default. */
  readonly state?: HostPointer
  /** True if a person accepts a state that does not go on from that of the home. */
  readonly anyState?: boolean
  /** True if the current release is enough: other releases are only updated where the home has them. */
  readonly currentOnly?: boolean
  /** True if the caller upgrades releases of an earlier format itself. */
  readonly outdated?: boolean
  /** True for the digest of an entity that is damaged on disk and must be fetched again. */
  readonly damaged?: (digest: string) => boolean
}

export type Fetched = {
  readonly listing: Listing
  /** The releases that both the home and the shelf have. */
  readonly present: ReadonlySet<string>
  /** The reasons why releases are missing; the current one is never among them. */
  readonly missing: readonly string[]
}

/**
 * The caller holds the lock of the home. The current release comes first and becomes current as soon as it is whole; if it
 * cannot be fetched, this throws, and the home keeps its current release.
 */
export async function fetchShelf(
  store: ReleaseStore,
  reader: ShelfReader,
  options: FetchOptions = {},
): Promise<Fetched> {
  const listing = await reader.listing(options.state)
  const { history, releases } = listing
  const followed = readFollowed(store.home)
  const { trouble } = compareStates([{ ...listing, host: options.state?.host ?? 'the shelf' }], followed)
  if (trouble !== undefined && options.anyState !== true) throw new ReleaseRefused(trouble.message)
  const own = followed?.own ?? store.digests()
  const whole = followed?.complete === false ? followed.whole : followed && pointerOf(followed)
  const idRegistry = readRegistry(store, listing.idRegistry)
  const offered = newestFirst(releases)
  const [current] = history.split('\n').filter((digest) => DIGEST.test(digest))
  const fetch = { store, reader, options }
  const present = new Set<string>()
  if (current !== undefined) {
    const files = releases.get(current)
    if (files === undefined)
      throw new ReleaseRefused(`the shelf has no release ${current.slice(0, 12)}, which it calls current`)
    const isNew = await fetchRelease(fetch, current, files, true).catch(async (error) => {
      // A home that has nothing to serve is better off with an earlier release than with none.
      const isReadable = (digest: string) => !('unreadable' in store.manifestOrReason(digest))
      if (isRefusal(error) && !store.digests().some(isReadable))
        for (const one of offered) if ((await refusalOf(fetch, ...one)) === undefined) break
      throw error
    })
    present.add(current)
    if (followed === undefined) store.keepOwnIdRegistry()
    // Where signatures are required, identifiers are believed only if the one of the current release names them.
    const isBelieved =
      store.trust === undefined || store.read(current).proof?.identifiers === sha256(listing.idRegistry)
    store.adopt({ history, idRegistry: isBelieved ? idRegistry : '' }, isNew)
    saveFollowed(store.home, { ...pointerOf(listing), complete: false, own, ...(whole && { whole }) })
  }
  const missing: string[] = []
  for (const [digest, files] of offered) {
    if (digest === current || (options.currentOnly && !store.hasReleaseFiles(digest, files))) continue
    const refusal = await refusalOf(fetch, digest, files)
    if (refusal === undefined) present.add(digest)
    // An unsigned release counts as absent where signatures are required.
    else if (!(refusal instanceof UnsignedRelease)) missing.push(refusal.message)
  }
  if (current !== undefined) {
    // Releases that a home had before it followed a shelf stay.
    const gone = store.digests().filter((digest) => !releases.has(digest) && !own.includes(digest))
    for (const digest of gone) store.remove(digest)
    const complete = missing.length === 0 && (options.currentOnly !== true || present.size === releases.size)
    saveFollowed(store.home, { ...pointerOf(listing), complete, own, ...(!complete && whole && { whole }) })
  }
  // Chunks of releases that are not whole are kept for the next attempt.
  if (missing.length === 0) rmSync(fetchingDirectory(store), { recursive: true, force: true })
  return { listing, present, missing }
}

const isRefusal = (error: unknown): error is OperationalError =>
  [ReleaseRefused, UnsignedRelease, DamagedRelease, OtherFormatRelease].some((kind) => error instanceof kind)

type Fetch = { readonly store: ReleaseStore; readonly reader: ShelfReader; readonly options: FetchOptions }

/** Fetches a release unless the home has it with the same files. Returns true if anything changed. */
async function fetchRelease(fetch: Fetch, digest: string, files: ReleaseFiles, isCurrent = false): Promise<boolean> {
  const { store, reader, options } = fetch
  const isDamaged = (entity: ReleasedEntity) => options.damaged?.(entity.digest) === true
  const parsed = parseManifest(files[MANIFEST_FILE] ?? '')
  const local = store.manifestOrReason(digest)
  const isThere = !('unreadable' in local) && !Object.values(local.entities).some(isDamaged)
  // Another version wrote it, and the home has the same records in a format that this version reads.
  if (parsed.state !== 'readable' && parsed.state !== 'damaged' && isThere) return false
  const manifest = manifestToFetch(digest, parsed, files)
  if (isCurrent && store.trust !== undefined) adoptRotations(store, files[KEYS_FILE])
  // Signatures come before anything is fetched.
  const trust = currentTrust(store)
  const proof = trust && checkSignature(digest, signableManifest(manifest), files[SIGNATURE_FILE], trust)
  if (isCurrent && trust && proof) refuseRollback(store, digest, proof, trust)
  if (isThere && store.hasReleaseFiles(digest, files)) return false
  const isUnsigned = proof?.covers.includes('files') === false
  const isSigned = files[SIGNATURE_FILE] === store.signatureOf(digest)
  if (isThere && isUnsigned && isSigned && isBuiltHere(store, local)) return false
  options.onRelease?.(digest)
  const known = new Map<string, EntityData>()
  for (const [name, entity] of Object.entries(manifest.entities)) {
    const sound = isDamaged(entity) ? undefined : soundEntity(store.entityDirectory(entity.digest), entity)
    const fetched =
      sound?.definition ?? (await fetchEntity({ store, reader, onChunk: options.onChunk, known }, name, entity))
    known.set(name, fetched)
  }
  if (parsed.state === 'readable') {
    const signable = signableRelease(releaseOf(manifest, store.entityDirectory))
    if (trust) checkSignature(digest, signable, files[SIGNATURE_FILE], trust)
  }
  const before = store.releaseFiles(digest)
  store.placeReleaseFiles(digest, files)
  try {
    // Files that no signature covers are built here from the signed records.
    if (isUnsigned || (parsed.state === 'outdated' && options.outdated !== true)) await rebuildRelease(store, digest)
    if (store.trust !== undefined || options.outdated !== true) store.read(digest)
  } catch (error) {
    if (MANIFEST_FILE in before) store.placeReleaseFiles(digest, before)
    else store.remove(digest)
    throw error
  }
  if (isCurrent) adoptRotations(store, files[KEYS_FILE])
  return true
}

/** Fetches a release. Returns the reason if it is refused. */
async function refusalOf(fetch: Fetch, digest: string, files: ReleaseFiles): Promise<OperationalError | undefined> {
  try {
    await fetchRelease(fetch, digest, files)
    return undefined
  } catch (error) {
    if (isRefusal(error)) return error
    throw error
  }
}

function manifestToFetch(digest: string, parsed: ParsedManifest, files: ReleaseFiles): Manifest {
  const manifest = parsedObject(files[MANIFEST_FILE] ?? '')
  if (parsed.state === 'damaged')
    throw new ReleaseRefused(`the shelf has a damaged release ${digest.slice(0, 12)}: its manifest ${parsed.wrong}`)
  if (parsed.state === 'too old' || parsed.state === 'too new') throw new OtherFormatRelease(digest, parsed)
  if (parsed.state === 'readable' && parsed.manifest.digest !== digest)
    throw new ReleaseRefused(`the shelf has another release under the digest ${digest.slice(0, 12)}`)
  soundPart(fetchable, manifest, `a release ${digest.slice(0, 12)}`)
  return manifest as Manifest
}

/** The manifest of an entity in the home; undefined unless it names the records of the release, and its files have the right size. */
function soundEntity(directory: string, expected: ReleasedEntity): EntityManifest | undefined {
  try {
    return readReleasedEntity(directory, expected)
  } catch (error) {
    if (error instanceof DamagedRelease) return undefined
    throw error
  }
}
