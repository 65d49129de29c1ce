// Which codes begin as was asked: letter by letter, whatever their order in the index.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { releaseOf } from '../../../../test/support/releases.ts'
import { smallSource } from '../../../../test/support/small-source.ts'
import { firstWhere, positionsWhere } from './filter.ts'

setDefaultTimeout(180_000)

const audiences = ['staff', 'staffRoom', 'stAff', 'students'].map((clave, at) => ({
  ...{ clave, descCorta: clave, shortDesc: clave },
  idAudiencia: at + 1,
}))
const release = await releaseOf(smallSource({ audiencia: audiences }))
const { definition } = release.entity('audiencia')

test.each([
  [['st'], [0, 1, 2, 3]],
  [['sta'], [0, 1]],
  [['stA'], [2]],
  [['STA'], []],
  [
    ['staff', 'staffR'],
    [0, 1],
  ],
  [
    ['stu', 'stA'],
    [2, 3],
  ],
])('%p', (values, expected) => {
  const filters = [{ steps: ['clave'], match: 'begins', values }] as const
  // Undefined stands for all.
  const positions = positionsWhere(release, definition, filters) ?? audiences.keys()
  expect(Array.from(positions)).toEqual(expected)
  expect(firstWhere(release, definition, filters)).toBe(expected[0] as number)
})

test('without a filter, the first of all is found, if there is any', () => {
  expect(firstWhere(release, definition, [])).toBe(0)
  expect(firstWhere(release, release.entity('pais').definition, [])).toBeUndefined()
})
