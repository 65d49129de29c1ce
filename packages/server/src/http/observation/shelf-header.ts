// What responses say of the shared shelf: that a newer release may exist, or that the one that is wanted is on its way.
import { type HttpResponse, withLines } from '../exchange.ts'
import type { OnShelf, ShelfTrouble } from './shelf-status.ts'

/** A structured field (RFC 9651): what is wrong, and since when; or that this server lags behind the shelf. */
export const SHELF_HEADER = 'Nomenclator-Shelf'
const EXPOSED = `Access-Control-Expose-Headers: ${SHELF_HEADER}\r\n`

/** What is read from a release that the request names is right whatever the shelf has; all else may be of an older one. */
export function withShelfHeader(trouble: ShelfTrouble | undefined, response: HttpResponse): HttpResponse {
  if (response.status === 503 && response.head.includes(SHELF_HEADER)) return withLines(response, EXPOSED)
  if (trouble === undefined || response.head.includes('immutable')) return response
  return withLines(response, `${SHELF_HEADER}: ${trouble.kind};since=@${trouble.since}\r\n${EXPOSED}`)
}

/** A release that is not here may be on its way, also while nobody can say so. */
export const goneOrAwaited = async (digest: string, findOnShelf: (digest: string) => Promise<OnShelf>) =>
  (await findOnShelf(digest)) === 'absent'
    ? ({ kind: 'release-gone', digest } as const)
    : ({ kind: 'release-awaited', digest } as const)
