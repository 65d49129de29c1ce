// Keys and embedded records, as a definition declares them.
import { expect, test } from 'bun:test'
import { estado, localidad, municipio, pais } from '../../../../test/support/built-in.ts'
import { entity, id, name } from '../../../../test/support/definitions.ts'
import { embedsOf, identifierOf } from './entity.ts'

test('an entity is referred to by the one field of its key', () => {
  expect(identifierOf(municipio)).toBe('idMunicipio')
})

test('an entity whose key is not one field has no identifier', () => {
  expect(() => identifierOf(localidad)).toThrow('the key of localidad is not one field')
  const keyless = entity({
    name: 'keyless',
    plural: 'keyless',
    fields: { idKeyless: id('x'), desc: name('x') },
    key: [],
    code: [],
  })
  expect(() => identifierOf(keyless)).toThrow('the key of keyless is not one field')
})

test('embedsOf gives the embedded entities by field, in order', () => {
  expect(embedsOf(localidad)).toEqual([
    ['idEstado', estado],
    ['idMunicipio', municipio],
  ])
  expect(embedsOf(pais)).toEqual([])
})
