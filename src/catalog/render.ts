// Writes a row as the JSON of its record, embedded records in full.
import type { Entity, Values } from './entity.ts'

/** The JSON of an already rendered record, by identifier. */
export type RenderedParents = (entity: string) => ReadonlyMap<number, string>

/** For rows that were found sound: every record that they embed is known. */
export function recordRenderer(entity: Entity, parents: RenderedParents): (row: Values) => string {
  const parts = Object.entries(entity.fields).map(([field, definition], position) => ({
    label: `${position === 0 ? '{' : ','}${JSON.stringify(field)}:`,
    from: definition.kind === 'copy' ? definition.of : field,
    embedded: definition.kind === 'embed' ? parents(definition.entity.name) : undefined,
  }))
  return (row) => {
    let json = ''
    for (const { label, from, embedded } of parts) {
      const value = row[from] as string | number
      if (embedded !== undefined) json += label + embedded.get(value as number)
      else json += label + (typeof value === 'number' ? value : JSON.stringify(value))
    }
    return `${json}}`
  }
}
