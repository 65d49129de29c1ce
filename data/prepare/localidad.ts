/** Owns the localities: GeoNames' Mexican places of some size that name their municipality, corrected. */
import { change, type Keyed, leaveOut, leaveOutKinds } from './correct.ts'
import {
  leftOutFeatures,
  leftOutLocalidades,
  localidadNames,
  misfiledLocalidades,
  movedLocalidades,
} from './corrections.ts'
import { idEstadoOf, mexicanPlaces, type Place } from './geonames.ts'
import { codeOfMunicipio, type Municipio } from './municipio.ts'
import { refuse } from './package-file.ts'
import { type Table, table } from './table.ts'

export interface Localidad {
  readonly place: Place
  readonly municipio: Municipio
  readonly name: string
  readonly idLocalidad: number
}

const keyed: Keyed<Localidad> = { table: 'localidad', codeOf: ({ place }) => String(place.geonameId) }
const nameOf = ({ name }: Localidad): string => name

/** Counts within each municipality; the rows come in the order of geonameid. */
function numbered(rows: readonly Omit<Localidad, 'idLocalidad'>[]): readonly Localidad[] {
  const counted = new Map<number, number>()
  return rows.map((row) => {
    const idLocalidad = (counted.get(row.municipio.idMunicipio) ?? 0) + 1
    counted.set(row.municipio.idMunicipio, idLocalidad)
    return { ...row, idLocalidad }
  })
}

function moved(rows: readonly Localidad[], byCode: ReadonlyMap<string, Municipio>): readonly Localidad[] {
  const last = new Map<number, number>()
  for (const { municipio, idLocalidad } of rows) {
    last.set(municipio.idMunicipio, Math.max(idLocalidad, last.get(municipio.idMunicipio) ?? 0))
  }
  return change(
    keyed,
    rows,
    movedLocalidades,
    ({ municipio }) => codeOfMunicipio(municipio),
    (row, code) => {
      const municipio = byCode.get(code) ?? refuse(`${row.name} is to move to ${code}, which is no municipality`)
      const idLocalidad = (last.get(municipio.idMunicipio) ?? 0) + 1
      last.set(municipio.idMunicipio, idLocalidad)
      return { ...row, municipio, idLocalidad }
    },
  )
}

export interface Localidades {
  readonly localidades: readonly Localidad[]
  /** Left out because they are filed under a municipality where they do not lie. */
  readonly misfiled: readonly Localidad[]
  /** Places left out because GeoNames gives them no municipality. */
  readonly withoutMunicipio: number
  /** Places left out because their municipality is not in the table of municipalities. */
  readonly unknownMunicipio: number
  /** Places left out by their kind. */
  readonly unwantedKinds: number
}

/** In the order of idMunicipio and idLocalidad. */
export async function readLocalidades(municipios: readonly Municipio[]): Promise<Localidades> {
  const byCode = new Map(municipios.map((municipio) => [codeOfMunicipio(municipio), municipio]))
  const places = await mexicanPlaces()
  const placed = places.filter(({ admin2 }) => admin2 !== '')

  const known = placed.flatMap((place) => {
    const code = codeOfMunicipio({ idEstado: idEstadoOf(place.admin1), cveMunicipio: place.admin2 })
    const municipio = byCode.get(code)
    return municipio ? [{ place, municipio, name: place.name }] : []
  })
  // Before any row is moved or left out, so that no correction changes the published number of another row.
  const all = numbered(known.toSorted((a, b) => a.place.geonameId - b.place.geonameId))

  const settled = moved(all, byCode)
  const wanted = leaveOutKinds('localidad', settled, leftOutFeatures, ({ place }) => place.featureCode)
  const named = leaveOut(keyed, wanted, leftOutLocalidades, nameOf)
  const filed = leaveOut(keyed, named, misfiledLocalidades, nameOf)
  const misfiled = new Set(named).difference(new Set(filed))
  const localidades = change(keyed, filed, localidadNames, nameOf, (row, name) => ({ ...row, name }))

  return {
    localidades: localidades.toSorted(
      (a, b) => a.municipio.idMunicipio - b.municipio.idMunicipio || a.idLocalidad - b.idLocalidad,
    ),
    misfiled: [...misfiled],
    withoutMunicipio: places.length - placed.length,
    unknownMunicipio: placed.length - known.length,
    unwantedKinds: settled.length - wanted.length,
  }
}

const columns = [
  ...['cveLocalidad', 'descLocalidad', 'idLocalidad', 'idEstado', 'idMunicipio'],
  ...['latitud', 'longitud', 'poblacion'],
]

export function localidadTable(localidades: readonly Localidad[]): Table {
  const records = localidades.map(({ place, municipio, name, idLocalidad }) => ({
    cveLocalidad: String(place.geonameId),
    descLocalidad: name,
    idLocalidad,
    idEstado: municipio.idEstado,
    idMunicipio: municipio.idMunicipio,
    latitud: String(place.latitude),
    longitud: String(place.longitude),
    poblacion: String(place.population ?? ''),
  }))
  return table('localidad.csv', columns, records)
}
