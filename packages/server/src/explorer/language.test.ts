// The choice of the language of a request, and every word in each language.
import { describe, expect, test } from 'bun:test'
import { acceptedLanguage, LANGUAGES, languageOf } from './language.ts'

describe('Accept-Language', () => {
  test.each([
    [undefined, 'es'],
    ['', 'es'],
    ['*', 'es'],
    ['en', 'en'],
    ['EN-us', 'en'],
    ['es-MX,es;q=0.9,en;q=0.8', 'es'],
    ['en;q=0.8,es-419;q=0.9', 'es'],
    ['fr-CA, en;q=0.5', 'en'],
    ['en;q=0', 'es'],
    ['en;q=nonsense', 'es'],
    ['en, es', 'en'],
    ['__proto__, constructor', 'es'],
  ])('%p is %s', (header, expected) => expect(acceptedLanguage(header)).toBe(expected as 'es' | 'en'))
})

/** Every path to a word in a table. */
function pathsIn(table: object, before = ''): string[] {
  return Object.entries(table).flatMap(([name, value]) =>
    typeof value === 'object' ? pathsIn(value, `${before}${name}.`) : [`${before}${name} ${typeof value}`],
  )
}

test('every table has the same words, and none is empty', () => {
  // Only Spanish needs these: in English the OpenAPI document and the releases have them.
  const isOptional = (path: string) =>
    /^(?:reference\.(?:parameters|members|summaries\.paths|types)|sources)\./.test(path)
  const [first = [], ...others] = LANGUAGES.map((code) =>
    pathsIn(languageOf(code).words)
      .filter((path) => !isOptional(path))
      .sort(),
  )
  for (const other of others) expect(other).toEqual(first)
  for (const code of LANGUAGES) expect(JSON.stringify(languageOf(code).words)).not.toContain('""')
})

test.each([
  ['es', '299,638', '1,234.5', '15 nov 2026'],
  ['en', '299,638', '1,234.5', 'Nov 15, 2026'],
] as const)('numbers and dates in %s', (code, whole, decimal, date) => {
  const language = languageOf(code)
  expect([language.number(299_638), language.decimal(1_234.54, 1), language.date('2026-11-15T23:59:59Z')]).toEqual([
    whole,
    decimal,
    date,
  ])
})
