// The budget: what is taken is limited, in all and for each client, and what is given back can be taken again.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Metrics } from '../observation/metrics.ts'
import { Budget, type BudgetLimits, DEFAULT_BUDGET } from './budget.ts'

const LIMITS: BudgetLimits = { streams: 3, streamsPerClient: 2, bytes: 300, bytesPerClient: 200 }

function budgetOf(limits = LIMITS) {
  const metrics = new Metrics()
  return { metrics, budget: new Budget(limits, metrics) }
}

describe('streams', () => {
  test('of one client are limited, and those of another are not', () => {
    const { budget, metrics } = budgetOf()
    expect([budget.takeStream('a'), budget.takeStream('a')]).toEqual([undefined, undefined])
    expect(budget.takeStream('a')).toMatchObject({ kind: 'overloaded', what: expect.stringContaining('your address') })
    expect(budget.takeStream('b')).toBeUndefined()
    expect([metrics.streams, metrics.refused.streams]).toEqual([3, 1])
  })

  test('of all clients are limited together', () => {
    const { budget, metrics } = budgetOf()
    for (const client of ['a', 'b', 'c']) expect(budget.takeStream(client)).toBeUndefined()
    expect(budget.takeStream('d')).toMatchObject({ what: expect.stringContaining('as many as are possible') })
    budget.giveStreamBack('b')
    expect(budget.takeStream('d')).toBeUndefined()
    expect([metrics.streams, metrics.refused.streams]).toEqual([3, 1])
  })
})

describe('bytes', () => {
  test('of one client are limited, and those of another are not', () => {
    const { budget, metrics } = budgetOf()
    budget.keepBytes('a', 149)
    expect(budget.refusal('a', true)).toBeUndefined()
    budget.keepBytes('a', 50)
    expect(budget.refusal('a')).toBeUndefined()
    budget.keepBytes('a', 1)
    expect(budget.refusal('a')).toMatchObject({ kind: 'overloaded', what: expect.stringContaining('your address') })
    expect(budget.refusal('b')).toBeUndefined()
    expect(budget.refusal('b', true)).toMatchObject({ kind: 'overloaded' })
    budget.keepBytes('b', 100)
    expect(budget.refusal('c')).toMatchObject({ what: expect.stringContaining('clients have not read') })
    budget.keepBytes('a', -200)
    expect([budget.refusal('a'), budget.refusal('c'), metrics.unsentBytes]).toEqual([undefined, undefined, 100])
  })
})

test('the totals are always those of what is held, and of clients without anything nothing is kept', () => {
  const steps = fc.array(
    fc.record({ client: fc.constantFrom('a', 'b', 'c'), bytes: fc.nat(250), isStream: fc.boolean() }),
  )
  fc.assert(
    fc.property(steps, (all) => {
      const { budget, metrics } = budgetOf()
      const held = all.filter(({ client, bytes, isStream }) => {
        if (isStream) return budget.takeStream(client) === undefined
        budget.keepBytes(client, bytes)
        return true
      })
      const streams = held.filter(({ isStream }) => isStream)
      expect(metrics.streams).toBe(streams.length)
      expect(streams.length).toBeLessThanOrEqual(LIMITS.streams)
      expect(metrics.unsentBytes).toBe(held.reduce((sum, { bytes, isStream }) => sum + (isStream ? 0 : bytes), 0))
      for (const { client, bytes, isStream } of held)
        if (isStream) budget.giveStreamBack(client)
        else budget.keepBytes(client, -bytes)
      expect([metrics.streams, metrics.unsentBytes, budget.clients]).toEqual([0, 0, 0])
    }),
  )
})

test('where nothing is configured, one client has a quarter of all that is kept', () =>
  expect(DEFAULT_BUDGET).toEqual({ streams: 256, streamsPerClient: 64, bytes: 32 << 20, bytesPerClient: 8 << 20 }))
