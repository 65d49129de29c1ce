// The paths of values, and who is above and below whom.
import { describe, expect, test } from 'bun:test'
import { area, campo, disciplina, estado, localidad, municipio, pais, subdisciplina } from './entities.ts'
import { below, chainOf, ownerOf, pathTo } from './lineage.ts'
import { leavesOf, pathsOf } from './paths.ts'

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
    ],
  ])
  expect([...pathsOf(estado).values()].filter(({ numeric }) => numeric).map(({ path }) => path)).toEqual([
    ...['idEstado', 'idPais', 'idPais.idPais'],
  ])
  expect(leavesOf(estado).map(({ path }) => path)).not.toContain('idPais')
})

describe('lineage', () => {
  test('the way up is the shortest', () => {
    expect(pathTo(localidad, estado)?.path).toBe('idEstado')
    expect(pathTo(localidad, pais)?.path).toBe('idEstado.idPais')
    expect(pathTo(subdisciplina, area)?.path).toBe('disciplinaCono.campoCono.idArea')
    expect(pathTo(estado, municipio)).toBeUndefined()
  })

  test('below a record is all that embeds it, directly or not', () => {
    expect(below(pais)).toEqual(['estado', 'municipio', 'localidad'])
    expect(below(area)).toEqual(['campo', 'disciplina', 'subdisciplina'])
    expect(below(localidad)).toEqual([])
  })

  test('the chain leads through as many as there are', () => {
    expect(chainOf(localidad).map(({ field }) => field)).toEqual(['idMunicipio', 'idEstado', 'idPais'])
    expect(chainOf(subdisciplina).map(({ entity }) => entity as unknown)).toEqual([disciplina, campo, area])
    expect(chainOf(pais)).toEqual([])
  })

  test('only localities are numbered within another', () => {
    expect(ownerOf(localidad)).toEqual({ field: 'idMunicipio', entity: municipio })
    expect(ownerOf(municipio)).toBeUndefined()
  })
})
