// INEGI's web service of geostatistical codes, as programs call it: states, municipalities, localities and settlements by official code.
import { checkpoint } from '../../base/checkpoint.ts'
import { memoized } from '../../base/memoized.ts'
import { type Entity, nameFieldOf } from '../../catalog/entity.ts'
import { pathTo } from '../../catalog/lineage.ts'
import { usualCodeOf } from '../../catalog/official-code.ts'
import { wordsOf } from '../../catalog/words.ts'
import { find, type Query } from '../../query/finder.ts'
import { featureCollection, geometryReader } from '../../query/formats/geojson.ts'
import type { IndexColumn } from '../../release/index/index-file.ts'
import { codeReader, positionsWithCode } from '../../release/official-codes.ts'
import type { Release } from '../../release/release.ts'
import { type HttpRequest, type HttpResponse, isRead } from '../exchange.ts'
import { otherMethod, withoutSlash } from '../methods.ts'
import { ProblemError } from '../problem.ts'
import { WSCATGEO_PATH } from '../routes.ts'
import { howToImport } from '../v2/boundary-filters.ts'
import { percentDecoded } from '../v2/key-text.ts'
import { isBelow } from '../v2/record-key.ts'
import { jsonResponse, responseHead, textResponse } from '../v2/response.ts'
import { LISTS, localities, WIDTHS, type WscatgeoList, type WscatgeoPlace } from './tables.ts'

const V2 = 'v2'
const SHAPES = 'geo'
const SEARCH = 'buscar'
/** Records that a search finds at most. */
const MAX_FOUND = 1_000
/** Records that a list has at most; no municipality of Mexico has half as many localities. */
const MAX_LISTED = 10_000
/** A longer text is in no name. */
const MAX_CHARACTERS = 100
const UNKNOWN = '-'
/** The length of a date without its time. */
const DATE_CHARACTERS = 10
/** The locality that INEGI numbers first is the seat of nearly every municipality. */
const USUAL_SEAT = '0001'

/** A query is ignored: programs add one against caches. */
export function respondWscatgeo(release: Release, request: HttpRequest): HttpResponse {
  const [first = '', ...more] = withoutSlash(request.path.slice(WSCATGEO_PATH.length + 1)).split('/')
  const isV2 = first === V2
  const [segment = '', ...rest] = isV2 ? more : [first, ...more]
  const list = LISTS.get(segment === SHAPES ? (rest[0] ?? '') : segment)
  if (list === undefined) throw new ProblemError({ kind: 'not-found', known: knownPaths })
  if (!isRead(request)) return otherMethod(request)
  const entity = release.catalog.collections.get(list.collection)
  if (segment === SHAPES) return respondShapes(release, request, entity, list, rest.slice(1))
  const positions = entity === undefined ? [] : positionsFor(release, entity, list, rest)
  const datos = entity === undefined ? [] : rowsOf(release, entity, list, positions, isV2)
  const answer = { datos, metadatos: originOf(release, entity), numReg: datos.length }
  const chosen = { release, isNamed: false }
  if (datos.length > 0) return jsonResponse(request, chosen, answer)
  const head = responseHead(chosen, { format: 'json', encoding: undefined }, undefined)
  return { status: 404, head, body: Buffer.from(JSON.stringify(answer)) }
}

const knownPaths = [...LISTS.keys()].flatMap((list) => [`${WSCATGEO_PATH}/${V2}/${list}`, `${WSCATGEO_PATH}/${list}`])

/** Features with the fields of the records that the segments mean: a single one has all corners of its shape. */
function respondShapes(
  release: Release,
  request: HttpRequest,
  entity: Entity | undefined,
  list: WscatgeoList,
  segments: readonly string[],
): HttpResponse {
  const has = entity !== undefined && release.entity(entity.name).boundaries('full') !== undefined
  const positions = has ? [...positionsFor(release, entity, list, segments)] : []
  if (!has || positions.length === 0) throw noShapes(list, has)
  const geometryAt = geometryReader(release, entity, positions.length === 1 ? 'full' : 'screen')
  const rows = rowsOf(release, entity, list, positions, true)
  const features = rows.map((row, at) => [geometryAt(positions[at] as number), row] as const)
  return textResponse(request, { release, isNamed: false }, featureCollection(features), 'geojson')
}

const noShapes = ({ collection }: WscatgeoList, hasBoundaries: boolean) =>
  new ProblemError({
    kind: 'record-not-found',
    what: 'boundary of this place here',
    hint: hasBoundaries ? 'No record has this key.' : `This server needs ${howToImport(collection)}.`,
  })

/** The positions of the records that the segments after a list mean: a text to search for, or a code, whole or in its parts. */
function positionsFor(
  release: Release,
  entity: Entity,
  { digits, above }: WscatgeoList,
  segments: readonly string[],
): Iterable<number> {
  const [first, text = ''] = segments
  if (first === SEARCH) return segments.length > 2 ? [] : positionsNamed(release, entity, percentDecoded(text) ?? '')
  if (segments.length > 1 && !segments.every((part, at) => part.length === WIDTHS[at])) return []
  const code = segments.join('')
  if (code.length === digits) return withCode(release, entity, code)
  if (above === undefined) return segments.length > 0 ? [] : positionsOf(release, entity, { filters: [] }, MAX_LISTED)
  const parent = code.length === above.digits ? release.catalog.collections.get(above.collection) : undefined
  const [position] = parent === undefined ? [] : withCode(release, parent, code)
  return parent === undefined || position === undefined ? [] : positionsBelow(release, entity, parent, position)
}

function positionsBelow(release: Release, entity: Entity, parent: Entity, position: number): Uint32Array {
  const way = pathTo(entity, parent)
  if (way === undefined) return new Uint32Array()
  const filters = [isBelow(release, { entity: parent, steps: way.steps }, position)]
  return positionsOf(release, entity, { filters }, MAX_LISTED)
}

const withCode = (release: Release, entity: Entity, code: string) =>
  positionsWithCode(release, entity, code, usualCodeOf(entity)).slice(0, 1)

function positionsNamed(release: Release, entity: Entity, text: string): Iterable<number> {
  const words = text.length > MAX_CHARACTERS ? [] : wordsOf(text)
  return words.length === 0 ? [] : positionsOf(release, entity, { filters: [], words }, MAX_FOUND)
}

const positionsOf = (
  release: Release,
  { name }: Entity,
  query: Pick<Query, 'filters'> & { readonly words?: readonly string[] },
  max: number,
) => find(release, name, { words: [], sorts: [], ...query }).slice(0, max)

type Row = Readonly<Record<string, string>>

/** The fields of the records at some positions, all of them texts. */
function rowsOf(
  release: Release,
  entity: Entity,
  { fields }: WscatgeoList,
  positions: Iterable<number>,
  isV2: boolean,
): Row[] {
  const placeAt = placeReader(release, entity)
  return Array.from(positions, (position) => {
    checkpoint()
    const place = placeAt(position)
    const row: Record<string, string> = {}
    for (const [v2, before, read] of fields) {
      const name = isV2 ? v2 : before
      if (name !== undefined) row[name] = String(read(place) ?? UNKNOWN)
    }
    return row
  })
}

/** Fields are read out of their columns: a list of whole records would cost twice as much to parse. */
function placeReader(release: Release, entity: Entity): (position: number) => WscatgeoPlace {
  const codeAt = codeReader(release, entity)
  const { index } = release.entity(entity.name)
  const columns = new Map<string, IndexColumn | undefined>()
  const valueAt = (field: string, position: number) => {
    const isField = Object.hasOwn(entity.fields, field)
    return columnValue(
      columns.getOrInsertComputed(field, () => (isField ? index.column(field) : undefined)),
      position,
    )
  }
  const nameField = nameFieldOf(entity)
  return (position) => {
    const code = codeAt(position)
    const value = (field: string) => valueAt(field, position)
    const seat = () => seatOf(release, entity, position, String(value('cabecera') ?? USUAL_SEAT))
    return { code, name: valueAt(nameField, position), value, seat }
  }
}

function columnValue(column: IndexColumn | undefined, position: number): string | number | undefined {
  if (column === undefined || column.kind === 'embed') return undefined
  const value = column.values[position] as number
  if (column.kind === 'text') return column.texts.text(value) || undefined
  return column.kind === 'number' ? column.numbers[value] : column.known[value]
}

/** The positions of seats by their codes, found once. */
const seatsIn = memoized((_: Release) => new Map<string, number | undefined>())

/** The seat is nearly always the first of the places of a municipality, so they are gone through. */
function seatOf(release: Release, municipality: Entity, at: number, code: string): ReturnType<WscatgeoPlace['seat']> {
  const entity = release.catalog.collections.get(localities.collection)
  const codeAt = entity && codeReader(release, entity)
  const wanted = `${codeReader(release, municipality)(at) ?? ''}${code}`
  const position = seatsIn(release).getOrInsertComputed(
    wanted,
    () => entity && positionsBelow(release, entity, municipality, at).find((one) => codeAt?.(one) === wanted),
  )
  if (entity === undefined || position === undefined) return { code, name: undefined }
  return { code, name: columnValue(release.entity(entity.name).index.column(nameFieldOf(entity)), position) }
}

/**
 * The source of the records and the date of the release, under the first name that programs read. Where only other lists are
 * credited, the last import was of those.
 */
function originOf({ manifest: { source, built } }: Release, entity: Entity | undefined): Row {
  const credits = source.credits.filter(({ of }) => entity !== undefined && of.includes(entity.name))
  const sources = source.credits.length === 0 ? [source.title] : credits.map(({ to }) => to)
  return {
    Fuente_informacion_estadistica: sources.join('; ') || UNKNOWN,
    Fecha_actualizacion: built.slice(0, DATE_CHARACTERS),
  }
}
