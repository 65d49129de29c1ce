// What a node responds below /shelf: its home as a shelf that other nodes follow, so that it is a relay.
import { evaluateConditions } from '../../http/conditional.ts'
import {
  COMMON_HEADERS,
  emptyResponse,
  type HttpRequest,
  type HttpResponse,
  headerLines,
  isRead,
} from '../../http/exchange.ts'
import { otherMethod } from '../../http/methods.ts'
import { ProblemError } from '../../http/problem.ts'
import { SHELF_PATH } from '../../http/routes.ts'
import type { ReleaseStore } from '../../release/home/release-store.ts'
import { HomeShelf } from './home-shelf.ts'
import { chunkName, entityName, entityText, listingName, POINTER_NAME, pointerText } from './layout.ts'

/** A whole digest, or its beginning. */
const RELEASE = /^[0-9a-f]{1,64}$/
const IMMUTABLE = 'public, max-age=31536000, immutable'

/** Responds to what is below /shelf from a home. */
export function shelfResponder(store: ReleaseStore): (request: HttpRequest) => Promise<HttpResponse> {
  const home = new HomeShelf(store)
  const packed = new PackedChunks()
  return async (request) => {
    if (!isRead(request)) return otherMethod(request)
    const name = request.path.slice(SHELF_PATH.length + 1)
    if (name === POINTER_NAME) {
      const state = home.state()
      if (state !== undefined)
        return file(request, 'application/json', 'public, no-cache', Buffer.from(pointerText(state.pointer)))
    }
    const [folder = '', digest = '', part] = name.split('/')
    if (folder === 'releases') {
      const state = home.state()
      if (state !== undefined && name === listingName(state.pointer.listing))
        return file(request, 'application/json', IMMUTABLE, Buffer.from(state.listing))
      // Whoever follows this node cannot ask the shelf that this one follows.
      if (part === undefined && RELEASE.test(digest)) {
        if (!store.digests().some((one) => one.startsWith(digest)))
          throw new ProblemError({ kind: 'release-gone', digest })
        return file(request, 'application/json', 'no-store', Buffer.from('{}'))
      }
    }
    if (folder === 'entities' && part !== undefined) {
      if (name === entityName(digest)) {
        const entity = await home.entity(digest)
        if (entity !== undefined) return file(request, 'application/json', IMMUTABLE, Buffer.from(entityText(entity)))
      } else if (name === chunkName(digest, part)) {
        const bytes = await packed.get(name, () => home.chunk(digest, part))
        if (bytes !== undefined) return file(request, 'application/octet-stream', IMMUTABLE, bytes)
      }
    }
    throw new ProblemError({ kind: 'not-found', known: [`${SHELF_PATH}/${POINTER_NAME}`] })
  }
}

const MAX_PACKED_BYTES = 2 ** 25
const KEPT_MILLISECONDS = 60_000

/** Nodes that follow the same relay want the same chunks at about the same time: each is compressed once, and kept for that long. */
class PackedChunks {
  readonly #chunks = new Map<string, Promise<Uint8Array | undefined>>()
  #bytes = 0
  #emptying: Timer | undefined

  get(name: string, pack: () => Promise<Uint8Array | undefined>): Promise<Uint8Array | undefined> {
    if (this.#bytes > MAX_PACKED_BYTES) this.#empty()
    this.#emptying ??= setTimeout(() => this.#empty(), KEPT_MILLISECONDS).unref()
    const known = this.#chunks.get(name)
    if (known !== undefined) return known
    const packing = pack()
    this.#chunks.set(name, packing)
    packing.then(
      (bytes) => {
        this.#bytes += bytes?.length ?? 0
        if (bytes === undefined) this.#chunks.delete(name)
      },
      () => this.#chunks.delete(name),
    )
    return packing
  }

  #empty(): void {
    clearTimeout(this.#emptying)
    this.#emptying = undefined
    this.#chunks.clear()
    this.#bytes = 0
  }
}

function file(request: HttpRequest, type: string, caching: string, bytes: Uint8Array): HttpResponse {
  const etag = `"${Bun.hash.xxHash64(bytes).toString(16).padStart(16, '0')}"`
  const headers = { ...COMMON_HEADERS, 'Cache-Control': caching, ETag: etag }
  const condition = evaluateConditions(request.headers, etag, '')
  if (condition === 'not-modified') return emptyResponse(304, headers)
  if (condition !== 'holds') throw new ProblemError({ kind: 'precondition-failed', header: condition.failed })
  return { status: 200, head: headerLines({ ...headers, 'Content-Type': type }), body: bytes }
}
