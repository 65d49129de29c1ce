// Tasks of people, from the first page on, over the data that ships with the program: each with the number of its actions.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import readSheets from 'read-excel-file/node'
import { languageOf } from '../../packages/server/src/explorer/language.ts'
import { filled } from '../../packages/server/src/explorer/words/words.ts'
import { isWide } from '../support/browsed.ts'
import { launchBrowser } from '../support/browser.ts'
import { bundledHome, type TestHome } from '../support/releases.ts'
import { serverOf, type TestServer } from '../support/server.ts'
import { accessibilityFaults, until, WatchedPages } from '../support/watched-page.ts'

const browser = await launchBrowser()
const pages = new WatchedPages(browser)

let home: TestHome | undefined
let server: TestServer
beforeAll(async () => {
  if (browser === undefined) return
  home = await bundledHome()
  const release = home.current()
  server = serverOf(() => release, {}, home.store)
})
afterEach(async () => {
  expect(await pages.close()).toEqual([])
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
  home?.[Symbol.dispose]()
  expect(server?.logged ?? []).toEqual([])
})

/** Someone at a page who does one thing after the other, each of which counts. */
class Person {
  readonly page: Page
  actions = 0

  constructor(page: Page) {
    this.page = page
  }

  async clicks(target: Locator): Promise<void> {
    this.actions++
    await target.click()
  }

  async types(text: string, into: Locator): Promise<void> {
    this.actions++
    await into.fill(text)
  }

  async presses(key: string): Promise<void> {
    this.actions++
    await this.page.keyboard.press(key)
  }

  async downloads(link: Locator): Promise<string> {
    const [download] = await Promise.all([this.page.waitForEvent('download'), this.clicks(link)])
    return download.path()
  }
}

/** With the longest names that there are. */
async function isNarrow(page: Page): Promise<void> {
  await page.setViewportSize({ width: 320, height: 800 })
  expect(await isWide(page)).toBe(false)
}

describe.skipIf(browser === undefined)('in Spanish and in English in turn', () => {
  const begins = async (locale: 'es-MX' | 'en-US'): Promise<Person> =>
    new Person(await pages.open([server.url, `blob:${server.url}`], '/', { locale }))
  const searchOf = (page: Page) => page.locator('main input[name=q]:focus')

  test('the code of Zitácuaro takes two actions', async () => {
    const person = await begins('es-MX')
    await person.types('zitacuaro', searchOf(person.page))
    await person.presses('Enter')
    await person.page.waitForURL('**/explore/municipios/*')
    expect((await person.page.locator('.official code').textContent())?.trim()).toBe('16112')
    expect(person.actions).toBe(2)
    await isNarrow(person.page)
  })

  test('the five cities nearest to a village take two actions', async () => {
    const person = await begins('en-US')
    await person.types('el naranjo de chila', searchOf(person.page))
    await person.presses('Enter')
    await person.page.waitForURL('**/explore/localidades/*')
    const cities = person.page.getByRole('region', { name: languageOf('en').words.record.nearCities }).locator('li')
    const distances = (await cities.locator('.figure').allTextContents()).map((text) =>
      Number(/^([\d.]+) km$/.exec(text)?.[1]),
    )
    expect(distances).toHaveLength(5)
    expect(distances.toSorted((a, b) => a - b)).toEqual(distances)
    expect(person.actions).toBeLessThanOrEqual(3)
    await isNarrow(person.page)
  })

  test('all localities of Oaxaca over 5,000 people as Excel take six actions', async () => {
    const { words } = languageOf('es')
    const person = await begins('es-MX')
    const { page } = person
    await person.clicks(page.locator('.cards a[href*="/localidades"]'))
    await person.clicks(page.locator('.facet a', { hasText: 'Oaxaca' }))
    const from = `${words.fields.poblacion} ${words.table.from}`
    await person.types('5000', page.getByRole('textbox', { name: from, exact: true }))
    await person.presses('Enter')
    await page.waitForURL('**/explore/localidades?idEstado=20&poblacion_min=5000*')
    await person.clicks(page.locator('.downloads summary'))
    const path = await person.downloads(page.getByRole('link', { name: filled(words.table.downloadAs, 'Excel') }))
    expect(person.actions).toBe(6)
    const [
      {
        data: [header = [], ...rows],
      } = { data: [] },
    ] = await readSheets(path)
    const column = (name: string) => rows.map((row) => row[header.indexOf(name)])
    const all = await fetch(`${server.url}/api/v2/localidades/all?idEstado=20&poblacion_min=5000`)
    expect(rows).toHaveLength(((await all.json()) as unknown[]).length)
    expect(rows.length).toBeGreaterThan(50)
    expect(new Set(column('idEstado.descEstado'))).toEqual(new Set(['Oaxaca']))
    expect(Math.min(...column('poblacion').map(Number))).toBeGreaterThanOrEqual(5_000)
    // The menu lies over the table.
    await page.locator('.downloads summary').click()
    expect(await accessibilityFaults(page, { within: '.downloads' })).toEqual([])
    await isNarrow(page)
  })

  test('fifty rows as people write them get their codes in four actions', async () => {
    const rows = dirtyRows()
    const { words } = languageOf('en')
    const person = await begins('en-US')
    const { page } = person
    await person.clicks(page.getByRole('link', { name: words.home.resolveLink }))
    const text = ['edo.\tmpio', ...rows.map(({ state, municipality }) => `${state}\t${municipality}`)].join('\n')
    await person.types(text, page.locator('#list-text'))
    await person.clicks(page.getByRole('button', { name: words.resolvers.resolve }))
    const done = page.locator('[data-part=download-csv]')
    await until(async () => (await done.isVisible()) && !(await page.locator('[data-part=stop]').isVisible()))
    const file = await person.downloads(done)
    expect(person.actions).toBeLessThanOrEqual(5)
    const [head = '', ...lines] = readFileSync(file, 'utf8').replace('\ufeff', '').trimEnd().split('\r\n')
    const code = head.split(',').indexOf(filled(words.resolvers.codeHeader, words.entities.municipio?.one ?? ''))
    const found = lines.map((line) => line.split(',')[code])
    expect(found).toHaveLength(50)
    const wrong = rows.filter((row, at) => found[at] !== '' && found[at] !== row.code)
    expect(wrong).toEqual([])
    expect(found.filter((one) => one !== '').length).toBeGreaterThanOrEqual(48)
    await isNarrow(page)
  })
})

/** How people write the states that some municipalities are in. */
const STATES: Readonly<Record<number, string>> = {
  2: 'B.C.',
  8: 'Chih.',
  11: 'GTO',
  14: 'jalisco',
  15: 'Edo. de México',
  16: 'Mich.',
  19: 'N.L.',
  20: 'oax',
  21: 'Pue.',
  30: 'Veracruz',
}

/** Without accents, in capitals, with blanks, or with two letters in each other's place. */
const DIRT: readonly ((name: string) => string)[] = [
  (name) => plain(name).toUpperCase(),
  (name) => plain(name).toLowerCase(),
  (name) => ` ${name}  `,
  (name) => name.replace(/^(.{3})(.)(.)/, '$1$3$2'),
  (name) => `Mpio. de ${name}`,
]

const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '')

/** Municipalities with a long name that no other of their state is like. */
function dirtyRows(): { readonly state: string; readonly municipality: string; readonly code: string }[] {
  const table = readFileSync(new URL('../../data/municipio.csv', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
  const all = table.map((line) => line.split(',') as [code: string, name: string, state: string])
  const usable = all.filter(([, name, state]) => STATES[Number(state)] !== undefined && /^\p{L}{8,}$/u.test(name))
  const step = Math.floor(usable.length / 50)
  return Array.from({ length: 50 }, (_, at) => {
    const [code, name, state] = usable[at * step] as [string, string, string]
    const dirt = DIRT[at % DIRT.length] as (name: string) => string
    return {
      state: STATES[Number(state)] as string,
      municipality: dirt(name),
      code: `${state.padStart(2, '0')}${code}`,
    }
  })
}
