// That waits grow up to a limit, and that many nodes do not come at the same moment.
import { expect, test } from 'bun:test'
import { assert, double, integer, property } from 'fast-check'
import { JitteredBackoff } from './jittered-backoff.ts'

test('a wait is at most twice as long as the longest before it, and never beyond the limit', () => {
  assert(
    property(
      integer({ min: 1, max: 1_000 }),
      integer({ min: 1_000, max: 60_000 }),
      double({ min: 0, max: 1, noNaN: true }),
      integer({ min: 1, max: 60 }),
      (first, max, random, tries) => {
        const backoff = new JitteredBackoff(first, max, () => random)
        const waits = Array.from({ length: tries }, () => backoff.next())
        expect(waits.every((wait, at) => wait >= 0 && wait <= Math.min(first * 2 ** at, max))).toBe(true)
        backoff.reset()
        expect(backoff.next()).toBeLessThanOrEqual(first)
      },
    ),
  )
})

test('of a hundred nodes that lose the shelf at once, few return in the same tenth of a second', () => {
  const arrivals = Array.from({ length: 100 }, () => {
    const backoff = new JitteredBackoff(250, 10_000)
    let at = 0
    return Array.from({ length: 12 }, () => {
      at += backoff.next()
      return Math.floor(at / 100)
    })
  }).flat()
  const late = arrivals.filter((slot) => slot > 50)
  const inSlot = new Map<number, number>()
  for (const slot of late) inSlot.set(slot, (inSlot.get(slot) ?? 0) + 1)
  expect(Math.max(...inSlot.values())).toBeLessThan(20)
})
