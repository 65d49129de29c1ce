// What the values of a table say about its plan: which fields may be missing, and which are text after all.
import type { EntityData } from '../../catalog/catalog.ts'
import type { Entity } from '../../catalog/entity.ts'
import type { SourceLocation } from '../faults.ts'
import type { Findings } from '../findings.ts'
import type { ListPlan } from './descriptor.ts'

/** Values of a field that are odd, with the first few places. */
export type Odd = { count: number; readonly examples: { readonly location: SourceLocation; readonly text: string }[] }
export type FieldCount = { given: number; missing: number; readonly misfits: Odd; readonly unresolved: Odd }

/** Values that do not fit are left out where there are no more than these; where there are more, the field is a text. */
const FEW = 3
const FEW_OF = 100

/** The fields that are checked before references are known; what is missing is counted, and no fault yet. */
export function ownFields(entity: EntityData): Entity {
  const fields = Object.entries(entity.fields).flatMap(([name, field]) => {
    if (field.kind === 'embed' || field.kind === 'broader' || field.kind === 'copy') return []
    // What is read as a number, a date or a truth is sound.
    if (field.kind === 'value' && field.type !== 'text' && field.type !== 'list') return []
    const definition = 'pattern' in field ? { ...field, pattern: new RegExp(field.pattern) } : field
    return [[name, { ...definition, optional: true }] as const]
  })
  return { ...entity, fields: Object.fromEntries(fields) } as Entity
}

/** The plan with what its table has shown: fields that some rows lack are optional, those of other values are text. */
export function fitted(plan: ListPlan, counts: ReadonlyMap<string, FieldCount>, rows: number): ListPlan {
  const fields = new Map(plan.fields)
  const definitions = Object.entries(plan.entity.fields).map(([name, definition]) => {
    const count = counts.get(name)
    const fieldPlan = fields.get(name)
    if (count === undefined || fieldPlan === undefined || plan.entity.key.includes(name))
      return [name, definition] as const
    const { missing, misfits, unresolved, given } = count
    if (definition.kind === 'value' && misfits.count > 0 && isMore(misfits.count, given)) {
      const { value } = fieldPlan
      const { constraints: _, ...format } = value
      fields.set(name, { columns: fieldPlan.columns, value: { ...format, type: 'string' } })
      return [name, { ...definition, type: 'text', optional: true }] as const
    }
    const lacks = missing + misfits.count + unresolved.count > 0 || rows === 0
    const mayLack = ['name', 'code', 'embed', 'value'].includes(definition.kind)
    return [name, lacks && mayLack ? { ...definition, optional: true } : definition] as const
  })
  return { ...plan, entity: { ...plan.entity, fields: Object.fromEntries(definitions) } as EntityData, fields }
}

const isMore = (misfits: number, given: number) => misfits > FEW || misfits * FEW_OF > given

const MAX_EXCERPT = 60
export const excerpt = (text: string): string => JSON.stringify(text).slice(0, MAX_EXCERPT)

/** Tells odd values with the first places, and how many more there are. */
export function tellOdd(
  findings: Findings,
  { count, examples }: Odd,
  field: string,
  kind: string,
  description: string,
  expected: string,
): void {
  for (const { location, text } of examples) {
    const value = excerpt(text)
    findings.add(kind, description, { ...location, column: field, value, says: `${value}${expected}` })
  }
  findings.addMore(kind, description, count - examples.length)
}
