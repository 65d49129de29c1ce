/** Owns the cases of reading GeoNames' state numbers and municipality names. */
import { describe, expect, test } from 'bun:test'
import { idEstadoOf, municipioName } from './geonames.ts'

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
