// Documents that describe a whole release: the text is made once and kept with it, and so is every compressed form that clients accept.
import { LruCache } from '../../base/lru-cache.ts'
import { memoized } from '../../base/memoized.ts'
import type { Release } from '../../release/release.ts'
import type { HttpRequest, HttpResponse } from '../exchange.ts'
import { freeMemory } from '../free-memory.ts'
import { inSlices } from './cached-response.ts'
import { acceptedEncoding } from './negotiate.ts'
import { type ChosenRelease, compressed, contentHash, MIN_COMPRESSED_BYTES, validatedResponse } from './response.ts'

/** Stands in the text of a document for the address of the service, which clients may call differently. */
const ADDRESS = crypto.randomUUID()

/** The members of the members of an object, or of a list in it, are turned into text each by itself. */
const DEPTH = 2

/** The JSON of a value in pieces: as one text, that of thousands of lists would be in memory several times. */
export function* jsonPieces(value: unknown, depth = DEPTH): Generator<string> {
  if (depth === 0 || typeof value !== 'object' || value === null) {
    yield JSON.stringify(value)
    return
  }
  const isList = Array.isArray(value)
  let separator = isList ? '[' : '{'
  for (const key of Object.keys(value)) {
    const member = (value as Readonly<Record<string, unknown>>)[key]
    if (member === undefined) continue
    yield isList ? separator : `${separator}${JSON.stringify(key)}:`
    yield* jsonPieces(member, depth - 1)
    separator = ','
  }
  yield separator === ',' ? (isList ? ']' : '}') : isList ? '[]' : '{}'
}

/** A text in parts: bytes, and undefined where the address of the service stands. */
type Template = { readonly parts: readonly (Uint8Array | undefined)[]; readonly length: number }

function templateFrom(pieces: Iterable<string>): Template {
  const parts: (Uint8Array | undefined)[] = []
  let text = ''
  let length = 0
  const endPart = () => {
    parts.push(Buffer.from(text))
    text = ''
  }
  for (const piece of pieces) {
    length += piece.length
    for (const [at, between] of piece.split(ADDRESS).entries()) {
      if (at > 0) {
        endPart()
        parts.push(undefined)
      }
      text += between
    }
    if (text.length >= PART_CHARACTERS) endPart()
  }
  endPart()
  return { parts, length }
}

const PART_CHARACTERS = 1 << 16
/** A longer text is not kept for each address, but put together while it is sent. */
const MAX_WHOLE_BYTES = 1 << 17
const MAX_KEPT = 32
const MAX_KEPT_BYTES = 32_000_000

type Kept = { readonly hash: string; readonly bytes: Uint8Array | undefined; readonly length: number }

type KeptDocument = (request: HttpRequest, chosen: ChosenRelease, baseUrl: string) => HttpResponse

/** The response with what `describe` makes of a release, which must follow from it and the address alone. */
export function keptDocument(describe: (release: Release, baseUrl: string) => object): KeptDocument {
  const templateOf = memoized((release: Release) => templateFrom(jsonPieces(describe(release, ADDRESS))))
  const documentsOf = memoized(
    (_: Release) =>
      new LruCache<Kept>({
        maxEntries: MAX_KEPT,
        maxWeight: MAX_KEPT_BYTES,
        weightOf: ({ bytes }) => bytes?.length ?? 0,
      }),
  )
  return (request, chosen, baseUrl) => {
    const template = templateOf(chosen.release)
    const address = Buffer.from(JSON.stringify(baseUrl).slice(1, -1))
    const parts = template.parts.map((part) => part ?? address)
    const accepted = acceptedEncoding(request.headers.get('accept-encoding'))
    const encoding = template.length < MIN_COMPRESSED_BYTES ? undefined : accepted
    // The request for which a text is put together gets it as it is: it may have used up the time for more.
    let fresh: Uint8Array | undefined
    const { hash, bytes, length } = documentsOf(chosen.release).get(`${encoding} ${baseUrl}`, () => {
      const plain = Buffer.concat(parts)
      const { length } = plain
      const hash = contentHash(plain)
      if (encoding === undefined && length <= MAX_WHOLE_BYTES) return { hash, bytes: plain, length }
      if (encoding === undefined) fresh = plain
      const bytes = encoding && compressed(plain, encoding)
      if (bytes !== undefined) freeMemory(plain)
      return { hash, bytes, length }
    })
    const body = () => bytes ?? fresh ?? { length, chunks: () => inSlices(parts) }
    const ownsBody = fresh !== undefined
    return validatedResponse(request, chosen, { format: 'json', encoding, hash, body, ownsBody })
  }
}
