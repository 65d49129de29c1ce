// How important a record is among others that match as well, from 0 to 1: by population above all.
import { memoized } from '../../base/memoized.ts'
import { type Entity, embedsOf } from '../../catalog/entity.ts'
import { ancestorsOf } from '../../catalog/lineage.ts'
import type { Column } from '../../release/index/index-file.ts'
import type { OpenEntity, Release } from '../../release/release.ts'

/** The facts and codes that tell of importance, where an entity has them. */
const POPULATION = 'poblacion'
const SEAT = 'cabecera'
const AREA = 'ambito'
const URBAN = 'U'
/** The code of a locality that is a seat, in the files of INEGI. */
const SEAT_CODE = /^0*1$/

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
/** The importance of a record is kept in a byte. */
export const MAX_IMPORTANCE = 255

/** The importance of each record, from 0 to MAX_IMPORTANCE. */
export const importanceOf = (release: Release, name: string): Uint8Array => computed(release.entity(name), release)

const computed = memoized(({ definition, count }: OpenEntity, release: Release): Uint8Array => {
  const depth = ancestorsOf(definition).length
  const importance = new Uint8Array(count)
  if (depth < 2) return importance.fill(Math.round((BY_DEPTH[depth] as number) * MAX_IMPORTANCE))
  const isPopulated = definition.fields[POPULATION] !== undefined
  const base = isPopulated && depth > 2 ? DEEPEST : (BY_DEPTH[depth] ?? DEEPEST)
  const people = isPopulated ? populationOf(release, definition) : undefined
  const without = people === undefined ? undefined : withoutPopulation(release, definition, base)
  for (let position = 0; position < count; position++) {
    const population = people?.[position] ?? 0
    const share = population > 0 ? byPopulation(population) : (without?.(position) ?? base)
    importance[position] = Math.round(share * MAX_IMPORTANCE)
  }
  return importance
})

/** The people of each record as far as they are known: its own, or else those of the records below it. */
function populationOf(release: Release, entity: Entity): Float64Array {
  const { count, index } = release.entity(entity.name)
  const people = new Float64Array(count)
  const column = index.column(POPULATION)
  if (column.kind === 'number fact' && column.known.length > 0) {
    for (let position = 0; position < count; position++)
      people[position] = column.known[column.values[position] as number] ?? 0
    return people
  }
  for (const child of release.catalog.entities.values()) {
    const field = embedsOf(child).find(([, parent]) => parent.name === entity.name)?.[0]
    if (field === undefined || child.fields[POPULATION] === undefined) continue
    const [parents, ownPeople] = [release.entity(child.name).index.column(field).values, populationOf(release, child)]
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
  const { index } = release.entity(entity.name)
  const owner = entity.code.find((field) => entity.fields[field]?.kind === 'embed')
  const codeField = entity.code.find((field) => entity.fields[field]?.kind === 'code')
  const embed = owner === undefined ? undefined : entity.fields[owner]
  if (
    owner === undefined ||
    codeField === undefined ||
    embed?.kind !== 'embed' ||
    embed.entity.fields[SEAT] === undefined
  )
    return () => base
  const parents = index.column(owner).values
  const parent = release.entity(embed.entity.name)
  const seats = parent.index.column(SEAT)
  const codes = index.column(codeField)
  if (codes.kind !== 'text' || seats.kind !== 'text fact') return () => base
  const seatFlags = flagsOf(codes, SEAT_CODE)
  /** The number of the code of each parent's seat, or -1 where that is not known. */
  const seatCodes = seats.known.map((code) => codes.texts.find(code) ?? -1)
  const seatOf = Int32Array.from(
    { length: parent.count },
    (_, position) => seatCodes[seats.values[position] as number] ?? -1,
  )
  const area = entity.fields[AREA] === undefined ? undefined : index.column(AREA)
  const urban = area?.kind === 'text fact' ? area.known.indexOf(URBAN) : -1
  const isNamesake = namesakes(release, entity, embed.entity, parents)
  return (position) => {
    const above = parents[position] as number
    const code = codes.values[position] as number
    const seat = seatOf[above] as number
    const isSeat = seat === -1 ? seatFlags[code] === 1 : code === seat
    const isUrban = urban !== -1 && area?.values[position] === urban
    return base + (isSeat ? OF_SEAT : 0) + (isUrban ? OF_URBAN : 0) + (isNamesake(position) ? OF_NAMESAKE : 0)
  }
}

function flagsOf({ texts }: Extract<Column, { kind: 'text' }>, pattern: RegExp): Uint8Array {
  const flags = new Uint8Array(texts.size)
  for (let value = 0; value < flags.length; value++) if (pattern.test(texts.text(value))) flags[value] = 1
  return flags
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
    const [from, otherFrom] = [own.nameStarts[position] as number, other.nameStarts[above] as number]
    const length = (own.nameStarts[position + 1] as number) - from
    if (length !== (other.nameStarts[above + 1] as number) - otherFrom) return false
    for (let at = 0; at < length; at++)
      if (own.names[from + at] !== translated[other.names[otherFrom + at] as number]) return false
    return true
  }
}
