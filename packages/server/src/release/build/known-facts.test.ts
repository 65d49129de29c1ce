// Checks that facts stay where a source names records only in passing, by official code, and that invented ones do not.
import { expect, test } from 'bun:test'
import { TestHome } from '../../../../../test/support/releases.ts'
import { placesOf, smallSource } from '../../../../../test/support/small-source.ts'
import type { GivenRow, Source } from '../../source/source.ts'
import { factReader } from '../facts.ts'

const states = [
  ['JAL', 'JC', 'Jalisco', 14],
  ['AGS', 'AS', 'Aguascalientes', 1],
] as const
const before = placesOf({
  states,
  municipalities: [
    ['120', 'Zapopan', 14],
    ['001', 'Aguascalientes', 1],
  ],
  localities: [],
})
const figures = [
  { cabecera: '0010', poblacion: 1_476_491 },
  { cabecera: '0001', poblacion: 948_990 },
]
const official = (source: Source): Source => ({ ...source, origin: { ...source.origin, synthetic: false } })
const full = smallSource({
  ...before,
  municipio: (before.municipio ?? []).map((row, at) => ({ ...row, ...figures[at] })),
})
const municipality = (state: string, cveMunicipio: string, descMunicipio: string): GivenRow => ({
  ...{ idEstado: { cveEstado: state }, cveMunicipio, descMunicipio },
})
/** In another order, one of them new, one with a figure of its own. */
const rows = [
  { ...municipality('AGS', '001', 'Aguascalientes'), poblacion: 1 },
  municipality('JAL', '001', 'Acatic'),
  municipality('JAL', '120', 'Zapopan'),
]
const inPassing: Source = official({
  ...smallSource({}),
  provides: ['municipio'],
  inPassing: ['municipio'],
  read: (name) => (name === 'municipio' ? [{ file: 'test', lines: [1, 2, 3], rows }] : []),
})

const knownAfter = async (source: Source) => {
  using home = new TestHome()
  await home.import(source)
  await home.import(inPassing, { acceptChanges: true })
  const entity = home.current().entity('municipio')
  const facts = factReader(entity, ['cabecera', 'poblacion'])
  return Array.from({ length: entity.count }, (_, at) => Object.values(facts(at)))
}

test('facts of the same code stay, and the figures of the source count', async () => {
  expect((await knownAfter(official(full))).sort()).toEqual([
    [null, null],
    ['0001', 1],
    ['0010', 1_476_491],
  ])
})

test('invented facts do not stay', async () => {
  expect((await knownAfter(full)).sort()).toEqual([
    [null, null],
    [null, null],
    [null, 1],
  ])
})
