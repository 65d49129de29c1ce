// Patterns match what those of the runtime match, and take no longer than they should.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { patternCheck } from './pattern.ts'

describe('a whole text matches as it does in the runtime', () => {
  test.each([
    ...['[A-Z]{2}', '^[A-Z]{2}$', '\\d{2,4}(\\.\\d+)?', 'a|bc|', '(?:ab)*c+', '[^,;]+', '.*x.*', 'a{3}', 'a{2,}b?'],
    ...['\\w+@\\w+\\.(com|org)', '[\\w.-]+', '\\p{Lu}\\p{Ll}*', 'a*?b', '\\u00f1+', '(?<first>a)b?'],
  ])('%s', (source) => {
    const [matches, pattern] = [patternCheck(source), new RegExp(`^(?:${source})$`, 'su')]
    const texts = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'abcxA1.,-@ñÑ'), maxLength: 8 }),
      fc.stringMatching(pattern),
    )
    fc.assert(fc.property(texts, (text) => expect(matches?.(text)).toBe(pattern.test(text))))
  })
})

test.each([
  ...['(a+)+', '(a|a)*', '(a*)*b', '(x+x+)+y', '.*.*.*.*=.*', '(.*a){25}!x'],
  'a?'.repeat(30) + 'a'.repeat(30),
])('%s takes no longer than it should', (source) => {
  const matches = patternCheck(source)
  const before = process.cpuUsage()
  for (let row = 0; row < 20; row++) expect(matches?.(`${'a'.repeat(900)}!`)).toBe(false)
  expect(process.cpuUsage(before).user).toBeLessThan(2_000_000)
})

test.each([
  ['a reference back', '(a)\\1'],
  ['a look ahead', 'a(?=b)'],
  ['a look behind', '(?<=a)b'],
  ['too many states', '((a{99}){99}){99}'],
  ['what is no pattern', '[z-a]'],
  ['an open group', '(a'],
  ['too long', 'a'.repeat(501)],
])('%s is refused', (_, source) => {
  expect(patternCheck(source)).toBeUndefined()
})

test('a text that is too long is not matched', () => {
  expect(patternCheck('a')?.('b'.repeat(1_001))).toBe(true)
})
