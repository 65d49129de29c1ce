// The differences between two releases, record by record, for diff, changes and the guard.
import { parseJsonWithDigits } from '../base/json.ts'
import { differingPaths, withoutEmbeds } from '../base/json-difference.ts'
import { type Catalog, completedCatalog, entityData } from '../catalog/catalog.ts'
import { type Entity, embedsOf, factsOf, type Identity, identityFrom, publishedFields } from '../catalog/entity.ts'
import { type PublishedRecord, type PublishedValue, parsedRecord } from '../catalog/flatten.ts'
import { KeyTable } from '../catalog/key-table.ts'
import { boundaryNameOf, shapeDigests } from './boundaries/boundary-records.ts'
import { factReader, knownFacts, withMembers } from './facts.ts'
import { type EntityFiles, numberingOf } from './manifest.ts'
import type { OpenEntity, Release } from './release.ts'

/** The key of a record by field; an embedded record stands for its identifier. */
export type RecordKey = Readonly<Record<string, Identity>>

export type RecordChange =
  | { readonly change: 'added'; readonly key: RecordKey; readonly new: PublishedRecord }
  | { readonly change: 'removed'; readonly key: RecordKey; readonly old: PublishedRecord }
  | {
      readonly change: 'changed'
      readonly key: RecordKey
      /** Dotted paths of the values that differ. */
      readonly fields: readonly string[]
      readonly old: PublishedRecord
      readonly new: PublishedRecord
    }

/** All entities of two releases; where their definitions differ, as the newer one has it. */
export const catalogOfBoth = (older: Release, newer: Release): Catalog =>
  completedCatalog([...newer.catalog.entities.values()].map(entityData), older.catalog)

/**
 * True if the records of an entity, or of one that it embeds, belong to another numbering than before. Then an identifier
 * that both releases have is that of two different records: all of before were removed, and all of now added.
 */
export function isRenumbered(older: Release, newer: Release, name: string): boolean {
  if (countIn(older, name) === 0 || countIn(newer, name) === 0 || hasSameRecords(older, newer, name)) return false
  if (numberingOf(older.manifest, name) !== numberingOf(newer.manifest, name)) return true
  if (hasOtherKey(older, newer, name)) return true
  return embedsOf(newer.entity(name).definition).some(([, parent]) => isRenumbered(older, newer, parent.name))
}

/** True if both releases have the entity, with keys that cannot be compared. */
export function hasOtherKey(older: Release, newer: Release, name: string): boolean {
  const [before, after] = [older, newer].map(({ catalog }) => catalog.entities.get(name))
  return before !== undefined && after !== undefined && keyShape(before) !== keyShape(after)
}

/** The fields of a key and of what is embedded in it: only keys of one shape can be compared. */
function keyShape({ key, fields }: Entity): string {
  const parts = key.map((name) => {
    const field = fields[name]
    return [name, field?.kind === 'embed' ? keyShape(field.entity) : field?.kind]
  })
  return JSON.stringify(parts)
}

/** True if the records are the same bytes in the same order, and so are their facts and boundaries. */
function hasSameRecords(older: Release, newer: Release, name: string): boolean {
  const isSame = hasSameOrder(older, newer, name) && hasSameFile(older, newer, name, 'facts')
  if (isSame && hasSameFile(older, newer, name, 'boundaries')) return true
  return countIn(older, name) + countIn(newer, name) === 0
}

/** True if the records are the same bytes in the same order, whatever is known of them. */
export const hasSameOrder = (older: Release, newer: Release, name: string): boolean =>
  hasSameFile(older, newer, name, 'records')

function hasSameFile(older: Release, newer: Release, name: string, file: keyof EntityFiles): boolean {
  const [before, now] = [older, newer].map((release) => openIn(release, name)?.stored?.manifest.files[file]?.sha256)
  return before === now
}

const openIn = (release: Release, name: string): OpenEntity | undefined =>
  release.catalog.entities.has(name) ? release.entity(name) : undefined

export const countIn = (release: Release, name: string): number => openIn(release, name)?.count ?? 0

const decoder = new TextDecoder()

/**
 * The changes of one entity: in the order of the newer release, then what was removed, in the order of the older; where it is
 * renumbered, what was removed comes first.
 */
export function* diffEntity(older: Release, newer: Release, name: string, options?: DiffOptions) {
  for (const found of diffJson(older, newer, name, options)) if (found !== undefined) yield recordChange(found)
}

/** A change with its records; numbers keep their digits. */
export function recordChange({ key, old, new: now }: JsonChange): RecordChange {
  const parsedOf = (json: Uint8Array) => parseJsonWithDigits(decoder.decode(json)) as PublishedRecord
  if (old === undefined) return { change: 'added', key: { ...key }, new: parsedOf(now as Uint8Array) }
  if (now === undefined) return { change: 'removed', key: { ...key }, old: parsedOf(old) }
  const fields = fieldsThatDiffer(old, now)
  return { change: 'changed', key: { ...key }, fields, old: parsedOf(old), new: parsedOf(now) }
}

/** A record as it was and as it is; one that was added was not, and one that was removed is not. */
type JsonChange = {
  readonly key: RecordKey
  readonly old: Uint8Array | undefined
  readonly new: Uint8Array | undefined
  /** The positions of the record in both releases; of no meaning where it is not there. */
  readonly oldAt: number
  readonly newAt: number
}

type DiffOptions = {
  /** With `id`, embedded records are compared and given by their identifiers: what changed in them is no change here. */
  readonly embed?: 'full' | 'id'
  /** True if facts that the newer release knows of no record are left out: that they are lost is said once, and not of each record. */
  readonly withoutLostFacts?: boolean
}

/** The number of records without a change after which the caller gets control, to do other work in between. */
const QUIET_RECORDS = 100

/** The changes as JSON, each good until the next one is found, and undefined for every part of the work that found none. */
export function* diffJson(
  older: Release,
  newer: Release,
  name: string,
  { embed = 'full', withoutLostFacts = false }: DiffOptions = {},
): Generator<JsonChange | undefined> {
  if (hasSameRecords(older, newer, name)) return
  const lost = withoutLostFacts ? lostFacts(older, newer, name) : []
  const facts = factsOfEither(older, newer, name).filter((fact) => !lost.includes(fact))
  const shapes = !hasSameFile(older, newer, name, 'boundaries')
  const before = sideOf(older, name, { facts, shapes, embed })
  const after = sideOf(newer, name, { facts, shapes, embed })
  if (isRenumbered(older, newer, name)) {
    // Removed records come first: a copy that applies the changes then has the new record under a key that both have.
    for (let at = 0; at < before.count; at++)
      yield { key: before.keyAt(at), old: before.record(at), new: undefined, oldAt: at, newAt: -1 }
    for (let at = 0; at < after.count; at++)
      yield { key: after.keyAt(at), old: undefined, new: after.record(at), oldAt: -1, newAt: at }
    return
  }
  const { definition } = openIn(newer, name) ?? older.entity(name)
  // Most changes leave what comes before and after them as it was: no key of that has to be looked up.
  const [shift, isAligned] = [before.count - after.count, before.key.join() === after.key.join()]
  const isSame = (one: number, other: number) => Buffer.compare(before.record(one), after.record(other)) === 0
  const shorter = isAligned ? Math.min(before.count, after.count) : 0
  let first = 0
  for (; first < shorter && isSame(first, first); first++) if (first % QUIET_RECORDS === 0) yield undefined
  let newEnd = isAligned ? Math.max(first, first - shift) : after.count
  // Files are read from their beginning to their end, so the last difference is not looked for from there.
  for (let position = newEnd; position < after.count; position++) {
    if (!isSame(position + shift, position)) newEnd = position + 1
    if (position % QUIET_RECORDS === 0) yield undefined
  }
  const oldEnd = newEnd + shift
  const positions = new KeyTable(definition)
  for (let position = first; position < oldEnd; position++) {
    positions.add(before.keyAt(position), position)
    if (position % QUIET_RECORDS === 0) yield undefined
  }
  const seen = new Uint8Array(before.count)
  for (let position = first; position < newEnd; position++) {
    const key = after.keyAt(position)
    const earlier = positions.get(key)
    const json = after.record(position)
    if (earlier !== undefined) seen[earlier] = 1
    const earlierJson = earlier === undefined ? undefined : before.record(earlier)
    if (earlierJson === undefined || Buffer.compare(earlierJson, json) !== 0)
      yield { key, old: earlierJson, new: json, oldAt: earlier ?? -1, newAt: position }
    else if (position % QUIET_RECORDS === 0) yield undefined
  }
  for (let position = first; position < oldEnd; position++) {
    if (seen[position] === 0)
      yield { key: before.keyAt(position), old: before.record(position), new: undefined, oldAt: position, newAt: -1 }
    else if (position % QUIET_RECORDS === 0) yield undefined
  }
}

const text = (value: string) => Buffer.from(value)
const OLD = text(',"old":')
const NEW = text(',"new":')
const END = text('}')

/** One change as the JSON of a `RecordChange`, after the name of its collection. In pieces that are put together. */
export function changeJson(collection: string, { key, old, new: now }: Omit<JsonChange, 'oldAt' | 'newAt'>) {
  const change = old === undefined ? 'added' : now === undefined ? 'removed' : 'changed'
  const fields = old === undefined || now === undefined ? {} : { fields: fieldsThatDiffer(old, now) }
  const head = JSON.stringify({ collection, key, change, ...fields }).slice(0, -END.length)
  return [text(head), ...(old === undefined ? [] : [OLD, old]), ...(now === undefined ? [] : [NEW, now]), END]
}

/** One entity in one of the releases. */
type Side = {
  readonly count: number
  readonly key: readonly string[]
  /** The key of a record, good until the next one is read. */
  readonly keyAt: (position: number) => RecordKey
  readonly record: (position: number) => Uint8Array
}

/** The facts of an entity that the older release knows, and the newer one of no record. */
export function lostFacts(older: Release, newer: Release, name: string): readonly string[] {
  const [before, now] = [older, newer].map((release) => openIn(release, name))
  if (before === undefined || now === undefined || before.count === 0 || now.count === 0) return []
  const known = new Set(knownFacts(now))
  return knownFacts(before).filter((fact) => !known.has(fact))
}

/** The names of the facts of an entity, where either release knows any of them. */
function factsOfEither(older: Release, newer: Release, name: string): readonly string[] {
  const entities = [newer, older].flatMap((release) => openIn(release, name) ?? [])
  const withFacts = entities.filter(({ stored }) => stored?.manifest.files.facts !== undefined)
  return [...new Set(withFacts.flatMap(({ definition }) => factsOf(definition).map(([fact]) => fact)))]
}

type SideForm = {
  /** The facts that are given with each record, null if it lacks one. */
  readonly facts: readonly string[]
  /** True if a digest of its shape is given with each record, null if it has none. */
  readonly shapes: boolean
  readonly embed: 'full' | 'id'
}

function sideOf(release: Release, name: string, { facts, shapes, embed }: SideForm): Side {
  const entity = openIn(release, name)
  if (entity === undefined || entity.count === 0) {
    const nothing = () => {
      throw new Error(`${name} has no records`)
    }
    return { count: 0, key: [], keyAt: nothing, record: nothing }
  }
  const factsAt = facts.length === 0 ? undefined : factReader(entity, facts)
  const shapeAt = shapes ? shapeDigests(release, entity) : undefined
  const boundary = boundaryNameOf(entity.definition)
  const reduced = embed === 'id' ? embedReducer(release, entity) : (json: Uint8Array) => json
  const { key } = entity.definition
  const readers = key.map((field) => [field, identifierReader(release, entity.definition, field)] as const)
  const values: Record<string, Identity> = {}
  return {
    count: entity.count,
    key,
    keyAt: (position) => {
      for (const [field, read] of readers) values[field] = identityFrom(read(position))
      return values
    },
    record: (position) => {
      const json = reduced(entity.records.record(position), position)
      const known = factsAt === undefined ? json : withMembers(json, factsAt(position))
      return shapeAt === undefined ? known : withMembers(known, { [boundary]: shapeAt(position) })
    },
  }
}

function embedReducer(release: Release, { definition }: OpenEntity) {
  const readers = publishedFields(definition).map(([field, { kind }]) =>
    kind === 'embed' ? identifierReader(release, definition, field) : undefined,
  )
  return (json: Uint8Array, position: number) =>
    withoutEmbeds(json, (member) => {
      const values = readers[member]?.(position) ?? []
      return JSON.stringify(values.length === 1 ? values[0] : values)
    })
}

type KeyReader = (position: number) => readonly Identity[]

/** Reads an identifier or a code, or the key of an embedded record, out of the index. */
export function identifierReader(release: Release, entity: Entity, field: string): KeyReader {
  const column = release.entity(entity.name).index.column(field)
  const definition = entity.fields[field]
  if (column.kind === 'number') return (position) => [column.numbers[column.values[position] as number] as number]
  if (column.kind === 'text') return (position) => [column.texts.text(column.values[position] as number)]
  if (definition?.kind !== 'embed') throw new Error(`${entity.name}.${field} is no part of a key`)
  const parent = definition.entity
  const readers = parent.key.map((part) => identifierReader(release, parent, part))
  return (position) => readers.flatMap((read) => read(column.values[position] as number))
}

export const fieldsThatDiffer = (old: Uint8Array, now: Uint8Array): readonly string[] =>
  differingPaths(old, now) ?? differing(parsedRecord(old), parsedRecord(now))

/** True if a value is an embedded record; a missing fact is null. */
const isRecord = (value: PublishedValue | undefined): value is PublishedRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The paths that differ in records whose fields are not the same: those of the newer one come first. */
function differing(old: PublishedRecord, now: PublishedRecord, prefix = ''): string[] {
  return [...new Set([...Object.keys(now), ...Object.keys(old)])].flatMap((field) => {
    const [before, after] = [old[field], now[field]]
    if (isRecord(before) && isRecord(after)) return differing(before, after, `${prefix}${field}.`)
    return Bun.deepEquals(before, after) ? [] : [`${prefix}${field}`]
  })
}
