// The parts of a row, where the first cell says as well what it is in, or only that: "Tonalá, Jal." is a municipality and its state.
import type { Entity } from '../../catalog/entity.ts'
import { ancestorsOf } from '../../catalog/lineage.ts'
import type { Release } from '../../release/release.ts'
import { isNamed } from './address.ts'
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
  if (first === undefined || first.beside !== undefined) return asGiven
  const { entity } = first
  const text = (texts.get(entity.name) ?? '').slice(0, maxLength)
  if (isNamed(release, entity, text)) return asGiven
  const ancestors = ancestorsOf(entity).map((step) => step.entity)
  const named = ancestors.filter((ancestor) => isNamed(release, ancestor, text))
  // Where nothing else tells, the name of a state is that in the municipality's place too; "México" is also the country.
  if (named.length === 1) return { readings: [[writtenPart(release, named[0] as Entity, text), ...others]], cost: 0 }
  if (!SIGN.test(text)) return asGiven
  const readings = SEPARATORS.flatMap((separator) => {
    const names = text.replace(CLOSING, '').split(separator)
    return [names, names.toReversed()].flatMap(([own = '', ...places]) =>
      places.length === 0 || places.length > ancestors.length
        ? []
        : placingsOf(release, ancestors, places).map((above) => ({ own, above })),
    )
  })
  if (readings.length === 0) return asGiven
  // Of a state and a town of its name, the one that is no code is the town.
  const isOther = ({ own }: (typeof readings)[number]) => Number(!isNamed(release, entity, own))
  return {
    readings: readings
      .toSorted((a, b) => isOther(a) - isOther(b))
      .map(({ own, above }) => [...above, writtenPart(release, entity, own), ...others]),
    cost: SEVERAL_COST,
  }
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
