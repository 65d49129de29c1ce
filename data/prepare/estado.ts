/** Owns the 32 states: their abbreviation, the two letters of the population registry, their name and their figures. */
import { refuse } from './package-file.ts'
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

const figures = ['poblacion', 'poblacionMasculina', 'poblacionFemenina', 'viviendas'] as const
const columns = ['cveEstado', 'cveRenapo', 'descEstado', 'idEstado', 'idPais', ...figures] as const

/** The states with the sums of their municipalities. One founded since the census has no figures: its people are counted where they were. */
export function estados(municipio: Table): Table {
  const at = (column: string) => municipio.columns.indexOf(column)
  const byState = Map.groupBy(municipio.rows, (row) => Number(row[at('idEstado')]))
  const records = states.map(([cveEstado, cveRenapo, descEstado], index) => {
    const idEstado = index + 1
    const rows = byState.get(idEstado) ?? refuse(`no municipality is in state ${idEstado}`)
    const sum = (figure: (typeof figures)[number]) => rows.reduce((total, row) => total + Number(row[at(figure)]), 0)
    return {
      ...{ cveEstado, cveRenapo, descEstado, idEstado, idPais: MEXICO },
      poblacion: sum('poblacion'),
      poblacionMasculina: sum('poblacionMasculina'),
      poblacionFemenina: sum('poblacionFemenina'),
      viviendas: sum('viviendas'),
    }
  })
  return table('estado.csv', columns, records)
}
