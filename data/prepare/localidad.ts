/** Owns the localities: GeoNames' Mexican places of some size in their municipality, and the seats that it lacks. */
import { add, change, type Keyed, leaveOut, leaveOutKinds } from './correct.ts'
import {
  addedLocalidades,
  leftOutFeatures,
  leftOutLocalidades,
  localidadFeatures,
  localidadNames,
  movedLocalidades,
} from './corrections.ts'
import { cityCoordinates, idEstadoOf, mexicanPlaces, type Place } from './geonames.ts'
import { codeOfMunicipio, type Municipio } from './municipio.ts'
import { refuse } from './package-file.ts'
import { type Table, table } from './table.ts'

export interface Localidad {
  /** The geonameid, or INEGI's nine digits for a seat that GeoNames lacks. */
  readonly code: string
  readonly name: string
  readonly municipio: Municipio
  readonly idLocalidad: number
  /** GeoNames' kind of the place. */
  readonly featureCode: string
  readonly latitude: number | undefined
  readonly longitude: number | undefined
  readonly population: number | undefined
}

/** A place for which GeoNames may know no municipality. */
type Candidate = Omit<Localidad, 'municipio'> & Partial<Pick<Localidad, 'municipio'>>

const keyed: Keyed<Candidate> = { table: 'localidad', codeOf: ({ code }) => code }
const nameOf = ({ name }: Candidate): string => name

/** Counts from 1 within each municipality, and gives no number twice. */
function numbering(): (municipio: Municipio) => number {
  const last = new Map<number, number>()
  return ({ idMunicipio }) => {
    const next = (last.get(idMunicipio) ?? 0) + 1
    last.set(idMunicipio, next)
    return next
  }
}

const candidate = (place: Place, idLocalidad: number, municipio?: Municipio): Candidate => ({
  code: String(place.geonameId),
  name: place.name,
  ...(municipio && { municipio }),
  idLocalidad,
  featureCode: place.featureCode,
  latitude: place.latitude,
  longitude: place.longitude,
  population: place.population,
})

export interface Localidades {
  readonly localidades: readonly Localidad[]
  /** Places left out because neither GeoNames nor a correction gives them a municipality. */
  readonly withoutMunicipio: number
  /** Places left out by their kind. */
  readonly unwantedKinds: number
}

/** In the order of idMunicipio and idLocalidad. */
export async function readLocalidades(municipios: readonly Municipio[]): Promise<Localidades> {
  const byCode = new Map(municipios.map((municipio) => [codeOfMunicipio(municipio), municipio]))
  const municipioOf = (code: string): Municipio => byCode.get(code) ?? refuse(`${code} is no municipality`)
  const number = numbering()

  // Numbers are given before any row is moved or left out, so that no correction changes the number of another row.
  const places = (await mexicanPlaces()).toSorted((a, b) => a.geonameId - b.geonameId)
  const candidates = places.map((place) => {
    if (place.admin2 === '') return candidate(place, 0)
    const code = codeOfMunicipio({ idEstado: idEstadoOf(place.admin1), cveMunicipio: place.admin2 })
    return candidate(place, number(municipioOf(code)), municipioOf(code))
  })

  const moves = new Map(
    movedLocalidades.map(({ code, value }) => {
      const municipio = municipioOf(value)
      return [code, { municipio, idLocalidad: number(municipio) }]
    }),
  )
  const settled = change(
    keyed,
    candidates,
    movedLocalidades,
    ({ municipio }) => (municipio ? codeOfMunicipio(municipio) : ''),
    (row) => ({ ...row, ...moves.get(row.code) }),
  )
  const filed = settled.filter((row): row is Localidad => row.municipio !== undefined)

  const featured = change(
    keyed,
    filed,
    localidadFeatures,
    ({ featureCode }) => featureCode,
    (row, featureCode) => ({ ...row, featureCode }),
  )
  const wanted = leaveOutKinds('localidad', featured, leftOutFeatures, ({ featureCode }) => featureCode)
  const named = leaveOut(keyed, wanted, leftOutLocalidades, nameOf)
  const renamed = change(keyed, named, localidadNames, nameOf, (row, name) => ({ ...row, name }))

  const coordinatesOf = await cityCoordinates()
  const localidades = add(keyed, renamed, addedLocalidades, ({ code, value, place }) => {
    const municipio = municipioOf(code.slice(0, 5))
    const { latitude, longitude } = place === '' ? {} : coordinatesOf(place)
    const idLocalidad = number(municipio)
    return {
      code,
      name: value,
      municipio,
      idLocalidad,
      featureCode: 'PPLA2',
      latitude,
      longitude,
      population: undefined,
    }
  })

  return {
    localidades: localidades.toSorted(
      (a, b) => a.municipio.idMunicipio - b.municipio.idMunicipio || a.idLocalidad - b.idLocalidad,
    ),
    withoutMunicipio: settled.length - filed.length,
    unwantedKinds: featured.length - wanted.length,
  }
}

const columns = [
  ...['cveLocalidad', 'descLocalidad', 'idLocalidad', 'idEstado', 'idMunicipio'],
  ...['latitud', 'longitud', 'poblacion'],
]

export function localidadTable(localidades: readonly Localidad[]): Table {
  const records = localidades.map(({ code, name, municipio, idLocalidad, latitude, longitude, population }) => ({
    cveLocalidad: code,
    descLocalidad: name,
    idLocalidad,
    idEstado: municipio.idEstado,
    idMunicipio: municipio.idMunicipio,
    latitud: String(latitude ?? ''),
    longitud: String(longitude ?? ''),
    poblacion: String(population ?? ''),
  }))
  return table('localidad.csv', columns, records)
}
