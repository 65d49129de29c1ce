// A catalog of localities whose coordinates are known for most: spread over the globe, in clusters, at the poles and on
// both sides of the date line, some at the same point. And the naive way to find the nearest.
import type { GivenRow } from '../../packages/server/src/source/source.ts'
import { smallSource } from './small-source.ts'

const STATES = 4
const MUNICIPALITIES = 24
const LOCALITIES = 4_800
const NAMES = ['San José', 'San Juan Viejo', 'Río Seco', 'El Álamo', 'Peña Alta', 'Laguna', 'Tula', 'Monte Bajo']

export type Point = { readonly latitude: number; readonly longitude: number }

/** A sequence of numbers from 0 up to 1 that is the same on every machine. */
function sequence(): () => number {
  let state = 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const random = sequence()
const rounded = (degrees: number) => Math.round(degrees * 1e6) / 1e6
const within = (limit: number, degrees: number) => Math.min(Math.max(degrees, -limit), limit)

const spread = (): Point => ({ latitude: rounded(random() * 180 - 90), longitude: rounded(random() * 360 - 180) })
const centers = [
  ...[
    { latitude: 19.43, longitude: -99.13 },
    { latitude: -16.5, longitude: 179.99 },
    { latitude: 65, longitude: -180 },
  ],
  ...[
    { latitude: 89.99, longitude: 10 },
    { latitude: -89.99, longitude: -170 },
    { latitude: 0, longitude: 0 },
  ],
]
/** Few enough points for some to be those of several records. */
const clustered = (): Point => {
  const center = centers[Math.floor(random() * centers.length)] as Point
  const near = (degrees: number) => rounded(degrees + Math.round(random() * 40 - 20) / 400)
  const longitude = near(center.longitude)
  return {
    latitude: within(90, near(center.latitude)),
    longitude: longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude,
  }
}
const special: readonly Point[] = [
  ...[
    { latitude: 90, longitude: 0 },
    { latitude: 90, longitude: 120 },
    { latitude: -90, longitude: 0 },
  ],
  ...[
    { latitude: 10, longitude: 180 },
    { latitude: 10, longitude: -180 },
    { latitude: 0, longitude: 0 },
  ],
]

function coordinates(at: number): GivenRow {
  if (at % 11 === 0) return {}
  const point = at < 200 ? (special[at % special.length] as Point) : at % 3 === 0 ? clustered() : spread()
  if (at % 97 === 0) return { latitud: point.latitude }
  if (at % 89 === 0) return { longitud: point.longitude }
  return { latitud: point.latitude, longitud: point.longitude }
}

const upTo = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at))
const stateOf = (municipality: number) => (municipality % STATES) + 1

export const located = smallSource({
  pais: [{ cvePais: 'MEX', descPais: 'México', idPais: 1 }],
  estado: upTo(STATES, (at) => ({
    cveEstado: `E${'ABCD'[at]}`,
    cveRenapo: `A${'ABCD'[at]}`,
    descEstado: `Estado ${at + 1}`,
    idEstado: at + 1,
    idPais: 1,
  })),
  municipio: upTo(MUNICIPALITIES, (at) => ({
    cveMunicipio: String(at + 1).padStart(3, '0'),
    descMunicipio: `Municipio ${at + 1}`,
    idEstado: stateOf(at),
    idMunicipio: at + 1,
  })),
  localidad: upTo(LOCALITIES, (at) => {
    const municipality = at % MUNICIPALITIES
    const number = Math.floor(at / MUNICIPALITIES) + 1
    return {
      cveLocalidad: String(number).padStart(4, '0'),
      descLocalidad: NAMES[(at * 7 + number) % NAMES.length] as string,
      idLocalidad: number,
      idEstado: stateOf(municipality),
      idMunicipio: municipality + 1,
      ...(at % 5 === 0 ? {} : { poblacion: (at * 7_919) % 5_000 }),
      ...coordinates(at),
    }
  }),
})

const EARTH_RADIUS = 6_371_000
const radians = (degrees: number) => (degrees * Math.PI) / 180

/** The distance in whole metres, by the haversine formula. */
export function metresBetween(a: Point, b: Point): number {
  const [north, east] = [radians(b.latitude - a.latitude), radians(b.longitude - a.longitude)]
  const square =
    Math.sin(north / 2) ** 2 + Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * Math.sin(east / 2) ** 2
  return Math.round(2 * EARTH_RADIUS * Math.asin(Math.sqrt(Math.min(square, 1))))
}
