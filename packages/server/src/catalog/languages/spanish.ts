// Spanish as it is written, as far as the search knows it. Abbreviations and lists of words are in spanish.json.
import { languageFrom } from './language.ts'
import words from './spanish.json' with { type: 'json' }

export const spanish = languageFrom({
  ...words,
  endings: {
    derived: /(?:it[ao]s?|ill[ao]s?|ot[ae]s?|an[ao]s?|en[ao]s?|er[ao]s?|os[ao]s?|pan|tlan|tepec|tengo|tongo|tzingo)$/,
    plain: /[aeo]s?$/,
  },
  soundRules: [
    [/ph/g, 'f'],
    [/^ps/, 's'],
    [/tz/g, 's'],
    [/sh/g, 's'],
    [/ch/g, '#'],
    [/^h?ie/, 'ye'],
    [/gu(?=[ei])/g, 'g~'],
    [/(?:hu(?=[aeio])|gu(?=a)|^o(?=a))/g, 'w'],
    [/qu(?=[ei])/g, 'k'],
    [/q/g, 'k'],
    [/sc(?=[ei])/g, 's'],
    [/cc(?=[ei])/g, 's'],
    [/c(?=[ei])/g, 's'],
    [/g(?=[ei])/g, 'j'],
    [/ck|c/g, 'k'],
    [/z/g, 's'],
    [/v/g, 'b'],
    [/n(?=[bpm])/g, 'm'],
    [/ll/g, 'y'],
    [/y$/, 'i'],
    [/h/g, ''],
    [/~/g, ''],
    [/(.)\1+/g, '$1'],
  ],
  // The x of México and of Xochimilco.
  variants: { x: ['s', 'j'] },
  alike: ['bv', 'sczxkq', 'ily', 'gj', 'uw', 'nm'],
  silent: 'h',
  ownLetters: { ñ: 'n' },
})
