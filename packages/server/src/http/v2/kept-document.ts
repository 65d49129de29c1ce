// Documents that describe a whole release: made once, and kept with it in every form that clients accept.
import { LruCache } from '../../base/lru-cache.ts'
import { memoized } from '../../base/memoized.ts'
import type { Release } from '../../release/release.ts'
import type { HttpRequest, HttpResponse } from '../exchange.ts'
import { acceptedEncoding, type ContentCoding } from './negotiate.ts'
import { type ChosenRelease, compressed, contentHash, MIN_COMPRESSED_BYTES, validatedResponse } from './response.ts'

type Kept = { readonly bytes: Uint8Array; readonly hash: string }

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

const MAX_KEPT = 32
const MAX_KEPT_BYTES = 32_000_000

type KeptDocument = (request: HttpRequest, chosen: ChosenRelease, baseUrl: string) => HttpResponse

/** The response with what `describe` makes of a release, which must follow from it and the address alone. */
export function keptDocument(describe: (release: Release, baseUrl: string) => object): KeptDocument {
  /** The bytes between the places where the address stands. */
  const templateOf = memoized((release: Release) => {
    const bytes = Buffer.concat(Array.from(jsonPieces(describe(release, ADDRESS)), (piece) => Buffer.from(piece)))
    return { parts: splitAt(bytes, Buffer.from(ADDRESS)), isSmall: bytes.length < MIN_COMPRESSED_BYTES }
  })
  const documentsOf = memoized(
    (_: Release) =>
      new LruCache<Kept>({
        maxEntries: MAX_KEPT,
        maxWeight: MAX_KEPT_BYTES,
        weightOf: ({ bytes }) => bytes.length,
      }),
  )
  return (request, chosen, baseUrl) => {
    const { release } = chosen
    const { parts, isSmall } = templateOf(release)
    const documents = documentsOf(release)
    const plain = () =>
      documents.get(baseUrl, () => {
        const address = Buffer.from(JSON.stringify(baseUrl).slice(1, -1))
        const bytes = Buffer.concat(parts.flatMap((part, at) => (at === 0 ? [part] : [address, part])))
        return { bytes, hash: contentHash(bytes) }
      })
    const encoded = (encoding: ContentCoding) =>
      documents.get(`${encoding} ${baseUrl}`, () => {
        const { bytes, hash } = plain()
        return { bytes: compressed(bytes, encoding), hash }
      })
    const encoding = isSmall ? undefined : acceptedEncoding(request.headers.get('accept-encoding'))
    const { bytes, hash } = encoding === undefined ? plain() : encoded(encoding)
    return validatedResponse(request, chosen, { format: 'json', encoding, hash, body: () => bytes })
  }
}

function splitAt(bytes: Buffer, mark: Buffer): readonly Uint8Array[] {
  const parts: Uint8Array[] = []
  let start = 0
  for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, start)) {
    parts.push(bytes.subarray(start, at))
    start = at + mark.length
  }
  return [...parts, bytes.subarray(start)]
}
