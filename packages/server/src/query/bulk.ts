// Many records in one body, rendered in small pieces: constant memory however many there are.
import type { OpenEntity, Release } from '../release/release.ts'
import { type Rendition, recordEncoder, recordReader } from './formats/formats.ts'

/** Selects the records to render, and what to render with each. */
type BulkRecords = {
  /** In the order of the body; undefined for all, as they are published. */
  readonly positions: Uint32Array | undefined
  /** The further members of each record. */
  readonly ownMembers?: ((position: number) => object) | undefined
}

/** Records that are rendered at once: few enough for other requests not to wait; a whole shape may have megabytes. */
const BLOCK = 100
const BLOCK_OF_SHAPES = 4

/** Each piece is good until the next one is pulled. */
export function* bulkPieces(
  release: Release,
  entity: OpenEntity,
  rendition: Rendition,
  { positions, ownMembers }: BulkRecords,
): Generator<Uint8Array> {
  const encoder = recordEncoder(release, entity.definition, rendition)
  const read = recordReader(release, entity, rendition, ownMembers)
  const count = positions?.length ?? entity.count
  const { records } = entity
  yield encoder.head
  const block = rendition.geometry === 'full' ? BLOCK_OF_SHAPES : BLOCK
  for (let first = 0; first < count; first += block) {
    const next = Math.min(first + block, count)
    if (first > 0) yield encoder.gap
    const jsons =
      positions === undefined
        ? Array.from({ length: next - first }, (_, at) => read(records.record(first + at), first + at))
        : Array.from(positions.subarray(first, next), (at) => read(records.record(at), at))
    yield* encoder.records(jsons)
  }
  yield encoder.tail()
}
