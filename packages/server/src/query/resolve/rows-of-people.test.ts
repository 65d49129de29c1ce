// Rows as people write them, against the bundled places: what is meant, and what is never sure.
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { bundledRelease } from '../../../../../test/support/releases.ts'
import { codeReader } from '../../release/official-codes.ts'
import type { Release } from '../../release/release.ts'
import { resolveRow } from './resolve.ts'

setDefaultTimeout(60_000)

let release: Release
beforeAll(async () => {
  release = await bundledRelease()
})

/** The verdict, the collection, and the name of the record that a row means: parts with slashes between, or free text. */
function answer(written: string): string {
  const cells = written.split('/').map((cell) => cell.trim())
  const parts = ['estado', 'municipio', 'localidad'].flatMap((part, at) =>
    cells[at] ? [[part, cells[at]] as const] : [],
  )
  const row = cells.length === 1 ? { text: written } : { parts: new Map(parts) }
  const { verdict, record } = resolveRow(release, row)
  if (record === undefined) return verdict
  const { definition, records } = release.entity(record.name)
  const json = JSON.parse(new TextDecoder().decode(records.record(record.position)))
  const name = json.descLocalidad ?? json.descMunicipio ?? json.descEstado ?? json.descPais ?? json.descripcion
  return [verdict, codeReader(release, definition)(record.position) ?? [], name].flat().join(' ')
}

describe('the seat is meant', () => {
  test.each([
    ['Sonora / Hermosillo / Hermosillo', 'exact Hermosillo'],
    ['Guanajuato / León / León', 'sure León de los Aldama'],
    ['Puebla / Puebla / PUEBLA', 'sure Heroica Puebla de Zaragoza'],
    ['México / Toluca / Toluca', 'sure Toluca de Lerdo'],
    ['Veracruz / Boca del Río / Boca del Río', 'exact Boca del Río'],
    ['Guerrero / Acapulco de Juárez / Acapulco', 'sure Acapulco de Juárez'],
    [
      'Guanajuato / Dolores Hidalgo CIN / Dolores Hidalgo CIN',
      'sure Dolores Hidalgo Cuna de la Independencia Nacional',
    ],
    ['Tamaulipas / Matamoros / H. Matamoros', 'sure Heroica Matamoros'],
    ['Tamaulipas / Reynosa / CD REYNOSA', 'sure Reynosa'],
    ['Nuevo León // Santa Catarina', 'sure Ciudad Santa Catarina'],
    ['Durango // Durango', 'sure Victoria de Durango'],
    ['Oaxaca // Oaxaca', 'sure Oaxaca de Juárez'],
    ['Sonora // Guaymas', 'sure Heroica Guaymas'],
    ['México // Coacalco', 'sure San Francisco Coacalco'],
    ['México // Tianguistenco', 'sure Santiago Tianguistenco de Galeana'],
    ['Oaxaca / San Juan Bautista Tuxtepec / Tuxtepec', 'sure San Juan Bautista Tuxtepec'],
    ['Tlaxcala / Xaloztoc / San Cosme Xaloztoc', 'sure Xaloztoc'],
    ['Tabasco / Centro / Centro', 'sure Villahermosa'],
    ['Zacatecas / Calera / Calera de Víctor Rosales', 'sure Víctor Rosales'],
    ['México / Tlalnepantla de Baz / Tlanepantla', 'sure Tlalnepantla'],
    ['Tlaxcala // San Cosme Xaloztoc', 'sure Xaloztoc'],
    ['Sonora / Nogales / Nogales Sonora Mexico', 'sure Heroica Nogales'],
    ['México // Los Reyes La Paz', 'sure Los Reyes Acaquilpan'],
    ['Puebla // San Martín Texmelucan Puebla', 'sure San Martín Texmelucan de Labastida'],
  ])('%s', (row, expected) => expect(answer(row)).toBe(expected))
})

describe('something else stands in a cell than its column says', () => {
  test.each([
    ['Quintana Roo / Cancún', 'sure 23005 Benito Juárez'],
    ['Quintana Roo / Chetumal', 'sure 23004 Othón P. Blanco'],
    ['Tabasco / Villahermosa', 'sure 27004 Centro'],
    ['Sinaloa / Los Mochis', 'sure 25001 Ahome'],
    ['Baja California Sur / Cabo San Lucas', 'sure 03008 Los Cabos'],
    ['Sonora / Ciudad Obregón', 'sure 26018 Cajeme'],
    ['Distrito Federal / Ciudad de México', 'exact 09 Ciudad de México'],
    ['Distrito Federal / Ciudad de México / Coyoacán', 'exact Coyoacán'],
    ['Ciudad de México / Coyoacán / Ciudad de México', 'exact 09003 Coyoacán'],
    ['Ciudad de México / Coyoacán / MEXICO DF', 'exact 09003 Coyoacán'],
    ['Querétaro / El Marqués / Querétaro', 'exact 22011 El Marqués'],
    ['México / Naucalpan de Juárez / ESTADO DE MEXICO', 'exact 15057 Naucalpan de Juárez'],
    ['México / Naucalpan de Juárez / Etado de Mexico', 'exact 15057 Naucalpan de Juárez'],
    ['México / Naucalpan de Juárez / NO APLICA', 'exact 15057 Naucalpan de Juárez'],
    ['Sonora / Ciudad Obregón / Cajeme', 'sure Ciudad Obregón'],
    ['Jalisco / Jalisco / Guadalajara', 'exact Guadalajara'],
    ['Nuevo León / Nuevo León', 'exact 19 Nuevo León'],
    ['Jalisco / Guadalajara / Guadalajara, Jal.', 'exact Guadalajara'],
    ['Chihuahua / Juárez / CD JUAREZ CHIH', 'sure Juárez'],
    ['14 - Jalisco / 039 - Guadalajara', 'exact 14039 Guadalajara'],
    ['14.0 / 39.0', 'exact 14039 Guadalajara'],
    ['Jalisco / GDL', 'exact 14039 Guadalajara'],
    ['Nuevo León / Mty.', 'exact 19039 Monterrey'],
    ['GDL', 'exact 14039 Guadalajara'],
    ['Mexico City, Distrito Federal, Mexico', 'exact 09 Ciudad de México'],
    ['Jalisco, Jalisco', 'exact 14 Jalisco'],
    ['1203.04', 'exact 120304 Inteligencia artificial'],
  ])('%s', (row, expected) => expect(answer(row)).toBe(expected))
})

describe('an address', () => {
  test.each([
    ['Rio Balsas No. 1225, Col. Quinta Velarde, C.P. 44430 Guadalajara, JALISCO', 'exact 14039 Guadalajara'],
    ['Rio Balsas No. 1225, Col. Quinta Velarde, C.P. 44430 Guadalajara', 'exact 14039 Guadalajara'],
    ['Av. Juárez 10, Centro, 06000 Cuauhtémoc, México', 'exact 09015 Cuauhtémoc'],
    ['Av. Hidalgo 5, Centro, 50000 Toluca, México', 'exact 15106 Toluca'],
    ['Domicilio conocido Col. Sin nombre CP 0 Apatzingán MICHOACÁN', 'exact 16006 Apatzingán'],
    ['Sin nombre SN, Centro, Zapopan, Jalisco. C.P. 0, México', 'exact 14120 Zapopan'],
    // The postal code is one of Nuevo León.
    ['Rio Balsas No. 1225, Col. Quinta Velarde, C.P. 64430 Guadalajara, JALISCO', 'likely 14039 Guadalajara'],
    ['Av. Juárez 10, Centro, 44100 Monterrey, Nuevo León', 'likely 19039 Monterrey'],
  ])('%s', (row, expected) => expect(answer(row)).toBe(expected))
})

describe('damaged text', () => {
  test.each([
    ['Michoacn / Purundiro', 'sure 16071 Puruándiro'],
    ['Yucatn / Tizimn / Tizimn', 'sure Tizimín'],
    ['Oaxaca / Miahuatln de Porfirio Daz', 'sure 20059 Miahuatlán de Porfirio Díaz'],
    ['Nuevo Le?n / Garc?a', 'sure 19018 García'],
  ])('%s', (row, expected) => expect(answer(row)).toBe(expected))
})

describe('never sure', () => {
  test.each([
    ['Chiapas / Huehuetán / Nuevo Huehuetán'],
    ['Chihuahua / Chihuahua / Ávalos'],
    ['Veracruz / Coatzacoalcos / Las Palomas'],
    ['Jalisco / Tonalá / Tonalá 2000'],
    ['Jalisco / Guadalajara / 12.5'],
    ['Jalisco / 12.5'],
    ['1.5 /'],
    ['Jalisco / Guadalajara / 1.5'],
    ['México / Cuautitlán / Cuautitlán Izcalli'],
    ['San José, municipio de Xyzzy'],
    ['Jalisco // San Juan Guadalajara'],
    ['Tabasco // Ranchería Emiliano Zapata'],
  ])('%s', (row) => expect(answer(row)).not.toMatch(/^(exact|sure)/))
})

describe('a town, its municipality and its state in one text mean what they mean as parts', () => {
  test.each([
    ['GUADALUPE NUEVO LEON, Guadalupe, NUEVO LEON', 'Nuevo León / Guadalupe / GUADALUPE NUEVO LEON'],
    ['Sonora, Hermosillo, Hermosilo', 'Sonora / Hermosillo / Hermosilo'],
    ['CD REYNOSA, Reynosa, Tamps., México', 'Tamaulipas / Reynosa / CD REYNOSA'],
    ['Ejido la, Navolato, Sinaloa', 'Sinaloa / Navolato / Ejido la'],
  ])('%s', (text, parts) => expect(answer(text)).toBe(answer(parts)))
})
