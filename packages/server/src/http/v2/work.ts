// The work that a request of API v2 causes, added up from its parameters before anything is done for it.
//
// The times were measured on one core of a 2-core machine with 300,137 records of about 600 bytes.
import type { Entity } from '../../catalog/entity.ts'
import { type FormatName, recordFormats } from '../../query/formats/formats.ts'
import type { Release } from '../../release/release.ts'
import { MUCH } from '../cost.ts'
import { CODING_COSTS, type ContentCoding } from './negotiate.ts'

export type Work = {
  /** Records that are looked at, whether or not they are found. */
  readonly touched?: number
  /** Microseconds for each kilobyte of the records that are rendered. */
  readonly perKilobyte?: number
  /** Microseconds, whichever records there are. */
  readonly fixed?: number
}

/** The list that a request reads. */
export type ListOfRelease = { readonly release: Release; readonly entity: Entity }

export const NO_WORK: Work = {}
/** Work that needs what only compute workers keep: words, orders, points, facts. */
export const LONG_WORK: Work = { fixed: MUCH }

/** Records are parsed and written anew in another shape. */
export const RESHAPED: Work = { perKilobyte: 8 }

const REQUEST_MICROSECONDS = 50
const TOUCHED_MICROSECONDS = 0.012
const COPIED_PER_KILOBYTE = 2

export const countOf = ({ release, entity }: ListOfRelease): number => release.entity(entity.name).count

/** The cost of so many records of a list. */
export function costOfRecords(list: ListOfRelease, records: number, works: readonly Work[]): number {
  const { stored, count } = list.release.entity(list.entity.name)
  const bytes = stored === undefined || count === 0 ? 0 : stored.manifest.files.records.size / count
  let [cost, perKilobyte] = [REQUEST_MICROSECONDS, COPIED_PER_KILOBYTE]
  for (const work of works) {
    cost += (work.fixed ?? 0) + (work.touched ?? 0) * TOUCHED_MICROSECONDS
    perKilobyte += work.perKilobyte ?? 0
  }
  return cost + (perKilobyte * bytes * Math.min(records, count)) / 1_000
}

/** The work of writing records in a format and compressing them. */
export function renditionWork(format: FormatName, encoding: ContentCoding | undefined): Work[] {
  const { cost = NO_WORK }: { readonly cost?: Work } = recordFormats[format]
  return encoding === undefined ? [cost] : [cost, { perKilobyte: CODING_COSTS[encoding] }]
}
