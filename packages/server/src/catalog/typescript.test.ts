// A catalog as TypeScript, with names and descriptions that need care.
import { expect, test } from 'bun:test'
import { code, copyOf, embeds, entity, id, name, numberFact, textFact } from '../../../../test/support/definitions.ts'
import { catalogOf } from './catalog.ts'
import { pascalCase, typescriptOf } from './typescript.ts'

const star = entity({
  name: 'star-system',
  plural: 'star-systems',
  fields: {
    'star-id': id('number; a comment */ ends here'),
    title: name('name'),
    subtitle: copyOf('title'),
  },
  key: ['star-id'],
  code: ['title'],
})
const planet = entity({
  name: 'planet',
  plural: 'planets',
  v1: 1,
  fields: {
    sign: code("planet's sign", /^[A-Z]$/, 'a letter'),
    number: id('number within its star'),
    star: embeds(star, 'its star'),
    mass: numberFact('mass', { min: 0, max: 9 }),
    kind: textFact('kind', /^[a-z]+$/, 'letters'),
  },
  key: ['star', 'number'],
  code: ['star', 'sign'],
})

test('a catalog is written as the types of its records and the shapes of its collections', () => {
  expect(typescriptOf(catalogOf([star, planet]))).toBe(`/** A record of star-systems. */
export type StarSystem = {
  /** number; a comment * / ends here */
  readonly 'star-id': number
  /** name */
  readonly title: string
  /** same value as title */
  readonly subtitle: string
}

/** A record of planets. */
export type Planet = {
  /** planet's sign */
  readonly sign: string
  /** number within its star */
  readonly number: number
  /** its star */
  readonly star: StarSystem
}

/** All collections, as connect takes them. */
export type Collections = {
  readonly 'star-systems': {
    readonly record: StarSystem
    readonly facts: Record<never, never>
    readonly key: { readonly 'star-id': number }
    readonly codes: never
    readonly below: 'planets'
  }
  readonly planets: {
    readonly record: Planet
    readonly facts: {
      /** mass */
      readonly mass: number | null
      /** kind */
      readonly kind: string | null
    }
    readonly key: { readonly star: number; readonly number: number }
    readonly codes: 'sign'
    readonly owner: 'star-systems'
    readonly v1: true
  }
}
`)
})

test('what is too long for a line is written as formatters have it', () => {
  const codes = ['first', 'second', 'third'].map((word) => `${word}${'x'.repeat(40)}`)
  const fields = Object.fromEntries(codes.map((field) => [field, code('x', /./, 'x')]))
  const list = entity({ name: 'long', plural: 'long', fields, key: [codes[0] as string], code: [codes[0] as string] })
  const written = `    readonly codes:\n${codes.map((field) => `      | '${field}'\n`).join('')}  }\n`
  expect(typescriptOf(catalogOf([list]))).toContain(written)
})

test.each([
  ['areas-conocimiento', 'AreasConocimiento'],
  ['pais', 'Pais'],
  ['star_system2', 'StarSystem2'],
])('%s is %s as the name of a type', (given, expected) => {
  expect(pascalCase(given)).toBe(expected)
})
