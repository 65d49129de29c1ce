// Filters: finds the positions of the records that have certain values in their fields or in those of their ancestors.
import { indexInAscending } from '../base/binary-search.ts'
import { checkpoint } from '../base/checkpoint.ts'
import { type Entity, embeddedAt, type OfficialCode, partsOf } from '../catalog/entity.ts'
import { keyPathsOf, stepsWithin } from '../catalog/paths.ts'
import { positionsWithCode } from '../release/official-codes.ts'
import type { Release } from '../release/release.ts'
import type { Box } from '../source/boundaries/corners.ts'
import { positionsInBox } from './boundaries.ts'
import { type ColumnFilter, type Condition, conditionOf, intersected, positionsOf, type Test } from './column-filter.ts'
import { columnAt, derivedCode } from './columns.ts'
import { treeOf } from './tree.ts'
import { type ValueMatch, wantedIn } from './wanted-values.ts'

/**
 * A condition on the value at a path from the record. It
 * - `equals` one of these, or `begins` with one of them; a record stands for its key;
 * - is at least (`min`) or at most (`max`) the one;
 * - is a list that `contains` one of these;
 * - is the record at one of these positions (`record`), or that or one below it in a tree (`below`).
 * Without a path, of the record itself: it is right below the one at a position (`children`), at any depth (`below`), or
 * below none (`root`); or it is at one of these positions (`at`), or lies in a box with this west, south, east and north (`box`).
 */
export type Filter = {
  readonly steps: readonly string[]
  readonly match: ValueMatch | 'record' | 'below' | 'children' | 'root' | 'at' | 'box'
  readonly values: readonly (string | number)[]
}

/** The positions of the records that pass all filters, ascending; undefined stands for all. */
export function positionsWhere(release: Release, entity: Entity, filters: readonly Filter[]): Uint32Array | undefined {
  const [rarest, ...others] = rarestFirst(release, entity, filters)
  if (rarest === undefined || rarest.count === release.entity(entity.name).count) return undefined
  return others.map((condition) => condition.test()).reduce(passing, rarest.positions())
}

/** The first of the records that pass all filters. */
export function firstWhere(release: Release, entity: Entity, filters: readonly Filter[]): number | undefined {
  const [rarest, ...others] = rarestFirst(release, entity, filters)
  if (rarest === undefined) return release.entity(entity.name).count > 0 ? 0 : undefined
  const tests = others.map((condition) => condition.test())
  return rarest.positions().find((position) => tests.every((test) => test(position)))
}

/** The filter that the fewest records pass comes first: its records are the candidates, and the others test each. */
function rarestFirst(release: Release, entity: Entity, filters: readonly Filter[]): Condition[] {
  const conditions: Condition[] = []
  const inColumns: ColumnFilter[] = []
  for (const filter of filters) {
    const positions = positionsFor(release, entity, filter)
    if (positions === undefined) inColumns.push(columnFilter(release, entity, filter))
    else conditions.push(conditionAt(positions))
  }
  return [...conditions, ...intersected(inColumns).map(conditionOf)].sort((a, b) => a.count - b.count)
}

/** The positions of the records that pass, for a filter on the record itself or on its codes, which are looked up; else undefined. */
function positionsFor(release: Release, entity: Entity, filter: Filter): Uint32Array | undefined {
  if (filter.match === 'at' && filter.steps.length === 0) return Uint32Array.from(filter.values, Number)
  if (filter.match === 'box') return positionsInBox(release, entity, filter.values as unknown as Box)
  if (filter.steps.length === 0) return inTree(release, entity, filter)
  const [step = '', ...rest] = filter.steps
  const code = rest.length === 0 && filter.match === 'equals' ? derivedCode(entity, step) : undefined
  return code && withAnyCode(release, entity, code, filter.values)
}

const conditionAt = (positions: Uint32Array): Condition => ({
  count: positions.length,
  positions: () => positions,
  test: () => (position) => indexInAscending(positions, position) !== -1,
})

/** The positions of the records that have one of these codes, ascending. */
function withAnyCode(release: Release, entity: Entity, code: OfficialCode, values: Filter['values']): Uint32Array {
  const found = values.flatMap((value) => positionsWithCode(release, entity, String(value), code))
  return Uint32Array.from(new Set(found)).sort()
}

/** The positions of the records that a filter means by their place in the tree of their entity. */
function inTree(release: Release, entity: Entity, { match, values: [position] }: Filter): Uint32Array {
  const tree = treeOf(release.entity(entity.name))
  if (tree === undefined) throw new Error(`${entity.name} is no tree`)
  if (match === 'root') return tree.roots
  return match === 'children' ? tree.childrenOf(position as number) : tree.descendantsOf(position as number)
}

/** A filter inside an embedded record is applied to the embedded records first, which are few. */
function columnFilter(release: Release, entity: Entity, filter: Filter): ColumnFilter {
  const [step = '', ...rest] = filter.steps
  const column = columnAt(release, entity, step)
  if (column.kind !== 'embed') return { column, wanted: wantedIn(column, filter.match as ValueMatch, filter.values) }
  return { column, wanted: wantedRecords(release, embeddedAt(entity, step), { ...filter, steps: rest }) }
}

/** The positions of the embedded records that a filter means, ascending. */
function wantedRecords(release: Release, parent: Entity, { steps, match, values }: Filter): Uint32Array {
  if (steps.length === 0 && match === 'record') return Uint32Array.from(values, Number).sort()
  if (steps.length === 0 && match === 'below')
    return Uint32Array.from([...inTree(release, parent, { steps, match, values }), ...values.map(Number)]).sort()
  if (steps.length === 0 && keyPathsOf(parent).length > 1) {
    const found = values.map((identity) => firstWhere(release, parent, keyFilters(parent, partsOf(identity))))
    return Uint32Array.from(new Set(found.filter((position) => position !== undefined))).sort()
  }
  return positionsOf(columnFilter(release, parent, { steps: stepsWithin(parent, steps), match, values }))
}

/** The filters that the record passes whose key has these values. */
export const keyFilters = (entity: Entity, parts: readonly (string | number)[]): Filter[] =>
  keyPathsOf(entity).map(({ steps, numeric }, at) => {
    const part = parts[at] as string | number
    return { steps, match: 'equals', values: [numeric ? Number(part) : part] }
  })

function passing(positions: Uint32Array, test: Test): Uint32Array {
  checkpoint()
  const passed = new Uint32Array(positions.length)
  let used = 0
  for (let at = 0; at < positions.length; at++) {
    const position = positions[at] as number
    if (test(position)) passed[used++] = position
  }
  return passed.subarray(0, used)
}
