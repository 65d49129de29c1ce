// How important records are: by their depth, by population, and by what else is known where the population is not.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { releaseOf } from '../../../../../test/support/releases.ts'
import { placesOf, smallSource } from '../../../../../test/support/small-source.ts'
import type { GivenRow } from '../../source/source.ts'
import { importanceOf, MAX_IMPORTANCE } from './importance.ts'

setDefaultTimeout(180_000)

type Locality = readonly [code: string, name: string, municipality: number, population?: number]

const localities: readonly Locality[] = [
  ['0001', 'Zapotlán', 1],
  ['0002', 'Ocotlán', 1],
  ['0003', 'Tala', 1],
  ['0001', 'Tala', 2],
  ['0007', 'Ameca', 2],
  ['0002', 'Ameca', 3, 100_000],
  ['0003', 'Cocula', 3, 50],
  ['0004', 'Etzatlán', 3, 50_000_000],
  ['0009', 'Autlán', 4],
]
const places = placesOf({
  states: [['JAL', 'JC', 'Jalisco', 14]],
  municipalities: [
    ['001', 'Ocotlán', 14],
    ['002', 'Ameca', 14],
    ['003', 'Tequila', 14],
    ['004', 'Mascota', 14],
  ],
  localities,
})
const withFacts = (rows: readonly GivenRow[] = [], facts: Readonly<Record<number, GivenRow>>) =>
  rows.map((row, at) => ({ ...row, ...facts[at] }))
const release = await releaseOf(
  smallSource({
    ...places,
    // The seat of the second municipality is another locality than the first.
    municipio: withFacts(places.municipio, { 1: { cabecera: '0007' } }),
    localidad: withFacts(places.localidad, { 2: { ambito: 'U' }, 8: { ambito: 'R' } }),
    area: [{ cveArea: '1', descripcion: 'Ciencias', idArea: 1 }],
    campo: [{ cveCampo: '11', descripcion: 'Lógica', idCampo: 11, idArea: 1 }],
    disciplina: [{ cveDisciplina: '1101', descripcion: 'Aplicaciones', idDisciplina: 1101, campoCono: 11 }],
    subdisciplina: [
      { cveSubdisciplina: '110101', descripcion: 'Analogía', idSubdisciplina: 110101, disciplinaCono: 1101 },
    ],
  }),
)
const importance = (name: string) => Array.from(importanceOf(release, name), (byte) => byte / MAX_IMPORTANCE)
const BYTE = 1 / MAX_IMPORTANCE

describe('a record', () => {
  test.each([
    ['pais', 1],
    ['estado', 0.9],
    ['area', 1],
    ['campo', 0.9],
    ['disciplina', 0.5],
    ['subdisciplina', 0.3],
  ])('of %s: %d', (name, expected) => expect(Math.abs((importance(name)[0] as number) - expected)).toBeLessThan(BYTE))
})

describe('a locality', () => {
  test.each([
    ['that is the seat by its code', 0, 0.25],
    ['with the name of its municipality', 1, 0.05],
    ['that is urban', 2, 0.15],
    ['with the code of a seat, where another is known', 3, 0],
    ['that is the known seat, with the name of its municipality', 4, 0.3],
    ['of a hundred thousand people', 5, 0.6],
    ['of fifty people', 6, 0],
    ['of more people than any', 7, 0.89],
    ['that is rural', 8, 0],
  ])('%s', (_, at, expected) => expect(Math.abs((importance('localidad')[at] as number) - expected)).toBeLessThan(BYTE))
})

test('a municipality has the people of its localities; where none is known, what its depth gives', () => {
  const [unknown = 0, , populated = 0] = importance('municipio')
  expect(Math.abs(unknown - 0.5)).toBeLessThan(BYTE)
  expect(Math.abs(populated - 0.89)).toBeLessThan(BYTE)
})
