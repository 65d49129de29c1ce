// Every value of a record by its dotted path: what can be filtered by, sorted by and selected.
import { type Entity, type Field, identifierOf } from './entity.ts'

export type FieldPath = {
  /** From the record: `idMunicipio.idEstado.cveEstado`. */
  readonly path: string
  readonly steps: readonly string[]
  readonly field: Field
  /** Whether its values are identifiers; an embedded record stands for its own. */
  readonly numeric: boolean
}

const known = new WeakMap<Entity, ReadonlyMap<string, FieldPath>>()

/** In the order in which they are rendered; an embedded record comes before what is in it. */
export function pathsOf(entity: Entity): ReadonlyMap<string, FieldPath> {
  let paths = known.get(entity)
  if (paths === undefined) {
    paths = new Map(walk(entity, []).map((path) => [path.path, path]))
    known.set(entity, paths)
  }
  return paths
}

function walk(entity: Entity, before: readonly string[]): FieldPath[] {
  return Object.entries(entity.fields).flatMap(([name, field]) => {
    // Facts are known of the record itself, and are no part of it where it is embedded.
    if (field.kind === 'fact' && before.length > 0) return []
    const steps = [...before, name]
    const numeric = field.kind === 'id' || field.kind === 'embed'
    const own: FieldPath = { path: steps.join('.'), steps, field, numeric }
    return field.kind === 'embed' ? [own, ...walk(field.entity, steps)] : [own]
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

/** The steps from an embedded record on; with none left, those to its identifier. */
export const stepsWithin = (parent: Entity, rest: readonly string[]): readonly string[] =>
  rest.length === 0 ? [identifierOf(parent)] : rest
