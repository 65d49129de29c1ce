// Definitions that come from elsewhere are taken as they are or refused, with what is wrong.
import { describe, expect, test } from 'bun:test'
import { builtInCatalog } from '../source/built-in.ts'
import { type EntityData, entityData } from './catalog.ts'
import { definitionFault } from './definition-check.ts'

const known = new Map([...builtInCatalog.entities].map(([name, entity]) => [name, entityData(entity)]))

test.each([...known])('%s of the program is sound', (_, definition) => {
  expect(definitionFault(JSON.parse(JSON.stringify(definition)), known)).toBeUndefined()
})

describe('is refused', () => {
  const localidad = known.get('localidad') as EntityData
  const { cveLocalidad, idMunicipio } = localidad.fields
  const field = (name: string, value: unknown) => ({ fields: { ...localidad.fields, [name]: value } })
  const code = (change: object) => ({ codes: [{ ...localidad.codes?.[0], ...change }] })
  test.each<[string, unknown, string]>([
    ['what is no object', [localidad], 'a definition is not an object'],
    ['no name', { name: undefined }, 'no sound name'],
    ['a name with a blank, which would be taken for another line of checksums', { name: 'a b' }, 'no sound name'],
    ['a collection in capitals', { plural: 'Localidades' }, 'its collection has no sound name'],
    ['a title with a line end', { title: 'a\nb' }, 'it has no title'],
    ['a group without a title', { group: { description: { es: 'x' } } }, 'its group has no sound title'],
    ['a group whose title is in no language', { group: { title: 'x' } }, 'its group has no sound title'],
    ['a group whose sentence is a number', { group: { title: { es: 'x' }, description: { es: 1 } } }, 'its group'],
    ['a place in API v1 that is no number', { v1: '1' }, 'its place in API v1'],
    ['an order that is not known', { order: 'at random' }, 'its order is not known'],
    ['no fields', { fields: {} }, 'no sound fields'],
    ['a field with what every object has', field('constructor', cveLocalidad), '"constructor" has no sound name'],
    ['a field with a line break in its name', field('a\nb', cveLocalidad), 'has no sound name'],
    ['a value of a type that is not known', field('more', { kind: 'value', type: 'x', description: 'x' }), 'type'],
    ['a field of another kind', field('more', { kind: 'script', description: 'x' }), 'of a kind that is not known'],
    ['a field without a description', field('more', { kind: 'name' }), 'has no description'],
    ['a pattern that is none', field('more', { ...cveLocalidad, pattern: '[' }), 'has no sound pattern'],
    [
      'a copy of what is not there',
      field('more', { kind: 'copy', description: 'x', of: 'nothing' }),
      'copies what is not',
    ],
    [
      'a fact without bounds',
      field('more', { kind: 'fact', type: 'number', description: 'x', min: 0 }),
      'no sound bounds',
    ],
    ['an unknown parent', field('more', { ...idMunicipio, entity: 'luna' }), 'not defined before it'],
    ['a key that is a text', { key: ['descLocalidad'] }, 'its key is not made of identifiers'],
    ['no key', { key: [] }, 'its key is not made of identifiers'],
    ['a key that is inherited by every object', { key: ['toString'] }, 'its key is not made of identifiers'],
    ['a code of a fact', { code: ['poblacion'] }, 'its code is not made of its fields'],
    ['official codes that are no list', { codes: {} }, 'official codes'],
    ['no official code', { codes: [] }, 'official codes'],
    ['a code without a name', code({ name: '' }), 'official codes'],
    ['a code without a description', code({ description: undefined }), 'official codes'],
    ['a code of nothing', code({ parts: [] }), 'official codes'],
    ['a code of a field that is not there', code({ parts: [{ field: 'nothing' }] }), 'official codes'],
    ['a code of a field that every object has', code({ parts: [{ field: 'constructor' }] }), 'official codes'],
    ['a part without width', code({ parts: [{ field: 'cveLocalidad', width: 0 }] }), 'official codes'],
    ['a part written as a number', code({ parts: [{ field: 'cveLocalidad', values: { a: 1 } }] }), 'official codes'],
    ['a code that has the name of a field and is not that', code({ name: 'descLocalidad' }), 'official codes'],
    ['a code that has the name of a fact', code({ name: 'poblacion', parts: [{ field: 'poblacion' }] }), 'official'],
    ['two codes of one name', { codes: [...(localidad.codes ?? []), ...(localidad.codes ?? [])] }, 'official codes'],
    ['a separator with a line end', code({ separator: '\n' }), 'official codes'],
    ['expectations that are no list', { expects: {} }, 'not a list'],
    [
      'an expectation that leads nowhere',
      { expects: [{ kind: 'a', description: 'b', left: 'idEstado.nothing', relation: 'equals', right: 'idEstado' }] },
      'what it expects is not sound',
    ],
  ])('%s', (_, change, words) => {
    const definition = Array.isArray(change) ? change : { ...localidad, ...(change as object) }
    expect(definitionFault(definition, known)).toContain(words)
  })
})
