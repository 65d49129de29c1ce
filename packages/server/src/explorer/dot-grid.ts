// The places of the records of an entity on a coarse grid: the cells that have at least one of them.
import { memoized } from '../base/memoized.ts'
import type { Entity } from '../catalog/entity.ts'
import type { OpenEntity, Release } from '../release/release.ts'
import { boundsOf, groupReader } from './map-points.ts'

export type DotGrid = {
  readonly columns: number
  readonly rows: number
  /** Cells of one group side by side, from west to east. */
  readonly runs: readonly Run[]
  /** The number of records with coordinates. */
  readonly points: number
}

type Run = { readonly column: number; readonly row: number; readonly length: number; readonly group: number }

const COLUMNS = 200

/** The grid of an entity; undefined if fewer than two records have coordinates. */
export function dotGrid(release: Release, entity: Entity): DotGrid | undefined {
  const open = release.entity(entity.name)
  return open.index.points.positions.length < 2 ? undefined : gridOf(open, release)
}

/** North is up, and cells are square in the middle of the map. A cell has the group of its first record. */
const gridOf = memoized((open: OpenEntity, release: Release): DotGrid => {
  const { west, east, south, north } = boundsOf(open) ?? { west: 0, east: 0, south: 0, north: 0 }
  const { positions, coordinates } = open.index.points
  const groupOf = groupReader(release, open.definition)
  const narrowing = Math.cos((((north + south) / 2) * Math.PI) / 180)
  const cell = Math.max(((east - west) * narrowing) / COLUMNS, (north - south) / COLUMNS) || 1
  const columns = Math.floor(((east - west) * narrowing) / cell) + 1
  const rows = Math.floor((north - south) / cell) + 1
  const cells = new Int16Array(columns * rows).fill(EMPTY)
  for (let at = 0; at < positions.length; at++) {
    const column = Math.floor((((coordinates[2 * at] as number) - west) * narrowing) / cell)
    const row = Math.floor((north - (coordinates[2 * at + 1] as number)) / cell)
    const place = row * columns + column
    if (cells[place] === EMPTY) cells[place] = groupOf(positions[at] as number)
  }
  const runs = Array.from({ length: rows }, (_, row) => runsIn(cells.subarray(row * columns, (row + 1) * columns), row))
  return { columns, rows, runs: runs.flat(), points: positions.length }
})

const EMPTY = -1

function runsIn(cells: Int16Array, row: number): Run[] {
  const runs: Run[] = []
  for (let column = 0; column < cells.length; column++) {
    const group = cells[column] as number
    if (group === EMPTY) continue
    const last = runs.at(-1)
    if (last !== undefined && last.group === group && last.column + last.length === column)
      runs[runs.length - 1] = { ...last, length: last.length + 1 }
    else runs.push({ column, row, length: 1, group })
  }
  return runs
}
