// The pages that are requested: the ends and pairs of neighbours in a sample, or all of them.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { inParallel, MAX_PAGES, pagesToRequest } from './sample.ts'

const cases = [
  ['all of a small collection', 5, 20, [1, 2, 3, 4, 5]],
  ['one', 100, 1, [1]],
  ['the ends', 100, 4, [1, 2, 99, 100]],
  ['a pair in the middle', 100, 6, [1, 2, 50, 51, 99, 100]],
  ['pairs that would overlap', 8, 7, [1, 2, 3, 5, 6, 7, 8]],
] as const
test.each(cases)('%s', (_what, total, sample, expected) =>
  expect(pagesToRequest(total, { deep: false, sample })).toEqual([...expected]),
)

test('a sample has its size, is in order and within the collection; deep has every page', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 200 }), (total, sample) => {
      const pages = pagesToRequest(total, { deep: false, sample })
      expect(pages.length).toBe(Math.min(total, sample))
      expect(pages).toEqual([...new Set(pages)].sort((a, b) => a - b))
      expect([pages[0], Math.max(...pages) <= total]).toEqual([1, true])
      expect(pagesToRequest(total, { deep: true, sample }).length).toBe(total)
    }),
    { numRuns: 50 },
  )
  expect(pagesToRequest(1e15, { deep: true, sample: 1 }).length).toBe(MAX_PAGES)
})

test('items are handled so many at a time, and an error stops the rest', async () => {
  let running = 0
  let most = 0
  const done: number[] = []
  const handle = async (item: number) => {
    most = Math.max(most, ++running)
    await Promise.resolve()
    running--
    if (item === 6) throw new Error('six')
    done.push(item)
  }
  await expect(inParallel([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], 3, handle)).rejects.toThrow('six')
  expect(most).toBe(3)
  expect(done.length).toBeLessThan(11)
})
