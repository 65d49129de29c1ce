// The parts of a row, where the first cell says as well what it is in: "Tonalá, Jal." is a municipality and its state.
import type { Entity } from '../../catalog/entity.ts'
import { ancestorsOf } from '../../catalog/lineage.ts'
import type { Release } from '../../release/release.ts'
import { isNamed } from './address.ts'
import { type WrittenPart, writtenPart, writtenParts } from './written-part.ts'

const BETWEEN = /\s*[,;(]\s*/
const CLOSING = /\)\s*$/

/** The cost of a cell that names several levels. */
const SEVERAL_COST = 0.2

/** The ways to read the parts of a row, the nearest first, and what they cost: "Quintana Roo" is a municipality and a state. */
type Placed = { readonly readings: readonly (readonly WrittenPart[])[]; readonly cost: number }

export function placedParts(release: Release, texts: ReadonlyMap<string, string>, maxLength: number): Placed {
  const parts = writtenParts(release, texts, maxLength)
  const [first, ...others] = parts
  const asGiven = { readings: [parts], cost: 0 }
  if (first === undefined || !first.isList) return asGiven
  const { entity } = first
  const text = (texts.get(entity.name) ?? '').slice(0, maxLength)
  const [own = '', ...places] = text.replace(CLOSING, '').split(BETWEEN)
  const ancestors = ancestorsOf(entity).map((step) => step.entity)
  if (places.length > ancestors.length || isNamed(release, entity, text)) return asGiven
  const placings = placingsOf(release, ancestors, places)
  if (placings.length === 0) return asGiven
  const readings = placings.map((above) => [...above, writtenPart(release, entity, own), ...others])
  return { readings, cost: SEVERAL_COST }
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
