// The boundaries of a list in a release: a file for each level of detail, all written by an import.
import { join } from 'node:path'
import { boxOf, type GivenShape } from '../../source/boundaries/corners.ts'
import type { FileSummary } from '../files/durable-file.ts'
import { writeBoundaries } from './boundary-file.ts'

/** The files by level: all corners, as many as a screen shows of a state, and of a country. */
export const BOUNDARY_FILES = {
  full: 'boundaries',
  screen: 'boundaries-screen',
  country: 'boundaries-country',
} as const

export type BoundaryLevel = keyof typeof BOUNDARY_FILES
export const BOUNDARY_LEVELS = Object.keys(BOUNDARY_FILES) as readonly BoundaryLevel[]
export type BoundaryFileName = (typeof BOUNDARY_FILES)[BoundaryLevel]
type BoundarySummaries = { readonly [file in BoundaryFileName]?: FileSummary }

/** Writes the boundaries of an entity into its directory. */
export type WriteBoundaries = (directory: string) => Promise<BoundarySummaries>

/** A border moves by this part of the extent of all shapes at most: less than a pixel of a screen that shows so much of it. */
const PARTS = { screen: 16_000, country: 2_000 } as const

/** The greatest distance by which a border moves at a level, in the units of corners. */
function toleranceOf(shapes: readonly GivenShape[], level: keyof typeof PARTS): number {
  const [west, south, east, north] = boxOf(shapes.flatMap(({ polygons }) => polygons.flat()))
  return Math.max(east - west, north - south) / PARTS[level]
}

export const boundaryWriter =
  (given: readonly GivenShape[]): WriteBoundaries =>
  async (directory) => {
    const { simplifier } = await import('./simplified-shapes.ts')
    // Which of two corners as far from a line is kept depends on the order of the shapes.
    const shapes = given.toSorted((a, b) => (a.code < b.code ? -1 : 1))
    const simplified = simplifier(shapes)
    const write = (level: BoundaryLevel, of: readonly GivenShape[]) => ({
      [BOUNDARY_FILES[level]]: writeBoundaries(join(directory, BOUNDARY_FILES[level]), of),
    })
    return {
      ...write('full', shapes),
      ...write('screen', simplified(toleranceOf(shapes, 'screen'))),
      ...write('country', simplified(toleranceOf(shapes, 'country'))),
    }
  }

/** The digests of the boundaries among the files of an entity, and all other files. */
export function boundariesApart<F extends BoundarySummaries>(files: F): [boundaries: string[], others: F] {
  const names: readonly string[] = Object.values(BOUNDARY_FILES)
  const others = Object.fromEntries(Object.entries(files).filter(([name]) => !names.includes(name))) as F
  return [Object.values(BOUNDARY_FILES).flatMap((name) => files[name]?.sha256 ?? []), others]
}
