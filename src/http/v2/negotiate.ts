// What a client accepts, out of what there is (RFC 9110, section 12.5).
import type { Format } from '../../page/rendition.ts'

type Preference = { readonly name: string; readonly quality: number }

/** The members of a list such as `gzip;q=0.5, br`, with how much each is wanted. */
function preferences(header: string): Preference[] {
  return header.split(',').flatMap((member) => {
    const [name = '', ...parameters] = member.split(';').map((part) => part.trim().toLowerCase())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    const wanted =
      quality === undefined ? 1 : /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/.test(quality) ? Number(quality) : 0
    return name === '' ? [] : [{ name, quality: wanted }]
  })
}

/** The first of the offers that is wanted most, if any is wanted at all. */
function best<O>(offers: readonly O[], wantedHow: (offer: O) => number): O | undefined {
  let found: O | undefined
  let most = 0
  for (const offer of offers) {
    const quality = wantedHow(offer)
    if (quality <= most) continue
    most = quality
    found = offer
  }
  return found
}

const MEDIA: Readonly<Record<Format, readonly string[]>> = {
  json: ['application/json', 'text/json', 'application/*', '*/*'],
  ndjson: ['application/x-ndjson', 'application/jsonl', 'application/*', '*/*'],
  csv: ['text/csv', 'text/*', '*/*'],
}

/** The form that an Accept header asks for, out of those offered; JSON where it does not say. */
export function acceptedFormat<F extends Format>(
  header: string | undefined,
  offers: readonly (F | 'json')[],
): F | 'json' | undefined {
  if (header === undefined || header.trim() === '') return 'json'
  const accepted = preferences(header)
  // The most specific range that fits an offer says how much it is wanted.
  const wantedHow = (format: Format) =>
    MEDIA[format].map((range) => accepted.find(({ name }) => name === range)).find((found) => found !== undefined)
      ?.quality ?? 0
  return best(offers, wantedHow)
}

export const ENCODINGS = ['zstd', 'br', 'gzip'] as const
export type Encoding = (typeof ENCODINGS)[number]

/** The content coding to use; none unless one is asked for and wanted at least as much as none. */
export function acceptedEncoding(header: string | undefined): Encoding | undefined {
  if (header === undefined) return undefined
  const accepted = preferences(header)
  const qualityOf = (name: string) => accepted.find((preference) => preference.name === name)?.quality
  const any = qualityOf('*')
  const identity = qualityOf('identity') ?? 0
  const wantedHow = (encoding: Encoding) =>
    qualityOf(encoding) ?? (encoding === 'gzip' ? qualityOf('x-gzip') : undefined) ?? any ?? 0
  const found = best(ENCODINGS, wantedHow)
  return found !== undefined && wantedHow(found) >= identity ? found : undefined
}
