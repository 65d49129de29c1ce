// Checks how a Retry-After header is read, and the waits between attempts.
import { describe, expect, test } from 'bun:test'
import { backoff, parseRetryAfter, wait } from './requests.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')

describe('Retry-After', () => {
  test.each([
    ['seconds', '7', 7_000],
    ['none at all', '0', 0],
    ['leading zeros', '007', 7_000],
    ['a date to come', 'Sun, 01 Mar 2026 12:00:09 GMT', 9_000],
    ['a date gone by', 'Sun, 01 Mar 2026 11:00:00 GMT', 0],
    ['no such header', null, undefined],
    ['nonsense', 'soon', undefined],
    ['a broken number', '1.5x', undefined],
  ])('%s', (_, header, expected) => expect(parseRetryAfter(header, NOW)).toBe(expected))
})

test('the wait doubles with every attempt, and is never the same for all', () => {
  for (let attempt = 0; attempt < 8; attempt++) {
    const waits = Array.from({ length: 50 }, () => backoff(100, attempt))
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(50 * 2 ** attempt)
    expect(Math.max(...waits)).toBeLessThan(100 * 2 ** attempt)
    expect(new Set(waits).size).toBeGreaterThan(1)
  }
})

describe('a wait', () => {
  test('ends at once with the reason when it is aborted', async () => {
    const controller = new AbortController()
    const waiting = wait(60_000, controller.signal)
    controller.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
  })

  test('does not begin when it was aborted before', () =>
    expect(wait(0, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough'))
})
