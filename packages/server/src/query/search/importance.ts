// How important a record is among others that match as well, from 0 to 1: by population above all, or by its place in a tree.
import { memoized } from '../../base/memoized.ts'
import { broaderOf, type Entity, embedsOf } from '../../catalog/entity.ts'
import { importanceFieldsOf } from '../../catalog/importance-fields.ts'
import { ancestorsOf } from '../../catalog/lineage.ts'
import type { OpenEntity, Release } from '../../release/release.ts'
import { seatsAmong } from './seats.ts'

/** What has no parent or one counts as much as it can; the rest by population, on a scale of powers of ten. */
const BY_DEPTH = [1, 0.9, 0.5, 0.3]
const DEEPEST = 0
const MAX_BY_POPULATION = 0.89
/** Powers of ten of the populations that count nothing, and everything. */
const SMALLEST = 2
const LARGEST = 7
const byPopulation = (people: number): number =>
  Math.max(0, Math.min((Math.log10(people) - SMALLEST) / (LARGEST - SMALLEST), MAX_BY_POPULATION))
const OF_SEAT = 0.25
const OF_URBAN = 0.15
const OF_NAMESAKE = 0.05
/** What each step down a tree takes, and how many count: never so much that a better match comes after a worse one. */
const OF_STEP = 0.05
const MAX_STEPS = 4
/** The importance of a record is kept in a byte. */
export const MAX_IMPORTANCE = 255

/** The importance of each record, from 0 to MAX_IMPORTANCE. */
export const importanceOf = (release: Release, name: string): Uint8Array => computed(release.entity(name), release)

const computed = memoized(({ definition, count }: OpenEntity, release: Release): Uint8Array => {
  const depth = ancestorsOf(definition).length
  const importance = new Uint8Array(count)
  const { population: field } = importanceFieldsOf(definition)
  const share = BY_DEPTH[depth] ?? DEEPEST
  if (broaderOf(definition) !== undefined) return byStepsDown(release, definition, share)
  if (depth < 2) return importance.fill(Math.round(share * MAX_IMPORTANCE))
  const base = field !== undefined && depth > 2 ? DEEPEST : share
  const people = field === undefined ? undefined : populationOf(release, definition, field)
  if (people === undefined) return importance.fill(Math.round(base * MAX_IMPORTANCE))
  const without = withoutPopulation(release, definition, base)
  for (let position = 0; position < count; position++) {
    const population = people[position] as number
    const share = population > 0 ? byPopulation(population) : without(position)
    importance[position] = Math.round(share * MAX_IMPORTANCE)
  }
  return importance
})

/** What is higher up in a tree counts more. */
function byStepsDown(release: Release, entity: Entity, share: number): Uint8Array {
  const { count, index } = release.entity(entity.name)
  const above = index.column(broaderOf(entity) as string).values
  const importance = new Uint8Array(count)
  for (let position = 0; position < count; position++) {
    let steps = 0
    for (let at = above[position] as number; at < count && steps < MAX_STEPS; at = above[at] as number) steps++
    importance[position] = Math.round(Math.max(share - steps * OF_STEP, 0) * MAX_IMPORTANCE)
  }
  return importance
}

/** The people of each record as far as they are known: its own, or else those of the records below it. */
function populationOf(release: Release, entity: Entity, field: string): Float64Array {
  const { count, index } = release.entity(entity.name)
  const people = new Float64Array(count)
  const column = index.column(field)
  if (column.kind === 'number fact' && column.known.length > 0) {
    const { known, values, starts, positions } = column
    // The positions after those of the last known value are those of which nothing is known.
    for (let at = 0; at < (starts[known.length] as number); at++) {
      const position = positions[at] as number
      people[position] = known[values[position] as number] as number
    }
    return people
  }
  for (const child of release.catalog.entities.values()) {
    const embed = embedsOf(child).find(([, parent]) => parent.name === entity.name)?.[0]
    const { population } = importanceFieldsOf(child)
    if (embed === undefined || population === undefined) continue
    const parents = release.entity(child.name).index.column(embed).values
    const ownPeople = populationOf(release, child, population)
    for (let position = 0; position < ownPeople.length; position++) {
      const parent = parents[position] as number
      people[parent] = (people[parent] as number) + (ownPeople[position] as number)
    }
    return people
  }
  return people
}

/** The importance of a record whose population is not known: as the seat of its parent, as urban, or as its namesake. */
function withoutPopulation(release: Release, entity: Entity, base: number): (position: number) => number {
  const seats = seatsAmong(release, entity.name)
  const owner = entity.code.find((field) => entity.fields[field]?.kind === 'embed')
  const embed = owner === undefined ? undefined : entity.fields[owner]
  if (seats === undefined || embed?.kind !== 'embed') return () => base
  const { parentOf, seatOf } = seats
  const { index } = release.entity(entity.name)
  const { area: areaField, urban: urbanArea } = importanceFieldsOf(entity)
  const area = areaField === undefined ? undefined : index.column(areaField)
  const urban = area?.kind === 'text fact' ? area.known.indexOf(urbanArea) : -1
  const isNamesake = namesakes(release, entity, embed.entity, parentOf)
  return (position) => {
    const isSeat = seatOf[parentOf[position] as number] === position
    const isUrban = urban !== -1 && area?.values[position] === urban
    return base + (isSeat ? OF_SEAT : 0) + (isUrban ? OF_URBAN : 0) + (isNamesake(position) ? OF_NAMESAKE : 0)
  }
}

/** Whether a record has the words of its parent's name. */
function namesakes(
  release: Release,
  entity: Entity,
  parent: Entity,
  parents: Uint32Array,
): (position: number) => boolean {
  const [own, other] = [release.entity(entity.name).index.words, release.entity(parent.name).index.words]
  /** The words of parents as the records have them. */
  const translated = Int32Array.from(
    { length: other.words.size },
    (_, word) => own.words.indexOf(other.words.text(word)) ?? -1,
  )
  return (position) => {
    const above = parents[position] as number
    const from = own.nameStarts[position] as number
    const otherFrom = other.nameStarts[above] as number
    // Few have so much as the first word in common.
    if (own.names[from] !== translated[other.names[otherFrom] as number]) return false
    const length = (own.nameStarts[position + 1] as number) - from
    if (length !== (other.nameStarts[above + 1] as number) - otherFrom) return false
    for (let at = 1; at < length; at++)
      if (own.names[from + at] !== translated[other.names[otherFrom + at] as number]) return false
    return true
  }
}
