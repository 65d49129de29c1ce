// How rules and advice tell what came: a header, and the faults of the records of a page.
import { printable } from '../source/requests.ts'
import type { CheckOutcome } from './check.ts'
import type { RecordCheck } from './record-faults.ts'
import type { SeenPage } from './seen-page.ts'
import { shown } from './shown.ts'

export const headerCame = (name: string, value: string | undefined) =>
  value === undefined ? `no ${name}` : `${name}: ${printable(value)}`

/** The most faults of a page that one check names. */
const MAX_NAMED = 3

export function recordVerdict(page: SeenPage, check: RecordCheck): CheckOutcome {
  if (page.records === undefined || page.records.length === 0) return undefined
  return page.faults
    .filter((fault) => fault.check === check)
    .slice(0, MAX_NAMED)
    .map(({ record, path, came, expected }) => ({
      came: `record ${record + 1}: ${path} is ${came === undefined ? 'not there' : shown(came)}`,
      expected,
    }))
}

/** Where something stands that should stand once. */
export const placesOf = (page: number, other: number) =>
  page === other ? `twice on page ${page}` : `on page ${page} and on page ${other}`
