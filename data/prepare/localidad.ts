/** Owns the localities: INEGI's, under its codes, each with what last showed the code. */
import { type InegiRow, known } from './inegi.ts'
import { refuse } from './package-file.ts'
import { type Table, table } from './table.ts'

const columns = [
  ...(['cveLocalidad', 'descLocalidad', 'idLocalidad', 'idEstado', 'idMunicipio'] as const),
  ...(['latitud', 'longitud', 'altitud', 'poblacion', 'poblacionMasculina', 'poblacionFemenina'] as const),
  ...(['ambito', 'viviendas', 'fuente'] as const),
] as const

/** A metre is enough to find a place. */
const coordinate = (degrees: string): string => (degrees === '' ? '' : String(Number(Number(degrees).toFixed(5))))

/** INEGI writes some altitudes with four digits, `0724`, which not every reader takes for a whole number. */
const altitude = (metres: string): string => (metres === '' ? '' : String(Number(metres)))

/** In the order of INEGI's codes. `idMunicipioOf` takes the five digits of state and municipality. */
export function localidadTable(rows: readonly InegiRow[], idMunicipioOf: (code: string) => number | undefined): Table {
  const records = rows.map((value) => {
    const code = value('CVEGEO')
    const [, municipio = '', cveLocalidad = ''] = /^(\d{5})(\d{4})$/.exec(code) ?? refuse(`odd locality code ${code}`)
    return {
      cveLocalidad,
      descLocalidad: value('NOM_LOC').normalize('NFC'),
      idLocalidad: Number(cveLocalidad),
      idEstado: Number(code.slice(0, 2)),
      idMunicipio: idMunicipioOf(municipio) ?? refuse(`${code} lies in no municipality`),
      latitud: coordinate(value('LAT_DECIMAL')),
      longitud: coordinate(value('LON_DECIMAL')),
      altitud: altitude(known(value('ALTITUD'))),
      poblacion: known(value('POB_TOTAL')),
      poblacionMasculina: known(value('POB_MASCULINA')),
      poblacionFemenina: known(value('POB_FEMENINA')),
      ambito: value('AMBITO'),
      viviendas: known(value('VIVIENDAS')),
      fuente: value('FUENTE'),
    }
  })
  return table('localidad.csv.gz', columns, records)
}
