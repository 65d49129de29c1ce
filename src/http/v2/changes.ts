// What changed from one release to another, in one answer, for those who keep a copy.
import { entityByPlural } from '../../catalog/collections.ts'
import { type EntityName, entities, entityNames } from '../../catalog/entities.ts'
import { headerLines } from '../../page/page-headers.ts'
import { CONTENT_TYPES } from '../../page/rendition.ts'
import { diffEntity, fromMappedFiles, type RecordChange } from '../../release/diff.ts'
import type { Release } from '../../release/release.ts'
import { isNotModified } from '../conditional.ts'
import type { HttpRequest, HttpResponse } from '../exchange.ts'
import { type NotAcceptable, releaseHeaders, v2Headers } from './answers.ts'
import { compressedPieces } from './compress.ts'
import { acceptedEncoding, acceptedFormat } from './negotiate.ts'
import type { OpenReleases, ReleaseGone } from './open-releases.ts'
import { CHANGES_FORMATS, changesParameters } from './parameter-definitions.ts'
import { badParameter, oneOf, readParameters } from './parameters.ts'

const FORMS = `${CONTENT_TYPES.json} and ${CONTENT_TYPES.ndjson}`

export function answerChanges(
  releases: OpenReleases,
  request: HttpRequest,
): HttpResponse | ReleaseGone | NotAcceptable {
  const parameters = readParameters(request.query, changesParameters(releases.current.catalog))
  const from = parameters.one('from')
  if (from === undefined) throw badParameter('from', '', 'the digest of the release to start from; it must be given')
  const wanted = parameters.values.get('in')
  const names = wanted === undefined ? entityNames : [...new Set(wanted.map(collectionNamed))]
  const accept = request.headers.get('accept')
  const format = oneOf(parameters, 'format', CHANGES_FORMATS, acceptedFormat(accept, CHANGES_FORMATS))
  if (format === undefined) return { kind: 'not-acceptable', accept: accept as string, forms: FORMS }
  const older = opened(releases, 'from', from)
  if ('kind' in older) return older
  const to = parameters.one('to')
  const newer = to === undefined ? releases.current : opened(releases, 'to', to)
  if ('kind' in newer) return newer
  const encoding = acceptedEncoding(request.headers.get('accept-encoding'))
  const parts = [older.manifest.digest, newer.manifest.digest, ...names, format].join(' ')
  const etag = `"${Bun.hash.xxHash64(parts).toString(16).padStart(16, '0')}${encoding === undefined ? '' : `-${encoding}`}"`
  const head = headerLines({
    ...v2Headers(CONTENT_TYPES[format]),
    ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
    // A coding made in pieces need not come out the same every time.
    ETag: encoding === undefined ? etag : `W/${etag}`,
    ...releaseHeaders({ release: newer, isNamed: to !== undefined }),
  })
  if (isNotModified(request.headers, etag, newer.lastModified)) return { status: 304, head, body: undefined }
  const pieces = () => (format === 'json' ? document(older, newer, names) : lines(older, newer, names))
  const chunks = () => (encoding === undefined ? pieces() : compressedPieces(pieces(), encoding))
  return { status: 200, head, body: { length: undefined, chunks } }
}

function opened(releases: OpenReleases, parameter: string, given: string): Release | ReleaseGone {
  const digest = releases.digestOf(parameter, given)
  return typeof digest === 'string' ? releases.open(digest) : digest
}

function collectionNamed(plural: string): EntityName {
  const name = entityByPlural.get(plural)
  if (name === undefined) throw badParameter('in', plural, [...entityByPlural.keys()].join(', '))
  return name
}

const told = (name: EntityName, { key, ...change }: RecordChange) => ({
  collection: entities[name].plural,
  key,
  ...change,
})

/** Other requests are answered between two steps. */
async function* inTurns<T>(steps: Iterable<T>): AsyncGenerator<T> {
  for (const step of steps) {
    yield step
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}

async function* lines(older: Release, newer: Release, names: readonly EntityName[]): AsyncGenerator<Uint8Array> {
  for (const name of names) {
    for await (const changes of inTurns(diffEntity(older, newer, name, fromMappedFiles))) {
      if (changes.length === 0) continue
      yield Buffer.from(changes.map((change) => `${JSON.stringify(told(name, change))}\n`).join(''))
    }
  }
}

async function* document(older: Release, newer: Release, names: readonly EntityName[]): AsyncGenerator<Uint8Array> {
  const head = { from: older.manifest.digest, to: newer.manifest.digest }
  let separator = `${JSON.stringify(head).slice(0, -1)},"changes":[`
  for (const name of names) {
    for await (const changes of inTurns(diffEntity(older, newer, name, fromMappedFiles))) {
      if (changes.length === 0) continue
      yield Buffer.from(separator + changes.map((change) => JSON.stringify(told(name, change))).join(','))
      separator = ','
    }
  }
  yield Buffer.from(`${separator === ',' ? '' : separator}]}`)
}
