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

const MAX_KEPT = 32
const MAX_KEPT_BYTES = 32_000_000

type KeptDocument = (request: HttpRequest, chosen: ChosenRelease, baseUrl: string) => HttpResponse

/** The response with what `describe` makes of a release, which must follow from it and the address alone. */
export function keptDocument(describe: (release: Release, baseUrl: string) => object): KeptDocument {
  const textOf = memoized((release: Release) => JSON.stringify(describe(release, ADDRESS)))
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
    const documents = documentsOf(release)
    const plain = () =>
      documents.get(baseUrl, () => {
        const bytes = Buffer.from(textOf(release).replaceAll(ADDRESS, () => JSON.stringify(baseUrl).slice(1, -1)))
        return { bytes, hash: contentHash(bytes) }
      })
    const encoded = (encoding: ContentCoding) =>
      documents.get(`${encoding} ${baseUrl}`, () => {
        const { bytes, hash } = plain()
        return { bytes: compressed(bytes, encoding), hash }
      })
    const isSmall = textOf(release).length < MIN_COMPRESSED_BYTES
    const encoding = isSmall ? undefined : acceptedEncoding(request.headers.get('accept-encoding'))
    const { bytes, hash } = encoding === undefined ? plain() : encoded(encoding)
    return validatedResponse(request, chosen, { format: 'json', encoding, hash, body: () => bytes })
  }
}
