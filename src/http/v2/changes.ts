// What changed from one release to another, in one response, for clients that keep a copy.
import type { Entity } from '../../catalog/entity.ts'
import { headerLines } from '../../page/page-headers.ts'
import { diffEntity, fromMappedFiles, type RecordChange } from '../../release/diff.ts'
import type { Release } from '../../release/release.ts'
import { isNotModified } from '../conditional.ts'
import type { HttpRequest, HttpResponse } from '../exchange.ts'
import type { ChangesRequest } from './request.ts'
import { type ChosenRelease, compressedChunks, entityTag, streamTag, v2Headers } from './response.ts'

export function changesResponse(
  request: HttpRequest,
  older: Release,
  chosen: ChosenRelease,
  { entities, format, encoding }: ChangesRequest,
): HttpResponse {
  const newer = chosen.release
  const parts = [older.digest, newer.digest, ...entities.map(({ name }) => name), format].join(' ')
  const etag = entityTag(Bun.hash.xxHash64(parts).toString(16).padStart(16, '0'), encoding)
  const head = headerLines(v2Headers(chosen, format, streamTag(etag, encoding), encoding, {}))
  if (isNotModified(request.headers, etag, newer.lastModified)) return { status: 304, head, body: undefined }
  const plain = () => (format === 'json' ? document(older, newer, entities) : lines(older, newer, entities))
  const chunks = () => (encoding === undefined ? plain() : compressedChunks(plain(), encoding))
  return { status: 200, head, body: { length: undefined, chunks } }
}

/** The changes as JSON, in groups that are never empty. */
async function* changesIn(older: Release, newer: Release, entities: readonly Entity[]): AsyncGenerator<string[]> {
  for (const entity of entities) {
    for (const changes of diffEntity(older, newer, entity.name, fromMappedFiles)) {
      if (changes.length > 0) yield changes.map((change) => JSON.stringify(changeEntry(entity, change)))
      // Other requests are answered between two steps.
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
  }
}

const changeEntry = ({ plural }: Entity, { key, ...change }: RecordChange) => ({ collection: plural, key, ...change })

async function* lines(older: Release, newer: Release, entities: readonly Entity[]): AsyncGenerator<Uint8Array> {
  for await (const changes of changesIn(older, newer, entities)) yield Buffer.from(`${changes.join('\n')}\n`)
}

async function* document(older: Release, newer: Release, entities: readonly Entity[]): AsyncGenerator<Uint8Array> {
  const head = JSON.stringify({ from: older.digest, to: newer.digest })
  let before = `${head.slice(0, -1)},"changes":[`
  for await (const changes of changesIn(older, newer, entities)) {
    yield Buffer.from(before + changes.join(','))
    before = ','
  }
  yield Buffer.from(`${before === ',' ? '' : before}]}`)
}
