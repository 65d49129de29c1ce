// The explorer over lists that nothing of the program knows: keys of any text, a tree, names in languages, values of every type.
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../support/browser.ts'
import { HOSTILE_NAMES } from '../support/explored.ts'
import { type ExploredLists, exploredLists, information } from '../support/explored-lists.ts'
import { attributes, between, linkedFrom, linksOf, outlineFaults, textOf, unescaped } from '../support/pages.ts'
import { accessibilityFaults, keepSomeRows, until, WatchedPages } from '../support/watched-page.ts'

setDefaultTimeout(180_000)

let service: ExploredLists
let url = ''

beforeAll(async () => {
  service = await exploredLists()
  url = service.server.url
})
afterAll(async () => {
  expect(service.server.logged).toEqual([])
  await service.close()
})

const get = (target: string) =>
  fetch(url + target, { redirect: 'manual', headers: { 'Accept-Encoding': 'identity', Accept: 'text/html,*/*;q=0.8' } })
const page = async (target: string) => {
  const response = await get(target)
  const html = await response.text()
  if (response.status !== 200) throw new Error(`${target} is ${response.status}: ${textOf(html)}`)
  return html
}

const HORSES = '/explore/goods/I%2F01'
const ASSES = '/explore/goods/I%2F01%2F%C3%A9%20%C3%B1%2C1'
const MULES = `${ASSES}%3F%23%25`
const METRE = '/explore/units/si%2Fmetric,m%C2%B2%2Cx'
const OFFICE = '/explore/offices/a%2F1'
const treeAt = (...addresses: readonly string[]) =>
  `/explore/tree?${addresses.map((one) => `open=goods%3A${encodeURIComponent(one.slice('/explore/goods/'.length))}`).join('&')}`

/** An address of every kind of page. */
const PAGES: Readonly<Record<string, string>> = {
  home: '/',
  collections: '/explore',
  search: '/explore?q=caballos',
  'a tree as a table': '/explore/goods',
  'a part of a tree': '/explore/goods?within=I',
  'a table of values': '/explore/units',
  'a table that is filtered and sorted': '/explore/units?media_type=solid&sort=-factor',
  'a table with references': '/explore/offices',
  'a record in a tree': HORSES,
  'a leaf': MULES,
  'a record without a name': '/explore/goods/nameless',
  'a record in a circle': '/explore/goods/hen',
  'a record with a key of two texts': METRE,
  'a record with nothing but its key': '/explore/units/si%2Fmetric,bare',
  'a record with references and a place': OFFICE,
  tree: treeAt(ASSES),
  map: '/map',
  'map, filtered': '/map/offices?dealt_with=II',
  picker: '/picker',
  resolver: '/resolve',
  releases: '/releases',
  docs: '/docs',
}
const everyPage = Object.entries(PAGES)

describe('every page', () => {
  test.each(everyPage)('is sound in both languages: %s', async (_, target) => {
    for (const language of ['es', 'en']) {
      const html = await page(`${target}${target.includes('?') ? '&' : '?'}lang=${language}`)
      expect(outlineFaults(html)).toEqual([])
      expect(textOf(html)).not.toMatch(/\b(undefined|NaN)\b/)
      expect(html).not.toContain('[object')
    }
  })

  test('leads only to pages and responses that are there', async () => {
    const { broken, visited } = await linkedFrom(Object.values(PAGES), get, 500)
    expect(broken).toEqual([])
    expect(visited.size).toBeGreaterThan(200)
  })

  test('shows names that attack as text', async () => {
    const records = HOSTILE_NAMES.map((_, at) => `/explore/goods/${encodeURIComponent(`<b>${at}"'`)}`)
    let shown = 0
    for (const target of [...Object.values(PAGES), ...records, '/explore?q=script', treeAt('/explore/goods/II')]) {
      const html = await page(target)
      expect(html).not.toMatch(/<script>|<script(?![^>]* src="\/assets\/)|<img|<i>|<b>|onfocus='/)
      expect(html).not.toMatch(/href="javascript:/i)
      for (const name of HOSTILE_NAMES) if (unescaped(html).includes(name)) shown++
    }
    expect(shown).toBeGreaterThan(20)
  })

  test('says nothing of places or of Mexico', async () => {
    for (const target of ['/', '/explore', '/explore/goods', '/picker', '/explore/tree'])
      for (const language of ['es', 'en']) {
        const text = textOf(await page(`${target}${target.includes('?') ? '&' : '?'}lang=${language}`))
        expect(text).not.toMatch(/México|Mexico|INEGI|lugar|place\b|municipi|estado\b|poblaci|populat/i)
      }
  })
})

describe('packages', () => {
  test.each(['/', '/explore'])('are shown with all of their details: %s', async (target) => {
    const text = textOf(between(await page(target), '<section class="package"', '</section>'))
    for (const detail of [
      information.title,
      information.name,
      'Lists for trade.',
      information.version,
      'Public domain',
      'World office',
      'Ada <script> ( author )',
      'trade , goods',
      information.homepage,
    ])
      expect(text).toContain(detail)
    expect(text).toMatch(/33 Units & measures 16 Mercancías del SA 4 Offices/)
  })

  test('leave out the lists that the release lacks', async () => {
    expect(linksOf(await page('/explore')).get('0 Países')).toBeUndefined()
  })

  test('are credited at the foot of every page', async () => {
    const foot = between(await page(METRE), '<footer', '</footer>')
    expect(textOf(foot)).toContain('Trade <lists> 1.2.0 : Public domain , World office , Ada <script> ( author )')
    expect(attributes(foot, 'href')).toContain('https://example.org/licence')
    expect(attributes(foot, 'rel')).toEqual(['nofollow noopener noreferrer'])
  })
})

describe('a table', () => {
  const headers = (html: string) =>
    [...html.matchAll(/<th scope="col"[^>]*>(.*?)<\/th>/g)].map(([, head = '']) => textOf(head).replace('↕', '').trim())
  const rowOf = (html: string, name: string) =>
    textOf(html.split('<tr>').find((row) => row.includes(`>${name}</bdi></a></th>`)) ?? '').trim()

  test('has the name first, then codes, references, values and descriptions', async () => {
    expect(headers(await page('/explore/units'))).toEqual([
      ...['Name, of.unit', 'system', 'sign', 'factor', 'uses, per.year', 'official', 'adopted', 'since', 'spellings'],
      ...['Website', 'Media Type', 'note'],
    ])
    expect(headers(await page('/explore/offices'))).toEqual(['title', 'office', 'counts in', 'dealt with'])
    expect(headers(await page('/explore/goods'))).toEqual(['Nombre', 'Código SA', 'parent'])
  })

  test('writes every value as its type is written', async () => {
    const html = await page('/explore/units?lang=en')
    expect(rowOf(html, 'Square metre')).toBe(
      'Square metre si/metric m²,x 1,234,567.50 12,345,678,901,234,567,890 yes 1960-10-14 1960 sq m <i>qm</i> https://example.org/m2?a=1&b=2 solid First line second <b>line</b>',
    )
    expect(rowOf(html, 'Foot')).toBe('Foot imperial ft – – no – – – javascript:attacked() – –')
    expect(rowOf(await page('/explore/units'), 'Foot')).toContain(' no ')
    expect(rowOf(await page('/explore/units'), 'Unit 0')).toContain(' sí ')
  })

  test('names records in the language of the page, or in the first that they have, or by their key', async () => {
    const spanish = await page('/explore/goods')
    expect(rowOf(spanish, 'Caballos')).toBe('Caballos I/01 Animales vivos')
    expect(rowOf(spanish, 'Asses')).toBe('Asses I/01/é ñ,1 Caballos')
    expect(spanish).toContain('<bdi lang="en">Asses</bdi>')
    expect(spanish).toContain('<bdi>nameless</bdi>')
    const english = await page('/explore/goods?lang=en')
    expect(rowOf(english, 'Horses')).toBe('Horses I/01 Live animals')
    expect(english).toContain('<bdi lang="es">Mulas &amp; burdéganos</bdi>')
  })

  test('says what is referred to by name, in the language of the page', async () => {
    expect(rowOf(await page('/explore/offices'), 'North office')).toBe('North office a/1 Square metre Caballos')
    expect(rowOf(await page('/explore/offices?lang=en'), 'North office')).toBe('North office a/1 Square metre Horses')
    expect(rowOf(await page('/explore/offices'), 'Office without a place')).toBe('Office without a place c – –')
  })

  test('offers what there are few values of, with the number of records that each leaves', async () => {
    const html = await page('/explore/units?lang=en')
    const facets = textOf(between(html, '<aside id="filters"', '</aside>'))
    expect(facets).toContain('By official no 16 yes 16')
    expect(facets).toContain('By Media Type liquid 15 solid 16')
    expect(facets).not.toContain('Website')
    const chosen = await page('/explore/units?lang=en&official=true')
    expect(textOf(between(chosen, '<section class="chosen"', '</section>'))).toContain('official: yes ×')
    expect(textOf(between(chosen, '<aside id="filters"', '</aside>'))).toContain('By official yes 16 no 16')
  })

  test('is filtered and sorted by fields of any name, which may be given as they are', async () => {
    for (const name of ['media_type', 'Media%20Type']) {
      const html = await page(`/explore/units?${name}=liquid&sort=-name_of_unit&lang=en`)
      expect(textOf(between(html, '<section class="chosen"', '</section>'))).toContain('Media Type: liquid ×')
      expect(linksOf(html).get('Media Type: liquid ×')).toBe('/explore/units?sort=-name_of_unit&lang=en')
      expect(html).toContain('aria-sort="descending"')
      expect(textOf(html)).toContain('Units & measures 15 records')
    }
  })

  test('narrows to what is below a record, or refers to one, and says so by its name', async () => {
    expect(textOf(await page('/explore/goods?within=I'))).toContain('Debajo de Animales vivos ×')
    expect(textOf(await page('/explore/goods?root=true'))).toContain('Sin nada encima ×')
    expect(textOf(await page('/explore/goods?parent=I%2F01'))).toContain('parent: Caballos ×')
    const counted = await page('/explore/offices?counts_in=si%252Fmetric%2Cm%25C2%25B2%252Cx&lang=en')
    expect(textOf(counted)).toContain('counts in: Square metre ×')
    expect(textOf(counted)).toContain('North office')
    expect(textOf(counted)).not.toContain('South office')
  })

  test('has the description of its list, line by line', async () => {
    expect(await page('/explore/goods')).toContain(
      '<p class="lead lines"><bdi>What is traded.\nBy section, chapter and heading.</bdi></p>',
    )
  })
})

describe('a record', () => {
  test('is found by every kind of key', async () => {
    for (const [target, name] of [
      [ASSES, 'Asses'],
      [MULES, 'Mulas &amp; burdéganos'],
      [METRE, 'Square metre'],
      ['/explore/units/si%2Fmetric,bare', 'si/metric, bare'],
      [OFFICE, 'North office'],
    ] as const)
      expect(between(await page(target), '<h1', '</h1>')).toContain(`>${name}</bdi>`)
  })

  test.each([
    '/explore/goods/nothing',
    '/explore/units/si%2Fmetric',
    '/explore/units/a,b,c',
    '/explore/units/a,',
    '/explore/goods/%ff',
  ])('that is not there is a page: %s', async (target) => {
    const response = await get(target)
    expect([response.status, response.headers.get('Content-Type')]).toEqual([404, 'text/html; charset=utf-8'])
  })

  test('shows where it is in its tree, from the root, and what is below it', async () => {
    const crumbs = between(await page(MULES), '<nav class="breadcrumb"', '</nav>')
    expect(textOf(crumbs).trim()).toMatch(/^Animales vivos Caballos Asses Mulas & burdéganos$/)
    expect(linksOf(crumbs).get('Asses')).toBe(ASSES)
    const root = await page('/explore/goods/I')
    const branch = between(root, '<section aria-labelledby="branch-title"', '</section>')
    expect(textOf(branch)).toMatch(/2 directamente debajo 4 debajo en total .* Caballos I\/01 2 nameless nameless –/)
    const [below = ''] = [linksOf(branch).get('2 directamente debajo')]
    expect(textOf(await page(below))).toContain('2 registros')
    const opened = linksOf(branch).get('Verlo en el árbol') ?? ''
    expect(textOf(await page(opened.replace(/#.*/, '')))).toContain('Caballos')
  })

  test('ends where a tree is a circle', async () => {
    const crumbs = between(await page('/explore/goods/hen'), '<nav class="breadcrumb"', '</nav>')
    expect(textOf(crumbs).trim()).toMatch(/^Huevo Gallina$/)
  })

  test('lists its names in other languages', async () => {
    const names = between(await page(HORSES), '<section aria-labelledby="names-title"', '</section>')
    expect(textOf(names)).toMatch(/Nombres Inglés Horses Copiar Francés Chevaux/)
    expect(names).toContain('<bdi lang="fr">Chevaux</bdi>')
    const english = between(await page(`${HORSES}?lang=en`), '<section aria-labelledby="names-title"', '</section>')
    expect(textOf(english)).toMatch(/Names Spanish Caballos Copy French Chevaux/)
  })

  test('shows all of its values: lines stay lines, only addresses of the web are links', async () => {
    const html = await page(METRE)
    expect(html).toContain('<div class="lines"><bdi>First line\nsecond &lt;b&gt;line&lt;/b&gt;</bdi></div>')
    expect(html).toContain('<ul class="items"><li><bdi>sq m</bdi></li><li><bdi>&lt;i&gt;qm&lt;/i&gt;</bdi></li></ul>')
    expect(html).toContain('<a href="https://example.org/m2?a=1&amp;b=2" rel="nofollow noopener noreferrer">')
    expect(textOf(html)).toContain('factor 1,234,567.50 uses, per.year 12,345,678,901,234,567,890 official sí')
    expect(textOf(html)).toContain('"factor": 1234567.50, "uses, per.year": 12345678901234567890,')
    expect(await page('/explore/units/imperial,ft')).not.toContain('href="javascript')
  })

  test('leaves out what is not known of it', async () => {
    const html = await page('/explore/units/si%2Fmetric,bare')
    expect(textOf(between(html, '<div class="about">', '</aside>'))).not.toContain('factor')
    expect(html).not.toContain('facts-title')
  })

  test('leads to what it refers to, and to what refers to it', async () => {
    const office = await page(OFFICE)
    const related = linksOf(between(office, '<section aria-labelledby="related-title"', '</section>'))
    expect([...related]).toEqual([
      ['Caballos', HORSES],
      ['Square metre', METRE],
    ])
    const metre = linksOf(between(await page(METRE), '<section aria-labelledby="children-title"', '</section>'))
    expect(metre.get('North office')).toBe(OFFICE)
    expect(textOf(await page(metre.get('1 Offices') ?? ''))).toContain('North office')
  })

  test('is the same as its path in API v2', async () => {
    for (const target of [MULES, METRE, OFFICE]) {
      const html = await page(target)
      const [path = ''] = attributes(between(html, '<p class="request">', '</p>'), 'href')
      expect(path).toBe(target.replace('/explore/', '/api/v2/'))
      const published = JSON.parse(textOf(between(html, '<details class="json">', '</pre>')).replace(/^[^{]*/, ''))
      expect(await (await fetch(url + path)).json()).toEqual(published)
    }
  })

  test('has its place and its neighbours', async () => {
    const text = textOf(await page(OFFICE))
    expect(text).toContain('Coordenadas 52.5, 13.4')
    expect(text).toMatch(/Cerca de aquí East office 29\d.\d km South office 50\d.\d km/)
  })
})

describe('the tree', () => {
  test('opens one level after the other, as deep as it is, and closes again', async () => {
    const closed = await page('/explore/tree')
    expect(textOf(closed)).toMatch(/Mercancías del SA \+ Animales vivos 4 debajo \+ Plantas 8 debajo \+ Huevo 1 debajo/)
    expect(textOf(closed)).not.toContain('Caballos')
    let target = '/explore/tree'
    for (const name of ['Animales vivos', 'Caballos', 'Asses']) {
      const links = attributes(await page(target), 'href')
      const labels = [
        ...(await page(target)).matchAll(/href="([^"]*)" aria-expanded="false" aria-label="Abrir ([^"]*)"/g),
      ]
      const found = labels.find(([, , label = '']) => unescaped(label) === name)
      expect(links).toContain(unescaped(found?.[1] ?? ''))
      target = unescaped(found?.[1] ?? '').replace(/#.*/, '')
    }
    expect(textOf(await page(target))).toContain('Mulas & burdéganos')
    const [, close = ''] =
      /href="([^"]*)" aria-expanded="true" aria-label="Cerrar Caballos"/.exec(await page(target)) ?? []
    const after = textOf(await page(unescaped(close).replace(/#.*/, '')))
    expect(after).toContain('Caballos')
    expect(after).not.toContain('Asses')
  })

  test('opens what is above a node that the address names', async () => {
    const html = await page(treeAt(ASSES))
    expect(textOf(html)).toContain('Mulas & burdéganos')
    expect(html.match(/aria-expanded="true"/g)).toHaveLength(3)
  })

  test.each([
    ['no node', '/explore/tree?open=goods', 400],
    ['a list that is not there', '/explore/tree?open=nothing:1', 400],
    ['a record that is not there', '/explore/tree?open=goods:nothing', 404],
    ['a tree that is not there', '/explore/tree?in=units', 400],
    ['one tree alone', '/explore/tree?in=goods', 200],
  ])('%s', async (_, target, status) => expect((await get(target)).status).toBe(status))
})

test('a search finds names of every language, and names what it finds in that of the page', async () => {
  const spanish = linksOf(await page('/explore?q=chevaux'))
  expect(spanish.get('Caballos')).toBe(HORSES)
  expect(linksOf(await page('/explore?q=chevaux&lang=en')).get('Horses')).toBe(`${HORSES}?lang=en`)
  expect(linksOf(await page('/explore?q=square%20metre')).get('Square metre')).toBe(METRE)
})

test('the map has what has coordinates, coloured by what it refers to', async () => {
  const html = await page('/map?lang=en')
  expect(textOf(html)).toContain('3 Offices, each of them a dot. Color: dealt with.')
  const [settings = ''] = attributes(html, 'data-settings')
  expect(JSON.parse(settings)).toMatchObject({
    key: [['office']],
    separator: ',',
    names: [['title'], ['office']],
    bounds: [
      ['north_min', 'north_max'],
      ['east_min', 'east_max'],
    ],
    groups: ['Horses', 'Plants', ''],
  })
  const { points } = JSON.parse(settings) as { points: string }
  const bytes = new Uint8Array(await (await fetch(url + points)).arrayBuffer())
  expect(new DataView(bytes.buffer).getUint32(4, true)).toBe(4)
  // The fifth plane has the groups, the sixth the sizes: of those without a place, none.
  expect([...bytes.slice(40 + 4 * 4, 40 + 5 * 4)]).toEqual([0, 1, 2, 2])
  expect([...bytes.slice(40 + 5 * 4)]).toEqual([1, 1, 0, 1])
})

test('the picker is offered for the largest list where none belongs to another', async () => {
  expect(attributes(await page('/picker'), 'levels')).toEqual(['unit'])
  const { levels } = (await (await fetch(`${url}/picker/levels.json`)).json()) as { levels: Record<string, object> }
  expect(levels.unit).toMatchObject({ key: ['system', 'sign'], separator: ',', name: 'name_of_unit' })
  // A field whose name has signs of a query is requested by its slug, and found in records by its name.
  expect(levels.unit).toMatchObject({ steps: { name_of_unit: ['Name, of.unit'] } })
  expect(levels.good).toMatchObject({
    ...{ name: 'name_en', broader: 'parent' },
    names: [
      ['name_en', 'en'],
      ['name_es', 'es'],
      ['name_fr', 'fr'],
    ],
  })
  expect(levels.office).toMatchObject({ key: ['office'], labels: { es: 'Offices', en: 'Offices' } })
})

describe('in a browser', () => {
  const DESK = { width: 1440, height: 900 }
  const PHONE = { width: 390, height: 844 }
  let browser: Browser | undefined
  let watched: WatchedPages
  beforeAll(async () => {
    browser = await launchBrowser()
    watched = new WatchedPages(browser)
  })
  afterEach(async () => {
    expect(await watched.close()).toEqual([])
  })
  afterAll(() => browser?.close())

  test('the picker offers and shows records of any list, whatever their name is called', async () => {
    if (browser === undefined) return
    const opened = await watched.open([url], '/picker?lang=en')
    const box = opened.getByRole('combobox', { name: 'Units & measures', exact: true })
    await box.fill('square')
    await opened.getByRole('option').filter({ hasText: 'Square metre' }).click()
    expect(await box.inputValue()).toBe('Square metre')
    expect(
      await opened.locator('nomenclator-picker').evaluate((element) => (element as unknown as { value: string }).value),
    ).toBe('si%2Fmetric,m%C2%B2%2Cx')
  })

  test('the picker names records of a tree, and what they belong to, in the language of its page or its own', async () => {
    if (browser === undefined) return
    const opened = await watched.open([url], '/picker?lang=es')
    await opened.evaluate(`document.querySelector('main').insertAdjacentHTML('beforeend',
      '<nomenclator-picker id="goods" levels="good"></nomenclator-picker>')`)
    const picker = opened.locator('#goods')
    const box = picker.getByRole('combobox')
    // They are found by a name of any language, and shown by another where there is none in that of the page.
    for (const [text, option] of [
      ['asses', 'Asses\nCaballos'],
      ['chevaux', 'Caballos\nAnimales vivos'],
    ] as const) {
      await box.fill(text)
      await until(async () => (await picker.getByRole('option').allInnerTexts()).join() === option)
    }
    await picker.getByRole('option').click()
    expect(await box.inputValue()).toBe('Caballos')
    for (const [language, shown] of [
      ['fr-CA', 'Chevaux'],
      ['en', 'Horses'],
      ['de', 'Horses'],
    ] as const) {
      // The choice stays, and its name changes.
      await picker.evaluate((element, lang) => element.setAttribute('lang', lang), language)
      await picker.evaluate((element) => (element as unknown as { ready: Promise<void> }).ready)
      expect(await box.inputValue()).toBe(shown)
    }
    expect(await picker.evaluate((element) => (element as unknown as { value: string }).value)).toBe('I/01')
  })

  test('nothing is wider than the window, inaccessible or wrong', async () => {
    if (browser === undefined) return
    const opened = await watched.open([url], '/', { viewport: DESK })
    const isWide = () => opened.evaluate('document.documentElement.scrollWidth > innerWidth')
    for (const target of ['/', '/explore/goods', METRE, PAGES.tree ?? '']) {
      await opened.setViewportSize(PHONE)
      await opened.goto(target)
      expect(`${target} ${await isWide()}`).toBe(`${target} false`)
      await opened.setViewportSize(DESK)
      expect(`${target} ${await isWide()}`).toBe(`${target} false`)
      await keepSomeRows(opened)
      expect(await accessibilityFaults(opened)).toEqual([])
    }
  })

  test('a suggestion, a node and a dot lead to records with keys of any text', async () => {
    if (browser === undefined) return
    const opened = await watched.open([url], '/')
    await opened.locator('main input[name=q]').fill('square metre')
    await opened.getByRole('option').first().click()
    await opened.waitForURL(`**${METRE}`)
    await opened.goto('/explore/tree')
    for (const name of ['Animales vivos', 'Caballos', 'Asses'])
      await opened.getByRole('link', { name: `Abrir ${name}`, exact: true }).click()
    await opened.getByRole('link', { name: 'Mulas & burdéganos' }).click()
    await opened.waitForURL(`**${MULES}`)
    await opened.goto('/map')
    await opened.locator('[data-drawn=true]').first().waitFor()
    await opened.locator('.in-view li', { hasText: 'Caballos' }).getByRole('link').click()
    await opened.waitForURL(`**${OFFICE}`)
  })
})
