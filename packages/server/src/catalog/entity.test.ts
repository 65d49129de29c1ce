// The language of definitions: what it fills in, and what it refuses.
import { expect, test } from 'bun:test'
import { estado, localidad, municipio, pais } from '../../../../test/support/built-in.ts'
import { embedsOf, entity, id, identifierOf, name } from './entity.ts'

test('a definition that says nothing of order and expectations has the usual ones', () => {
  const given = { name: 'list', plural: 'lists', fields: { idList: id('x') }, key: ['idList'], code: ['idList'] }
  expect(entity(given)).toEqual({ ...given, title: 'lists', order: 'by key', expects: [] })
  const told = { ...given, title: 'Lists', order: 'as given', expects: localidad.expects } as const
  expect(entity(told)).toEqual(told)
})

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
