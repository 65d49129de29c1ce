// Definitions that come from elsewhere are taken as they are or refused, with what is wrong.
import { describe, expect, test } from 'bun:test'
import { builtInCatalog } from '../source/built-in.ts'
import { type EntityData, entityData } from './catalog.ts'
import { parseDefinition } from './definition-schema.ts'

const known = new Map([...builtInCatalog.entities].map(([name, entity]) => [name, entityData(entity)]))

test.each([...known])('%s of the program is sound', (_, definition) => {
  const parsed = parseDefinition(JSON.parse(JSON.stringify(definition)), known)
  expect(JSON.stringify(parsed)).toBe(JSON.stringify({ definition }))
})

describe('is refused', () => {
  const localidad = known.get('localidad') as EntityData
  const { cveLocalidad, idMunicipio } = localidad.fields
  const field = (name: string, value: unknown) => ({ fields: { ...localidad.fields, [name]: value } })
  const code = (change: object) => ({ codes: [{ ...localidad.codes?.[0], ...change }] })
  test.each<[string, unknown, string]>([
    ['what is no object', [localidad], 'expected an object'],
    ['no name', { name: undefined }, 'name is nothing; expected a letter'],
    [
      'a name with a blank, which would be taken for another line of checksums',
      { name: 'a b' },
      'name is "a b"; expected a letter',
    ],
    ['a collection in capitals', { plural: 'Localidades' }, 'plural is "Localidades"; expected a small letter'],
    ['a title with a line end', { title: 'a\nb' }, 'title is "a\\nb"; expected a line'],
    ['a group without a title', { group: { description: { es: 'x' } } }, 'group.title is nothing'],
    ['a group whose title is in no language', { group: { title: 'x' } }, 'group.title is "x"; expected an object'],
    [
      'a group whose sentence is a number',
      { group: { title: { es: 'x' }, description: { es: 1 } } },
      'group.description.es is 1; expected a line',
    ],
    ['a place in API v1 that is no number', { v1: '1' }, 'v1 is "1"; expected a whole number'],
    ['an order that is not known', { order: 'at random' }, 'order is "at random"; expected "by key" or "as given"'],
    ['a language that is none', { titles: { 'es\r\nContent-Type: text/html': 'x' } }, 'titles."es'],
    [
      'a field in such a language',
      field('more', { kind: 'name', description: 'x', language: 'es\r\nX: y' }),
      'a language tag',
    ],
    ['titles that are texts of no language', { titles: { es: {} } }, 'titles.es is an object'],
    ['a pattern that takes time', field('more', { ...cveLocalidad, pattern: '(a)\\1' }), 'without references'],
    ['a description with control characters', { description: 'a\u001b[2J' }, 'description is'],
    ['a name that turns what follows', { title: 'a\u202eb' }, 'title is "a\\u202eb"'],
    [
      'an identifier that may be absent and says so otherwise',
      field('more', { kind: 'code', description: 'x', pattern: 'a', shape: 'x', optional: 1 }),
      'fields.more.optional is 1; expected true',
    ],
    ['no fields', { fields: {} }, 'it has no fields'],
    [
      'a field with what every object has',
      field('constructor', cveLocalidad),
      'fields.constructor is "constructor"; expected a name',
    ],
    [
      'a field with a line break in its name',
      field('a\nb', cveLocalidad),
      'fields."a\\nb" is "a\\nb"; expected a name',
    ],
    [
      'a value of a type that is not known',
      field('more', { kind: 'value', type: 'x', description: 'x' }),
      'fields.more.type is "x"; expected "text" or',
    ],
    [
      'a field of another kind',
      field('more', { kind: 'script', description: 'x' }),
      'fields.more is an object; expected an object with kind id or',
    ],
    ['a field without a description', field('more', { kind: 'name' }), 'fields.more.description is nothing'],
    [
      'a pattern that is none',
      field('more', { ...cveLocalidad, pattern: '[' }),
      'fields.more.pattern is "["; expected a regular expression',
    ],
    [
      'a copy of what is not there',
      field('more', { kind: 'copy', description: 'x', of: 'nothing' }),
      'field more copies nothing',
    ],
    [
      'a fact without bounds',
      field('more', { kind: 'fact', type: 'number', description: 'x', min: 0 }),
      'fields.more.max is nothing; expected a number',
    ],
    ['an unknown parent', field('more', { ...idMunicipio, entity: 'luna' }), 'not defined before it'],
    ['a key that is a text', { key: ['descLocalidad'] }, 'its key is not made of identifiers'],
    ['no key', { key: [] }, 'its key is not made of identifiers'],
    ['a key that is inherited by every object', { key: ['toString'] }, 'key[0] is "toString"'],
    ['a code of a fact', { code: ['poblacion'] }, 'its code is not made of its fields'],
    ['official codes that are no list', { codes: {} }, 'codes is an object; expected a list'],
    ['no official code', { codes: [] }, 'it has no official code'],
    ['a code without a name', code({ name: '' }), 'codes[0].name is ""'],
    ['a code without a description', code({ description: undefined }), 'codes[0].description is nothing'],
    ['a code of nothing', code({ parts: [] }), 'is not composed of its fields'],
    ['a code of a field that is not there', code({ parts: [{ field: 'nothing' }] }), 'is not composed of its fields'],
    [
      'a code of a field that every object has',
      code({ parts: [{ field: 'constructor' }] }),
      'codes[0].parts[0].field is "constructor"',
    ],
    [
      'a part without width',
      code({ parts: [{ field: 'cveLocalidad', width: 0 }] }),
      'codes[0].parts[0].width is 0; expected a whole number from 1 to 100',
    ],
    [
      'a part written as a number',
      code({ parts: [{ field: 'cveLocalidad', values: { a: 1 } }] }),
      'codes[0].parts[0].values.a is 1',
    ],
    [
      'a code that has the name of a field and is not that',
      code({ name: 'descLocalidad' }),
      'has the name of a field that is something else',
    ],
    [
      'a code that has the name of a fact',
      code({ name: 'poblacion', parts: [{ field: 'poblacion' }] }),
      'has the name of a field that is something else',
    ],
    [
      'two codes of one name',
      { codes: [...(localidad.codes ?? []), ...(localidad.codes ?? [])] },
      'two of its official codes have one name',
    ],
    ['a separator with a line end', code({ separator: '\n' }), 'codes[0].separator is "\\n"'],
    ['expectations that are no list', { expects: {} }, 'expects is an object; expected a list'],
    [
      'an expectation that leads nowhere',
      { expects: [{ kind: 'a', description: 'b', left: 'idEstado.nothing', relation: 'equals', right: 'idEstado' }] },
      'it expects something of idEstado.nothing, which leads to no field',
    ],
  ])('%s', (_, change, words) => {
    const definition = Array.isArray(change) ? change : { ...localidad, ...(change as object) }
    expect(parseDefinition(definition, known)).toEqual({ fault: expect.stringContaining(words) })
  })
})
