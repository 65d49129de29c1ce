// Maps of nothing but dots, at the coordinates of records.

import { memoized } from '../base/memoized.ts'
import { coordinatesOf, type Entity } from '../catalog/entity.ts'
import type { PublishedRecord } from '../catalog/flatten.ts'
import { type Html, html } from '../http/html.ts'
import type { Polygon } from '../release/boundaries/boundary-file.ts'
import { cornersOf, pathOf } from './boundary-map.ts'
import type { DotGrid } from './dot-grid.ts'
import { isMissing, writtenNumber } from './values.ts'

export type MapPoint = { readonly latitude: number; readonly longitude: number }

/** The place of a record; undefined if it has no coordinates. */
export function pointOf(entity: Entity, record: PublishedRecord): MapPoint | undefined {
  const fields = coordinatesOf(entity)
  if (fields === undefined) return undefined
  const [latitude, longitude] = [record[fields.latitude], record[fields.longitude]]
  if (isMissing(latitude) || isMissing(longitude)) return undefined
  return { latitude: Number(writtenNumber(latitude)), longitude: Number(writtenNumber(longitude)) }
}

const SIZE = 400
const MARGIN = 14

/** Dots, and the shapes that they lie in. North is up, and distances are alike in both directions in the middle of the map. */
export function dotMap(
  points: readonly MapPoint[],
  label: string,
  focus?: MapPoint,
  shapes: readonly (readonly Polygon[])[] = [],
): Html | undefined {
  const all = [...points, ...(focus === undefined ? [] : [focus]), ...shapes.flatMap(cornersOf)]
  if (all.length < 2) return undefined
  const latitudes = all.map(({ latitude }) => latitude)
  const longitudes = all.map(({ longitude }) => longitude)
  const [south, north] = [Math.min(...latitudes), Math.max(...latitudes)]
  const [west, east] = [Math.min(...longitudes), Math.max(...longitudes)]
  const narrowing = Math.cos((((north + south) / 2) * Math.PI) / 180)
  const extent = Math.max(north - south, (east - west) * narrowing)
  if (extent === 0) return undefined
  const scale = (SIZE - 2 * MARGIN) / extent
  const x = (longitude: number) => Math.round((longitude - west) * narrowing * scale + MARGIN)
  const y = (latitude: number) => Math.round((north - latitude) * scale + MARGIN)
  const width = Math.round((east - west) * narrowing * scale + 2 * MARGIN)
  const height = Math.round((north - south) * scale + 2 * MARGIN)
  // Dots on the same spot are drawn once.
  const spots = new Set(points.map(({ longitude, latitude }) => `M${x(longitude)} ${y(latitude)}h0`))
  return html`<svg class="dots" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">${shapes.map((shape) => html`<path class="shape" d="${pathOf(shape, x, y)}"/>`)}<path d="${[...spots].join('')}"/>${focus !== undefined && html`<circle cx="${x(focus.longitude)}" cy="${y(focus.latitude)}" r="7"/>`}</svg>`
}

/** The cells of a grid that have any record, each row in runs whose dashes are the dots. */
export const gridMap = (grid: DotGrid, hues: readonly number[], label: string): Html =>
  html`<svg class="country" viewBox="-1 -1 ${grid.columns + 1} ${grid.rows + 1}" role="img" aria-label="${label}">${gridPaths(grid, hues)}</svg>`

/** Many readers see the same picture. */
const gridPaths = memoized(
  (grid: DotGrid, hues: readonly number[]): Html => html`${hues.map((hue, group) => groupPath(grid, group, hue))}`,
)

/** The dots of a group, in the colour that it has on the map in the light; the stylesheet lightens it for the dark. */
function groupPath({ runs }: DotGrid, group: number, hue: number): Html {
  const groupRuns = runs.filter((run) => run.group === group)
  return html`<path color="oklch(0.6 0.135 ${hue})" d="${groupRuns.map(({ column, row, length }) => `M${column} ${row}h${length - 1}.5`).join('')}"/>`
}
