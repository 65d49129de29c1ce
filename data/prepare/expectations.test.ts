/** Owns the cases in which a table is refused before it is written. */
import { describe, expect, test } from 'bun:test'
import { checkReference, checkTable, checkUnique } from './expectations.ts'
import { table } from './table.ts'

const sixteen = (name: string) => {
  const records = Array.from({ length: 16 }, (_, index) => ({ clave: name, idAudiencia: index + 1 }))
  return table('audiencia.csv', ['clave', 'idAudiencia'], records)
}

describe('a table', () => {
  test('of the expected size and of clean text passes', () => expect(() => checkTable(sixteen('León'))).not.toThrow())

  test('of another size is refused', () =>
    expect(() => checkTable(table('audiencia.csv', [], []))).toThrow('has 0 rows, not 16'))

  test.each([
    ['mojibake', 'MÃ©rida'],
    ['a replacement character', 'M\uFFFDrida'],
    ['a blank that is not a plain space', 'La\u00A0Paz'],
    ['a blank too many', 'La  Paz'],
    ['a blank too many', 'La Paz '],
    ['an HTML entity', 'Le&oacute;n'],
    ['not NFC', 'Leo\u0301n'],
    ['empty', ''],
  ])('with %s is refused', (what, name) => expect(() => checkTable(sixteen(name))).toThrow(what))
})

test('a repeated key is refused', () => expect(() => checkUnique(sixteen('León'), 'clave')).toThrow('clave repeats'))

test('a reference to nothing is refused', () => {
  const states = table('estado.csv', ['idEstado'], [{ idEstado: 1 }])
  const lost = table('municipio.csv', ['idEstado'], [{ idEstado: 2 }])
  expect(() => checkReference(lost, states, ['idEstado'])).toThrow('idEstado 2 is not in estado.csv')
})

test('a seat of another municipality is refused', () => {
  const seats = table('municipio.csv', ['id', 'seat'], [{ id: 1, seat: '7' }])
  const places = table('localidad.csv', ['id', 'code'], [{ id: 2, code: '7' }])
  expect(() => checkReference(seats, places, ['id', 'seat'], ['id', 'code'])).toThrow(
    'id + seat 1 7 is not in localidad.csv',
  )
})

describe('a fact', () => {
  const audience = (column: string, value: string) =>
    table(
      'audiencia.csv',
      [column],
      Array.from({ length: 16 }, () => ({ [column]: value })),
    )

  test.each([
    ['latitud', '21.87982'],
    ['latitud', ''],
    ['longitud', '-102.29'],
    ['longitud', ''],
    ['poblacion', '863893'],
    ['poblacion', ''],
    ['altitud', '-2'],
    ['altitud', '0'],
    ['ambito', 'R'],
    ['cabecera', '0001'],
    ['cabecera', ''],
  ])('%s may be "%s"', (column, value) => expect(() => checkTable(audience(column, value))).not.toThrow())

  test.each([
    ['latitud', '-102.29'],
    ['longitud', '21.87982'],
    ['latitud', '21.879823'],
    ['poblacion', '-'],
    ['poblacion', '007'],
    ['altitud', '0724'],
    ['ambito', ''],
    ['cabecera', '1'],
  ])('%s may not be "%s"', (column, value) =>
    expect(() => checkTable(audience(column, value))).toThrow(`is no ${column}`),
  )
})
