// What differs between two releases, record by record.
import { type EntityName, entities } from '../catalog/entities.ts'
import type { Entity, Values } from '../catalog/entity.ts'
import { flatten, type PublishedRecord } from '../catalog/flatten.ts'
import { KeyTable } from './key-table.ts'
import { RecordReader } from './record-reader.ts'
import type { StoredRelease } from './release.ts'
import { scanPages } from './scan.ts'

export type Change =
  | { readonly change: 'added'; readonly key: string; readonly after: PublishedRecord }
  | { readonly change: 'removed'; readonly key: string; readonly before: PublishedRecord }
  | {
      readonly change: 'changed'
      readonly key: string
      /** Dotted paths of the values that differ. */
      readonly fields: readonly string[]
      readonly before: PublishedRecord
      readonly after: PublishedRecord
    }

/** Changes in the order of the newer release, then what is gone, in the order of the older. */
export function* diffEntity(older: StoredRelease, newer: StoredRelease, name: EntityName): Generator<Change> {
  // The same bytes need no look inside.
  if (sameRecords(older, newer, name)) return
  const entity = entities[name]
  const known = indexOf(older, entity)
  using reader = new RecordReader(older, name)
  const seen = new Uint8Array(known.table.size)
  for (const page of scanPages(newer.directory, name)) {
    for (const after of page) {
      const row = flatten(entity, after)
      const position = known.table.get(row)
      if (position === undefined) {
        yield { change: 'added', key: keyOf(entity, row), after }
        continue
      }
      seen[position] = 1
      if (known.hashes[position] === hashOf(after)) continue
      const before = reader.record(position)
      yield { change: 'changed', key: keyOf(entity, row), fields: differing(before, after), before, after }
    }
  }
  for (let position = seen.indexOf(0); position !== -1; position = seen.indexOf(0, position + 1)) {
    const before = reader.record(position)
    yield { change: 'removed', key: keyOf(entity, flatten(entity, before)), before }
  }
}

export function sameRecords(older: StoredRelease, newer: StoredRelease, name: EntityName): boolean {
  const of = ({ manifest }: StoredRelease) => manifest.entities[name].files.records.sha256
  return of(older) === of(newer)
}

export const keyOf = (entity: Entity, row: Values): string => entity.key.map((field) => row[field]).join('/')

const hashOf = (record: PublishedRecord) => Bun.hash.xxHash64(JSON.stringify(record))

function indexOf(
  release: StoredRelease,
  entity: Entity,
): { readonly table: KeyTable; readonly hashes: BigUint64Array } {
  const { count } = release.manifest.entities[entity.name as EntityName]
  const table = new KeyTable(entity, count)
  const hashes = new BigUint64Array(count)
  for (const page of scanPages(release.directory, entity.name)) {
    for (const record of page) {
      hashes[table.size] = hashOf(record)
      table.add(flatten(entity, record), table.size)
    }
  }
  return { table, hashes }
}

/** The dotted paths of the values that differ. */
export function differing(before: PublishedRecord, after: PublishedRecord, prefix = ''): string[] {
  return Object.keys(after).flatMap((field) => {
    const [was, is] = [before[field], after[field]]
    if (typeof was === 'object' && typeof is === 'object') return differing(was, is, `${prefix}${field}.`)
    return was === is ? [] : [`${prefix}${field}`]
  })
}
