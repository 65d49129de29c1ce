// Titles of what ships with the program have Spanish words, and titles of others stay as they are.
import { expect, test } from 'bun:test'
import { builtInCatalog, builtInCredits } from '../../source/built-in.ts'
import { bundledSource } from '../../source/bundled.ts'
import { syntheticSource } from '../../source/synthetic/synthetic.ts'
import words from './file-words.json' with { type: 'json' }
import { listTitleIn, ownLanguageOf } from './file-words.ts'

test('Spanish has words for the lists that ship with the program and for what it says of its own sources', () => {
  const origins = [bundledSource(), syntheticSource({ seed: 1, scale: 1 })].map(({ origin }) => origin.title)
  const lists = [...builtInCatalog.entities.values()].filter(({ titles }) => titles?.es === undefined)
  for (const text of [...origins, ...builtInCredits.map(({ to }) => to), ...lists.map(({ title }) => title)])
    expect([text, Object.keys(words.es.titles).includes(text)]).toEqual([text, true])
})

const [builtIn] = builtInCatalog.entities.values()
const list = (members: object) => ({ ...builtIn, package: 'ours', title: 'Countries', fields: {}, ...members }) as never

test.each([
  ['a title of a package stays', 'es', {}, 'Countries'],
  ['in the language', 'es', { titles: { es: 'Lugares', en: 'Places' } }, 'Lugares'],
  ['in a variety of it', 'es', { titles: { en: 'Places', 'es-MX': 'Sitios' } }, 'Sitios'],
  ['in that variety rather than in another', 'es-MX', { titles: { es: 'Lugares', 'es-MX': 'Sitios' } }, 'Sitios'],
  ['in none of its languages', 'fr', { titles: { es: 'Lugares' } }, 'Countries'],
] as const)('%s', (_, language, members, title) => expect(listTitleIn(language, list(members))).toBe(title))

const named = (...languages: readonly string[]) =>
  list({ fields: Object.fromEntries(languages.map((language) => [language, { kind: 'name', language }])) })

test.each([
  [[], 'es'],
  [['en'], 'en'],
  [['en', 'es-MX'], 'es-MX'],
  [['fr', 'en'], 'fr'],
] as const)('a list with names in %p has files in %s', (languages, own) =>
  expect(ownLanguageOf(named(...languages))).toBe(own),
)
