// The configuration of nginx: what depends on how many pages there are.
import { expect, test } from 'bun:test'
import { nginxConfig } from './nginx.ts'

const configOf = (...totals: number[]) =>
  nginxConfig({
    directory: '/srv/site',
    release: 'f'.repeat(64),
    lastModified: '',
    baseUrl: undefined,
    collections: totals.map((total, at) => ({
      name: `list${at}`,
      path: `/api/v1/list${at}`,
      total,
      totalPages: Math.ceil(total / 10),
    })),
  })

test.each([
  [0, 2_048],
  [5_120, 2_048],
  [5_130, 4_096],
  [300_000, 131_072],
])('the map of the links of %i records has room for four times their pages', (total, size) => {
  expect(configOf(total)).toContain(`map_hash_max_size ${size};`)
})

test('a page beyond the last is told which one is the last, or that there is none', () => {
  const [, details = ''] = /\$nomenclator_beyond \{\n([^}]*)\}/.exec(configOf(0, 10, 11)) ?? []
  expect(details.trim().split(/\n\t/)).toEqual([
    "list0 'the collection is empty, and only page 1 can be asked for';",
    "list1 'the last one is 1';",
    "list2 'the last one is 2';",
  ])
})
