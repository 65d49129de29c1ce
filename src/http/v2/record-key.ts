// How a record is identified in API v2: by its identifier or its official code in a path, by its key in a body.
import { MAX_ID } from '../../catalog/check.ts'
import { V2_PATH } from '../../catalog/collections.ts'
import type { Entity } from '../../catalog/entity.ts'
import type { PublishedRecord } from '../../catalog/flatten.ts'
import { ownerOf } from '../../catalog/lineage.ts'
import { type Filter, firstWhere } from '../../find/filter.ts'
import type { Release } from '../../release/release.ts'
import { parseWholeNumber } from '../../whole-number.ts'
import { ProblemError } from '../problem.ts'
import { type ParentInPath, recordTemplate } from './paths.ts'
import type { RecordRequest } from './request.ts'

/** The position of the record that a path names. */
export function findRecord(release: Release, { entity, name, parent, by }: RecordRequest): number {
  // A record that is numbered within its parent is not identified by its number alone.
  const isComplete = parent !== undefined || ownerOf(entity) === undefined
  const within = parent === undefined ? [] : filterWithin(parent)
  const own = by === 'id' ? idFilter(entity, name) : codeFilters(entity, name)
  const position = isComplete && within && own ? firstWhere(release, entity, [...within, ...own]) : undefined
  if (position === undefined) throw recordNotFound(entity)
  return position
}

/** The filter for the records below a parent, which must be there. */
export function findParent(release: Release, parent: ParentInPath): readonly Filter[] {
  const own = idFilter(parent.entity, parent.id)
  const within = filterWithin(parent)
  if (own === undefined || within === undefined || firstWhere(release, parent.entity, own) === undefined)
    throw recordNotFound(parent.entity)
  return within
}

const recordNotFound = (entity: Entity) =>
  new ProblemError({
    kind: 'record-not-found',
    what: `${entity.name} at this path`,
    hint: `Records are at ${recordTemplate(entity)}, or by official code with ?by=code.`,
  })

const equals = (steps: readonly string[], value: string | number): Filter => ({
  steps,
  match: 'equals',
  values: [value],
})

// Each of these is undefined for a text that identifies no record, whichever records there are.

function filterWithin({ id, steps }: ParentInPath): readonly Filter[] | undefined {
  const number = identifier(id)
  return number === undefined ? undefined : [equals(steps, number)]
}

function idFilter(entity: Entity, id: string): readonly Filter[] | undefined {
  const number = identifier(id)
  return number === undefined ? undefined : [equals([ownKey(entity)], number)]
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

/** The fields of its code, but for the owner, which the path has named before. */
function codeFields(entity: Entity): readonly string[] {
  const owner = ownerOf(entity)?.field
  return entity.code.filter((field) => field !== owner)
}

/** Where a part of a code is a record, it is given by its identifier or by its own code. */
function codePartFilter(entity: Entity, field: string, part: string): Filter {
  const definition = entity.fields[field]
  if (definition?.kind !== 'embed') return equals([field], part)
  const id = identifier(part)
  const [code = ''] = definition.entity.code
  return id === undefined ? equals([field, code], part) : equals([field], id)
}

/** The last field of the key, which the path of a record ends with. */
const ownKey = (entity: Entity) => entity.key.at(-1) as string

/** The path of a record. */
export function recordPath(entity: Entity, record: PublishedRecord): string {
  const owner = ownerOf(entity)
  const own = `${entity.plural}/${record[ownKey(entity)]}`
  if (owner === undefined) return `${V2_PATH}/${own}`
  const parent = record[owner.field] as PublishedRecord
  return `${V2_PATH}/${owner.entity.plural}/${parent[ownKey(owner.entity)]}/${own}`
}

/** The values of its key, by field; an embedded record by its identifier. */
export function keyOf(entity: Entity, record: PublishedRecord): Record<string, string | number> {
  return Object.fromEntries(
    entity.key.map((field) => {
      const value = record[field] as PublishedRecord[string]
      const definition = entity.fields[field]
      const isRecord = definition?.kind === 'embed' && typeof value === 'object'
      return [field, (isRecord ? value[ownKey(definition.entity)] : value) as string | number]
    }),
  )
}
