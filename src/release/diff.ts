// What differs between two releases, record by record: the one place that finds it, for diff, changes and the guard.
import { type Catalog, completedCatalog, entityData } from '../catalog/catalog.ts'
import { type Entity, factsOf, identifierOf } from '../catalog/entity.ts'
import type { PublishedRecord } from '../catalog/flatten.ts'
import { factReader, withMembers } from './facts.ts'
import { KeyTable } from './files/key-table.ts'
import { RecordReader } from './files/record-reader.ts'
import type { OpenEntity, Release } from './release.ts'

/** The key of a record by field; an embedded record stands for its identifier. */
export type RecordKey = Readonly<Record<string, number>>

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

/** The same bytes in the same order need no look inside. */
export function hasSameRecords(older: Release, newer: Release, name: string): boolean {
  const contentOf = (release: Release) => {
    const files = openIn(release, name)?.stored?.manifest.files
    return `${files?.records.sha256} ${files?.facts?.sha256}`
  }
  return contentOf(older) === contentOf(newer) || countIn(older, name) + countIn(newer, name) === 0
}

const openIn = (release: Release, name: string): OpenEntity | undefined =>
  release.catalog.entities.has(name) ? release.entity(name) : undefined

export const countIn = (release: Release, name: string): number => openIn(release, name)?.count ?? 0

/** So many records are compared at a time. */
const STEP = 2_000

const decoder = new TextDecoder()
const parsed = (json: Uint8Array): PublishedRecord => JSON.parse(decoder.decode(json))

/**
 * The changes of one entity, in a list for every step of the work, which may be empty: in the order of the newer
 * release, then what was removed, in the order of the older.
 */
export function* diffEntity(
  older: Release,
  newer: Release,
  name: string,
  access: (entity: OpenEntity) => RecordAccess,
): Generator<readonly RecordChange[]> {
  if (hasSameRecords(older, newer, name)) return
  const facts = knownFacts(older, newer, name)
  using before = sideOf(older, name, access, facts)
  using after = sideOf(newer, name, access, facts)
  const positions = new KeyTable(before.key, before.count)
  for (const [from, to] of steps(before.count)) {
    for (let position = from; position < to; position++) positions.add(before.keyAt(position), position)
    yield []
  }
  const seen = new Uint8Array(before.count)
  for (const [from, to] of steps(after.count)) {
    const changes: RecordChange[] = []
    for (let position = from; position < to; position++) {
      const key = after.keyAt(position)
      const earlier = positions.get(key)
      const json = after.record(position)
      if (earlier === undefined) {
        changes.push(addedRecord(key, json))
        continue
      }
      seen[earlier] = 1
      const earlierJson = before.record(earlier)
      if (Buffer.compare(earlierJson, json) === 0) continue
      const [oldRecord, newRecord] = [parsed(earlierJson), parsed(json)]
      changes.push({ change: 'changed', key, fields: differing(oldRecord, newRecord), old: oldRecord, new: newRecord })
    }
    yield changes
  }
  for (const [from, to] of steps(before.count)) {
    const removed: RecordChange[] = []
    for (let position = from; position < to; position++) {
      if (seen[position] === 1) continue
      removed.push(removedRecord(before.keyAt(position), before.record(position)))
    }
    yield removed
  }
}

/** Most imports only count what was added and removed, so a record is parsed when it is read. */
function addedRecord(key: RecordKey, json: Uint8Array): RecordChange {
  const copy = new Uint8Array(json)
  return {
    change: 'added',
    key,
    get new() {
      return parsed(copy)
    },
  }
}

function removedRecord(key: RecordKey, json: Uint8Array): RecordChange {
  const copy = new Uint8Array(json)
  return {
    change: 'removed',
    key,
    get old() {
      return parsed(copy)
    },
  }
}

function* steps(count: number): Generator<readonly [from: number, to: number]> {
  for (let from = 0; from < count; from += STEP) yield [from, Math.min(from + STEP, count)]
}

/** Reads the records of one entity, one at a time. */
type RecordAccess = Disposable & { readonly record: (position: number) => Uint8Array }

/** For a release that is open anyway, and may be removed from disk while it is read. */
export const fromMappedFiles = ({ records }: OpenEntity): RecordAccess => ({
  record: (position) => records.record(position),
  [Symbol.dispose]: () => {},
})

/** For a single pass over millions of records: mapped, they would all count as memory of this process. */
export const fromDisk = ({ stored, count }: OpenEntity): RecordAccess =>
  new RecordReader(stored?.directory as string, count)

/** One entity in one of the releases. */
type Side = RecordAccess & {
  readonly count: number
  readonly key: readonly string[]
  readonly keyAt: (position: number) => RecordKey
}

/** The names of the facts of an entity, where either release knows any of them. */
function knownFacts(older: Release, newer: Release, name: string): readonly string[] {
  const entities = [newer, older].flatMap((release) => openIn(release, name) ?? [])
  const known = entities.filter(({ stored }) => stored?.manifest.files.facts !== undefined)
  return [...new Set(known.flatMap(({ definition }) => factsOf(definition).map(([fact]) => fact)))]
}

/** `facts` are given with each record, null where one is not known. */
function sideOf(
  release: Release,
  name: string,
  access: (entity: OpenEntity) => RecordAccess,
  facts: readonly string[],
): Side {
  const entity = openIn(release, name)
  if (entity === undefined || entity.count === 0) {
    const nothing = () => {
      throw new Error(`${name} has no records`)
    }
    return { count: 0, key: [], keyAt: nothing, record: nothing, [Symbol.dispose]: () => {} }
  }
  const records = access(entity)
  const factsAt = facts.length === 0 ? undefined : factReader(entity, facts)
  const { key } = entity.definition
  const readers = key.map((field) => [field, keyReader(release, entity.definition, field)] as const)
  return {
    count: entity.count,
    key,
    keyAt: (position) => Object.fromEntries(readers.map(([field, read]) => [field, read(position)])),
    record: (position) => {
      const json = records.record(position)
      return factsAt === undefined ? json : withMembers(json, factsAt(position))
    },
    [Symbol.dispose]: () => records[Symbol.dispose](),
  }
}

/** Reads a part of the key of a record out of the index. */
function keyReader(release: Release, entity: Entity, field: string): (position: number) => number {
  const column = release.entity(entity.name).index.column(field)
  const definition = entity.fields[field]
  if (column.kind === 'number') return (position) => column.numbers[column.values[position] as number] as number
  if (definition?.kind !== 'embed') throw new Error(`${entity.name}.${field} is no part of a key`)
  const identifier = keyReader(release, definition.entity, identifierOf(definition.entity))
  return (position) => identifier(column.values[position] as number)
}

/** A fact that is not known is null. */
const isRecord = (value: PublishedRecord[string] | null | undefined): value is PublishedRecord =>
  typeof value === 'object' && value !== null

/** The dotted paths of the values that differ. */
function differing(old: PublishedRecord, now: PublishedRecord, prefix = ''): string[] {
  return [...new Set([...Object.keys(now), ...Object.keys(old)])].flatMap((field) => {
    const [before, after] = [old[field], now[field]]
    if (isRecord(before) && isRecord(after)) return differing(before, after, `${prefix}${field}.`)
    return before === after ? [] : [`${prefix}${field}`]
  })
}
