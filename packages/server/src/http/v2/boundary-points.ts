// Rows that say where they lie: the record at the point decides between those that the names may mean, or is meant where there are none.
import { parseDecimal } from '../../base/decimal-number.ts'
import { lineageOf } from '../../catalog/lineage.ts'
import { folded } from '../../catalog/words.ts'
import { type GeoPoint, positionsContaining } from '../../query/boundaries.ts'
import { ancestorOf, levelsOf } from '../../query/resolve/levels.ts'
import type { Resolution, RowToResolve } from '../../query/resolve/resolve.ts'
import { type Candidate, isSure } from '../../query/resolve/verdict.ts'
import { codeReader } from '../../release/official-codes.ts'
import type { Release } from '../../release/release.ts'

/** A row, and the point that its columns give. */
export type PlacedRow = RowToResolve & { readonly point?: GeoPoint | undefined }

const COLUMNS = { latitude: ['lat', 'latitud', 'latitude'], longitude: ['lon', 'lng', 'long', 'longitud', 'longitude'] }

/** The coordinate that a column of this name has; undefined for others. */
export const coordinateNamed = (column: string): keyof GeoPoint | undefined =>
  (['latitude', 'longitude'] as const).find((one) => COLUMNS[one].includes(folded(column.trim())))

/** The point that two texts give, with a point or a comma before their decimals; undefined where they give none on Earth. */
export function pointFrom({
  latitude = '',
  longitude = '',
}: Partial<Record<keyof GeoPoint, string>>): GeoPoint | undefined {
  const [north = 91, east = 181] = [latitude, longitude].map((text) => parseDecimal(text.trim().replace(',', '.')))
  return Math.abs(north) <= 90 && Math.abs(east) <= 180 ? { latitude: north, longitude: east } : undefined
}

type Place = Pick<Candidate, 'name' | 'position'>

/** The records whose boundaries hold a point, of the lists furthest down first. */
function placesAt(release: Release, point: GeoPoint): Place[] {
  const lists = [...release.catalog.entities.values()].toSorted((a, b) => lineageOf(b).length - lineageOf(a).length)
  return lists.flatMap((entity): Place[] => {
    const file = release.entity(entity.name).boundaries('full')
    if (file === undefined) return []
    const positions = positionsContaining(release, { entity, file, steps: [] }, point)
    return Array.from(positions, (position) => ({ name: entity.name, position }))
  })
}

/** Resolves a row that may have a point; `resolve` reads its names. */
export function resolvedAt(
  release: Release,
  { point, ...row }: PlacedRow,
  names: readonly string[],
  resolve: (row: RowToResolve) => Resolution,
): Resolution {
  const isEmpty = 'parts' in row && [...row.parts.values()].every((text) => text.trim() === '')
  const read = isEmpty && (point !== undefined || row.parts.size === 0) ? NOTHING : resolve(row)
  const places = point === undefined || isSure(read.verdict) ? [] : placesAt(release, point)
  const place = places.find(({ name }) => names.includes(name))
  if (place === undefined) return read
  const candidates = [read.record, ...read.alternatives].filter((one) => one !== undefined)
  const here = candidates.filter((one) => liesIn(release, one, places))
  const [only] = here
  if (only !== undefined && here.length === 1) {
    const others = candidates.filter((one) => one !== only)
    return decided(release, 'sure', only, others)
  }
  // A name that many records have is looked for below the record at the point.
  const below = 'parts' in row && !isEmpty ? resolve({ parts: withCode(release, row.parts, place) }) : NOTHING
  if (isSure(below.verdict) && below.record !== undefined)
    return decided(release, 'sure', below.record, below.alternatives)
  if (candidates.length > 0) return read
  return decided(release, isEmpty ? 'exact' : 'likely', { ...place, score: 1, how: [] }, [])
}

function withCode(release: Release, parts: ReadonlyMap<string, string>, { name, position }: Place) {
  const code = codeReader(release, release.entity(name).definition)(position)
  return new Map([...parts, ...(parts.get(name) || code === undefined ? [] : [[name, code] as const])])
}

const NOTHING: Resolution = { verdict: 'none', record: undefined, alternatives: [], isDoubtful: false, levels: [] }

/** True if a record is at a point, or below the record that is: the first of the places that is of a list above its own decides. */
function liesIn(release: Release, { name, position }: Place, places: readonly Place[]): boolean {
  const above = lineageOf(release.entity(name).definition).map((entity) => entity.name)
  const nearest = places.find((place) => above.includes(place.name))
  const at = (list: string) => (list === name ? position : ancestorOf(release, name, position, list))
  return places.some((place) => place.name === nearest?.name && at(place.name) === place.position)
}

function decided(
  release: Release,
  verdict: 'exact' | 'sure' | 'likely',
  candidate: Candidate,
  alternatives: readonly Candidate[],
): Resolution {
  const record = { ...candidate, how: [...candidate.how, 'point' as const] }
  const decision = { verdict, record, alternatives, isDoubtful: verdict === 'likely' }
  return { ...decision, levels: levelsOf(release, release.entity(record.name).definition, decision, []) }
}
