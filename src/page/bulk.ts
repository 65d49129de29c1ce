// A whole collection, rendered in small pieces: constant memory however large it is.
import { factReader, withMembers } from '../release/facts.ts'
import { fromDiskOrMapped } from '../release/record-access.ts'
import type { OpenEntity } from '../release/release.ts'
import { type Format, recordEncoder } from './rendition.ts'

/** How a bulk body is rendered. */
export type BulkForm = { readonly format: Format; readonly facts: boolean }

/** Records that are rendered at once: few enough for other requests not to wait. */
const BLOCK = 100

/** Each piece is good until the next one is pulled. */
export function* bulkPieces(entity: OpenEntity, { format, facts }: BulkForm): Generator<Uint8Array> {
  const { definition, count } = entity
  const encoder = recordEncoder(definition, { format, facts, fields: undefined, embed: 'full' })
  const factsAt = facts ? factReader(entity) : undefined
  using access = fromDiskOrMapped(entity)
  yield encoder.head
  for (let first = 0; first < count; first += BLOCK) {
    const jsons = access.records(first, Math.min(first + BLOCK, count))
    if (first > 0) yield encoder.gap
    yield* encoder.records(
      factsAt === undefined ? jsons : jsons.map((json, at) => withMembers(json, factsAt(first + at))),
    )
  }
  yield encoder.tail
}
