// Every language has words for every list that ships with the program, and for all its fields.
import { expect, test } from 'bun:test'
import { builtInCatalog } from '../../source/built-in.ts'
import { en } from './en.ts'
import { es } from './es.ts'

const lists = [...builtInCatalog.entities.values()]
const fields = new Set(lists.flatMap((entity) => Object.keys(entity.fields)))

test.each([es, en])('$languageName has words for the built-in lists and fields, and for no others', (words) => {
  expect(Object.keys(words.entities).sort()).toEqual(lists.map(({ name }) => name).sort())
  expect(Object.keys(words.fields).sort()).toEqual([...fields].sort())
})
