// Slugs: what they are made of, and that no two fields share one.
import { expect, test } from 'bun:test'
import { entity } from '../../../../test/support/definitions.ts'
import { fieldSlug, slugOf } from './slug.ts'

test.each([
  ['Official name (en)', '_', 'official_name_en'],
  ['ISO4217-currency_alphabetic_code', '_', 'iso4217_currency_alphabetic_code'],
  ['Ñandú / Águila', '-', 'nandu-aguila'],
  ['2007 codes', '-', 'x-2007-codes'],
  ['§', '_', 'x'],
  ['名前', '_', 'u540du524d'],
  ['Ελλάδα 2', '-', 'u3b5u3bbu3bbu3b1u3b4u3b1-2'],
] as const)('%s', (text, between, slug) => expect(slugOf(text, between)).toBe(slug))

test('fields that are alike have a number, and those that are identifiers stay as they are', () => {
  const text = { kind: 'value', type: 'text', description: 'x', optional: true } as const
  const list = entity({
    name: 'list',
    plural: 'lists',
    fields: { code: { kind: 'code', description: 'x', pattern: /./, shape: 'x' }, 'A b': text, 'a-b': text, a_b: text },
    key: ['code'],
    code: ['code'],
  })
  expect(Object.keys(list.fields).map((name) => fieldSlug(list, name))).toEqual(['code', 'a_b_2', 'a_b_3', 'a_b'])
})
