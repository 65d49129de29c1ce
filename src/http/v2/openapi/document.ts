// The OpenAPI document of both APIs, made from the definitions that the server itself reads.
import type { Release } from '../../../release/release.ts'
import { version } from '../../../version.ts'
import { OPENAPI_VERSION } from './body-schemas.ts'
import { written } from './operation.ts'
import { ABOUT, otherOperations, RELEASES, SEARCH } from './other-operations.ts'
import { type Json, Parts } from './parts.ts'
import { LISTS, RECORDS, recordOperations, WHOLES } from './record-operations.ts'
import { V1_TAG, v1Operations } from './v1-operations.ts'

const tags: Readonly<Record<string, string>> = {
  [ABOUT]: 'What there is',
  [SEARCH]: 'Typeahead over all collections',
  [LISTS]: 'Records of an entity, in pages',
  [RECORDS]: 'Records one by one',
  [WHOLES]: 'All records of an entity in one answer',
  [RELEASES]: 'Releases of the catalogs, and what changed between them',
  [V1_TAG]: 'API v1: five collections in pages of ten',
}

const description = `Reference catalogs, read-only and without credentials.

- HEAD is answered as GET, without the body; OPTIONS with the methods that are allowed.
- API v1 ignores parameters that it does not know; API v2 refuses them.
- A path with one slash too many at its end is redirected (308) to the one without.
- Where an answer is \`application/x-ndjson\`, \`x-itemSchema\` is the schema of a line.`

/** Depends on nothing but what it is given and the version of the program. */
export function openapiDocument(release: Release, baseUrl: string): Json {
  const parts = new Parts()
  const operations = [
    ...otherOperations(parts, release, baseUrl),
    ...recordOperations(parts, release),
    ...v1Operations(parts, release, baseUrl),
  ]
  const paths = Object.fromEntries(
    operations.map((operation) => [operation.path, { get: written(parts, operation) }] as const),
  )
  return {
    openapi: OPENAPI_VERSION,
    info: { title: 'Nomenclator', version, description },
    servers: [{ url: baseUrl }],
    security: [],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: parts.all(),
  }
}
