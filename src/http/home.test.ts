// The page at the root: what it names, and what it lets nobody put into it.
import { expect, test } from 'bun:test'
import { releaseOf } from '../../test/support/releases.ts'
import { responseOf } from '../../test/support/responses.ts'
import { countries, smallSource } from '../../test/support/small-source.ts'
import type { Release } from '../release/release.ts'
import type { Credit, Origin } from '../source/source.ts'
import { homePage } from './home.ts'

const release = await releaseOf(smallSource({ pais: countries(1_234) }))
const { manifest } = release
const pageOf = (source: Partial<Origin>) =>
  responseOf(
    homePage({ ...release, manifest: { ...manifest, source: { ...manifest.source, ...source } } } as Release),
  ).text()

test('names the release, its counts and where it came from', async () => {
  const html = await pageOf({ title: 'a census' })
  expect(html).toContain(`<code title="${manifest.digest}">${manifest.digest.slice(0, 12)}</code>`)
  expect(html).toContain(`<time datetime="${manifest.built}">${manifest.built.slice(0, 10)}</time> from a census.`)
  expect(html).toContain('<a href="/api/v1/paises?format=api"><b>Countries</b><span>1,234</span>')
})

test.each([
  [true, 'This release holds synthetic data: none of it is real.'],
  [false, undefined],
])('warns of data that is not real: %p', async (synthetic, warning) => {
  const html = await pageOf({ synthetic })
  expect(html.match(/<p class="warning">(.*)<\/p>/)?.[1]).toBe(warning)
})

test('shows credits and titles as text, whatever is in them', async () => {
  const credits: readonly Credit[] = [
    { to: '<b>One</b>', of: ['municipio', 'localidad'] },
    { to: 'Two', of: ['pais'] },
  ]
  const html = await pageOf({ title: `<script>'a' & "b"</script>`, credits })
  expect(html).toContain('&lt;script&gt;&#39;a&#39; &amp; &quot;b&quot;&lt;/script&gt;')
  expect(html).toContain('&lt;b&gt;One&lt;/b&gt;.</p>')
  expect(html).toMatch(/<p>[^<>]+: Two\.<\/p>/)
  expect(html).not.toMatch(/<script|<b>One/)
})
