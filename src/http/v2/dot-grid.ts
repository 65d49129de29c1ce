// Where the records of an entity are, coarsely: the cells of a grid that have at least one of them.
import type { OpenEntity } from '../../release/release.ts'

export type DotGrid = {
  readonly columns: number
  readonly rows: number
  /** Cells side by side, from west to east. */
  readonly runs: readonly { readonly column: number; readonly row: number; readonly length: number }[]
  /** How many records have coordinates. */
  readonly points: number
}

const COLUMNS = 150
const grids = new WeakMap<OpenEntity, DotGrid>()

/** Computed once for each release; undefined where too few coordinates are known. */
export function dotGrid(entity: OpenEntity): DotGrid | undefined {
  const { coordinates } = entity.index.points
  if (coordinates.length < 4) return undefined
  const grid = grids.get(entity) ?? gridOf(coordinates)
  grids.set(entity, grid)
  return grid
}

/** Of pairs of longitude and latitude. North is up, and cells are square in the middle of the map. */
function gridOf(coordinates: Float64Array): DotGrid {
  const [west, east] = bounds(coordinates, 0)
  const [south, north] = bounds(coordinates, 1)
  const narrowing = Math.cos((((north + south) / 2) * Math.PI) / 180)
  const cell = Math.max(((east - west) * narrowing) / COLUMNS, (north - south) / COLUMNS) || 1
  const columns = Math.floor(((east - west) * narrowing) / cell) + 1
  const rows = Math.floor((north - south) / cell) + 1
  const cells = new Uint8Array(columns * rows)
  for (let at = 0; at < coordinates.length; at += 2) {
    const column = Math.floor((((coordinates[at] as number) - west) * narrowing) / cell)
    const row = Math.floor((north - (coordinates[at + 1] as number)) / cell)
    cells[row * columns + column] = 1
  }
  const runs = Array.from({ length: rows }, (_, row) =>
    runsIn(cells.subarray(row * columns, (row + 1) * columns)).map((run) => ({ ...run, row })),
  )
  return { columns, rows, runs: runs.flat(), points: coordinates.length / 2 }
}

function bounds(coordinates: Float64Array, offset: number): readonly [min: number, max: number] {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let at = offset; at < coordinates.length; at += 2) {
    const value = coordinates[at] as number
    if (value < min) min = value
    if (value > max) max = value
  }
  return [min, max]
}

function runsIn(cells: Uint8Array): { column: number; length: number }[] {
  const runs: { column: number; length: number }[] = []
  for (let column = 0; column < cells.length; column++) {
    if (cells[column] === 0) continue
    const last = runs.at(-1)
    if (last !== undefined && last.column + last.length === column) last.length++
    else runs.push({ column, length: 1 })
  }
  return runs
}
