// English as it is written, as far as the search knows it: a small set. Abbreviations and lists of words are in english.json.

import words from './english.json' with { type: 'json' }
import { languageFrom } from './language.ts'

export const english = languageFrom({
  ...words,
  soundRules: [
    [/ph/g, 'f'],
    [/^kn/, 'n'],
    [/^wr/, 'r'],
    [/^ps/, 's'],
    [/gh(?=t|$)/g, ''],
    [/sch/g, 'sk'],
    [/c(?=[eiy])/g, 's'],
    [/ch/g, '#'],
    [/ck|c|q/g, 'k'],
    [/x/g, 'ks'],
    [/z/g, 's'],
    [/y/g, 'i'],
    [/ie|ei|ea|ee/g, 'i'],
    [/ou/g, 'o'],
    [/(?<=[a-z])h/g, ''],
    [/(.)\1+/g, '$1'],
    [/(?<=..)e$/, ''],
  ],
  alike: ['sczkqx', 'iye', 'ou'],
  silent: 'h',
})
