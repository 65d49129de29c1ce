// The map: what its bytes say of every record, and what someone sees of it in a real browser.
import { beforeAll, describe, expect, test } from 'bun:test'
import { catalogOf } from '../../packages/server/src/catalog/catalog.ts'
import { browsed } from '../support/browsed.ts'
import { entity, id, name, numberFact } from '../support/definitions.ts'
import type { Explored } from '../support/explored.ts'
import { sourceOf, TestHome } from '../support/releases.ts'
import { serverOf } from '../support/server.ts'
import { accessibilityFaults, type PageOptions, until } from '../support/watched-page.ts'

const browsing = await browsed()
const { browser, pages } = browsing

let service: Explored
let url = ''
beforeAll(() => {
  service = browsing.service
  url = service.server.url
})

type Place = {
  readonly idEstado: { readonly idEstado: number }
  readonly latitud: number | null
  readonly longitud: number | null
  readonly poblacion: number | null
}

const get = (target: string, headers: Record<string, string> = {}) => fetch(url + target, { headers })
const pointsTarget = (digest = service.digests[1]) => `/map/points/${digest}/localidades.bin`
const foundTarget = (query: string) => `/map/found/${service.digests[1]}/localidades.bin?${query}`
const records = async (query = ''): Promise<Place[]> =>
  (await (await get(`/api/v2/localidades?per_page=1000&facts=true${query}`)).json()) as Place[]

/** The points as docs/explorer.md describes them. */
function decoded(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const count = view.getUint32(4, true)
  const [west, east, south, north] = [8, 16, 24, 32].map((at) => view.getFloat64(at, true)) as [
    number,
    number,
    number,
    number,
  ]
  const plane = (at: number, position: number) => bytes[40 + at * count + position] as number
  const point = (position: number) => ({
    longitude: west + ((east - west) * (plane(0, position) * 256 + plane(1, position))) / 65_535,
    latitude: north - ((north - south) * (plane(2, position) * 256 + plane(3, position))) / 65_535,
    group: plane(4, position),
    size: plane(5, position),
  })
  return { magic: Buffer.from(bytes.subarray(0, 4)).toString(), count, point, step: (east - west) / 65_535 }
}

describe('the points', () => {
  test('have six bytes for every record, in the order of the records', async () => {
    const bytes = new Uint8Array(await (await get(pointsTarget())).arrayBuffer())
    const { magic, count, point, step } = decoded(bytes)
    const all = await records()
    expect([magic, count, bytes.length]).toEqual(['NMP1', all.length, 40 + 6 * all.length])
    const states = [...new Set(all.map(({ idEstado }) => idEstado.idEstado))].sort((a, b) => a - b)
    for (const [position, { idEstado, latitud, longitud, poblacion }] of all.entries()) {
      const { longitude, latitude, group, size } = point(position)
      expect(group).toBe(states.indexOf(idEstado.idEstado))
      if (latitud === null || longitud === null) {
        expect(size).toBe(0)
        continue
      }
      expect(Math.abs(longitude - longitud)).toBeLessThanOrEqual(step)
      expect(Math.abs(latitude - latitud)).toBeLessThanOrEqual(step)
      if (poblacion === null) expect(size).toBe(1)
      else expect(Math.abs(2 ** ((size - 2) / 8) / (1 + poblacion) - 1)).toBeLessThan(0.05)
    }
  })

  test('never change: they are immutable and have a validator', async () => {
    const plain = new Uint8Array(await (await get(pointsTarget(), { 'Accept-Encoding': 'identity' })).arrayBuffer())
    const response = await get(pointsTarget(), { 'Accept-Encoding': 'gzip' })
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
    expect(response.headers.get('Content-Type')).toBe('application/octet-stream')
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(plain)
    const etag = response.headers.get('ETag') ?? ''
    expect((await get(pointsTarget(), { 'Accept-Encoding': 'gzip', 'If-None-Match': etag })).status).toBe(304)
    expect((await get(pointsTarget(service.digests[0]))).headers.get('ETag')).not.toBe(etag)
  })

  test.each([
    ['of no such release', () => pointsTarget('0'.repeat(64)), 410],
    ['of the beginning of a digest', () => pointsTarget(service.digests[1].slice(0, 12)), 404],
    ['of no such collection', () => pointsTarget().replace('localidades', 'nada'), 404],
    ['of a collection without coordinates', () => pointsTarget().replace('localidades', 'paises'), 404],
    ['of a name that cannot be decoded', () => pointsTarget().replace('localidades', '%E0%A4%A'), 404],
    ['with a parameter', () => `${pointsTarget()}?q=a`, 400],
    ['found by a parameter that there is not', () => foundTarget('nada=1'), 400],
  ])('%s are a problem', async (_, target, status) => {
    const response = await get(target())
    expect([response.status, response.headers.get('Content-Type')]).toEqual([status, 'application/problem+json'])
  })

  test.each(['q=rancho', 'idEstado=1', 'q=rancho&poblacion_min=5000', 'q=zzzzzzzz'])(
    'found by %s are a bit for each record',
    async (query) => {
      const bits = new Uint8Array(await (await get(foundTarget(query))).arrayBuffer())
      const all = await records()
      const found = new Set((await records(`&${query}`)).map((record) => JSON.stringify(record)))
      expect(bits.length).toBe(Math.ceil(all.length / 8))
      for (const [position, record] of all.entries()) {
        const isFound = ((bits[position >> 3] as number) & (1 << (position & 7))) !== 0
        expect(isFound).toBe(found.has(JSON.stringify(record)))
      }
    },
  )
})

describe('the page', () => {
  test('is there for any collection with coordinates, and says what to import where none are known', async () => {
    const sitio = entity({
      name: 'sitio',
      plural: 'sitios',
      fields: {
        idSitio: id('identifier'),
        nombre: name('name'),
        latitud: numberFact('latitude', { min: -90, max: 90 }),
        longitud: numberFact('longitude', { min: -180, max: 180 }),
      },
      key: ['idSitio'],
      code: ['idSitio'],
    })
    for (const [place, expected] of [
      [{ latitud: 20, longitud: -100 }, '/map/points/'],
      [{}, './nomenclator import inegi'],
    ] as const) {
      using home = new TestHome()
      await home.import(sourceOf({ sitio: [{ idSitio: 1, nombre: 'Uno', ...place }] }, {}, catalogOf([sitio])))
      const release = home.current()
      const server = serverOf(() => release, {}, home.store)
      for (const target of ['/map', '/map/sitios'])
        expect(await (await fetch(server.url + target)).text()).toContain(expected)
      await server.close()
    }
  })

  test('refuses what is no search and no filter, and collections without a map say so', async () => {
    expect((await get('/map?sort=poblacion')).status).toBe(400)
    expect((await get('/map/nada')).status).toBe(404)
    expect(await (await get('/map/paises')).text()).toContain('Ningún registro de esta versión tiene coordenadas')
  })
})

const COLOURS = `(() => {
  const canvas = document.querySelector('[data-drawn] canvas, canvas[data-drawn]')
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
  const colours = new Set()
  for (let at = 0; at < data.length; at += 4) colours.add(data[at] << 16 | data[at + 1] << 8 | data[at + 2])
  return colours.size
})()`

describe.skipIf(browser === undefined)('in a browser', () => {
  const open = async (target: string, options?: PageOptions) => {
    const page = await pages.open([url], target, options)
    await page.locator('[data-drawn=true]').waitFor()
    return page
  }
  /** The spot of a record on the canvas when all of the map is shown. */
  const spotOf = async (page: Awaited<ReturnType<typeof open>>, wanted: string) => {
    const all = (await records()) as (Place & { descLocalidad: string })[]
    const box = (await page.locator('.map canvas').boundingBox()) as {
      x: number
      y: number
      width: number
      height: number
    }
    const known = all.filter(({ latitud }) => latitud !== null)
    const [west, east] = [Math.min, Math.max].map((of) => of(...known.map(({ longitud }) => Number(longitud)))) as [
      number,
      number,
    ]
    const [south, north] = [Math.min, Math.max].map((of) => of(...known.map(({ latitud }) => Number(latitud)))) as [
      number,
      number,
    ]
    const narrowing = Math.cos((((north + south) / 2) * Math.PI) / 180)
    const scale = Math.min((box.width - 24) / ((east - west) * narrowing), (box.height - 24) / (north - south))
    const { latitud, longitud } = all.find(({ descLocalidad }) => descLocalidad === wanted) as Place
    return {
      x: box.x + box.width / 2 + (Number(longitud) - (west + east) / 2) * narrowing * scale,
      y: box.y + box.height / 2 - (Number(latitud) - (north + south) / 2) * scale,
    }
  }

  test('dots are drawn; hovering names one, and a click opens it', async () => {
    const page = await open('/map')
    expect(Number(await page.evaluate(COLOURS))).toBeGreaterThan(2)
    expect(await page.locator('.map-scale').textContent()).toMatch(/^(?:1|2|5)0* km$/)
    expect((await page.locator('.map-scale').boundingBox())?.width).toBeWithin(40, 112)
    expect(await page.locator('.in-view ol').evaluate((list) => list.scrollHeight - list.clientHeight)).toBeLessThan(2)
    const { x, y } = await spotOf(page, 'Rancho 50')
    await page.mouse.move(x, y)
    const card = page.locator('.map-card')
    await card.getByText('Rancho 50').waitFor()
    expect(await card.textContent()).toBe('Rancho 50 Ensenada, Baja California5,513 hab.')
    expect(await accessibilityFaults(page)).toEqual([])
    await page.mouse.click(x, y)
    await page.waitForURL('**/explore/localidades/3-149')
  })

  test('the wheel, the buttons and the keys zoom and move, and the list follows', async () => {
    const page = await open('/map')
    const total = async () =>
      Number((await page.locator('[data-part=count]').textContent())?.match(/[\d,]+/)?.[0].replace(',', ''))
    const changed = async (from: number, action: () => Promise<void>) => {
      await action()
      await until(async () => (await total()) !== from)
      return total()
    }
    const whole = await total()
    const { x, y } = await spotOf(page, 'Rancho 50')
    await page.mouse.move(x, y)
    const near = await changed(whole, () => page.mouse.wheel(0, -1_500))
    expect(near).toBeLessThan(whole)
    expect(new URL(page.url()).hash).toMatch(/^#map=[\d.]+\/[\d.]+\/-[\d.]+$/)
    const wider = await changed(near, async () => {
      await page.getByRole('button', { name: 'Alejar' }).click()
      await page.getByRole('button', { name: 'Alejar' }).click()
    })
    expect(wider).toBeGreaterThan(near)
    await page.locator('.map canvas').focus()
    await changed(wider, () => page.keyboard.press('0'))
    expect(await page.locator('[data-part=list] a').count()).toBe(20)
    await page.keyboard.press('+')
    await page.keyboard.press('+')
    await page.keyboard.press('+')
    for (let press = 0; press < 30; press++) await page.keyboard.press('ArrowDown')
    await page.locator('[data-part=nothing]').waitFor()
  })

  test('an address leads to a place, and dragging moves it', async () => {
    const page = await open('/map#map=11/31.5000/-115.5000')
    await page.locator('[data-part=count]').getByText(/^\d /).waitFor()
    const before = page.url()
    const box = (await page.locator('.map canvas').boundingBox()) as { x: number; y: number }
    await page.mouse.move(box.x + 200, box.y + 200)
    await page.mouse.down()
    await page.mouse.move(box.x + 300, box.y + 250, { steps: 4 })
    await page.mouse.up()
    await until(() => page.url() !== before)
    expect(page.url()).toContain('/map#map=11.00/')
  })

  test('the search and the choice filter it', async () => {
    const page = await open('/map')
    await page.locator('#map-search').fill('rancho 5')
    await page.locator('#map-search').press('Enter')
    await page.waitForURL('**/map?q=rancho+5')
    await page.locator('[data-drawn=true]').waitFor()
    const shown = page.locator('.count')
    expect(await shown.textContent()).toMatch(/^\d+ de 129 localidades/)
    await page.selectOption('#map-group', {
      label: (await page.locator('#map-group option').nth(1).textContent()) ?? '',
    })
    await page.getByRole('button', { name: 'Mostrar' }).click()
    await page.waitForURL('**/map?q=rancho+5&idEstado=*')
    await page.getByRole('link', { name: 'Quitar filtros' }).click()
    await page.waitForURL('**/map')
    await page.getByRole('link', { name: 'Ver como tabla' }).click()
    await page.waitForURL('**/explore/localidades')
  })

  test('what is found alone is shown with what is around it', async () => {
    const page = await pages.open([url], 'about:blank')
    const around = page.waitForResponse((response) => /localidades\?(?!.*q=).*latitud_min/.test(response.url()))
    await page.goto(`${url}/map?q=rancho+50`)
    expect(((await (await around).json()) as unknown[]).length).toBeGreaterThan(5)
    expect(await page.locator('.in-view li').count()).toBe(1)
  })

  test('bounds that the address has hold for the list, too', async () => {
    const page = await open('/map?latitud_max=31.25')
    const { length } = await records('&latitud_max=31.25&latitud_min=-90')
    await page.getByRole('button', { name: 'Alejar' }).click()
    await page
      .locator('[data-part=count]')
      .getByText(new RegExp(`^${length} `))
      .waitFor()
    expect(await page.locator('.count').textContent()).toContain(`${length} de 129`)
  })

  test('a finger sees first what it has chosen', async () => {
    const page = await open('/map', { viewport: { width: 390, height: 844 }, hasTouch: true })
    await page.locator('.map').scrollIntoViewIfNeeded()
    const { x, y } = await spotOf(page, 'Rancho 50')
    await page.touchscreen.tap(x, y)
    const link = page.locator('.map-card a')
    await link.waitFor()
    const target = await link.getAttribute('href')
    await link.click()
    await page.waitForURL(`**${target}`)
  })

  test('it is drawn anew when the colours change, and in English', async () => {
    const page = await open('/map', { locale: 'en-US' })
    expect(await page.locator('h1').textContent()).toBe('Map of localities')
    const picture = () => page.evaluate(`document.querySelector('.map canvas').toDataURL()`)
    const light = await picture()
    await page.emulateMedia({ colorScheme: 'dark' })
    await until(async () => (await picture()) !== light)
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('without a script there is a link to the table', async () => {
    const page = await pages.open([url], '/map', { javaScriptEnabled: false })
    expect(await page.locator('noscript p, .empty:visible').first().textContent()).toContain('JavaScript')
    expect(await page.locator('.in-view li').count()).toBe(20)
    await page.getByRole('link', { name: 'Ver como tabla' }).click()
    await page.waitForURL('**/explore/localidades')
  })

  test('the first page has a small one in the same colours, which leads to the map', async () => {
    const page = await pages.open([url], '/')
    expect(await page.locator('.country path').count()).toBe(
      new Set((await records()).map(({ idEstado }) => idEstado.idEstado)).size,
    )
    await page.getByRole('link', { name: /Abrir el mapa/ }).click()
    await page.waitForURL('**/map')
  })
})
