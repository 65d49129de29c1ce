// A selection out of the records of an entity: some of their fields, embedded records in full or by their identifiers, and facts.
import { type Entity, identifierOf } from '../../catalog/entity.ts'
import type { PublishedRecord } from '../../catalog/flatten.ts'
import { type FieldPath, pathsOf } from '../../catalog/paths.ts'
import { factReader, withMembers } from '../../release/facts.ts'
import type { OpenEntity } from '../../release/release.ts'

export type Selection = {
  /**
   * Dotted paths, none of them within another; undefined for all that is published. Their order is that of columns; in
   * JSON, fields stand in the order of the definition.
   */
  readonly fields: readonly string[] | undefined
  /** Whether the facts are given too, where fields are not selected by name. */
  readonly facts: boolean
  readonly embed: 'full' | 'id'
  /** Names of numbers that stand after the fields of each record and are no fields of the entity; always given. */
  readonly added?: readonly string[]
}

export const isWhole = ({ fields, embed }: Selection): boolean => fields === undefined && embed === 'full'

/** Whether any fact is selected. */
const selectsFacts = (entity: Entity, { fields, facts }: Selection): boolean =>
  fields === undefined ? facts : fields.some((field) => entity.fields[field]?.kind === 'fact')

/** Adds to the JSON of a record what of the selection is no part of it: its facts, and members of the request's own. */
export function memberAdder(
  entity: OpenEntity,
  selection: Selection,
  ownMembers?: (position: number) => object,
): (json: Uint8Array, position: number) => Uint8Array {
  const factsAt = selectsFacts(entity.definition, selection) ? factReader(entity) : undefined
  if (factsAt === undefined && ownMembers === undefined) return (json) => json
  return (json, position) => withMembers(json, { ...factsAt?.(position), ...ownMembers?.(position) })
}

type Shape = (record: PublishedRecord) => PublishedRecord

/** The selected fields, each with those of the record that it embeds; without any, that record is selected as a whole. */
type FieldTree = Map<string, FieldTree>

/** Reduces a record to the selection. */
export function shapeOf(entity: Entity, { fields, facts, embed, added = [] }: Selection): Shape {
  const names = Object.keys(entity.fields).filter((name) => facts || entity.fields[name]?.kind !== 'fact')
  const shape = treeShape(entity, fieldTree(fields ?? names), embed)
  if (added.length === 0) return shape
  return (record) => ({ ...shape(record), ...Object.fromEntries(added.map((name) => [name, record[name] as number])) })
}

function fieldTree(fields: readonly string[]): FieldTree {
  const tree: FieldTree = new Map()
  for (const field of fields) {
    let level = tree
    for (const step of field.split('.')) {
      const deeper = level.get(step) ?? new Map()
      level.set(step, deeper)
      level = deeper
    }
  }
  return tree
}

function treeShape(entity: Entity, tree: FieldTree | undefined, embed: Selection['embed']): Shape {
  const parts = Object.entries(entity.fields)
    .filter(([name]) => tree === undefined || tree.has(name))
    .map(([name, field]) => {
      const inner = tree?.get(name)
      if (field.kind !== 'embed') return { name, take: (value: unknown) => value }
      if (inner !== undefined && inner.size > 0) return { name, take: treeShape(field.entity, inner, embed) }
      if (embed === 'full') return { name, take: (value: unknown) => value }
      const identifier = identifierOf(field.entity)
      return { name, take: (value: PublishedRecord) => value[identifier] }
    }) as readonly { name: string; take: (value: unknown) => PublishedRecord[string] }[]
  return (record) => {
    const reduced: Record<string, PublishedRecord[string]> = {}
    for (const { name, take } of parts) reduced[name] = take(record[name])
    return reduced
  }
}

/** A value of a record: the dotted path to it, and the same in steps. */
export type Column = Pick<FieldPath, 'path' | 'steps'>

/** The paths of the columns of a selection: in the order in which its fields are named, or else that of a record. */
export function columnsOf(entity: Entity, { fields, facts, embed, added = [] }: Selection): Column[] {
  const all = [...pathsOf(entity).values()]
  const paths =
    fields === undefined
      ? all.filter(({ field }) => facts || field.kind !== 'fact')
      : fields.flatMap((field) => all.filter(({ path }) => path === field || path.startsWith(`${field}.`)))
  // With embed=id an embedded record is one column, unless some of its own fields are selected.
  const isOpened = ({ path }: FieldPath) => fields?.some((field) => field.startsWith(`${path}.`)) ?? false
  const isClosed = (steps: readonly string[]) =>
    embed === 'id' &&
    steps.some((_, length) => {
      const parent = length === 0 ? undefined : pathsOf(entity).get(steps.slice(0, length).join('.'))
      return parent !== undefined && !isOpened(parent)
    })
  const selected = paths.filter((path) => {
    if (isClosed(path.steps)) return false
    return path.field.kind !== 'embed' || (embed === 'id' && !isOpened(path))
  })
  return [...selected, ...added.map((name) => ({ path: name, steps: [name] }))]
}
