// What is known of a word by itself.
import { expect, test } from 'bun:test'
import { spanish } from '../../catalog/languages/spanish.ts'
import { wordsInMemory } from '../../release/index/words-in-memory.ts'
import { hashOf, wordForms } from './word-forms.ts'

test.each([
  ['rosa', 'rosa', ''],
  ['ñandu', 'ñandu', ''],
  ['vid', 'vid', ''],
  ['de', 'de', 'slight'],
  ['ejido', 'ejido', 'slight'],
  ['heroica', 'heroica', 'slight'],
  ['sta', 'santa', 'abbreviation'],
  ['cinco', '5', 'number'],
  ['viii', '8', 'number'],
  ['07', '7', 'number'],
  ['2da', '2', 'abbreviation number'],
  ['veinte', '20', 'number open'],
  ['numero', 'numero', 'slight number open'],
  ['x', 'x', 'number open'],
  ['c09', 'c9', 'number'],
  ['12abc', '12abc', 'number'],
])('%s is written out as %s: %s', (text, written, signs) => {
  const index = wordsInMemory(spanish, [[text]])
  const forms = wordForms(index)
  const isSet = { slight: forms.isSlight, abbreviation: forms.isAbbreviation, number: forms.mayBeNumber }
  const told = Object.entries({ ...isSet, open: forms.isOpenNumber }).filter(([, flags]) => flags[0] === 1)
  expect((forms.hashes[0] as number) >>> 0).toBe(hashOf(written))
  expect(told.map(([sign]) => sign).join(' ')).toBe(signs)
})
