// Records written and rendered one by one, as the tests of those parts want them.

import { batchOf } from '../../packages/server/src/catalog/batch.ts'
import type { Entity, Identity, Values } from '../../packages/server/src/catalog/entity.ts'
import { batchRenderer, type RenderedParents } from '../../packages/server/src/catalog/render.ts'
import { RecordWriter } from '../../packages/server/src/release/files/record-file.ts'
import { TestDirectory } from './releases.ts'

const encoder = new TextEncoder()

/** The JSON of the record that a row becomes. */
export function rendered(entity: Entity, parents: RenderedParents, row: Values): string {
  using directory = new TestDirectory()
  const records: string[] = []
  using writer = new RecordWriter(directory.path, (json) => records.push(Buffer.from(json).toString()))
  const positionOf = (name: string, identity: Identity) => parents.get(name)?.positionOf.get(identity) as number
  batchRenderer(entity, parents)(batchOf(entity, [row], positionOf), writer)
  return records.join()
}

/** Records that may be embedded, as JSON by their identities. */
export const embeddable = (records: ReadonlyMap<string, ReadonlyMap<Identity, Uint8Array>>): RenderedParents =>
  new Map(
    [...records].map(([name, known]) => [
      name,
      { json: [...known.values()], positionOf: new Map([...known.keys()].map((id, position) => [id, position])) },
    ]),
  )

/** Writes a record file from the JSON of its records. */
export function writeRecordFile(directory: string, records: readonly string[]) {
  using writer = new RecordWriter(directory)
  for (const json of records) {
    writer.begin()
    writer.bytes(encoder.encode(json))
    writer.end()
  }
  return writer.finish()
}

/** Rendered records by identifier, as bytes. */
export const asBytes = (known: Readonly<Record<number, string>>): ReadonlyMap<number, Uint8Array> =>
  new Map(Object.entries(known).map(([id, json]) => [Number(id), encoder.encode(json)]))
