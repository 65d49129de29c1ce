// Rows whose letters beyond ASCII were left out by a program: "Zirndaro" for Zirándaro, "La Pea" for La Peña.
import { memoized } from '../../base/memoized.ts'
import type { Entity } from '../../catalog/entity.ts'
import { wordsOf } from '../../catalog/words.ts'
import { letterMask } from '../../release/index/word-keys.ts'
import type { Release } from '../../release/release.ts'
import { ancestorLevels } from '../search/ancestor-match.ts'
import { ancestorAt } from '../search/score.ts'
import { entityNames } from './entity-names.ts'
import { countBelow, levelOf, recordsBelow } from './parents.ts'
import { MAX_COMPARED_RECORDS, matchesCalled } from './part-matches.ts'
import { parentsFor } from './row-matches.ts'
import { type WrittenPart, writtenPart } from './written-part.ts'

const BEYOND_ASCII = /[^\0-\x7f]/g
/** How many letters of a row must be lost at least: a single one is rather a misspelling of some other name. */
const MIN_LOST = 2

/** The parts of a row with the letters that they have lost; undefined where it does not look so. */
export function withLostLetters(release: Release, given: readonly WrittenPart[]): readonly WrittenPart[] | undefined {
  const parts: WrittenPart[] = []
  let lost = 0
  for (const part of given) {
    const names = part.digits === undefined ? namesLosing(release, part, parts) : []
    const [name] = names
    if (name === undefined || names.length > 1) {
      parts.push(part)
      continue
    }
    const whole = writtenPart(release, part.entity, name)
    parts.push({ ...whole, key: `${whole.key} repaired`, isRepaired: true })
    lost += name.length - name.replace(BEYOND_ASCII, '').length
  }
  return lost >= MIN_LOST ? parts : undefined
}

/** The names of records below some parts that are what a part says once they have lost letters; none where one is called so. */
function namesLosing(release: Release, part: WrittenPart, above: readonly WrittenPart[]): readonly string[] {
  const { entity, written } = part
  const names = entityNames(release, entity)
  if (names.count <= MAX_COMPARED_RECORDS) {
    const losing = tables(release)(entity, release).get(written.typedJoined) ?? []
    return losing.length > 0 && matchesCalled(release, part).length > 0 ? [] : losing
  }
  const level = levelOf(release, entity, above.at(-1))
  if (level === undefined || level !== ancestorLevels(release, entity)[0]) return []
  const parents = parentsFor(release, above)
  if (countBelow(level, parents) > MAX_COMPARED_RECORDS) return []
  const letters = letterMask(written.typedJoined)
  const found = new Set<string>()
  const below = recordsBelow(level, parents)
  for (let at = 0; at < (below?.length ?? 0); at++) {
    const position = below?.[at] as number
    // The letters that are left are among those of the name.
    if ((letters & ~names.lettersAt(position)) !== 0) continue
    for (const text of names.texts(position)) if (keyLeft(text) === written.typedJoined) found.add(text)
  }
  if (found.size === 0) return []
  const isBelowParents = (position: number) => parents.some((parent) => parent.position === ancestorAt(level, position))
  return matchesCalled(release, part, isBelowParents).length > 0 ? [] : [...found]
}

/** What is left of a name; undefined where it loses nothing. */
function keyLeft(text: string): string | undefined {
  const left = text.normalize('NFC').replace(BEYOND_ASCII, '')
  return left.length === text.length ? undefined : wordsOf(left).join('')
}

/** The names of an entity of few records, by what is left of them. */
const tables = memoized((_: Release) =>
  memoized((entity: Entity, release: Release): ReadonlyMap<string, readonly string[]> => {
    const names = entityNames(release, entity)
    const table = new Map<string, string[]>()
    for (const position of names.positions)
      for (const text of names.texts(position)) {
        const left = keyLeft(text)
        const others = left === undefined ? undefined : (table.get(left) ?? [])
        if (left !== undefined && others?.includes(text) === false) table.set(left, [...others, text])
      }
    return table
  }),
)
