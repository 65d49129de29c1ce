// A selection out of the records of an entity: some of their fields, embedded records in full or by their identifiers, and facts.

import { isObject, valueAt } from '../../base/json.ts'
import type { Entity, OfficialCode } from '../../catalog/entity.ts'
import { type PublishedRecord, type PublishedValue, recordParser } from '../../catalog/flatten.ts'
import { derivedCodesOf } from '../../catalog/official-code.ts'
import { keyPathsOf, pathsOf, type RecordPath } from '../../catalog/paths.ts'
import { factReader, withMembers, withMemberText } from '../../release/facts.ts'
import { codeReader } from '../../release/official-codes.ts'
import type { OpenEntity, Release } from '../../release/release.ts'
import { inLanguage, isColumnIn, nameInstead, nameReplacer } from './shown-names.ts'

export type Selection = {
  /**
   * Dotted paths, none of them within another; undefined for all that is published. Their order is that of columns; in
   * JSON, fields stand in the order of the definition.
   */
  readonly fields: readonly string[] | undefined
  /** If true, facts are given too, where fields are not selected by name. */
  readonly facts: boolean
  /** The form of embedded records: in full, or by their keys. */
  readonly embed: 'full' | 'id'
  /** The only language that names are shown in; undefined for all. */
  readonly language?: string | undefined
  /** Names of numbers that stand after the fields of each record and are no fields of the entity; always given. */
  readonly added?: readonly string[]
}

export const isWhole = ({ fields, embed, language }: Selection): boolean =>
  fields === undefined && embed === 'full' && language === undefined

/** True if any fact is selected. */
const selectsFacts = (entity: Entity, { fields, facts }: Selection): boolean =>
  fields === undefined ? facts : fields.some((field) => entity.fields[field]?.kind === 'fact')

/**
 * Adds to the JSON of a record what of the selection is no part of it: facts, also as names in its language, official codes, and
 * members of the request's own.
 */
export function memberAdder(
  release: Release,
  entity: OpenEntity,
  selection: Selection,
  ownMembers?: (position: number) => object,
): (json: Uint8Array, position: number) => Uint8Array {
  const factsAt = selectsFacts(entity.definition, selection) ? factReader(entity) : undefined
  const codesAt = codeMembers(release, entity.definition, selection)
  const rename = selection.language === undefined ? undefined : renamer(release, entity, selection.language)
  if (factsAt === undefined && ownMembers === undefined && rename === undefined) return codesAt ?? ((json) => json)
  return (published, position) => {
    const json = rename === undefined ? published : rename(published, position)
    const known = factsAt === undefined ? json : withMembers(json, factsAt(position))
    const coded = codesAt === undefined ? known : codesAt(known, position)
    return ownMembers === undefined ? coded : withMembers(coded, ownMembers(position))
  }
}

/** Rewrites the JSON of a record with its names in a language, where those are no part of it; undefined where none is. */
function renamer(release: Release, entity: OpenEntity, language: string) {
  const replaceNames = nameReplacer(release, entity, language)
  const parse = recordParser(entity.definition)
  return (
    replaceNames &&
    ((json: Uint8Array, position: number): Uint8Array =>
      Buffer.from(JSON.stringify(replaceNames(parse(decoder.decode(json)) as PublishedRecord, position))))
  )
}

const decoder = new TextDecoder()

/** Every record that is given whole has its codes: their members are written as text, without an object for each. */
export function codeMembers(release: Release, entity: Entity, { fields }: Partial<Selection> = {}) {
  const codes = fields === undefined ? derivedCodesOf(entity) : fields.flatMap((field) => codeAt(entity, field) ?? [])
  if (codes.length === 0) return undefined
  const members = codes.map((code) => ({
    start: `,${JSON.stringify(code.name)}:`,
    read: codeReader(release, entity, code),
  }))
  return (json: Uint8Array, position: number): Uint8Array => {
    let text = ''
    for (const { start, read } of members) text += start + JSON.stringify(read(position) ?? null)
    return withMemberText(json, text)
  }
}

function codeAt(entity: Entity, path: string): OfficialCode | undefined {
  const field = pathsOf(entity).get(path)?.field
  return field?.kind === 'derived' ? field.code : undefined
}

type Shape = (record: PublishedRecord) => PublishedRecord

/** The selected fields, each with those of the record that it embeds; without any, that record is selected as a whole. */
type FieldTree = Map<string, FieldTree>

/** Reduces a record to the selection. */
export function shapeOf(entity: Entity, { fields, facts, embed, language, added = [] }: Selection): Shape {
  const given = Object.keys(entity.fields).filter((name) => facts || entity.fields[name]?.kind !== 'fact')
  const names = [...given, ...derivedCodesOf(entity).map(({ name }) => name)]
  const selected = fields?.map((field) => pathsOf(entity).get(field)?.steps ?? []) ?? names.map((name) => [name])
  const shapes: Shape[] = [treeShape(entity, fieldTree(selected), embed)]
  if (language !== undefined) shapes.push(inLanguage(entity, language))
  const shape: Shape = (record) => shapes.reduce((reduced, reduce) => reduce(reduced), record)
  if (added.length === 0) return shape
  return (record) => ({ ...shape(record), ...Object.fromEntries(added.map((name) => [name, record[name] as number])) })
}

function fieldTree(fields: readonly (readonly string[])[]): FieldTree {
  const tree: FieldTree = new Map()
  for (const steps of fields) {
    let level = tree
    for (const step of steps) level = level.getOrInsertComputed(step, () => new Map())
  }
  return tree
}

type Take = (value: PublishedValue | undefined) => PublishedValue | undefined

const asIs: Take = (value) => value

/** Takes something out of an embedded record, where there is one. */
const whereKnown =
  (take: (record: PublishedRecord) => PublishedValue): Take =>
  (value) =>
    value === null || value === undefined ? value : take(value as PublishedRecord)

function treeShape(entity: Entity, tree: FieldTree | undefined, embed: Selection['embed']): Shape {
  const parts = Object.entries(entity.fields)
    .filter(([name]) => tree === undefined || tree.has(name))
    .map(([name, field]): { readonly name: string; readonly take: Take } => {
      const inner = tree?.get(name)
      if (field.kind !== 'embed') return { name, take: asIs }
      if (inner !== undefined && inner.size > 0)
        return { name, take: whereKnown(treeShape(field.entity, inner, embed)) }
      return { name, take: embed === 'full' ? asIs : whereKnown((record) => keyIn(field.entity, record)) }
    })
  // Embedded records have no codes of their own, and none can be selected in them.
  const codes = derivedCodesOf(entity).filter(({ name }) => tree?.has(name) === true)
  for (const { name } of codes) parts.push({ name, take: asIs })
  return (record) => {
    const reduced: Record<string, PublishedValue> = {}
    for (const { name, take } of parts) reduced[name] = take(record[name]) as PublishedValue
    return reduced
  }
}

/** The key that stands for a record which is not given in full: a list where it has several values. */
export function keyIn(entity: Entity, record: PublishedRecord): PublishedValue {
  const values = keyPathsOf(entity).map(({ steps }) => valueAt(record, steps) as PublishedValue)
  return values.length === 1 ? (values[0] as PublishedValue) : values
}

/** A column of a table: the name in its head, and the way to its value. */
type Column = {
  readonly title: string
  readonly steps: readonly string[]
  /** The value out of the record that has the field, where that is not the value of the field alone. */
  readonly read?: ((record: PublishedRecord) => unknown) | undefined
}

/** The columns of a selection: in the order in which its fields are named, or else that of a record. */
export function columnsOf(entity: Entity, { fields, facts, embed, language, added = [] }: Selection): Column[] {
  const all = [...pathsOf(entity).values()]
  const paths =
    fields === undefined
      ? all.filter(({ field }) => facts || field.kind !== 'fact')
      : fields.flatMap((field) => all.filter(({ path }) => path === field || path.startsWith(`${field}.`)))
  // An embedded record with embed=id is one column, unless some of its own fields are selected.
  const opened = new Set(fields?.flatMap((field) => beginningsOf(field)) ?? [])
  const isOpened = ({ path }: RecordPath) => opened.has(path)
  const isClosed = ({ path }: RecordPath) =>
    embed === 'id' && beginningsOf(path).some((beginning) => pathsOf(entity).has(beginning) && !opened.has(beginning))
  const selected = paths.filter((path) => {
    if (isClosed(path)) return false
    if (language !== undefined && !isColumnIn(entity, path.steps, language)) return false
    return path.field.kind !== 'embed' || (embed === 'id' && !isOpened(path))
  })
  return [
    ...selected.map(({ steps }) => ({
      title: steps.join('.'),
      steps,
      read: language === undefined ? undefined : nameInstead(entity, steps, language),
    })),
    ...added.map((name) => ({ title: name, steps: [name] })),
  ]
}

/** Reads the values of the columns of a selection out of a record. */
export function columnValues(entity: Entity, selection: Selection): (record: PublishedRecord) => readonly unknown[] {
  const columns = columnsOf(entity, selection)
  // The columns of a whole record are its own values, and in one language others may stand in their place.
  const unnamed = { ...selection, language: undefined }
  const shape = isWhole(unnamed) ? undefined : shapeOf(entity, unnamed)
  return (record) => {
    const shaped = shape?.(record) ?? record
    return columns.map((column) => valueIn(shaped, column))
  }
}

function valueIn(record: PublishedRecord, { steps, read }: Column): unknown {
  if (read === undefined) return valueAt(record, steps)
  const owner = valueAt(record, steps.slice(0, -1))
  return isObject(owner) ? read(owner as PublishedRecord) : null
}

/** The paths of the records that a path goes through. */
const beginningsOf = (path: string): string[] => {
  const steps = path.split('.')
  return steps.slice(1).map((_, at) => steps.slice(0, at + 1).join('.'))
}
