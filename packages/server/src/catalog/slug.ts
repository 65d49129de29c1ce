// Names of any text as they can be typed in a path or a query: folded, with a sign between the words.
import { memoized } from '../base/memoized.ts'
import type { Entity } from './entity.ts'
import { wordsOf } from './words.ts'

const MAX_LENGTH = 64
const NAMELESS = 'x'

/** Letters of other scripts are not typed everywhere, and stand as their numbers in Unicode. */
const inAscii = (word: string): string =>
  word.replace(/[^a-z0-9]/gu, (letter) => `u${(letter.codePointAt(0) as number).toString(16)}`)

/** Begins with a letter, so that it is no number. */
export function slugOf(text: string, between: '_' | '-'): string {
  const slug = wordsOf(text).map(inAscii).join(between).slice(0, MAX_LENGTH)
  return /^[a-z]/.test(slug) ? slug : `${NAMELESS}${between}${slug}`.replace(/[_-]$/, '')
}

/** The name of a field in queries. A field that is an identifier already is its own slug. */
const IDENTIFIER = /^[A-Za-z][A-Za-z0-9_]*$/

/** The slugs of the fields of an entity and its official codes, by name. Of names that are alike, later ones have a number. */
const fieldSlugs = memoized(({ fields, codes = [] }: Entity): ReadonlyMap<string, string> => {
  const names = [...new Set([...Object.keys(fields), ...codes.map(({ name }) => name)])]
  const used = new Set(names.filter((name) => IDENTIFIER.test(name)))
  return new Map(names.map((name) => [name, IDENTIFIER.test(name) ? name : freeSlug(slugOf(name, '_'), used)]))
})

function freeSlug(slug: string, used: Set<string>): string {
  let free = slug
  for (let number = 2; used.has(free); number++) free = `${slug}_${number}`
  used.add(free)
  return free
}

/** The slug of a field or an official code of an entity. */
export const fieldSlug = (entity: Entity, name: string): string => fieldSlugs(entity).get(name) ?? name
