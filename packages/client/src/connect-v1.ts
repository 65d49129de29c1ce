// The client of API v1: the lists of any server of that contract, walked by their links.
import { byName, listIn, type Page, type Walk, walkOf } from './connect.ts'
import { interrupted } from './errors.ts'
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

/** The catalogs of a server of API v1. */
export function connectV1<C extends CatalogShape = BuiltIn>(url: string, options: Options = {}): CatalogsV1<C> {
  const base = apiAt(url, 'v1')
  const transport = new Transport(options)

  /** API v1 does not tell its release: a walk notices another one by its total, and a link that leads back. */
  async function* pagesFrom(start: string, signal: AbortSignal | undefined) {
    const seen = new Set<string>()
    let total: number | undefined
    for (let address: string | undefined = start; address !== undefined; ) {
      seen.add(address)
      const reply: Reply = await transport.send(address, { signal })
      const page = listIn(reply)
      const [, link] = NEXT.exec(reply.headers.link ?? '') ?? []
      const next: string | undefined = link === undefined ? undefined : followed(link, address)
      total ??= page.total
      if (page.total !== total || seen.has(next ?? ''))
        throw interrupted(address, 'the collection has changed since this walk began')
      yield page
      address = next
    }
  }

  return byName((name) => {
    const list = `${base}/${encodeURIComponent(name)}`
    return {
      all: ({ signal }: Query = {}) => walkOf(() => pagesFrom(list, signal)),
      page: async ({ page, signal }: Query & { page?: number } = {}) =>
        listIn(await transport.send(page === undefined ? list : `${list}?page=${page}`, { signal })),
    }
  }) as CatalogsV1<C>
}
