/** Checks that the bundled tables have the corrections, without the packages that they were made from. */
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import {
  addedLocalidades,
  addedMunicipios,
  type Correction,
  countryNames,
  leftOutLocalidades,
  localidadNames,
  movedLocalidades,
  municipioNames,
  seats,
} from './corrections.ts'
import { parseCsv } from './table.ts'

async function bundled(file: string): Promise<readonly Readonly<Record<string, string>>[]> {
  const { columns, rows } = parseCsv(file, await Bun.file(join(import.meta.dir, '..', file)).text())
  return rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, String(row[at])])))
}

const paises = await bundled('pais.csv')
const municipios = await bundled('municipio.csv')
const localidades = await bundled('localidad.csv')

const municipioCode = ({ idEstado = '', cveMunicipio }: Readonly<Record<string, string>>): string =>
  `${idEstado.padStart(2, '0')}${cveMunicipio}`
const codeById = new Map(municipios.map((row) => [row.idMunicipio, municipioCode(row)]))

const countries = new Map(paises.map((row) => [row.cvePais, row.descPais]))
const municipioNamesByCode = new Map(municipios.map((row) => [municipioCode(row), row.descMunicipio]))
const localidadNamesByCode = new Map(localidades.map((row) => [row.cveLocalidad, row.descLocalidad]))
const municipioOfLocalidad = new Map(localidades.map((row) => [row.cveLocalidad, codeById.get(row.idMunicipio)]))
const seatByCode = new Map(municipios.map((row) => [municipioCode(row), row.cabecera]))

const lists: readonly (readonly [
  string,
  readonly Correction[],
  ReadonlyMap<string | undefined, string | undefined>,
])[] = [
  ['the names of countries', countryNames, countries],
  ['the added municipalities', addedMunicipios, municipioNamesByCode],
  ['the names of municipalities', municipioNames, municipioNamesByCode],
  ['the added localities', addedLocalidades, localidadNamesByCode],
  ['the names of localities', localidadNames, localidadNamesByCode],
  ['the municipalities of localities', movedLocalidades, municipioOfLocalidad],
  ['the seats', seats, seatByCode],
]

describe('the bundled tables have', () => {
  test.each(lists)('%s', (_, corrections, found) => {
    expect(corrections.map(({ code }) => [code, found.get(code)])).toEqual(
      corrections.map(({ code, value }) => [code, value]),
    )
  })

  test('none of the localities left out', () => {
    expect(leftOutLocalidades.filter(({ code }) => localidadNamesByCode.has(code))).toEqual([])
    expect(localidades.filter(({ descLocalidad }) => descLocalidad?.startsWith('Ninguno'))).toEqual([])
  })
})

test('an added locality has the nine digits of INEGI, which no geonameid has, in the municipality that they name', () => {
  const added = new Set(addedLocalidades.map(({ code }) => code))
  expect([...added].filter((code) => municipioOfLocalidad.get(code) !== code.slice(0, 5))).toEqual([])
  const geonameId = /^[1-9]\d{6,7}$/
  const odd = localidades.filter(({ cveLocalidad = '' }) => geonameId.test(cveLocalidad) === added.has(cveLocalidad))
  expect(odd).toEqual([])
})

describe('the seat of a municipality', () => {
  test('is a locality of it', () => {
    expect([...seatByCode].filter(([code, seat]) => municipioOfLocalidad.get(seat) !== code)).toEqual([])
  })

  test.each([
    ['02006', 'San Quintín'],
    ['04011', 'Candelaria'],
    ['05032', 'Nueva Rosita'],
    ['07033', 'Rivera el Viejo Carmen'],
    ['07123', '20 de Noviembre'],
    ['08036', 'José Mariano Jiménez'],
    ['09005', 'Gustavo A. Madero'],
    ['10012', 'Lerdo'],
    ['12052', 'San Luis Acatlán'],
    ['12083', 'Coapinola'],
    ['15021', 'Coatepec Harinas'],
    ['20390', 'Santa Lucía del Camino'],
    ['20468', 'Monte Negro'],
    ['23010', 'Bacalar'],
    ['23011', 'Puerto Morelos'],
    ['24059', 'Villa de Pozos'],
    ['28011', 'Gómez Farías'],
    ['29002', 'Apetatitlán'],
    ['30028', 'Boca del Río'],
    ['30207', 'Tres Valles'],
    ['32036', 'Ojocaliente'],
  ])('%s is %s', (code, name) => expect(localidadNamesByCode.get(seatByCode.get(code))).toBe(name))
})

describe('a locality lies in the municipality where public record has it', () => {
  test.each([
    ['3987224', 'San Felipe', '02007'],
    ['3979174', 'Lázaro Cárdenas', '02006'],
    ['3979252', 'Licenciado Gustavo Díaz Ordaz', '02001'],
    ['8858206', 'Raudales Malpaso', '07124'],
    ['8859985', 'Ejido de Teyahualco', '15108'],
    ['3514398', 'Xoxocotla', '17035'],
    ['3822745', 'Leona Vicario', '23011'],
    ['3976535', 'Eldorado', '25019'],
    ['4005864', 'Juan José Ríos', '25020'],
    ['3977497', 'Mayrán', '05033'],
  ])('%s %s in %s', (code, name, municipio) => {
    expect([localidadNamesByCode.get(code), municipioOfLocalidad.get(code)]).toEqual([name, municipio])
  })
})

describe('a subdiscipline is named as in the Spanish edition', () => {
  test.each([
    ['240190', 'Zoología: etiología'],
    ['241791', 'Fijación biológica del nitrógeno'],
    ['531090', 'Economía internacional'],
    ['560201', 'Derecho común anglosajón'],
    ['590602', 'Lenguas'],
  ])('%s %s', async (code, name) => {
    const named = (await bundled('subdisciplina.csv')).find(({ cveSubdisciplina }) => cveSubdisciplina === code)
    expect(named?.descripcion).toBe(name)
  })
})
