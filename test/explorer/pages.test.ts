// Decisions of each page of the explorer: its links and their targets, its counts, cuts, orders and gaps.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { statSync, writeFileSync } from 'node:fs'
import type { GivenRow } from '../../packages/server/src/source/source.ts'
import { attributes, between, type GetPage, linksOf, pagesOf, textOf, unescaped } from '../support/pages.ts'
import { type Rows, sourceOf, TestHome, tiny } from '../support/releases.ts'

const numbers = (count: number, from = 1): number[] => Array.from({ length: count }, (_, at) => at + from)

const MANY_MUNICIPALITIES = 205
const MANY_PLACES = 1_040
/** The municipality with the many places, of which only a few have inhabitants. */
const ENSENADA = 300
const INHABITED = 40

const place = (idMunicipio: number, idLocalidad: number, row: GivenRow): GivenRow => ({
  cveLocalidad: String(idLocalidad).padStart(4, '0'),
  idLocalidad,
  idMunicipio,
  idEstado: idMunicipio === ENSENADA ? 2 : 1,
  ...row,
})

const rows: Rows = {
  ...tiny,
  pais: [{ cvePais: 'MEX', descPais: 'México', idPais: 484 }],
  estado: [
    { cveEstado: 'AGS', cveRenapo: 'AS', descEstado: 'Aguascalientes', idEstado: 1, idPais: 484 },
    { cveEstado: 'BC', cveRenapo: 'BC', descEstado: 'Baja California', idEstado: 2, idPais: 484 },
    { cveEstado: 'CAM', cveRenapo: 'CC', descEstado: 'Campeche', idEstado: 3, idPais: 484 },
    { cveEstado: 'MEX', cveRenapo: 'MC', descEstado: 'México', idEstado: 15, idPais: 484 },
  ],
  municipio: [
    ...numbers(MANY_MUNICIPALITIES).map((id) => ({
      cveMunicipio: String(id).padStart(3, '0'),
      descMunicipio: `Municipio ${id}`,
      idEstado: 1,
      idMunicipio: id,
    })),
    { cveMunicipio: '001', descMunicipio: 'Ensenada', idEstado: 2, idMunicipio: ENSENADA, cabecera: '0002' },
    { cveMunicipio: '106', descMunicipio: 'Toluca', idEstado: 15, idMunicipio: 400 },
  ],
  localidad: [
    // The first is a little to the north of the second, and the rest ever further to the east.
    place(1, 1, {
      descLocalidad: 'Centro',
      latitud: 21.001,
      longitud: -102,
      poblacion: 1_000,
      ambito: 'U',
      altitud: 1870,
    }),
    place(1, 2, { descLocalidad: 'Norte', latitud: 21, longitud: -102, poblacion: 500, ambito: 'R' }),
    ...numbers(28, 3).map((id) =>
      place(1, id, {
        descLocalidad: `Lugar ${id}`,
        latitud: 21,
        longitud: -102 + id / 10,
        poblacion: id,
        ambito: id === 3 ? 'U' : 'R',
      }),
    ),
    place(1, 31, { descLocalidad: 'Loma Municipio' }),
    ...numbers(MANY_MUNICIPALITIES - 1, 2).map((id) => place(id, 1, { descLocalidad: 'Rancho', ambito: 'R' })),
    place(2, 2, { descLocalidad: 'Gemela' }),
    place(3, 2, { descLocalidad: 'Gemela' }),
    ...numbers(MANY_PLACES).map((id) =>
      place(ENSENADA, id, {
        descLocalidad: `Sitio ${id}`,
        latitud: 31 + id / 1_000,
        longitud: -116,
        poblacion: id > MANY_PLACES - INHABITED ? id : 0,
      }),
    ),
  ],
}

const home = new TestHome()
let page: GetPage
beforeAll(async () => {
  await home.import(sourceOf(rows))
  page = pagesOf(home)
})
afterAll(() => home[Symbol.dispose]())

describe('a table', () => {
  const LIST = '/explore/localidades'
  const columnsOf = (html: string) =>
    Array.from(html.slice(html.indexOf('<thead>'), html.indexOf('</thead>')).matchAll(/<th .*?<\/th>/g), ([cell]) =>
      textOf(cell).replace('↕', '').trim(),
    )
  const facetsOf = (html: string) => attributes(html, 'id').filter((id) => id.startsWith('facet-'))

  test('removes one filter and keeps all else but the page', async () => {
    const html = await page(
      `${LIST}?q=lugar&idEstado=1&idMunicipio=1&ambito=R&ambito=U&sort=poblacion&per_page=5&page=2`,
    )
    const chosen = linksOf(between(html, 'class="chosen"', '</section>'))
    const others = (without: string) =>
      `${LIST}?q=lugar&idEstado=1&idMunicipio=1&ambito=R&ambito=U&sort=poblacion&per_page=5`.replace(`&${without}`, '')
    expect(Object.fromEntries(chosen)).toEqual({
      'State: Aguascalientes ×': others('idEstado=1'),
      'Municipality: Municipio 1 ×': others('idMunicipio=1'),
      'Type of area: Rural ×': others('ambito=R'),
      'Type of area: Urban ×': others('ambito=U'),
      'Remove all': `${LIST}?q=lugar&sort=poblacion&per_page=5`,
    })
  })

  test.each([
    ['idEstado=1', 'State: Aguascalientes'],
    ['idMunicipio=150', 'Municipality: Municipio 150'],
    ['idMunicipio=999', 'Municipality: 999'],
    ['poblacion_min=5', 'Population from 5'],
    ['poblacion_max=5', 'Population up to 5'],
    ['cveLocalidad_prefix=00', 'Code begins with 00'],
    ['idMunicipio.cveMunicipio=001', 'Municipality · Code: 001'],
    ['descLocalidad=Centro', 'Name: Centro'],
    ['near=21,-102', 'Near 21, -102'],
    ['near=21,-102&within_km=1.5', 'At most 1.5 km from 21, -102'],
  ])('says what the filter %s keeps to, and offers no way to remove all of one', async (query, label) => {
    const chosen = linksOf(between(await page(`${LIST}?${query}`), 'class="chosen"', '</section>'))
    expect(Object.fromEntries(chosen)).toEqual({ [`${label} ×`]: LIST })
  })

  test.each([
    ['', undefined, '?sort=poblacion', '↕'],
    ['?sort=poblacion', 'ascending', '?sort=-poblacion', '↑'],
    ['?sort=-poblacion', 'descending', '', '↓'],
    ['?sort=cveLocalidad', undefined, '?sort=poblacion', '↕'],
    ['?ambito=R&sort=poblacion&per_page=25&page=2', 'ascending', '?ambito=R&per_page=25&sort=-poblacion', '↑'],
    ['?q=lugar&per_page=25&page=2', undefined, '?q=lugar&per_page=25&sort=poblacion', '↕'],
  ])('is sorted up, down and not at all by turns: %s', async (query, direction, next, mark) => {
    const html = await page(`${LIST}${query}`)
    const header = /<th scope="col"[^>]*><a [^>]*>Population.*?<\/th>/.exec(html)?.[0] ?? ''
    expect(attributes(header, 'aria-sort')[0]).toBe(direction)
    expect(linksOf(header)).toEqual(new Map([[`Population ${mark}`, `${LIST}${next}`]]))
  })

  test('leaves out the column that says the same in every row', async () => {
    const all = ['Name', 'CVEGEO', 'Municipality', 'State', 'Altitude', 'Population', 'Type of area']
    const without = (...names: readonly string[]) => all.filter((name) => !names.includes(name))
    expect(columnsOf(await page(LIST))).toEqual(without())
    expect(columnsOf(await page(`${LIST}?idEstado=1`))).toEqual(without('State'))
    expect(columnsOf(await page(`${LIST}?idEstado=1&idEstado=2`))).toEqual(without())
    expect(columnsOf(await page('/explore/estados'))).toEqual(['Name', 'CVEGEO', 'Code', 'Renapo code'])
  })

  test('offers what there is to choose from: few values by name, the most frequent of many', async () => {
    const html = await page(LIST)
    expect(facetsOf(html)).toEqual(['facet-idEstado', 'facet-idMunicipio', 'facet-ambito'])
    const states = between(html, 'id="facet-idEstado"', '</section>')
    expect(textOf(states)).toContain(`Aguascalientes ${31 + 204 + 2} Baja California 1,040`)
    const municipalities = between(html, 'id="facet-idMunicipio"', '</section>')
    expect([...linksOf(municipalities).keys()].slice(0, 4)).toEqual([
      'Ensenada 1,040',
      'Municipio 1 31',
      'Municipio 2 2',
      'Municipio 3 2',
    ])
    expect(linksOf(municipalities).size).toBe(12)
    expect(textOf(municipalities)).toContain(`and ${MANY_MUNICIPALITIES + 1 - 12} more`)
    expect(textOf(states)).not.toContain('more')
  })

  test('offers no choice of one value, unless it is the one that was chosen', async () => {
    expect(facetsOf(await page(`${LIST}?q=sitio`))).toEqual([])
    const html = await page(`${LIST}?q=sitio&idEstado=2&page=2`)
    expect(facetsOf(html)).toEqual(['facet-idEstado'])
    expect(linksOf(between(html, 'id="facet-idEstado"', '</section>')).get('Baja California 1,040')).toBe(
      `${LIST}?q=sitio`,
    )
  })

  test('has the columns that were chosen, in their order, and keeps them in its links and downloads', async () => {
    const fields = 'poblacion,descLocalidad,idLocalidad'
    const html = await page(`${LIST}?fields=${fields}&idEstado=1`)
    expect(columnsOf(html)).toEqual(['Population', 'Name', 'Identifier'])
    expect(linksOf(between(html, 'id="facet-idMunicipio"', '</section>')).get('Municipio 1 31')).toBe(
      `${LIST}?idEstado=1&fields=poblacion%2CdescLocalidad%2CidLocalidad&idMunicipio=1`,
    )
    const csv = attributes(html, 'href').find((link) => link.includes('format=csv')) as string
    expect(unescaped(csv)).toBe(
      '/api/v2/localidades/all?idEstado=1&fields=poblacion%2CdescLocalidad%2CidLocalidad&format=csv&excel=true',
    )
    // A form sends each in its own parameter.
    expect(columnsOf(await page(`${LIST}?fields=descLocalidad&fields=altitud`))).toEqual(['Name', 'Altitude'])
  })

  test('counts what is within a distance, where there is one', async () => {
    const html = await page(`${LIST}?near=21,-102&within_km=0.5`)
    const total = Number(/class="count"[^>]*>(\d+)/.exec(html)?.[1])
    expect(total).toBeGreaterThan(0)
    const counts = [...linksOf(between(html, 'id="facet-ambito"', '</section>')).keys()].map((text) =>
      Number(text.split(' ').at(-1)),
    )
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(total)
  })

  test('offers the range of a number, with what is chosen besides', async () => {
    const html = await page(`${LIST}?idEstado=1&poblacion_min=500`)
    const range = between(html, 'id="range-poblacion"', '</section>')
    expect(range).toContain('aria-label="Population: how many records there are from ')
    expect(range).toContain('<input type="hidden" name="idEstado" value="1">')
    expect(range).toContain('name="poblacion_min" inputmode="decimal" autocomplete="off" value="500"')
    expect(range.match(/<rect /g)?.length).toBeGreaterThan(5)
    expect(textOf(html)).toContain('Population from 500 ×')
  })

  test('leads from the chosen value back to all, and from another one to both', async () => {
    const states = between(await page(`${LIST}?idEstado=2&per_page=25&page=2`), 'id="facet-idEstado"', '</section>')
    expect([...linksOf(states)]).toEqual([
      ['Baja California 1,040', `${LIST}?per_page=25`],
      ['Aguascalientes 237', `${LIST}?per_page=25&idEstado=2&idEstado=1`],
    ])
    expect(states.match(/aria-current="true"/g)).toHaveLength(1)
  })

  const pagings: readonly [query: string, range: string, pages: Readonly<Record<string, number>>][] = [
    ['per_page=250', '1–250 of 1,277 · Page 1 of 6', { Next: 2, Last: 6 }],
    ['per_page=250&page=2', '251–500 of 1,277 · Page 2 of 6', { First: 1, Previous: 1, Next: 3, Last: 6 }],
    ['per_page=250&page=6', '1,251–1,277 of 1,277 · Page 6 of 6', { First: 1, Previous: 5 }],
    ['ambito=U', '1–2 of 2', {}],
  ]
  test.each(pagings)('leads to the pages around it: %s', async (query, range, pages) => {
    const html = await page(`${LIST}?${query}`)
    const paging = between(html, '<div class="paging">', '<div class="sizes"')
    expect(textOf(paging)).toContain(` ${range} `)
    const first = `${LIST}?${query.replace(/&page=.*/, '')}`
    const targets = Object.entries(pages).map(([name, number]) => [
      name,
      number === 1 ? first : `${first}&page=${number}`,
    ])
    expect(Object.fromEntries(linksOf(paging))).toEqual(Object.fromEntries(targets))
    expect(paging.includes('<nav aria-label="Pages">')).toBe(targets.length > 0)
  })

  test.each([
    ['per_page=25', ['25', '50', '100', '250'], '25'],
    ['per_page=60', ['25', '50', '60', '100', '250'], '60'],
    ['page=2', ['25', '50', '100', '250'], '50'],
  ])('can be of other sizes: %s', async (query, sizes, current) => {
    const html = between(await page(`${LIST}?${query}`), 'class="sizes"', '</ul>')
    expect([...linksOf(html).keys()]).toEqual(sizes)
    expect(linksOf(html).get('100')).toBe(`${LIST}?per_page=100`)
    expect(textOf(/<a [^>]*aria-current="true">.*?<\/a>/.exec(html)?.[0] ?? '').trim()).toBe(current)
  })

  test.each([
    ['one page', '?ambito=U', 6],
    ['several pages', '?ambito=R', 6],
    ['nothing', '?q=wkwkwk', 0],
  ])('offers downloads of %s', async (_, query, count) => {
    const links = attributes(await page(`${LIST}${query}`), 'href').filter((link) => link.includes('format='))
    expect(links).toHaveLength(count)
    expect(links.filter((link) => link.startsWith('/api/v2/localidades/all?'))).toHaveLength(count)
  })

  test('writes values so that they can be read, and says which are not known', async () => {
    const row = between(await page(`${LIST}?descLocalidad=Centro`), '<tr><th scope="row">', '</tr>')
    expect(textOf(row).trim()).toBe('Centro 010010001 1,870 m 1,000 Urban')
    expect(row).toContain('<code>010010001</code>')
    const unknown = between(await page(`${LIST}?descLocalidad=Loma%20Municipio`), '<tr><th scope="row">', '</tr>')
    expect(unknown.match(/<span class="unknown" title="not known">–<\/span>/g)).toHaveLength(3)
  })

  test.each([
    ['/explore/localidades?q=wkwkwk', '0 localities', 'We found nothing like it'],
    ['/explore/localidades?descLocalidad=Centro', '1 locality', undefined],
    ['/explore/estados', '4 states', undefined],
  ])('says how many there are, and where there are none: %s', async (target, count, nothing) => {
    const html = await page(target)
    expect(textOf(between(html, 'class="count"', '</p>'))).toEndWith(`${count}`)
    expect(html.includes('class="empty"')).toBe(nothing !== undefined)
    expect(textOf(html)).toContain(nothing ?? count)
  })
})

describe('a record', () => {
  const section = async (target: string, name: string) =>
    between(await page(target), `id="${name}-title"`, '</section>')

  test('counts what is in it, and leaves out what is not', async () => {
    const counts = async (target: string) => [
      ...linksOf(between(await section(target, 'children'), '<ul class="counts">', '</ul>')),
    ]
    expect(await counts('/explore/paises/484')).toEqual([
      ['4 states', '/explore/estados?idPais=484'],
      ['207 municipalities', '/explore/municipios?idEstado.idPais=484'],
      ['1,277 localities', '/explore/localidades?idEstado.idPais=484'],
    ])
    expect(await page('/explore/estados/3')).not.toContain('id="children-title"')
    expect(await page('/explore/localidades/1-1')).not.toContain('id="children-title"')
  })

  test('lists the most populous first, and the first where no population is known', async () => {
    const places = await section('/explore/municipios/1', 'children')
    expect(textOf(between(places, '<caption>', '</caption>'))).toContain('20 of 31, the most populous first')
    const names = [...linksOf(between(places, '<tbody>', '</tbody>')).keys()]
    expect(names).toHaveLength(20)
    expect(names.slice(0, 3)).toEqual(['Centro', 'Norte', 'Lugar 30'])
    expect(attributes(places, 'width').slice(0, 2)).toEqual(['100', '50'])
    const municipalities = await section('/explore/estados/1', 'children')
    expect(textOf(municipalities)).toContain(`The first 20 of ${MANY_MUNICIPALITIES}`)
    expect(textOf(between(await section('/explore/paises/484', 'children'), '<caption>', '</caption>'))).toEndWith(
      'States',
    )
  })

  const dotsOf = (html: string) =>
    /<path d="([^"]*)"/.exec(between(html, 'class="dots"', '</svg>'))?.[1]?.split('M').length ?? 0
  test('shows all places in it, or the most populous where there are too many', async () => {
    const few = await page('/explore/municipios/1')
    expect(textOf(few)).toContain('30 localities, one a dot')
    const many = await page(`/explore/municipios/${ENSENADA}`)
    expect(textOf(many)).toContain(`The ${INHABITED} most populous localities, one a dot`)
    expect(dotsOf(many) - 1).toBe(INHABITED)
    expect(linksOf(many).get('See on the map')).toBe(`/map/localidades?idMunicipio=${ENSENADA}`)
    expect(await page('/explore/municipios/2')).not.toContain('class="dots"')
    expect(linksOf(await page('/explore/municipios/2')).has('See on the map')).toBe(false)
  })

  test('has its neighbours, nearest first, without itself, in metres and kilometres', async () => {
    const html = await page('/explore/localidades/1-1')
    const near = textOf(between(html, 'class="neighbours"', '</ul>'))
    expect(near).toMatch(/^.*Norte 111 m Lugar 3 31\.1 km Lugar 4 41\.5 km /)
    expect(linksOf(between(html, 'class="neighbours"', '</ul>')).size).toBe(8)
    expect(linksOf(html).get('See on the map')).toBe('/map/localidades#map=10/21.0010/-102.0000')
  })

  test.each([
    ['/explore/localidades/2-2', '2 with the same name', 1, 'Gemela Municipio 3 , Aguascalientes'],
    [
      '/explore/localidades/2-1',
      `${MANY_MUNICIPALITIES - 1} with the same name`,
      8,
      'Rancho Municipio 3 , Aguascalientes',
    ],
  ])('has its namesakes without itself: %s', async (target, text, count, first) => {
    const html = await section(target, 'homonyms')
    expect(textOf(html)).toContain(text)
    const items = html.match(/<li>.*?<\/li>/gs) ?? []
    expect(items).toHaveLength(count)
    expect(items[0] && textOf(items[0]).trim()).toBe(first)
  })

  test('has no section that would be empty', async () => {
    const html = await page('/explore/localidades/1-1')
    expect(html).not.toContain('homonyms-title')
    expect(html).not.toContain('history-title')
  })

  test('has the sum of what is known below it, its place by size, and the cities around it', async () => {
    const facts = textOf(await section('/explore/municipios/1', 'facts'))
    const places = (rows.localidad ?? []).filter(
      ({ idMunicipio, poblacion }) => idMunicipio === 1 && poblacion !== undefined,
    )
    const sum = places.reduce((total, { poblacion }) => total + Number(poblacion), 0)
    expect(places.length).toBeGreaterThan(0)
    expect(facts).toContain(
      `Population ${sum.toLocaleString('en-US')} sum of ${places.length} localities where it is known`,
    )
  })

  test('has its place by size among those whose size is known', async () => {
    const known = (rows.localidad ?? []).filter(({ poblacion }) => poblacion !== undefined)
    const inState = known.filter(({ idEstado }) => idEstado === 1)
    expect(inState.length).toBeLessThan((rows.localidad ?? []).filter(({ idEstado }) => idEstado === 1).length)
    expect(textOf(await section('/explore/localidades/1-1', 'facts'))).toContain(
      `Rank by population 1 of ${inState.length} known in Aguascalientes 41 of ${known.length.toLocaleString('en-US')} known in México`,
    )
  })

  test('has its seat as a link', async () => {
    const facts = await section(`/explore/municipios/${ENSENADA}`, 'facts')
    expect(textOf(facts)).toContain('Seat Sitio 2')
    expect(linksOf(facts).get('Sitio 2')).toBe(`/explore/localidades/${ENSENADA}-2`)
  })

  test('says what it belongs to, and what that is where its name is not enough', async () => {
    const crumbs = (html: string) => between(html, '<nav class="breadcrumb"', '</nav>')
    const toluca = await page('/explore/municipios/400')
    expect(textOf(crumbs(toluca)).trim()).toEndWith('México State of México Toluca')
    expect(linksOf(crumbs(toluca)).get('State of México')).toBe('/explore/estados/15')
    expect(textOf(crumbs(await page('/explore/estados/15?lang=es'))).trim()).toEndWith('México Estado de México')
    expect(linksOf(toluca).get('municipality')).toBe('/explore/municipios')
    expect(await page('/explore/paises/484')).not.toContain('class="breadcrumb"')
  })

  test('leads from a table that is cut to all of its rows', async () => {
    const html = await section('/explore/estados/1', 'children')
    expect(linksOf(html).get(`See all ${MANY_MUNICIPALITIES}`)).toStartWith('/explore/municipios?idEstado=1')
  })
})

describe('the history of a record', () => {
  const [bc, ags] = tiny.estado
  const [, aguascalientes, ensenada] = tiny.municipio
  const [, sauzal] = tiny.localidad
  const stages: readonly Rows[] = [
    { ...tiny, localidad: [{ ...sauzal, idMunicipio: 1, idLocalidad: 7, poblacion: 5 }] },
    // Its municipality has another name, which is the history of that one.
    {
      ...tiny,
      municipio: [{ ...aguascalientes, descMunicipio: 'Otro nombre' }, ensenada],
      localidad: [{ ...sauzal, idMunicipio: 1, idLocalidad: 7, poblacion: 0 }],
    },
    { ...tiny, localidad: [{ ...sauzal, idMunicipio: 1, idLocalidad: 7, idEstado: 2 }] },
    // The description is a copy of the name.
    { ...tiny, area: [{ ...tiny.area[0], descripcion: 'Artes' }], localidad: [] },
    {
      ...tiny,
      estado: [{ ...bc, descEstado: 'Baja' }, ags],
      localidad: [{ ...sauzal, idMunicipio: 1, idLocalidad: 7 }],
    },
  ]

  test('shows changes of the record itself, and none of its ancestors', async () => {
    using home = new TestHome()
    for (const stage of stages) await home.import(sourceOf(stage), { acceptChanges: true })
    const get = pagesOf(home)
    const items = async (target: string) =>
      (
        between(await get(target), 'id="history-title"', '</section>').match(/<tr><th scope="row">.*?<\/tr>/gs) ?? []
      ).map((row) => textOf(row.replace(/<th .*?<\/th>/s, '')).trim())
    expect(await items('/explore/localidades/1-7')).toEqual([
      'appeared',
      'was removed',
      'Population 0 –',
      'State Aguascalientes Baja California',
      'Population 5 0',
      'was there',
    ])
    expect(await items('/explore/municipios/1')).toEqual([
      'Name Otro nombre Aguascalientes',
      'Name Aguascalientes Otro nombre',
      'was there',
    ])
    expect(await items('/explore/areas-conocimiento/1')).toEqual([
      'Name Artes Ciencias',
      'Name Ciencias Artes',
      'was there',
    ])
    expect(await items('/explore/paises/484')).toEqual(['was there'])
    expect(textOf(await get('/explore/paises/484'))).toContain('Unchanged in the releases that are here')
    expect(textOf(await get('/explore/localidades/1-7'))).not.toContain('Unchanged in the releases')
  })

  test('has nothing of a record of another numbering that had its identifiers', async () => {
    using home = new TestHome()
    const invented = { ...tiny, localidad: [{ ...sauzal, descLocalidad: 'Zirahuato' }] }
    const before = await home.import({ ...sourceOf(invented), numbering: { localidad: 'synthetic' } })
    const official = sourceOf({ localidad: [{ ...sauzal, descLocalidad: 'Zitácuaro' }] })
    await home.import({ ...official, numbering: { localidad: 'official' } })
    const get = pagesOf(home)
    const history = async (target: string) => textOf(between(await get(target), 'id="history-title"', '</section>'))
    const current = await history('/explore/localidades/3-2')
    expect([current.includes('Zirahuato'), current.includes('appeared')]).toEqual([false, true])
    const old = await history(`/explore/localidades/3-2?release=${before.digest}`)
    expect([old.includes('Zitácuaro'), old.includes('was removed')]).toEqual([false, true])
    const compared = textOf(await get(`/releases?from=${before.digest}&to=${home.current().digest}`))
    expect(compared).toContain('Localities: the two releases number them otherwise, so that nothing can be compared.')
    expect(compared).not.toContain('Zirahuato → Zitácuaro')
  })

  test('is not shown where there is one release alone', async () =>
    expect(await page('/explore/paises/484')).not.toContain('history-title'))

  test('is of the newest twelve releases', async () => {
    using home = new TestHome()
    for (const number of numbers(13))
      await home.import(sourceOf({ pais: [{ cvePais: 'MEX', descPais: `México ${number}`, idPais: 484 }] }))
    const history = between(await pagesOf(home)('/explore/paises/484'), 'id="history-title"', '</section>')
    expect(history.match(/<tr><th scope="row">/g)).toHaveLength(12)
    expect(textOf(history)).toContain('México 2 México 3')
    expect(textOf(history)).not.toContain('México 1 ')
  })
})

describe('the tree', () => {
  const TREE = '/explore/tree'
  const open = (...nodes: readonly string[]) =>
    `${TREE}?${nodes.map((node) => `open=${node.replace(':', '%3A')}`).join('&')}`
  const toggles = async (target: string) =>
    Object.fromEntries(
      [...(await page(target)).matchAll(/<a class="toggle" href="([^"]*)"[^>]*aria-label="([^"]*)"/g)].map(
        ([, link = '', label = '']) => [label, link.replace(/#.*/, '').replaceAll('&amp;', '&')],
      ),
    )

  test('opens a node beside those that are open', async () =>
    expect(await toggles(open('paises:484'))).toEqual({
      'Close México': TREE,
      'Open Aguascalientes': open('paises:484', 'estados:1'),
      'Open Baja California': open('paises:484', 'estados:2'),
      'Open Ciencias': open('paises:484', 'areas-conocimiento:1'),
    }))

  test('closes with a node what is below it, and leaves open what it is in', async () => {
    const both = await toggles(open('estados:2', `municipios:${ENSENADA}`, 'areas-conocimiento:1'))
    expect(both).toMatchObject({
      'Close Ensenada': open('estados:2', 'areas-conocimiento:1'),
      'Close Baja California': open('areas-conocimiento:1', 'paises:484'),
      'Close México': open('areas-conocimiento:1'),
    })
  })

  test('counts the leaves below each node, and says how many have none', async () => {
    const html = await page(open('paises:484'))
    const states = between(html, 'id="node-estados-1"', 'class="note"')
    expect(textOf(states)).toContain('237 localities')
    expect(textOf(states)).toContain('1,040 localities')
    expect(attributes(states, 'width')).toEqual(['22.8', '100'])
    expect(textOf(html)).toContain('2 states without subdivisions here')
    expect(html).not.toContain('node-estados-3')
  })

  test('lists the first leaves of many', async () => {
    const html = await page(open(`municipios:${ENSENADA}`))
    expect(between(html, 'class="leaves"', '</ul>').match(/<li>/g)).toHaveLength(600)
    expect(linksOf(html).get('See all 1,040 in a table')).toBe(`/explore/localidades?idMunicipio=${ENSENADA}`)
    expect(linksOf(await page(open('municipios:1'))).has('See all 31 in a table')).toBe(false)
  })

  test.each([
    ['as many nodes as can be open', open(...numbers(50).map((id) => `municipios:${id}`)), undefined],
    ['one more', open(...numbers(51).map((id) => `municipios:${id}`)), '400'],
    ['a record of an owner', open('localidades:1'), '400'],
    ['no identifier', open('estados:x'), '400'],
    ['another parameter', `${TREE}?page=1`, '400'],
    ['a record that is not there', open('estados:99'), '404'],
  ])('%s', async (_, target, status) =>
    status === undefined ? await page(target) : expect(page(target)).rejects.toThrow(` is ${status}: `),
  )
})

describe('lists that belong together', () => {
  test.each(['/', '/explore'])('stand under what they are about, with a sentence: %s', async (target) => {
    const html = await page(target)
    const groups = html
      .split('<section class="group"')
      .slice(1)
      .map((group) => group.split('</section>')[0] ?? '')
    const shown = groups.map((group) => ({
      title: textOf(/<h\d>.*?<\/h\d>/.exec(group)?.[0] ?? '').trim(),
      sentence: textOf(/<p>.*?<\/p>/.exec(group)?.[0] ?? '').trim(),
      lists: [...linksOf(group).values()].map((link) => link.split('/').at(-1)),
    }))
    expect(shown.map(({ title, lists }) => ({ title, lists }))).toEqual([
      { title: 'Places', lists: ['localidades', 'municipios', 'estados', 'paises'] },
      {
        title: 'Knowledge',
        lists: ['areas-conocimiento', 'campos-conocimiento', 'disciplinas-conocimiento', 'subdisciplinas-conocimiento'],
      },
      { title: 'Audiences', lists: ['audiencias'] },
    ])
    for (const { sentence } of shown) expect(sentence).toMatch(/^[A-Z].*\.$/)
    expect(textOf(await page(`${target}?lang=es`))).toContain('Lugares Países del mundo')
  })
})

describe('a search over all collections', () => {
  test('marks what was searched for, and says what each is and what it is in', async () => {
    const html = await page('/explore?q=ensen')
    expect(html).toContain('<bdi><mark>Ensen</mark>ada</bdi>')
    expect(textOf(between(html, '<ol class="found">', '</ol>'))).toContain('municipality · Baja California · México')
    expect(textOf(await page('/explore?q=toluca'))).toContain('municipality · State of México · México')
    expect(linksOf(html).get('Ensen ada')).toBe(`/explore/municipios/${ENSENADA}`)
    expect(textOf(between(html, 'role="status"', '</p>'))).toEndWith('One result')
  })

  test.each([
    ['/explore?q=gemela', '2 results', ['See only localities (2)']],
    ['/explore?q=wkwkwk', 'nothing', []],
    // Fifty municipalities are better, so that the locality that fits is not shown.
    ['/explore?q=municipio', '206 results', ['See only municipalities (205)', 'See only localities (1)']],
    ['/explore?q=mexico', '2 results', ['See only countries (1)', 'See only states (1)']],
  ])('says how many: %s', async (target, count, within) => {
    const html = await page(target)
    expect(textOf(between(html, 'role="status"', '</p>')).toLowerCase()).toContain(count)
    expect([...linksOf(html).keys()].filter((text) => text.startsWith('See only'))).toEqual(within)
  })
})

describe('several releases', () => {
  const at = (count: number) => ({
    ...tiny,
    pais: tiny.pais.slice(0, count),
  })
  /** Two countries, then one, then two again; the current one is not the newest. */
  async function rolledBack() {
    const home = new TestHome()
    const digests: string[] = []
    for (const [number, count] of [2, 1, 2].entries()) {
      const audiencia = [{ ...tiny.audiencia[0], descCorta: `Número ${number}` }]
      digests.push((await home.import(sourceOf({ ...at(count), audiencia }), { acceptChanges: true })).digest)
    }
    home.store.activate(digests[1] as string)
    return { home, digests }
  }

  test('are compared with the one before the current one', async () => {
    const { home, digests } = await rolledBack()
    const get = pagesOf(home)
    const html = await get('/releases')
    const selected = (name: string) =>
      /<option value="([^"]*)" selected>/.exec(between(html, `<select id="${name}"`, '</select>'))?.[1]
    expect([selected('from'), selected('to')]).toEqual([digests[0], digests[1]])
    expect(html).not.toContain('These two releases')
    expect(textOf(await get('/'))).toContain('Catalog Added Changed Removed Countries 0 0 1 Audiences 0 1 0 See')
    expect(linksOf(await get('/')).get('See the changes one by one')).toBe(
      `/releases?from=${digests[0]}&to=${digests[1]}#compare`,
    )
    home[Symbol.dispose]()
  })

  test('are drawn from the oldest to the newest, and flat where nothing grew', async () => {
    const { home } = await rolledBack()
    const growth = between(await pagesOf(home)('/releases'), 'class="growth"', '</table>')
    const line = (name: string) =>
      /points="([^"]*)"/.exec(between(growth, `<th scope="row">${name}</th>`, '</tr>'))?.[1]
    expect(line('Countries')).toBe('4,4 80,28 156,4')
    expect(line('States')).toBe('4,16 80,16 156,16')
    expect(textOf(between(growth, '<th scope="row">Countries</th>', '</tr>'))).toMatch(/2 2 ±0 $/)
    home[Symbol.dispose]()
  })

  test('cannot be compared where there is one alone', async () => {
    const text = textOf(await page('/releases'))
    expect(text).not.toContain('Records in each release')
    expect(text).toContain('Two releases are needed to compare')
    expect(textOf(await page('/'))).toContain('This is the only release here')
  })

  test('say what changed where nothing grew, and that nothing did', async () => {
    using home = new TestHome()
    for (const descPais of ['México', 'Mexico'])
      await home.import(sourceOf({ pais: [{ cvePais: 'MEX', descPais, idPais: 484 }] }))
    expect(textOf(await pagesOf(home)('/'))).toContain('Countries 0 1 0 See')
    await home.import(sourceOf({ audiencia: [], pais: [{ cvePais: 'MEX', descPais: 'Mexico', idPais: 484 }] }))
    expect(textOf(await pagesOf(home)('/'))).toContain('no record has changed')
  })

  /** Damages a file in a way that only those who read it notice. */
  const blank = (path: string) => writeFileSync(path, ' '.repeat(statSync(path).size))

  test('are counted by the import, and never compared for the first page', async () => {
    using home = new TestHome()
    const { digest } = await home.import(sourceOf({ pais: tiny.pais }))
    await home.import(sourceOf({ pais: tiny.pais.slice(1) }), { acceptChanges: true })
    const counts = 'Countries 0 0 1 See'
    expect(textOf(await pagesOf(home)('/'))).toContain(counts)
    blank(home.fileOf(digest, 'pais', 'records'))
    expect(textOf(await pagesOf(home)('/'))).toContain(counts)
  })

  test('are not counted where the import could not read the one before', async () => {
    using home = new TestHome()
    const { digest } = await home.import(sourceOf({ pais: tiny.pais }))
    blank(home.fileOf(digest, 'pais', 'records'))
    await home.import(sourceOf({ pais: tiny.pais.slice(1) }), { acceptChanges: true })
    const text = textOf(await pagesOf(home)('/'))
    expect(text).toContain('The release before is of')
    expect(text).not.toContain('Countries 0')
  })
})

describe('the frame of a page', () => {
  test('says that the data is invented, and that a release is not the current one', async () => {
    using home = new TestHome()
    const before = await home.import(sourceOf({ pais: [{ cvePais: 'MEX', descPais: 'Antes', idPais: 484 }] }))
    const invented = sourceOf({ pais: [{ cvePais: 'MEX', descPais: 'Ahora', idPais: 484 }] }, { synthetic: true })
    await home.import(invented, { acceptChanges: true })
    const get = pagesOf(home)
    expect(await page('/explore')).not.toContain('class="notices"')
    const current = textOf(between(await get('/explore'), 'class="notices"', '</div>'))
    expect(current).toContain('Invented data')
    expect(current).not.toContain('not the current one')
    const older = textOf(between(await get(`/explore?release=${before.digest}`), 'class="notices"', '</div>'))
    expect(older).not.toContain('Invented data')
    expect(older).toContain('not the current one')
  })

  test.each([
    ['as long as a title may be', 108, ' · Countries'],
    ['longer', 109, ' · Countrie…'],
  ])('has a title of bounded length: %s', async (_, length, end) => {
    const words = 'x'.repeat(length)
    const title = between(await page(`/explore/paises?q=${words}`), '<title>', '</title>')
    expect(textOf(title).trim()).toBe(`${words}${end} · Nomenclator`)
  })
})

test('a language that there is not is carried by no link', async () => {
  const carried = (html: string) => attributes(html, 'href').filter((link) => /[?&]lang=/.test(link))
  const switches = ['/explore?lang=es', '/explore?lang=en']
  expect(carried(await page('/explore?lang=xx'))).toEqual(switches)
  expect(carried(await page('/explore?lang=en')).length).toBeGreaterThan(switches.length)
})

test('a quote in a search ends no line for the shell', async () => {
  const [line = ''] = attributes(await page('/explore/audiencias?q=d%27a'), 'data-copy').filter((text) =>
    text.startsWith('curl'),
  )
  expect(line).toEndWith("/api/v2/audiencias/all?q=d%27a'")
  expect(line.split("'")).toHaveLength(3)
})

test('the map lists the largest places that are on it, and no other', async () => {
  const html = await page('/map/localidades?idMunicipio=1')
  const listed = between(html, 'data-part="list"', '</ol>')
  expect([...linksOf(listed).keys()].slice(0, 2)).toEqual(['Centro', 'Norte'])
  expect(textOf(between(html, 'data-part="count"', '</p>'))).toContain('30')
  expect(textOf(listed)).toContain('Centro Municipio 1 , Aguascalientes')
  expect(listed.match(/<li>/g)).toHaveLength(20)
})
