// The postal service's file: its import in every form in which people have it, what is wrong with it, and the lists that it makes.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { ReleaseStore } from '../../packages/server/src/release/home/release-store.ts'
import type { ImportOptions } from '../../packages/server/src/release/import.ts'
import { onlyOneNamed, recordsByCode } from '../../packages/server/src/release/package-references.ts'
import { type HomeList, sepomexSource } from '../../packages/server/src/source/sepomex/sepomex.ts'
import { ScratchDirectory, zipOf } from '../support/inegi-file.ts'
import { HEADER, NOTICE, type PostalRow, postalLine, postalText } from '../support/postal-file.ts'
import { TestHome } from '../support/releases.ts'
import { serverForAll } from '../support/server.ts'
import { placesOf, smallSource } from '../support/small-source.ts'

setDefaultTimeout(60_000)

const home = new TestHome()
const files = new ScratchDirectory()
afterAll(() => {
  home[Symbol.dispose]()
  files[Symbol.dispose]()
})

await home.import(
  smallSource(
    placesOf({
      states: [
        ['JAL', 'JC', 'Jalisco', 14],
        ['AGS', 'AS', 'Aguascalientes', 1],
      ],
      municipalities: [
        ['120', 'Zapopan', 14],
        ['039', 'Guadalajara', 14],
        ['001', 'Aguascalientes', 1],
      ],
      localities: [
        ['0001', 'Guadalajara', 2],
        ['0043', 'Néxtipac', 1],
        ['0044', 'Milpillas', 1],
        ['0045', 'Milpillas', 1],
        ['0046', 'La Aurora', 2],
      ],
    }),
  ),
)

const rows: readonly PostalRow[] = [
  ['44100', 'Guadalajara Centro', 'Colonia', '14039', '0001', 'Urbano', 'Guadalajara'],
  ['44100', 'La Aurora', 'Unidad habitacional', '14039', '0002', 'Urbano', 'Guadalajara'],
  ['44160', 'Americana', 'Colonia', '14039', '0003', 'Urbano', 'Guadalajara'],
  ['45200', 'Nextipac', 'Pueblo', '14120', '0001', 'Rural'],
  ['45200', 'San Esteban', 'Ejido', '14126', '0009', 'Rural'],
  ['45200', 'Milpillas', 'Ejido', '14120', '0002', 'Rural'],
  ['01000', 'El Ocote', 'Ranchería', '01001', '0001', 'Rural'],
]
const text = postalText(rows)

const sourceOf = (path: string) => {
  const release = home.current()
  const listOf = (collection: string) => recordsByCode(release, collection) as HomeList
  return sepomexSource(path, {
    catalog: release.catalog,
    states: listOf('estados'),
    municipalities: listOf('municipios'),
    localityOf: onlyOneNamed(release, 'localidades', 5),
  })
}
let last = 0
const put = (content: string | Buffer, type = 'txt') => files.put(`${++last}.${type}`, content)
const imported = async (path: string, options: Partial<ImportOptions> = {}) =>
  home.import(await sourceOf(path), options)

const report = await imported(put(Buffer.from(text, 'latin1')))
const release = home.current()
const { url } = serverForAll(() => release)
const get = async (path: string) => {
  const response = await fetch(`${url}/api/v2/${path}`)
  return { status: response.status, body: await response.json() }
}

describe('the file makes', () => {
  test('codes with their municipality, state, city and number of settlements', async () => {
    const { body } = await get('codigos-postales/44100')
    expect(body).toMatchObject({
      codigo: '44100',
      municipio: { cveMunicipio: '039', descMunicipio: 'Guadalajara' },
      estado: { descEstado: 'Jalisco' },
      ciudad: 'Guadalajara',
      totalAsentamientos: 2,
    })
    expect((await get('codigos-postales/01000')).body).toMatchObject({ codigo: '01000', ciudad: null })
  })

  test('settlements with their kind, zone, code and municipality', async () => {
    const { body } = await get('asentamientos/141200001')
    expect(body).toMatchObject({
      ...{ clave: '141200001', nombre: 'Nextipac', tipo: 'Pueblo', zona: 'Rural' },
      ...{ codigoPostal: { codigo: '45200' }, municipio: { descMunicipio: 'Zapopan' } },
    })
  })

  test("a settlement's locality, where it is outside cities and only one there has its name; rows are resolved to the same", async () => {
    const known = async (clave: string) => {
      const { body } = await get(`asentamientos/${clave}`)
      const { localidad, localidadVeredicto, localidadPuntaje } = body as Record<string, unknown>
      return [localidad, localidadVeredicto, localidadPuntaje]
    }
    expect(await known('141200001')).toEqual(['141200043', 'exact', 1])
    const { body } = await get('resolve?municipio=14120&localidad=Nextipac')
    expect(body).toMatchObject([{ verdict: 'exact', score: 1, code: '141200043' }])
    // Two have the name; in a city; none has it.
    for (const other of ['141200002', '140390002', '010010001']) expect(await known(other)).toEqual([null, null, null])
    const { body: found } = await get('asentamientos?localidad=141200043')
    expect(found).toMatchObject([{ nombre: 'Nextipac' }])
  })

  test('findings: a municipality that the home does not have, a code in several', async () => {
    expect(report.findings).toMatchObject([
      { kind: 'postal-code-in-several-municipalities', count: 1 },
      { kind: 'settlement-with-locality', count: 1 },
      { kind: 'settlement-in-unknown-municipality', count: 1 },
    ])
    expect(report.findings[2]?.examples[0]).toMatch(/:7, c_mnpio: 14126 San Esteban$/)
    expect((await get('asentamientos/141260009')).body).toMatchObject({ nombre: 'San Esteban', municipio: null })
    // The code is with the municipality of most of its settlements.
    expect((await get('codigos-postales/45200')).body).toMatchObject({ municipio: { descMunicipio: 'Zapopan' } })
  })

  test("a package with the licence's own words", () => {
    expect(release.manifest.packages).toMatchObject([
      {
        name: 'sepomex',
        licenses: [{ title: NOTICE }],
        lists: ['codigos-postales', 'asentamientos'],
        restricted: true,
      },
    ])
  })
})

describe('the paths of API v2', () => {
  test('the settlements of a code', async () => {
    const { body } = await get('codigos-postales/44100/asentamientos')
    expect((body as { nombre: string }[]).map(({ nombre }) => nombre)).toEqual(['Guadalajara Centro', 'La Aurora'])
  })

  test('a search for a code finds it first, and its beginning offers codes', async () => {
    const first = async (q: string) => ((await get(`search?q=${q}`)).body as { code: string }[]).map(({ code }) => code)
    expect((await first('44100'))[0]).toBe('44100')
    expect((await first('441')).slice(0, 2).sort()).toEqual(['44100', '44160'])
  })

  test('a settlement is found by its name, with its municipality', async () => {
    const { body } = await get('search?q=americana')
    expect((body as object[])[0]).toMatchObject({ name: 'Americana', code: '140390003' })
    expect((body as { breadcrumb: string[] }[])[0]?.breadcrumb).toContain('Guadalajara')
  })

  const resolved = async (rows: readonly object[]) => {
    const response = await fetch(`${url}/api/v2/resolve`, {
      method: 'POST',
      body: JSON.stringify(rows),
      headers: { 'Content-Type': 'application/json' },
    })
    return (await response.json()) as {
      readonly code: string
      readonly verdict: string
      readonly parents: readonly { readonly code: string }[]
    }[]
  }

  test.each([
    [{ cp: '44160' }, '44160', '14039'],
    [{ codigo_postal: '44160', municipio: 'Guadalajara' }, '44160', '14039'],
    [{ 'Código postal': '44100', Colonia: 'guadalajara centro' }, '140390001', '14039'],
    [{ CP: '45200', asentamiento: 'Milpillas' }, '141200002', '14120'],
    [{ colonia: 'Americana', municipio: 'Guadalajara', estado: 'Jalisco' }, '140390003', '14039'],
  ])('a row with %p means a record and its municipality', async (row, code, municipality) => {
    const [match] = await resolved([row])
    expect(match).toMatchObject({ code, verdict: 'exact' })
    expect(match?.parents.map((one) => one.code)).toContain(municipality)
  })

  test("INEGI's web service has the settlements of a municipality", async () => {
    const response = await fetch(`${url}/wscatgeo/v2/asentamientos/14/120`)
    expect(await response.json()).toMatchObject({
      datos: [
        { cve_asen: '0001', nom_asen: 'Nextipac', tipo_asen: 'Pueblo' },
        { cve_asen: '0002', nom_asen: 'Milpillas', tipo_asen: 'Ejido' },
      ],
      metadatos: { Fuente_informacion_estadistica: 'Correos de México, Catálogo Nacional de Códigos Postales' },
      numReg: 2,
    })
    const states = await fetch(`${url}/wscatgeo/v2/mgee`)
    expect(await states.json()).toMatchObject({ metadatos: { Fuente_informacion_estadistica: '-' } })
  })
})

describe('the same release comes of the file', () => {
  const digestOf = async (content: string | Buffer, type?: string) => (await imported(put(content, type))).digest
  const lines = text.split('\r\n')
  test.each([
    ['in UTF-8', Buffer.from(text)],
    ['in UTF-8 with a mark', Buffer.from(`\ufeff${text}`)],
    ['with LF', Buffer.from(text.replaceAll('\r\n', '\n'), 'latin1')],
    ['without an end', Buffer.from(text.trimEnd(), 'latin1')],
    [
      'with lines of separators',
      Buffer.from([...lines.slice(0, 3), '|'.repeat(14), ...lines.slice(3)].join('\r\n'), 'latin1'),
    ],
    ['with an empty line before the header', Buffer.from([lines[0], '', ...lines.slice(1)].join('\r\n'), 'latin1')],
    ['with letters that are put together from two', Buffer.from(text.normalize('NFD'))],
  ])('%s', async (_, bytes) => expect(await digestOf(bytes)).toBe(report.digest))

  test('in a zip', async () => {
    const zip = zipOf([
      { name: 'CPdescarga.txt', bytes: Buffer.from(text, 'latin1') },
      { name: '__MACOSX/._CPdescarga.txt', bytes: Buffer.from('x') },
    ])
    expect(await digestOf(zip, 'zip')).toBe(report.digest)
  })

  test('without the notice but for its words', async () => {
    await imported(put(Buffer.from(lines.slice(1).join('\r\n'), 'latin1')))
    expect(home.current().manifest.packages?.[0]?.licenses[0]?.title).toContain('Correos de México')
    expect(await digestOf(Buffer.from(text, 'latin1'))).toBe(report.digest)
  })
})

describe('is refused', () => {
  const refusal = async (content: string | Buffer, type?: string) => imported(put(content, type)).then(() => '', String)
  const withLine = (line: string) => postalText(rows) + line
  const [row] = rows as [PostalRow]
  const changed = (place: number, value: string) => withLine(postalLine(row.with(place, value) as unknown as PostalRow))

  test.each([
    ['a code that lost its zeros', changed(0, '1000'), ':10, d_codigo: "1000"; expected 5 digits, the zeros in front'],
    ['a number of other letters', changed(4, 'x001'), ':10, id_asenta_cpcons: "x001"; expected 4 digits'],
    ['a state of one digit', changed(3, '1'), ':10, c_estado: "1"; expected 2 digits'],
    ['a settlement without a name', changed(1, ' '), ':10, d_asenta: ""; expected a name'],
    ['a settlement twice', withLine(postalLine(row)), ':10, clave: '],
    ['a line that is cut', withLine('44100|Centro'), ':10, all: "2 values"; expected 15 values'],
    ['another file', 'a,b\n1,2\n3,4\n', ':1, all: "no header"; expected a line with d_codigo|c_estado|c_mnpio|'],
    ['an empty file', '', ':1, all: "no header"'],
    ['a header alone', `${NOTICE}\n${HEADER}\n`, ':1, all: "no settlements"'],
  ])('%s', async (_, content, words) => expect(await refusal(content)).toContain(words))

  test('with all its faults at once', async () => {
    const two = `${changed(0, '1')}\r\n${postalLine(['44100', '', 'Colonia', '14039', '12', 'Urbano'])}`
    expect(await refusal(two)).toContain('3 faults in the records given; nothing was changed')
  })

  test('a zip without a text file, a directory, a file that is not there', async () => {
    expect(await refusal(zipOf([{ name: 'a.csv', bytes: Buffer.from('x') }]), 'zip')).toContain('holds 0 text files')
    expect(await sourceOf(files.path).then(() => '', String)).toContain('is not a file')
    expect(await sourceOf(`${files.path}/none`).then(() => '', String)).toContain('there is no file')
  })

  test('a file that has lost more than a little', async () => {
    const before = new ReleaseStore(home.path).currentDigest()
    expect(await refusal(postalText(rows.slice(0, 3)))).toContain('--accept-changes')
    expect(new ReleaseStore(home.path).currentDigest()).toBe(before as string)
  })
})
