// The tree that the records of a list form: what leads nowhere, to itself or in a circle is reported and cut.
import type { Identity } from '../../catalog/entity.ts'
import { codeAbove } from './code-tree.ts'
import type { FieldPlan } from './descriptor.ts'
import type { ListRecords } from './list-records.ts'

/** Takes a finding, the position of its record, and the parent in its row. */
type Tell = (kind: string, description: string, place: number, above: string) => void

export function plantTree(records: ListRecords, plan: FieldPlan, tell: Tell): void {
  const tellOf = (position: number, above: Identity, kind: string, description: string) =>
    tell(kind, description, records.placeAt(position), String(above).replaceAll('\0', ', '))
  const cut = plan.isByCode === true ? records.codeCut() : undefined
  const parentOf = (identity: Identity, said: Identity | undefined, position: number): Identity | undefined => {
    if (plan.isByCode === true) return cut === undefined ? undefined : codeAbove(String(identity), cut)
    if (said === undefined) return undefined
    const above = plan.refersTo === undefined ? said : records.byFields(plan.refersTo, [String(said)])
    if (above === identity)
      return void tellOf(position, said, 'own-parent', 'a record is its own parent, and becomes a root')
    if (above !== undefined && records.has(above)) return above
    return void tellOf(
      position,
      said,
      'parent-not-found',
      'a record is below one that is not there, and becomes a root',
    )
  }
  records.plant(parentOf, (position, above) =>
    tellOf(position, above, 'parents-in-a-circle', 'records are below each other in a circle, which is cut here'),
  )
}
