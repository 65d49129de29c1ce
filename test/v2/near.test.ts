// The records nearest to a point over API v2: lists, lists of children and search, in all formats, and what is refused.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { hasCoordinates } from '../../packages/server/src/catalog/entity.ts'
import { distanceNameOf } from '../../packages/server/src/query/near.ts'
import { factReader } from '../../packages/server/src/release/facts.ts'
import { localidad } from '../support/built-in.ts'
import { naiveCodes, recordsOf } from '../support/found.ts'
import { located, metresBetween } from '../support/located.ts'
import { releaseOf } from '../support/releases.ts'
import { appOf, responseTo } from '../support/responses.ts'

setDefaultTimeout(180_000)

const release = await releaseOf(located)
const app = appOf(() => release)
const get = (target: string) => responseTo(app, { target })

type Listed = { readonly [name: string]: unknown; readonly distancia?: number }

const factsAt = factReader(release.entity('localidad'))
const localities = recordsOf(release, 'localidad').map((record, position) => {
  const { latitud, longitud, ...others } = factsAt(position)
  const known = typeof latitud === 'number' && typeof longitud === 'number'
  const point = known ? { latitude: latitud, longitude: longitud } : undefined
  const codes = naiveCodes(localidad, record)
  return { record: { ...record, ...codes }, bare: record, codes, point, facts: { latitud, longitud, ...others } }
})

const CENTER = { latitude: 19.43, longitude: -99.13 }
const NEAR = '/api/v2/localidades?near=19.43,-99.13'

/** All of a list in the order of the model, with the facts of each. */
const nearest = (point = CENTER) =>
  localities
    .flatMap(({ point: own, ...locality }) =>
      own === undefined ? [] : [{ ...locality, distancia: metresBetween(point, own) }],
    )
    .sort((a, b) => a.distancia - b.distancia)
const expected = (point = CENTER): Listed[] => nearest(point).map(({ record, distancia }) => ({ ...record, distancia }))

async function listed(target: string): Promise<Listed[]> {
  const response = await get(target)
  if (response.status !== 200) throw new Error(`${target}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Listed[]
}

describe('a list near a point', () => {
  test('has the nearest first, each with its distance at the end, and counts all with coordinates', async () => {
    const response = await get(`${NEAR}&per_page=20`)
    const all = expected()
    expect(response.status).toBe(200)
    expect(await response.text()).toBe(JSON.stringify(all.slice(0, 20)))
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'x-total': String(all.length),
      'x-total-pages': String(Math.ceil(all.length / 20)),
      'x-page': '1',
      link: expect.stringContaining('near=19.43%2C-99.13'),
    })
    expect(all.length).toBeLessThan(localities.length)
  })

  test('is put in another order: all within a distance, or else the nearest thousand', async () => {
    const byName = (records: readonly Listed[]) =>
      records.map(({ idLocalidad, idMunicipio }) => [idLocalidad, (idMunicipio as Listed).idMunicipio].join()).sort()
    const within = await listed(`${NEAR}&within_km=2000&sort=-poblacion,descLocalidad&per_page=1000&facts=true`)
    const wanted = expected().filter(({ distancia = 0 }) => distancia <= 2_000_000)
    expect(wanted.length).toBeGreaterThan(10)
    expect(byName(within)).toEqual(byName(wanted.slice(0, 1_000)))
    const populations = within.map(({ poblacion }) => Number(poblacion ?? -1))
    expect(populations).toEqual(populations.toSorted((a, b) => b - a))
    expect(within.every(({ distancia }) => typeof distancia === 'number')).toBe(true)
    const nearestThousand = await listed(`${NEAR}&sort=descLocalidad&per_page=1000`)
    expect(byName(nearestThousand)).toEqual(byName(expected().slice(0, 1_000)))
    expect((await get(`${NEAR}&sort=descLocalidad`)).headers.get('x-total')).toBe(
      String(Math.min(expected().length, 1_000)),
    )
  })

  test('any page, and a walk with cursors, of any point and any size of page, with a filter', async () => {
    const anyPoint = fc.record({
      latitude: fc.integer({ min: -9_000, max: 9_000 }).map((number) => number / 100),
      longitude: fc.integer({ min: -18_000, max: 18_000 }).map((number) => number / 100),
    })
    const holds = fc.asyncProperty(
      anyPoint,
      fc.integer({ min: 150, max: 1_000 }),
      fc.constantFrom(undefined, 1, 3),
      fc.constantFrom(undefined, 500, 9_000.5),
      async (point, perPage, state, within) => {
        const wanted = expected(point).filter(
          ({ distancia = 0, idEstado }) =>
            (state === undefined || (idEstado as Listed).idEstado === state) &&
            distancia <= (within === undefined ? Number.POSITIVE_INFINITY : within * 1_000),
        )
        const query = [
          `near=${point.latitude},${point.longitude}`,
          `per_page=${perPage}`,
          ...(state === undefined ? [] : [`idEstado=${state}`]),
          ...(within === undefined ? [] : [`within_km=${within}`]),
        ].join('&')
        const walked: Listed[] = []
        let target: string | undefined = `/api/v2/localidades?${query}`
        while (target !== undefined) {
          const response = await get(target)
          expect(response.headers.get('x-total')).toBe(String(wanted.length))
          const page = (await response.json()) as Listed[]
          walked.push(...page)
          target = /<http:\/\/x([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
          if (page.length === 0) break
        }
        expect(walked).toEqual(wanted)
        const last = Math.max(Math.ceil(wanted.length / perPage), 1)
        expect(await listed(`/api/v2/localidades?${query}&page=${last}`)).toEqual(wanted.slice((last - 1) * perPage))
      },
    )
    await fc.assert(holds, { numRuns: 25 })
  })

  test('below a record', async () => {
    const wanted = expected().filter(({ idMunicipio }) => (idMunicipio as Listed).idMunicipio === 5)
    expect(await listed('/api/v2/municipios/5/localidades?near=19.43,-99.13&per_page=1000')).toEqual(wanted)
  })

  test('with words, those that have them', async () => {
    const wanted = expected().filter(({ descLocalidad }) => descLocalidad === 'Laguna')
    expect(await listed(`${NEAR}&q=laguna&per_page=1000`)).toEqual(wanted)
  })

  test('as newline-delimited JSON, with facts before the distance', async () => {
    const response = await get(`${NEAR}&per_page=3&format=ndjson&facts=true`)
    const lines = nearest()
      .slice(0, 3)
      .map(({ bare, facts, codes, distancia }) => ({ ...bare, ...facts, ...codes, distancia }))
    expect(await response.text()).toBe(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  })

  test('as CSV, with the distance in the last column', async () => {
    const response = await get(`${NEAR}&per_page=2&format=csv&fields=descLocalidad,latitud`)
    const rows = nearest()
      .slice(0, 2)
      .map(({ record, facts, distancia }) => [record.descLocalidad, facts.latitud, distancia].join())
    expect(await response.text()).toBe(['descLocalidad,latitud,distancia', ...rows, ''].join('\r\n'))
  })

  test('with some fields, or with identifiers of what is embedded, the distance is given too', async () => {
    const [first] = nearest()
    expect(await listed(`${NEAR}&per_page=1&fields=cveLocalidad`)).toEqual([
      { cveLocalidad: first?.record.cveLocalidad as string, distancia: first?.distancia as number },
    ])
    expect(await listed(`${NEAR}&per_page=1&embed=id`)).toEqual([
      {
        ...first?.record,
        idEstado: expect.any(Number),
        idMunicipio: expect.any(Number),
        distancia: first?.distancia as number,
      },
    ])
  })
})

describe('a search near a point', () => {
  const search = (query: string) => listed(`/api/v2/search?${query}`)

  test('gives the nearest of the records that match, with their distance', async () => {
    const wanted = expected().filter(({ descLocalidad }) => descLocalidad === 'Tula')
    const found = await search('q=tula&near=19.43,-99.13&limit=30')
    expect(found.map(({ distancia }) => distancia)).toEqual(wanted.slice(0, 30).map(({ distancia }) => distancia))
    expect(found.every(({ collection, name }) => collection === 'localidades' && name === 'Tula')).toBe(true)
    expect(Object.keys(found[0] as Listed).at(-1)).toBe('distancia')
  })

  test('keeps to a distance, and to what is within a record', async () => {
    const wanted = expected().filter(
      ({ descLocalidad, distancia = 0, idEstado }) =>
        descLocalidad === 'Tula' && distancia <= 2_000_000 && (idEstado as Listed).idEstado === 4,
    )
    const found = await search('q=tula&near=19.43,-99.13&within_km=2000&within=estados:4&limit=50')
    expect(wanted.length).toBeGreaterThan(0)
    expect(found.map(({ distancia }) => distancia)).toEqual(wanted.slice(0, 50).map(({ distancia }) => distancia))
  })

  test('has no distance where no point is given', async () => {
    expect((await search('q=tula')).filter((suggestion) => 'distancia' in suggestion)).toEqual([])
  })
})

describe('refused', () => {
  const NEAR_ALLOWED =
    'a latitude from -90 to 90, a comma, and a longitude from -180 to 180, with a point before their decimals'
  const WITHIN_ALLOWED = 'a number from 0.001 to 20040'
  const cases: [string, string][] = [
    ...[
      '',
      '19.43',
      '19.43,',
      ',1',
      '90.1,0',
      '-91,0',
      '0,180.5',
      '0,-181',
      '1,2,3',
      '19,43,-99,13',
      'a,b',
      '1e1,2',
      '+1,2',
      '1, 2',
      '.5,1',
    ].map((near): [string, string] => [`near=${near}`, NEAR_ALLOWED]),
    ...['', '0', '-1', '20040.1', '1,5', 'x', 'Infinity'].map((km): [string, string] => [
      `near=1,2&within_km=${km}`,
      WITHIN_ALLOWED,
    ]),
    ['within_km=5', 'a distance from near, which must be given too'],
    ['near=1,2&near=1,2', 'it may be given only once'],
  ]
  const both = cases.flatMap(([query, allowed]) =>
    ['localidades?', 'estados/1/localidades?', 'search?q=a&'].map(
      (route) => [`/api/v2/${route}${query}`, allowed] as const,
    ),
  )
  test.each(both)('%s', async (target, allowed) => {
    const response = await get(target)
    expect(response.status).toBe(400)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(((await response.json()) as { detail: string }).detail).toContain(allowed)
  })

  test.each([
    ['a search of records without coordinates', '/api/v2/search?q=a&in=paises&near=1,2', 'allowed is localidades'],
    ['a cursor of another list', '/api/v2/localidades?near=1,2&after=x', 'a cursor out of the Link header'],
  ])('%s', async (_what, target, detail) => {
    const response = await get(target)
    expect([response.status, ((await response.json()) as { detail: string }).detail]).toEqual([
      400,
      expect.stringContaining(detail),
    ])
  })

  test('the edges of the map are not', async () => {
    for (const near of ['90,180', '-90,-180', '-0,0', '0,0', '12.123456789012345,1'])
      expect((await get(`/api/v2/localidades?near=${near}&within_km=20040`)).headers.get('x-total')).toBe(
        String(expected().length),
      )
  })

  test('where records have no coordinates, the parameter is not known', async () => {
    for (const entity of release.catalog.entities.values())
      expect((await get(`/api/v2/${entity.plural}?near=1,2`)).status).toBe(hasCoordinates(entity) ? 200 : 400)
  })
})

test('a list with a field of that name has its distances under another', () => {
  const text = { kind: 'value', type: 'text', description: 'x', optional: true } as const
  const list = { ...localidad, fields: { ...localidad.fields, distancia: text, distancia_: text } }
  expect([distanceNameOf(localidad), distanceNameOf(list)]).toEqual(['distancia', 'distancia__'])
})
