// The picker that begins with a postal code, in a real browser: with the lists of the postal service, and without; and options that are alike.
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { recordsByCode } from '../../packages/server/src/release/package-references.ts'
import { type HomeList, sepomexSource } from '../../packages/server/src/source/sepomex/sepomex.ts'
import { launchBrowser } from '../support/browser.ts'
import { ScratchDirectory } from '../support/inegi-file.ts'
import { postalText } from '../support/postal-file.ts'
import { TestHome } from '../support/releases.ts'
import { serverForAll } from '../support/server.ts'
import { placesOf, smallSource } from '../support/small-source.ts'
import { accessibilityFaults, until, WatchedPages } from '../support/watched-page.ts'

setDefaultTimeout(60_000)

const browser = await launchBrowser()
const pages = new WatchedPages(browser)
const home = new TestHome()
const files = new ScratchDirectory()

await home.import(
  smallSource(
    placesOf({
      states: [
        ['JAL', 'JC', 'Jalisco', 14],
        ['OAX', 'OC', 'Oaxaca', 20],
      ],
      municipalities: [
        ['039', 'Guadalajara', 14],
        ['120', 'Zapopan', 14],
        ['208', 'San Juan Mixtepec', 20],
        ['209', 'San Juan Mixtepec', 20],
      ],
      localities: [['0001', 'Guadalajara', 1]],
    }),
  ),
)
const without = home.current()
const current = home.current()
const listOf = (name: string) => recordsByCode(current, name) as HomeList
const file = files.put(
  'cp.txt',
  Buffer.from(
    postalText([
      ['44100', 'Guadalajara Centro', 'Colonia', '14039', '0001', 'Urbano'],
      ['44100', 'La Aurora', 'Colonia', '14039', '0002', 'Urbano'],
      ['44100', 'La Aurora', 'Barrio', '14039', '0009', 'Urbano'],
      ['44160', 'Americana', 'Colonia', '14039', '0003', 'Urbano'],
      ['45200', 'Nextipac', 'Pueblo', '14120', '0001', 'Rural'],
      ['45200', 'San Esteban', 'Ejido', '14120', '0002', 'Rural'],
      ['45200', 'La Mesa', 'Ejido', '14039', '0004', 'Rural'],
    ]),
    'latin1',
  ),
)
const places = {
  catalog: current.catalog,
  states: listOf('estados'),
  municipalities: listOf('municipios'),
  localityOf: () => undefined,
}
await home.import(await sepomexSource(file, places))
const release = home.current()
const server = serverForAll(() => release)
const plain = serverForAll(() => without)

let form = ''
let site: ReturnType<typeof Bun.serve>
beforeAll(() => {
  site = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ url }) =>
      url.endsWith('.ico')
        ? new Response(null, { status: 204 })
        : new Response(`<!doctype html><html lang="es"><title>Alta</title><main><h1>Alta</h1>${form}</main>`, {
            headers: { 'Content-Type': 'text/html; charset=utf-8' },
          }),
  })
})
afterEach(async () => expect(await pages.close()).toEqual([]))
afterAll(async () => {
  await browser?.close()
  await site.stop(true)
  for (const one of [home, files]) one[Symbol.dispose]()
})

const open = (url: string, attributes: string, lang = 'es') => {
  form = `<form lang="${lang}"><nomenclator-picker name="dir" ${attributes}></nomenclator-picker></form>
<script src="${url}/picker/nomenclator-picker.js"></script>`
  return pages.open([site.url.origin, url], '/')
}
const field = (page: Page, name: string) => page.getByRole('combobox', { name, exact: true })
const textIn = (page: Page, name: string) => field(page, name).inputValue()
const dataOf = (page: Page) =>
  page.evaluate(`Object.fromEntries(new FormData(document.forms[0]))`) as Promise<Record<string, string>>
const POSTAL = 'postal-code levels="estado,municipio" submit="code"'
const offered = async (page: Page) => {
  await page.getByRole('option').first().waitFor()
  return page.getByRole('option').allTextContents()
}

describe.skipIf(browser === undefined)('with a postal code', () => {
  test('five digits fill state and municipality, and offer the settlements, by keyboard alone', async () => {
    const page = await open(server.url, POSTAL)
    await until(() => field(page, 'Código postal').isEnabled())
    expect(await page.getByRole('combobox').count()).toBe(4)
    expect(await field(page, 'Colonia').isDisabled()).toBe(true)
    expect(await field(page, 'Código postal').getAttribute('inputmode')).toBe('numeric')
    await field(page, 'Código postal').focus()
    await page.keyboard.type('441')
    expect(await offered(page)).toEqual(['44100Guadalajara, Jalisco', '44160Guadalajara, Jalisco'])
    await page.keyboard.type('00')
    await until(async () => (await textIn(page, 'Municipio')) === 'Guadalajara')
    expect(await textIn(page, 'Estado')).toBe('Jalisco')
    expect(await accessibilityFaults(page)).toEqual([])
    await field(page, 'Colonia').focus()
    await page.keyboard.press('ArrowDown')
    const names = ['Guadalajara Centro', 'La Aurora140390002', 'La Aurora140390009']
    expect((await offered(page)).map((text) => text.replace(' · ', ''))).toEqual(names)
    await page.keyboard.press('Enter')
    await until(async () => (await textIn(page, 'Colonia')) === 'Guadalajara Centro')
    expect(await dataOf(page)).toEqual({
      dir: '140390001',
      'dir.codigos-postales': '44100',
      'dir.estado': '14',
      'dir.municipio': '14039',
      'dir.asentamientos': '140390001',
    })
  })

  test('an only settlement is chosen; a settlement of another municipality sets that', async () => {
    const page = await open(server.url, POSTAL)
    await field(page, 'Código postal').fill('44160')
    await until(async () => (await textIn(page, 'Colonia')) === 'Americana')
    await field(page, 'Código postal').fill('45200')
    await until(async () => (await textIn(page, 'Municipio')) === 'Zapopan')
    expect(await textIn(page, 'Colonia')).toBe('')
    await field(page, 'Colonia').fill('mesa')
    await page.getByRole('option', { name: 'La Mesa' }).click()
    await until(async () => (await textIn(page, 'Municipio')) === 'Guadalajara')
    expect(await textIn(page, 'Código postal')).toBe('45200')
    expect(await textIn(page, 'Colonia')).toBe('La Mesa')
  })

  test('it also begins with a state: the settlement then tells the code, and another state takes both away', async () => {
    const page = await open(server.url, POSTAL)
    await field(page, 'Estado').fill('jal')
    await page.getByRole('option', { name: 'Jalisco' }).click()
    await field(page, 'Municipio').fill('guad')
    await page.getByRole('option', { name: 'Guadalajara' }).click()
    await field(page, 'Colonia').fill('americana')
    await page.getByRole('option', { name: 'Americana' }).click()
    await until(async () => (await textIn(page, 'Código postal')) === '44160')
    await field(page, 'Estado').fill('oax')
    await page.getByRole('option', { name: 'Oaxaca' }).click()
    await until(async () => (await textIn(page, 'Código postal')) === '')
    expect([await textIn(page, 'Municipio'), await textIn(page, 'Colonia')]).toEqual(['', ''])
  })

  test('a value that it begins with is shown with all it belongs to; it speaks English, too', async () => {
    const page = await open(server.url, `${POSTAL} value="141200001"`, 'en')
    await until(async () => (await textIn(page, 'Settlement')) === 'Nextipac')
    const shown = await Promise.all(['Postal code', 'State', 'Municipality'].map((name) => textIn(page, name)))
    expect(shown).toEqual(['45200', 'Jalisco', 'Zapopan'])
    await field(page, 'Postal code').fill('99999')
    await page.getByRole('option', { name: 'Nothing like that' }).waitFor()
  })

  test('without the lists it is the cascade alone', async () => {
    const page = await open(plain.url, POSTAL)
    await until(() => field(page, 'Estado').isEnabled())
    expect(await page.getByRole('combobox').count()).toBe(2)
    expect(await page.getByText('No existe').count()).toBe(0)
    await field(page, 'Estado').fill('oax')
    await page.getByRole('option', { name: 'Oaxaca' }).click()
    await field(page, 'Municipio').focus()
    await page.keyboard.press('ArrowDown')
    // Nothing lies above them that is not chosen, so that their codes tell them apart.
    expect(await offered(page)).toEqual(['San Juan Mixtepec20208', 'San Juan Mixtepec20209'])
  })
})
