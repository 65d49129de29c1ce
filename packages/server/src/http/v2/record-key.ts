// How a record is identified in API v2: by its identifier or its official code in a path, by its key in a body.

import { parseWholeNumber } from '../../base/whole-number.ts'
import { MAX_ID } from '../../catalog/check.ts'
import { type Entity, identifierOf } from '../../catalog/entity.ts'
import { identityIn, type PublishedRecord } from '../../catalog/flatten.ts'
import { ownerOf } from '../../catalog/lineage.ts'
import { type Filter, firstWhere } from '../../query/filter.ts'
import type { Column } from '../../release/index/index-file.ts'
import type { Release } from '../../release/release.ts'
import { ProblemError } from '../problem.ts'
import { V2_PATH } from '../routes.ts'
import type { RECORD_NAMED_BY } from './parameter-definitions.ts'
import { type CatalogRoute, type ParentInPath, recordTemplate } from './paths.ts'

/** Whether a record is named by its identifier or by its official code. */
export type NamedBy = (typeof RECORD_NAMED_BY)[number]

type NamedRecord = Extract<CatalogRoute, { readonly kind: 'record' }> & { readonly by: NamedBy }

/** The position of the record that a path names. */
export function findRecord(release: Release, { entity, name, parent, by }: NamedRecord): number {
  // A record that is numbered within its parent is not identified by its number alone.
  const isComplete = parent !== undefined || ownerOf(entity) === undefined
  const within = parent === undefined ? [] : filterBelow(release, parent, by)
  const filters = filtersFor(entity, name, by)
  const position = isComplete && within && filters ? firstWhere(release, entity, [...within, ...filters]) : undefined
  if (position === undefined) throw recordNotFound(entity)
  return position
}

/** With by=code, the parent of a record is named like a record in a code: by its identifier or by its own code. */
function filterBelow(release: Release, { entity, name, steps }: ParentInPath, by: NamedBy) {
  const id = identifier(name) ?? (by === 'code' ? identifierNamed(release, entity, name, 'code') : undefined)
  return id === undefined ? undefined : [equals(steps, id)]
}

/** The identifier of a parent, which must be there. */
export function findParent(release: Release, { entity, name }: ParentInPath, by: NamedBy): number {
  const id = identifierNamed(release, entity, name, by)
  if (id === undefined) throw recordNotFound(entity)
  return id
}

export const isBelow = ({ steps }: Pick<ParentInPath, 'steps'>, id: number): Filter => equals(steps, id)

/** The identifier of the record that a text names; undefined where there is none. */
export function identifierNamed(release: Release, entity: Entity, name: string, by: NamedBy): number | undefined {
  const filters = filtersFor(entity, name, by)
  const position = filters && firstWhere(release, entity, filters)
  if (position === undefined) return undefined
  const { definition, index } = release.entity(entity.name)
  return numberAt(index.column(identifierOf(definition)), position)
}

function numberAt(column: Column, position: number): number {
  if (column.kind !== 'number') throw new Error('an identifier is a number')
  return column.numbers[column.values[position] as number] as number
}

const filtersFor = (entity: Entity, name: string, by: NamedBy): readonly Filter[] | undefined =>
  by === 'id' ? idFilter(entity, name) : codeFilters(entity, name)

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

/** The fields of the code of an entity, but for the owner, which the path has named before. */
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
  const path = `${entity.plural}/${record[ownKey(entity)]}`
  if (owner === undefined) return `${V2_PATH}/${path}`
  const parent = record[owner.field] as PublishedRecord
  return `${V2_PATH}/${owner.entity.plural}/${parent[ownKey(owner.entity)]}/${path}`
}

/** The values of the key of a record, by field; an embedded record by its identifier. */
export function keyOf(entity: Entity, record: PublishedRecord): Record<string, string | number> {
  return Object.fromEntries(
    entity.key.map((field) => {
      const value = record[field] as PublishedRecord[string]
      const definition = entity.fields[field]
      const isRecord = definition?.kind === 'embed' && typeof value === 'object'
      return [field, isRecord ? identityIn(definition.entity, value as PublishedRecord) : (value as string | number)]
    }),
  )
}
