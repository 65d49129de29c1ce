// The page at the root: names the service and its release, and links the lists.
import { entityIn } from '../catalog/catalog.ts'
import { OPENAPI_PATH, PER_PAGE, V1_PATH, V2_PATH, v1Collections } from '../catalog/collections.ts'
import { CACHE_CONTROL, COMMON_HEADERS } from '../page/page-headers.ts'
import type { Release } from '../release/release.ts'
import { version } from '../version.ts'
import { type HttpResponse, textResponse } from './exchange.ts'
import { style } from './home-style.ts'

const number = new Intl.NumberFormat('en')
const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
export const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character] ?? character)

export function homePage({ manifest, catalog, entity }: Release): HttpResponse {
  const rows = v1Collections(catalog).map(({ path, title, entity: name }) => {
    const count = number.format(entity(name).count)
    return `<li><a href="${path}?format=api"><b>${escaped(title)}</b><span>${count}</span><code>${path}</code></a></li>`
  })
  const credits = manifest.source.credits.map(
    ({ to, of }) => `<p>${of.map((name) => entityIn(catalog, name).plural).join(', ')}: ${escaped(to)}.</p>`,
  )
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="Reference catalogs as paginated JSON lists">
<title>Nomenclator</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<h1>Nomenclator</h1>
<p>The names and codes of places, fields of knowledge and audiences: read-only reference catalogs, as paginated JSON
lists. Start at <a href="${V1_PATH}">${V1_PATH}</a>, or with a list:</p>
${manifest.source.synthetic ? '<p class="warning">This release holds synthetic data: none of it is real.</p>' : ''}
<ul>${rows.join('\n')}</ul>
<p>${PER_PAGE} records a page; <code>?page=2</code> asks for the second, and the <code>Link</code> header of every page says
where the next one is. <a href="${V2_PATH}">${V2_PATH}</a> has filters, search, single records, whole collections and
changes; <a href="${OPENAPI_PATH}">OpenAPI</a> describes both.</p>
<footer>
<p>Release <code title="${manifest.digest}">${manifest.digest.slice(0, 12)}</code>, built
<time datetime="${manifest.built}">${manifest.built.slice(0, 10)}</time> from ${escaped(manifest.source.title)}.
Nomenclator ${version}.</p>
${credits.join('\n')}
</footer>
</main>
</body>
</html>
`
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    ...COMMON_HEADERS,
    'Cache-Control': CACHE_CONTROL,
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
    'X-Content-Type-Options': 'nosniff',
  }
  return textResponse(200, headers, html)
}
