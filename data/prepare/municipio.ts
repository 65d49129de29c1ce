/** Owns the municipalities: INEGI's, each under the identifier that it was published with. */
import { type InegiRow, known } from './inegi.ts'
import { type Table, table } from './table.ts'

const columns = [
  ...(['cveMunicipio', 'descMunicipio', 'idEstado', 'idMunicipio', 'cabecera'] as const),
  ...(['poblacion', 'poblacionMasculina', 'poblacionFemenina', 'viviendas'] as const),
] as const

/** The five digits that INEGI writes for the state and the municipality of each row. */
export function municipioCodes({ columns, rows }: Table): readonly string[] {
  const [state, code] = [columns.indexOf('idEstado'), columns.indexOf('cveMunicipio')]
  return rows.map((row) => `${String(row[state]).padStart(2, '0')}${row[code]}`)
}

/** The identifier of each municipality by its code. */
export function municipioIds(municipio: Table): ReadonlyMap<string, number> {
  const id = municipio.columns.indexOf('idMunicipio')
  return new Map(municipioCodes(municipio).map((code, at) => [code, Number(municipio.rows[at]?.[id])]))
}

/** A municipality that was not published yet takes the next free identifier. In the order of the identifiers. */
export function municipioTable(rows: readonly InegiRow[], published: ReadonlyMap<string, number>): Table {
  let last = Math.max(0, ...published.values())
  const records = rows.map((value) => ({
    cveMunicipio: value('CVE_MUN'),
    descMunicipio: value('NOM_MUN').normalize('NFC'),
    idEstado: Number(value('CVE_ENT')),
    idMunicipio: published.get(value('CVEGEO')) ?? ++last,
    cabecera: known(value('CVE_CAB')),
    poblacion: known(value('POB_TOTAL')),
    poblacionMasculina: known(value('POB_MASCULINA')),
    poblacionFemenina: known(value('POB_FEMENINA')),
    viviendas: known(value('TOTAL DE VIVIENDAS HABITADAS')),
  }))
  return table(
    'municipio.csv',
    columns,
    records.toSorted((a, b) => a.idMunicipio - b.idMunicipio),
  )
}
