// Documents that describe a whole release: the text is made once and kept with it, and so is every compressed form that clients accept.
import { LruCache } from '../../base/lru-cache.ts'
import { memoized } from '../../base/memoized.ts'
import type { Release } from '../../release/release.ts'
import { type HttpRequest, type HttpResponse, type RunningJob, whenReady } from '../exchange.ts'
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

/** A text in parts, with the address of the service between any two of them. */
class Template {
  readonly #pieces: Iterator<string>
  /** Bytes, and undefined where the address stands. */
  readonly #parts: (Uint8Array | undefined)[] = []
  #text = ''
  #isWhole = false
  length = 0

  constructor(pieces: Iterator<string>) {
    this.#pieces = pieces
  }

  /** Goes on where the request before was stopped, which may have lost its client or used up its time. */
  whenWhole(work: RunningJob | undefined): Template | Promise<Template> {
    while (!this.#isWhole) {
      this.#add(this.#pieces.next())
      const paused = work?.pause()
      if (paused !== undefined) return paused.then(() => this.whenWhole(work))
    }
    return this
  }

  #add({ done, value = '' }: IteratorResult<string, string | undefined>): void {
    const [first = '', ...others] = value.split(ADDRESS)
    this.#text += first
    this.length += value.length
    for (const text of others) {
      this.#endPart()
      this.#parts.push(undefined)
      this.#text = text
    }
    this.#isWhole = done === true
    if (this.#isWhole || this.#text.length >= PART_CHARACTERS) this.#endPart()
  }

  #endPart(): void {
    this.#parts.push(Buffer.from(this.#text))
    this.#text = ''
  }

  with(baseUrl: string): Uint8Array[] {
    const address = Buffer.from(JSON.stringify(baseUrl).slice(1, -1))
    return this.#parts.map((part) => part ?? address)
  }
}

const PART_CHARACTERS = 1 << 16
/** A longer text is not kept for each address, but put together while it is sent. */
const MAX_WHOLE_BYTES = 1 << 17
const MAX_KEPT = 32
const MAX_KEPT_BYTES = 32_000_000

type Kept = { readonly hash: string; readonly bytes: Uint8Array | undefined; readonly length: number }

type KeptDocument = (
  request: HttpRequest,
  chosen: ChosenRelease,
  baseUrl: string,
  work?: RunningJob,
) => HttpResponse | Promise<HttpResponse>

/** The response with what `describe` makes of a release, which must follow from it and the address alone. */
export function keptDocument(describe: (release: Release, baseUrl: string) => object): KeptDocument {
  const templateOf = memoized((release: Release) => new Template(jsonPieces(describe(release, ADDRESS))))
  const documentsOf = memoized(
    (_: Release) =>
      new LruCache<Kept>({
        maxEntries: MAX_KEPT,
        maxWeight: MAX_KEPT_BYTES,
        weightOf: ({ bytes }) => bytes?.length ?? 0,
      }),
  )
  return (request, chosen, baseUrl, work) =>
    whenReady(templateOf(chosen.release).whenWhole(work), (template) => {
      const accepted = acceptedEncoding(request.headers.get('accept-encoding'))
      const encoding = template.length < MIN_COMPRESSED_BYTES ? undefined : accepted
      const parts = template.with(baseUrl)
      const { hash, bytes, length } = documentsOf(chosen.release).get(`${encoding} ${baseUrl}`, () => {
        const plain = Buffer.concat(parts)
        const { length } = plain
        const hash = contentHash(plain)
        if (encoding === undefined && length <= MAX_WHOLE_BYTES) return { hash, bytes: plain, length }
        const bytes = encoding && compressed(plain, encoding)
        freeMemory(plain)
        return { hash, bytes, length }
      })
      const body = () => bytes ?? { length, chunks: () => inSlices(parts) }
      return validatedResponse(request, chosen, { format: 'json', encoding, hash, body })
    })
}
