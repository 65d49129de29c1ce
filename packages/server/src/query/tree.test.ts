// Who is above whom, whatever someone has put into a tree: chains, several roots, and cycles.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { postingsOf } from '../release/index/postings.ts'
import { Tree } from './tree.ts'

const MAX_RECORDS = 12

/** The parent of each record by its position; a root has the number of records. */
const parents = fc
  .integer({ min: 1, max: MAX_RECORDS })
  .chain((count) => fc.array(fc.integer({ min: 0, max: count }), { minLength: count, maxLength: count }))

const treeAbove = (above: readonly number[]) => {
  const values = Uint32Array.from(above)
  return new Tree({ kind: 'embed', values, ...postingsOf(values, above.length + 1) }, above.length)
}

/** Walks up until there is no parent, or one that was met before. */
function walked(above: readonly number[], position: number): number[] {
  const ancestors: number[] = []
  for (let at = above[position] as number; at < above.length; at = above[at] as number) {
    if (at === position || ancestors.includes(at)) break
    ancestors.push(at)
  }
  return ancestors
}

test('the ancestors are those that a walk meets, and any slice of them is theirs', () => {
  fc.assert(
    fc.property(parents, fc.nat(MAX_RECORDS), fc.nat(MAX_RECORDS), (above, from, to) => {
      const tree = treeAbove(above)
      for (const position of above.keys()) {
        const expected = walked(above, position)
        expect(tree.depthOf(position)).toBe(expected.length)
        expect(Array.from(tree.ancestorsOf(position))).toEqual(expected)
        expect(Array.from(tree.ancestorsOf(position, from, to))).toEqual(expected.slice(from, to))
      }
    }),
  )
})
