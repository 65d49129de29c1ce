// A whole collection in pieces: constant memory however large it is, and it can be entered at any byte.
import { type EntityName, entities } from '../catalog/entities.ts'
import type { Release } from '../release/release.ts'
import { type Format, recordEncoder } from './rendition.ts'

/** What must be known of a whole before any of it is sent. */
export type BulkFacts = {
  readonly length: number
  readonly sha256: string
  /** Where each block of records begins. */
  readonly starts: readonly number[]
}

/** Few enough to be written between two other answers. */
const BLOCK = 200
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** The bytes of one block of records, with what stands before, between and after them. */
function blockWriter(release: Release, name: EntityName, format: Format): (block: number) => Uint8Array {
  const encoder = recordEncoder(entities[name], { format, fields: undefined, embed: 'full' })
  const records = release.entity(name).records
  return (block) => {
    const first = block * BLOCK
    const next = Math.min(first + BLOCK, records.count)
    const some = Array.from({ length: next - first }, (_, at) => records.record(first + at))
    const pieces = [first === 0 ? encoder.head : encoder.gap, ...encoder.records(some)]
    if (next === records.count) pieces.push(encoder.tail)
    return Buffer.concat(pieces)
  }
}

/** Of an empty collection there is one block, with no record in it. */
const blocksOf = (release: Release, name: EntityName) =>
  Math.max(Math.ceil(release.entity(name).records.count / BLOCK), 1)

const factsByRelease = new WeakMap<Release, Map<string, Promise<BulkFacts>>>()

/** Reckoned once for each release and form, by writing it all and keeping nothing. */
export function bulkFacts(release: Release, name: EntityName, format: Format): Promise<BulkFacts> {
  const known = factsByRelease.get(release) ?? new Map<string, Promise<BulkFacts>>()
  factsByRelease.set(release, known)
  const form = `${name}.${format}`
  const facts = known.get(form) ?? reckoned(release, name, format)
  known.set(form, facts)
  return facts
}

async function reckoned(release: Release, name: EntityName, format: Format): Promise<BulkFacts> {
  const write = blockWriter(release, name, format)
  const hasher = new Bun.CryptoHasher('sha256')
  const starts: number[] = []
  let length = 0
  for (let block = 0; block < blocksOf(release, name); block++) {
    const bytes = write(block)
    starts.push(length)
    length += bytes.length
    hasher.update(bytes)
    await turn()
  }
  return { length, sha256: hasher.digest('base64'), starts }
}

/** The bytes from one place to just before another. */
export async function* bulkPieces(
  release: Release,
  name: EntityName,
  format: Format,
  { starts, length }: BulkFacts,
  [from, to]: readonly [from: number, to: number] = [0, length],
): AsyncGenerator<Uint8Array> {
  const write = blockWriter(release, name, format)
  const first = Math.max(
    starts.findLastIndex((start) => start <= from),
    0,
  )
  for (let block = first; block < starts.length && (starts[block] as number) < to; block++) {
    const start = starts[block] as number
    yield write(block).subarray(Math.max(from - start, 0), Math.max(to - start, 0))
    await turn()
  }
}
