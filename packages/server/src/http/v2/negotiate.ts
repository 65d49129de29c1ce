// Content negotiation (RFC 9110, sections 12.5 and 14): the format, the encoding and the range of a response.
import { type FormatName, recordFormats } from '../../query/formats/formats.ts'
import type { RecordFormat } from '../../query/formats/record-format.ts'
import type { RequestHeaders } from '../exchange.ts'
import { ProblemError } from '../problem.ts'

/** The format that the request names, or else one that it accepts; and the content coding of the response. */
export function negotiate<F extends FormatName>(
  headers: RequestHeaders,
  formats: readonly (F | 'json')[],
  named: F | 'json' | undefined,
): { readonly format: F | 'json'; readonly encoding: ContentCoding | undefined } {
  const accept = headers.get('accept')
  const format = named ?? acceptedFormat(accept, formats)
  if (format === undefined)
    throw new ProblemError({ kind: 'not-acceptable', accept: accept ?? '', forms: mediaTypes(formats) })
  const { isCompressed }: RecordFormat = recordFormats[format]
  return { format, encoding: isCompressed === true ? undefined : acceptedEncoding(headers.get('accept-encoding')) }
}

/** The media types of formats in words, such as "application/json, application/x-ndjson and text/csv". */
function mediaTypes(formats: readonly FormatName[]): string {
  const types = [...new Set(formats.map((format) => recordFormats[format].mediaTypes[0]))]
  return `${types.slice(0, -1).join(', ')} and ${types.at(-1)}`
}

type Preference = { readonly name: string; readonly quality: number }

/** The members of a list such as `gzip;q=0.5, br`, with their qualities. */
function preferences(header: string): Preference[] {
  return header.split(',').flatMap((member) => {
    const [name = '', ...parameters] = member.split(';').map((part) => part.trim().toLowerCase())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    const parsed =
      quality === undefined ? 1 : /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/.test(quality) ? Number(quality) : 0
    return name === '' ? [] : [{ name, quality: parsed }]
  })
}

/** The first of the offers with the highest quality; none if that is 0. */
function best<O>(offers: readonly O[], qualityOf: (offer: O) => number): O | undefined {
  let bestOffer: O | undefined
  let highest = 0
  for (const offer of offers) {
    const quality = qualityOf(offer)
    if (quality <= highest) continue
    highest = quality
    bestOffer = offer
  }
  return bestOffer
}

/** The media ranges that match a format, the most specific first. */
function mediaRanges(format: FormatName): string[] {
  const { mediaTypes } = recordFormats[format]
  return [...mediaTypes, mediaTypes[0].replace(/\/.*/, '/*'), '*/*']
}

/** The format that an Accept header prefers, out of those offered; JSON without a header. */
export function acceptedFormat<F extends FormatName>(
  header: string | undefined,
  offers: readonly (F | 'json')[],
): F | 'json' | undefined {
  if (header === undefined || header.trim() === '') return 'json'
  const accepted = preferences(header)
  // The most specific range that matches a format decides its quality.
  const qualityOf = (format: FormatName) =>
    mediaRanges(format)
      .map((range) => accepted.find(({ name }) => name === range))
      .find((found) => found !== undefined)?.quality ?? 0
  return best(offers, qualityOf)
}

/** The content codings, the best first, each with the microseconds that a kilobyte takes. */
export const CODING_COSTS = { zstd: 1, br: 7.5, gzip: 5 } as const
export type ContentCoding = keyof typeof CODING_COSTS
export const ENCODINGS = Object.keys(CODING_COSTS) as readonly ContentCoding[]

/** The content encoding to use; none unless the client accepts one and does not prefer the body as it is. */
export function acceptedEncoding(header: string | undefined): ContentCoding | undefined {
  if (header === undefined) return undefined
  const accepted = preferences(header)
  const qualityOf = (name: string) => accepted.find((preference) => preference.name === name)?.quality
  const namedQuality = (encoding: ContentCoding) =>
    qualityOf(encoding) ?? (encoding === 'gzip' ? qualityOf('x-gzip') : undefined)
  const quality = (encoding: ContentCoding) => namedQuality(encoding) ?? qualityOf('*') ?? 0
  const named = ENCODINGS.filter((encoding) => namedQuality(encoding) !== undefined)
  // A client that accepts `*` most likely knows gzip.
  const others = ENCODINGS.filter((encoding) => !named.includes(encoding)).toReversed()
  const encoding = best([...named, ...others], quality)
  return encoding !== undefined && quality(encoding) >= (qualityOf('identity') ?? 0) ? encoding : undefined
}

/** A part of a body, from its first byte to just after its last. */
export type ByteRange = readonly [from: number, to: number]

const ONE_RANGE = /^bytes=([0-9]{0,15})-([0-9]{0,15})$/

/** The part that a Range header names; undefined for the whole, which is also sent for several ranges and for a header that is not valid. */
export function readRange(header: string | undefined, length: number): ByteRange | 'beyond' | undefined {
  const [, first = '', last = ''] = ONE_RANGE.exec(header?.replaceAll(' ', '') ?? '') ?? []
  if (first === '' && last === '') return undefined
  // Without a first byte, the number is how many of the last bytes are meant.
  if (first === '') return Number(last) === 0 || length === 0 ? 'beyond' : [Math.max(length - Number(last), 0), length]
  if (last !== '' && Number(last) < Number(first)) return undefined
  if (Number(first) >= length) return 'beyond'
  return [Number(first), last === '' ? length : Math.min(Number(last) + 1, length)]
}
