// Columns are known by their names, in any order, and everything wrong with them is reported at once.
import { describe, expect, test } from 'bun:test'
import { type EntityData, entityData } from '../../catalog/catalog.ts'
import { builtInCatalog } from '../built-in.ts'
import { Faults, FaultyRecords } from '../faults.ts'
import { codeColumns, columnMatcher, columnsOf } from './columns.ts'

const known = new Map([...builtInCatalog.entities].map(([name, entity]) => [name, entityData(entity)]))
const defined = (name: string) => known.get(name) as EntityData

function matched(entity: string, header: string) {
  const faults = new Faults()
  const columns = columnMatcher(defined(entity), known, faults)(header.split(','), { file: 'given', line: 7 })
  try {
    faults.throwIfAny()
  } catch (error) {
    if (!(error instanceof FaultyRecords)) throw error
    return error.faults
  }
  return columns
}

test('the columns of a list follow from its definition', () => {
  const shown = (name: string) =>
    columnsOf(defined(name), known).flatMap((column) =>
      [column, ...codeColumns(defined(name), column.field, known)].map(
        ({ name, type, optional, part }) => `${name}: ${type}${optional ? '?' : ''}${part ? ` of ${part}` : ''}`,
      ),
    )
  expect(shown('localidad')).toEqual([
    'cveLocalidad: text',
    'descLocalidad: text',
    'idLocalidad: whole number',
    'idEstado: whole number',
    'idEstado.cveEstado: text of cveEstado',
    'idMunicipio: whole number',
    'idMunicipio.idEstado: whole number of idEstado',
    'idMunicipio.cveMunicipio: text of cveMunicipio',
    'latitud: decimal?',
    'longitud: decimal?',
    'altitud: decimal?',
    'poblacion: decimal?',
    'poblacionMasculina: decimal?',
    'poblacionFemenina: decimal?',
    'ambito: text?',
    'viviendas: decimal?',
    'fuente: text?',
  ])
  expect(shown('area')).toEqual(['cveArea: text', 'descripcion: text', 'idArea: whole number?', 'nombreEn: text?'])
})

test.each([
  ['pais', 'idPais,descPais,cvePais'],
  ['pais', 'descPais,cvePais'],
  ['area', 'description,cveArea,descripcion'],
  ['municipio', 'cveMunicipio,descMunicipio,idEstado.cveEstado'],
  ['localidad', 'idMunicipio.cveMunicipio,cveLocalidad,descLocalidad,idLocalidad,idEstado,idMunicipio.idEstado'],
] as const)('%s: %s', (entity, header) =>
  expect(matched(entity, header)?.map((column) => 'name' in column && column.name)).toEqual(header.split(',')),
)

describe('refuses', () => {
  const missing = (column: string, or = '') => [column, 'nothing', `this column${or}, which is missing`]
  const given = (column: string, expected: string) => [column, JSON.stringify(column), expected]
  const OF_PAIS = 'one of cvePais, descPais, idPais, nombreEn'
  const cases: readonly [what: string, entity: string, header: string, faults: readonly unknown[]][] = [
    ['a missing column', 'pais', 'cvePais,idPais', [missing('descPais')]],
    [
      'a missing identifier where the key has two fields',
      'localidad',
      'cveLocalidad,descLocalidad,idEstado,idMunicipio',
      [missing('idLocalidad')],
    ],
    ['a missing parent', 'estado', 'cveEstado,cveRenapo,descEstado', [missing('idPais', ' or idPais.cvePais')]],
    [
      'a missing parent with a code of two fields',
      'localidad',
      'cveLocalidad,descLocalidad,idLocalidad,idEstado',
      [missing('idMunicipio', ' or idMunicipio.idEstado and idMunicipio.cveMunicipio')],
    ],
    [
      'half a code',
      'localidad',
      'cveLocalidad,descLocalidad,idLocalidad,idEstado,idMunicipio.cveMunicipio',
      [missing('idMunicipio.idEstado')],
    ],
    [
      'a parent in both ways',
      'estado',
      'cveEstado,cveRenapo,descEstado,idPais,idPais.cvePais',
      [given('idPais.cvePais', 'either idPais or idPais.cvePais, not both')],
    ],
    [
      'a misspelt column',
      'pais',
      'cvePais,descPias,idPais',
      [given('descPias', 'a known column; did you mean descPais?'), missing('descPais')],
    ],
    ['a column unlike any other', 'pais', 'cvePais,descPais,idPais,poblacion', [given('poblacion', OF_PAIS)]],
    ['what every object has', 'pais', 'cvePais,descPais,constructor', [given('constructor', OF_PAIS)]],
    ['a column without a name', 'pais', 'cvePais,descPais,', [given('', OF_PAIS)]],
    [
      'columns that are not apart',
      'pais',
      'cvePais;descPais',
      [given('cvePais;descPais', OF_PAIS), missing('cvePais'), missing('descPais')],
    ],
    ['a derived column without the other', 'area', 'cveArea,description', [missing('descripcion')]],
    ['a column twice', 'pais', 'cvePais,descPais,cvePais', [given('cvePais', 'each column once')]],
    [
      'everything at once',
      'pais',
      'idPais,idPais,poblacion',
      [given('idPais', 'each column once'), given('poblacion', OF_PAIS), missing('cvePais'), missing('descPais')],
    ],
  ]
  test.each(cases)('%s', (_, entity, header, faults) => {
    const expected = (faults as string[][]).map(([column, value, expected]) => ({
      file: 'given',
      line: 7,
      column,
      value,
      expected,
    }))
    expect(matched(entity, header)).toEqual(expected as never)
  })
})
