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

test('no two filters have a name in common, nor the slug of one the name of another', () => {
  const number = { kind: 'value', type: 'number', description: 'a number', optional: true } as const
  const list = entity({
    name: 'list',
    plural: 'lists',
    package: 'lists',
    fields: { code: code('code', /^.+$/, 'a code'), x: number, x_min: number, 'x min': number, 'x.min': number },
    key: ['code'],
    code: ['code'],
  })
  const filters = filterParameters(list)
  const names = filters.flatMap(({ name, slug }) => [name, ...(slug === undefined ? [] : [slug])])
  expect(new Set(names).size).toBe(names.length)
  expect(filters.map(({ name }) => name)).toEqual(expect.arrayContaining(['x', 'x_min', 'x.min', 'x_max', 'x_min_min']))
})
