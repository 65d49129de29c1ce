// Writes rows as the JSON of their records, embedded records in full.
import { type Batch, TextCursor } from './batch.ts'
import { type Entity, publishedFields } from './entity.ts'

/** Where the JSON of records goes, piece by piece. */
export type RecordSink = {
  begin(): void
  bytes(utf8: Uint8Array): void
  /** A text in UTF-8 that stands somewhere in some bytes, as JSON. */
  text(utf8: Uint8Array, start: number, end: number): void
  number(number: number): void
  end(): void
}

/** The JSON of the records of each entity that may be embedded, by identifier, in the order of their positions. */
export type RenderedParents = ReadonlyMap<string, ReadonlyMap<number, Uint8Array>>

const NONE: ReadonlyMap<number, Uint8Array> = new Map()
const encoder = new TextEncoder()
const END = encoder.encode('}')

/** The rows must have been found sound: every record that they embed is known. */
export function batchRenderer(entity: Entity, parents: RenderedParents): (batch: Batch, sink: RecordSink) => void {
  const parts = publishedFields(entity).map(([field, definition], position) => ({
    label: encoder.encode(`${position === 0 ? '{' : ','}${JSON.stringify(field)}:`),
    from: definition.kind === 'copy' ? definition.of : field,
    embedded: definition.kind === 'embed' ? (parents.get(definition.entity.name) ?? NONE) : undefined,
  }))
  return ({ count, columns }, sink) => {
    const cursors = new Map<string, TextCursor>()
    for (const [field, column] of Object.entries(columns))
      if (column instanceof Uint8Array) cursors.set(field, new TextCursor(column))
    const steps = [...cursors.values()]
    const pieces = parts.map(({ label, from, embedded }) => ({
      label,
      embedded,
      texts: cursors.get(from),
      numbers: columns[from] as Uint32Array,
    }))
    for (let row = 0; row < count; row++) {
      for (const cursor of steps) cursor.next()
      sink.begin()
      for (const { label, embedded, texts, numbers } of pieces) {
        sink.bytes(label)
        if (texts !== undefined) sink.text(texts.texts, texts.start, texts.end)
        else if (embedded === undefined) sink.number(numbers[row] as number)
        else sink.bytes(embedded.get(numbers[row] as number) as Uint8Array)
      }
      sink.bytes(END)
      sink.end()
    }
  }
}
