// Checks that the two encodings are distinguished.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { detectEncoding } from './encoding.ts'

const utf8 = (text: string) => Buffer.from(text)
const latin1 = (text: string) => Buffer.from(text, 'latin1')
const bytes = (...parts: (Buffer | number)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : part)))

describe('the encoding', () => {
  test.each([
    ['nothing', utf8(''), undefined],
    ['letters of English', utf8('Granja Adelita'), undefined],
    ['accents in UTF-8', utf8('Peñuelas'), 'utf-8'],
    ['accents in Windows-1252', latin1('Peñuelas'), 'windows-1252'],
    ['degrees in Windows-1252', latin1('21°52´47'), 'windows-1252'],
    ['letters of three and four bytes', utf8('中🌵'), 'utf-8'],
    ['UTF-8 with one broken letter', bytes(utf8('Peñuelas, Ma'), 0xc3, utf8('ana, Bajío')), 'utf-8'],
    ['UTF-8 of which the first letter is broken', bytes(0xf1, utf8('and\u00fa, Peñuelas')), 'utf-8'],
    [
      'Windows-1252 where two letters happen to look like one',
      bytes(latin1('Café “TÉ”, ñandú '), 0xc9, 0x94),
      'windows-1252',
    ],
    ['a letter cut off at the end', bytes(utf8('Peñuelas y Bajío '), 0xc3), 'utf-8'],
    ['an overlong letter', bytes(0xc0, 0xaf), 'windows-1252'],
  ] as const)('%s', (_, given, encoding) => expect(detectEncoding(given)).toBe(encoding))

  const spanish = fc
    .string({ unit: fc.constantFrom(...'aeñáéíóúüÑÁ°´ [],"'), minLength: 1 })
    .filter((text) => /[ñáéíóúüÑÁ°´]/.test(text))
  test('of any Spanish text is detected', () => {
    const law = fc.property(spanish, (text) => {
      expect(detectEncoding(utf8(text))).toBe('utf-8')
      // A letter and a sign next to each other, such as Ñ°, may look like UTF-8, and no name has them.
      fc.pre(!/[ñáéíóúüÑÁ][°´]/.test(text))
      expect(detectEncoding(latin1(text))).toBe('windows-1252')
    })
    fc.assert(law)
  })
})
