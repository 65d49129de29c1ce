// The name, colours and logo that a home gives to its pages: what is taken, what is refused, and where it shows.
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sourceOf, TestDirectory, TestHome, tiny } from '../../../../test/support/releases.ts'
import { appOf, responseTo } from '../../../../test/support/responses.ts'
import { explorerPagesOf } from './mount.ts'
import { contrast, readSite, SITE_FILE } from './site.ts'
import { words } from './words/words.ts'

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="3" fill="#123456"/></svg>'
const SITE = {
  name: 'Archivo <General>',
  description: { es: 'Los catálogos del archivo.', en: 'The lists of the archive.' },
  contact: 'https://archivo.example.org/contacto',
  legal: 'https://archivo.example.org/aviso',
  colours: { light: '#7a1f5c', dark: '#f29ad4' },
  logo: 'logo.svg',
}

function directoryWith(site: unknown, logo: string | Uint8Array = SVG): TestDirectory {
  const directory = new TestDirectory()
  writeFileSync(join(directory.path, SITE_FILE), typeof site === 'string' ? site : JSON.stringify(site))
  writeFileSync(join(directory.path, 'logo.svg'), logo)
  writeFileSync(join(directory.path, 'logo.png'), logo)
  return directory
}

test('a home without one has none', () => {
  using directory = new TestDirectory()
  expect(readSite(directory.path)).toBeUndefined()
})

test.each<[what: string, site: unknown, logo: string | Uint8Array, words: string]>([
  ['what is no JSON', '{"name": ]', SVG, 'it is no JSON'],
  ['no name', { ...SITE, name: undefined }, SVG, 'name is nothing'],
  ['a name of two lines', { ...SITE, name: 'a\nb' }, SVG, 'name is'],
  ['a name of 61 letters', { ...SITE, name: 'a'.repeat(61) }, SVG, 'at most 60 letters'],
  ['a text in one language', { ...SITE, description: { es: 'Uno' } }, SVG, 'description.en is nothing'],
  ['an address of another kind', { ...SITE, legal: 'javascript:alert(1)' }, SVG, 'legal is'],
  ['a colour by its name', { ...SITE, colours: { ...SITE.colours, light: 'red' } }, SVG, 'colours.light is "red"'],
  [
    'a colour too light',
    { ...SITE, colours: { ...SITE.colours, light: '#c08060' } },
    SVG,
    'a contrast of at least 4.5',
  ],
  ['a colour too dark', { ...SITE, colours: { ...SITE.colours, dark: '#7a1f5c' } }, SVG, 'the ground of dark pages'],
  ['a member that is not known', { ...SITE, color: '#000000' }, SVG, '"color" is no member; known are name'],
  ['a logo elsewhere', { ...SITE, logo: '../logo.svg' }, SVG, 'logo is "../logo.svg"'],
  ['a logo that is not there', { ...SITE, logo: 'other.svg' }, SVG, 'is not in'],
  ['a logo over 100 KB', { ...SITE }, SVG + ' '.repeat(100_000), 'no more than 100000'],
  ['a PNG that is none', { ...SITE, logo: 'logo.png' }, SVG, 'is no PNG'],
  ['an SVG that is none', SITE, '<html></html>', 'is no SVG'],
  ...[
    '<script>1</script>',
    '<svg:script href="#a"/>',
    '<a onload="x"/>',
    '<image href="https://example.org/a.png"/>',
    '<use xlink:href=" //example.org/a.svg#b"/>',
    '<foreignObject/>',
    '<style>@import "a"</style>',
    '<style>a{fill:url(https://example.org/x)}</style>',
    '<set attributeName="href"/>',
  ].map(
    (bad) => [`an SVG with ${bad}`, SITE, SVG.replace('<circle', `${bad}<circle`), 'runs and loads nothing'] as const,
  ),
  ['an SVG with entities', SITE, `<!DOCTYPE svg [<!ENTITY a "b">]>${SVG}`, 'runs and loads nothing'],
] as [string, unknown, string, string][])('%s is refused in words', (_, site, logo, expected) => {
  using directory = directoryWith(site, logo)
  expect(() => readSite(directory.path)).toThrow(expected)
  expect(() => readSite(directory.path)).toThrow(/Mend it, or take it away|move away what stands there/)
})

test('contrast is that of WCAG', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5)
  expect(contrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2)
  expect(contrast('#777777', '#ffffff')).toBeLessThan(4.5)
})

test('the grounds that colours are checked against are those of the pages', async () => {
  const css = await Bun.file(fileURLToPath(import.meta.resolve('./browser/explorer.css'))).text()
  const source = await Bun.file(fileURLToPath(import.meta.resolve('./site.ts'))).text()
  const grounds = [...css.matchAll(/--(?:paper|raised): (#\w{6});/g)].map(([, colour]) => colour as string)
  expect(grounds).toHaveLength(4)
  for (const ground of grounds) expect(source).toContain(`'${ground}'`)
})

test('every page, also one of a problem, has its name, texts, logo and colours', async () => {
  using home = new TestHome()
  await home.import(sourceOf(tiny))
  writeFileSync(join(home.path, SITE_FILE), JSON.stringify(SITE))
  writeFileSync(join(home.path, 'logo.svg'), SVG)
  const release = home.current()
  const app = appOf(() => release, { store: home.store, pages: explorerPagesOf(home.path) })
  const get = (target: string) => responseTo(app, { target, headers: { accept: 'text/html' } })
  for (const [target, code] of [
    ['/explore/paises?lang=es', 'es'],
    ['/explore/nothing?lang=en', 'en'],
  ] as const) {
    const html = await (await get(target)).text()
    expect(html).toContain('Archivo &lt;General&gt;</a>')
    expect(html).toMatch(/<title>[^<]+ · Archivo &lt;General&gt;<\/title>/)
    expect(html).toContain(`content="${SITE.description[code]}"`)
    expect(html).toContain(`<a href="${SITE.contact}"`)
    expect(html).toContain(words[code].footer.legal)
    const addresses = [...html.matchAll(/(?:src|href)="(\/assets\/(?:site|logo)-[^"]+)"/g)].map(
      ([, one]) => one as string,
    )
    expect(addresses).toHaveLength(2)
    const [css = '', logo = ''] = await Promise.all(addresses.map(async (one) => (await get(one)).text()))
    expect(css).toContain(`--accent:${SITE.colours.light}`)
    expect(logo).toBe(SVG)
    const { headers } = await get(addresses[1] as string)
    expect(headers.get('content-security-policy')).toContain('sandbox')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  }
})

test('one that became wrong while it was served is left out', async () => {
  using home = new TestHome()
  await home.import(sourceOf(tiny))
  writeFileSync(join(home.path, SITE_FILE), '{')
  const release = home.current()
  const app = appOf(() => release, { store: home.store, pages: explorerPagesOf(home.path) })
  expect(await (await responseTo(app, { target: '/' })).text()).toContain('>Nomenclator</a>')
})
