// The properties of the reconciliation protocol, derived from the definitions: the parts of a record, such as `estado`,
// which are records themselves, and its fields with those of its ancestors, such as `poblacion` and `estado.cveEstado`.
import { memoized } from '../../base/memoized.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Entity, Field } from '../../catalog/entity.ts'
import { lineageOf } from '../../catalog/lineage.ts'
import { derivedCodesOf } from '../../catalog/official-code.ts'
import { factReader } from '../../release/facts.ts'
import { codeReader } from '../../release/official-codes.ts'
import type { Release } from '../../release/release.ts'
import { type EntityRecord, embeddedAncestors } from '../v2/record-summary.ts'
import { entityId, findEntity, nameOf, type RecordPlace, recordAt } from './entity.ts'

export type Property = {
  /** The identifier is its name, too: clients call a new column so. */
  readonly id: string
  readonly description: string
  /** The entity whose record or field it is: that of the record, or one of its ancestors. */
  readonly owner: Entity
  /** Undefined for the record itself. */
  readonly field: string | undefined
}

/** A value as a response has it. */
export type PropertyValue =
  | { readonly id: string; readonly name: string }
  | { readonly str: string }
  | { readonly int: number }
  | { readonly float: number }
  | { readonly bool: boolean }
  | { readonly date: string }

/** The properties of the records of an entity: its parts, its own fields, those of its ancestors. */
export const propertiesOf = memoized((entity: Entity): ReadonlyMap<string, Property> => {
  const [, ...ancestors] = lineageOf(entity)
  const properties = [
    ...[...ancestors, entity].map(partOf),
    ...fieldsOf(entity, ''),
    ...ancestors.flatMap((ancestor) => fieldsOf(ancestor, `${ancestor.name}.`)),
  ]
  return new Map(properties.map((property) => [property.id, property]))
})

const partOf = (entity: Entity): Property => ({
  id: entity.name,
  description: `a record of ${entity.plural}`,
  owner: entity,
  field: undefined,
})

/** An embedded record is a part, and has its own fields; official codes are like fields. */
const fieldsOf = (entity: Entity, prefix: string): Property[] => {
  const fields = Object.entries(entity.fields).flatMap(([field, { kind, description }]) =>
    kind === 'embed' ? [] : { field, description },
  )
  const codes = derivedCodesOf(entity).map(({ name, description }) => ({ field: name, description }))
  return [...fields, ...codes].map((one) => ({ id: `${prefix}${one.field}`, owner: entity, ...one }))
}

/** The properties of all records. A property of several entities has all their descriptions. */
export const allProperties = memoized((catalog: Catalog): ReadonlyMap<string, Property> => {
  const all = new Map<string, Property>()
  for (const entity of catalog.entities.values())
    for (const property of propertiesOf(entity).values()) {
      const other = all.get(property.id)
      const descriptions = new Set([...(other?.description.split('; or ') ?? []), property.description])
      all.set(property.id, { ...property, description: [...descriptions].join('; or ') })
    }
  return all
})

/** Reads properties of one record. A property that it does not have, or that is not known, has no value. */
export class PropertyReader {
  readonly #release: Release
  readonly #place: RecordPlace
  readonly #lineage: readonly EntityRecord[]

  constructor(release: Release, place: RecordPlace) {
    this.#release = release
    this.#place = place
    const own = recordAt(release, place)
    this.#lineage = [own, ...embeddedAncestors(own)]
  }

  values(id: string): PropertyValue[] {
    const property = propertiesOf(this.#place.entity).get(id)
    const named = this.#lineage.find(({ entity }) => entity === property?.owner)
    if (property === undefined || named === undefined) return []
    const { field } = property
    if (field === undefined) return [recordValue(named)]
    const code = derivedCodesOf(named.entity).find(({ name }) => name === field)
    if (code !== undefined) {
      const text = this.#position(named, (position) => codeReader(this.#release, named.entity, code)(position))
      return text === undefined ? [] : [{ str: text }]
    }
    const definition = named.entity.fields[field] as Field
    const value = definition.kind === 'fact' ? this.#fact(named, field) : named.record[field]
    if (value === null || value === undefined) return []
    if (definition.kind === 'broader') return this.#parent(named.entity, String(value))
    const values = Array.isArray(value) ? value : [value]
    return values.map((one) => propertyValue(definition, one))
  }

  #parent(entity: Entity, key: string): PropertyValue[] {
    const place = findEntity(this.#release, `${entity.plural}/${encodeURIComponent(key)}`)
    return place === undefined ? [] : [recordValue(recordAt(this.#release, place))]
  }

  #fact(named: EntityRecord, name: string): string | number | null | undefined {
    const read = factReader(this.#release.entity(named.entity.name), [name])
    return this.#position(named, (position) => read(position)[name])
  }

  /** Reads at the position of the record, or of one of its ancestors. */
  #position<T>(named: EntityRecord, read: (position: number) => T): T | undefined {
    const isOwn = named.entity === this.#place.entity
    const position = isOwn ? this.#place.position : findEntity(this.#release, entityId(named))?.position
    return position === undefined ? undefined : read(position)
  }
}

const recordValue = (named: EntityRecord): PropertyValue => ({ id: entityId(named), name: nameOf(named) })

/** A whole day; the protocol knows no other dates. */
const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/

function propertyValue(definition: Field, value: unknown): PropertyValue {
  const type = 'type' in definition ? definition.type : undefined
  if (typeof value === 'string') return type === 'date' && DAY.test(value) ? { date: value } : { str: value }
  if (typeof value === 'boolean') return { bool: value }
  const isWhole = type === undefined || type === 'integer' || type === 'year'
  if (typeof value === 'number' || type === 'integer' || type === 'number')
    // A number that would lose digits is written with all of them.
    return isWhole ? { int: value as number } : { float: value as number }
  return { str: JSON.stringify(value) }
}
