// The places that ship with the program are those of INEGI: all of them, under its codes, each where it is.
import { beforeAll, describe, expect, test } from 'bun:test'
import { bundledSource } from './bundled.ts'
import { Faults } from './faults.ts'
import { Findings } from './findings.ts'
import type { GivenRow } from './source.ts'

const report = { faults: new Faults(), findings: new Findings() }
let estado: readonly GivenRow[]
let municipio: readonly GivenRow[]
let localidad: readonly GivenRow[]

beforeAll(async () => {
  const source = bundledSource()
  const rowsOf = async (name: string) => (await Array.fromAsync(source.read(name, report))).flatMap(({ rows }) => rows)
  estado = await rowsOf('estado')
  municipio = await rowsOf('municipio')
  localidad = await rowsOf('localidad')
})

const codeOfMunicipality = ({ idEstado, cveMunicipio }: GivenRow) =>
  `${String(idEstado).padStart(2, '0')}${cveMunicipio}`
const digestOf = (lines: readonly string[]) =>
  new Bun.CryptoHasher('sha256').update(`${lines.toSorted().join('\n')}\n`).digest('hex')
const isFormer = ({ fuente }: GivenRow) => fuente === 'catálogo 2018'
const sumOf = (rows: readonly GivenRow[], field: string) =>
  rows.reduce((sum, row) => sum + ((row[field] as number | undefined) ?? 0), 0)

test('there are as many as INEGI has', () => {
  expect([estado.length, municipio.length, localidad.length]).toEqual([32, 2_478, 287_448])
  expect(report.faults.list()).toEqual([])
})

const figures = ['poblacion', 'poblacionMasculina', 'poblacionFemenina', 'viviendas']

describe('the states', () => {
  test('have the sums of their municipalities', () => {
    const sums = estado.map(({ idEstado }) => {
      const within = municipio.filter((row) => row.idEstado === idEstado)
      return figures.map((figure) => sumOf(within, figure))
    })
    expect(estado.map((row) => figures.map((figure) => row[figure]))).toEqual(sums)
  })

  test('have 126,014,024 inhabitants and 35,233,462 dwellings', () => {
    expect(figures.map((figure) => sumOf(estado, figure))).toEqual([126_014_024, 61_473_390, 64_540_634, 35_233_462])
  })
})

describe('the municipalities', () => {
  test('have the codes, names, seats and figures of the file of INEGI of October 2025', () => {
    const facts = ['cabecera', ...figures]
    const lines = municipio.map((row) =>
      [codeOfMunicipality(row), row.descMunicipio, ...facts.map((fact) => row[fact] ?? '')].join(','),
    )
    expect(digestOf(lines)).toBe('3f3a59851e243ced4c2bc7425125d355ad5bb65f2e11f3861fb7aa920313c639')
  })

  test('have 126,014,024 inhabitants', () => {
    expect(sumOf(municipio, 'poblacion')).toBe(126_014_024)
    expect(sumOf(municipio, 'poblacionMasculina') + sumOf(municipio, 'poblacionFemenina')).toBe(126_014_024)
  })

  test('have the identifiers under which they were published first', () => {
    const lines = municipio.map((row) => `${codeOfMunicipality(row)} ${row.idMunicipio}`)
    expect(digestOf(lines)).toBe('6d34bc06f47b310a1c4cbdb4d50e066f4699314fd4fc71262625c9224aa5a987')
  })

  test('have their seat among the localities, but for the 16 boroughs of Mexico City, which have none', () => {
    const codes = new Set(localidad.map(({ idMunicipio, cveLocalidad }) => `${idMunicipio} ${cveLocalidad}`))
    const without = municipio.filter(({ cabecera }) => cabecera === undefined)
    expect(without.map(({ idEstado }) => idEstado)).toEqual(Array.from({ length: 16 }, () => 9))
    const seats = municipio.filter(({ cabecera }) => cabecera !== undefined)
    expect(seats.filter(({ idMunicipio, cabecera }) => !codes.has(`${idMunicipio} ${cabecera}`))).toEqual([])
  })
})

describe('the localities', () => {
  test('have codes of nine digits with those of their municipality, each once', () => {
    const codes = new Map(municipio.map((row) => [row.idMunicipio, codeOfMunicipality(row)]))
    const whole = localidad.map(({ idMunicipio, cveLocalidad }) => `${codes.get(idMunicipio as number)}${cveLocalidad}`)
    expect(whole.filter((code) => !/^\d{9}$/.test(code))).toEqual([])
    expect(new Set(whole).size).toBe(whole.length)
    const odd = localidad.filter(
      ({ idEstado, idLocalidad, cveLocalidad }, at) =>
        Number(whole[at]?.slice(0, 2)) !== idEstado || Number(cveLocalidad) !== idLocalidad,
    )
    expect(odd).toEqual([])
  })

  test('lie in Mexico, but for 214 of which it is not known where', () => {
    const known = localidad.filter(({ latitud, longitud }) => latitud !== undefined && longitud !== undefined)
    const isInMexico = ({ latitud, longitud }: GivenRow) =>
      Number(latitud) > 14.5 && Number(latitud) < 32.73 && Number(longitud) > -118.5 && Number(longitud) < -86.7
    expect(known.filter((row) => !isInMexico(row))).toEqual([])
    expect(localidad.length - known.length).toBe(214)
  })

  test('have their own inhabitants, where anyone was counted', () => {
    const unknown = localidad.filter(({ poblacion }) => poblacion === undefined)
    expect(unknown.filter((row) => row.fuente === 'censo 2020')).toEqual([])
    expect([unknown.length, sumOf(localidad, 'poblacion')]).toEqual([98_051, 125_895_734])
    expect(localidad.filter(isFormer).filter(({ poblacion }) => poblacion !== undefined)).toEqual([])
  })

  test('say what last showed their code, and the findings count it', () => {
    expect(report.findings.list().map(({ kind, count }) => [kind, count])).toEqual([
      ['code-of-census', 188_992],
      ['code-of-old-catalog', 97_720],
      ['code-of-service', 736],
    ])
  })
})
