// Records written and rendered one by one, as the tests of those parts want them.

import type { Values } from '../../src/catalog/entity.ts'
import type { Ink } from '../../src/catalog/render.ts'
import { RecordWriter } from '../../src/release/record-file.ts'
import { DigestThread } from '../../src/release/threads/digest-thread.ts'

const encoder = new TextEncoder()

/** The JSON that a renderer makes of a row. */
export function rendered(render: (row: Values, ink: Ink) => void, row: Values): string {
  const pieces: Uint8Array[] = []
  render(row, { text: (text) => pieces.push(encoder.encode(text)), bytes: (utf8) => pieces.push(utf8) })
  return Buffer.concat(pieces).toString()
}

/** Writes a record file of an entity from the JSON of its records. */
export async function writeRecordFile(directory: string, entity: string, records: readonly string[]) {
  using digests = new DigestThread()
  const writer = new RecordWriter(directory, entity, digests)
  for (const json of records) {
    writer.begin()
    writer.text(json)
    writer.end()
  }
  return await writer.finish()
}

/** Rendered records by identifier, as bytes. */
export const asBytes = (known: Readonly<Record<number, string>>): Map<number, Uint8Array> =>
  new Map(Object.entries(known).map(([id, json]) => [Number(id), encoder.encode(json)]))
