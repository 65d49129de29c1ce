/** Checks that the bundled tables have the corrections, without the packages that they were made from. */
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import {
  addedMunicipios,
  type Correction,
  countryNames,
  leftOutLocalidades,
  localidadNames,
  misfiledLocalidades,
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

const lists: readonly (readonly [
  string,
  readonly Correction[],
  ReadonlyMap<string | undefined, string | undefined>,
])[] = [
  ['the names of countries', countryNames, countries],
  ['the added municipalities', addedMunicipios, municipioNamesByCode],
  ['the names of municipalities', municipioNames, municipioNamesByCode],
  ['the names of localities', localidadNames, localidadNamesByCode],
  ['the municipalities of localities', movedLocalidades, municipioOfLocalidad],
]

describe('the bundled tables have', () => {
  test.each(lists)('%s', (_, corrections, found) => {
    expect(corrections.map(({ code }) => [code, found.get(code)])).toEqual(
      corrections.map(({ code, value }) => [code, value]),
    )
  })

  test('none of the localities left out', () => {
    const leftOut = [...leftOutLocalidades, ...misfiledLocalidades]
    expect(leftOut.filter(({ code }) => localidadNamesByCode.has(code))).toEqual([])
    expect(localidades.filter(({ descLocalidad }) => descLocalidad?.startsWith('Ninguno'))).toEqual([])
  })

  test('the seats in their municipality', () => {
    expect(seats.map(({ value }) => municipioOfLocalidad.get(value))).toEqual(seats.map(({ code }) => code))
  })
})
