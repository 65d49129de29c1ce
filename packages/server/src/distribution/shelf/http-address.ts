// Where a shelf over HTTP is.
import { SHELF_PATH } from '../../http/routes.ts'

/** The addresses of a shelf, separated by commas; or what would be allowed. */
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

/** The address of a service stands for the shelf below it; one that ends with a slash is that of the shelf itself. */
function shelfAddress(href: string): string {
  const { pathname } = new URL(href)
  if (pathname === '/') return `${href.replace(/\/$/, '')}${SHELF_PATH}`
  return href.replace(/\/+$/, '')
}
