// Turns the point and the box of a request into filters, which take boundaries or coordinates that the release has.
import { hasCoordinates } from '../../catalog/entity.ts'
import { boundedList, positionsContaining } from '../../query/boundaries.ts'
import type { Filter } from '../../query/filter.ts'
import type { Query } from '../../query/finder.ts'
import { shapeReader } from '../../release/boundaries/boundary-records.ts'
import type { Release } from '../../release/release.ts'
import { badParameter } from '../problem.ts'
import type { ListRequest } from './request/records-request.ts'

/** The words that say how a list gets boundaries. */
export const howToImport = (list: string): string =>
  `boundaries, which ${list} has none of here: import them with nomenclator import boundaries FILE --list ${list}`

/** The filters, and the point from which the nearest records come first: below the record at a point, that point. */
export function placeFilters(
  release: Release,
  { entity, query, containing, box }: Pick<ListRequest, 'entity' | 'query' | 'containing' | 'box'>,
): { readonly filters: readonly Filter[]; readonly near: Query['near'] } {
  const filters: Filter[] = []
  let { near } = query
  const refuse = (name: string, value: readonly number[]) =>
    badParameter(name, value.join(), `a list with ${howToImport(entity.plural)}`)
  if (box !== undefined) {
    if (!hasCoordinates(entity) && release.entity(entity.name).boundaries('full') === undefined)
      throw refuse('bbox', box)
    filters.push({ steps: [], match: 'box', values: box })
  }
  if (containing !== undefined) {
    const bounded = boundedList(release, entity)
    if (bounded === undefined) throw refuse('containing', [containing.latitude, containing.longitude])
    const { steps } = bounded
    filters.push({
      steps,
      match: steps.length === 0 ? 'at' : 'record',
      values: [...positionsContaining(release, bounded, containing)],
    })
    const isUnordered = near === undefined && query.sorts.length === 0 && query.words.length === 0
    if (isUnordered && steps.length > 0 && hasCoordinates(entity)) near = { ...containing, within: undefined }
  }
  return { filters, near }
}

/** Bytes of the shapes on a page, as they are on disk: four times as many in JSON. */
const MAX_SHAPE_BYTES = 8 << 20

/** A page is made in memory as a whole; all records are streamed. */
export function refuseLargeShapes(release: Release, { entity, rendition }: ListRequest, positions: Uint32Array): void {
  const file = rendition.geometry === 'full' ? release.entity(entity.name).boundaries('full') : undefined
  if (file === undefined) return
  const shapeAt = shapeReader(release, entity, file)
  let bytes = 0
  for (const position of positions) {
    const shape = shapeAt(position)
    if (shape !== undefined) bytes += file.bytesOf(shape).length
  }
  if (bytes > MAX_SHAPE_BYTES)
    throw badParameter('geometry', 'full', 'fewer records on a page (per_page), geometry=screen, or all records (/all)')
}
