// Numbers are written as quantities only where they are some.
import { expect, test } from 'bun:test'
import { languageOf } from './language.ts'
import { numeralOf } from './values.ts'
import type { View } from './view.ts'

test.each([
  ['poblacion', '', '1,234,567'],
  ['numero_de_camas', '', '1,234,567'],
  ['nivel', '', '1,234,567'],
  ['telefono', '', '1234567'],
  ['x', 'Código postal', '1234567'],
  ['cp', '', '1234567'],
  ['clave_anterior', '', '1234567'],
])('%s %s: %s', (name, title, expected) => {
  const field = { kind: 'value', type: 'integer', description: name, title } as const
  expect(numeralOf({ language: languageOf('en') } as View, name, field, '1234567')).toBe(expected)
})
