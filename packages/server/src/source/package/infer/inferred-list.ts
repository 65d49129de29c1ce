// What a table was found to be, before it is written down.
import type { Column } from './columns.ts'
import type { Declared } from './declared.ts'
import type { TreeEvidence } from './evidence.ts'
import type { ChosenKey } from './keys.ts'
import type { KeyedTable, Relation } from './relations.ts'
import type { RoleChoice } from './roles.ts'

export type InferredList = {
  readonly table: KeyedTable
  readonly key: ChosenKey
  readonly declared: Declared
  readonly choices: readonly RoleChoice[]
  readonly tree?: TreeEvidence
  /** Lists that most values of a column are codes of, and not enough. */
  readonly near: ReadonlyMap<Column, Relation>
}
