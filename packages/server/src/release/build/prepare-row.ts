// Settles a row as a source gave it: references become identifiers, a missing identifier is filled in, faults are reported.
import { rowChecker } from '../../catalog/check.ts'
import { type Entity, embeddedAt, embedsOf, type Identity, type Values } from '../../catalog/entity.ts'
import type { Faults, SourceLocation } from '../../source/faults.ts'
import type { CodeReference, GivenRow } from '../../source/source.ts'
import { type IdRegistry, isNumbered } from '../home/id-registry.ts'
import { type ParentRecords, SEVERAL } from './parent-records.ts'

const codeText = (entity: Entity, code: CodeReference): string =>
  entity.code
    .map((field) => {
      const part = code[field]
      return typeof part === 'object' ? codeText(embeddedAt(entity, field), part) : part
    })
    .join('/')

function mayLack({ fields }: Entity, name: string): boolean {
  const field = fields[name]
  return field?.kind === 'embed' && field.optional === true
}

/** Gives the row with nothing but texts and numbers in it, or nothing when it has a fault. */
type RowPreparer = (row: GivenRow, location: SourceLocation) => Values | undefined

export function rowPreparer(entity: Entity, records: ParentRecords, registry: IdRegistry, faults: Faults): RowPreparer {
  const check = rowChecker(entity)
  const parents = embedsOf(entity)
  const identifier = isNumbered(entity) ? entity.key[0] : undefined

  const parentOf = (
    field: string,
    parent: Entity,
    reference: unknown,
    location: SourceLocation,
  ): Identity | undefined => {
    const isCode = typeof reference === 'object'
    const id = isCode ? records.idByCode(parent, reference as CodeReference) : reference
    if ((typeof id === 'number' || typeof id === 'string') && records.rowsOf(parent.name).has(id)) return id
    const value = isCode ? codeText(parent, reference as CodeReference) : reference
    const expected =
      id === SEVERAL
        ? `a code that only one ${parent.name} has`
        : `the ${isCode ? 'code' : 'identifier'} of a known ${parent.name}`
    faults.add({ ...location, column: field, value, expected })
    return undefined
  }

  return (row, location) => {
    let settled = row as Values
    let sound = true
    for (const [field, parent] of parents) {
      const reference = row[field]
      if (reference === undefined && mayLack(entity, field)) continue
      const id = parentOf(field, parent, reference, location)
      if (id === undefined) sound = false
      else if (id !== reference) settled = { ...settled, [field]: id }
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
