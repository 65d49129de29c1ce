/** Owns the cases of finding the seat of a municipality, and of judging a locality by the seats around it. */
import { describe, expect, test } from 'bun:test'
import type { Place } from './geonames.ts'
import type { Localidad } from './localidad.ts'
import type { Municipio } from './municipio.ts'
import { checkMisfiled, kilometres, seatsOf } from './seat.ts'

const municipio = (idMunicipio: number, descMunicipio: string): Municipio => ({
  cveMunicipio: String(idMunicipio).padStart(3, '0'),
  descMunicipio,
  idEstado: 1,
  idMunicipio,
})

const atlixco = municipio(1, 'Atlixco')
const bacalar = municipio(2, 'Bacalar')

let lastId = 0
function localidad(of: Municipio, name: string, place: Partial<Place> = {}): Localidad {
  lastId += 1
  const geonames = { geonameId: lastId, name, admin1: '01', admin2: of.cveMunicipio, featureCode: 'PPL' }
  const rest = { latitude: 20, longitude: -99, population: 1000 }
  return { place: { ...geonames, ...rest, ...place }, municipio: of, name, idLocalidad: lastId }
}

test('a degree of latitude is 111 km, and a degree of longitude less', () => {
  const here = { latitude: 20, longitude: -99 }
  expect(kilometres(here, { latitude: 21, longitude: -99 })).toBeCloseTo(111.2, 1)
  expect(kilometres(here, { latitude: 20, longitude: -98 })).toBeCloseTo(104.5, 1)
  expect(kilometres(here, here)).toBe(0)
})

describe('the seat is', () => {
  test.each([
    ['the place that is marked', [['Centro', { featureCode: 'PPLA2' }], ['Atlixco']], 'Centro'],
    ['else the place of the same name', [['Centro'], ['atlíxco (Villa)']], 'atlíxco (Villa)'],
    [
      'the capital of the state before that of a municipality',
      [
        ['A', { featureCode: 'PPLA2' }],
        ['B', { featureCode: 'PPLA' }],
      ],
      'B',
    ],
    [
      'of two that are marked, the one of the same name',
      [
        ['A', { featureCode: 'PPLA2' }],
        ['Atlixco', { featureCode: 'PPLA2' }],
      ],
      'Atlixco',
    ],
    [
      'the namesake before a marked place of unknown population',
      [['A', { featureCode: 'PPLA2', population: undefined }], ['Atlixco']],
      'Atlixco',
    ],
    ['a marked place of unknown population before none', [['A', { featureCode: 'PPLA2', population: undefined }]], 'A'],
    ['unknown, if no place is marked or has the name', [['A'], ['B']], undefined],
  ] as const satisfies readonly (readonly [
    string,
    readonly (readonly [string, Partial<Place>?])[],
    string | undefined,
  ])[])('%s', (_, places, seat) => {
    const rows = places.map(([name, place]) => localidad(atlixco, name, place))
    expect(seatsOf(rows).get(atlixco.idMunicipio)?.name).toBe(seat)
  })
})

describe('a misfiled locality', () => {
  const own = localidad(atlixco, 'Atlixco')
  const other = localidad(bacalar, 'Bacalar', { latitude: 21 })
  const check = (misfiled: Localidad, ...localidades: readonly Localidad[]) => {
    return () => checkMisfiled([misfiled], seatsOf(localidades), localidades, [atlixco, bacalar])
  }

  test('is nearer to the seat of another municipality', () => {
    expect(check(localidad(atlixco, 'Reforma', { latitude: 20.9 }), own, other)).not.toThrow()
  })

  test('is refused when it is nearer to the seat of its own', () => {
    expect(check(localidad(atlixco, 'Reforma', { latitude: 20.1 }), own, other)).toThrow('no other seat is nearer')
  })

  test('may itself be the seat of another, by its name', () => {
    expect(check(localidad(atlixco, 'Bacalar', { latitude: 20.1 }), own)).not.toThrow()
  })

  test('is compared with the largest locality where the seat of its own is unknown', () => {
    const largest = localidad(atlixco, 'Centro', { population: 9000 })
    const smaller = localidad(atlixco, 'Abajo', { population: 10, latitude: 20.9 })
    expect(check(localidad(atlixco, 'Reforma', { latitude: 20.9 }), largest, smaller, other)).not.toThrow()
    expect(check(localidad(atlixco, 'Reforma', { latitude: 20.1 }), largest, smaller, other)).toThrow('no other seat')
  })

  test('cannot be judged where its municipality has no other locality', () => {
    expect(check(localidad(atlixco, 'Reforma'), other)).toThrow('cannot be judged')
  })
})
