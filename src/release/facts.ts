// The facts of records, as JSON to be given with them.
import { type FactValue, factsOf } from '../catalog/entity.ts'
import { type FactColumn, factAt } from './index/index-file.ts'
import type { OpenEntity } from './release.ts'

/** What is known of each record, by name; null where it is not. */
export type RecordFacts = Readonly<Record<string, FactValue | null>>

/** Reads the facts of the record at a position. */
export function factReader({ definition, index }: OpenEntity): (position: number) => RecordFacts {
  const columns = factsOf(definition).map(([name]) => [name, index.column(name) as FactColumn] as const)
  return (position) => Object.fromEntries(columns.map(([name, column]) => [name, factAt(column, position) ?? null]))
}

const CLOSING_BRACE = 1

/** The JSON of a record with more members at its end. */
export function withMembers(json: Uint8Array, members: object): Uint8Array {
  const text = JSON.stringify(members)
  if (text === '{}') return json
  return Buffer.concat([json.subarray(0, -CLOSING_BRACE), Buffer.from(`,${text.slice(CLOSING_BRACE)}`)])
}
