// Every language has words for every list that ships with the program and for all its fields.
import { expect, test } from 'bun:test'
import { builtInCatalog } from '../../source/built-in.ts'
import { words } from './words.ts'

const { es, en } = words

const lists = [...builtInCatalog.entities.values()]
const fields = new Set(lists.flatMap((entity) => Object.keys(entity.fields)))

test.each(Object.entries(words))('%s has words for the built-in lists, and for no others', (code, words) => {
  const named = lists.filter(({ titles }) => titles?.[code] !== undefined)
  expect(Object.keys(words.entities).sort()).toEqual(
    lists.flatMap((entity) => (named.includes(entity) ? [] : [entity.name])).sort(),
  )
  expect(Object.keys(words.fields).filter((name) => !fields.has(name))).toEqual([])
})

test.each(Object.entries(words))('%s has words for every field of them that is shown by its own', (code, words) => {
  for (const { name, titles, fields } of lists) {
    const unnamed = Object.entries(fields).filter(([field, { title }]) => !Object.hasOwn(words.fields, field) && !title)
    if (titles?.[code] === undefined) expect([name, unnamed.map(([field]) => field)]).toEqual([name, []])
  }
})

const textsIn = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.values(value ?? {}).flatMap(textsIn)

test('both languages have the same texts with the same values, but for what English pages take from the API', () => {
  const entries = (value: unknown, path: string): [string, string][] =>
    typeof value === 'string'
      ? [[path, [...new Set(value.match(/\{\d\}/g))].sort().join()]]
      : Object.entries(value ?? {}).flatMap(([name, one]) => entries(one, `${path}/${name}`))
  const english = new Map(entries(en, ''))
  const spanish = new Map(entries(es, ''))
  expect([...english].filter(([path, values]) => spanish.get(path) !== values)).toEqual([])
  const onlySpanish = [...spanish.keys()].filter((path) => !english.has(path))
  expect(
    onlySpanish.filter((path) => !/^\/(reference\/(members|parameters|summaries|types)|findings)\//.test(path)),
  ).toEqual([])
})

/** Words that are spelled otherwise in Britain; of one spelling there are many words. */
const BRITISH =
  /colour|licence|metre|centre|misspelt|favour|behaviour|honour|neighbour|catalogue|cancell|labell|travell|\wis(?:e[ds]?|ing|ation)\b/i
/** Words that end so in both. */
const SPELLED_SO =
  /\b(?:otherwise|wise|rise|raise[sd]?|exercise|precise|promise|noise|advise|advertise|comprise|this)\b/gi

test('English is spelled as in the United States', () => {
  const texts = textsIn(en)
  expect(texts.length).toBeGreaterThan(300)
  expect(texts.filter((text) => BRITISH.test(text.replace(SPELLED_SO, '')))).toEqual([])
})
