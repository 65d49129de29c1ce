// The numbers of a field over all records that a list finds: the count in each of some ranges, and their sum.
import { LruCache } from '../base/lru-cache.ts'
import { memoized } from '../base/memoized.ts'
import { coordinatesOf, type Entity } from '../catalog/entity.ts'
import { queryWithin } from '../http/v2/find.ts'
import type { ListRequest } from '../http/v2/request/records-request.ts'
import type { Release } from '../release/release.ts'
import { countValues, withinReach } from './facets.ts'

export type Histogram = {
  readonly field: string
  /** The least and the greatest value that any record found has. */
  readonly min: number
  readonly max: number
  /** The number of records in each range, without its upper bound; the last range includes it. */
  readonly counts: readonly number[]
}

const BINS = 24
/** The ranges grow with the values if most values are this many times smaller than the greatest. */
const SKEWED = 20

/** The fields whose numbers narrow a list: facts that are numbers, without coordinates. */
export const histogramFields = (entity: Entity): string[] => {
  const coordinates: readonly string[] = Object.values(coordinatesOf(entity) ?? {})
  return Object.entries(entity.fields).flatMap(([name, field]) =>
    field.kind === 'fact' && field.type !== 'text' && !coordinates.includes(name) ? [name] : [],
  )
}

/** Counted as if the field itself were not filtered by; undefined if there are fewer than two values. */
export function histogramOf(release: Release, request: ListRequest, field: string): Histogram | undefined {
  const query = queryWithin(release, request)
  const filters = query.filters.filter(({ steps }) => steps.join('\0') !== field)
  const key = JSON.stringify([request.entity.name, field, filters, query.words, withinReach(query)])
  const counted = cacheOf(release).get(key, () => ({
    histogram: countRanges(release, { ...request, query: { ...query, filters } }, field),
  }))
  return counted.histogram
}

function countRanges(release: Release, request: ListRequest, field: string): Histogram | undefined {
  const column = release.entity(request.entity.name).index.column(field)
  if (column.kind !== 'number fact') return undefined
  const { known } = column
  const counts = countValues(release, request, column).subarray(0, known.length)
  const first = counts.findIndex((count) => count > 0)
  const last = counts.findLastIndex((count) => count > 0)
  if (first === last) return undefined
  const [min, max] = [known[first] as number, known[last] as number]
  const isSkewed = min >= 0 && max > SKEWED * Math.max(middleOf(known, counts), 1)
  const scaled = isSkewed ? (value: number) => Math.log1p(value) : (value: number) => value
  const bins = new Array<number>(BINS).fill(0)
  for (let at = first; at <= last; at++) {
    const share = (scaled(known[at] as number) - scaled(min)) / (scaled(max) - scaled(min))
    const bin = Math.min(Math.floor(share * BINS), BINS - 1)
    bins[bin] = (bins[bin] as number) + (counts[at] as number)
  }
  return { field, min, max, counts: bins }
}

/** The sum of a number over the records that a list finds, and the count of records that have it. */
export function sumOf(release: Release, request: ListRequest, field: string) {
  const column = release.entity(request.entity.name).index.column(field)
  if (column.kind !== 'number fact') return { sum: 0, known: 0 }
  const counts = countValues(release, { ...request, query: queryWithin(release, request) }, column)
  let [sum, known] = [0, 0]
  for (let at = 0; at < column.known.length; at++) {
    sum += (column.known[at] as number) * (counts[at] as number)
    known += counts[at] as number
  }
  return { sum, known }
}

/** The median. */
function middleOf(known: Float64Array, counts: Uint32Array): number {
  const half = counts.reduce((sum, count) => sum + count, 0) / 2
  let count = 0
  for (let at = 0; at < counts.length; at++) {
    count += counts[at] as number
    if (count >= half) return known[at] as number
  }
  return 0
}

const MAX_CACHED = 256
const cacheOf = memoized(
  (_: Release) => new LruCache<{ readonly histogram: Histogram | undefined }>({ maxEntries: MAX_CACHED }),
)
