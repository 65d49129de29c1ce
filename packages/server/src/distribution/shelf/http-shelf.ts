// A shelf that is read over HTTP: from another node, a static host, an object store or a CDN, and from several of them.
import { messageOf } from '../../base/failure.ts'
import { MAX_CHUNK_BYTES, sha256 } from './chunks.ts'
import {
  chunkName,
  entityName,
  type ListedPointer,
  listingName,
  POINTER_NAME,
  parseEntity,
  parseListing,
  parsePointer,
} from './layout.ts'
import type { Listing } from './pointer.ts'
import { ShelfAway, ShelfRefused } from './shelf-failures.ts'
import type { FollowedShelf, OpenShelf, ShelvedEntity } from './shelf-reader.ts'

const POLL_MILLISECONDS = 5_000
const POINTER_SECONDS = 5
const FILE_SECONDS = 60
const MAX_POINTER_BYTES = 1 << 16
const MAX_LISTING_BYTES = 1 << 28
/** How many chunks are requested at a time. */
const AT_A_TIME = 4

/** Opens a shelf at these addresses, of which at least one must respond. */
export const openHttpShelf =
  (urls: readonly string[]): OpenShelf =>
  async () => {
    const shelf = new HttpShelf(urls)
    await shelf.pointer()
    return shelf
  }

class HttpShelf implements FollowedShelf {
  readonly pollMilliseconds: number = POLL_MILLISECONDS
  /** It has no connection that could break. */
  readonly closed: Promise<void> = new Promise(() => {})
  readonly #urls: readonly string[]
  readonly #stopped = new AbortController()
  #pointer: ListedPointer | undefined
  /** The addresses, those of the newest state first. */
  #newest: readonly string[]

  constructor(urls: readonly string[]) {
    this.#urls = urls
    this.#newest = urls
  }

  /** The highest generation that any of them has. */
  async pointer(): Promise<ListedPointer> {
    const failures: Error[] = []
    const pointers = await Promise.all(
      this.#urls.map(async (url) => {
        try {
          return { url, pointer: await this.#pointerAt(url) }
        } catch (error) {
          failures.push(error as Error)
          return undefined
        }
      }),
    )
    const found = pointers
      .filter((one) => one !== undefined)
      .toSorted((a, b) => b.pointer.generation - a.pointer.generation)
    const [first] = found
    if (first === undefined) throw failures.find((one) => one instanceof ShelfRefused) ?? failures[0]
    this.#pointer = first.pointer
    this.#newest = found.map(({ url }) => url)
    return first.pointer
  }

  async listing(): Promise<Listing> {
    // Where another state has come since the pointer was read, that one is taken.
    const found =
      (await this.#listing(this.#pointer ?? (await this.pointer()))) ?? (await this.#listing(await this.pointer()))
    if (found === undefined) throw new ShelfRefused(`${this.#newest[0]} has no sound list of its releases`)
    return found
  }

  #listing(pointer: ListedPointer): Promise<Listing | undefined> {
    return this.#first(listingName(pointer.listing), MAX_LISTING_BYTES, (bytes) => {
      const text = new TextDecoder().decode(bytes)
      return sha256(text) === pointer.listing ? parseListing(text, pointer) : undefined
    })
  }

  entity(digest: string): Promise<ShelvedEntity | undefined> {
    return this.#first(entityName(digest), MAX_LISTING_BYTES, (bytes) => parseEntity(new TextDecoder().decode(bytes)))
  }

  async *chunks(entity: string, digests: readonly string[]): AsyncGenerator<readonly [string, Uint8Array]> {
    const waiting = digests.map((digest) => ({ digest }))
    const fetched = (digest: string) =>
      this.#first(chunkName(entity, digest), 2 * MAX_CHUNK_BYTES, (bytes) => bytes).then((bytes) => ({ digest, bytes }))
    const running = new Map<string, ReturnType<typeof fetched>>()
    const next = () => {
      const one = waiting.shift()
      if (one === undefined) return
      const promise = fetched(one.digest)
      // It may fail while another is being taken.
      promise.catch(() => {})
      running.set(one.digest, promise)
    }
    for (let at = 0; at < AT_A_TIME; at++) next()
    while (running.size > 0) {
      const { digest, bytes } = await Promise.race(running.values())
      running.delete(digest)
      next()
      if (bytes !== undefined) yield [digest, bytes]
    }
  }

  destroy(): void {
    this.#stopped.abort()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.destroy()
  }

  async #pointerAt(url: string): Promise<ListedPointer> {
    const bytes = await this.#get(`${url}/${POINTER_NAME}`, MAX_POINTER_BYTES, POINTER_SECONDS)
    const pointer = bytes && parsePointer(new TextDecoder().decode(bytes))
    if (pointer === undefined) throw new ShelfRefused(`${url}/${POINTER_NAME} is not the pointer of a shelf`)
    return pointer
  }

  /** What the first of the addresses gives of which something can be made; throws only where none has responded. */
  async #first<T>(name: string, maxBytes: number, read: (bytes: Uint8Array) => T | undefined): Promise<T | undefined> {
    let failure: unknown
    let responded = false
    for (const url of this.#newest) {
      try {
        const bytes = await this.#get(`${url}/${name}`, maxBytes, FILE_SECONDS)
        responded = true
        const value = bytes && read(bytes)
        if (value !== undefined) return value
      } catch (error) {
        failure ??= error
      }
    }
    if (!responded) throw failure
    return undefined
  }

  /** What is at an address; undefined where nothing is. */
  async #get(url: string, maxBytes: number, seconds: number): Promise<Uint8Array | undefined> {
    const signal = AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(seconds * 1_000)])
    try {
      const response = await fetch(url, { signal, redirect: 'error', headers: { 'Accept-Encoding': 'identity' } })
      if (response.status === 404 || response.status === 410) {
        await response.body?.cancel()
        return undefined
      }
      if (!response.ok) {
        await response.body?.cancel()
        const Wrong = response.status < 500 && response.status !== 429 ? ShelfRefused : ShelfAway
        throw new Wrong(`${url} responds with ${response.status}`)
      }
      return await bounded(response, maxBytes, url)
    } catch (error) {
      if (error instanceof ShelfAway || error instanceof ShelfRefused) throw error
      throw new ShelfAway(`${url} cannot be read: ${messageOf(error)}`)
    }
  }
}

async function bounded(response: Response, maxBytes: number, url: string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += piece.length
    if (size > maxBytes) throw new ShelfRefused(`${url} sends more than ${maxBytes} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces, size)
}
