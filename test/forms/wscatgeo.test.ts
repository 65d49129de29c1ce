// INEGI's web service over a real socket, as programs call it: every path, the fields in their order, and keys that are none.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { releaseOf } from '../support/releases.ts'
import { serverForAll } from '../support/server.ts'
import { placesOf, smallSource } from '../support/small-source.ts'

setDefaultTimeout(60_000)

const places = placesOf({
  states: [
    ['JAL', 'JC', 'Jalisco', 14],
    ['AGS', 'AS', 'Aguascalientes', 1],
  ],
  // Their identifiers are other numbers than their codes.
  municipalities: [
    ['120', 'Zapopan', 14],
    ['039', 'Guadalajara', 14],
    ['001', 'Aguascalientes', 1],
  ],
  localities: [
    ['0001', 'Guadalajara', 2, 1_385_621],
    ['0002', 'San Cristóbal de la Barranca', 2],
    ['0010', 'Tesistán', 1, 0],
    ['0001', 'Zapopan', 1],
    ...['0002', '0003', '0004', '0005', '0006'].map((code) => [code, `Rancho ${code}`, 3] as const),
  ],
})
const facts = [
  { latitud: 20.67351, longitud: -103.34354, altitud: 1566, ambito: 'U', viviendas: 394646 },
  { ambito: 'R' },
]
const zapopan = {
  cabecera: '0010',
  poblacion: 1476491,
  poblacionFemenina: 755036,
  poblacionMasculina: 721455,
  viviendas: 442128,
}
const { municipio = [], localidad = [] } = places
const release = await releaseOf(
  smallSource({
    ...places,
    municipio: municipio.map((row, at) => (at === 0 ? { ...row, ...zapopan } : row)),
    localidad: localidad.map((row, at) => ({ ...row, ...facts[at] })),
  }),
)
const { url } = serverForAll(() => release)

type Body = { readonly datos: readonly Readonly<Record<string, string>>[]; readonly numReg: number }
const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${url}/wscatgeo${path}`, { headers, redirect: 'manual' })
async function rows(path: string) {
  const response = await get(path)
  const { datos, numReg } = (await response.json()) as Body
  expect([path, response.status, numReg]).toEqual([path, datos.length === 0 ? 404 : 200, datos.length])
  return datos
}
const names = async (path: string) =>
  (await rows(path)).map((row) => row.nomgeo ?? row.nom_agee ?? row.nom_agem ?? row.nom_loc)

const dashes = { pob_femenina: '-', pob_masculina: '-' }
const guadalajara = {
  ...{ cvegeo: '140390001', cve_ent: '14', cve_mun: '039', cve_loc: '0001', nomgeo: 'Guadalajara', ambito: 'Urbano' },
  ...{ latitud: '20.67351', longitud: '-103.34354', altitud: '1566' },
  ...{ pob_total: '1385621', total_viviendas_habitadas: '394646', ...dashes },
}

describe('the fields, in their order', () => {
  test.each([
    [
      '/v2/mgee/14',
      {
        ...{ cvegeo: '14', cve_ent: '14', nomgeo: 'Jalisco', nom_abrev: 'JAL' },
        ...{ pob_total: '-', ...dashes, total_viviendas_habitadas: '-' },
      },
    ],
    [
      '/v2/mgem/14120',
      {
        ...{ cvegeo: '14120', cve_ent: '14', cve_mun: '120', nomgeo: 'Zapopan', cve_cab: '0010', nom_cab: 'Tesistán' },
        ...{
          pob_total: '1476491',
          pob_femenina: '755036',
          pob_masculina: '721455',
          total_viviendas_habitadas: '442128',
        },
      },
    ],
    ['/v2/localidades/140390001', guadalajara],
    [
      '/mgee/14',
      { cve_agee: '14', nom_agee: 'Jalisco', nom_abrev: 'JAL', pob: '-', pob_fem: '-', pob_mas: '-', viv: '-' },
    ],
    [
      '/mgem/14039',
      {
        ...{ cve_agee: '14', cve_agem: '039', nom_agem: 'Guadalajara', cve_cab: '0001', nom_cab: 'Guadalajara' },
        ...{ pob: '-', pob_fem: '-', pob_mas: '-', viv: '-' },
      },
    ],
    [
      '/localidades/140390002',
      {
        ...{ cve_agee: '14', cve_agem: '039', cve_loc: '0002', nom_loc: 'San Cristóbal de la Barranca' },
        ...{ ambito: 'Rural', latitud: '-', longitud: '-', altitud: '-', pob: '-', viv: '-' },
      },
    ],
  ])('%s', async (path, fields) => {
    const datos = await rows(path)
    expect(datos).toEqual([fields])
    expect(Object.keys(datos[0] ?? {})).toEqual(Object.keys(fields))
  })

  test('a number that is 0 is known; a seat that the release does not have is its usual code', async () => {
    expect(await rows('/localidades/141200010')).toMatchObject([{ pob: '0' }])
    expect(await rows('/mgem/01001')).toMatchObject([{ cve_cab: '0001', nom_cab: '-' }])
  })
})

describe('every path, with a slash at its end and without, in both versions', () => {
  test.each([
    ['/mgee', ['Aguascalientes', 'Jalisco']],
    ['/mgee/01', ['Aguascalientes']],
    ['/mgee/buscar/jal', ['Jalisco']],
    ['/mgem/14', ['Zapopan', 'Guadalajara']],
    ['/mgem/14/039', ['Guadalajara']],
    ['/mgem/14039', ['Guadalajara']],
    ['/mgem/buscar/aguas', ['Aguascalientes']],
    ['/localidades/14/039', ['Guadalajara', 'San Cristóbal de la Barranca']],
    ['/localidades/14039', ['Guadalajara', 'San Cristóbal de la Barranca']],
    ['/localidades/14/039/0002', ['San Cristóbal de la Barranca']],
    ['/localidades/140390002', ['San Cristóbal de la Barranca']],
    ['/localidades/buscar/crist%C3%B3bal%20barranca', ['San Cristóbal de la Barranca']],
    ['/localidades/buscar/CRISTOBAL', ['San Cristóbal de la Barranca']],
  ])('%s', async (path, expected) => {
    for (const version of ['', '/v2'])
      for (const end of ['', '/', '?_=1700000000'])
        expect([path, await names(`${version}${path}${end}`)]).toEqual([path, expected])
  })
})

test('the source and its date are told', async () => {
  const { metadatos } = (await (await get('/v2/mgee/')).json()) as { readonly metadatos: object }
  expect(metadatos).toEqual({
    Fuente_informacion_estadistica: 'rows <of> a "test" & no more',
    Fecha_actualizacion: release.manifest.built.slice(0, 10),
  })
})

test('any origin may read it; it has a validator and is compressed', async () => {
  const response = await get('/v2/localidades/01/001', { 'Accept-Encoding': 'gzip' })
  const etag = response.headers.get('etag') ?? ''
  expect(etag).not.toBe('')
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(response.headers.get('content-encoding')).toBe('gzip')
  expect((await get('/v2/localidades/01/001', { 'If-None-Match': etag, 'Accept-Encoding': 'gzip' })).status).toBe(304)
  const preflight = await fetch(`${url}/wscatgeo/v2/mgee/`, { method: 'OPTIONS' })
  expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([200, 'GET, HEAD, OPTIONS'])
  expect((await fetch(`${url}/wscatgeo/v2/mgee/`, { method: 'POST', body: '{}' })).status).toBe(405)
  const head = await fetch(`${url}/wscatgeo/v2/mgee/`, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
})

describe('what is no key finds nothing', () => {
  const hostile = [
    ...['99', '1', '014', '14/039/0001/1', '%31%34', '14%2F039', '..%2f14', '__proto__', 'constructor', 'toString'],
    ...['%00', '%FF', '%', '<script>', '1e1', '+4', '-1', ' 14', '١٤', '14;', "14'--", '9'.repeat(2_000), '140/39'],
    ...['/', '//', '14//', 'buscar', 'buscar/', 'buscar/%20', 'buscar/%FF', 'buscar/a/b', 'buscar/__proto__'],
    ...[`buscar/${'a'.repeat(500)}`, `buscar/${'%20a'.repeat(200)}`, 'buscar/xyzzyx'],
  ]
  test.each(hostile)('%p', async (key) => {
    for (const list of ['mgee', 'localidades', 'asentamientos', 'v2/mgee', 'v2/localidades', 'v2/asentamientos']) {
      const response = await get(`/${list}/${key}`)
      expect([list, response.status]).toEqual([list, 404])
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(await response.json()).toMatchObject({ datos: [], numReg: 0 })
    }
  })

  test.each(['', '/', '/v2', '/v2/', '/v3/mgee', '/v2/v2/mgee', '//mgee', '/mgeex', '/__proto__', '/constructor/14'])(
    'no list is at %p',
    async (path) => {
      const response = await get(path)
      expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/problem+json'])
      expect(await response.text()).toContain('/wscatgeo/v2/mgee')
    },
  )

  test.each(['/v2/geo/mgee/', '/v2/geo/mgem/14', '/geo/mgee'])('no boundaries are at %p', async (path) => {
    const response = await get(path)
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('This server needs boundaries')
  })
})
