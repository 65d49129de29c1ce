// The forest of an entity, whatever parents its records name.
import { expect, test } from 'bun:test'
import { entity } from '../../../../test/support/definitions.ts'
import { releaseOf, sourceOf } from '../../../../test/support/releases.ts'
import { catalogOf } from '../catalog/catalog.ts'
import { ancestorsIn, type Forest, forestOf } from './forest.ts'

const node = entity({
  name: 'node',
  plural: 'nodes',
  title: 'Nodes',
  package: 'trees',
  fields: {
    key: { kind: 'code', description: 'key', pattern: /^.+$/, shape: 'any text' },
    above: { kind: 'broader', description: 'the node above', optional: true },
  },
  key: ['key'],
  code: ['key'],
  order: 'as given',
})

/** Each node by its name, with its parent after a colon. */
async function forestFrom(text: string): Promise<Forest> {
  const rows = text.split(' ').map((one) => {
    const [key = '', above] = one.split(':')
    return above === undefined ? { key } : { key, above }
  })
  const release = await releaseOf(sourceOf({ node: rows }, {}, catalogOf([node])))
  return forestOf(release.entity('node')) as Forest
}

test.each([
  ['roots alone', 'a b c', [0, 1, 2], [0, 0, 0]],
  ['a tree in any order', 'c:b a b:a d:a', [1], [0, 3, 1, 0]],
  ['a root that is its own parent', 'a:a b:a', [0], [1, 0]],
  ['a circle, which is cut once', 'a:c b:a c:b d:c', [1], [0, 3, 2, 0]],
  ['a circle beside a tree', 'r x:y y:x s:r', [0, 2], [1, 0, 1, 0]],
])('%s', async (_, text, roots, below) => {
  const forest = await forestFrom(text)
  expect([...forest.roots]).toEqual(roots)
  expect(below.map((_, position) => forest.descendants(position))).toEqual(below)
  // Every record has exactly one root, and the counts are those of the records that are reached.
  const reached = (position: number): number[] => forest.childrenOf(position).flatMap((at) => [at, ...reached(at)])
  expect(forest.roots.flatMap((root) => [root, ...reached(root)]).sort()).toEqual(below.map((_, at) => at))
  for (const position of below.keys()) {
    expect(reached(position)).toHaveLength(forest.descendants(position))
    for (const child of forest.childrenOf(position)) expect(forest.parentOf(child)).toBe(position)
  }
})

test('the records above one, the nearest first', async () => {
  const forest = await forestFrom('a b:a c:b d:c')
  expect(ancestorsIn(forest, 3)).toEqual([2, 1, 0])
  expect(ancestorsIn(forest, 0)).toEqual([])
})
