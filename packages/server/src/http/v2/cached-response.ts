// Responds with a body that is costly to make: it is made once, kept in a file of the cache, and served from there.
import { version } from '../../base/version.ts'
import type { Release } from '../../release/release.ts'
import { evaluateConditions } from '../conditional.ts'
import { type HttpRequest, type HttpResponse, type RunningJob, whenReady } from '../exchange.ts'
import { overloaded, ProblemError } from '../problem.ts'
import { type BodyFile, CannotCache, type NewBody } from './body-file.ts'
import { readFilePart } from './file-part.ts'
import { type ByteRange, type ContentCoding, readRange } from './negotiate.ts'
import {
  type ChosenRelease,
  compressed,
  compressedChunks,
  contentHash,
  entityTag,
  MIN_COMPRESSED_BYTES,
  type Representation,
  responseHead,
} from './response.ts'
import type { ResponseCache } from './response-cache.ts'

/** A body that is costly to make. */
type CostlyBody = {
  /** Identifies the body: equal keys mean equal bytes, as long as the program is the same. */
  readonly key: readonly (string | boolean)[]
  /** The digests of the releases and entities that it is made from. */
  readonly madeFrom: readonly string[]
  /** It has at least so many bytes. */
  readonly minLength: number
  /** Small pieces, each valid until the next one is pulled. An empty one is a step that made no bytes. */
  readonly pieces: () => Iterable<Uint8Array>
}

/** A body with its length and digest. */
type WholeBody = {
  readonly etag: string
  readonly encoding: ContentCoding | undefined
  readonly length: number
  /** Its SHA-256 in base64. */
  readonly sha256: string
  readonly part: (range: ByteRange) => HttpResponse['body']
}

type Form = Omit<Representation, 'body'>

/** How a body is made: where it is kept, and how its making lets shorter work go first. */
export type Making = { readonly cache: ResponseCache | undefined; readonly work?: RunningJob | undefined }

/** HEAD never makes the body: headers that depend on its bytes are left out unless the cache has it. */
export function cachedResponse(
  { cache, work }: Making,
  request: HttpRequest,
  chosen: ChosenRelease,
  form: Form,
  body: CostlyBody,
): HttpResponse | Promise<HttpResponse> {
  const { encoding } = form
  const hash = hashOf(body)
  const name = encoding === undefined ? hash : `${hash}.${encoding}`
  return whenReady(cache?.find(name), (file) => {
    if (file !== undefined) return wholeResponse(request, chosen, form, inFile(file, hash))
    const tags = possibleEncodings(form, body).map((one) => tagOf(hash, one))
    const notModified = conditionalResponse(request, chosen, form, tags)
    if (notModified !== undefined) return notModified
    if (request.method === 'HEAD') return headResponse(chosen, form, tags)
    const direct = () => directResponse(chosen, form, hash, body, work)
    if (cache === undefined) return direct()
    return cache.make(name, newBody(body, encoding, work)).then(
      (newFile) => wholeResponse(request, chosen, form, inFile(newFile, hash)),
      (error) => {
        if (error instanceof CannotCache) return direct()
        throw error
      },
    )
  })
}

/** The response with a small body, which is made for every request. */
export function smallResponse(
  request: HttpRequest,
  chosen: ChosenRelease,
  form: Form,
  { pieces }: Pick<CostlyBody, 'pieces'>,
): HttpResponse {
  const plain = Buffer.concat(Array.from(pieces(), (piece) => Buffer.from(piece)))
  const encoding = plain.length < MIN_COMPRESSED_BYTES ? undefined : form.encoding
  const bytes = encoding === undefined ? plain : compressed(plain, encoding)
  return wholeResponse(request, chosen, form, {
    etag: entityTag(contentHash(plain), encoding),
    encoding,
    length: bytes.length,
    sha256: new Bun.CryptoHasher('sha256').update(bytes).digest('base64'),
    part: (range) => bytes.subarray(...range),
  })
}

const HASH_DIGITS = 32
const TAG_DIGITS = 16

/** Another version of the program or of its compressors may make other bytes. */
const hashOf = ({ key }: CostlyBody): string =>
  new Bun.CryptoHasher('sha256')
    .update(JSON.stringify([version, Bun.version, ...key]))
    .digest('hex')
    .slice(0, HASH_DIGITS)

const tagOf = (hash: string, encoding: ContentCoding | undefined) => entityTag(hash.slice(0, TAG_DIGITS), encoding)

/** A body that turns out to be very small is not compressed, although the client would accept that. */
const possibleEncodings = ({ encoding }: Form, { minLength }: CostlyBody): (ContentCoding | undefined)[] =>
  encoding === undefined || minLength >= MIN_COMPRESSED_BYTES ? [encoding] : [encoding, undefined]

const inFile = ({ path, encoding, length, sha256 }: BodyFile, hash: string): WholeBody => ({
  etag: tagOf(hash, encoding),
  encoding,
  length,
  sha256,
  part: ([from, to]) => {
    const file = { path, from, to }
    return { length: to - from, chunks: () => readFilePart(file), file }
  },
})

/** A 304 if the client has the body under one of these tags; throws a 412 if it expects another. */
function conditionalResponse(
  { headers }: HttpRequest,
  chosen: ChosenRelease,
  form: Form,
  tags: readonly string[],
): HttpResponse | undefined {
  const conditions = tags.map((tag) => evaluateConditions(headers, tag, chosen.release.lastModified))
  const clientTag = tags[conditions.indexOf('not-modified')]
  if (clientTag !== undefined)
    return { status: 304, head: responseHead(chosen, { ...form, encoding: undefined }, clientTag), body: undefined }
  const [first] = conditions
  if (typeof first === 'object' && conditions.every((condition) => typeof condition === 'object'))
    throw new ProblemError({ kind: 'precondition-failed', header: first.failed })
  return undefined
}

function wholeResponse(request: HttpRequest, chosen: ChosenRelease, form: Form, whole: WholeBody): HttpResponse {
  const { etag, encoding, length, sha256, part } = whole
  const notModified = conditionalResponse(request, chosen, form, [etag])
  if (notModified !== undefined) return notModified
  const headers = { ...form.headers, 'Accept-Ranges': 'bytes', 'Repr-Digest': `sha-256=:${sha256}:` }
  const range = requestedRange(request, whole, chosen.release.lastModified)
  if (range === 'beyond') throw new ProblemError({ kind: 'range-not-satisfiable', length })
  if (range === undefined)
    return { status: 200, head: responseHead(chosen, { ...form, encoding, headers }, etag), body: part([0, length]) }
  const [from, to] = range
  const partial = { ...headers, 'Content-Range': `bytes ${from}-${to - 1}/${length}` }
  return { status: 206, head: responseHead(chosen, { ...form, encoding, headers: partial }, etag), body: part(range) }
}

/** Only GET has ranges. With If-Range, a part is sent only if the client has the rest of the same body. */
function requestedRange({ method, headers }: HttpRequest, { etag, length }: WholeBody, lastModified: string) {
  if (method !== 'GET') return undefined
  const condition = headers.get('if-range')
  const isSame = condition === undefined || condition === etag || condition === lastModified
  return isSame ? readRange(headers.get('range'), length) : undefined
}

function headResponse(chosen: ChosenRelease, form: Form, tags: readonly string[]): HttpResponse {
  const [tag] = tags
  const isCertain = tags.length === 1
  const head = responseHead(chosen, isCertain ? form : { ...form, encoding: undefined }, isCertain ? tag : undefined)
  return { status: 200, head, body: { length: undefined, chunks: nothing } }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Clients that get a body of one release without the cache at a time: it is made anew for each. */
const MAX_DIRECT = 4
const RETRY_SECONDS = 10
const directStreams = new WeakMap<Release, number>()

/** The response without a cache: its body is made while it is sent, at the pace of the client, and not compressed. */
function directResponse(
  chosen: ChosenRelease,
  form: Form,
  hash: string,
  body: CostlyBody,
  work: RunningJob | undefined,
): HttpResponse {
  const { release } = chosen
  const add = (one: number) => directStreams.set(release, (directStreams.get(release) ?? 0) + one)
  if ((directStreams.get(release) ?? 0) >= MAX_DIRECT)
    throw new ProblemError(overloaded('streams', 'there is no room to prepare further downloads', RETRY_SECONDS))
  async function* chunks() {
    add(1)
    try {
      yield* inSlices(body.pieces(), work)
    } finally {
      add(-1)
    }
  }
  const head = responseHead(chosen, { ...form, encoding: undefined }, tagOf(hash, undefined))
  return { status: 200, head, body: { length: undefined, chunks } }
}

function newBody({ madeFrom, pieces }: CostlyBody, accepted: ContentCoding | undefined, work?: RunningJob): NewBody {
  let encoding = accepted
  async function* chunks() {
    const plain = inSlices(pieces(), work)
    const { value: first } = await plain.next()
    // All chunks but the last are full.
    if ((first?.length ?? 0) < MIN_COMPRESSED_BYTES) encoding = undefined
    if (first === undefined) return
    const all = startingWith(first, plain)
    yield* encoding === undefined ? all : compressedChunks(all, encoding)
  }
  return { madeFrom, chunks, encoding: () => encoding }
}

async function* startingWith<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first
  yield* rest
}

const CHUNK_BYTES = 1 << 16

/**
 * The pieces in chunks of one size, so that the same pieces are always compressed to the same bytes; each is valid until
 * the next one is pulled.
 */
export async function* inSlices(pieces: Iterable<Uint8Array>, work?: RunningJob): AsyncGenerator<Uint8Array> {
  const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  let used = 0
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      const bytes = Math.min(piece.length - at, CHUNK_BYTES - used)
      chunk.set(bytes === piece.length ? piece : piece.subarray(at, at + bytes), used)
      at += bytes
      used += bytes
      if (used < CHUNK_BYTES) continue
      yield chunk
      used = 0
    }
    // An await of nothing would take longer than most pieces.
    const paused = work?.pause()
    if (paused !== undefined) await paused
  }
  if (used > 0) yield chunk.subarray(0, used)
}
