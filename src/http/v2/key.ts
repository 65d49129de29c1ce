// How a record is named in a path of API v2: by its identifier, or by its official code.
import { MAX_ID } from '../../catalog/check.ts'
import { V2_PATH } from '../../catalog/collections.ts'
import { type EntityName, entities } from '../../catalog/entities.ts'
import type { Entity } from '../../catalog/entity.ts'
import type { PublishedRecord } from '../../catalog/flatten.ts'
import { ownerOf } from '../../catalog/lineage.ts'
import { type Filter, firstWhere } from '../../find/filter.ts'
import type { Release } from '../../release/release.ts'

const is = (steps: readonly string[], value: string | number): Filter => ({ steps, match: 'equals', values: [value] })

const wholeNumber = (text: string): number | undefined =>
  /^(?:0|[1-9][0-9]{0,9})$/.test(text) && Number(text) <= MAX_ID ? Number(text) : undefined

/** The last field of the key: the one that a path ends with. */
const ownKey = (entity: Entity) => entity.key.at(-1) as string

/** Parts of a code that has several, such as a state and the code of a municipality in it. */
const CODE_SEPARATOR = '-'

/** The fields of its code that a path has not said by naming its owner. */
export function codeFields(entity: Entity): readonly string[] {
  const owner = ownerOf(entity)?.field
  return entity.code.filter((field) => field !== owner)
}

export type By = 'id' | 'code'

/** What a record must be to be the one that is named; undefined when nothing could be named like that. */
export function namedBy(entity: Entity, by: By, name: string): Filter[] | undefined {
  if (by === 'id') {
    const id = wholeNumber(name)
    return id === undefined ? undefined : [is([ownKey(entity)], id)]
  }
  const fields = codeFields(entity)
  const parts = fields.length === 1 ? [name] : name.split(CODE_SEPARATOR)
  if (parts.length !== fields.length || parts.includes('')) return undefined
  return fields.map((field, at) => codePart(entity, field, parts[at] as string))
}

/** A record that a code begins with is named by its identifier or by its own code. */
function codePart(entity: Entity, field: string, part: string): Filter {
  const definition = entity.fields[field]
  if (definition?.kind !== 'embed') return is([field], part)
  const id = wholeNumber(part)
  const [code = ''] = definition.entity.code
  return id === undefined ? is([field, code], part) : is([field], id)
}

/** The position of the first record that is as named. */
export const positionOf = (release: Release, name: EntityName, filters: readonly Filter[]): number | undefined =>
  firstWhere(release, entities[name], filters)

/** The path of a record. */
export function pathOf(name: EntityName, record: PublishedRecord): string {
  const entity: Entity = entities[name]
  const owner = ownerOf(entity)
  const own = `${entity.plural}/${record[ownKey(entity)]}`
  if (owner === undefined) return `${V2_PATH}/${own}`
  const above = record[owner.field] as PublishedRecord
  return `${V2_PATH}/${owner.entity.plural}/${above[ownKey(owner.entity)]}/${own}`
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
