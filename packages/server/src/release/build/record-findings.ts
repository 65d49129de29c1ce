// Looks for what the definitions expect of records and the records do not keep.
import { type Entity, type Expectation, embeddedAt, type Identity, type Values } from '../../catalog/entity.ts'
import { wayPairs } from '../../catalog/lineage.ts'
import { nameFindings } from '../../catalog/name-findings.ts'
import { pathsOf } from '../../catalog/paths.ts'
import type { Findings } from '../../source/findings.ts'
import type { RowsOf } from './official-code.ts'

/** The names of fields on a dotted path; they may have dots themselves. */
function stepsOf(entity: Entity, path: string): readonly string[] {
  const found = [...pathsOf(entity).values()].find((one) => one.path === path || one.steps.join('.') === path)
  return found?.steps ?? path.split('.')
}

type Reader = (row: Values | undefined) => Identity | undefined

/** Follows a path from a row into the rows that it embeds; what is missing on the way leads to nothing. */
function pathReader(entity: Entity, [field = '', ...rest]: readonly string[], parents: RowsOf): Reader {
  const definition = entity.fields[field]
  if (definition === undefined) throw new Error(`${entity.name} has no field ${field}`)
  if (rest.length === 0) return (row) => row?.[field]
  if (definition.kind !== 'embed') throw new Error(`${entity.name}.${field} embeds nothing`)
  const rows = parents(definition.entity.name)
  const inner = pathReader(definition.entity, rest, parents)
  return (row) => inner(rows.get(row?.[field] as Identity))
}

const CONTRADICTION = 'references-contradict'

const expectsPair = ({ left, right, relation }: Expectation, pair: ReturnType<typeof wayPairs>[number]) =>
  relation === 'equals' &&
  ((pair.left === left && pair.right === right) || (pair.left === right && pair.right === left))

/**
 * The expectations of the definition, and one more: two ways from a record to an ancestor lead to the same one. A package may well
 * refer to one list twice and mean two records, unless it says otherwise.
 */
function expectationsOf(entity: Entity): readonly Expectation[] {
  if (entity.package !== undefined) return entity.expects
  const others = wayPairs(entity).filter((pair) => !entity.expects.some((expected) => expectsPair(expected, pair)))
  const description = 'two references of a record lead to different records of the same kind'
  return [
    ...entity.expects,
    ...others.map((pair) => ({ kind: CONTRADICTION, description, relation: 'equals' as const, ...pair })),
  ]
}

/** The kinds of findings about records whose references contradict each other. */
export const contradictionKinds = (entity: Entity): string[] =>
  expectationsOf(entity)
    .filter((expected) => wayPairs(entity).some((pair) => expectsPair(expected, pair)))
    .map(({ kind }) => kind)

/** The entities on the paths of the expectations of a definition. */
export function entitiesOnPaths(entity: Entity): Entity[] {
  const along = ([field, ...rest]: readonly string[], from: Entity): Entity[] => {
    if (field === undefined || rest.length === 0) return []
    const embedded = embeddedAt(from, field)
    return [embedded, ...along(rest, embedded)]
  }
  return expectationsOf(entity).flatMap(({ left, right }) =>
    [left, right].flatMap((path) => along(stepsOf(entity, path), entity)),
  )
}

const holds = (relation: Expectation['relation'], left: string | number, right: string | number) =>
  relation === 'equals' ? left === right : String(left).startsWith(String(right))

/** Checks sound rows of one entity against the expectations of its definition, and their names. */
export function rowCheck(entity: Entity, parents: RowsOf, findings: Findings): (row: Values) => void {
  const label = (row: Values) => `${entity.name} ${entity.key.map((field) => row[field]).join('/')}`
  const names = Object.keys(entity.fields).filter((field) => entity.fields[field]?.kind === 'name')
  const expectations = expectationsOf(entity).map((expected) => ({
    ...expected,
    readLeft: pathReader(entity, stepsOf(entity, expected.left), parents),
    readRight: pathReader(entity, stepsOf(entity, expected.right), parents),
  }))
  return (row) => {
    for (const { kind, description, relation, readLeft, readRight } of expectations) {
      const left = readLeft(row)
      const right = readRight(row)
      // A value that is missing contradicts nothing.
      if (left === undefined || right === undefined) continue
      if (!holds(relation, left, right)) findings.add(kind, description, `${label(row)}: ${left}, ${right}`)
    }
    for (const field of names) {
      const name = row[field] as string | undefined
      if (name === undefined) continue
      for (const { kind, description } of nameFindings(name)) findings.add(kind, description, label(row))
    }
  }
}
