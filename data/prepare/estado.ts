/** Owns the 32 states: their abbreviation, the two letters of the population registry and their name. */
import { type Table, table } from './table.ts'

const MEXICO = 484

// In the order of INEGI's CVE_ENT, which counts from 1 and is our idEstado.
const states = [
  ['AGS', 'AS', 'Aguascalientes'],
  ['BC', 'BC', 'Baja California'],
  ['BCS', 'BS', 'Baja California Sur'],
  ['CAMP', 'CC', 'Campeche'],
  ['COAH', 'CL', 'Coahuila de Zaragoza'],
  ['COL', 'CM', 'Colima'],
  ['CHIS', 'CS', 'Chiapas'],
  ['CHIH', 'CH', 'Chihuahua'],
  ['CDMX', 'DF', 'Ciudad de México'],
  ['DGO', 'DG', 'Durango'],
  ['GTO', 'GT', 'Guanajuato'],
  ['GRO', 'GR', 'Guerrero'],
  ['HGO', 'HG', 'Hidalgo'],
  ['JAL', 'JC', 'Jalisco'],
  ['MEX', 'MC', 'México'],
  ['MICH', 'MN', 'Michoacán de Ocampo'],
  ['MOR', 'MS', 'Morelos'],
  ['NAY', 'NT', 'Nayarit'],
  ['NL', 'NL', 'Nuevo León'],
  ['OAX', 'OC', 'Oaxaca'],
  ['PUE', 'PL', 'Puebla'],
  ['QRO', 'QT', 'Querétaro'],
  ['QROO', 'QR', 'Quintana Roo'],
  ['SLP', 'SP', 'San Luis Potosí'],
  ['SIN', 'SL', 'Sinaloa'],
  ['SON', 'SR', 'Sonora'],
  ['TAB', 'TC', 'Tabasco'],
  ['TAMPS', 'TS', 'Tamaulipas'],
  ['TLAX', 'TL', 'Tlaxcala'],
  ['VER', 'VZ', 'Veracruz de Ignacio de la Llave'],
  ['YUC', 'YN', 'Yucatán'],
  ['ZAC', 'ZS', 'Zacatecas'],
] as const

export function estados(): Table {
  const records = states.map(([cveEstado, cveRenapo, descEstado], index) => ({
    cveEstado,
    cveRenapo,
    descEstado,
    idEstado: index + 1,
    idPais: MEXICO,
  }))
  return table('estado.csv', ['cveEstado', 'cveRenapo', 'descEstado', 'idEstado', 'idPais'], records)
}
