// The releases that a request may read: the current one, and older ones that are still on disk.
import { statSync } from 'node:fs'
import type { ReleaseStore } from '../../release/home/release-store.ts'
import type { Manifest } from '../../release/manifest.ts'
import type { Release } from '../../release/release.ts'
import { UnsignedRelease } from '../../release/signing/release-signature.ts'
import { badParameter, ProblemError } from '../problem.ts'

/** The part of a release store that reads releases. */
export type ReadableStore = Pick<
  ReleaseStore,
  'digests' | 'releaseDirectory' | 'open' | 'manifestOrReason' | 'signatureOf'
>

/** Something of a release, valid as long as its directory is the same one. */
type Cached<T> = { readonly value: T; readonly directory: string }

export const MAX_OPEN = 16
const DIGEST_DIGITS = 64
const DIGEST_OR_PREFIX = /^[0-9a-f]{8,64}$/
export const isDigestOrPrefix = (text: string): boolean => DIGEST_OR_PREFIX.test(text)

export class OpenReleases {
  readonly #current: () => Release
  readonly #store: ReadableStore | undefined
  /** Open releases by digest, the least recently used first. */
  readonly #open = new Map<string, Cached<Release>>()
  readonly #manifests = new Map<string, Cached<Manifest>>()

  constructor(current: () => Release, store: ReadableStore | undefined) {
    this.#current = current
    this.#store = store
  }

  get current(): Release {
    return this.#current()
  }

  /** The release whose digest is given, or the beginning of it, as the value of a parameter. */
  find(parameter: string, prefix: string): Release {
    const release = this.lookUp(parameter, prefix)
    if (release === undefined) throw releaseGone(prefix)
    return release
  }

  /** The release whose digest is given; undefined if there is none. */
  lookUp(parameter: string, prefix: string): Release | undefined {
    if (!isDigestOrPrefix(prefix)) {
      const allowed = 'the digest of a release, or the first 8 or more of its hexadecimal digits'
      throw badParameter(parameter, prefix, allowed)
    }
    const { current } = this
    const digest = prefix.length === DIGEST_DIGITS ? prefix : this.#completed(parameter, prefix)
    if (digest === undefined) return undefined
    return digest === current.digest ? current : this.#older(digest)
  }

  /** Only the names of directories are read: this is as cheap with many releases as with few. */
  #completed(parameter: string, prefix: string): string | undefined {
    const [digest, ...others] = this.#digests().filter((one) => one.startsWith(prefix))
    if (others.length > 0)
      throw badParameter(parameter, prefix, `more of the digest: ${others.length + 1} begin like this`)
    return digest
  }

  #digests(): string[] {
    const onDisk = this.#store?.digests() ?? []
    const { digest } = this.current
    return onDisk.includes(digest) ? onDisk : [digest, ...onDisk]
  }

  #older(digest: string): Release | undefined {
    const directory = this.#directory(digest)
    const known = this.#open.get(digest)
    // If it is still there, it is put back at the end, as the most recently used.
    this.#open.delete(digest)
    if (this.#store === undefined || directory === undefined) return undefined
    const release = known?.directory === directory ? known.value : this.#opened(this.#store, digest)
    if (release !== undefined) this.#open.set(digest, { value: release, directory })
    return release
  }

  #opened(store: ReadableStore, digest: string): Release | undefined {
    this.#closeRemoved()
    const [leastRecentlyUsed = ''] = this.#open.keys()
    if (this.#open.size === MAX_OPEN) this.#open.delete(leastRecentlyUsed)
    try {
      return store.open(digest)
    } catch (error) {
      // It may have been removed while it was being opened. Any other error is no fault of the request.
      if (this.#directory(digest) === undefined) return undefined
      // A release that must be signed and is not counts as missing.
      if (error instanceof UnsignedRelease) return undefined
      throw error
    }
  }

  /** The disk space of a release that was removed is given back when nothing refers to it. */
  #closeRemoved(): void {
    for (const [digest, { directory }] of this.#open)
      if (this.#directory(digest) !== directory) this.#open.delete(digest)
  }

  /** Identifies the directory of a release, another one after it was replaced; undefined if there is none. */
  #directory(digest: string): string | undefined {
    const directory = this.#store && statSync(this.#store.releaseDirectory(digest), { throwIfNoEntry: false })
    return directory && `${directory.ino} ${directory.mtimeMs}`
  }

  /** The signature of a release; undefined if it has none. */
  signatureOf(digest: string): string | undefined {
    return this.#store?.signatureOf(digest)
  }

  /** The manifests of all releases, newest first, without those that are damaged: nothing can be read from them. */
  list(): Manifest[] {
    this.#closeRemoved()
    const manifests = this.#digests().flatMap((digest) => this.#manifest(digest) ?? [])
    for (const digest of this.#manifests.keys())
      if (!manifests.some((manifest) => manifest.digest === digest)) this.#manifests.delete(digest)
    return manifests.sort((a, b) => b.built.localeCompare(a.built) || a.digest.localeCompare(b.digest))
  }

  #manifest(digest: string): Manifest | undefined {
    const { current } = this
    if (digest === current.digest) return current.manifest
    const directory = this.#directory(digest)
    const known = this.#manifests.get(digest)
    if (known !== undefined && known.directory === directory) return known.value
    const manifest = this.#store?.manifestOrReason(digest)
    if (manifest === undefined || directory === undefined || 'unreadable' in manifest) return undefined
    this.#manifests.set(digest, { value: manifest, directory })
    return manifest
  }
}

export const releaseGone = (digest: string): ProblemError => new ProblemError({ kind: 'release-gone', digest })
