// What differs between two open releases, in small steps, so that other requests are answered in between.
import type { EntityName } from '../catalog/entities.ts'
import type { Entity } from '../catalog/entity.ts'
import type { PublishedRecord } from '../catalog/flatten.ts'
import { differing, sameRecords } from '../release/diff.ts'
import { KeyTable } from '../release/key-table.ts'
import type { Release } from '../release/release.ts'

export type RecordChange =
  | { readonly change: 'added'; readonly new: PublishedRecord }
  | { readonly change: 'removed'; readonly old: PublishedRecord }
  | {
      readonly change: 'changed'
      readonly fields: readonly string[]
      readonly old: PublishedRecord
      readonly new: PublishedRecord
    }

/** So many records are compared at a time. */
const STEP = 2_000

const decoder = new TextDecoder()
const parsed = (json: Uint8Array): PublishedRecord => JSON.parse(decoder.decode(json))
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A list for every step, which may be empty. In the order of the newer release, then what is gone. */
export async function* changesOf(older: Release, newer: Release, name: string): AsyncGenerator<RecordChange[]> {
  if (sameRecords(older, newer, name as EntityName)) return
  const known = await positionsByKey(older, name)
  const seen = new Uint8Array(older.entity(name).records.count)
  const keyAt = keyReader(newer, name)
  for (const [from, to] of steps(newer.entity(name).records.count)) {
    const changes: RecordChange[] = []
    for (let position = from; position < to; position++) {
      const before = known.get(keyAt(position))
      const json = newer.entity(name).records.record(position)
      if (before === undefined) {
        changes.push({ change: 'added', new: parsed(json) })
        continue
      }
      seen[before] = 1
      const was = older.entity(name).records.record(before)
      if (Buffer.compare(was, json) === 0) continue
      const [oldRecord, newRecord] = [parsed(was), parsed(json)]
      changes.push({ change: 'changed', fields: differing(oldRecord, newRecord), old: oldRecord, new: newRecord })
    }
    yield changes
    await turn()
  }
  for (const [from, to] of steps(seen.length)) {
    const gone = Array.from({ length: to - from }, (_, at) => from + at).filter((position) => seen[position] === 0)
    yield gone.map((position) => ({ change: 'removed', old: parsed(older.entity(name).records.record(position)) }))
    await turn()
  }
}

function* steps(count: number): Generator<readonly [from: number, to: number]> {
  for (let from = 0; from < count; from += STEP) yield [from, Math.min(from + STEP, count)]
}

async function positionsByKey(release: Release, name: string): Promise<KeyTable> {
  const { count } = release.entity(name).records
  const table = new KeyTable(release.entity(name).definition, count)
  const keyAt = keyReader(release, name)
  for (const [from, to] of steps(count)) {
    for (let position = from; position < to; position++) table.add(keyAt(position), position)
    await turn()
  }
  return table
}

/** The key of the record at a position, out of the index. */
function keyReader(release: Release, name: string): (position: number) => Record<string, number> {
  const entity = release.entity(name).definition
  const readers = entity.key.map((field) => [field, numberReader(release, entity, field)] as const)
  return (position) => Object.fromEntries(readers.map(([field, read]) => [field, read(position)]))
}

function numberReader(release: Release, entity: Entity, field: string): (position: number) => number {
  const column = release.entity(entity.name).index.column(field)
  const definition = entity.fields[field]
  if (column.kind === 'number') return (position) => column.numbers[column.values[position] as number] as number
  if (definition?.kind !== 'embed') throw new Error(`${entity.name}.${field} is no part of a key`)
  const parent = definition.entity
  const identifier = numberReader(release, parent, parent.key[0] as string)
  return (position) => identifier(column.values[position] as number)
}
