/** Owns the cases of reading GeoNames' state numbers and municipality names. */
import { describe, expect, test } from 'bun:test'
import { idEstadoOf, mexicanPlace, municipioName } from './geonames.ts'

describe('the state of a GeoNames number', () => {
  test.each([
    ['01', 1],
    ['05', 7],
    ['06', 8],
    ['07', 5],
    ['08', 6],
    ['09', 9],
    ['32', 32],
  ])('%s is %i', (admin1, idEstado) => expect(idEstadoOf(admin1)).toBe(idEstado))

  test.each(['', '00', '33', '5', 'MX'])('"%s" is refused', (admin1) =>
    expect(() => idEstadoOf(admin1)).toThrow('unknown state'),
  )
})

describe('the name of a municipality', () => {
  test.each([
    ['Municipio de Hueyapan', 'Hueyapan'],
    ['Agua Prieta Municipality', 'Agua Prieta'],
    ['Ures municipality', 'Ures'],
    ['San Juan Mixtepec -Dto. 08 -', 'San Juan Mixtepec'],
    ['Dr. Belisario Domínguez', 'Dr. Belisario Domínguez'],
    ['Leo\u0301n', 'León'],
  ])('%s is %s', (name, cleaned) => expect(municipioName(name)).toBe(cleaned))
})

describe('a line of GeoNames', () => {
  const line = (population: string, country = 'MX') =>
    `1\tMérida\tMerida\t\t20.97537\t-89.61696\tP\tPPLA\t${country}\t\t31\t050\t\t\t${population}\t\t10\tAmerica/Merida\t2023-01-01`

  test('is a place', () =>
    expect(mexicanPlace(line('777615'))).toEqual({
      geonameId: 1,
      name: 'Mérida',
      latitude: 20.97537,
      longitude: -89.61696,
      featureCode: 'PPLA',
      admin1: '31',
      admin2: '050',
      population: 777615,
    }))

  test('has no population where GeoNames writes 0', () => expect(mexicanPlace(line('0'))?.population).toBeUndefined())

  test('of another country is none', () => expect(mexicanPlace(line('1', 'ES'))).toBeUndefined())

  test('that is cut short is refused', () => expect(() => mexicanPlace(line('1').slice(0, 60))).toThrow('odd place'))
})
