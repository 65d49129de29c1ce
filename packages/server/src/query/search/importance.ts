// How important a record is among others that match as well, from 0 to 1: by population above all, or by its place in a tree.
import { memoized } from '../../base/memoized.ts'
import { broaderOf, type Entity, embedsOf } from '../../catalog/entity.ts'
import { importanceFieldsOf } from '../../catalog/importance-fields.ts'
import { ancestorsOf } from '../../catalog/lineage.ts'
import type { OpenEntity, Release } from '../../release/release.ts'
import { NO_SEAT, seatsAmong } from './seats.ts'

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

const inByte = (share: number): number => Math.round(share * MAX_IMPORTANCE)

const computed = memoized(({ definition, count }: OpenEntity, release: Release): Uint8Array => {
  const depth = ancestorsOf(definition).length
  const importance = new Uint8Array(count)
  const { population: field } = importanceFieldsOf(definition)
  const share = BY_DEPTH[depth] ?? DEEPEST
  if (broaderOf(definition) !== undefined) return byStepsDown(release, definition, share)
  if (depth < 2) return importance.fill(inByte(share))
  const base = field !== undefined && depth > 2 ? DEEPEST : share
  importance.fill(inByte(base))
  if (field === undefined) return importance
  for (const [position, more] of withoutPopulation(release, definition)) importance[position] = inByte(base + more)
  eachPopulation(release, definition, field, (position, people) => {
    if (people > 0) importance[position] = inByte(byPopulation(people))
  })
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
    importance[position] = inByte(Math.max(share - steps * OF_STEP, 0))
  }
  return importance
}

/** Gives the people of the records of which they are known: their own, or else those of the records below them. */
function eachPopulation(
  release: Release,
  entity: Entity,
  field: string,
  use: (position: number, people: number) => void,
): void {
  const { count, index } = release.entity(entity.name)
  const column = index.column(field)
  if (column.kind === 'number fact' && column.known.length > 0) {
    const { known, values, starts, positions } = column
    // The positions after those of the last known value are those of which nothing is known.
    for (let at = 0; at < (starts[known.length] as number); at++) {
      const position = positions[at] as number
      use(position, known[values[position] as number] as number)
    }
    return
  }
  for (const child of release.catalog.entities.values()) {
    const embed = embedsOf(child).find(([, parent]) => parent.name === entity.name)?.[0]
    const { population } = importanceFieldsOf(child)
    if (embed === undefined || population === undefined) continue
    const parents = release.entity(child.name).index.column(embed).values
    const people = new Float64Array(count)
    eachPopulation(release, child, population, (position, own) => {
      const parent = parents[position] as number
      people[parent] = (people[parent] as number) + own
    })
    people.forEach((own, position) => {
      use(position, own)
    })
    return
  }
}

/** What some records count more where their population is not known: the seats of their parents, urban ones, and namesakes of theirs. */
function withoutPopulation(release: Release, entity: Entity): ReadonlyMap<number, number> {
  const more = new Map<number, number>()
  const seats = seatsAmong(release, entity.name)
  const owner = entity.code.find((field) => entity.fields[field]?.kind === 'embed')
  const embed = owner === undefined ? undefined : entity.fields[owner]
  if (seats === undefined || embed?.kind !== 'embed') return more
  const { parentOf, seatOf } = seats
  const { area: areaField, urban: urbanArea } = importanceFieldsOf(entity)
  const area = areaField === undefined ? undefined : release.entity(entity.name).index.column(areaField)
  const urban = area?.kind === 'text fact' ? area.known.indexOf(urbanArea) : -1
  const add = (positions: Iterable<number>, share: number) => {
    for (const position of positions) more.set(position, (more.get(position) ?? 0) + share)
  }
  add(
    seatOf.filter((seat) => seat !== NO_SEAT),
    OF_SEAT,
  )
  if (area !== undefined && urban !== -1)
    add(area.positions.subarray(area.starts[urban], area.starts[urban + 1]), OF_URBAN)
  add(namesakes(release, entity, embed.entity, parentOf), OF_NAMESAKE)
  return more
}

/** The positions of the records that have the words of their parent's name. */
function namesakes(release: Release, entity: Entity, parent: Entity, parents: Uint32Array): number[] {
  const [own, other] = [release.entity(entity.name).index.words, release.entity(parent.name).index.words]
  /** The words of parents as the records have them. */
  const translated = Int32Array.from(
    { length: other.words.size },
    (_, word) => own.words.indexOf(other.words.text(word)) ?? -1,
  )
  const { names, nameStarts } = own
  const { names: otherNames, nameStarts: otherStarts } = other
  const found: number[] = []
  for (let position = 0; position < parents.length; position++) {
    const from = nameStarts[position] as number
    const otherFrom = otherStarts[parents[position] as number] as number
    // Few have so much as the first word in common.
    if (names[from] !== translated[otherNames[otherFrom] as number]) continue
    const length = (nameStarts[position + 1] as number) - from
    if (length !== (otherStarts[(parents[position] as number) + 1] as number) - otherFrom) continue
    let same = 1
    while (same < length && names[from + same] === translated[otherNames[otherFrom + same] as number]) same++
    if (same >= length) found.push(position)
  }
  return found
}
