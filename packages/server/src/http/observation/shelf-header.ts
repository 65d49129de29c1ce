// The shared shelf in responses: a newer release may exist, or the requested one is on its way.
import { type HttpResponse, withHeaders } from '../exchange.ts'
import type { OnShelf, ShelfTrouble } from './shelf-status.ts'

/** A structured field (RFC 9651): what is wrong, and since when; or that this server lags behind the shelf. */
export const SHELF_HEADER = 'Nomenclator-Shelf'
const EXPOSED = { 'Access-Control-Expose-Headers': SHELF_HEADER }

/** Adds the header, except to a response from a release that the request names: that is right whatever the shelf has. */
export function withShelfHeader(trouble: ShelfTrouble | undefined, response: HttpResponse): HttpResponse {
  if (response.status === 503 && response.head.includes(SHELF_HEADER)) return withHeaders(response, EXPOSED)
  if (trouble === undefined || response.head.includes('immutable')) return response
  return withHeaders(response, { [SHELF_HEADER]: `${trouble.kind};since=@${trouble.since}`, ...EXPOSED })
}

/** Returns the problem of a release that is not here. It may be on its way, also while the shelf cannot be reached. */
export const goneOrAwaited = async (digest: string, findOnShelf: (digest: string) => Promise<OnShelf>) =>
  (await findOnShelf(digest)) === 'absent'
    ? ({ kind: 'release-gone', digest } as const)
    : ({ kind: 'release-awaited', digest } as const)
