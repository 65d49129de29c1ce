// A row as it was given becomes one of texts and numbers, or a fault that says where and what was expected.
import { describe, expect, test } from 'bun:test'
import { estado, localidad, municipio, pais } from '../../../../../test/support/built-in.ts'
import type { Entity, Values } from '../../catalog/entity.ts'
import { builtInCatalog } from '../../source/built-in.ts'
import { Faults, FaultyRecords } from '../../source/faults.ts'
import type { GivenRow } from '../../source/source.ts'
import { IdRegistry } from '../home/id-registry.ts'
import { ParentRecords } from './parent-records.ts'
import { rowPreparer } from './prepare-row.ts'

const mexico = { cvePais: 'MEX', descPais: 'México', idPais: 484 }
const ags = { cveEstado: 'AGS', cveRenapo: 'AS', descEstado: 'Aguascalientes', idEstado: 1, idPais: 484 }
const asientos = { cveMunicipio: '002', descMunicipio: 'Asientos', idEstado: 1, idMunicipio: 2 }
const place = { file: 'municipio.csv', line: 7 }

function parentsOf(...records: readonly (readonly [Entity, Values])[]): ParentRecords {
  const parents = new ParentRecords(builtInCatalog)
  for (const [entity, row] of records) {
    parents.add(entity, row)
    parents.addJson(entity, new TextEncoder().encode(JSON.stringify(row)))
  }
  return parents
}

const parents = parentsOf([pais, mexico], [estado, ags], [municipio, asientos])

function settled(entity: Entity, row: GivenRow, registry = new IdRegistry()) {
  const faults = new Faults()
  const result = rowPreparer(entity, parents, registry, faults)(row, place)
  try {
    faults.throwIfAny()
    return { result, faults: [] }
  } catch (error) {
    if (error instanceof FaultyRecords) return { result, faults: error.faults }
    throw error
  }
}

describe('a reference', () => {
  const row = { cveLocalidad: '0001', descLocalidad: 'X', idLocalidad: 1 }
  test.each([
    ['by identifier stays', municipio, asientos, asientos],
    ['by code becomes an identifier', municipio, { ...asientos, idEstado: { cveEstado: 'AGS' } }, asientos],
    [
      'by a code of several fields becomes an identifier',
      localidad,
      { ...row, idEstado: { cveEstado: 'AGS' }, idMunicipio: { idEstado: 1, cveMunicipio: '002' } },
      { ...row, idEstado: 1, idMunicipio: 2 },
    ],
    [
      'by a code that has a code in it becomes an identifier',
      localidad,
      { ...row, idEstado: 1, idMunicipio: { idEstado: { cveEstado: 'AGS' }, cveMunicipio: '002' } },
      { ...row, idEstado: 1, idMunicipio: 2 },
    ],
  ])('%s', (_, entity, given, wanted) => expect(settled(entity, given)).toEqual({ result: wanted, faults: [] }))

  test.each([
    ['an unknown identifier', 2, '2', 'the identifier of a known estado'],
    ['an unknown code', { cveEstado: 'BC' }, '"BC"', 'the code of a known estado'],
    ['a code of other fields', { clave: 'AGS' }, '""', 'the code of a known estado'],
    ['the code itself', 'AGS', '"AGS"', 'the identifier of a known estado'],
    ['an identifier as text', '1', '"1"', 'the identifier of a known estado'],
    ['half an identifier', 1.5, '1.5', 'the identifier of a known estado'],
  ])('%s is a fault', (_, idEstado, value, expected) => {
    expect(settled(municipio, { ...asientos, idEstado })).toEqual({
      result: undefined,
      faults: [{ ...place, column: 'idEstado', value, expected }],
    })
  })

  test('by a code that has an unknown code in it is a fault', () => {
    const idMunicipio = { idEstado: { cveEstado: 'BC' }, cveMunicipio: '002' }
    expect(settled(localidad, { ...row, idEstado: 1, idMunicipio })).toEqual({
      result: undefined,
      faults: [{ ...place, column: 'idMunicipio', value: '"BC/002"', expected: 'the code of a known municipio' }],
    })
  })

  test('by a code that several have is a fault', () => {
    const twins = parentsOf([pais, mexico], [estado, ags], [estado, { ...ags, idEstado: 2 }])
    const faults = new Faults()
    rowPreparer(municipio, twins, new IdRegistry(), faults)({ ...asientos, idEstado: { cveEstado: 'AGS' } }, place)
    expect(() => faults.throwIfAny()).toThrow('idEstado: "AGS"; expected a code that only one estado has')
  })

  test('that is missing is a fault', () => {
    const { idEstado: _, ...orphan } = asientos
    expect(settled(municipio, orphan)).toEqual({
      result: undefined,
      faults: [{ ...place, column: 'idEstado', value: 'nothing', expected: 'the identifier of a known estado' }],
    })
  })

  test('every unknown one of a row is reported', () => {
    const given = { cveLocalidad: '0001', descLocalidad: 'X', idLocalidad: 1, idEstado: 9, idMunicipio: 9 }
    expect(settled(localidad, given).faults.map(({ column }) => column)).toEqual(['idEstado', 'idMunicipio'])
  })
})

describe('an identifier that is left out', () => {
  const { idMunicipio: _, ...unnumbered } = asientos

  test('is that of the same code before', () => {
    const registry = new IdRegistry()
    registry.claim(municipio, { ...asientos, idMunicipio: 77 })
    expect(settled(municipio, unnumbered, registry).result).toEqual({ ...asientos, idMunicipio: 77 })
    const byCode = { ...unnumbered, idEstado: { cveEstado: 'AGS' } }
    expect(settled(municipio, byCode, registry).result).toEqual({ ...asientos, idMunicipio: 77 })
  })

  test('is the next free one for a new code', () => {
    const registry = new IdRegistry()
    registry.claim(municipio, { ...asientos, cveMunicipio: '001', idMunicipio: 77 })
    expect(settled(municipio, unnumbered, registry).result).toEqual({ ...asientos, idMunicipio: 78 })
  })

  test('is a fault where the key has two fields', () => {
    const given = { cveLocalidad: '0001', descLocalidad: 'X', idEstado: 1, idMunicipio: 2 }
    expect(settled(localidad, given)).toEqual({
      result: undefined,
      faults: [{ ...place, column: 'idLocalidad', value: 'nothing', expected: 'a whole number from 0 to 2147483647' }],
    })
  })

  test('is given even if a greater one is claimed in between', () => {
    const registry = new IdRegistry()
    expect(settled(municipio, unnumbered, registry).result?.idMunicipio).toBe(1)
    registry.claim(municipio, { ...asientos, cveMunicipio: '003', idMunicipio: 10 })
    expect(settled(municipio, { ...unnumbered, cveMunicipio: '004' }, registry).result?.idMunicipio).toBe(11)
    expect(settled(municipio, unnumbered, registry).result?.idMunicipio).toBe(1)
  })
})

test('every wrong value of a row is reported', () => {
  const given = { cveMunicipio: 'x', descMunicipio: '', idEstado: 1, idMunicipio: -1 }
  expect(settled(municipio, given)).toEqual({
    result: undefined,
    faults: [
      { ...place, column: 'cveMunicipio', value: '"x"', expected: 'digits' },
      { ...place, column: 'descMunicipio', value: '""', expected: 'a name of 1 to 1000 characters' },
      { ...place, column: 'idMunicipio', value: '-1', expected: 'a whole number from 0 to 2147483647' },
    ],
  })
})

describe('parent records', () => {
  test('are found by identifier, rendered or not, and by code', () => {
    expect(parents.rowsOf('estado').get(1)).toEqual(ags)
    expect(new TextDecoder().decode(parents.renderedFor(municipio).get('estado')?.json[0])).toBe(JSON.stringify(ags))
    expect(parents.idByCode(estado, { cveEstado: 'AGS' })).toBe(1)
    expect(parents.idByCode(estado, { cveEstado: 'BC' })).toBeUndefined()
  })

  test('are those that other records embed', () => {
    expect([estado, municipio, localidad].map((entity) => parents.isEmbedded(entity))).toEqual([true, true, false])
  })
})
