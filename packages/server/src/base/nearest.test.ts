// Which word is offered to someone who mistyped one.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { nearest } from './nearest.ts'

const FLAGS = ['host', 'port', 'base-url', 'trust-proxy', 'home']

describe('nearest', () => {
  const cases: [string, string, string | undefined][] = [
    ['the word itself', 'port', 'port'],
    ['one letter replaced', 'pork', 'port'],
    ['one letter missing', 'pot', 'port'],
    ['one letter too many', 'porrt', 'port'],
    ['two letters swapped', 'prot', 'port'],
    ['another separator', 'base_url', 'base-url'],
    ['the separator left out', 'baseurl', 'base-url'],
    ['three edits away', 'trustprx', undefined],
    ['something else', 'verbose', undefined],
    ['nothing', '', undefined],
  ]
  test.each(cases)('%s', (_what, word, expected) => {
    expect(nearest(word, FLAGS)).toBe(expected)
  })

  test('of two that are close, the closer one', () => {
    expect(nearest('hose', ['home-dir', 'home', 'host'])).toBe('home')
    expect(nearest('hosts', ['home', 'host'])).toBe('host')
  })

  test('knows nothing where nothing is known', () => {
    expect(nearest('port', [])).toBeUndefined()
  })

  test('a known word is found whatever the others are', () => {
    const words = fc.uniqueArray(fc.stringMatching(/^[a-z-]{1,12}$/), { minLength: 1 })
    fc.assert(
      fc.property(words, fc.nat(), (known, at) => {
        const word = known[at % known.length] as string
        expect(nearest(word, known)).toBe(word)
      }),
    )
  })
})
