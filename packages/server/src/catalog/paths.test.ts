// The paths of values, and the ancestors and descendants of entities.
import { describe, expect, test } from 'bun:test'
import {
  area,
  campo,
  disciplina,
  estado,
  localidad,
  municipio,
  pais,
  subdisciplina,
} from '../../../../test/support/built-in.ts'
import { catalogOf } from './catalog.ts'
import { factsOf } from './entity.ts'
import { ancestorsOf, descendantsOf, ownerOf, pathTo } from './lineage.ts'
import { pathsOf } from './paths.ts'

test('an embedded record comes before what is in it, in the order in which it is rendered', () => {
  expect([...pathsOf(estado).keys()]).toEqual([
    ...[
      'cveEstado',
      'cveRenapo',
      'descEstado',
      'idEstado',
      'idPais',
      'idPais.cvePais',
      'idPais.descPais',
      'idPais.idPais',
      ...['poblacion', 'poblacionMasculina', 'poblacionFemenina', 'viviendas'],
      'cvegeo',
    ],
  ])
  expect([...pathsOf(estado).values()].filter(({ numeric }) => numeric).map(({ path }) => path)).toEqual([
    ...['idEstado', 'idPais', 'idPais.idPais'],
  ])
})

test('facts are those of the record itself, and not of the records that it embeds', () => {
  const facts = [...pathsOf(localidad).values()].filter(({ field }) => field.kind === 'fact').map(({ path }) => path)
  expect(facts).toEqual(factsOf(localidad).map(([name]) => name))
})

describe('lineage', () => {
  test('the way up is the shortest', () => {
    expect(pathTo(localidad, estado)?.path).toBe('idEstado')
    expect(pathTo(localidad, pais)?.path).toBe('idEstado.idPais')
    expect(pathTo(subdisciplina, area)?.path).toBe('disciplinaCono.campoCono.idArea')
    expect(pathTo(estado, municipio)).toBeUndefined()
  })

  test('the descendants of an entity are all that embed it, directly or not', () => {
    const catalog = catalogOf([pais, estado, municipio, localidad, area, campo])
    expect(descendantsOf(catalog, pais)).toEqual([estado, municipio, localidad])
    expect(descendantsOf(catalog, area)).toEqual([campo])
    expect(descendantsOf(catalog, localidad)).toEqual([])
  })

  test('the chain leads through as many as there are', () => {
    expect(ancestorsOf(localidad).map(({ field }) => field)).toEqual(['idMunicipio', 'idEstado', 'idPais'])
    expect(ancestorsOf(subdisciplina).map(({ entity }) => entity as unknown)).toEqual([disciplina, campo, area])
    expect(ancestorsOf(pais)).toEqual([])
  })

  test('a record whose key begins with its parent is numbered within that one', () => {
    expect(ownerOf(localidad)).toEqual({ field: 'idMunicipio', entity: municipio })
    expect(ownerOf(municipio)).toBeUndefined()
  })
})
