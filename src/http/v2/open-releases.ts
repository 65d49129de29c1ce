// The releases that a request may read: the current one, and older ones that are still on disk.
import { existsSync } from 'node:fs'
import type { Manifest } from '../../release/manifest.ts'
import type { Release } from '../../release/release.ts'
import type { Shelf } from '../../release/shelf.ts'
import { badParameter, type Parameters } from './parameters.ts'

export type ReleaseGone = { readonly kind: 'release-gone'; readonly digest: string }

/** A release to answer from, and whether the request named it. */
export type Chosen = { readonly release: Release; readonly isNamed: boolean }

const DIGEST_OR_BEGINNING = /^[0-9a-f]{8,64}$/
const MAX_OPEN = 4

export class OpenReleases {
  readonly #current: () => Release
  readonly #shelf: Shelf | undefined
  readonly #open = new Map<string, Release>()

  constructor(current: () => Release, shelf: Shelf | undefined) {
    this.#current = current
    this.#shelf = shelf
  }

  get current(): Release {
    return this.#current()
  }

  /** Newest first. Damaged ones are left out: nothing can be read from them. */
  list(): Manifest[] {
    const { manifest } = this.current
    const listed = this.#shelf?.list().flatMap((one) => ('unreadable' in one.manifest ? [] : [one.manifest])) ?? []
    return listed.some(({ digest }) => digest === manifest.digest) ? listed : [manifest, ...listed]
  }

  chosen(parameters: Parameters): Chosen | ReleaseGone {
    const given = parameters.one('release')
    if (given === undefined) return { release: this.current, isNamed: false }
    const digest = this.digestOf('release', given)
    if (typeof digest !== 'string') return digest
    const release = this.open(digest)
    // The beginning of a digest may come to be that of another release too.
    return 'kind' in release ? release : { release, isNamed: given === digest }
  }

  /** The digest of the one release that begins like this. */
  digestOf(parameter: string, given: string): string | ReleaseGone {
    const allowed = 'the digest of a release, or the first 8 or more of its hexadecimal digits'
    if (!DIGEST_OR_BEGINNING.test(given)) throw badParameter(parameter, given, allowed)
    const current = this.current.manifest.digest
    if (current === given) return current
    const alike = this.list().filter(({ digest }) => digest.startsWith(given))
    if (alike.length > 1) throw badParameter(parameter, given, `more of the digest: ${alike.length} begin like this`)
    return alike[0]?.digest ?? { kind: 'release-gone', digest: given }
  }

  open(digest: string): Release | ReleaseGone {
    if (digest === this.current.manifest.digest) return this.current
    this.#letGo()
    const known = this.#open.get(digest)
    if (known !== undefined) return known
    const gone: ReleaseGone = { kind: 'release-gone', digest }
    if (this.#shelf === undefined) return gone
    try {
      const release = this.#shelf.open(digest)
      const [oldest] = this.#open.keys()
      if (this.#open.size === MAX_OPEN && oldest !== undefined) this.#open.delete(oldest)
      this.#open.set(digest, release)
      return release
    } catch {
      // It was removed, or damaged, since it was listed.
      return gone
    }
  }

  /** What was removed from disk is not kept open: its room is given back. */
  #letGo(): void {
    for (const digest of this.#open.keys())
      if (!existsSync(this.#shelf?.releaseDirectory(digest) ?? '')) this.#open.delete(digest)
  }
}
