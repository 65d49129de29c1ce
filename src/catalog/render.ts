// Writes a row as the JSON of its record, embedded records in full.
import type { Entity, Values } from './entity.ts'

/** Where the JSON of a record goes, piece by piece. */
export type Ink = { text(text: string): void; bytes(utf8: Uint8Array): void }

/** The JSON of an already rendered record, by identifier. */
export type RenderedParents = (entity: string) => ReadonlyMap<number, Uint8Array>

/** Most names need no escape, and asking is cheaper than escaping. */
const NEEDS_ESCAPE = /[^ !#-[\]-\ud7ff\ue000-\uffff]/
const jsonOf = (text: string) => (NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`)

/**
 * For rows that were found sound: every record that they embed is known. Those are copied as the bytes that they are,
 * since they make up most of a record.
 */
export function recordRenderer(entity: Entity, parents: RenderedParents): (row: Values, ink: Ink) => void {
  const parts = Object.entries(entity.fields).map(([field, definition], position) => {
    const label = `${position === 0 ? '{' : ','}${JSON.stringify(field)}:`
    return {
      label,
      labelBytes: encoder.encode(label),
      from: definition.kind === 'copy' ? definition.of : field,
      embedded: definition.kind === 'embed' ? parents(definition.entity.name) : undefined,
    }
  })
  return (row, ink) => {
    let text = ''
    for (const { label, labelBytes, from, embedded } of parts) {
      const value = row[from] as string | number
      if (embedded === undefined) {
        text += label + (typeof value === 'number' ? value : jsonOf(value))
        continue
      }
      if (text !== '') ink.text(text)
      text = ''
      ink.bytes(labelBytes)
      ink.bytes(embedded.get(value as number) as Uint8Array)
    }
    if (text !== '') ink.text(text)
    ink.bytes(END)
  }
}

const encoder = new TextEncoder()
const END = encoder.encode('}')
