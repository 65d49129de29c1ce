// Targets: met, missed, or honestly not measured.
import { describe, expect, test } from 'bun:test'
import { targetNotes } from './report/tables.ts'
import { isMet, judge, targetNames } from './targets.ts'

describe('a limit', () => {
  const cases = [
    { limit: { most: 1.15 }, met: [1.15, 0], missed: [1.1501] },
    { limit: { below: 1 }, met: [0.999], missed: [1, 2] },
    { limit: { least: 50 }, met: [50, 51], missed: [49.9] },
  ]
  for (const { limit, met, missed } of cases) {
    test(JSON.stringify(limit), () => {
      expect([...met, ...missed].map((value) => isMet(limit, value))).toEqual([
        ...met.map(() => true),
        ...missed.map(() => false),
      ])
    })
  }
})

test('the median is judged, and what was not measured is neither met nor missed', () => {
  const verdicts = judge({
    randomCpu: { value: { median: 1.1, min: 1, max: 9 } },
    start: { value: { median: 150, min: 1, max: 151 }, note: 'seen' },
    twoWorkers: { unmeasured: 'not measurable here' },
  })
  const outcomes = Object.fromEntries(verdicts.map(({ name, outcome }) => [name, outcome]))
  expect(verdicts.map(({ name }) => name)).toEqual(targetNames)
  expect(outcomes).toMatchObject({
    randomCpu: 'met',
    start: 'missed',
    twoWorkers: 'not measured',
    depth: 'not measured',
  })
  expect(targetNotes(verdicts)).toContain('start to first answer: seen')
  expect(targetNotes(verdicts)).toContain('requests/s of two workers on two cores, against one: not measurable here')
})
