// Every language has words for every list that ships with the program, for all its fields, and for where its records come from.
import { expect, test } from 'bun:test'
import { builtInCatalog, builtInCredits } from '../../source/built-in.ts'
import { bundledSource } from '../../source/bundled.ts'
import { syntheticSource } from '../../source/synthetic/synthetic.ts'
import { en } from './en.ts'
import { es } from './es.ts'

const lists = [...builtInCatalog.entities.values()]
const fields = new Set(lists.flatMap((entity) => Object.keys(entity.fields)))

test.each([es, en])('$languageName has words for the built-in lists and fields, and for no others', (words) => {
  expect(Object.keys(words.entities).sort()).toEqual(lists.map(({ name }) => name).sort())
  expect(Object.keys(words.fields).sort()).toEqual([...fields].sort())
})

test('Spanish has words for what the program says of its own sources', () => {
  const origins = [bundledSource(), syntheticSource({ seed: 1, scale: 1 })].map(({ origin }) => origin.title)
  for (const text of [...origins, ...builtInCredits.map(({ to }) => to)]) expect(es.sources[text]).toBeString()
})

/** Words that are spelled otherwise in Britain; of one spelling there are many words. */
const BRITISH =
  /colour|licence|metre|centre|misspelt|favour|behaviour|honour|neighbour|catalogue|cancell|labell|travell|\wis(?:e[ds]?|ing|ation)\b/i
/** Words that end so in both. */
const SPELLED_SO =
  /\b(?:otherwise|wise|rise|raise[sd]?|exercise|precise|promise|noise|advise|advertise|comprise|this)\b/gi

test('English is spelled as in the United States', () => {
  const words = (value: unknown): string[] =>
    typeof value === 'string'
      ? [value]
      : typeof value === 'function'
        ? [String(value('{1}', '{2}', '{3}'))]
        : Object.values(value ?? {}).flatMap(words)
  const texts = words({ ...en, problem: { ...en.problem, detail: '' } })
  expect(texts.length).toBeGreaterThan(300)
  expect(texts.filter((text) => BRITISH.test(text.replace(SPELLED_SO, '')))).toEqual([])
})
