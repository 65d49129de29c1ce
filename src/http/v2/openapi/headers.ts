// What the headers of answers and requests mean, and which of them an answer has.
import type { Headers } from '../../../page/page-headers.ts'
import { DIGEST } from '../../../release/manifest.ts'
import { ENCODINGS } from '../negotiate.ts'
import type { Json, Parts } from './parts.ts'

type Described = {
  readonly description: string
  /** Where the value is not always the same. */
  readonly schema?: Json
}

const count = (minimum: number): Json => ({ type: 'integer', minimum })
const texts = (pattern: string): Json => ({ type: 'string', pattern })
const DATE = '[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT'

const described: Readonly<Record<string, Described>> = {
  Allow: { description: 'The methods that are allowed' },
  Vary: { description: 'The headers of the request on which the answer depends' },
  'Access-Control-Allow-Origin': { description: 'Any page of any origin may read the answer' },
  'Access-Control-Expose-Headers': { description: 'The headers that a script may read' },
  'Cache-Control': { description: 'How long the answer may be kept; for ever where the request names the release' },
  'Content-Disposition': { description: 'A name for the file', schema: texts('^attachment; filename="[^"]+"$') },
  'Content-Encoding': {
    description: 'How the body is compressed; absent where it is not',
    schema: { type: 'string', enum: ENCODINGS },
  },
  'Content-Range': {
    description: 'Which bytes these are, and of how many',
    schema: texts('^bytes (?:[0-9]+-[0-9]+|\\*)/[0-9]+$'),
  },
  'Accept-Ranges': { description: 'A part of the bytes can be asked for' },
  'Repr-Digest': {
    description: 'Digest of the whole body (RFC 9530); comes after the body where that is compressed',
    schema: texts('^sha-256=:[A-Za-z0-9+/]{43}=:$'),
  },
  ETag: {
    description: 'Validator of the body; strong unless the body is compressed while it is sent',
    schema: texts('^(?:W/)?"[0-9a-z-]+"$'),
  },
  'Last-Modified': { description: 'When the release was built', schema: texts(`^${DATE}$`) },
  Link: {
    description: 'Other pages (RFC 8288); absent where there are none',
    schema: texts('^<[^<>]+>; rel="[a-z]+"(?:, <[^<>]+>; rel="[a-z]+")*$'),
  },
  'X-Page': { description: 'Number of this page', schema: count(1) },
  'X-Per-Page': { description: 'Records on a page', schema: count(1) },
  'X-Total': { description: 'Number of records in all', schema: count(0) },
  'X-Total-Pages': { description: 'Number of pages in all', schema: count(0) },
  'X-Release': { description: 'Digest of the release that answered', schema: texts(DIGEST.source) },
}

/** The headers that samples of an answer have: those that all have are required, and what all say is constant. */
export function headersOf(parts: Parts, samples: readonly Headers[]): Json {
  const names = [...new Set(samples.flatMap((sample) => Object.keys(sample)))]
  // OpenAPI wants the content type elsewhere, and ignores it here.
  const others = names.filter((name) => name !== 'Content-Type')
  return Object.fromEntries(others.map((name) => [name, headerOf(parts, name, samples)]))
}

function headerOf(parts: Parts, name: string, samples: readonly Headers[]): Json {
  const known = described[name]
  if (known === undefined) throw new Error(`the header ${name} is not described`)
  const values = [...new Set(samples.flatMap((sample) => sample[name] ?? []))]
  const schema = known.schema ?? { type: 'string', enum: values }
  const required = samples.every((sample) => name in sample)
  return parts.once(['header', name, required, ...values].join(), () =>
    parts.share('headers', name, { description: known.description, required, schema }),
  )
}

const request = (name: string, description: string): Json => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
})

/** Headers of the request that make a 304 of it. */
export const CONDITIONS: readonly Json[] = [
  request('If-None-Match', 'The ETag of what the client has'),
  request('If-Modified-Since', 'The Last-Modified of what the client has; looked at where there is no If-None-Match'),
]
export const CODING = request('Accept-Encoding', `How the body may be compressed: ${ENCODINGS.join(', ')}`)
/** Headers of the request that make a 206 of it. */
export const RANGES: readonly Json[] = [
  request('Range', 'The bytes that are wanted, as in bytes=1000-'),
  request('If-Range', 'The ETag or Last-Modified of what the client has begun; the whole is sent if it is another'),
]
