// The client of API v1: the lists of any server of that contract, walked by their links.
import type { Collections as BuiltIn } from './built-in-types.ts'
import { byName, listIn, type Page, type Walk, walkOf } from './connect.ts'
import { interrupted, NotFound } from './errors.ts'
import type { CatalogShape } from './shape.ts'
import { apiAt, type Options, type Reply, Transport } from './transport.ts'

type Query = { readonly signal?: AbortSignal }

/** A page of API v1, which does not tell the release that it is from. */
type PageV1<T> = Omit<Page<T>, 'release'> & readonly T[]

export type CollectionV1<T> = {
  all(query?: Query): Omit<Walk<T>, 'pages' | 'toArray'> & {
    pages(): AsyncIterable<PageV1<T>>
    toArray(): Promise<readonly T[] & { readonly total: number }>
  }
  page(query?: Query & { readonly page?: number }): Promise<PageV1<T>>
}

export type CatalogsV1<C extends CatalogShape = BuiltIn> = {
  readonly [N in keyof C as C[N]['v1'] extends true ? N : never]: CollectionV1<C[N]['record']>
}

const NEXT = /<([^>]*)>[^<]*?;\s*rel="?(?:[^"]*\s)?next\b/

/** A server behind a proxy may not know its public address: of a link to elsewhere, the query alone counts. */
function followed(link: string, from: string): string {
  const [to, here] = [new URL(link, from), new URL(from)]
  return to.origin === here.origin ? to.href : `${here.origin}${here.pathname}${to.search}`
}

/** How often a page is requested that is not of the release in which a walk began: one of several servers may be behind. */
const MAX_ATTEMPTS = 20
/** How often `toArray` begins. */
const MAX_WALKS = 3

/** What all pages of a release have in common, as far as a server tells it. */
type ReleaseMarks = { readonly total: string | undefined; readonly date?: string }

const marksOf = ({ headers }: Reply): ReleaseMarks => ({
  total: headers['x-total'],
  ...(headers['last-modified'] && { date: headers['last-modified'] }),
})

const isSame = (one: ReleaseMarks, other: ReleaseMarks) =>
  one.total === other.total && (one.date ?? other.date) === (other.date ?? one.date)

/** The catalogs of a server of API v1. */
export function connectV1<C extends CatalogShape = BuiltIn>(url: string, options: Options = {}): CatalogsV1<C> {
  const base = apiAt(url, 'v1')
  const transport = new Transport(options)

  const changed = (address: string) => interrupted(address, 'the collection has changed since this walk began')

  /** The next reply of a walk; undefined where it is not of the same release, or a server that is behind does not have the page. */
  async function replyOf(
    release: ReleaseMarks | undefined,
    address: string,
    signal: AbortSignal | undefined,
    keep: boolean,
  ): Promise<Reply | undefined> {
    const reply = await transport.send(address, { signal, keep }).catch((error: unknown) => {
      if (release === undefined || !(error instanceof NotFound)) throw error
    })
    // A page that was revalidated may have lost its date: then nobody knows which release it is of.
    if (reply === undefined || reply.headers['last-modified'] === '') return undefined
    return release === undefined || isSame(release, marksOf(reply)) ? reply : undefined
  }

  /** API v1 does not name its release: a walk notices another one by what its pages have in common, and a link that leads back. */
  async function* pagesFrom(start: string, signal: AbortSignal | undefined) {
    const seen = new Set<string>()
    let release: ReleaseMarks | undefined
    let first: Reply | undefined
    for (let address: string | undefined = start; address !== undefined; ) {
      if (seen.has(address)) throw changed(address)
      let reply: Reply | undefined
      // What was kept may be of another release.
      for (let attempt = 0; reply === undefined && attempt < MAX_ATTEMPTS; attempt++)
        reply = await replyOf(release, address, signal, attempt === 0)
      if (reply === undefined) throw changed(address)
      seen.add(address)
      first ??= reply
      release = { ...marksOf(reply), ...release }
      yield listIn(reply)
      const [, link]: readonly (string | undefined)[] = NEXT.exec(reply.headers.link ?? '') ?? []
      address = link === undefined ? undefined : followed(link, address)
    }
    // Without a date, only the first page can tell whether it is still the same.
    if (release?.date !== undefined || first?.headers.etag === undefined || seen.size === 1) return
    if ((await transport.send(start, { signal })).headers.etag !== first.headers.etag) throw changed(start)
  }

  return byName((name) => {
    const list = `${base}/${encodeURIComponent(name)}`
    return {
      all: ({ signal }: Query = {}) => walkOf(() => pagesFrom(list, signal), MAX_WALKS),
      page: async ({ page, signal }: Query & { page?: number } = {}) =>
        listIn(await transport.send(page === undefined ? list : `${list}?page=${page}`, { signal })),
    }
  }) as CatalogsV1<C>
}
