// The headers of answers of API v2, as the functions that set them do, and the forms of records.
import { type EntityName, entities } from '../../../catalog/entities.ts'
import { type Headers, totalHeaders } from '../../../page/page-headers.ts'
import { CONTENT_TYPES, FORMATS, type Format } from '../../../page/rendition.ts'
import type { Release } from '../../../release/release.ts'
import { v2Headers } from '../response.ts'
import { recordExample, recordsExample } from './examples.ts'
import { type Json, listOf, type Parts } from './parts.ts'
import { wholeOrPart, wholeRecord } from './record-schemas.ts'

/** With every further set of headers; the release may be named where that is a parameter. */
export function samplesOf(release: Release, canBeNamed: boolean, ...further: readonly Headers[]): Headers[] {
  const sources = canBeNamed
    ? [
        { release, isNamed: false },
        { release, isNamed: true },
      ]
    : [{ release, isNamed: false, isUndated: true }]
  return sources.flatMap((from) =>
    further.map((more) => ({ ...v2Headers(from, 'json', '', undefined, {}), 'Content-Type': '', ...more })),
  )
}

export const PLAIN: Headers = {}
export const CODED: Headers = { 'Content-Encoding': '' }

const PAGE: Headers = { 'X-Page': '', ...totalHeaders(0, 0) }
export const PAGES: readonly Headers[] = [PAGE, { ...PAGE, ...CODED, Link: '' }]

const BULK: Headers = { 'Content-Disposition': '', 'X-Total': '' }
const WHOLE: Headers = { ...BULK, 'Accept-Ranges': 'bytes', 'Repr-Digest': '' }
export const BULKS = {
  200: [WHOLE, { ...BULK, ...CODED }],
  206: [{ ...WHOLE, 'Content-Range': '' }],
  304: [BULK],
} as const

export const mediaType = (format: Format): string => CONTENT_TYPES[format].split(';')[0] as string

const contentOf = (forms: Readonly<Record<Format, Json>>): Json =>
  Object.fromEntries(FORMATS.map((format) => [mediaType(format), forms[format]]))

/** Every line ends with its line end. */
const lines: Json = { type: 'string', pattern: '^(?:[^\\n]+\\n)*$' }
export const linesOf = (line: Json): Json => ({ schema: lines, 'x-itemSchema': line })
const csv: Json = { schema: { type: 'string', pattern: '^[A-Za-z.,]+\\r\\n', description: 'RFC 4180, with a head' } }

/** Any bytes: a part of a body is no body. */
export const anyBytes: Json = contentOf({ json: {}, ndjson: {}, csv: {} })

export function listContent(parts: Parts, release: Release, name: EntityName): Json {
  return contentOf({
    json: { schema: wholeOrPart(parts, entities[name], listOf), ...recordsExample(release, name, 'json') },
    ndjson: { ...linesOf(wholeOrPart(parts, entities[name])), ...recordsExample(release, name, 'ndjson') },
    csv: { ...csv, ...recordsExample(release, name, 'csv') },
  })
}

export function allContent(parts: Parts, release: Release, name: EntityName): Json {
  const record = wholeRecord(parts, entities[name])
  return contentOf({
    json: { schema: listOf(record), ...recordsExample(release, name, 'json') },
    ndjson: { ...linesOf(record), ...recordsExample(release, name, 'ndjson') },
    csv: { ...csv, ...recordsExample(release, name, 'csv') },
  })
}

export function recordContent(parts: Parts, release: Release, name: EntityName): Json {
  const schema = wholeOrPart(parts, entities[name])
  return contentOf({
    json: { schema, ...recordExample(release, name) },
    ndjson: { ...linesOf(schema), ...recordsExample(release, name, 'ndjson', 1) },
    csv: { ...csv, ...recordsExample(release, name, 'csv', 1) },
  })
}
