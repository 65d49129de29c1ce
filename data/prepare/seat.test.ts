/** Owns the cases of finding the seat of a municipality. */
import { describe, expect, test } from 'bun:test'
import type { Localidad } from './localidad.ts'
import type { Municipio } from './municipio.ts'
import { seatsOf } from './seat.ts'

const atlixco: Municipio = { cveMunicipio: '001', descMunicipio: 'Atlixco', idEstado: 1, idMunicipio: 1 }

let lastId = 0
function localidad(name: string, facts: Partial<Localidad> = {}): Localidad {
  lastId += 1
  const place = { featureCode: 'PPL', latitude: 20, longitude: -99, population: 1000 }
  return { code: String(lastId), name, municipio: atlixco, idLocalidad: lastId, ...place, ...facts }
}

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
    readonly (readonly [string, Partial<Localidad>?])[],
    string | undefined,
  ])[])('%s', (_, places, seat) => {
    const rows = places.map(([name, facts]) => localidad(name, facts))
    expect(seatsOf(rows).get(atlixco.idMunicipio)?.name).toBe(seat)
  })
})
