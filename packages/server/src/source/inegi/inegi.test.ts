// Checks that every vintage, encoding and packing of a table is read alike, and a large one in full.
import { expect, test } from 'bun:test'
import {
  encodings,
  estado,
  excerpt,
  inOwnTable,
  localidad,
  municipio,
  readAll,
  ScratchDirectory,
  writeLocalities,
  zipOf,
} from '../../../../../test/support/inegi-file.ts'
import { sourceOf, TestHome, tiny } from '../../../../../test/support/releases.ts'
import { silentReport } from './areas.ts'
import { inegiSource } from './inegi.ts'

const inForce = { includeRetired: false }

const published = {
  'localidades-2022': { estado, municipio, localidad },
  'localidades-2023': { estado, municipio, localidad },
  'localidades-2025': { estado, municipio, localidad },
  'municipios-2022': { municipio: inOwnTable },
  'municipios-2025': { municipio: inOwnTable },
  'estados-2025': { estado },
}
const lineEnds = { LF: (text: string) => text, CRLF: (text: string) => text.replaceAll('\n', '\r\n') }
const packings = {
  plain: (bytes: Buffer) => bytes,
  'in a zip': (bytes: Buffer) => zipOf([{ name: 'AGEEML_2025.csv', bytes }]),
  'in a zip with its twin': (bytes: Buffer) => {
    const latin1 = Buffer.from(bytes.toString().replace('\ufeff', ''), 'latin1')
    return zipOf([
      { name: 'AGEEML_2025101.csv', bytes: latin1 },
      { name: 'AGEEML_2025102_utf.csv', bytes },
    ])
  },
}

const ways = Object.keys(published).flatMap((name) =>
  Object.entries(encodings).flatMap(([encoding, encode]) =>
    Object.entries(lineEnds).flatMap(([end, ended]) =>
      Object.entries(packings)
        .filter(([packing]) => packing !== 'in a zip with its twin' || encoding !== 'Windows-1252')
        .map(([packing, pack]) => ({
          way: [name, encoding, end, packing].join(', '),
          name,
          bytes: () => pack(encode(ended(excerpt(name)))),
        })),
    ),
  ),
)

/** The facts that four figures are: people, men, women, dwellings. */
function people(figures: string, others: Readonly<Record<string, string>> = {}) {
  const [poblacion, poblacionMasculina, poblacionFemenina, viviendas] = figures.split(',').map(Number) as [
    number,
    number,
    number,
    number,
  ]
  return { ...others, poblacion, poblacionMasculina, poblacionFemenina, viviendas }
}

test('facts are read from a table of their own level, whatever the year; what is missing is not known', async () => {
  const aguascalientes = {
    latitud: 21.87982,
    longitud: -102.29605,
    altitud: 1878,
    poblacion: 863_893,
    poblacionMasculina: 419_168,
    poblacionFemenina: 444_725,
    ambito: 'U',
    viviendas: 246_259,
  }
  for (const name of ['localidades-2022', 'localidades-2023', 'localidades-2025']) {
    using directory = new ScratchDirectory()
    const { facts, findings } = await readAll(await inegiSource([directory.put('given', excerpt(name))], inForce))
    expect(facts.localidad?.[0]).toEqual(aguascalientes)
    expect(facts.localidad?.[1]).toMatchObject({ ambito: 'R', poblacion: 5, viviendas: 2 })
    // A locality has no facts of the areas that it lies in.
    expect([...(facts.municipio ?? []), ...(facts.estado ?? [])].every((one) => Object.keys(one).length === 0)).toBe(
      true,
    )
    expect(findings.filter(({ kind }) => kind === 'fact-not-read')).toEqual([])
  }
  using directory = new ScratchDirectory()
  const files = ['municipios-2025', 'estados-2025'].map((name) => directory.put(`${name}.csv`, excerpt(name)))
  const { facts } = await readAll(await inegiSource(files, inForce))
  expect(facts.municipio?.slice(0, 3)).toEqual([
    people('948990,462744,486246,266942', { cabecera: '0001' }),
    people('58250,28354,29896,14513', { cabecera: '0001' }),
    people('759137,360607,398530,220167'),
  ])
  expect(facts.estado?.[0]).toEqual(people('1425607,696683,728924,386671'))
})

test('a fact that cannot be read is a finding, and is not known', async () => {
  using directory = new ScratchDirectory()
  const odd = excerpt('localidades-2025').replace('"1878"', '"high"').replace('"21.87982300"', '"121.8"')
  const { facts, faults, findings } = await readAll(await inegiSource([directory.put('given', odd)], inForce))
  expect(faults).toEqual([])
  expect(facts.localidad?.[0]).toEqual({
    longitud: -102.29605,
    poblacion: 863_893,
    poblacionMasculina: 419_168,
    poblacionFemenina: 444_725,
    ambito: 'U',
    viviendas: 246_259,
  })
  expect(findings.find(({ kind }) => kind === 'fact-not-read')?.count).toBe(2)
})

test.each(ways)('$way', async ({ name, bytes }) => {
  using directory = new ScratchDirectory()
  const { rows, faults } = await readAll(await inegiSource([directory.put('given', bytes())], inForce))
  expect(faults).toEqual([])
  expect(rows).toEqual(published[name as keyof typeof published])
})

test('says where it comes from', async () => {
  using directory = new ScratchDirectory()
  const files = [directory.put('a.csv', excerpt('municipios-2025')), directory.put('b.csv', excerpt('estados-2025'))]
  const { origin } = await inegiSource(files, { includeRetired: true })
  expect(origin).toEqual({
    kind: 'inegi',
    title: 'INEGI, Catálogo Único de Claves (AGEEML)',
    synthetic: false,
    credits: [
      {
        to: 'INEGI, Catálogo Único de Claves de Áreas Geoestadísticas Estatales, Municipales y Localidades',
        of: ['estado', 'municipio'],
      },
    ],
    options: { files: 'a.csv, b.csv', includeRetired: true },
  })
})

test('can be read again, and gives the same with the same findings', async () => {
  using directory = new ScratchDirectory()
  const text = excerpt('localidades-2025').replace('"Abejones","0007"', '"Los Abejones","0007"')
  const source = await inegiSource([directory.put('given.csv', text)], inForce)
  expect(await readAll(source)).toEqual(await readAll(source))
})

test('fills a release', async () => {
  using directory = new ScratchDirectory()
  using home = new TestHome()
  const file = directory.put('given.csv', excerpt('localidades-2025'))
  await home.import(await inegiSource([file], inForce), { fallback: sourceOf(tiny), acceptChanges: true })
  const { entity, manifest } = home.current()
  expect(['estado', 'municipio', 'localidad'].map((name) => entity(name).count)).toEqual([3, 4, 10])
  expect(manifest.findings.map(({ kind }) => kind)).toEqual(['retired-left-out'])
})

test('reads 60,000 rows, and all localities of a municipality share what they say of it', async () => {
  using directory = new ScratchDirectory()
  const path = directory.put('large.csv', '')
  writeLocalities(path, 25, 'utf8')
  const source = await inegiSource([path], inForce)
  const report = silentReport()
  const counts = { estado: 0, municipio: 0, localidad: 0 }
  const municipalities = new Set<unknown>()
  for (const name of ['estado', 'municipio', 'localidad'] as const) {
    for await (const { rows } of source.read(name, report)) {
      counts[name] += rows.length
      if (name === 'localidad') for (const { idMunicipio } of rows) municipalities.add(idMunicipio)
    }
  }
  report.faults.throwIfAny()
  expect(counts).toEqual({ estado: 32, municipio: 2_400, localidad: 51_429 })
  expect(source.expected('localidad')).toBe(51_429)
  expect(municipalities.size).toBe(2_400)
  expect(report.findings.list()).toMatchObject([{ kind: 'retired-left-out', count: 8_571 }])
}, 180_000)
