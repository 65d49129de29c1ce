// Patterns match what those of the runtime match, in time that grows with the text and no faster.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { linearPattern } from './linear-pattern.ts'

describe('a whole text matches as it does in the runtime', () => {
  test.each([
    '[A-Z]{2}',
    '^[A-Z]{2}$',
    '\\d{2,4}(\\.\\d+)?',
    'a|bc|',
    '(?:ab)*c+',
    '[^,;]+',
    '.*x.*',
    '\\w+@\\w+\\.(com|org)',
    'a{3}',
    'a{2,}b?',
    '[\\w.-]+',
    '\\p{Lu}\\p{Ll}*',
    'a*?b',
  ])('%s', (source) => {
    const [matches, pattern] = [linearPattern(source), new RegExp(`^(?:${source})$`, 'su')]
    const texts = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'abcxA1.,-@ñÑ'), maxLength: 8 }),
      fc.stringMatching(pattern),
    )
    fc.assert(fc.property(texts, (text) => expect(matches?.(text)).toBe(pattern.test(text))))
  })
})

test.each(['(a+)+', '(a|a)*', '(a*)*b', '(x+x+)+y', 'a?'.repeat(30) + 'a'.repeat(30), '.*.*.*.*=.*'])(
  '%s takes no longer than it should',
  (source) => {
    const matches = linearPattern(source)
    const before = process.cpuUsage()
    expect(matches?.(`${'a'.repeat(1_000)}!`)).toBe(false)
    expect(process.cpuUsage(before).user).toBeLessThan(2_000_000)
  },
)

test.each([
  ['a reference back', '(a)\\1'],
  ['a look ahead', 'a(?=b)'],
  ['a look behind', '(?<=a)b'],
  ['a boundary', '\\bx'],
  ['an anchor inside', 'a^b'],
  ['too many states', '((a{99}){99}){99}'],
  ['too many levels', '('.repeat(60) + ')'.repeat(60)],
  ['what is no pattern', '[z-a]'],
  ['an open group', '(a'],
  ['too long', 'a'.repeat(501)],
])('%s is refused', (_, source) => {
  expect(linearPattern(source)).toBeUndefined()
})
