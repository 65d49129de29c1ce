// Every value of a record by its dotted path: what can be filtered by, sorted by and selected.
import { memoized } from '../base/memoized.ts'
import { type Entity, type Field, hasNumericKey } from './entity.ts'

export type FieldPath = {
  /** The names of fields that lead to it from the record: `idMunicipio.idEstado.cveEstado`. */
  readonly path: string
  readonly steps: readonly string[]
  readonly field: Field
  /** Whether its values are identifiers; an embedded record stands for its own. */
  readonly numeric: boolean
}

/** The paths in the order in which they are rendered; that of an embedded record comes before those of what is in it. */
export const pathsOf = memoized(
  (entity: Entity): ReadonlyMap<string, FieldPath> => new Map(walk(entity, []).map((path) => [path.path, path])),
)

function walk(entity: Entity, before: readonly string[]): FieldPath[] {
  return Object.entries(entity.fields).flatMap(([name, field]) => {
    // Facts are known of the record itself, and are no part of it where it is embedded.
    if (field.kind === 'fact' && before.length > 0) return []
    const steps = [...before, name]
    const numeric = field.kind === 'id' || (field.kind === 'embed' && hasNumericKey(field.entity))
    const path: FieldPath = { path: steps.join('.'), steps, field, numeric }
    return field.kind === 'embed' ? [path, ...walk(field.entity, steps)] : [path]
  })
}

/** The paths of values that are not records, as a table has them. */
export const leavesOf = (entity: Entity): FieldPath[] =>
  [...pathsOf(entity).values()].filter(({ field }) => field.kind !== 'embed')

/** The name of the column that a field's values stand in: a copy has none of its own. */
export function columnOf(entity: Entity, name: string): string {
  const field = entity.fields[name]
  if (field === undefined) throw new Error(`${entity.name} has no field ${name}`)
  return field.kind === 'copy' ? field.of : name
}

/** The steps from an embedded record on; with none left, those to its identifier, the last part of its key. */
export const stepsWithin = (parent: Entity, rest: readonly string[]): readonly string[] =>
  rest.length === 0 ? [parent.key.at(-1) as string] : rest
