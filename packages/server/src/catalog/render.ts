// Writes rows as the JSON of their records, embedded records in full.
import { type Batch, TextCursor } from './batch.ts'
import { type Entity, hasNumericKey, type Identity, publishedFields } from './entity.ts'

/** Takes the JSON of records, piece by piece. */
export type RecordSink = {
  begin(): void
  bytes(utf8: Uint8Array): void
  /** A text in UTF-8 that stands somewhere in some bytes, as JSON. */
  text(utf8: Uint8Array, start: number, end: number): void
  number(number: number): void
  end(): void
}

/** The records of an entity that may be embedded: each as JSON, and the position of each. */
type RenderedRecords = {
  readonly json: readonly Uint8Array[]
  readonly positionOf: ReadonlyMap<Identity, number>
}

/** The JSON of the records that may be embedded, by their entity. */
export type RenderedParents = ReadonlyMap<string, RenderedRecords>

const NONE: readonly Uint8Array[] = []
const encoder = new TextEncoder()
const END = encoder.encode('}')
const NULL = encoder.encode('null')

/** The rows must have been found sound: every record that they embed is known. */
export function batchRenderer(entity: Entity, parents: RenderedParents): (batch: Batch, sink: RecordSink) => void {
  const parts = publishedFields(entity).map(([field, definition], position) => ({
    label: encoder.encode(`${position === 0 ? '{' : ','}${JSON.stringify(field)}:`),
    from: definition.kind === 'copy' ? definition.of : field,
    embedded: definition.kind === 'embed' ? (parents.get(definition.entity.name)?.json ?? NONE) : undefined,
    // A row gives these as JSON.
    isJson:
      (definition.kind === 'value' && definition.type !== 'text' && definition.type !== 'date') ||
      (definition.kind === 'broader' && hasNumericKey(entity)),
    mayLack: 'optional' in definition && definition.optional === true,
  }))
  return ({ count, columns }, sink) => {
    const cursors = new Map<string, TextCursor>()
    for (const [field, column] of Object.entries(columns))
      if (column instanceof Uint8Array) cursors.set(field, new TextCursor(column))
    const steps = [...cursors.values()]
    const pieces = parts.map(({ from, ...part }) => ({
      ...part,
      texts: cursors.get(from),
      numbers: columns[from] as Uint32Array,
    }))
    for (let row = 0; row < count; row++) {
      for (const cursor of steps) cursor.next()
      sink.begin()
      for (const { label, embedded, texts, numbers, isJson, mayLack } of pieces) {
        sink.bytes(label)
        if (texts !== undefined) {
          if (mayLack && texts.start === texts.end) sink.bytes(NULL)
          else if (isJson) sink.bytes(texts.texts.subarray(texts.start, texts.end))
          else sink.text(texts.texts, texts.start, texts.end)
        } else if (embedded === undefined) sink.number(numbers[row] as number)
        else sink.bytes(embedded[numbers[row] as number] ?? NULL)
      }
      sink.bytes(END)
      sink.end()
    }
  }
}
