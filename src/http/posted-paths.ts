// The paths that take a POST besides GET, and how long its body may be.
import { RECONCILE_PATH, RESOLVE_PATH } from '../catalog/collections.ts'
import { ALLOW } from '../page/page-headers.ts'

/** In bytes. */
const MAX_BODIES: ReadonlyMap<string, number> = new Map([
  [RESOLVE_PATH, 5_000_000],
  [RECONCILE_PATH, 1_000_000],
])
const ALLOW_POST = `${ALLOW}, POST`

export const withoutSlash = (path: string): string => path.replace(/\/$/, '')

/** How many bytes of a body are read that is posted to this path; undefined if none is. */
export const maxBodyAt = (path: string): number | undefined => MAX_BODIES.get(withoutSlash(path))

/** The methods that a path takes, as the header Allow has them. */
export const allowAt = (path: string): string => (maxBodyAt(path) === undefined ? ALLOW : ALLOW_POST)
