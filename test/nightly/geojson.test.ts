// GeoJSON as a reader of others takes it: GDAL's ogrinfo has every record with the geometry and the values that JSON has.
import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { ran, runHere } from '../support/command.ts'
import { sourceOf, TestHome, tiny } from '../support/releases.ts'
import { serverForAll } from '../support/server.ts'

const home = new TestHome()
afterAll(() => home[Symbol.dispose]())
const localidad = tiny.localidad.map((row, at) => ({ ...row, latitud: 21 + at / 8, longitud: -102.5 - at / 8 }))
await home.import(sourceOf({ ...tiny, localidad }))
const square = (west: number, south: number) => {
  const [east, north] = [west + 1, south + 1]
  return [
    [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ],
  ]
}
const features = ['01001', '01002'].map((CVEGEO, at) => ({
  type: 'Feature',
  properties: { CVEGEO },
  geometry: { type: 'Polygon', coordinates: square(-103 - at, 20.5 + at) },
}))
const path = join(home.path, 'shapes.geojson')
await Bun.write(path, JSON.stringify({ type: 'FeatureCollection', features }))
await runHere('import', 'boundaries', path, '--list', 'municipios', '--home', home.path)
const { url } = serverForAll(() => home.current())

/** A feature as ogrinfo prints it: a line for each value, then its geometry as well-known text. */
function featureIn(text: string) {
  const values = [...text.matchAll(/^ {2}(\w+) \([^)]*\) = (.*)$/gm)].map(([, name = '', value]) => [name, value])
  return { values: Object.fromEntries(values), geometry: /^ {2}([A-Z]+ \(.*\))$/m.exec(text)?.[1] }
}

/** The kind of a geometry and its numbers, which GDAL writes in another form. */
const numbersOf = (text: string) => [
  /[a-z]+/i.exec(text)?.[0].toUpperCase(),
  ...(text.match(/-?[0-9.]+/g) ?? []).map(Number),
]

test.skipIf(Bun.which('ogrinfo') === null).each([
  ['municipios', 'municipios?format=geojson&geometry=full', 'list.geojson'],
  ['municipios', 'municipios/all?format=geojson&geometry=full', 'all.geojsons'],
  ['localidades', 'localidades/all?format=geojson', 'points.geojsons'],
])('ogrinfo reads %s from %s', async (list, request, name) => {
  const file = join(home.path, name)
  await Bun.write(file, await (await fetch(`${url}/api/v2/${request}`)).bytes())
  const { code, out } = await ran(['ogrinfo', '-ro', '-al', '-q', file])
  const read = out.split('\nOGRFeature').slice(1).map(featureIn)
  const records = (await (await fetch(`${url}/api/v2/${list}`)).json()) as Record<string, unknown>[]
  expect([code, read.length]).toEqual([0, records.length])
  for (const [at, { values, geometry }] of read.entries()) {
    const record = records[at] ?? {}
    // GDAL keeps what is no single value as JSON in a text.
    const plain = Object.entries(record).filter(([, value]) => typeof value !== 'object')
    expect(values).toMatchObject(Object.fromEntries(plain.map(([name, value]) => [name, String(value)])))
    const shape = features.find((one) => one.properties.CVEGEO === record.cvegeo)?.geometry ?? null
    const point = localidad.find(({ descLocalidad }) => descLocalidad === record.descLocalidad)
    const expected = list === 'municipios' ? shape : { type: 'Point', coordinates: [point?.longitud, point?.latitud] }
    const wanted = expected === null ? '' : `${expected.type} ${JSON.stringify(expected.coordinates)}`
    expect(numbersOf(geometry ?? '')).toEqual(numbersOf(wanted))
  }
})
