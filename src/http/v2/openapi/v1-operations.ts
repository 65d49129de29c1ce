// The operations of API v1.
import { collections, PER_PAGE, V1_PATH } from '../../../catalog/collections.ts'
import { entities } from '../../../catalog/entities.ts'
import { readPage } from '../../../page/page.ts'
import { CACHE_CONTROL, COMMON_HEADERS, type Headers, pageHeaders } from '../../../page/page-headers.ts'
import { FIRST_PAGE, FORMATS, MAX_DIGITS } from '../../../page/page-request.ts'
import type { Release } from '../../../release/release.ts'
import type { Parameter } from '../parameter-definitions.ts'
import { indexOfV1 } from './body-schemas.ts'
import { recordsExample } from './examples.ts'
import { CONDITIONS } from './headers.ts'
import type { Operation } from './operation.ts'
import type { Parts } from './parts.ts'
import { wholeRecord } from './record-schemas.ts'

export const V1_TAG = 'v1'

/** Parameters with other names are ignored. */
export const v1Parameters: ReadonlyMap<string, Parameter> = new Map(
  [
    {
      name: 'page',
      description: 'Number of the page, from 1',
      repeatable: false,
      schema: { type: 'integer', minimum: 1, maximum: 10 ** MAX_DIGITS - 1, default: 1 },
    },
    { name: 'format', description: 'Both give JSON', repeatable: false, schema: { type: 'string', enum: FORMATS } },
  ].map((parameter) => [parameter.name, parameter]),
)

export function v1Operations(parts: Parts, release: Release, baseUrl: string): Operation[] {
  return [indexOperation(baseUrl), ...collections.map((collection) => pageOperation(parts, release, collection))]
}

function indexOperation(baseUrl: string): Operation {
  const example = Object.fromEntries(collections.map(({ name, path }) => [name, `${baseUrl}${path}`]))
  const headers = { ...COMMON_HEADERS, 'Cache-Control': CACHE_CONTROL }
  const content = { 'application/json': { schema: indexOfV1, example } }
  return {
    path: V1_PATH,
    id: 'v1',
    tag: V1_TAG,
    summary: 'The collections of API v1, by name',
    inQuery: new Map(),
    good: { 200: { description: 'The URL of each collection', samples: [headers], content } },
    problems: [],
  }
}

function pageOperation(parts: Parts, release: Release, collection: (typeof collections)[number]): Operation {
  const { name, title, entity, path } = collection
  const samples = samplesOf(release, collection)
  const schema = { type: 'array', items: wholeRecord(parts, entities[entity]), maxItems: PER_PAGE }
  const example = recordsExample(release, entity, 'json')
  return {
    path,
    id: `v1_${name}`,
    tag: V1_TAG,
    summary: `${title}, ${PER_PAGE} on a page`,
    inQuery: v1Parameters,
    inHeader: CONDITIONS,
    good: {
      200: { description: 'A page', samples, content: { 'application/json': { schema, ...example } } },
      304: { description: 'The client has this page already', samples },
    },
    problems: ['bad-parameter', 'page-beyond-last'],
  }
}

/** The headers of the first page, as it is and as if there were others beside it. */
function samplesOf(release: Release, collection: (typeof collections)[number]): Headers[] {
  const page = readPage(release, collection, FIRST_PAGE)
  if ('kind' in page) throw new Error(`${collection.name} has no first page`)
  return [1, 2].map((totalPages) => pageHeaders({ ...page, totalPages }, ''))
}
