// The client of API v1: the lists of any server of that contract, walked by their links.
import type { Collections as BuiltIn } from './built-in-types.ts'
import type { Page, Walk } from './catalogs.ts'
import { byName, interrupted, leftAfter, listIn, walkOf } from './connect.ts'
import { NotFound } from './errors.ts'
import type { CatalogShape } from './shape.ts'
import { apiAt, type Options, type Reply, Transport } from './transport.ts'

type Query = { readonly signal?: AbortSignal }

/** A page of API v1, without the release that it is from. */
type PageV1<T> = Omit<Page<T>, 'release'> & readonly T[]

export type CollectionV1<T> = {
  all(query?: Query): Omit<Walk<T>, 'pages' | 'toArray'> & {
    pages(): AsyncIterable<PageV1<T>>
    toArray(): Promise<readonly T[] & { readonly total: number }>
  }
  page(query?: Query & { readonly page?: number }): Promise<PageV1<T>>
}

export type CatalogsV1<C extends CatalogShape = BuiltIn> = {
  readonly [N in keyof C as C[N] extends { readonly v1: true } ? N : never]: CollectionV1<C[N]['record']>
}

const NEXT = /<([^>]*)>[^<]*?;\s*rel="?(?:[^"]*\s)?next\b/

/** A server behind a proxy may not know its public address: of a link to elsewhere, the query alone counts. */
function followed(link: string, from: string): string {
  const [to, here] = [new URL(link, from), new URL(from)]
  return to.origin === here.origin ? to.href : `${here.origin}${here.pathname}${to.search}`
}

/** Requests for a page that is not of the release in which a walk began: one of several servers may be behind. */
const MAX_ATTEMPTS = 20
/** Walks of one `toArray`. */
const MAX_WALKS = 3

/** Headers that all pages of a release have in common. */
type ReleaseMarks = { readonly total: string | undefined; readonly date?: string }

const marksOf = ({ headers }: Reply): ReleaseMarks => ({
  total: headers['x-total'],
  ...(headers['last-modified'] && { date: headers['last-modified'] }),
})

const isSame = (one: ReleaseMarks, other: ReleaseMarks) =>
  one.total === other.total && (one.date ?? other.date) === (other.date ?? one.date)

const collectionChanged = (address: string) => interrupted(address, 'the collection has changed since this walk began')

/** The next reply of a walk, from whichever server has the page in the release of the walk. */
async function replyOf(transport: Transport, address: string, release: ReleaseMarks | undefined, { signal }: Query) {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    // A response that was kept may be of another release.
    const reply = await transport.send(address, { signal, keep: attempt === 0 }).catch((error: unknown) => {
      if (release === undefined || !(error instanceof NotFound)) throw error
    })
    // A page that was revalidated may have lost its date, and its release is unknown then.
    if (reply === undefined || reply.headers['last-modified'] === '') continue
    if (release === undefined || isSame(release, marksOf(reply))) return reply
  }
  throw collectionChanged(address)
}

/** API v1 does not name its release: a walk finds another one by the marks of its pages, and by a link that leads back. */
async function* pagesFrom(transport: Transport, start: string, query: Query) {
  const visited = new Set<string>()
  let release: ReleaseMarks | undefined
  let etag: string | undefined
  let left: number | undefined
  for (let address: string | undefined = start; address !== undefined; ) {
    if (visited.has(address)) throw collectionChanged(address)
    const reply = await replyOf(transport, address, release, query)
    if (address === start) etag = reply.headers.etag
    visited.add(address)
    release = { ...marksOf(reply), ...release }
    const page = listIn(reply)
    yield page
    const [, link]: readonly (string | undefined)[] = NEXT.exec(reply.headers.link ?? '') ?? []
    if (link !== undefined) left = leftAfter(page, left, reply)
    address = link === undefined ? undefined : followed(link, address)
  }
  // Without a date, only the tag of the first page shows that the release is still the same.
  if (release?.date !== undefined || etag === undefined || visited.size === 1) return
  if ((await transport.send(start, query)).headers.etag !== etag) throw collectionChanged(start)
}

/** The catalogs of a server of API v1. */
export function connectV1<C extends CatalogShape = BuiltIn>(url: string, options: Options = {}): CatalogsV1<C> {
  const base = apiAt(url, 'v1')
  const transport = new Transport(options)
  return byName((name) => {
    const list = `${base}/${encodeURIComponent(name)}`
    return {
      all: (query: Query = {}) => walkOf(() => pagesFrom(transport, list, query), MAX_WALKS),
      page: async ({ page, signal }: Query & { page?: number } = {}) =>
        listIn(await transport.send(page === undefined ? list : `${list}?page=${page}`, { signal })),
    }
  }) as CatalogsV1<C>
}
