// Identifies a record in API v2: by its identifier or its official code in a path, by its key in a body.
import { keySegment, V2_PATH } from '../../base/api-v2.ts'
import { valueAt } from '../../base/json.ts'
import { parseWholeNumber } from '../../base/whole-number.ts'
import { MAX_ID } from '../../catalog/check.ts'
import type { Entity, Identity } from '../../catalog/entity.ts'
import type { PublishedRecord, PublishedValue } from '../../catalog/flatten.ts'
import { ownerOf } from '../../catalog/lineage.ts'
import { keyPathsOf } from '../../catalog/paths.ts'
import { type Filter, firstWhere, keyFilters } from '../../query/filter.ts'
import { keyIn } from '../../query/formats/selection.ts'
import { treeOf } from '../../query/tree.ts'
import { recordsCoded } from '../../release/aliases.ts'
import { codeLookups, codeReader, positionsWithCode } from '../../release/official-codes.ts'
import type { Release } from '../../release/release.ts'
import { ProblemError } from '../problem.ts'

import type { NamedBy, NameInPath } from './key-text.ts'
import { type ParentInPath, type RecordRoute, recordTemplate } from './record-paths.ts'

import { NO_WORK, type Work } from './work.ts'

/** By default, a text that can be no identifier is a code. */
type MaybeNamedBy = NamedBy | undefined

type RecordAddress = RecordRoute & { readonly by: MaybeNamedBy }

/** The position of the record that a path names, which must exist. */
export function findRecord(release: Release, address: RecordAddress): number {
  const position = positionAt(release, address)
  if (position === undefined) throw recordNotFound(release, address.entity, address)
  return position
}

/** The position of the record that a path names; undefined if there is none. */
export function positionAt(release: Release, { entity, parent, by, ...named }: RecordAddress): number | undefined {
  // A record that is numbered within its parent is not identified by its number alone.
  const alone = ownerOf(entity) === undefined ? named : { ...named, key: undefined }
  return parent === undefined
    ? positionNamed(release, entity, alone, by)
    : positionWithin(release, entity, named, parent, by)
}

/** The path of the record that had the code in a path at which there is none, with its code of today. */
export function pathOfToday(release: Release, address: RecordAddress): string {
  const { entity, parent, by, name } = address
  const isAlone = parent === undefined && ownerOf(entity) !== undefined
  const mayBeCode = by === 'code' || (by === undefined && (isAlone || identifier(name) === undefined))
  const owner = parent && positionOfParent(release, parent, by)
  if (!mayBeCode || (parent !== undefined && owner === undefined)) throw recordNotFound(release, entity, address)
  const { positions, former } = recordsCoded(release, entity, name.replace(SIGNS_IN_CODES, ''), owner)
  if (former === undefined) throw recordNotFound(release, entity, address)
  return `${V2_PATH}/${entity.plural}/${encodeURIComponent(codeReader(release, entity)(positions[0] as number) ?? '')}`
}

/** The position of a record that a path names after its owner. */
function positionWithin(release: Release, entity: Entity, named: NameInPath, parent: ParentInPath, by: MaybeNamedBy) {
  const owner = positionOfParent(release, parent, by)
  if (owner === undefined) return undefined
  const within: Filter = { steps: parent.steps, match: 'record', values: [owner] }
  const number = by === 'code' ? undefined : identifier(named.name)
  if (number !== undefined) return firstWhere(release, entity, [within, equals([ownKey(entity)], number)])
  const filters = by === 'id' ? undefined : codeFilters(entity, named.name)
  const position = filters && firstWhere(release, entity, [within, ...filters])
  if (position !== undefined || by === 'id') return position
  const { values } = release.entity(entity.name).index.column(parent.steps[0] as string)
  return positionsByCode(release, entity, named.name).find((one) => values[one] === owner)
}

/** With by=code, the parent of a record is named like a record in a code: by its identifier or by its own code. */
const positionOfParent = (release: Release, { entity, ...named }: ParentInPath, by: MaybeNamedBy) =>
  by === 'code'
    ? (positionNamed(release, entity, named, 'id') ?? positionNamed(release, entity, named, 'code'))
    : positionNamed(release, entity, named, by)

const LOOKUP_MICROSECONDS = 3

/** The work of finding a record by its name: as a code it can be read in many ways. */
export function namingWork(entity: Entity, { name, key }: NameInPath, by: MaybeNamedBy): Work {
  const isKey = by === undefined && ownerOf(entity) === undefined && key !== undefined && keyValues(entity, key)
  return by === 'id' || isKey ? NO_WORK : { fixed: codeLookups(entity, name) * LOOKUP_MICROSECONDS }
}

/** The position of a record that a path names, which must exist. */
export function findNamed(release: Release, entity: Entity, named: NameInPath, by: MaybeNamedBy): number {
  const position = positionNamed(release, entity, named, by)
  if (position === undefined) throw recordNotFound(release, entity, named)
  return position
}

/** Selects the records that embed one; if that is in a tree, also those that embed one below it. */
export const isBelow = (
  release: Release,
  { entity, steps }: Pick<ParentInPath, 'entity' | 'steps'>,
  position: number,
): Filter => ({
  steps,
  match: treeOf(release.entity(entity.name)) === undefined ? 'record' : 'below',
  values: [position],
})

/** The position of the record with a name; undefined if there is none. */
export function positionNamed(
  release: Release,
  entity: Entity,
  { name, key }: NameInPath,
  by: MaybeNamedBy,
): number | undefined {
  const filters = by === 'code' ? undefined : filtersByKey(entity, key)
  if (filters !== undefined || by === 'id') return filters && firstWhere(release, entity, filters)
  return positionsByCode(release, entity, name)[0]
}

/** Signs that people write between the parts of a code, though they are no part of it. */
const SIGNS_IN_CODES = /[\s./-]+/g

/** The positions of the records with an official code: as it is, as its parts with hyphens between, or with such signs in it. */
function positionsByCode(release: Release, entity: Entity, text: string): readonly number[] {
  const exact = positionsWithCode(release, entity, text)
  if (exact.length > 0) return exact
  const filters = ownerOf(entity) === undefined ? codeFilters(entity, text) : undefined
  const position = filters && firstWhere(release, entity, filters)
  if (position !== undefined) return [position]
  const plain = text.replace(SIGNS_IN_CODES, '')
  return plain === text ? [] : positionsWithCode(release, entity, plain)
}

function recordNotFound(release: Release, entity: Entity, { name }: NameInPath): ProblemError {
  const isCode = positionsByCode(release, entity, name).length > 0
  return new ProblemError({
    kind: 'record-not-found',
    what: `${entity.name} at this path`,
    hint: isCode
      ? `${name} is the official code of a record: add by=code to the query.`
      : `Records are at ${recordTemplate(entity)}, or by official code with ?by=code.`,
  })
}

const equals = (steps: readonly string[], value: string | number): Filter => ({
  steps,
  match: 'equals',
  values: [value],
})

// Each of these is undefined for a text that identifies no record, whichever records there are.

function filtersByKey(entity: Entity, key: readonly string[] | undefined): readonly Filter[] | undefined {
  const values = key && keyValues(entity, key)
  return values && keyFilters(entity, values)
}

/** The values of a key out of texts, as many as it has. */
export function keyValues(entity: Entity, texts: readonly string[]): Identity[] | undefined {
  const paths = keyPathsOf(entity)
  if (texts.length !== paths.length) return undefined
  const values = paths.flatMap(({ numeric }, at) => {
    const text = texts[at] as string
    return (numeric ? identifier(text) : text === '' ? undefined : text) ?? []
  })
  return values.length === paths.length ? values : undefined
}

const identifier = (text: string): number | undefined => parseWholeNumber(text, { max: MAX_ID })

/** Between the parts of a code that has several, such as a state and the code of a municipality in it. */
const CODE_SEPARATOR = '-'

function codeFilters(entity: Entity, code: string): readonly Filter[] | undefined {
  const fields = codeFields(entity)
  const parts = fields.length === 1 ? [code] : code.split(CODE_SEPARATOR)
  if (parts.length !== fields.length || parts.includes('')) return undefined
  return fields.map((field, index) => codePartFilter(entity, field, parts[index] as string))
}

/** The fields of the code of an entity, but for the owner, which the path has named before. */
function codeFields(entity: Entity): readonly string[] {
  const owner = ownerOf(entity)?.field
  return entity.code.filter((field) => field !== owner)
}

/** A part of a code that is a record is given by its identifier or by its own code. */
function codePartFilter(entity: Entity, field: string, part: string): Filter {
  const definition = entity.fields[field]
  const id = identifier(part)
  if (definition?.kind === 'id') return equals([field], id ?? -1)
  if (definition?.kind !== 'embed') return equals([field], part)
  const [only, ...more] = keyPathsOf(definition.entity)
  const [code = ''] = definition.entity.code
  if (more.length === 0 && only?.numeric === false) return equals([field], part)
  return id === undefined || more.length > 0 ? equals([field, code], part) : equals([field], id)
}

/** The last field of the key, which the path of a record ends with. */
const ownKey = (entity: Entity) => entity.key.at(-1) as string

/** The path of a record. */
export function recordPath(entity: Entity, record: PublishedRecord): string {
  const owner = ownerOf(entity)
  const values = keyPathsOf(entity).map(({ steps }) => valueAt(record, steps) as Identity)
  if (owner === undefined) return `${V2_PATH}/${entity.plural}/${keySegment(values)}`
  const [first, last] = values.map((value) => keySegment([value]))
  return `${V2_PATH}/${owner.entity.plural}/${first}/${entity.plural}/${last}`
}

/** The values of the key of a record, by field; for an embedded record its own key, in a list if that has several values. */
export function keyOf(entity: Entity, record: PublishedRecord): Record<string, KeyValue> {
  return Object.fromEntries(
    entity.key.map((field) => {
      const value = record[field] as PublishedValue
      const definition = entity.fields[field]
      const isRecord = definition?.kind === 'embed' && typeof value === 'object' && value !== null
      return [field, (isRecord ? keyIn(definition.entity, value as PublishedRecord) : value) as KeyValue]
    }),
  )
}

type KeyValue = Identity | readonly Identity[]
