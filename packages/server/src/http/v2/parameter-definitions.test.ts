// The names of filters: none is that of another parameter, whether or not the list has that one.
import { expect, test } from 'bun:test'
import { code, entity } from '../../../../../test/support/definitions.ts'
import { filterParameters, listParameters } from './parameter-definitions.ts'

test('a field that is named like a parameter of some lists is filtered by under another name', () => {
  const tags = entity({
    name: 'tag',
    plural: 'tags',
    package: 'tags',
    fields: {
      lang: code('the tag', /^.+$/, 'a tag'),
      root: { kind: 'value', type: 'text', description: 'its root', optional: true },
      other: { kind: 'value', type: 'text', description: 'another', optional: true },
    },
    key: ['lang'],
    code: ['lang'],
  })
  const names = filterParameters(tags).map(({ name }) => name)
  expect(names).toEqual(['lang.is', 'root.is', 'other', 'lang_prefix', 'root_prefix', 'other_prefix'])
  expect(listParameters(tags).has('lang')).toBe(false)
})
