// The operations of API v2 that find one's way: the index, search, releases, changes, and the document itself.
import { OPENAPI_PATH, V2_PATH } from '../../../catalog/collections.ts'
import type { Headers } from '../../../page/page-headers.ts'
import type { Release } from '../../../release/release.ts'
import { describeIndex, describeRelease, describeReleases } from '../describe.ts'
import {
  changesParameters,
  describeParameters,
  noParameters,
  RELEASE,
  searchParameters,
} from '../parameter-definitions.ts'
import { parseSearchRequest } from '../request.ts'
import { searchSuggestions } from '../search.ts'
import {
  anyChange,
  changesSchema,
  indexSchema,
  openapiSchema,
  releaseSchema,
  releasesSchema,
  suggestionSchema,
} from './body-schemas.ts'
import { wordToSearch } from './examples.ts'
import { CODING, CONDITIONS } from './headers.ts'
import type { Good, Operation } from './operation.ts'
import { type Json, listOf, type Parts } from './parts.ts'
import { CODED, linesOf, mediaType, PLAIN, samplesOf } from './v2-samples.ts'

export const SEARCH = 'Search'
export const RELEASES = 'Releases'
export const ABOUT = 'About'

const BAD = ['bad-parameter', 'unknown-parameter'] as const

const good = (description: string, samples: readonly Headers[], content: Json): Readonly<Record<number, Good>> => ({
  200: { description, samples, content },
  304: { description: 'The client has this already', samples },
})

const json = (schema: Json, example: Json = {}): Json => ({ [mediaType('json')]: { schema, ...example } })

export function otherOperations(parts: Parts, release: Release, baseUrl: string): Operation[] {
  const { manifest, digest } = release
  const shared = { inHeader: [...CONDITIONS, CODING] }
  const samples = samplesOf(release, false, PLAIN, CODED)
  const path = { releases: `${V2_PATH}/releases`, release: `${V2_PATH}/releases/{digest}` }
  const index = { example: describeIndex(release, baseUrl) }
  const list = { example: describeReleases([manifest], digest, baseUrl) }
  const one = { example: describeRelease(manifest, digest, baseUrl) }
  return [
    {
      ...shared,
      path: V2_PATH,
      id: 'v2',
      tag: ABOUT,
      summary: 'What API v2 has: collections, fields, filters',
      inQuery: describeParameters,
      good: good('The index', samplesOf(release, true, PLAIN, CODED), json(indexSchema(parts), index)),
      problems: [...BAD, 'release-gone'],
    },
    { ...shared, ...searchOperation(parts, release, baseUrl) },
    {
      ...shared,
      path: path.releases,
      id: 'list_releases',
      tag: RELEASES,
      summary: 'The releases that can be read, newest first',
      inQuery: noParameters,
      good: good('The releases', samples, json(releasesSchema(parts), list)),
      problems: BAD,
    },
    {
      ...shared,
      path: path.release,
      id: 'get_release',
      tag: RELEASES,
      summary: 'What a release says of itself',
      inPath: [
        { name: 'digest', in: 'path', required: true, description: RELEASE.description, schema: RELEASE.schema },
      ],
      inQuery: noParameters,
      good: good('The release', samples, json(releaseSchema(parts), one)),
      problems: [...BAD, 'not-found', 'release-gone'],
    },
    { ...shared, ...changesOperation(parts, release) },
    {
      ...shared,
      path: OPENAPI_PATH,
      id: 'openapi',
      tag: ABOUT,
      summary: 'This document',
      inQuery: noParameters,
      good: good('The document', samples, json(openapiSchema)),
      problems: BAD,
    },
  ]
}

function searchOperation(parts: Parts, release: Release, baseUrl: string): Operation {
  const path = `${V2_PATH}/search`
  const word = wordToSearch(release)
  const example =
    word === undefined
      ? {}
      : {
          example: searchSuggestions(
            release,
            parseSearchRequest({ pairs: [['q', word]], release: undefined }, release.catalog),
            baseUrl,
          ),
        }
  const samples = samplesOf(release, true, PLAIN, CODED)
  return {
    path,
    id: 'search',
    tag: SEARCH,
    summary: 'Suggestions out of all collections at once, the best first',
    inQuery: searchParameters(release.catalog),
    shown: { q: word },
    good: good('The suggestions', samples, json(listOf(suggestionSchema(parts)), example)),
    problems: [...BAD, 'release-gone'],
  }
}

function changesOperation(parts: Parts, release: Release): Operation {
  const { digest } = release.manifest
  const example = { example: { from: digest, to: digest, changes: [] } }
  const content = { ...json(changesSchema(parts), example), [mediaType('ndjson')]: linesOf(anyChange(parts)) }
  return {
    path: `${V2_PATH}/changes`,
    id: 'changes',
    tag: RELEASES,
    summary: 'What changed from one release to another',
    inQuery: changesParameters(release.catalog),
    shown: { from: digest },
    good: good('The changes', samplesOf(release, true, PLAIN, CODED), content),
    problems: [...BAD, 'not-acceptable', 'release-gone'],
  }
}
