// Rows whose letters beyond ASCII were left out by a program: "Zirndaro" for Zirándaro, "La Pea" for La Peña.
import { memoized } from '../../base/memoized.ts'
import type { Entity } from '../../catalog/entity.ts'
import { wordsOf } from '../../catalog/words.ts'
import { letterMask } from '../../release/index/word-keys.ts'
import type { Release } from '../../release/release.ts'
import { ancestorLevels } from '../search/ancestor-match.ts'
import { type EntityNames, entityNames } from './entity-names.ts'
import { countBelow, recordsBelow } from './parents.ts'
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
  const { typedJoined } = part.written
  const names = entityNames(release, part.entity)
  const isShort = names.count <= MAX_COMPARED_RECORDS
  const positions = isShort ? names.positions : recordsToCompare(release, part.entity, above)
  const found = isShort ? (lossesIn(names).get(typedJoined) ?? []) : namesLeft(names, positions, typedJoined)
  const isCalled = () => matchesCalled(release, part, (position) => positions.includes(position)).length > 0
  return found.length === 0 || isCalled() ? [] : [...new Set(found)]
}

/** The names of a short list by what is left of them. */
const lossesIn = memoized((names: EntityNames) =>
  Map.groupBy(Array.from(names.positions, (position) => names.texts(position)).flat(), (text) => keyLeft(text) ?? ''),
)

/** The names at some positions of which so much is left. */
function namesLeft(names: EntityNames, positions: Uint32Array, left: string): string[] {
  const letters = letterMask(left)
  const found: string[] = []
  for (const position of positions) {
    // The letters that are left are among those of the name.
    if ((letters & ~names.lettersAt(position)) !== 0) continue
    found.push(...names.texts(position).filter((text) => keyLeft(text) === left))
  }
  return found
}

/** The records below what some parts mean; none where they are too many. */
function recordsToCompare(release: Release, entity: Entity, above: readonly WrittenPart[]): Uint32Array {
  const [level] = ancestorLevels(release, entity)
  const parents = level === undefined || level.entity !== above.at(-1)?.entity.name ? [] : parentsFor(release, above)
  const isFew = level !== undefined && countBelow(level, parents) <= MAX_COMPARED_RECORDS
  return (isFew ? recordsBelow(level, parents) : undefined) ?? new Uint32Array()
}

/** What is left of a name; undefined where it loses nothing. */
function keyLeft(text: string): string | undefined {
  const left = text.normalize('NFC').replace(BEYOND_ASCII, '')
  return left.length === text.length ? undefined : wordsOf(left).join('')
}
