// Records as JSON, newline-delimited JSON or CSV, whole or in part.
import { type Entity, identifierOf } from '../catalog/entity.ts'
import type { PublishedRecord } from '../catalog/flatten.ts'
import { type FieldPath, pathsOf } from '../catalog/paths.ts'
import { factReader, withMembers } from '../release/facts.ts'
import type { OpenEntity } from '../release/release.ts'
import { spreadsheetCell } from '../source/tabular/csv.ts'

export const FORMATS = ['json', 'ndjson', 'csv'] as const
export type Format = (typeof FORMATS)[number]

export const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
}

export type Rendition = Selection & { readonly format: Format }

const decoder = new TextDecoder()

/** Renders records out of the JSON in which they are published. */
type RecordEncoder = {
  /** Before the first record. */
  readonly head: Uint8Array
  /** Some records and what separates them, in chunks. */
  readonly records: (jsons: readonly Uint8Array[]) => readonly Uint8Array[]
  /** Between these records and further ones. */
  readonly gap: Uint8Array
  /** After the last record, or after the head where there is none. */
  readonly tail: Uint8Array
}

const text = (value: string) => Buffer.from(value)
const NOTHING = new Uint8Array()

export function recordEncoder(entity: Entity, rendition: Rendition): RecordEncoder {
  if (rendition.format === 'csv') return csvEncoder(entity, rendition)
  const isJson = rendition.format === 'json'
  const [between, after] = isJson ? [',', ''] : ['\n', '\n']
  const records = isWhole(rendition)
    ? (jsons: readonly Uint8Array[]) => spaced(jsons, between, after)
    : reshaper(shapeOf(entity, rendition), between, after)
  return isJson
    ? { head: text('['), records, gap: text(','), tail: text(']') }
    : { head: NOTHING, records, gap: NOTHING, tail: NOTHING }
}

function csvEncoder(entity: Entity, rendition: Rendition): RecordEncoder {
  const row = csvRow(entity, rendition)
  const shape = shapeOf(entity, rendition)
  // The columns of a whole record are its own values.
  const rowOf = isWhole(rendition) ? row : (record: PublishedRecord) => row(shape(record))
  const records = (jsons: readonly Uint8Array[]) => {
    let rows = ''
    for (const record of parsed(jsons)) rows += rowOf(record)
    return [text(rows)]
  }
  return { head: text(csvHead(entity, rendition)), records, gap: NOTHING, tail: NOTHING }
}

const reshaper = (shape: Shape, between: string, after: string) => (jsons: readonly Uint8Array[]) => {
  const texts = parsed(jsons).map((record) => JSON.stringify(shape(record)))
  return texts.length === 0 ? [] : [text(`${texts.join(between)}${after}`)]
}

const OPENING = text('[')

/** Parsed together: many short texts take longer than one that is as long as all of them. */
const parsed = (jsons: readonly Uint8Array[]): PublishedRecord[] =>
  jsons.length === 0 ? [] : JSON.parse(decoder.decode(Buffer.concat([OPENING, ...spaced(jsons, ',', ']')])))

/** Records as values, reduced to the selection. */
export function selectedRecords(
  entity: Entity,
  selection: Selection,
  jsons: readonly Uint8Array[],
): readonly PublishedRecord[] {
  const records = parsed(jsons)
  return isWhole(selection) ? records : records.map(shapeOf(entity, selection))
}

/** The JSON of records, with separators between them. */
function spaced(jsons: readonly Uint8Array[], between: string, after: string): readonly Uint8Array[] {
  if (jsons.length === 0 || (jsons.length === 1 && after === '')) return jsons
  const gap = text(between)
  const chunks: Uint8Array[] = []
  for (const json of jsons) chunks.push(json, gap)
  chunks[chunks.length - 1] = text(after)
  return chunks
}

/** The whole body at once, for as many records as a page has. */
export const bodyOf = ({ head, records, tail }: RecordEncoder, jsons: readonly Uint8Array[]): Uint8Array =>
  Buffer.concat([head, ...records(jsons), tail])

// A selection out of a record: some of its fields, and embedded records in full or by their identifiers.

export type Selection = {
  /**
   * Dotted paths, none of them within another; undefined for all that is published. Their order is that of the columns of
   * CSV; in JSON, fields stand in the order of the definition.
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
function shapeOf(entity: Entity, { fields, facts, embed, added = [] }: Selection): Shape {
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

// Lines of CSV (RFC 4180): embedded records flattened into dotted columns, safe to open in a spreadsheet.

const END = '\r\n'

function csvCell(value: string | number | null): string {
  if (value === null) return ''
  return typeof value === 'number' ? String(value) : spreadsheetCell(value)
}

/** The paths of the columns of a selection: in the order in which its fields are named, or else that of a record. */
function csvColumns(
  entity: Entity,
  { fields, facts, embed, added = [] }: Selection,
): Pick<FieldPath, 'path' | 'steps'>[] {
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

const csvHead = (entity: Entity, rendition: Selection): string =>
  csvColumns(entity, rendition)
    .map(({ path }) => path)
    .join(',') + END

/** For records that have been reduced to the selection. */
function csvRow(entity: Entity, rendition: Selection): (record: PublishedRecord) => string {
  const columns = csvColumns(entity, rendition)
  return (record) => {
    let cells = ''
    for (const [at, { steps }] of columns.entries()) cells += (at === 0 ? '' : ',') + csvCell(valueAt(record, steps))
    return cells + END
  }
}

function valueAt(record: PublishedRecord, steps: readonly string[]): string | number | null {
  let value: PublishedRecord[string] = record
  for (const step of steps) value = (value as PublishedRecord)[step] as PublishedRecord[string]
  return value as string | number | null
}
