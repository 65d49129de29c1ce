// The facts of records, as JSON to be given with them.
import { type FactValue, factsOf } from '../catalog/entity.ts'
import { type FactColumn, factAt } from './index/index-file.ts'
import type { OpenEntity } from './release.ts'

/** The facts of a record by name; null if it lacks one. */
type RecordFacts = Readonly<Record<string, FactValue | null>>

/** Reads the facts of the record at a position: those with these names, some of which its entity may not have. */
export function factReader(
  { definition, index }: OpenEntity,
  names: readonly string[] = factsOf(definition).map(([name]) => name),
): (position: number) => RecordFacts {
  const isDefined = (name: string) => definition.fields[name]?.kind === 'fact'
  const columns = names.map((name) => [name, isDefined(name) ? (index.column(name) as FactColumn) : undefined] as const)
  return (position) =>
    Object.fromEntries(columns.map(([name, column]) => [name, (column && factAt(column, position)) ?? null]))
}

/** The names of the facts that at least one record has. */
export const knownFacts = ({ definition, index }: OpenEntity): string[] =>
  factsOf(definition).flatMap(([name]) => ((index.column(name) as FactColumn).known.length > 0 ? [name] : []))

const CLOSING_BRACE = 1

/** The JSON of a record with more members at its end. */
export function withMembers(json: Uint8Array, members: object): Uint8Array {
  const text = JSON.stringify(members)
  return text === '{}' ? json : withMemberText(json, `,${text.slice(CLOSING_BRACE, -CLOSING_BRACE)}`)
}

/** The JSON of a record with members that are JSON already, each after a comma. */
export function withMemberText(json: Uint8Array, text: string): Uint8Array {
  const bytes = Buffer.allocUnsafe(json.length + Buffer.byteLength(text))
  bytes.set(json)
  bytes.write(`${text}}`, json.length - CLOSING_BRACE)
  return bytes
}
