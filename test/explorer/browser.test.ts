// The explorer in a real browser: with the keyboard, without a script, in both languages and colours, on a phone.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { browsed, isWide } from '../support/browsed.ts'
import { HOSTILE_NAMES, PAGES } from '../support/explored.ts'
import { accessibilityFaults, keepSomeRows, LAYOUT_RULES } from '../support/watched-page.ts'

const browsing = await browsed()
const { browser, open } = browsing

const path = (page: Page) => {
  const { pathname, search } = new URL(page.url())
  return pathname + search
}
const names = (page: Page) => page.locator('table tbody th a').allTextContents()

/** The reference has dozens of operations that are alike, with thousands of parts. */
const keepSomeOperations = (page: Page) =>
  page.evaluate(`for (const one of document.querySelectorAll('.operation'))
    if (!['list-estados', 'api-v2-resolve'].includes(one.id)) one.remove()`)

/** Types without a click: browsers give the search box the focus with the first frame, which may come after the page has loaded. */
async function typeAtOnce(page: Page, text: string): Promise<void> {
  await page.locator('input[name=q]:focus').waitFor()
  await page.keyboard.type(text)
}

const PHONE = { width: 390, height: 844 }
const STYLES = readFileSync(
  join(import.meta.dir, '..', '..', 'packages/server/src/explorer/browser/explorer.css'),
  'utf8',
)
/** The least width of every layout that the stylesheet has for windows: what has room there has room in wider ones. */
const LAYOUTS = [...STYLES.matchAll(/@media[^{]*\((min|max)-width: ([\d.]+)rem\)/g)].map(([, bound, rem]) =>
  bound === 'min' ? Math.ceil(Number(rem) * 16) : Math.floor(Number(rem) * 16) + 1,
)
/** From a window of 1280 pixels at a zoom of 400 % on; 1024 is where a table gets all its columns. */
const WIDTHS = [...new Set([320, 1024, ...LAYOUTS])].sort((a, b) => a - b)
/** Longer than all but a few names of places, with words as long as theirs. */
const LONG_NAME = 'Fraccionamiento Residencial Ampliación Tlalixtaquilla de Maldonado (Rancho Parangaricutirimícuaro)'

/** Gives a few names a word that is longer than any row of the window. */
const LENGTHEN = `for (const name of [...document.querySelectorAll('bdi')].slice(0, 12))
  name.textContent = 'ñ'.repeat(1_000)`

/** The widths at which a page scrolls sideways. */
async function wideAt(page: Page): Promise<number[]> {
  const wide: number[] = []
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 })
    if (await isWide(page)) wide.push(width)
  }
  return wide
}

const PROBLEMS = { 'no such page': '/nowhere', 'no such record': '/explore/paises/0' }

/** Pages made of the same parts as another one here: what holds there holds on them. */
const ALIKE = new Set([
  ...[
    'collections',
    'search without results',
    'table',
    'table without rows',
    'table of a root',
    'record of a hierarchy',
  ],
  ...['record with a hostile name', 'map', 'map of nothing found', 'picker, submitted', 'no such record'],
])

describe.skipIf(browser === undefined)('in a browser, accessible:', () => {
  test.each(Object.entries({ ...PAGES, ...PROBLEMS }).filter(([name]) => !ALIKE.has(name)))(
    '%s, light on a desk and dark on a phone, zoomed, and not attacked',
    async (_, target) => {
      const page = await open(target)
      expect(await page.evaluate('window.attacked')).toBeUndefined()
      await keepSomeOperations(page)
      await keepSomeRows(page)
      expect(await accessibilityFaults(page)).toEqual([])
      await page.setViewportSize(PHONE)
      await page.emulateMedia({ colorScheme: 'dark' })
      expect(await accessibilityFaults(page, { rules: [...LAYOUT_RULES, 'color-contrast'] })).toEqual([])
      // The longest names last, since they stay. A page that has room for them has room for all others.
      await page.evaluate(
        `for (const name of document.querySelectorAll('bdi')) name.textContent = ${JSON.stringify(LONG_NAME)}`,
      )
      expect(await wideAt(page)).toEqual([])
      await page.evaluate(LENGTHEN)
      for (const viewport of [PHONE, { width: 1280, height: 800 }]) {
        await page.setViewportSize(viewport)
        expect({ viewport, isWide: await isWide(page) }).toEqual({ viewport, isWide: false })
      }
    },
  )

  test('widths and pages that are alike are those that there are', () => {
    expect(WIDTHS).toEqual([320, 641, 960, 1024, 1089, 1280])
    expect([...ALIKE].filter((name) => !(name in { ...PAGES, ...PROBLEMS }))).toEqual([])
  })
})

/** Parts that can have the focus and whose ring is not whole: another part covers it, or a part around it cuts it off. */
const HIDDEN_RINGS = `(() => {
  const shown = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
    .filter((one) => one.checkVisibility() && one.type !== 'hidden')
  return shown.flatMap((one) => {
    one.focus()
    one.scrollIntoView({ block: 'center', inline: 'center' })
    const { outlineOffset, outlineWidth } = getComputedStyle(one)
    const [offset, reach] = [parseFloat(outlineOffset), parseFloat(outlineOffset) + parseFloat(outlineWidth)]
    if (document.activeElement !== one || !one.matches(':focus-visible') || offset < 0) return []
    return [...one.getClientRects()].flatMap(({ left, top, right, bottom }) => {
      const [x, y] = [(left + right) / 2, (top + bottom) / 2]
      const spots = [[x, top - reach + 1], [x, bottom + reach - 1], [left - reach + 1, y], [right + reach - 1, y]]
      // How far up a part is drawn, within what it has in common with another.
      const layer = (part, other) => {
        let highest = -1
        for (let at = part; at !== null && !at.contains(other); at = at.parentElement)
          if (getComputedStyle(at).position !== 'static') highest = Math.max(highest, Number(getComputedStyle(at).zIndex) || 0)
        return highest
      }
      const over = spots.filter(([across, down]) => {
        const other = document.elementFromPoint(across, down)
        return other !== null && layer(other, one) > -1 && layer(other, one) >= layer(one, other)
      })
      let isCut = false
      for (let at = one.parentElement; at !== null && at !== document.body; at = at.parentElement) {
        const box = at.getBoundingClientRect()
        if (getComputedStyle(at).overflowX === 'visible') continue
        isCut ||= left - reach < box.left || top - reach < box.top || bottom + reach > box.bottom
      }
      return over.length > 0 || isCut ? [(isCut ? 'cut: ' : 'covered: ') + one.outerHTML.slice(0, 120)] : []
    })
  }).slice(0, 5)
})()`

describe.skipIf(browser === undefined)('in a browser', () => {
  test('the first page takes less than 30 KB in all, and no more is loaded when it is idle', async () => {
    const page = await open('about:blank', { isFresh: true })
    const sizes: Promise<number>[] = []
    page.on('requestfinished', (request) =>
      sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize)),
    )
    await page.goto(browsing.service.server.url)
    await page.waitForLoadState('networkidle')
    const sent = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
    expect(sizes.length).toBeGreaterThanOrEqual(3)
    expect(sent).toBeGreaterThan(5_000)
    expect(sent).toBeLessThan(30_000)
  })

  test('a page is printed without what only a screen needs, dark on white', async () => {
    const page = await open('/explore/localidades?per_page=25')
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    for (const selector of ['header nav', '.search', '.facets', '.actions', '.api', '.copy'])
      expect(await page.locator(`${selector}:visible`).count()).toBe(0)
    expect(await page.locator('tbody tr:visible').count()).toBe(25)
    const colours = `['html', 'main', 'thead th', 'tbody a', 'td'].map((selector) => {
      const { color, backgroundColor } = getComputedStyle(document.querySelector(selector))
      return [color, backgroundColor].map((colour) => colour.match(/[\\d.]+/g).map(Number))
    })`
    for (const [ink, paper] of (await page.evaluate(colours)) as [number[], number[]][]) {
      expect(Math.max(...ink.slice(0, 3))).toBeLessThan(128)
      expect(paper[3] === 0 || Math.min(...paper.slice(0, 3)) > 128).toBe(true)
    }
  })

  describe('search', () => {
    test('has the focus, suggests while one types, and Enter opens the best', async () => {
      const page = await open('/')
      await typeAtOnce(page, 'ensen')
      const options = page.getByRole('option')
      // There may have been others before, of what was typed by then.
      await options
        .first()
        .locator('mark')
        .getByText(/^Ensen$/)
        .waitFor()
      expect(await options.first().textContent()).toBe(
        'Ensenada municipio · \u2068Baja California\u2069 · \u2068México\u2069',
      )
      expect(await page.getByRole('combobox').getAttribute('aria-expanded')).toBe('true')
      expect(await accessibilityFaults(page, { within: 'main form' })).toEqual([])
      await page.keyboard.press('Enter')
      await page.waitForURL('**/explore/municipios/3')
    })

    test('is moved through with the arrow keys, and closed with Escape', async () => {
      const page = await open('/')
      // In one piece, so that no suggestions for less than all of it come in between.
      await page.locator('input[name=q]:focus').waitFor()
      await page.keyboard.insertText('ensenada')
      await page.getByRole('option').nth(1).waitFor()
      await page.keyboard.press('Escape')
      expect(await page.getByRole('listbox').count()).toBe(0)
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      const active = await page.getByRole('combobox').getAttribute('aria-activedescendant')
      expect(await page.locator(`#${active}`).getAttribute('aria-selected')).toBe('true')
      expect(await accessibilityFaults(page, { within: 'main form' })).toEqual([])
      await page.keyboard.press('Enter')
      await page.waitForURL('**/explore/localidades/3-1')
    })

    test('waits for suggestions where Enter comes first, and says when there are none', async () => {
      const page = await open('/')
      await typeAtOnce(page, 'ensenada')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/explore/municipios/3')
      await page.goto('/')
      await typeAtOnce(page, 'wkwkwk')
      await page.locator('.suggestions .nothing').waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL('**/explore?q=wkwkwk')
      expect(await page.locator('main').textContent()).toContain('Pruebe con menos palabras')
    })

    test('shows names that attack as text', async () => {
      const page = await open('/')
      for (const [typed, name] of [
        ['script window attacked', HOSTILE_NAMES[0]],
        ['img onerror', HOSTILE_NAMES[1]],
        ['largo', HOSTILE_NAMES[7]],
      ] as const) {
        await page.fill('input[name=q]', typed)
        await page
          .getByRole('option')
          .filter({ hasText: name.slice(0, 200) })
          .first()
          .waitFor()
      }
      expect(await page.evaluate('window.attacked')).toBeUndefined()
      // The longest of them is wrapped.
      expect(await isWide(page)).toBe(false)
    })

    test('works without a script', async () => {
      const page = await open('/', { javaScriptEnabled: false })
      // A button that needs a script is not there.
      expect(await page.locator('button.copy:visible').count()).toBe(0)
      await page.fill('input[name=q]', 'ensenada')
      await page.click('main button[type=submit]')
      await page.waitForURL('/explore?q=ensenada')
      await page.click('.found a >> nth=0')
      await page.waitForURL('/explore/municipios/3')
    })
  })

  test('a table is sorted, filtered, searched and paged by its links, and the back button goes back, without a script', async () => {
    const page = await open('/explore/localidades?per_page=25', { javaScriptEnabled: false })
    await page.getByRole('link', { name: 'Población' }).click()
    await page.waitForURL('/explore/localidades?per_page=25&sort=poblacion')
    await page.getByRole('link', { name: 'Población' }).click()
    await page.locator('th[aria-sort=descending]').waitFor()
    expect((await names(page))[0]).toBe('Aguascalientes')
    await page.locator('.facet a', { hasText: 'Urbano' }).click()
    await page.waitForURL('/explore/localidades?per_page=25&sort=-poblacion&ambito=U')
    const total = Number((await page.locator('.count').textContent())?.match(/\d+/)?.[0])
    expect(total).toBeGreaterThan(25)
    const first = await names(page)
    await page.getByRole('link', { name: 'Siguiente' }).click()
    await page.waitForURL('**&page=2*')
    expect(await names(page)).toHaveLength(Math.min(25, total - 25))
    await page.goBack()
    expect(await names(page)).toEqual(first)
    await page.fill('main input[name=q]', 'rancho 12')
    await page.press('main input[name=q]', 'Enter')
    await page.waitForURL('**/explore/localidades?q=rancho*')
    expect(await names(page)).toContain('Rancho 12')
    await page.locator('.chosen a').first().click()
    await page.waitForURL(({ search }) => !search.includes('ambito'))
    await page.locator('tbody th a').first().click()
    await page.waitForURL('/explore/localidades/3-*')
  })

  test('columns are chosen with and without a script', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const page = await open('/explore/localidades?idEstado=2', { javaScriptEnabled })
      await page.getByText('Columnas').click()
      await page.getByRole('checkbox', { name: 'CVEGEO' }).uncheck()
      await page.getByRole('checkbox', { name: 'Identificador' }).check()
      await page.locator('.columns-menu').getByRole('button', { name: 'Aplicar' }).click()
      await page.waitForURL('**fields=**')
      const columns = (await page.locator('thead th').allTextContents()).map((text) => text.replace('↕', ''))
      expect(columns).toContain('Identificador')
      expect(columns).not.toContain('CVEGEO')
      if (javaScriptEnabled) expect(await accessibilityFaults(page, { within: '.columns-menu' })).toEqual([])
    }
  })

  test('a code is copied with a button, which says so', async () => {
    const page = await open('/explore/paises/484', { permissions: ['clipboard-read', 'clipboard-write'] })
    const button = page.getByRole('button', { name: 'Copiar ISO 3166-1 alpha-3' })
    await button.click()
    await button.filter({ hasText: 'Copiado' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('MEX')
    // A page that came over HTTP from elsewhere has no clipboard; the keyboard must go on from the same button.
    await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`)
    await page.getByText('Otras claves e identificadores').click()
    const other = page.getByRole('button', { name: 'Copiar Identificador' })
    await other.press('Enter')
    await other.filter({ hasText: 'Copiado' }).waitFor()
    expect(await page.evaluate('document.activeElement.dataset.copy')).toBe('484')
    expect((await page.getByRole('status').filter({ hasText: 'Copiado' }).textContent())?.trim()).toBe('Copiado')
  })

  test('the tree opens and closes in place, and the back button undoes it', async () => {
    const page = await open('/explore/tree')
    await page.getByRole('link', { name: 'Abrir México' }).press('Enter')
    await page.getByRole('link', { name: 'Abrir Baja California' }).waitFor()
    expect(await page.evaluate('document.activeElement.getAttribute("aria-expanded")')).toBe('true')
    expect(path(page)).toContain('open=paises%3A484')
    await page.getByRole('link', { name: 'Abrir Baja California' }).click()
    await page.getByRole('link', { name: 'Abrir Ensenada' }).waitFor()
    await page.getByRole('link', { name: 'Cerrar México' }).click()
    await page.getByRole('link', { name: 'Abrir México' }).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'Abrir Ensenada' }).waitFor()
  })

  test('a slash goes to the search box, and into text where there is some', async () => {
    const page = await open('/releases')
    await page.keyboard.press('/')
    expect(await page.evaluate('document.activeElement.name')).toBe('q')
    await page.keyboard.type('a/b')
    expect(await page.locator('input[name=q]').inputValue()).toBe('a/b')
  })

  test('the language is switched and kept', async () => {
    const page = await open('/explore/paises')
    await page.getByRole('link', { name: 'English' }).click()
    await page.getByRole('heading', { name: 'Countries', level: 1 }).waitFor()
    await page.goto('/')
    expect(await page.locator('html').getAttribute('lang')).toBe('en')
  })

  test('an operation of the reference is run in place', async () => {
    const page = await open('/docs')
    await keepSomeOperations(page)
    await page.locator('#list-estados > summary').click()
    const form = page.locator('#list-estados form')
    await form.locator('input[name=per_page]').fill('1')
    await form.getByRole('button').click()
    const body = page.locator('#list-estados .body')
    await page.locator('#list-estados .body', { hasText: 'cveEstado' }).waitFor()
    const text = (await body.textContent()) ?? ''
    expect(text).toBe(JSON.stringify(JSON.parse(text), null, 2))
    expect(JSON.parse(text)).toHaveLength(1)
    expect(await page.locator('#list-estados .line').textContent()).toContain('GET /api/v2/estados?per_page=1')
    expect(await page.locator('#list-estados .response details pre').textContent()).toContain('x-total: 2')
    // Another variant has fields of its own, and sends no others.
    await form.getByLabel('Variante').selectOption('listEstadosOfPais')
    expect(await form.locator('input[name="{paises.idPais}"]').inputValue()).toBe('484')
    await form.getByLabel('Variante').selectOption('getEstado')
    expect(await form.locator('input[name=per_page]').isVisible()).toBe(false)
    await form.locator('input[name="{estados.idEstado}"]').fill('2')
    await form.getByRole('button').click()
    await page.locator('#list-estados .line', { hasText: 'GET /api/v2/estados/2\n200' }).waitFor()
    expect(await accessibilityFaults(page, { within: '#list-estados' })).toEqual([])
    const rows = page.locator('#api-v2-resolve')
    await rows.locator('> summary').click()
    await rows.getByLabel('Variante').selectOption('resolveRows')
    await rows.locator('textarea').fill('[{"q":"ensenada bc"}]')
    await rows.getByRole('button', { name: 'Probar' }).click()
    await rows.locator('.body', { hasText: '"verdict"' }).waitFor()
    expect(await accessibilityFaults(page, { within: '#api-v2-resolve' })).toEqual([])
  })

  test('names that attack do nothing on a page of their own, nor on one with all of them', async () => {
    const page = await open('/')
    for (const target of ['/explore/localidades?per_page=250', '/explore/localidades/3-400']) {
      await page.goto(target)
      expect(await page.evaluate('window.attacked')).toBeUndefined()
    }
  })

  test('nothing lies over the ring around what has the focus, or cuts it off', async () => {
    const page = await open('/')
    // Without motion, what is scrolled to is in view at once.
    await page.emulateMedia({ reducedMotion: 'reduce' })
    for (const target of [
      '/',
      '/explore/localidades?per_page=25',
      '/explore/municipios/3',
      '/map',
      '/resolve',
      '/releases',
    ]) {
      await page.goto(target)
      await keepSomeRows(page)
      await page.keyboard.press('Tab')
      for (const width of [390, 1440]) {
        await page.setViewportSize({ width, height: 900 })
        expect({ target, width, hidden: await page.evaluate(HIDDEN_RINGS) }).toEqual({ target, width, hidden: [] })
      }
    }
  })

  test('everything can be reached and seen with the keyboard', async () => {
    const page = await open('/explore/localidades?per_page=25')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.className')).toBe('skip')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('content')
    for (let press = 0; press < 30; press++) {
      await page.keyboard.press('Tab')
      const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')
      expect(outline).not.toBe('none')
    }
  })
})
