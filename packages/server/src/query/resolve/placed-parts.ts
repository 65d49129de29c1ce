// The parts of a row, where the first cell says as well what it is in, or only that: "Tonalá, Jal." is a municipality and its state.
import type { Entity } from '../../catalog/entity.ts'
import { lineageOf } from '../../catalog/lineage.ts'
import type { Release } from '../../release/release.ts'
import { isNamed } from './address.ts'
import { matchesByParts, type RowMatch } from './row-matches.ts'
import { type WrittenPart, writtenPart, writtenParts } from './written-part.ts'

/** What stands between names; a hyphen without blanks may be in a name. */
const SEPARATORS = [/\s*(?:[,;:(|]|(?<=\S\S\s*)\/)\s*|\s[-–]\s/, /[-–]/]
const SIGN = /[,;:(/|–-]/
const CLOSING = /\)\s*$/

/** The cost of a cell that names several levels. */
const SEVERAL_COST = 0.2

/** The ways to read the parts of a row, the nearest first, and what they cost: "Quintana Roo" is a municipality and a state. */
type Placed = { readonly readings: readonly (readonly WrittenPart[])[]; readonly cost: number }

export function placedParts(release: Release, texts: ReadonlyMap<string, string>, maxLength: number): Placed {
  const parts = writtenParts(release, texts, maxLength)
  const [first, ...others] = parts
  const asGiven = { readings: [parts], cost: 0 }
  if (first === undefined) return asGiven
  const { entity } = first
  const text = (texts.get(entity.name) ?? '').slice(0, maxLength)
  // Most cells say what they should.
  if (isNamed(release, entity, text)) return asGiven
  const [, ...ancestors] = lineageOf(entity)
  const named = ancestors.filter((ancestor) => isNamed(release, ancestor, text))
  if (named.length !== 1 && !SIGN.test(text)) return asGiven
  const splits = SIGN.test(text) ? SEPARATORS.map((separator) => text.replace(CLOSING, '').split(separator)) : []
  // "AD - Andorra" is one record twice.
  const twice = splits.find((names) => names.length === 2 && isOne(release, entity, names))
  if (twice !== undefined)
    return { readings: [[writtenPart(release, entity, twice[0] as string), ...others]], cost: SEVERAL_COST }
  const placed = splits.flatMap((names) =>
    [names, names.toReversed()].flatMap(([own = '', ...places]) =>
      places.length === 0 || places.length > ancestors.length
        ? []
        : placingsOf(release, ancestors, places).map((above) => ({ own, above })),
    ),
  )
  // Where nothing else tells, the name of a state is that in the municipality's place too; "México" is also the country.
  const onlyAbove = named.length === 1 ? [[writtenPart(release, named[0] as Entity, text), ...others]] : []
  // It may be short for what is asked for: "Oaxaca" for Oaxaca de Juárez.
  if (placed.length === 0) return { readings: [parts, ...onlyAbove], cost: 0 }
  // Of a state and a town of its name, the one that is no code is the town.
  const isOther = ({ own }: (typeof placed)[number]) => Number(!isNamed(release, entity, own))
  const readings = placed
    .toSorted((a, b) => isOther(a) - isOther(b))
    .map(({ own, above }) => [...above, writtenPart(release, entity, own), ...others])
  return { readings: [...readings, ...onlyAbove], cost: SEVERAL_COST }
}

/** Whether one of some names is that of a record, and all of them mean it, as a code and a name do. */
function isOne(release: Release, entity: Entity, names: readonly string[]): boolean {
  if (!names.some((name) => isNamed(release, entity, name))) return false
  const [first, ...more] = names.map((name) => matchesByParts(release, [writtenPart(release, entity, name)])[0])
  const isSame = (match: RowMatch | undefined) => match?.cost === 0 && match.position === first?.position
  return first?.cost === 0 && more.every(isSame)
}

/** The ways in which all of some places are ancestors, each above the one before it; the most distant first. */
function placingsOf(release: Release, ancestors: readonly Entity[], places: readonly string[]): WrittenPart[][] {
  const [place, ...further] = places
  if (place === undefined) return [[]]
  return ancestors.flatMap((ancestor, at) => {
    if (!isNamed(release, ancestor, place)) return []
    const part = writtenPart(release, ancestor, place)
    return placingsOf(release, ancestors.slice(at + 1), further).map((above) => [...above, part])
  })
}
