/** Owns which locality is the seat of a municipality: by the marks and names of GeoNames, and by the corrections. */
import { seats as seatCorrections } from './corrections.ts'
import type { Localidad } from './localidad.ts'
import { codeOfMunicipio } from './municipio.ts'
import { refuse } from './package-file.ts'

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

const markOf = ({ featureCode }: Localidad): number => markRank[featureCode] ?? 0
const bearsName = ({ name, municipio }: Localidad): boolean => plain(name) === plain(municipio.descMunicipio)

// A marked place of unknown population is often a stale double of the namesake, so it comes after the namesake.
const preference = (localidad: Localidad): readonly number[] => [
  localidad.population === undefined ? 0 : markOf(localidad),
  Number(bearsName(localidad)),
  localidad.population ?? 0,
  markOf(localidad),
]

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index])
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
}

/** The seat by idMunicipio: the locality that GeoNames marks as one, or else the one of the municipality's name. */
export function seatsOf(localidades: readonly Localidad[]): Map<number, Localidad> {
  const candidates = localidades.filter((localidad) => markOf(localidad) > 0 || bearsName(localidad))
  const seats = new Map<number, Localidad>()
  for (const [idMunicipio, rows] of Map.groupBy(candidates, ({ municipio }) => municipio.idMunicipio)) {
    const [seat] = rows.toSorted((a, b) => compare(preference(b), preference(a)) || Number(a.code) - Number(b.code))
    if (seat) seats.set(idMunicipio, seat)
  }
  return seats
}

/** The same with the corrections, each of which must change something. */
export function correctedSeats(localidades: readonly Localidad[]): ReadonlyMap<number, Localidad> {
  const seats = seatsOf(localidades)
  for (const { code, value, reason } of seatCorrections) {
    const seat = localidades.find((localidad) => localidad.code === value)
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
