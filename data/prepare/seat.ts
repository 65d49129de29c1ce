/** Owns which locality is the seat of a municipality, by GeoNames alone, and which localities lie nearer to another's. */
import { seats as seatCorrections } from './corrections.ts'
import type { Place } from './geonames.ts'
import type { Localidad } from './localidad.ts'
import { codeOfMunicipio, type Municipio } from './municipio.ts'
import { refuse } from './package-file.ts'

const EARTH_RADIUS_KM = 6371.0088

/** By the haversine formula. */
export function kilometres(a: Pick<Place, 'latitude' | 'longitude'>, b: typeof a): number {
  const radians = (degrees: number): number => (degrees * Math.PI) / 180
  const latitude = Math.sin(radians(b.latitude - a.latitude) / 2) ** 2
  const longitude = Math.sin(radians(b.longitude - a.longitude) / 2) ** 2
  const haversine = latitude + Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * longitude
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(haversine))
}

/** Letters and digits alone: a qualifier in brackets, an accent or a capital does not make another name. */
const plain = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/\(.*?\)|\[.*?\]/g, '')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()

// Seat of the country, of a state, of a municipality.
const markRank: Readonly<Record<string, number>> = { PPLC: 3, PPLA: 2, PPLA2: 1 }

const markOf = ({ place }: Localidad): number => markRank[place.featureCode] ?? 0
const populationOf = ({ place }: Localidad): number => place.population ?? 0
const bearsName = ({ name, municipio }: Localidad): boolean => plain(name) === plain(municipio.descMunicipio)

// A marked place of unknown population is often a stale double of the namesake, so it comes after the namesake.
const preference = (localidad: Localidad): readonly number[] => [
  localidad.place.population === undefined ? 0 : markOf(localidad),
  Number(bearsName(localidad)),
  populationOf(localidad),
  markOf(localidad),
]

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index])
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
}

const best = (rows: readonly Localidad[], key: (row: Localidad) => readonly number[]): Localidad | undefined =>
  rows.toSorted((a, b) => compare(key(b), key(a)) || a.place.geonameId - b.place.geonameId)[0]

/** The seat by idMunicipio: the locality that GeoNames marks as one, or else the one of the municipality's name. */
export function seatsOf(localidades: readonly Localidad[]): Map<number, Localidad> {
  const candidates = localidades.filter((localidad) => markOf(localidad) > 0 || bearsName(localidad))
  const seats = new Map<number, Localidad>()
  for (const [idMunicipio, rows] of Map.groupBy(candidates, ({ municipio }) => municipio.idMunicipio)) {
    const seat = best(rows, preference)
    if (seat) seats.set(idMunicipio, seat)
  }
  return seats
}

/** The same with the corrections, each of which must change something. */
export function correctedSeats(localidades: readonly Localidad[]): ReadonlyMap<number, Localidad> {
  const seats = seatsOf(localidades)
  for (const { code, value, reason } of seatCorrections) {
    const seat = localidades.find(({ place }) => String(place.geonameId) === value)
    if (!seat || codeOfMunicipio(seat.municipio) !== code) {
      return refuse(`correction of the seat of ${code}: there is no locality ${value}`)
    }
    if (seats.get(seat.municipio.idMunicipio) === seat) {
      return refuse(`correction of the seat of ${code} is not needed: it is ${value} already (its reason: ${reason})`)
    }
    seats.set(seat.municipio.idMunicipio, seat)
  }
  return seats
}

/** The row of a municipality's name, for one whose seat is itself filed elsewhere. */
const namesakeOf = ({ idEstado, descMunicipio }: Municipio, rows: readonly Localidad[]): Localidad | undefined =>
  rows.find((row) => row.municipio.idEstado === idEstado && plain(row.name) === plain(descMunicipio))

/**
 * Checks that every misfiled locality lies nearer to the seat of another municipality than to that of its own. Where the
 * seat of its own is unknown, the largest locality of the municipality stands for it.
 */
export function checkMisfiled(
  misfiled: readonly Localidad[],
  seats: ReadonlyMap<number, Localidad>,
  localidades: readonly Localidad[],
  municipios: readonly Municipio[],
): void {
  const places = new Map([...seats].map(([idMunicipio, { place }]) => [idMunicipio, place]))
  for (const municipio of municipios) {
    const namesake = namesakeOf(municipio, misfiled)
    if (namesake && !seats.has(municipio.idMunicipio)) places.set(municipio.idMunicipio, namesake.place)
  }

  const byMunicipio = Map.groupBy(localidades, ({ municipio }) => municipio.idMunicipio)
  for (const { place, name, municipio } of misfiled) {
    const own =
      places.get(municipio.idMunicipio) ??
      best(byMunicipio.get(municipio.idMunicipio) ?? [], (row) => [populationOf(row)])?.place ??
      refuse(`correction of localidad ${place.geonameId} (${name}) cannot be judged: its municipality has no other`)
    const others = [...places].filter(([idMunicipio]) => idMunicipio !== municipio.idMunicipio)
    const nearest = Math.min(...others.map(([, seat]) => kilometres(place, seat)))
    if (nearest >= kilometres(place, own)) {
      refuse(`correction of localidad ${place.geonameId} (${name}) is not needed: no other seat is nearer than its own`)
    }
  }
}
