// Reads one host of a shelf over HTTP: another node, a static host, an object store or a CDN.
import { boundedJson } from '../../base/json-bounds.ts'
import { messageOf } from '../../base/operational-error.ts'
import { parseRetryAfter, wait } from '../../source/requests.ts'
import { MAX_CHUNK_BYTES, sha256 } from './chunks.ts'
import {
  chunkName,
  entityName,
  entityOf,
  listingName,
  listingOf,
  POINTER_NAME,
  parsePointer,
  releaseName,
  type ShelvedEntity,
} from './layout.ts'
import type { ListedPointer, Listing } from './pointer.ts'
import { openHosts } from './several-hosts.ts'
import { ShelfAway, ShelfRefused, ShelfSilent } from './shelf-failures.ts'
import type { OpenShelf, PackedChunk, ShelfHost } from './shelf-reader.ts'

/** With the time limit of a response, and half as much again at random, a stalled link is noticed within 5 s. */
const POLL_MILLISECONDS = 2_000
const POINTER_SECONDS = 2
/** Time limits for a file: without progress, and in all. */
const STALLED_SECONDS = 5
const FILE_SECONDS = 60
const MAX_POINTER_BYTES = 1 << 16
const MAX_LISTING_BYTES = 1 << 26
const MAX_ENTITY_BYTES = 1 << 25
const MAX_REQUESTS = 8

/** A pause that a host asks for with Retry-After, and is waited for; a longer one counts as being away until it is over. */
const MAX_PAUSE_SECONDS = 10
/** A host may name any time, and be mended before. */
const MAX_AWAY_SECONDS = 600
/** Requests for a file that are put off, before the host counts as away. */
const MAX_PAUSES = 20

/** The time before which a host wants no request, which outlasts a connection. */
type Turn = { at: number }

export const openHttpShelf = (urls: readonly string[]): OpenShelf =>
  openHosts(
    urls.map((url) => {
      const turn = { at: 0 }
      return { name: url, open: async () => new HttpShelf(url, turn) }
    }),
  )

const LATER = Symbol('later')

const retryAfterOf = ({ headers }: Response) => parseRetryAfter(headers.get('retry-after'), Date.now())

class HttpShelf implements ShelfHost {
  readonly pollMilliseconds: number = POLL_MILLISECONDS
  /** Never resolves: there is no connection that could break. */
  readonly closed: Promise<void> = new Promise(() => {})
  readonly #url: string
  readonly #stopped = new AbortController()
  readonly #turn: Turn
  #pointer: ListedPointer | undefined

  constructor(url: string, turn: Turn) {
    this.#url = url
    this.#turn = turn
  }

  async pointer(): Promise<ListedPointer> {
    const json = await this.#get(POINTER_NAME, MAX_POINTER_BYTES, POINTER_SECONDS)
    const pointer = json && parsePointer(json)
    if (pointer === undefined) throw new ShelfRefused(`${this.#url}/${POINTER_NAME} is not the pointer of a shelf`)
    this.#pointer = pointer
    return pointer
  }

  async listing(): Promise<Listing> {
    // A listing that is gone has been replaced: the pointer is read again.
    const found =
      (await this.#listing(this.#pointer ?? (await this.pointer()))) ?? (await this.#listing(await this.pointer()))
    if (found === undefined) throw new ShelfRefused(`${this.#url} has no sound list of its releases`)
    return found
  }

  async #listing(pointer: ListedPointer): Promise<Listing | undefined> {
    const json = await this.#get(listingName(pointer.listing), MAX_LISTING_BYTES)
    return json && sha256(json) === pointer.listing ? listingOf(boundedJson(json), pointer) : undefined
  }

  async entity(digest: string): Promise<ShelvedEntity | undefined> {
    const json = await this.#get(entityName(digest), MAX_ENTITY_BYTES)
    return json && entityOf(boundedJson(json))
  }

  async *chunks(entity: string, digests: readonly string[]): AsyncGenerator<PackedChunk> {
    const chunk = (digest: string) => this.#get(chunkName(entity, digest), 2 * MAX_CHUNK_BYTES)
    for (let at = 0; at < digests.length; at += MAX_REQUESTS) {
      const some = digests.slice(at, at + MAX_REQUESTS)
      const outcomes = await Promise.allSettled(some.map(chunk))
      for (const [place, digest] of some.entries()) {
        const outcome = outcomes[place]
        if (outcome?.status === 'fulfilled' && outcome.value !== undefined) yield [digest, outcome.value]
      }
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
    }
  }

  /** True as well if the host does not respond, since it may be waiting for another shelf. */
  async awaits(digest: string): Promise<boolean> {
    try {
      const signal = AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(POINTER_SECONDS * 1_000)])
      const response = await fetch(`${this.#url}/${releaseName(digest)}`, { signal, redirect: 'error' })
      await response.body?.cancel()
      return response.ok || response.status >= 500
    } catch {
      return true
    }
  }

  destroy(): void {
    this.#stopped.abort()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.destroy()
  }

  /** Returns undefined if there is no such file. A host that asks for a pause gets it. */
  async #get(name: string, maxBytes: number, seconds = STALLED_SECONDS): Promise<Uint8Array | undefined> {
    for (let pauses = 0; ; pauses++) {
      await this.#awaitTurn()
      const found = await this.#request(name, maxBytes, seconds)
      if (found !== LATER) return found
      if (pauses === MAX_PAUSES) throw new ShelfAway(`${this.#url} puts off every request for ${name}`)
    }
  }

  async #awaitTurn(): Promise<void> {
    const milliseconds = this.#turn.at - performance.now()
    if (milliseconds > MAX_PAUSE_SECONDS * 1_000)
      throw new ShelfAway(`${this.#url} wants no request for ${Math.ceil(milliseconds / 1_000)} s`)
    if (milliseconds > 0) await wait(milliseconds, this.#stopped.signal)
  }

  async #request(name: string, maxBytes: number, seconds: number): Promise<Uint8Array | undefined | typeof LATER> {
    const url = `${this.#url}/${name}`
    const stalled = new AbortController()
    const timer = setTimeout(() => stalled.abort(), seconds * 1_000)
    const signal = AbortSignal.any([this.#stopped.signal, stalled.signal, AbortSignal.timeout(FILE_SECONDS * 1_000)])
    try {
      const headers = { 'Accept-Encoding': 'identity' }
      const response = await fetch(url, { signal, redirect: 'error', headers, decompress: false })
      if (!response.ok) {
        await response.body?.cancel()
        if (response.status === 404 || response.status === 410) return undefined
        const pause = response.status === 429 || response.status === 503 ? retryAfterOf(response) : undefined
        if (pause !== undefined) {
          this.#turn.at = Math.max(this.#turn.at, performance.now() + Math.min(pause, MAX_AWAY_SECONDS * 1_000))
          return LATER
        }
        const Wrong = response.status < 500 && response.status !== 429 ? ShelfRefused : ShelfAway
        throw new Wrong(`${url} responds with ${response.status}`)
      }
      const pieces: Uint8Array[] = []
      let size = 0
      for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
        timer.refresh()
        size += piece.length
        if (size > maxBytes) throw new ShelfRefused(`${url} sends more than ${maxBytes} bytes`)
        pieces.push(piece)
      }
      return Buffer.concat(pieces, size)
    } catch (error) {
      if (error instanceof ShelfAway || error instanceof ShelfRefused) throw error
      if (stalled.signal.aborted) throw new ShelfSilent(`no response from ${url} within ${seconds} s`)
      throw new ShelfAway(`${url} cannot be read: ${messageOf(error)}`)
    } finally {
      clearTimeout(timer)
    }
  }
}
