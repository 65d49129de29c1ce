// The definition that follows from the schema of a list that ships with the program, field by field, and what a schema lacks.
import { expect, test } from 'bun:test'
import { parseDefinition } from '../../catalog/definition-schema.ts'
import { definitionFrom } from './schema-definition.ts'

type Properties = Readonly<Record<string, unknown>>
const own = (properties: Properties = {}) => new Map(Object.entries(properties))

const ID = { name: 'id', type: 'integer', description: 'identifier', constraints: { required: true }, own: own() }
const listWith = (...fields: (Properties & { readonly name: string })[]) =>
  definitionFrom(
    {
      name: 'one',
      title: 'Ones',
      own: own({ collection: 'ones', order: 'by key', code: ['id'] }),
      schema: {
        fields: [ID, ...fields.map((field) => ({ description: 'of it', own: own(), ...field }))],
        primaryKey: ['id'],
        foreignKeys: [{ fields: ['country'], reference: { resource: 'pais', fields: ['idPais'] } }],
      },
    },
    ['others', 'ones'],
  )
const fieldOf = (field: Properties) => Object(listWith({ name: 'field', ...field })).fields.field

const required = { constraints: { required: true } }
const DIGITS = { pattern: '[0-9]', required: true }

test('a list has its place among the collections of API v1', () => {
  expect(listWith()).toMatchObject({ name: 'one', plural: 'ones', v1: 2, key: ['id'], code: ['id'], expects: [] })
})

test.each<[string, Properties, Properties]>([
  [
    'a code',
    { constraints: DIGITS, own: own({ role: 'code', shape: 'a digit' }) },
    { kind: 'code', pattern: '^[0-9]$', shape: 'a digit' },
  ],
  ['a name', { ...required, own: own({ role: 'name', language: 'es' }) }, { kind: 'name', language: 'es' }],
  ['a name that records may lack', { own: own({ role: 'name' }) }, { kind: 'name', optional: true }],
  [
    'a number, its bounds given as numbers or texts',
    { type: 'number', constraints: { minimum: -90, maximum: '90' }, own: own({ role: 'latitude' }) },
    { kind: 'fact', type: 'number', min: -90, max: 90 },
  ],
  [
    'a text',
    { type: 'string', constraints: { pattern: 'U|R' }, own: own({ role: 'fact', shape: 'U or R', doubtful: 'U' }) },
    { kind: 'fact', type: 'text', pattern: '^(?:U|R)$', shape: 'U or R', doubtful: 'U' },
  ],
])('%s', (_, field, expected) => {
  expect(fieldOf(field)).toEqual({ description: 'of it', ...expected })
})

test('a foreign key is an embedded record', () => {
  const { fields } = Object(listWith({ name: 'country', ...required }))
  expect(fields.country).toEqual({ kind: 'embed', entity: 'pais', description: 'of it' })
})

test('copies come right after the field that they repeat', () => {
  const { fields } = Object(
    listWith({ name: 'a', own: own({ role: 'name', copies: ['b'] }) }, { name: 'c', own: own({ role: 'name' }) }),
  )
  expect(Object.keys(fields)).toEqual(['id', 'a', 'b', 'c'])
  expect(fields.b).toEqual({ kind: 'copy', of: 'a', description: 'same value as a' })
})

test.each<[string, Properties, string]>([
  ['no role', { type: 'string' }, 'fields.field'],
  ['no bounds', { type: 'integer', own: own({ role: 'fact' }) }, 'min'],
  ['no pattern', { type: 'string', own: own({ role: 'code', shape: 'a digit' }) }, 'pattern'],
])('a definition lacks what the schema lacks: %s', (_, field, expected) => {
  expect(Object(parseDefinition(listWith({ name: 'field', ...field }), new Map())).fault).toContain(expected)
})
