// The picker in a real browser: on its own page, and in forms of another site.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page, Route } from 'playwright-core'
import { compileScript, parse } from 'vue/compiler-sfc'
import { launchBrowser } from '../support/browser.ts'
import { entityNames } from '../support/built-in.ts'
import { type Explored, explored } from '../support/explored.ts'
import { sourceOf, TestDirectory, TestHome, tiny } from '../support/releases.ts'
import { serverOf } from '../support/server.ts'
import { accessibilityFaults, type PageOptions, until, WatchedPages } from '../support/watched-page.ts'

const browser = await launchBrowser()
const pages = new WatchedPages(browser)

let service: Explored
let url = ''
/** A site of someone else: it has a form with whatever a test puts there, and shows what is sent to it. */
let site: ReturnType<typeof Bun.serve>
let form = ''
/** The script of the site itself, for pages that load the picker themselves. */
let script = ''
let submissions: string[] = []

beforeAll(async () => {
  service = await explored()
  url = service.server.url
  site = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url)
      if (pathname === '/favicon.ico') return new Response(null, { status: 204 })
      if (pathname === '/app.js') return new Response(script, { headers: { 'Content-Type': 'text/javascript' } })
      const isSaved = pathname === '/saved' || pathname === '/guardar'
      if (isSaved) submissions.push(request.method === 'POST' ? await request.text() : search)
      const body = isSaved ? '<h1>Guardado</h1>' : `<h1>Alta</h1>${form}`
      const page = `<!doctype html><html lang="es"><title>Alta</title><meta name="viewport" content="width=device-width">
${pathname === '/app' ? '<script src="/app.js" defer></script>' : `<script src="${url}/picker/nomenclator-picker.js" defer></script>`}
<main>${pathname === '/app' ? '<h1>App</h1><div id="app"></div>' : body}</main>`
      // Strict about everything but the server of the picker: it needs no style and no script of its own inside the page.
      const policy = `default-src 'none'; script-src 'self' ${url}; connect-src ${url}; form-action 'self'`
      return new Response(page, {
        headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy },
      })
    },
  })
})
afterEach(async () => {
  submissions = []
  expect(await pages.close()).toEqual([])
})
afterAll(async () => {
  await browser?.close()
  await site.stop(true)
  await service.close()
  expect(service.server.logged).toEqual([])
})

describe('the script', () => {
  test('is there under a name that stays and under one with a hash, for any origin, with the hash that the page names', async () => {
    const html = await (await fetch(`${url}/picker`)).text()
    const [, pinned = '', integrity = ''] = /<script src="([^"]+)" integrity="([^"]+)"/.exec(html) ?? []
    const cacheControls = {
      '/picker/nomenclator-picker.js': 'public, max-age=3600',
      [pinned]: 'public, max-age=31536000, immutable',
    }
    for (const [target, cacheControl] of Object.entries(cacheControls)) {
      const response = await fetch(url + target)
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
      expect(response.headers.get('Cache-Control')).toBe(cacheControl)
      const hash = createHash('sha384')
        .update(await response.bytes())
        .digest('base64')
      expect(integrity).toBe(`sha384-${hash}`)
    }
    expect(html).toContain(`${url}${pinned}`)
    expect(pinned).toMatch(/^\/assets\/nomenclator-picker-[0-9a-f]+\.js$/)
  })

  test('has a description of every entity as a level, with the words of both languages', async () => {
    const response = await fetch(`${url}/picker/levels.json`)
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    const { levels, words } = (await response.json()) as Record<'levels' | 'words', Record<string, object>>
    expect(Object.keys(levels)).toEqual([...entityNames])
    expect(Object.keys(words)).toEqual(['es', 'en'])
    expect(Object.keys(words.en as object)).toEqual(Object.keys(words.es as object))
    expect(levels.localidad).toEqual({
      collection: 'localidades',
      list: '/api/v2/localidades',
      record: '/api/v2/municipios/{}/localidades/{}',
      key: ['idMunicipio.idMunicipio', 'idLocalidad'],
      name: 'descLocalidad',
      code: 'cvegeo',
      labels: { es: 'Localidad', en: 'Locality' },
      ancestors: {
        pais: { filter: 'idEstado.idPais', id: 'idEstado.idPais.idPais', name: 'idEstado.idPais.descPais' },
        estado: { filter: 'idEstado', id: 'idEstado.idEstado', name: 'idEstado.descEstado' },
        municipio: { filter: 'idMunicipio', id: 'idMunicipio.idMunicipio', name: 'idMunicipio.descMunicipio' },
      },
    })
  })

  test.each([
    ['/picker/levels.json?x=1', 'GET', 400],
    ['/picker/levels.json', 'POST', 405],
    ['/picker/nomenclator-picker.js', 'POST', 405],
    ['/picker/nothing.js', 'GET', 404],
  ])('%s with %s has status %d', async (target, method, status) => {
    expect((await fetch(url + target, { method })).status).toBe(status)
  })
})

const PLACES = '<nomenclator-picker levels="estado,municipio,localidad" name="lugar"></nomenclator-picker>'
/** The buttons stand apart, since they are small with some fonts. */
const inForm = (content: string) =>
  `<form action="/saved">${content}<p><button>Guardar</button></p><p><button type="reset">Limpiar</button></p></form>`
const field = (page: Page, name: string) => page.getByRole('combobox', { name, exact: true })

async function choose(page: Page, level: string, text: string, option: string): Promise<void> {
  await field(page, level).fill(text)
  await page.getByRole('option').filter({ hasText: option }).first().click()
}

/** The data that the form would submit. */
const dataOf = (page: Page) =>
  page.evaluate(`Object.fromEntries(new FormData(document.querySelector('form')))`) as Promise<Record<string, string>>
const evaluate = (page: Page, code: string) =>
  page.evaluate(`(() => { const picker = document.querySelector('nomenclator-picker'); return ${code} })()`)

describe.skipIf(browser === undefined)('in a form of another site', () => {
  const open = (content: string, options: PageOptions = {}) => {
    form = inForm(content)
    return pages.open([site.url.origin, url], '/', options)
  }

  test('the cascade fills it by keyboard alone, and it is submitted', async () => {
    const page = await open(PLACES)
    expect(await field(page, 'Municipio').isDisabled()).toBe(true)
    const expanded = () => field(page, 'Estado').getAttribute('aria-expanded')
    expect(await expanded()).toBe('false')
    await field(page, 'Estado').focus()
    await page.keyboard.type('baja')
    await page.getByRole('option').first().waitFor()
    expect(await expanded()).toBe('true')
    expect(await page.getByRole('option').first().getAttribute('aria-selected')).toBe('true')
    expect(await accessibilityFaults(page)).toEqual([])
    await page.keyboard.press('Enter')
    expect(await expanded()).toBe('false')
    expect(await field(page, 'Estado').inputValue()).toBe('Baja California')
    // The only municipality is chosen by itself.
    await until(async () => (await field(page, 'Municipio').inputValue()) === 'Ensenada')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowDown')
    await page.getByRole('option', { selected: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.type('rancho 12')
    await page.keyboard.press('Enter')
    await until(async () => (await evaluate(page, 'picker.value')) !== '')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Guardado' }).waitFor()
    expect(Object.fromEntries(new URLSearchParams(submissions[0]))).toEqual({
      lugar: '3-111',
      'lugar.estado': '2',
      'lugar.municipio': '3',
      'lugar.localidad': '3-111',
    })
  })

  test('a level offers only what belongs to the one above, and another choice there clears it', async () => {
    const page = await open(PLACES)
    await choose(page, 'Estado', 'baja', 'Baja California')
    await choose(page, 'Municipio', 'ens', 'Ensenada')
    expect(await dataOf(page)).toEqual({ 'lugar.estado': '2', 'lugar.municipio': '3' })
    await choose(page, 'Estado', 'agu', 'Aguascalientes')
    expect(await dataOf(page)).toEqual({ 'lugar.estado': '1' })
    await field(page, 'Municipio').fill('ensenada')
    await page.getByRole('option', { name: 'Nada parecido' }).waitFor()
    await field(page, 'Estado').fill('')
    await field(page, 'Estado').blur()
    expect(await dataOf(page)).toEqual({})
    expect(await field(page, 'Municipio').isDisabled()).toBe(true)
  })

  test('where it is required, nothing is submitted until the last level is chosen, and it says so', async () => {
    const page = await open(PLACES.replace('name=', 'required name='))
    await until(() => field(page, 'Estado').isEnabled())
    expect(await page.getByText('Elija: Estado', { exact: true }).count()).toBe(0)
    await choose(page, 'Estado', 'agu', 'Aguascalientes')
    expect(await page.getByText('Elija: Municipio', { exact: true }).count()).toBe(0)
    await page.getByRole('button', { name: 'Guardar' }).click()
    expect(
      await evaluate(page, '[picker.validity.valueMissing, picker.validationMessage, picker.matches(":invalid")]'),
    ).toEqual([true, 'Elija: Municipio', true])
    // It stands below its field, and above nothing else.
    const message = page.getByText('Elija: Municipio', { exact: true })
    await message.waitFor()
    const [input, text] = [await field(page, 'Municipio').boundingBox(), await message.boundingBox()]
    expect(text?.x).toBe(input?.x as number)
    expect((text?.y ?? 0) - (input?.y ?? 0) - (input?.height ?? 0)).toBeWithin(0, 20)
    expect(await field(page, 'Municipio').getAttribute('aria-invalid')).toBe('true')
    expect(await accessibilityFaults(page)).toEqual([])
    expect(submissions).toEqual([])
    await choose(page, 'Estado', 'baja', 'Baja California')
    await until(async () => (await field(page, 'Municipio').inputValue()) === 'Ensenada')
    expect(await message.count()).toBe(0)
    expect(await field(page, 'Municipio').getAttribute('aria-invalid')).toBe('false')
    await choose(page, 'Localidad', 'rancho 7', 'Rancho 7')
    expect(await evaluate(page, 'picker.checkValidity()')).toBe(true)
    await page.getByRole('button', { name: 'Guardar' }).click()
    await page.getByRole('heading', { name: 'Guardado' }).waitFor()
    expect(submissions).toHaveLength(1)
  })

  test('submits official codes where the attribute says so, also of the ancestors of a value that it begins with', async () => {
    const page = await open(PLACES.replace('name=', 'submit="code" value="3-100" name='))
    const codes = { 'lugar.estado': '02', 'lugar.municipio': '02001' }
    await until(async () => (await dataOf(page))['lugar.municipio'] === codes['lugar.municipio'])
    const whole = (await evaluate(page, 'picker.selection.map(({ code }) => code)')) as string[]
    expect(whole.slice(0, 2)).toEqual(['02', '02001'])
    expect(whole[2]).toMatch(/^02001[0-9]{4}$/)
    expect(await dataOf(page)).toEqual({ ...codes, lugar: whole[2] as string, 'lugar.localidad': whole[2] as string })
    await choose(page, 'Estado', 'agu', 'Aguascalientes')
    expect(await dataOf(page)).toEqual({ 'lugar.estado': '01' })
  })

  test('a value that it begins with is shown with all it belongs to, and a reset brings it back', async () => {
    const page = await open(PLACES.replace('name=', 'value="3-100" name='))
    await until(async () => (await field(page, 'Localidad').inputValue()) === 'Rancho 1')
    await page.evaluate('document.querySelector("nomenclator-picker").ready')
    expect(await dataOf(page)).toEqual({
      lugar: '3-100',
      'lugar.estado': '2',
      'lugar.municipio': '3',
      'lugar.localidad': '3-100',
    })
    await choose(page, 'Estado', 'agu', 'Aguascalientes')
    expect(await evaluate(page, 'picker.value')).toBe('')
    await page.getByRole('button', { name: 'Limpiar' }).click()
    await until(async () => (await evaluate(page, 'picker.value')) === '3-100')
    await evaluate(page, 'void (picker.value = "3-101")')
    await until(async () => (await field(page, 'Localidad').inputValue()) === 'Rancho 2')
    await evaluate(page, 'void (picker.value = "3-99999")')
    await until(async () => (await evaluate(page, 'picker.value')) === '')
    await evaluate(page, 'void (picker.value = "municipio:3")')
    await until(async () => (await field(page, 'Municipio').inputValue()) === 'Ensenada')
    expect(await dataOf(page)).toEqual({ 'lugar.estado': '2', 'lugar.municipio': '3' })
    // The words are others, and the choice is the same.
    await evaluate(page, 'void (picker.lang = "en")')
    await field(page, 'Locality').waitFor()
    await page.evaluate('document.querySelector("nomenclator-picker").ready')
    expect(await dataOf(page)).toEqual({ 'lugar.estado': '2', 'lugar.municipio': '3' })
    expect(await field(page, 'Municipality').inputValue()).toBe('Ensenada')
  })

  test('a value is read once, and what is chosen meanwhile stays', async () => {
    const page = await open('')
    const held: Route[] = []
    await page.route(/\/localidades\/\d/, (route) => void held.push(route))
    await evaluate(
      page,
      `void document.forms[0].insertAdjacentHTML('afterbegin', '${PLACES.replace('name=', 'value="3-100" name=')}')`,
    )
    await until(async () => held.length > 0)
    await choose(page, 'Estado', 'agu', 'Aguascalientes')
    await Promise.all(held.map((route) => route.continue()))
    await evaluate(page, 'picker.ready')
    expect(held).toHaveLength(1)
    expect(await dataOf(page)).toEqual({ 'lugar.estado': '1' })
    // An element that is moved is the same.
    await evaluate(page, 'void picker.form.append(picker)')
    await evaluate(page, 'picker.ready')
    expect(await dataOf(page)).toEqual({ 'lugar.estado': '1' })
    expect(await field(page, 'Estado').inputValue()).toBe('Aguascalientes')
  })

  test('a value that is set before it is on a page is shown there', async () => {
    const page = await open('')
    await evaluate(
      page,
      `(async () => {
        const made = document.createElement('nomenclator-picker')
        made.value = '3-100'
        await made.ready
        made.setAttribute('levels', 'estado,municipio,localidad')
        document.forms[0].append(made)
      })()`,
    )
    await until(async () => (await field(page, 'Localidad').inputValue()) === 'Rancho 1')
  })

  test('a value stays when the server is another, and not when the levels are others', async () => {
    const page = await open('')
    const held: Route[] = []
    await page.route('**/other/**', (route) => route.continue({ url: route.request().url().replace('/other/', '/') }))
    await page.route('**/other/picker/levels.json', (route) => void held.push(route))
    await evaluate(
      page,
      `void (document.forms[0].innerHTML = '${PLACES}', document.forms[0].firstChild.value = '3-100',
        document.forms[0].firstChild.setAttribute('server', '${url}/other'))`,
    )
    await until(async () => held.length > 0)
    expect(await field(page, 'estado').isDisabled()).toBe(true)
    await Promise.all(held.map((route) => route.fallback()))
    await until(async () => (await field(page, 'Localidad').inputValue()) === 'Rancho 1')
    await choose(page, 'Localidad', 'rancho 7', 'Rancho 7')
    // A late response of the server before is not shown.
    const late: Route[] = []
    await page.route(`${url}/api/**/localidades/106`, (route) => void late.push(route))
    await evaluate(page, `void picker.setAttribute('server', '${url}')`)
    await until(() => late.length > 0)
    await evaluate(page, `void (window.earlier = picker.ready, picker.setAttribute('server', '${url}/other'))`)
    await evaluate(page, 'picker.ready')
    await Promise.all(late.map((route) => route.fulfill({ status: 404 })))
    await page.evaluate('window.earlier')
    expect(await dataOf(page)).toMatchObject({ lugar: '3-106', 'lugar.estado': '2' })
    await evaluate(page, `void (picker.value = '2', picker.setAttribute('levels', 'estado,municipio'))`)
    await evaluate(page, 'picker.ready')
    expect(await dataOf(page)).toEqual({ lugar: '2', 'lugar.estado': '1', 'lugar.municipio': '2' })
    await evaluate(page, `void picker.setAttribute('levels', 'estado')`)
    await evaluate(page, 'picker.ready')
    expect(await dataOf(page)).toEqual({})
  })

  test.each([
    ['attribute', `picker.setAttribute('value', '3-101')`],
    ['property', `(picker.value = '3-101')`],
  ])('what is chosen stays when the %s has changed while the one before was read', async (_, change) => {
    const page = await open('')
    const gate = Promise.withResolvers<void>()
    let count = 0
    await page.route(/\/localidades\/\d/, async (route) => {
      count++
      await gate.promise
      await route.continue()
    })
    await evaluate(page, `void (document.forms[0].innerHTML = '${PLACES.replace('name=', 'value="3-100" name=')}')`)
    await until(() => count > 0)
    await evaluate(page, `void (${change}, window.earlier = picker.ready)`)
    await choose(page, 'Estado', 'agu', 'Aguascalientes')
    gate.resolve()
    await page.evaluate('window.earlier')
    expect(await dataOf(page)).toEqual({ 'lugar.estado': '1' })
    await evaluate(page, `void picker.setAttribute('value', '3-102')`)
    await evaluate(page, 'picker.ready')
    expect(await dataOf(page)).toEqual({ 'lugar.estado': '1' })
  })

  test('of two values the one that was set last is shown, whichever is read first', async () => {
    const page = await open(PLACES)
    await until(() => field(page, 'Estado').isEnabled())
    const held: Route[] = []
    await page.route('**/localidades/100', (route) => void held.push(route))
    await evaluate(page, `void (picker.value = '3-100', window.earlier = picker.ready, picker.value = '3-101')`)
    await until(async () => held.length > 0)
    await evaluate(page, 'picker.ready')
    expect(await evaluate(page, 'picker.value')).toBe('3-101')
    await Promise.all(held.map((route) => route.continue()))
    await page.evaluate('window.earlier')
    expect(await evaluate(page, 'picker.value')).toBe('3-101')
    // One that could not be read can be set again.
    await page.route('**/localidades/102', (route) => route.fulfill({ status: 404 }), { times: 1 })
    for (const shown of ['', '3-102']) {
      await evaluate(page, `void (picker.value = '3-102')`)
      await evaluate(page, 'picker.ready')
      expect(await evaluate(page, 'picker.value')).toBe(shown)
    }
    // The ancestors of a value are set with it, and taken back.
    await evaluate(page, `void (picker.value = 'municipio:3')`)
    await evaluate(page, 'picker.ready')
    expect(await dataOf(page)).toEqual({ 'lugar.estado': '2', 'lugar.municipio': '3' })
    await evaluate(page, `void (picker.value = '')`)
    await evaluate(page, 'picker.ready')
    expect(await dataOf(page)).toEqual({})
  })

  test('one that is moved speaks the language of its new place', async () => {
    const page = await open(`${PLACES.replace('name=', 'value="3-100" name=')}<p lang="en"></p>`)
    await until(async () => (await field(page, 'Localidad').inputValue()) === 'Rancho 1')
    // Names of the built-in lists are in one language alone.
    await page.route('**/localidades/100', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), descLocalidad: 'Ranch 1' } })
    })
    await evaluate(page, `void picker.form.querySelector('[lang]').append(picker)`)
    await field(page, 'Locality').waitFor()
    await evaluate(page, 'picker.ready')
    expect(await field(page, 'Locality').inputValue()).toBe('Ranch 1')
    // One without a choice does so, too.
    await evaluate(page, `void (picker.value = '')`)
    await evaluate(page, 'picker.ready')
    await evaluate(page, `void picker.form.append(picker)`)
    await field(page, 'Localidad').waitFor()
  })

  test('one whose levels could not be loaded tries again when it is put back', async () => {
    const page = await open('')
    await page.route('**/picker/levels.json', (route) => route.fulfill({ status: 404 }))
    await evaluate(
      page,
      `void (document.forms[0].innerHTML = '${PLACES}', document.forms[0].firstChild.value = '3-100')`,
    )
    const message = page.getByText('No se pudieron cargar los catálogos.')
    await message.waitFor()
    await page.unrouteAll()
    await evaluate(page, 'void picker.form.prepend(picker)')
    await until(async () => (await field(page, 'Localidad').inputValue()) === 'Rancho 1')
    expect(await message.count()).toBe(0)
    // Nothing can be chosen before the levels of another server are known.
    const held: Route[] = []
    await page.route('**/other/**', (route) => void held.push(route))
    await evaluate(page, `void picker.setAttribute('server', '${url}/other')`)
    await until(() => held.length > 0)
    expect(await page.getByRole('combobox').first().isDisabled()).toBe(true)
    await Promise.all(held.map((route) => route.fulfill({ status: 404 })))
    await message.waitFor()
    expect(await page.getByRole('combobox').first().isDisabled()).toBe(true)
  })

  test.each(
    [
      'null',
      '5',
      '[]',
      '{}',
      '{"levels":null,"words":{}}',
      '{"levels":{"estado":null},"words":{"es":{}}}',
      '{"levels":{"estado":{}},"words":{}}',
      '{"levels":{"estado":{"labels":{}}},"words":{"es":5}}',
      '<h1 id="theirs">Hello</h1>',
      `${' '.repeat(12e6)}x`,
    ].map((body) => [body.slice(0, 60).trim(), body]),
  )('levels that are none are said in words, and break nothing: %s', async (_shown, body) => {
    const page = await open('')
    await page.route('**/picker/levels.json', (route) => route.fulfill({ body, contentType: 'application/json' }))
    await evaluate(page, `void (document.forms[0].innerHTML = '${PLACES}')`)
    await page.getByText('No se pudieron cargar los catálogos.').waitFor()
    await evaluate(page, 'picker.ready')
    expect(await page.getByRole('combobox').first().isDisabled()).toBe(true)
    await evaluate(page, `void (picker.value = '..', picker.lang = 'en')`)
    expect(await page.locator('#theirs').count()).toBe(0)
  })

  test('what is missing before its words have come is said in them when they have', async () => {
    const page = await open('')
    const held: Route[] = []
    await page.route('**/picker/levels.json', (route) => void held.push(route))
    await evaluate(
      page,
      `void document.forms[0].insertAdjacentHTML('afterbegin', '${PLACES.replace('name=', 'required name=')}')`,
    )
    expect(await evaluate(page, 'picker.checkValidity()')).toBe(false)
    await until(async () => held.length > 0)
    await Promise.all(held.map((route) => route.continue()))
    await page.getByText('Elija: Estado', { exact: true }).waitFor()
  })

  test('it is restored when one comes back to the page', async () => {
    const page = await open(PLACES)
    await choose(page, 'Estado', 'baja', 'Baja California')
    await page.goto('/saved')
    await page.goBack()
    await until(async () => (await field(page, 'Estado').inputValue()) === 'Baja California')
    await evaluate(page, 'void picker.formStateRestoreCallback("3-100")')
    await until(async () => (await evaluate(page, 'picker.value')) === '3-100')
    await page.goto('/saved')
    await page.goBack()
    await until(async () => (await field(page, 'Localidad').inputValue()) === 'Rancho 1')
  })

  test('a change event comes once for every choice, with what is chosen', async () => {
    const page = await open(PLACES)
    await evaluate(
      page,
      `void (window.changes = [], picker.form.addEventListener('change', ({ target }) =>
        window.changes.push([target.localName, target.value, target.selection.map(({ level, key, name }) => [level, key, name].join())])))`,
    )
    await choose(page, 'Estado', 'agu', 'Aguascalientes')
    await field(page, 'Municipio').fill('nada que ver')
    await field(page, 'Municipio').blur()
    expect(await field(page, 'Municipio').inputValue()).toBe('')
    expect(await page.evaluate('window.changes')).toEqual([['nomenclator-picker', '', ['estado,1,Aguascalientes']]])
  })

  test('disabled, alone or by its fieldset, it is not used and not submitted', async () => {
    const page = await open(`<fieldset disabled>${PLACES.replace('name=', 'value="3-100" name=')}</fieldset>`)
    await until(async () => (await field(page, 'Localidad').inputValue()) === 'Rancho 1')
    expect(await field(page, 'Estado').isDisabled()).toBe(true)
    expect(await dataOf(page)).toEqual({})
    await evaluate(page, 'void picker.closest("fieldset").removeAttribute("disabled")')
    expect(await field(page, 'Estado').isDisabled()).toBe(false)
    await evaluate(page, 'void (picker.disabled = true)')
    expect(await field(page, 'Estado').isDisabled()).toBe(true)
  })

  test.each([
    ['knowledge', 'lang="en" levels="area,campo"', ['Knowledge area', 'Knowledge field']],
    ['one level alone', 'levels="municipio"', ['Municipio']],
    ['levels that leave some out', 'levels="pais,municipio"', ['País', 'Municipio']],
  ])('any levels will do: %s', async (_, attributes, labels) => {
    const page = await open(`<nomenclator-picker ${attributes} name="x"></nomenclator-picker>`)
    for (const label of labels) {
      if (label === 'País') await choose(page, label, 'méx', 'México')
      else {
        await field(page, label).click()
        await page.getByRole('option').first().click()
      }
    }
    const data = await dataOf(page)
    expect(Object.keys(data)).toHaveLength(labels.length + 1)
    expect(data.x).toMatch(/^\d+$/)
  })

  test.each([
    ['no such level', 'levels="planeta"', 'No existe el nivel planeta.'],
    ['levels that do not belong together', 'levels="area,municipio"', 'Municipio no pertenece a Área de conocimiento.'],
  ])('what is wrong is said: %s', async (_, attributes, message) => {
    const page = await open(`<nomenclator-picker ${attributes} name="x"></nomenclator-picker>`)
    await page.getByText(message).waitFor()
  })

  test('every word that was typed is marked, and one key is enough to be at an option', async () => {
    const page = await open('<nomenclator-picker levels="localidad" name="x"></nomenclator-picker>')
    await field(page, 'Localidad').fill('12 RÁN')
    await page.getByRole('option', { name: 'Rancho 12' }).first().waitFor()
    expect(await page.locator('mark').allTextContents()).toEqual(expect.arrayContaining(['Ran', '12']))
    await page.keyboard.press('Escape')
    await field(page, 'Localidad').fill('')
    await page.keyboard.press('Escape')
    for (const [key, at] of [
      ['ArrowDown', 0],
      ['ArrowUp', -1],
    ] as const) {
      await page.keyboard.press(key)
      await page.getByRole('option', { selected: true }).waitFor()
      const options = await page.getByRole('option').and(page.locator('[aria-selected]')).all()
      expect(await options.at(at)?.getAttribute('aria-selected')).toBe('true')
      await page.keyboard.press('Escape')
    }
  })

  test('namesakes are shown with their ancestors', async () => {
    const page = await open('<nomenclator-picker levels="localidad" name="x"></nomenclator-picker>')
    await field(page, 'Localidad').fill('aguascalientes')
    await page.getByRole('option').nth(1).waitFor()
    expect((await page.getByRole('option').allTextContents()).sort()).toEqual([
      'AguascalientesAguascalientes, Aguascalientes',
      'AguascalientesEnsenada, Baja California',
    ])
  })

  test('on a phone and in the dark it is as good', async () => {
    const page = await open(PLACES, { viewport: { width: 320, height: 600 }, colorScheme: 'dark' })
    await field(page, 'Estado').click()
    await page.getByRole('option').first().waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth')).toBe(
      true,
    )
    expect(await accessibilityFaults(page)).toEqual([])
  })
})

test.skipIf(browser === undefined)(
  'where a code is required, a record without one is invalid, with words',
  async () => {
    // The official code of a state has two digits, and 100 has three.
    const zone = { cveEstado: 'ZZ', cveRenapo: 'ZZ', descEstado: 'Zona Neutra', idEstado: 100, idPais: 484 }
    using home = new TestHome()
    await home.import(sourceOf({ ...tiny, estado: [...tiny.estado, zone] }))
    const release = home.current()
    const server = serverOf(() => release)
    using directory = new TestDirectory()
    const file = join(directory.path, 'form.html')
    const picker = '<nomenclator-picker levels="estado" name="lugar" submit="code" required></nomenclator-picker>'
    writeFileSync(
      file,
      `<!doctype html><html lang="es"><meta charset="utf-8"><title>Alta</title>
<script src="${server.url}/picker/nomenclator-picker.js" defer></script>${inForm(picker)}`,
    )
    try {
      const page = await pages.open([`file://${file}`, server.url], `file://${file}`)
      const validity = () => evaluate(page, '[picker.checkValidity(), picker.validationMessage]')
      const message = page.getByText(/clave oficial|official code/)
      await choose(page, 'Estado', 'zona', 'Zona Neutra')
      expect(await message.count()).toBe(0)
      await page.getByRole('button', { name: 'Guardar' }).click()
      await message.waitFor()
      expect(await message.textContent()).toBe('Zona Neutra no tiene clave oficial. Elija otra opción.')
      expect(await field(page, 'Estado').getAttribute('aria-invalid')).toBe('true')
      expect(page.url()).not.toContain('lugar')
      await evaluate(page, 'void (picker.lang = "en")')
      await field(page, 'State').waitFor()
      expect(await validity()).toEqual([false, 'Zona Neutra has no official code. Choose another.'])
      expect(await message.textContent()).toBe('Zona Neutra has no official code. Choose another.')
      await choose(page, 'State', 'baja', 'Baja California')
      expect(await message.count()).toBe(0)
      expect([await validity(), await dataOf(page)]).toEqual([[true, ''], { lugar: '02', 'lugar.estado': '02' }])
      // Its key is always there.
      await choose(page, 'State', 'zona', 'Zona Neutra')
      await evaluate(page, 'picker.removeAttribute("submit")')
      expect([await validity(), await dataOf(page)]).toEqual([[true, ''], { lugar: '100', 'lugar.estado': '100' }])
    } finally {
      await server.close()
    }
  },
)

test.skipIf(browser === undefined)('the recipe with plain selects gives all localities of a municipality', async () => {
  const localidad = Array.from({ length: 1_234 }, (_, at) => ({
    cveLocalidad: String(at + 1).padStart(4, '0'),
    descLocalidad: `Rancho ${at + 1}`,
    idLocalidad: at + 1,
    idEstado: 2,
    idMunicipio: 3,
  }))
  using home = new TestHome()
  await home.import(sourceOf({ ...tiny, localidad }))
  const release = home.current()
  const server = serverOf(() => release)
  const docs = readFileSync(join(import.meta.dir, '..', '..', 'docs', 'explorer.md'), 'utf8')
  const [, recipe = ''] = /### Plain selects.*?```html\n(.*?)```/s.exec(docs) ?? []
  using directory = new TestDirectory()
  const file = join(directory.path, 'selects.html')
  writeFileSync(file, `<!doctype html><meta charset="utf-8">${recipe.replace('http://127.0.0.1:8080', server.url)}`)
  try {
    const page = await pages.open([`file://${file}`, server.url], `file://${file}`)
    const select = (label: string) => page.getByLabel(label)
    const counts = () => page.locator('select').evaluateAll((all) => all.map((one) => one.childElementCount - 1))
    await until(() => select('Estado').isEnabled())
    await select('Estado').selectOption('Baja California')
    await until(() => select('Municipio').isEnabled())
    await select('Municipio').selectOption('02001')
    await until(() => select('Localidad').isEnabled())
    expect((await counts()).at(-1)).toBe(localidad.length)
    await select('Localidad').selectOption('Rancho 1234')
    expect(await dataOf(page)).toEqual({ estado: '02', municipio: '02001', localidad: '020011234' })
    // Options of another choice are gone.
    await select('Estado').selectOption('Aguascalientes')
    await until(() => select('Municipio').isEnabled())
    expect((await counts()).at(-1)).toBe(0)
  } finally {
    await server.close()
  }
})

/** The snippets of the page as they are copied, each in an application that uses it. */
describe.skipIf(browser === undefined)('in an application of', () => {
  const applications: Readonly<Record<string, (snippet: string) => Readonly<Record<string, string>>>> = {
    React: (snippet) => ({
      'app.jsx': `import { createRoot } from 'react-dom/client'
${snippet}
createRoot(document.querySelector('#app')).render(<PickerForm onSave={(value) => { window.place = value }} />)`,
    }),
    Vue: (snippet) => ({
      'place.js': compiledVue(snippet),
      'app.jsx': `import { createApp, h, ref, watch } from 'vue'
import Place from './place.js'
const place = ref()
watch(place, (value) => { window.place = value })
createApp({
  render: () => h(Place, { modelValue: place.value, 'onUpdate:modelValue': (value) => { place.value = value } }),
}).mount('#app')
window.choose = (value) => { place.value = value }`,
    }),
  }

  const snippetOf = async (name: string) => {
    const html = await (await fetch(`${url}/picker`)).text()
    const [, copied = ''] = new RegExp(`<summary>${name}</summary>.*?data-copy="([^"]*)"`, 's').exec(html) ?? []
    return unescaped(copied)
  }
  const chooseAll = async (page: Page) => {
    await choose(page, 'Estado', 'baja', 'Baja California')
    await choose(page, 'Municipio', 'ens', 'Ensenada')
    await choose(page, 'Localidad', 'rancho 7', 'Rancho 7')
  }

  test('plain HTML the snippet works as it stands', async () => {
    form = await snippetOf('HTML')
    const page = await pages.open([site.url.origin, url], '/')
    await chooseAll(page)
    await page.getByRole('button').click()
    await page.getByRole('heading', { name: 'Guardado' }).waitFor()
    expect(new URLSearchParams(submissions[0]).get('lugar')).toBe('3-106')
  })

  test.each(Object.keys(applications))('%s the snippet works as it stands', async (name) => {
    script = await bundled((applications[name] as (typeof applications)[string])(await snippetOf(name)))
    const page = await pages.open([site.url.origin, url], '/app')
    await chooseAll(page)
    expect(await evaluate(page, 'picker.selection.map(({ key }) => key)')).toEqual(['2', '3', '3-106'])
    if (name === 'React') await page.getByRole('button').click()
    await until(async () => (await page.evaluate('window.place')) === '3-106')
    if (name !== 'Vue') return
    await page.evaluate('window.choose("3-107")')
    await until(async () => (await field(page, 'Localidad').inputValue()) === 'Rancho 8')
  })
})

describe.skipIf(browser === undefined)('a value that it begins with is shown in', () => {
  test.each([
    [
      'React',
      `import { createRoot } from 'react-dom/client'
const begin = () => createRoot(document.querySelector('#app'))
  .render(<nomenclator-picker value="3-100" levels="estado,municipio,localidad" />)`,
    ],
    [
      'Vue',
      `import { createApp, h } from 'vue'
const begin = () => createApp({
  render: () => h('nomenclator-picker', { value: '3-100', levels: 'estado,municipio,localidad' }),
}).mount('#app')`,
    ],
  ])('%s', async (_, application) => {
    // Only of an element whose class is known do they set the property, and not the attribute.
    const loading = `const script = document.createElement('script')
script.src = '${url}/picker/nomenclator-picker.js'
script.onload = begin
document.head.append(script)`
    script = await bundled({ 'app.jsx': `${application}\n${loading}` })
    const page = await pages.open([site.url.origin, url], '/app')
    await until(async () => (await field(page, 'Localidad').inputValue()) === 'Rancho 1')
    expect(await evaluate(page, `picker.getAttribute('value')`)).toBeNull()
    await choose(page, 'Localidad', 'rancho 7', 'Rancho 7')
    expect(await evaluate(page, 'picker.value')).toBe('3-106')
  })
})

/** The snippet as the plugin of a bundler compiles it, with the option that it names. */
function compiledVue(snippet: string): string {
  const { descriptor, errors } = parse(snippet)
  expect(errors).toEqual([])
  const compilerOptions = { isCustomElement: (tag: string) => tag === 'nomenclator-picker' }
  return compileScript(descriptor, { id: 'place', inlineTemplate: true, templateOptions: { compilerOptions } }).content
}

/** The files as one script, with the packages of this project. */
async function bundled(files: Readonly<Record<string, string>>): Promise<string> {
  using directory = new TestDirectory()
  symlinkSync(join(import.meta.dir, '..', '..', 'node_modules'), join(directory.path, 'node_modules'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory.path, name), text)
  const { outputs } = await Bun.build({
    entrypoints: [join(directory.path, 'app.jsx')],
    define: { 'process.env.NODE_ENV': '"production"' },
    minify: true,
  })
  return (await outputs[0]?.text()) ?? ''
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
const unescaped = (text: string) => text.replace(/&([a-z]+|#39);/g, (_, name: string) => ENTITIES[name] as string)

describe.skipIf(browser === undefined)('its own page', () => {
  test('shows what its form submits, in both languages', async () => {
    const page = await pages.open([url], '/picker', { locale: 'en-US' })
    await until(() => field(page, 'State').isEnabled())
    await page.getByRole('button', { name: 'Submit' }).click()
    await page.getByText('Choose: State', { exact: true }).waitFor()
    await choose(page, 'State', 'baja', 'Baja California')
    await until(async () => (await field(page, 'Municipality').inputValue()) === 'Ensenada')
    await choose(page, 'Locality', 'rancho 7', 'Rancho 7')
    await page.getByRole('button', { name: 'Submit' }).click()
    await page.waitForURL('**/picker?lugar=3-106&*')
    expect(await page.locator('.submitted tr').allTextContents()).toEqual([
      'lugar3-106',
      'lugar.estado2',
      'lugar.municipio3',
      'lugar.localidad3-106',
    ])
    expect(await accessibilityFaults(page)).toEqual([])
    // The values that were sent are still there, to change and send again.
    await until(async () => (await field(page, 'Locality').inputValue()) === 'Rancho 7')
    expect(await field(page, 'State').inputValue()).toBe('Baja California')
    await page.getByRole('link', { name: 'Reset' }).click()
    await page.waitForURL('**/picker#*')
    expect(await field(page, 'State').inputValue()).toBe('')
    await page.goto('/picker?lugar.estado=2&lugar.municipio=3')
    await until(async () => (await field(page, 'Municipality').inputValue()) === 'Ensenada')
  })

  test('has a whole form to download, which works where it is opened', async () => {
    const response = await fetch(`${url}/picker/form.html?lang=es`)
    expect(response.headers.get('Content-Disposition')).toBe('attachment; filename="formulario.html"')
    expect(await (await fetch(`${url}/picker?lang=es`)).text()).toContain('href="/picker/form.html?lang=es" download')
    using directory = new TestDirectory()
    writeFileSync(join(directory.path, 'formulario.html'), await response.text())
    const file = `file://${directory.path}/formulario.html`
    const page = await pages.open([file, url], file)
    await page.getByLabel('Nombre completo').fill('Ana')
    await until(() => field(page, 'Estado').isEnabled())
    await page.getByRole('button', { name: 'Enviar' }).click()
    await page.getByText('Elija: Estado', { exact: true }).waitFor()
    await choose(page, 'Estado', 'baja', 'Baja California')
    await choose(page, 'Municipio', 'ens', 'Ensenada')
    await choose(page, 'Localidad', 'rancho 7', 'Rancho 7')
    await page.getByRole('button', { name: 'Enviar' }).click()
    expect(await page.locator('[role=status] tr').allTextContents()).toEqual([
      'nombreAna',
      'lugar020010106',
      'lugar.estado02',
      'lugar.municipio02001',
      'lugar.localidad020010106',
    ])
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('says so where there is no script', async () => {
    const page = await pages.open([url], '/picker', { javaScriptEnabled: false })
    expect(await page.locator('noscript p').textContent()).toContain('necesita JavaScript')
  })
})
