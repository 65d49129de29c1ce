// Boundaries from a file to the answers: how features are matched, what a release keeps of them, and all that is served of them.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import proj4 from 'proj4'
import { fetchShelf } from '../../packages/server/src/distribution/shelf/fetch.ts'
import { compareReleases } from '../../packages/server/src/release/guard.ts'
import { checksumsText } from '../../packages/server/src/release/manifest.ts'
import { runHere } from '../support/command.ts'
import { FakeShelf } from '../support/fake-shelf.ts'
import { sourceOf, TestDirectory, TestHome } from '../support/releases.ts'
import { serverForAll } from '../support/server.ts'
import { LAMBERT, zippedShapefile } from '../support/shapefile.ts'
import { placesOf } from '../support/small-source.ts'

setDefaultTimeout(120_000)

const places = placesOf({
  states: [
    ['JAL', 'JC', 'Jalisco', 14],
    ['AGS', 'AS', 'Aguascalientes', 1],
  ],
  municipalities: [
    ['120', 'Zapopan', 14],
    ['039', 'Guadalajara', 14],
    ['001', 'Aguascalientes', 1],
    ['002', 'Asientos', 1],
  ],
  localities: [
    ['0001', 'Zapopan', 1],
    ['0001', 'San José', 2],
    ['0002', 'San José', 1],
    ['0001', 'San José', 3],
    ['0002', 'El Puerto', 2],
    ['0001', 'Asientos', 4],
  ],
})
const coordinates = [
  [20.2, -103.8],
  [20.5, -103.5],
  [20.9, -103.1],
  [21.5, -102.5],
  [20.55, -103.45],
  [22.5, -101.5],
]
const localidad = (places.localidad ?? []).map((row, at) => {
  const [latitud = 0, longitud = 0] = coordinates[at] ?? []
  return { ...row, latitud, longitud }
})
const source = sourceOf({ ...places, localidad })

type Corner = [number, number]
const box = (west: number, south: number, east: number, north: number): Corner[] => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
]
const feature = <P extends object>(properties: P, coordinates: unknown, type = 'Polygon') => ({
  type: 'Feature',
  properties,
  geometry: { type, coordinates },
})
/** Guadalajara is an enclave of Zapopan. */
const ENCLAVE = box(-103.6, 20.4, -103.4, 20.6)
const shapes = {
  zapopan: [box(-104, 20, -103, 21), ENCLAVE.toReversed()],
  guadalajara: [ENCLAVE],
  aguascalientes: [box(-103, 21, -102, 22)],
}
const features = [
  feature({ CVEGEO: '14120', NOMGEO: 'Zapopan' }, shapes.zapopan),
  feature({ CVEGEO: '14039', NOMGEO: 'Guadalajara' }, shapes.guadalajara),
  feature({ CVEGEO: '01001', NOMGEO: 'Aguascalientes' }, [shapes.aguascalientes], 'MultiPolygon'),
]
const collection = (of: readonly object[]) => JSON.stringify({ type: 'FeatureCollection', features: of })

class BoundaryHome extends TestHome {
  static async create(): Promise<BoundaryHome> {
    const home = new BoundaryHome()
    await home.import(source)
    return home
  }

  write(content: string | Uint8Array, name = 'shapes.geojson'): string {
    const path = join(this.path, name)
    writeFileSync(path, content)
    return path
  }

  importBoundaries(content: string | Uint8Array, ...more: readonly string[]) {
    return runHere('import', 'boundaries', this.write(content), '--list', 'municipios', '--home', this.path, ...more)
  }

  shapeOf(code: string): number[][][] | undefined {
    const file = this.current().entity('municipio').boundaries('full')
    const shape = file?.withCode(code)
    return shape === undefined ? undefined : file?.polygonsOf(shape).map((rings) => rings.map((ring) => [...ring]))
  }
}

/** The home that has all three shapes, for all tests that change nothing. */
const home = await BoundaryHome.create()
const before = home.current()
const imported = await home.importBoundaries(collection(features), '--json')
const release = home.current()

const ring = (corners: readonly Corner[]) => corners.flat().map((degrees) => Math.round(degrees * 1e7))

describe('features are matched', () => {
  const numbers = features.map(({ properties: { CVEGEO, NOMGEO }, ...one }) => ({
    ...one,
    properties: { id: null, name: NOMGEO, state_code: Number(CVEGEO.slice(0, 2)), mun_code: Number(CVEGEO.slice(2)) },
  }))
  const polygons = features.map(({ properties: { CVEGEO }, geometry }) => ({
    properties: { CVE_ENT: CVEGEO.slice(0, 2), CVE_MUN: CVEGEO.slice(2) },
    // Outer rings go with the clock in a shapefile.
    rings: (geometry.type === 'Polygon'
      ? geometry.coordinates
      : (geometry.coordinates as Corner[][][])[0]) as Corner[][],
  }))
  const clockwise = (project: (corner: Corner) => Corner) =>
    polygons.map(({ properties, rings }) => ({ properties, rings: rings.map((one) => one.toReversed().map(project)) }))
  test.each<[what: string, content: string | Uint8Array, fields: string[], flags?: string[]]>([
    ['by CVEGEO', collection(features), ['CVEGEO']],
    ['a feature a line', features.map((one) => JSON.stringify(one)).join('\n'), ['CVEGEO']],
    ['a text sequence', features.map((one) => `\x1e${JSON.stringify(one)}\n`).join(''), ['CVEGEO']],
    ['by numbers', collection(numbers), ['state_code', 'mun_code']],
    ['by fields that are named', collection(numbers), ['state_code', 'mun_code'], ['--code', 'state_code,mun_code']],
    [
      'of a shapefile',
      zippedShapefile(
        'mun',
        clockwise((corner) => corner),
      ),
      ['CVE_ENT', 'CVE_MUN'],
    ],
    [
      "of a shapefile in INEGI's projection",
      zippedShapefile(
        'mun',
        clockwise((corner) => proj4('WGS84', LAMBERT, corner)),
        LAMBERT,
      ),
      ['CVE_ENT', 'CVE_MUN'],
    ],
  ])('%s', async (_, content, fields, flags = []) => {
    using other = await BoundaryHome.create()
    const { code, out } = await other.importBoundaries(content, '--json', ...flags)
    expect([code, JSON.parse(out).boundaries]).toEqual([0, { list: 'municipios', shapes: 3, without: 1, fields }])
    const near = (one: number[][][] | undefined) =>
      one?.map((rings) => rings.map((of) => new Set(of.map((value) => Math.round(value / 100)))))
    for (const shape of ['14120', '14039', '01001'])
      expect(near(other.shapeOf(shape))).toEqual(near(home.shapeOf(shape)))
  })

  test('with their corners, the outer ring against the clock', () => {
    expect(home.shapeOf('14120')).toEqual([[ring(shapes.zapopan[0] as Corner[]), ring(ENCLAVE.toReversed())]])
  })

  test('and what is wrong is a finding with its number', async () => {
    using other = await BoundaryHome.create()
    const bow: Corner[] = [
      [-102, 22],
      [-101, 23],
      [-101, 22],
      [-102, 23],
      [-102, 22],
    ]
    const wrong = [
      feature({ CVEGEO: '14120' }, shapes.zapopan),
      feature({ CVEGEO: '99999' }, [box(0, 0, 1, 1)]),
      feature({ CVEGEO: '14039' }, [ENCLAVE.slice(0, -1)]),
      feature({ CVEGEO: '01001' }, [box(20, 50, 21, 51)]),
      feature({ CVEGEO: '01002' }, [bow]),
      feature({ CVEGEO: '01001' }, [box(2_500_000, 800_000, 2_600_000, 900_000)]),
      { type: 'Feature', properties: { CVEGEO: '01001' }, geometry: null },
    ]
    const { code, out } = await other.importBoundaries(collection(wrong), '--json')
    const { findings, boundaries } = JSON.parse(out)
    expect([code, boundaries]).toMatchObject([0, { shapes: 2, without: 2 }])
    const told = findings.filter(({ kind }: { kind: string }) => kind.startsWith('boundary-'))
    expect(
      told.map(({ kind, count, examples }: { kind: string; count: number; examples: string[] }) => [
        kind,
        count,
        examples,
      ]),
    ).toEqual([
      ['boundary-unmatched', 1, ['feature 2, 99999']],
      ['boundary-not-closed', 1, ['feature 3, 14039']],
      ['boundary-elsewhere', 2, ['feature 4, 01001', 'feature 6, 01001']],
      ['boundary-crosses-itself', 1, ['feature 5, 01002']],
      ['boundary-empty', 1, ['feature 7, 01001']],
    ])
  })

  test.each([
    [
      'of no record',
      collection([feature({ CVEGEO: '77777' }, shapes.guadalajara)]),
      ['--code', 'CVEGEO'],
      'matches no record of municipios',
    ],
    [
      'without a code',
      collection([feature({ name: 'x' }, shapes.guadalajara)]),
      [],
      'No property has its codes: name them with --code. The features have name.',
    ],
    ['of nothing', collection([]), [], 'has no feature that can be used'],
    ['in no JSON', 'x', [], 'is neither GeoJSON nor a zipped shapefile'],
    ['of another list', collection(features), ['--list', 'municipio s'], '--list was given twice'],
  ])('or refused, if they are %s', async (_, content, flags, words) => {
    using other = await BoundaryHome.create()
    const { code, err } = await other.importBoundaries(content, ...flags)
    expect([code === 0, err]).toEqual([false, expect.stringContaining(words)])
    expect(other.current().digest).toBe(before.digest)
  })

  test('or refused for a list that is not there', async () => {
    const { code, err } = await runHere(
      'import',
      'boundaries',
      home.write(collection(features)),
      '--list',
      'x',
      '--home',
      home.path,
    )
    expect([code, err]).toEqual([1, expect.stringContaining('--list was "x"; allowed is ')])
  })
})

describe('a release with boundaries', () => {
  test('has its records and all other lists as before, and another digest', () => {
    expect(JSON.parse(imported.out)).toMatchObject({
      outcome: 'activated',
      changes: { municipio: { changed: 3, fields: { boundary: 3 } } },
    })
    expect(release.digest).not.toBe(before.digest)
    for (const [name, entity] of Object.entries(before.manifest.entities)) {
      const now = release.manifest.entities[name]
      expect([name, now?.records, now?.facts]).toEqual([name, entity.records, entity.facts])
      if (name !== 'municipio') expect(now?.digest).toBe(entity.digest)
    }
    const digest = release.manifest.entities.municipio?.boundaries as string
    expect(checksumsText(release.manifest)).toContain(` boundaries ${digest}\n`)
    expect(checksumsText(before.manifest)).not.toContain('boundaries')
  })

  test('is sound, and made from the same file again it is the same', async () => {
    expect(await home.verify(release.digest)).toEqual([])
    const { out } = await home.importBoundaries(collection(features.toReversed()), '--json')
    expect(JSON.parse(out).outcome).toBe('nothing to do')
  })

  test('keeps them when the list is imported anew', async () => {
    using other = await BoundaryHome.create()
    await other.importBoundaries(collection(features))
    const renamed = (places.municipio ?? []).map((row, at) => (at === 0 ? { ...row, descMunicipio: 'Otro' } : row))
    const { changes } = await other.import(sourceOf({ ...places, municipio: renamed, localidad }))
    expect([changes?.municipio?.changed, changes?.municipio?.fields]).toEqual([1, { descMunicipio: 1 }])
    expect(other.shapeOf('14039')).toEqual(home.shapeOf('14039'))
    expect(await other.verify(other.current().digest)).toEqual([])
  })

  test('tells a changed shape as a change of that record', async () => {
    using other = await BoundaryHome.create()
    await other.importBoundaries(collection(features))
    const older = other.current()
    const moved = feature({ CVEGEO: '01001' }, [box(-103, 21, -102, 22.1)])
    await other.importBoundaries(collection([...features.slice(0, 2), moved]))
    const { municipio, localidad: below } = compareReleases(older, other.current())
    expect([municipio?.changed, municipio?.fields, below?.changed]).toEqual([1, { boundary: 1 }, 0])
    const { out } = await runHere('diff', older.digest, other.current().digest, '--home', other.path)
    expect(out).toContain('boundary')
  })

  test('has the findings of its last boundaries alone', async () => {
    using other = await BoundaryHome.create()
    const kinds = () => other.current().manifest.findings.filter(({ kind }) => kind.startsWith('boundary-')).length
    await other.importBoundaries(collection([...features, feature({ CVEGEO: '99999' }, [ENCLAVE])]))
    expect(kinds()).toBe(1)
    await other.importBoundaries(collection(features.slice(0, 2)))
    expect(kinds()).toBe(0)
  })

  test('comes to another machine with its boundaries', async () => {
    using other = new TestHome()
    await fetchShelf(other.store, (await FakeShelf.of(home.store)).reader())
    expect([
      await other.verify(release.digest),
      other.current().entity('municipio').boundaries('screen')?.count,
    ]).toEqual([[], 3])
  })
})

const { url } = serverForAll(() => release)
const { url: urlWithout } = serverForAll(() => before)
const json = async (path: string, of = url) => {
  const response = await fetch(`${of}${path}`)
  return { status: response.status, type: response.headers.get('content-type'), body: (await response.json()) as never }
}
type Records = readonly Readonly<Record<string, unknown>>[]
const codes = async (path: string) => {
  const { body } = await json(path)
  return (body as Records).map(({ cvegeo }) => cvegeo)
}

describe('the records at a point', () => {
  test.each([
    ['within', '20.2,-103.2', ['14120']],
    ['within an enclave', '20.5,-103.5', ['14039']],
    ['on the border of an enclave', '20.5,-103.6', ['14120', '14039']],
    ['on a corner of two', '21,-103', ['14120', '01001']],
    ['on the outer border', '20.5,-104', ['14120']],
    ['a centimetre outside', '20.5,-104.0000001', []],
    ['far away', '0,0', []],
  ])('%s', async (_, point, expected) =>
    expect(await codes(`/api/v2/municipios?containing=${point}`)).toEqual(expected),
  )

  test('of a list below, the nearest first', async () => {
    const found = await codes('/api/v2/localidades?containing=20.56,-103.44')
    expect(found).toEqual(['140390002', '140390001'])
    expect(await codes('/api/v2/localidades?containing=0,0')).toEqual([])
    expect(await codes('/api/v2/localidades?containing=20.9,-103.9&sort=-descLocalidad')).toEqual([
      '141200001',
      '141200002',
    ])
    expect(await codes('/api/v2/localidades/all?containing=20.56,-103.44')).toEqual(found)
  })

  test.each([
    ['municipios?containing=20,-103', 'import them with nomenclator import boundaries FILE --list municipios'],
    ['estados?bbox=1,2,3,4', 'import them with nomenclator import boundaries FILE --list estados'],
    ['localidades?containing=x', 'a latitude from -90 to 90'],
    ['localidades?bbox=1,3,2,2', 'the south is not above the north'],
    ['localidades?bbox=1,2,3', 'in degrees with commas between'],
    ['localidades?geometry=full', 'only together with format=geojson'],
  ])('%s is refused', async (path, words) => {
    const { status, body } = await json(`/api/v2/${path}`, urlWithout)
    expect([status, (body as { detail: string }).detail]).toEqual([400, expect.stringContaining(words)])
  })
})

test.each([
  ['municipios?bbox=-103.95,20.1,-103.9,20.2', ['14120']],
  ['municipios?bbox=-103.55,20.45,-103.45,20.55', ['14039']],
  ['municipios?bbox=-103.2,20.9,-102.9,21.1', ['14120', '01001']],
  ['municipios?bbox=-103.2,20.9,-102.9,21.1&idEstado=1', ['01001']],
  ['municipios?bbox=100,-90,-103.95,90', ['14120']],
  ['localidades?bbox=-103.6,20.4,-103.1,20.9', ['140390001', '141200002', '140390002']],
  ['localidades?bbox=170,20,-103.7,23', ['141200001']],
])('in a box: %s', async (path, expected) =>
  expect((await codes(`/api/v2/${path}`)).toSorted()).toEqual(expected.toSorted()),
)

describe('as GeoJSON', () => {
  type Feature = {
    readonly geometry: { type: string; coordinates: unknown } | null
    readonly properties: Record<string, unknown>
  }
  const featuresOf = async (path: string): Promise<Feature[]> => {
    const { type, body } = await json(path)
    expect(type).toBe('application/geo+json')
    return (body as { features: Feature[] }).features
  }

  test('a list has the records as they are, with their shapes', async () => {
    const found = await featuresOf('/api/v2/municipios?format=geojson&geometry=full')
    const { body } = await json('/api/v2/municipios')
    expect(found.map(({ properties }) => properties)).toEqual(body)
    expect(found.map(({ geometry }) => geometry)).toEqual([
      { type: 'Polygon', coordinates: shapes.zapopan },
      { type: 'Polygon', coordinates: shapes.guadalajara },
      { type: 'Polygon', coordinates: shapes.aguascalientes },
      null,
    ])
  })

  test('a record is a feature, with all corners', async () => {
    const { type, body } = await json('/api/v2/municipios/2?format=geojson&fields=descMunicipio')
    expect([type, body]).toEqual([
      'application/geo+json',
      {
        type: 'Feature',
        geometry: { type: 'Polygon', coordinates: [ENCLAVE] },
        properties: { descMunicipio: 'Guadalajara' },
      },
    ] as never)
  })

  test.each([
    ['/api/v2/localidades?format=geojson&bbox=-104,20,-103.7,21', { type: 'Point', coordinates: [-103.8, 20.2] }],
    ['/api/v2/localidades?format=geojson&bbox=-104,20,-103.7,21&geometry=none', null],
    [
      '/api/v2/estados/14/municipios?format=geojson&containing=20.5,-103.5',
      { type: 'Polygon', coordinates: [ENCLAVE] },
    ],
    ['/api/v2/search?q=guadalajara&in=municipios&format=geojson', { type: 'Polygon', coordinates: [ENCLAVE] }],
  ])('%s', async (path, geometry) => {
    const [one] = await featuresOf(path)
    expect(one?.geometry).toEqual(geometry as never)
  })

  test('all records are a text sequence', async () => {
    const response = await fetch(`${url}/api/v2/municipios/all?format=geojson`)
    expect([response.headers.get('content-type'), response.headers.get('content-disposition')]).toEqual([
      'application/geo+json-seq',
      `attachment; filename="municipios-${release.digest.slice(0, 12)}.geojsons"`,
    ])
    const texts = (await response.text()).split('\x1e').slice(1)
    expect(texts.map((text) => [text.endsWith('\n'), JSON.parse(text).properties.cvegeo])).toEqual(
      ['14120', '14039', '01001', '01002'].map((code) => [true, code]),
    )
  })
})

test("INEGI's web service has the shapes, or says how to import them", async () => {
  const found = await json('/wscatgeo/v2/geo/mgem/14/039')
  expect(found).toMatchObject({
    status: 200,
    body: {
      features: [
        {
          geometry: { type: 'Polygon', coordinates: [ENCLAVE] },
          properties: { cvegeo: '14039', nomgeo: 'Guadalajara' },
        },
      ],
    },
  } as never)
  expect((await json('/wscatgeo/v2/geo/mgem/14/')).body).toMatchObject({ features: [{}, {}] } as never)
  for (const path of ['geo/mgee/', 'geo/mgee/14'])
    expect(await json(`/wscatgeo/v2/${path}`)).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining('nomenclator import boundaries FILE --list estados') },
    } as never)
})

describe('a row with a point', () => {
  const resolve = async (rows: unknown, type = 'application/json') => {
    const body = typeof rows === 'string' ? rows : JSON.stringify(rows)
    const response = await fetch(`${url}/api/v2/resolve`, { method: 'POST', headers: { 'Content-Type': type }, body })
    const resolved = (await response.json()) as { verdict: string; code: string | null; how: string[] }[]
    return resolved.map(({ verdict, code, how }) => [verdict, code, how.includes('point')])
  }
  test.each([
    ['alone has its municipality', { lat: 20.5, lon: -103.5 }, ['exact', '14039', true]],
    ['as texts', { latitud: '20,5', longitud: '-103,5' }, ['exact', '14039', true]],
    ['decides between names', { localidad: 'San José', lat: 21.5, lon: -102.5 }, ['sure', '010010001', true]],
    ['decides what a text means', { q: 'San José', latitud: 20.9, longitud: -103.1 }, ['sure', '141200002', true]],
    ['changes nothing that is sure', { municipio: 'Zapopan', lat: 20.5, lon: -103.5 }, ['exact', '14120', false]],
    ['somewhere else', { lat: 0, lon: 0 }, ['none', null, false]],
    ['that is none', { lat: 'x', lon: 200 }, ['none', null, false]],
  ])('%s', async (_, row, expected) => expect(await resolve([row])).toEqual([expected] as never))

  test.each([
    ['lat=20.5&lon=-103.5', [['exact', '14039', true]]],
    ['localidad=San José&lat=21.5&lon=-102.5', [['sure', '010010001', true]]],
    ['q=San José&lat=20.9&lon=-103.1', [['sure', '141200002', true]]],
    ['municipio=Zapopan&lat=0&lon=0', [['exact', '14120', false]]],
  ])('in a query: %s', async (query, expected) => {
    const { body } = await json(`/api/v2/resolve?${query}`)
    const rows = body as { verdict: string; code: string | null; how: string[] }[]
    expect(rows.map(({ verdict, code, how }) => [verdict, code, how.includes('point')])).toEqual(expected as never)
  })

  test.each([
    ['lat=20.5', 'lat was "20.5"; allowed is lat and lon together'],
    ['lat=90.1&lon=0', 'degrees from -90 to 90'],
    ['lat=0&lon=x', 'degrees from -180 to 180'],
    ['q=a&q=b&lat=1&lon=1', 'one value, beside lat and lon'],
    ['latitud=1', 'Did you mean lat?'],
  ])('in a query is refused: %s', async (query, words) => {
    const { status, body } = await json(`/api/v2/resolve?${query}`)
    expect([status, (body as { detail: string }).detail]).toEqual([400, expect.stringContaining(words)])
  })

  test('in a table', async () =>
    expect(await resolve('localidad,lat,lon\nSan José,20.5,-103.5\n,21.5,-102.5\n,,\n', 'text/csv')).toEqual([
      ['sure', '140390001', true],
      ['exact', '01001', true],
      ['none', null, false],
    ]))
})

test('check --boundaries tells which coordinates do not lie where they should', async () => {
  using other = await BoundaryHome.create()
  const shrunk = feature({ CVEGEO: '01001' }, [box(-102.4, 21.4, -102.2, 21.6)])
  await other.importBoundaries(collection([...features.slice(0, 2), shrunk]))
  const { code, out } = await runHere('check', '--boundaries', '--home', other.path)
  expect([code, out]).toEqual([
    0,
    'localidades in the boundaries of municipios: 80.00 % of 5 lie in them (4) or within 3 km (0); 1 do not. 1 more belong to records without a shape.\n  010010001 is 10.3 km from 01001\n',
  ])
  expect((await runHere('check', '--boundaries', 'x')).code).toBe(2)
})

describe('a package', () => {
  const OFFICES =
    'code,region,name,lat,lon\n1,N,North office,20.5,-103.5\n2,S,South office,21.5,-102.5\n3,S,Third office,,\n'
  const REGIONS = 'code,name\nN,North\nS,South\n'
  const office = (code: unknown, one: unknown) => feature({ code, of: 'x' }, one)
  const SHAPES = [office(1, [ENCLAVE]), office(2, shapes.aguascalientes), office(9, [ENCLAVE])]
  const key = (fields: string[], resource = 'offices') => ({ fields, reference: { resource, fields: ['code'] } })
  const areas = (more: object, foreignKeys: object[] = [key(['code'])]) => ({
    name: 'areas',
    path: 'areas.geojson',
    schema: { fields: [{ name: 'code' }], foreignKeys },
    ...more,
  })
  const packageWith = (resource: object | undefined, content = collection(SHAPES)) => {
    const directory = new TestDirectory()
    const write = (name: string, text: string) => writeFileSync(join(directory.path, name), text)
    const tables = [
      { name: 'offices', path: 'offices.csv' },
      { name: 'regions', path: 'regions.csv' },
    ]
    write('offices.csv', OFFICES)
    write('regions.csv', REGIONS)
    write('areas.geojson', content)
    const resources = resource === undefined ? tables : [...tables, resource]
    write('datapackage.json', JSON.stringify({ name: 'places', resources }))
    return directory
  }
  const importedAlone = (directory: TestDirectory, into: TestHome) =>
    runHere('import', 'package', directory.path, '--alone', '--json', '--home', into.path)
  const shapesIn = (into: TestHome) => {
    const file = into.current().entity('offices').boundaries('full')
    return Array.from({ length: file?.count ?? 0 }, (_, shape) => [file?.codeOf(shape), file?.polygonsOf(shape)])
  }

  test('has boundaries for its lists', async () => {
    using directory = packageWith(areas({}))
    using into = new TestHome()
    const { code, out } = await importedAlone(directory, into)
    const { findings } = JSON.parse(out)
    expect([code, shapesIn(into)]).toEqual([
      0,
      [
        ['1', [[Int32Array.from(ring(ENCLAVE))]]],
        ['2', [[Int32Array.from(ring(shapes.aguascalientes[0] as Corner[]))]]],
      ],
    ])
    expect(findings.map(({ kind, examples }: { kind: string; examples: string[] }) => [kind, examples])).toEqual([
      ['boundary-unmatched', ['feature 3, 9']],
      ['boundary-missing', ['3']],
    ])
    expect(await into.verify(into.current().digest)).toEqual([])
  })

  test('exports them, and they are read back the same', async () => {
    using directory = packageWith(areas({}))
    using into = new TestHome()
    using exported = new TestDirectory()
    using again = new TestHome()
    await importedAlone(directory, into)
    const { out } = await runHere('export', 'package', exported.path, '--home', into.path)
    expect(out).toMatch(/^offices\.geojson +2$/m)
    const { features: written } = await Bun.file(join(exported.path, 'offices.geojson')).json()
    expect(written.map(({ properties }: { properties: object }) => properties)).toEqual([
      { code: '1', _code: '1' },
      { code: '2', _code: '2' },
    ])
    await importedAlone(exported, again)
    expect([again.current().digest, shapesIn(again)]).toEqual([into.current().digest, shapesIn(into)])
    expect((await runHere('check', exported.path)).out).toContain('1 finding')
  })

  test('loses them with its lists, and keeps those of others', async () => {
    using directory = packageWith(areas({}))
    using into = await BoundaryHome.create()
    await into.importBoundaries(collection(features))
    const { digest } = into.current()
    await runHere('import', 'package', directory.path, '--home', into.path)
    expect([shapesIn(into).length, into.shapeOf('14039') === undefined]).toEqual([2, false])
    expect((await runHere('remove', 'places', '--accept-changes', '--home', into.path)).code).toBe(0)
    expect(into.current().digest).toBe(digest)
    expect(checksumsText(into.current().manifest)).not.toContain('offices')
  })

  test('has another digest when one corner of them is moved', async () => {
    const moved = ENCLAVE.with(1, [-103.4, 20.4000001])
    using directory = packageWith(areas({}))
    using other = packageWith(areas({}), collection([office(1, [moved]), ...SHAPES.slice(1)]))
    using into = new TestHome()
    await importedAlone(directory, into)
    const older = into.current()
    await importedAlone(other, into)
    expect(into.current().digest).not.toBe(older.digest)
    expect(compareReleases(older, into.current()).offices).toMatchObject({ changed: 1, fields: { boundary: 1 } })
  })

  test.each<[what: string, resource: object, content: string | undefined, words: string]>([
    ['without a foreign key', areas({}, []), undefined, 'a foreign key to a list of this package'],
    ['of a list elsewhere', areas({}, [key(['code'], 'x')]), undefined, 'a foreign key to a list of this package'],
    ['in no JSON', areas({}), 'x', 'areas.geojson is neither GeoJSON nor a zipped shapefile'],
    ['in no file', areas({ path: 'none.geojson' }), undefined, 'a file that is there'],
  ])('is published without boundaries %s', async (_, resource, content, words) => {
    using directory = packageWith(resource, content)
    const { code, out } = await runHere('check', directory.path)
    expect([code, out]).toEqual([1, expect.stringContaining(words)])
    using into = new TestHome()
    await importedAlone(directory, into)
    expect([into.current().entity('offices').count, shapesIn(into)]).toEqual([3, []])
  })

  test('is checked and described with them', async () => {
    using directory = packageWith(areas({ format: 'geojson', 'nomenclator:code': ['code'] }))
    const { out } = await runHere('check', directory.path)
    expect(out).toContain('a feature matches no record of offices by code\n    feature 3, 9')
    const { err } = await runHere('describe', directory.path, '--force')
    expect(err).toBe('')
    const { resources } = await Bun.file(join(directory.path, 'datapackage.json')).json()
    expect(resources.at(-1)).toEqual(areas({ format: 'geojson', 'nomenclator:code': ['code'] }))
    expect((await runHere('check', directory.path)).out).toContain('feature 3, 9')
  })
})

describe('the explorer', () => {
  test.each([
    ['/explore/municipios/2', ['Guadalajara']],
    ['/explore/localidades/2-5', ['El Puerto en Guadalajara', 'class="shape"']],
  ])('%s shows where the record lies', async (path, words) => {
    const page = await (await fetch(`${url}${path}`, { headers: { 'Accept-Language': 'es' } })).text()
    for (const one of words) expect(page).toContain(one)
    expect(page).toContain('class="shape"')
  })

  test('the map has the boundaries of the lists above its dots', async () => {
    const page = await (await fetch(`${url}/map?lang=es`)).text()
    expect(page).toContain('¿Dónde estoy?')
    const [, settings = ''] = /data-settings="([^"]*)"/.exec(page) ?? []
    const { boundaries } = JSON.parse(settings.replaceAll('&quot;', '"').replaceAll('&amp;', '&'))
    const response = await fetch(`${url}${boundaries[0].shapes}`)
    expect([boundaries.length, response.status, (await response.text()).split('\x1e').length]).toEqual([1, 200, 5])
    expect(await (await fetch(`${urlWithout}/map?lang=es`)).text()).not.toContain('¿Dónde estoy?')
  })
})
