// A whole collection in chunks: constant memory however large it is, and it can begin at any byte.
import { factReader, withMembers } from '../release/facts.ts'
import type { Release } from '../release/release.ts'
import { type Format, recordEncoder } from './rendition.ts'

/** How a bulk body is rendered. */
export type BulkForm = { readonly format: Format; readonly facts: boolean }

/** What must be known of a bulk body before any of it is sent. */
type BulkMeta = {
  readonly length: number
  /** In base64. */
  readonly sha256: string
  /** At which byte each block of records begins. */
  readonly starts: readonly number[]
}

/** Records that are rendered at once: few enough for other requests not to wait. */
const BLOCK = 200
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Renders one block of records, with what stands before, between and after them. */
function blockRenderer(release: Release, name: string, { format, facts }: BulkForm): (block: number) => Uint8Array {
  const entity = release.entity(name)
  const { definition, records } = entity
  const encoder = recordEncoder(definition, { format, facts, fields: undefined, embed: 'full' })
  const factsAt = factReader(entity)
  const json = (position: number) =>
    facts ? withMembers(records.record(position), factsAt(position)) : records.record(position)
  return (block) => {
    const first = block * BLOCK
    const next = Math.min(first + BLOCK, records.count)
    const some = Array.from({ length: next - first }, (_, at) => json(first + at))
    const chunks = [first === 0 ? encoder.head : encoder.gap, ...encoder.records(some)]
    if (next === records.count) chunks.push(encoder.tail)
    return Buffer.concat(chunks)
  }
}

/** An empty collection has one block, with no record in it. */
const blocksOf = (release: Release, name: string) => Math.max(Math.ceil(release.entity(name).count / BLOCK), 1)

const metaByRelease = new WeakMap<Release, Map<string, Promise<BulkMeta>>>()

/** Computed once for each release and form, by rendering everything and keeping nothing. */
export function bulkMeta(release: Release, name: string, form: BulkForm): Promise<BulkMeta> {
  const cache = metaByRelease.get(release) ?? new Map<string, Promise<BulkMeta>>()
  metaByRelease.set(release, cache)
  const key = `${name}.${form.format}.${form.facts}`
  const meta = cache.get(key) ?? computeMeta(release, name, form)
  cache.set(key, meta)
  return meta
}

async function computeMeta(release: Release, name: string, form: BulkForm): Promise<BulkMeta> {
  const render = blockRenderer(release, name, form)
  const hasher = new Bun.CryptoHasher('sha256')
  const starts: number[] = []
  let length = 0
  for (let block = 0; block < blocksOf(release, name); block++) {
    const bytes = render(block)
    starts.push(length)
    length += bytes.length
    hasher.update(bytes)
    await nextTurn()
  }
  return { length, sha256: hasher.digest('base64'), starts }
}

/** The bytes from one offset to just before another. */
export async function* bulkChunks(
  release: Release,
  name: string,
  form: BulkForm,
  { starts, length }: BulkMeta,
  [from, to]: readonly [from: number, to: number] = [0, length],
): AsyncGenerator<Uint8Array> {
  const render = blockRenderer(release, name, form)
  const first = Math.max(
    starts.findLastIndex((start) => start <= from),
    0,
  )
  for (let block = first; block < starts.length && (starts[block] as number) < to; block++) {
    const start = starts[block] as number
    yield render(block).subarray(Math.max(from - start, 0), Math.max(to - start, 0))
    await nextTurn()
  }
}
