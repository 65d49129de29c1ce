// A cache keeps some entries and evicts others.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { LruCache } from './lru-cache.ts'

/** Gets values by key, each computed as its own key; returns the keys that had to be computed. */
function computed(cache: LruCache<string>, keys: string): string {
  let missed = ''
  for (const key of keys) {
    const value = cache.get(key, () => {
      missed += key
      return key
    })
    expect(value).toBe(key)
  }
  return missed
}

const weightOf = (value: string) => value.charCodeAt(0) - 0x60

describe('a cache', () => {
  test.each([
    ['computes each value once', { maxEntries: 3 }, 'abcabc', 'abc'],
    ['evicts what was used least recently', { maxEntries: 2 }, 'abacab', 'abcb'],
    ['evicts as many as weigh too much', { maxEntries: 9, maxWeight: 6, weightOf }, 'abcdab', 'abcdab'],
    ['keeps the latest, however heavy', { maxEntries: 9, maxWeight: 3, weightOf }, 'azz', 'az'],
    ['counts the weight of an entry once', { maxEntries: 9, maxWeight: 3, weightOf }, 'abababa', 'ab'],
  ])('%s', (_what, limits, keys, missed) => expect(computed(new LruCache<string>(limits), keys)).toBe(missed))

  test('keeps a value that is undefined', () => {
    const cache = new LruCache<undefined>({ maxEntries: 1 })
    let calls = 0
    for (let time = 0; time < 2; time++) cache.get('a', () => void calls++)
    expect(calls).toBe(1)
  })

  test('may be used while a value is computed', () => {
    const cache = new LruCache<string>({ maxEntries: 2, maxWeight: 4, weightOf })
    expect(cache.get('a', () => cache.get('b', () => 'b') + cache.get('a', () => 'a'))).toBe('ba')
    expect(computed(cache, 'b')).toBe('')
  })

  test('has what a list of the latest keys has', () => {
    const holds = fc.property(
      fc.string({ unit: fc.constantFrom(...'abcdef') }),
      fc.integer({ min: 1, max: 4 }),
      (keys, maxEntries) => {
        let latest: string[] = []
        let missed = ''
        for (const key of keys) {
          if (!latest.includes(key)) missed += key
          latest = [...latest.filter((other) => other !== key), key].slice(-maxEntries)
        }
        expect(computed(new LruCache<string>({ maxEntries }), keys)).toBe(missed)
      },
    )
    fc.assert(holds)
  })
})
