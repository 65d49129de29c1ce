// Damaged texts are repaired: every way of damage, and texts that only look damaged.
import { describe, expect, test } from 'bun:test'
import { hasLostLetters, repairsOf, restoredWords } from './damaged-text.ts'

describe('a damaged text', () => {
  test.each([
    ['UTF-8 read as Windows-1252', 'MontaÃ±a', 'Montaña'],
    ['the same twice', 'MontaÃƒÂ±a', 'Montaña'],
    ['UTF-8 read as Latin-1 three times', 'Monta\u00c3\u0083\u00c2\u0083\u00c3\u0082\u00c2\u00b1a', 'Montaña'],
    ['Windows-1252 read as DOS 850', 'Monta±a', 'Montaña'],
    ['DOS 850 read as Windows-1252', 'Monta¤a', 'Montaña'],
    ['DOS 850 read as Windows-1252, á', 'Nicol\u00a0s', 'Nicolás'],
    ['Windows-1252 read as MacRoman', 'MontaÒa', 'Montaña'],
    ['Windows-1252 read as DOS 437', 'Torre≤n', 'Torreón'],
    ['UTF-8 read as Windows-1250', 'MontaĂ±a', 'Montaña'],
    ['a byte that was lost between', 'ZimatlÃ¡n de Ã\ufffdlvarez', 'ZimatlÃ¡n de \ufffdlvarez'],
    ['an entity with a name', 'Monta&ntilde;a', 'Montaña'],
    ['an entity in capitals', 'MONTA&Ntilde;A', 'MONTAÑA'],
    ['an entity that was escaped again', 'Monta&amp;ntilde;a', 'Montaña'],
    ['an entity without its end', 'Monta&ntildea', 'Montaña'],
    ['an escape of an address', 'Monta%C3%B1a', 'Montaña'],
    ['an address with blanks', 'La%20Monta%C3%B1a', 'La Montaña'],
    ['an escape of JSON', 'Monta\\u00f1a', 'Montaña'],
    ['an escape of a script', 'Monta%u00F1a', 'Montaña'],
    ['an escape of a workbook', 'Monta_x00F1_a', 'Montaña'],
    ['an escape of R', 'Monta<U+00F1>a', 'Montaña'],
    ['an escape of mail', 'Monta=F1a', 'Montaña'],
    ['an entity with a number', 'Monta&#241;a', 'Montaña'],
    ['the same without its end', 'Monta&#241a', 'Montaña'],
    ['an entity with a hexadecimal number', 'Monta&#xF1;a', 'Montaña'],
  ])('%s: %s', (_, damaged, text) => expect([...repairsOf(damaged)]).toContain(text))

  test.each(['Monterrey', 'A & B', 'No. 3', '&#99999999;'])('is not %s', (text) =>
    expect([...repairsOf(text)]).toEqual([]),
  )
})

describe('signs in the place of letters', () => {
  test.each([
    ['Ni?o', true],
    ['NI#O', true],
    ['Ni¿o', true],
    ['Ni@o', true],
    ['Ni\ufffd\ufffdo', true],
    ['?ahu', true],
    ['M0NTERREY', true],
    ['#12', false],
    ['C-10', false],
    ['Niño', false],
  ])('%s: %p', (text, isLost) => expect(hasLostLetters(text)).toBe(isLost))

  test.each([
    ['N??ez', 'Nunez'],
    ['Ni\ufffd\ufffdo', 'Nino'],
    ['Compa\ufffd\ufffd\ufffd\ufffda', 'Compania'],
  ])('%s may be %s', (word, restored) => expect(restoredWords(word)).toContain(restored))
  test('may be any letter that has an accent', () => expect(restoredWords('Ni?o')).toContain('Nino'))
  test('are too many where nearly all are lost', () => expect(restoredWords('a?b?c?d?e')).toEqual(['a?b?c?d?e']))
})
