// Parses the address of a shelf over HTTP.
import { SHELF_PATH } from '../../http/routes.ts'

/** Parses addresses that are separated by commas, or returns what is allowed. */
export function parseHttpShelf(text: string): { readonly urls: readonly string[] } | { readonly allowed: string } {
  const urls = text.split(',').map((one) => URL.parse(one))
  const isPlain = (url: URL | null): url is URL =>
    url !== null && /^https?:$/.test(url.protocol) && `${url.username}${url.password}${url.search}${url.hash}` === ''
  if (!urls.every(isPlain))
    return {
      allowed: 'addresses without name, password and query, such as https://a.example.org,https://b.example.org',
    }
  return { urls: urls.map(({ href }) => shelfAddress(href)) }
}

/** The address of a service means its `/shelf`; an address with a path is that of the shelf itself. */
function shelfAddress(href: string): string {
  const { pathname } = new URL(href)
  if (pathname === '/') return `${href.replace(/\/$/, '')}${SHELF_PATH}`
  return href.replace(/\/+$/, '')
}
