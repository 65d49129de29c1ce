// What changed from one release to another, in one response, for clients that keep a copy.
import type { Entity } from '../../catalog/entity.ts'
import { changesOf, type RecordChange } from '../../find/changes.ts'
import type { Release } from '../../release/release.ts'
import { isNotModified } from '../conditional.ts'
import { type HttpRequest, type HttpResponse, headerLines } from '../exchange.ts'
import { keyOf } from './record-key.ts'
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
    for await (const changes of changesOf(older, newer, entity.name))
      if (changes.length > 0) yield changes.map((change) => JSON.stringify(changeEntry(entity, change)))
  }
}

const changeEntry = (entity: Entity, change: RecordChange) => ({
  collection: entity.plural,
  key: keyOf(entity, change.change === 'removed' ? change.old : change.new),
  ...change,
})

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
