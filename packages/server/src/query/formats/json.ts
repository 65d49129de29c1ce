// Records as a JSON array, and the JSON of several records: with separators between them, reduced to a selection, or parsed.
import type { Entity } from '../../catalog/entity.ts'
import { type PublishedRecord, recordParser } from '../../catalog/flatten.ts'
import type { RecordFormat } from './record-format.ts'
import { isWhole, type Selection, shapeOf } from './selection.ts'

export const json: RecordFormat = {
  title: 'JSON',
  mediaTypes: ['application/json', 'text/json'],
  hasColumns: false,
  encoder: (entity, selection) => ({
    head: Buffer.from('['),
    records: recordJson(entity, selection, ',', ''),
    gap: Buffer.from(','),
    tail: () => Buffer.from(']'),
  }),
}

const decoder = new TextDecoder()
const OPENING = Buffer.from('[')

/** Writes records of a selection with a text between them and another after the last. */
export function recordJson(
  entity: Entity,
  selection: Selection,
  between: string,
  after: string,
): (jsons: readonly Uint8Array[]) => readonly Uint8Array[] {
  if (isWhole(selection)) return (jsons) => separated(jsons, between, after)
  const shape = shapeOf(entity, selection)
  return (jsons) => {
    const texts = parsedRecords(entity, jsons).map((record) => JSON.stringify(shape(record)))
    return texts.length === 0 ? [] : [Buffer.from(`${texts.join(between)}${after}`)]
  }
}

/** The records, parsed together: many short texts take longer than one that is as long as all of them. */
export const parsedRecords = (entity: Entity, jsons: readonly Uint8Array[]): PublishedRecord[] =>
  (jsons.length === 0
    ? []
    : recordParser(entity)(
        decoder.decode(Buffer.concat([OPENING, ...separated(jsons, ',', ']')])),
      )) as PublishedRecord[]

/** Records as values, reduced to the selection. */
export function selectedRecords(
  entity: Entity,
  selection: Selection,
  jsons: readonly Uint8Array[],
): readonly PublishedRecord[] {
  const records = parsedRecords(entity, jsons)
  return isWhole(selection) ? records : records.map(shapeOf(entity, selection))
}

function separated(jsons: readonly Uint8Array[], between: string, after: string): readonly Uint8Array[] {
  if (jsons.length === 0 || (jsons.length === 1 && after === '')) return jsons
  const separator = Buffer.from(between)
  const chunks: Uint8Array[] = []
  for (const json of jsons) chunks.push(json, separator)
  chunks[chunks.length - 1] = Buffer.from(after)
  return chunks
}
