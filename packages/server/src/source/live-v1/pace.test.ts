// Checks the pauses between requests.
import { describe, expect, test } from 'bun:test'
import { Pace } from './pace.ts'

const never = new AbortController().signal

/** Timers may fire a little early. */
const EARLY = 2

async function elapsed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

describe('the pace', () => {
  test('spaces turns evenly, however many requests come at once', async () => {
    const pace = new Pace(50)
    const turns = () => Promise.all(Array.from({ length: 6 }, () => pace.turn(never)))
    expect(await elapsed(turns)).toBeGreaterThanOrEqual(100 - EARLY)
  })

  test('gives no turn during a pause', async () => {
    const pace = new Pace(undefined)
    pace.pause(80)
    expect(await elapsed(() => pace.turn(never))).toBeGreaterThanOrEqual(80 - EARLY)
  })

  test('does not shorten a pause that is under way', async () => {
    const pace = new Pace(undefined)
    pace.pause(80)
    pace.pause(1)
    expect(await elapsed(() => pace.turn(never))).toBeGreaterThanOrEqual(80 - EARLY)
  })

  test.each([0, -1, Number.NaN])('cannot be %d', (rate) => expect(() => new Pace(rate)).toThrow(RangeError))
})
