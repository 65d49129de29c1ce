// Putting codes to a list in a real browser: rows and files in, columns named, the unsure rows chosen by keyboard, the table out.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import type { Page } from 'playwright-core'
import { browsed, isWide } from '../support/browsed.ts'
import { accessibilityFaults, until } from '../support/watched-page.ts'

const browsing = await browsed()
const { browser, pages, open } = browsing

const columns = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('.columns-list select')].map(({ value }) => value)`)
const part = (page: Page, name: string) => page.locator(`[data-part="${name}"]`)
const isDone = async (page: Page) =>
  (await part(page, 'filter-all').isVisible()) && !(await part(page, 'stop').isVisible())

/** Gives rows, and waits until their columns have these meanings. */
async function give(page: Page, text: string, ...expected: readonly string[]): Promise<void> {
  await page.locator('#list-text').fill(text)
  await until(async () => (await columns(page)).join() === expected.join())
}

/** A server that finds nothing at once: how the page does with many rows is not a matter of finding. */
async function findNothing(
  page: Page,
  statusOf: (request: number) => number | Promise<number> = () => 200,
): Promise<number[]> {
  const sizes: number[] = []
  const nothing = { verdict: 'none', url: null, score: 0, parents: [], breadcrumb: [], alternatives: [], levels: [] }
  await page.route('**/api/v2/resolve*', async (route) => {
    const rows = JSON.parse(route.request().postData() ?? '[]') as unknown[]
    const status = await statusOf(sizes.push(rows.length))
    const json = status === 200 ? rows.map(() => nothing) : { detail: 'it is broken' }
    return route.fulfill({ status, json })
  })
  return sizes
}

async function resolveAll(page: Page): Promise<void> {
  await part(page, 'resolve').click()
  await until(() => isDone(page))
}

async function downloaded(page: Page, button: string): Promise<{ name: string; bytes: Uint8Array }> {
  const [download] = await Promise.all([page.waitForEvent('download'), part(page, button).click()])
  return { name: download.suggestedFilename(), bytes: new Uint8Array(readFileSync(await download.path())) }
}

/** The cells of the first sheet of a workbook, as they stand in it. */
function cellsIn(bytes: Uint8Array): string[][] {
  const sheet = strFromU8(unzipSync(bytes)['xl/worksheets/sheet1.xml'] as Uint8Array)
  return [...sheet.matchAll(/<row>(.*?)<\/row>/g)].map(([, row = '']) =>
    [...row.matchAll(/<c(?: t="inlineStr"><is><t xml:space="preserve">(.*?)<\/t><\/is>|><v>(.*?)<\/v>)<\/c>/g)].map(
      ([, text, number]) => text ?? `#${number}`,
    ),
  )
}

/** Rows of which Aguascalientes is a locality of two municipalities, and the last is nothing. */
const LIST = `Folio\tEntidad\tMunicipio\tLocalidad
007\tb.c.\tensenada\trancho 12
=1+1\tbaja california\tensenda\trancho 15
3\t\t\taguascalientes
4\tbaja california\tensenada\txkqzw`

describe.skipIf(browser === undefined)('a list', () => {
  test('gets its codes in five actions from the first page', async () => {
    const page = await open('/')
    await page.getByRole('link', { name: 'Póngale claves' }).click()
    await give(page, LIST, '', 'estado', 'municipio', 'localidad')
    await resolveAll(page)
    expect(await part(page, 'done').textContent()).toBe('2 seguras, 1 por revisar, 1 sin resultado.')
    await page.getByRole('row', { name: /^3/ }).getByRole('radio').first().check()
    const { name, bytes } = await downloaded(page, 'download-xlsx')
    expect(name).toBe('lista-con-claves.xlsx')
    const [header, first, second, third, fourth] = cellsIn(bytes)
    expect(header).toEqual([
      ...['Folio', 'Entidad', 'Municipio', 'Localidad'],
      ...['Clave de estado', 'Nombre de estado', 'Clave de municipio', 'Nombre de municipio'],
      ...['Clave de localidad', 'Nombre de localidad', 'Seguridad'],
    ])
    expect(first?.slice(0, 4)).toEqual(['007', 'b.c.', 'ensenada', 'rancho 12'])
    expect([first?.[5], first?.[7], first?.[9], first?.[10]]).toEqual([
      'Baja California',
      'Ensenada',
      'Rancho 12',
      'exacta',
    ])
    expect([first?.[4], first?.[6], first?.[8]]).toEqual(['02', '02001', '020010111'])
    expect([second?.[0], second?.[9]]).toEqual(['=1+1', 'Rancho 15'])
    expect(third?.slice(-2)).toEqual(['Aguascalientes', 'elegida a mano'])
    // An unknown locality still has its state and municipality.
    expect(fourth?.slice(4)).toEqual(['02', 'Baja California', '02001', 'Ensenada', '', '', 'sin resultado'])
    const csv = Buffer.from((await downloaded(page, 'download-csv')).bytes)
      .toString()
      .split('\r\n')
    expect(csv[0]).toBe(`\ufeff${header?.join(',')}`)
    expect(csv[1]).toBe(first?.join(','))
    expect(csv[2]).toStartWith("'=1+1,")
  })

  test('is decided by the keyboard alone, together with the rows that say the same', async () => {
    const page = await open('/resolve?lang=en')
    await give(page, 'localidad\naguascalientes\nrancho 3\naguascalientes\nxkqzw', 'localidad')
    await page.locator('#column-0').focus()
    await part(page, 'resolve').press('Enter')
    await until(() => isDone(page))
    expect(await page.evaluate('document.activeElement.id')).toBe('results-title')
    await part(page, 'filter-review').press('Enter')
    expect(await page.locator('tbody tr').count()).toBe(2)
    for (let press = 0; press < 10; press++) {
      await page.keyboard.press('Tab')
      if (await page.evaluate(`document.activeElement.type === 'radio'`)) break
    }
    await page.keyboard.press('2')
    expect(await part(page, 'filter-chosen').textContent()).toBe('Chosen 2')
    expect(await page.locator('tr[data-state=chosen] input:checked').count()).toBe(2)
    // No row needs a choice any more, so that the keyboard goes on to the download.
    expect(await page.evaluate('document.activeElement.dataset.part')).toBe('download-xlsx')
    await part(page, 'filter-sure').press('Enter')
    await page.getByRole('button', { name: 'Change row 2' }).press('Enter')
    expect(await page.evaluate('document.activeElement.checked')).toBe(true)
    await page.keyboard.press('0')
    expect(await page.locator('tr .verdict').textContent()).toBe('discarded')
    await part(page, 'filter-none').press('Enter')
    const other = page.getByRole('searchbox', { name: 'Search for another for row 4' })
    await other.fill('rancho 77')
    await other.press('Enter')
    await page.getByRole('radio', { name: /Rancho 77/ }).press('Space')
    expect(await page.locator('tr .verdict').textContent()).toBe('chosen by hand')
  })

  test('with choices that no download has is left only after a question', async () => {
    const page = await open('/resolve')
    await give(page, 'localidad\naguascalientes\nrancho 3', 'localidad')
    await resolveAll(page)
    const questions: string[] = []
    page.on('dialog', (dialog) => {
      questions.push(dialog.type())
      void dialog.accept()
    })
    await page.getByRole('radio').first().check()
    await page.reload()
    expect(questions).toEqual(['beforeunload'])
    await give(page, 'localidad\naguascalientes\nrancho 3', 'localidad')
    await resolveAll(page)
    await page.getByRole('radio').first().check()
    await downloaded(page, 'download-csv')
    await page.reload()
    expect(questions).toHaveLength(1)
  })

  test('of ten thousand rows goes in small requests, shows a page of them, and leaves the page usable', async () => {
    const page = await open('/resolve')
    const looked = Promise.withResolvers<number>()
    const sizes = await findNothing(page, (request) => (request < 10 ? 200 : looked.promise))
    const rows = Array.from({ length: 10_000 }, (_, at) => `lote ${at}, Ensenada`)
    await page
      .locator('#list-file')
      .setInputFiles({ name: 'lotes.txt', mimeType: '', buffer: Buffer.from(rows.join('\n')) })
    await until(async () => (await columns(page)).join() === 'q' && sizes.length === 1)
    sizes.length = 0
    // A reader would notice frames that are drawn, and how much of the list is on the page.
    await page.evaluate(`{
      window.noticed = { frames: 0, rows: 0, changes: 0 }
      const frame = () => { noticed.frames++; requestAnimationFrame(frame) }
      frame()
      new MutationObserver(() => {
        noticed.changes++
        noticed.rows = Math.max(noticed.rows, document.querySelectorAll('tbody tr').length)
      }).observe(document.querySelector('[data-part=results]'), { childList: true, subtree: true })
    }`)
    await part(page, 'resolve').click()
    // While it goes, its rows can be looked through.
    await part(page, 'next').click()
    expect(await part(page, 'range').textContent()).toBe('51–100 de 10,000 filas')
    expect(await part(page, 'stop').isVisible()).toBe(true)
    looked.resolve(200)
    await until(() => isDone(page))
    const noticed = (await page.evaluate('noticed')) as { frames: number; rows: number; changes: number }
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(10_000)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(200)
    expect(noticed.rows).toBe(50)
    // A frame at least for every other request, however fast these are.
    expect(noticed.frames).toBeGreaterThanOrEqual(sizes.length / 2)
    expect(await page.locator('tbody tr[data-state=pending]').count()).toBe(0)
  })

  test('that was stopped, or whose server did not respond, goes on where it was', async () => {
    const page = await open('/resolve')
    // The first request is for what the column is.
    const sizes = await findNothing(page, (request) => (request === 3 ? 500 : 200))
    await give(page, Array.from({ length: 500 }, (_, at) => `lote ${at}, Ensenada`).join('\n'), 'q')
    await until(() => sizes.length === 1)
    await part(page, 'resolve').click()
    await part(page, 'results-problem').filter({ hasText: 'it is broken' }).waitFor()
    expect(await part(page, 'done').textContent()).toBe('200 de 500 filas')
    await part(page, 'continue').click()
    await until(() => isDone(page))
    expect(sizes.slice(1)).toEqual([200, 200, 200, 100])
    // The browser reports the status, too.
    pages.faults()
  })

  test.each([
    ['es', 'Pegue menos filas', 'admita cuerpos de 5 MB'],
    ['en', 'Paste fewer rows', 'allow request bodies of 5 MB'],
  ])('that a proxy refuses as too large comes with what to do, in %s', async (language, ask, allow) => {
    const page = await open(`/resolve?lang=${language}`)
    await page.route('**/api/v2/resolve*', (route) =>
      route.fulfill({ status: 413, contentType: 'text/html', body: '<h1>413 Request Entity Too Large</h1>' }),
    )
    await give(page, 'estado\nBaja California', 'estado')
    await part(page, 'resolve').click()
    for (const words of [ask, allow]) await part(page, 'results-problem').filter({ hasText: words }).waitFor()
  })
})

/** A workbook as Excel writes it: shared texts in pieces, gaps between cells, a date, and a sheet without rows. */
const workbook = (): Uint8Array => {
  const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
  const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  const sheet = (rows: string) => strToU8(`<worksheet ${main}><sheetData>${rows}</sheetData></worksheet>`)
  return zipSync({
    'xl/workbook.xml': strToU8(
      `<workbook ${main} xmlns:r="${relationships}"><sheets><sheet name="Vacía" sheetId="1" r:id="a"/><sheet name="Datos" sheetId="2" r:id="b"/><sheet name="Otra" sheetId="3" r:id="c"/></sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': strToU8(
      `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Target="worksheets/sheet1.xml"/><Relationship Id="b" Target="/xl/worksheets/sheet2.xml"/><Relationship Id="c" Target="worksheets/sheet3.xml"/></Relationships>`,
    ),
    'xl/sharedStrings.xml': strToU8(
      `<sst ${main}><si><t>Municipio</t></si><si><r><t>Ense</t></r><r><t>nada</t></r><rPh><t>x</t></rPh></si><si><t>Alta</t></si></sst>`,
    ),
    'xl/styles.xml': strToU8(
      `<styleSheet ${main}><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
    ),
    'xl/worksheets/sheet1.xml': sheet(''),
    'xl/worksheets/sheet2.xml': sheet(
      '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>2</v></c></row><row r="3"><c r="A3" t="s"><v>1</v></c><c r="B3"><v>12.5</v></c><c r="C3" s="1"><v>45413</v></c></row>',
    ),
    'xl/worksheets/sheet3.xml': sheet(
      '<row><c t="inlineStr"><is><t>estado</t></is></c></row><row><c t="inlineStr"><is><t>Baja California</t></is></c></row>',
    ),
  })
}

const latin1 = (text: string) => Buffer.from(text, 'latin1')

describe.skipIf(browser === undefined)('a file', () => {
  const choose = (page: Page, name: string, content: Uint8Array) =>
    page.locator('#list-file').setInputFiles({ name, mimeType: '', buffer: Buffer.from(content) })

  const readable: readonly (readonly [what: string, string, Uint8Array, string[], string])[] = [
    [
      'CSV in UTF-8',
      'lista.csv',
      Buffer.from('edo,mpio\nBaja California,"Ensenada"'),
      ['estado', 'municipio'],
      'UTF-8',
    ],
    ['CSV in Windows-1252', 'lista.csv', latin1('país;nota\nMéxico;sí'), ['pais', ''], 'Windows-1252'],
    ['TSV in UTF-16', 'lista.tsv', Buffer.from('\ufeffpaís\tnota\nMéxico\tsí', 'utf16le'), ['pais', ''], 'UTF-16'],
    ['without headers', 'lista.txt', Buffer.from('x9\tEnsenada\ny8\tAsientos'), ['', 'municipio'], 'UTF-8'],
    ['free text', 'lista.txt', Buffer.from('Ensenada, B.C.\nAsientos, Ags.'), ['q'], 'UTF-8'],
    ['a workbook', 'lista.xlsx', workbook(), ['municipio', '', ''], 'Excel'],
  ]
  test(`is read: ${readable.map(([what]) => what).join(', ')}`, async () => {
    const page = await open('/resolve')
    for (const [, name, content, expected, encoding] of readable) {
      await choose(page, name, content)
      await part(page, 'source')
        .filter({ hasText: `${name}, ${encoding}: ` })
        .waitFor()
      await until(async () => JSON.stringify(await columns(page)) === JSON.stringify(expected))
    }
  })

  const unreadable: readonly (readonly [what: string, string, Uint8Array, string])[] = [
    ['an old workbook', 'lista.xls', new Uint8Array([0xd0, 0xcf, 0x11, 0xe0]), 'guárdelo como .xlsx'],
    ['a broken workbook', 'lista.xlsx', new Uint8Array([0x50, 0x4b, 3, 4, 0]), 'No pudimos leer lista.xlsx'],
    ['an archive of something else', 'otra.xlsx', zipSync({ 'a.xml': strToU8('<a/>') }), 'No pudimos leer otra.xlsx'],
    ['an empty file', 'lista.csv', new Uint8Array([10]), 'No hay filas'],
  ]
  test(`that cannot be read is refused with what to do: ${unreadable.map(([what]) => what).join(', ')}`, async () => {
    const page = await open('/resolve')
    for (const [, name, content, words] of unreadable) {
      await choose(page, name, content)
      await part(page, 'problem').filter({ hasText: words }).waitFor()
      expect(await part(page, 'columns').isVisible()).toBe(false)
    }
  })

  test('that is a workbook keeps its numbers and dates, and has its sheets to choose from', async () => {
    const page = await open('/resolve')
    await page
      .locator('#list-file')
      .setInputFiles({ name: 'padrón.xlsx', mimeType: '', buffer: Buffer.from(workbook()) })
    await page.locator('#column-0').waitFor()
    await resolveAll(page)
    const { name, bytes } = await downloaded(page, 'download-xlsx')
    expect(name).toBe('padrón-con-claves.xlsx')
    expect(cellsIn(bytes)[1]?.slice(0, 3)).toEqual(['Ensenada', '#12.5', '2024-05-01'])
    await page.locator('#list-sheet').selectOption({ label: 'Otra' })
    await until(async () => (await columns(page)).join() === 'estado')
  })
})

describe.skipIf(browser === undefined)('the page', () => {
  test('is accessible at every step, light and dark, and never wider than its window', async () => {
    const page = await open('/resolve')
    await part(page, 'example').click()
    await page.locator('#column-0').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await give(page, LIST, '', 'estado', 'municipio', 'localidad')
    await resolveAll(page)
    expect(await accessibilityFaults(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await accessibilityFaults(page, { rules: ['color-contrast'] })).toEqual([])
    for (const width of [1440, 1024, 768, 390, 320]) {
      await page.setViewportSize({ width, height: 800 })
      expect(`${width} ${await isWide(page)}`).toBe(`${width} false`)
    }
    expect(await accessibilityFaults(page, { rules: ['target-size', 'label', 'scrollable-region-focusable'] })).toEqual(
      [],
    )
  })

  test('loads at most 100 KB of script, and what reads workbooks only when there is one', async () => {
    const page = await open('about:blank', { isFresh: true })
    const sizes = new Map<string, number>()
    page.on('requestfinished', async (request) => {
      if (request.resourceType() === 'script') sizes.set(request.url(), (await request.sizes()).responseBodySize)
    })
    await page.goto(`${browsing.service.server.url}/resolve`)
    await until(() => sizes.size === 2)
    expect([...sizes.keys()].some((url) => url.includes('xlsx'))).toBe(false)
    await page.locator('#list-file').setInputFiles({ name: 'x.xlsx', mimeType: '', buffer: Buffer.from(workbook()) })
    await page.locator('#column-0').waitFor()
    await until(() => sizes.size === 3)
    const sum = [...sizes.values()].reduce((total, size) => total + size, 0)
    expect(sum).toBeGreaterThan(10_000)
    expect(sum).toBeLessThan(100_000)
  })
})
