// Settles a row as a source gave it: references become identifiers, a missing identifier is filled in, faults are reported.
import { rowChecker } from '../../catalog/check.ts'
import { type Entity, embedsOf, type Values } from '../../catalog/entity.ts'
import type { Faults, SourceLocation } from '../../source/faults.ts'
import type { GivenRow } from '../../source/source.ts'
import { codeOf, type IdRegistry, isNumbered } from '../home/id-registry.ts'
import type { ParentRecords } from './parent-records.ts'

/** Gives the row with nothing but texts and numbers in it, or nothing when it has a fault. */
export type RowSettler = (row: GivenRow, location: SourceLocation) => Values | undefined

export function rowSettler(entity: Entity, records: ParentRecords, registry: IdRegistry, faults: Faults): RowSettler {
  const check = rowChecker(entity)
  const parents = embedsOf(entity)
  const identifier = isNumbered(entity) ? entity.key[0] : undefined

  const parentOf = (
    field: string,
    parent: Entity,
    reference: unknown,
    location: SourceLocation,
  ): number | undefined => {
    const id = typeof reference === 'object' ? records.idByCode(parent, reference as Values) : reference
    if (typeof id === 'number' && records.rowsOf(parent.name).has(id)) return id
    const value = typeof reference === 'object' ? codeOf(parent, reference as Values) : reference
    faults.add({
      ...location,
      column: field,
      value,
      expected: `the ${typeof reference === 'object' ? 'code' : 'identifier'} of a known ${parent.name}`,
    })
    return undefined
  }

  return (row, location) => {
    let settled = row as Values
    let sound = true
    for (const [field, parent] of parents) {
      const id = parentOf(field, parent, row[field], location)
      if (id === undefined) sound = false
      else if (id !== row[field]) settled = { ...settled, [field]: id }
    }
    if (!sound) return undefined
    if (identifier !== undefined && row[identifier] === undefined) {
      settled = { ...settled, [identifier]: registry.idFor(entity, settled) }
    }
    const wrong = check(settled)
    for (const { field, value, expected } of wrong) faults.add({ ...location, column: field, value, expected })
    return wrong.length === 0 ? settled : undefined
  }
}
