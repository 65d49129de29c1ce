// Serves the home of a node below /shelf as a shelf that other nodes can follow, which makes the node a relay.
import { evaluateConditions } from '../../http/conditional.ts'
import { COMMON_HEADERS, emptyResponse, type HttpRequest, type HttpResponse, isRead } from '../../http/exchange.ts'
import { headerLines, NO_SNIFFING } from '../../http/header-fields.ts'
import { otherMethod } from '../../http/methods.ts'
import { ProblemError } from '../../http/problem.ts'
import { SHELF_PATH } from '../../http/routes.ts'
import type { ReleaseStore } from '../../release/home/release-store.ts'
import { HomeShelf } from './home-shelf.ts'
import { chunkName, entityName, entityText, listingName, POINTER_NAME, pointerText } from './layout.ts'

type ShelfOptions = ConstructorParameters<typeof HomeShelf>[1] & {
  readonly onLeftOut?: (lists: readonly string[]) => void
}

/** A digest or its beginning. */
const RELEASE = /^[0-9a-f]{1,64}$/
const IMMUTABLE = 'public, max-age=31536000, immutable'

/** `onLeftOut` takes the lists that are left out, the first time that somebody follows the home. */
export function shelfResponder(
  store: ReleaseStore,
  { onLeftOut, ...options }: ShelfOptions = {},
): (request: HttpRequest) => Promise<HttpResponse> {
  const home = new HomeShelf(store, options)
  const packed = new PackedChunks()
  let isSaid = false
  return async (request) => {
    if (!isRead(request)) return otherMethod(request)
    const name = request.path.slice(SHELF_PATH.length + 1)
    if (name === POINTER_NAME) {
      const state = home.state()
      if (state !== undefined && !isSaid && state.leftOut.length > 0) {
        isSaid = true
        onLeftOut?.(state.leftOut)
      }
      if (state !== undefined)
        return file(request, 'application/json', 'public, no-cache', Buffer.from(pointerText(state.pointer)))
    }
    const [folder = '', digest = '', part] = name.split('/')
    if (folder === 'releases') {
      const state = home.state()
      if (state !== undefined && name === listingName(state.pointer.listing))
        return file(request, 'application/json', IMMUTABLE, Buffer.from(state.listing))
      // Nodes that follow this one cannot reach the shelf that this one follows.
      if (part === undefined && RELEASE.test(digest)) {
        if (!(state?.digests ?? store.digests()).some((one) => one.startsWith(digest)))
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

const MAX_PACKED = 256
const KEPT_MILLISECONDS = 60_000

/** Nodes that follow the same relay need the same chunks at about the same time, so a compressed chunk is kept for a while. */
class PackedChunks {
  readonly #chunks = new Map<string, Promise<Uint8Array | undefined>>()
  #emptying: Timer | undefined

  get(name: string, pack: () => Promise<Uint8Array | undefined>): Promise<Uint8Array | undefined> {
    if (this.#chunks.size >= MAX_PACKED) this.#empty()
    this.#emptying ??= setTimeout(() => this.#empty(), KEPT_MILLISECONDS).unref()
    const packing = this.#chunks.get(name) ?? pack()
    this.#chunks.set(name, packing)
    // A missing or damaged chunk may come later.
    const forget = () => this.#chunks.delete(name)
    packing.then((bytes) => bytes ?? forget(), forget)
    return packing
  }

  #empty(): void {
    clearTimeout(this.#emptying)
    this.#emptying = undefined
    this.#chunks.clear()
  }
}

function file(request: HttpRequest, type: string, caching: string, bytes: Uint8Array): HttpResponse {
  const etag = `"${Bun.hash.xxHash64(bytes).toString(16).padStart(16, '0')}"`
  const headers = { ...COMMON_HEADERS, ...NO_SNIFFING, 'Cache-Control': caching, ETag: etag }
  const condition = evaluateConditions(request.headers, etag, '')
  if (condition === 'not-modified') return emptyResponse(304, headers)
  if (condition !== 'holds') throw new ProblemError({ kind: 'precondition-failed', header: condition.failed })
  return { status: 200, head: headerLines({ ...headers, 'Content-Type': type }), body: bytes }
}
