// The properties of our own in a descriptor: the schema for editors and what is obeyed have the same verdict.
import { describe, expect, test } from 'bun:test'
import schema from '../../../../../data/nomenclator.schema.json' with { type: 'json' }
import { profileFaults } from '../../../../../test/support/profile.ts'
import { FIELD_ROLES, LIST_ROLES, ORDERS, obeyedOfField, obeyedOfList, PREFIX } from './profile.ts'
import { STANDARD_PROFILE } from './profile-file.ts'

const isValid = (list: object, field: object) =>
  profileFaults({
    name: 'p',
    resources: [{ name: 'l', path: 'l.csv', ...list, schema: { fields: [{ name: 'f', ...field }] } }],
  }).length === 0

/** True if the reader of descriptors obeys the properties, all of them. */
function isObeyed(own: Readonly<Record<string, unknown>>, of: 'list' | 'field'): boolean {
  const objections: string[] = []
  const map = new Map(Object.entries(own).map(([name, value]) => [name.slice(PREFIX.length), value]))
  const onInvalid = (property: string) => void objections.push(property)
  const obeyed = (of === 'list' ? obeyedOfList : obeyedOfField)(map, onInvalid)
  expect(obeyed.size).toBe(map.size - objections.length)
  return objections.length === 0
}

const LIST: Readonly<Record<string, readonly [right: readonly unknown[], wrong: readonly unknown[]]>> = {
  role: [[...LIST_ROLES], ['alias', '', 1, null]],
  language: [
    ['es', 'pt-BR', 'zh-Hant'],
    ['', 'e', 'español', 3],
  ],
  broader: [
    ['parent', false, { prefix: true }],
    ['', true, {}, { prefix: 1 }],
  ],
  order: [[...ORDERS], ['random', null]],
  collection: [
    ['offices', 'a-1'],
    ['Offices', '1a', '', 'a'.repeat(65)],
  ],
  title: [[{ es: 'Oficinas', 'pt-BR': 'x' }], [{}, 'Offices', { es: '' }, { es: ' ' }, { '?': 'x' }, { es: 1 }]],
  group: [
    [{ title: { es: 'Lugares' } }, { title: { es: 'Lugares', en: 'Places' }, description: { es: 'x' } }],
    [
      ...['Lugares', {}, { title: 'Lugares' }, { title: {} }, { title: { es: ' ' } }, { description: { es: 'x' } }],
      ...[{ title: { es: 'x' }, description: 'x' }, { title: { es: 'x' }, more: 1 }, { title: { '?': 'x' } }],
    ],
  ],
  code: [
    [
      ['a'],
      ['a', 'b'],
      { name: 'geo', parts: ['a', { field: 'b', width: 3 }], separator: '-' },
      { name: 'geo', title: 'GEO', description: 'x', parts: [{ field: 'a', values: { '1': 'I' } }] },
    ],
    [
      ...[[], 'a', [''], [1], {}, { name: 'geo' }, { parts: ['a'] }, { name: ' ', parts: ['a'] }],
      ...[
        { name: 'geo', parts: [] },
        { name: 'geo', parts: [{}] },
        { name: 'geo', parts: [{ field: 'a', width: 0 }] },
      ],
      ...[
        { name: 'geo', parts: ['a'], more: 1 },
        { name: 'geo', parts: ['a'], separator: '123456' },
      ],
      { name: 'geo', parts: [{ field: 'a', values: { '1': 1 } }] },
    ],
  ],
  expects: [
    [0, 200],
    [-1, 1.5, '200'],
  ],
  v1: [['oficinas'], ['/oficinas', true]],
  // What is not one of them.
  rol: [[], ['aliases']],
}
const FIELD: typeof LIST = {
  role: [[...FIELD_ROLES], ['nombre', '', null]],
  language: [['es'], ['', 7]],
  embed: [
    ['regions', false],
    ['', true, 1],
  ],
  broader: [
    [true, false],
    ['parent', 0],
  ],
  collection: [[], ['offices']],
}

const verdicts = (rules: typeof LIST, of: 'list' | 'field') =>
  Object.entries(rules).flatMap(([name, [right, wrong]]) =>
    [...right.map((value) => [value, true] as const), ...wrong.map((value) => [value, false] as const)].map(
      ([value, expected]) =>
        [`${PREFIX}${name} of a ${of} as ${JSON.stringify(value)}`, { [PREFIX + name]: value }, of, expected] as const,
    ),
  )

describe('the profile and the reader of descriptors say the same of', () => {
  test.each([...verdicts(LIST, 'list'), ...verdicts(FIELD, 'field')])('%s', (_, own, of, expected) => {
    expect(of === 'list' ? isValid(own, {}) : isValid({}, own)).toBe(expected)
    expect(isObeyed(own, of)).toBe(expected)
  })
})

test('a package without any of them is valid, and so are properties of others', () => {
  expect(isValid({ 'x:note': 1 }, { rdfType: 'y' })).toBe(true)
})

test('a schema may stand in a file of its own', () => {
  expect(profileFaults({ resources: [{ name: 'l', path: 'l.csv', schema: 'schema.json' }] })).toEqual([])
})

test('it extends the profile of the standard by reference', () => {
  expect(schema.allOf).toEqual([{ $ref: STANDARD_PROFILE }])
})
