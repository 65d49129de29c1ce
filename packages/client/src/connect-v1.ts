// The client of API v1: the lists of any server of that contract, walked by their links.
import { byName, listIn, type Page, type Walk, walkOf } from './connect.ts'
import { interrupted, NotFound, ReleaseGone } from './errors.ts'
import type { BuiltIn, CatalogShape } from './shape.ts'
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
const MAX_ATTEMPTS = 10
/** How often `toArray` begins. */
const MAX_WALKS = 3

/** What all pages of a release have in common, as far as a server tells it. */
type Release = { readonly total: number; readonly modified: string | undefined }

const releaseOf = ({ headers }: Reply): Release => ({
  total: Number(headers['x-total']),
  modified: headers['last-modified'],
})

const isSame = (one: Release, other: Release) =>
  Object.is(one.total, other.total) && (one.modified ?? other.modified) === (other.modified ?? one.modified)

const changed = (url: string) => interrupted(url, 'the collection has changed since this walk began')

/** The catalogs of a server of API v1. */
export function connectV1<C extends CatalogShape = BuiltIn>(url: string, options: Options = {}): CatalogsV1<C> {
  const base = apiAt(url, 'v1')
  const transport = new Transport(options)

  /** A page of a release. What was kept may be of another, and a server that is behind may not have the page. */
  async function pageOf(release: Release, address: string, signal: AbortSignal | undefined): Promise<Reply> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const reply = await transport.send(address, { signal, keep: attempt === 1 }).catch((error: unknown) => {
        if (!(error instanceof NotFound)) throw error
      })
      if (reply !== undefined && isSame(release, releaseOf(reply))) return reply
    }
    throw changed(address)
  }

  /** API v1 does not name its release: a walk notices another one by its total, its date, and a link that leads back. */
  async function* pagesFrom(start: string, signal: AbortSignal | undefined) {
    const seen = new Set<string>()
    const first = await transport.send(start, { signal })
    let release = releaseOf(first)
    for (let reply = first; ; ) {
      seen.add(reply.url)
      const [, link] = NEXT.exec(reply.headers.link ?? '') ?? []
      const next = link === undefined ? undefined : followed(link, reply.url)
      if (seen.has(next ?? '')) throw changed(reply.url)
      yield listIn(reply)
      if (next === undefined) break
      reply = await pageOf(release, next, signal)
      release = { ...release, modified: release.modified ?? releaseOf(reply).modified }
    }
    // Without a date, only the first page can tell whether it is still the same.
    if (release.modified !== undefined || first.headers.etag === undefined || seen.size === 1) return
    const again = await transport.send(start, { signal })
    if (again.headers.etag !== first.headers.etag) throw changed(start)
  }

  function walk(list: string, signal: AbortSignal | undefined) {
    const pages = walkOf(() => pagesFrom(list, signal))
    return {
      ...pages,
      toArray: async () => {
        for (let left = MAX_WALKS - 1; ; left--)
          try {
            return await pages.toArray()
          } catch (error) {
            if (left === 0 || !(error instanceof ReleaseGone)) throw error
          }
      },
    }
  }

  return byName((name) => {
    const list = `${base}/${encodeURIComponent(name)}`
    return {
      all: ({ signal }: Query = {}) => walk(list, signal),
      page: async ({ page, signal }: Query & { page?: number } = {}) =>
        listIn(await transport.send(page === undefined ? list : `${list}?page=${page}`, { signal })),
    }
  }) as CatalogsV1<C>
}
