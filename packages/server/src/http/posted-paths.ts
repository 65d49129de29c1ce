// The paths that take a POST besides GET, and how long its body may be.
import { RECONCILE_PATH, RESOLVE_PATH } from '../catalog/collections.ts'
import { ALLOW } from './v1/page-headers.ts'

const MAX_ROWS_BYTES = 5_000_000
const MAX_FORM_BYTES = 1_000_000

const maxBodies: ReadonlyMap<string, number> = new Map([
  [RESOLVE_PATH, MAX_ROWS_BYTES],
  [RECONCILE_PATH, MAX_FORM_BYTES],
  // People enter the address of the service with or without a slash, and some clients follow no redirect of a POST.
  [`${RECONCILE_PATH}/`, MAX_FORM_BYTES],
])

/** How many bytes of a body are read that is posted to this path; undefined if none is. */
export const maxBodyAt = (path: string): number | undefined => maxBodies.get(path)

/** The methods that are allowed at a path. */
export const allowedAt = (path: string): string => (maxBodies.has(path) ? `${ALLOW}, POST` : ALLOW)
