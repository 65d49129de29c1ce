// A catalog: the definitions of its entities, as objects to work with and as plain data to keep with a release.
import type { EmbedField, Entity, Field } from './entity.ts'

export type Catalog = {
  /** The entities by name, each after those that it embeds. */
  readonly entities: ReadonlyMap<string, Entity>
  /** The entities by the name of their collection. */
  readonly collections: ReadonlyMap<string, Entity>
}

type WithPattern = Extract<Field, { readonly pattern: RegExp }>
type AsText<F> = F extends WithPattern ? Omit<F, 'pattern'> & { readonly pattern: string } : never
type FieldData =
  | Exclude<Field, WithPattern | EmbedField>
  | AsText<WithPattern>
  | (Omit<EmbedField, 'entity'> & { readonly entity: string })

/** A definition as JSON: patterns as their source, embedded entities by name. */
export type EntityData = Omit<Entity, 'fields'> & { readonly fields: Readonly<Record<string, FieldData>> }

export function entityData(entity: Entity): EntityData {
  const fields = Object.entries(entity.fields).map(([name, field]): [string, FieldData] => {
    if ('pattern' in field) return [name, { ...field, pattern: field.pattern.source }]
    if (field.kind === 'embed') return [name, { ...field, entity: field.entity.name }]
    return [name, field]
  })
  return { ...entity, fields: Object.fromEntries(fields) }
}

/** Equal definitions are one catalog, so that what is derived from one is derived once. */
const catalogs = new Map<string, Catalog>()

export const catalogOf = (entities: readonly Entity[]): Catalog => catalogFromData(entities.map(entityData), entities)

/** Each definition must come after those of the entities that it embeds. */
function catalogFromData(data: readonly EntityData[], entities: readonly Entity[] = entitiesFromData(data)): Catalog {
  const key = JSON.stringify(data)
  const equal = catalogs.get(key)
  if (equal !== undefined) return equal
  const catalog = {
    entities: new Map(entities.map((entity) => [entity.name, entity])),
    collections: new Map(entities.map((entity) => [entity.plural, entity])),
  }
  catalogs.set(key, catalog)
  return catalog
}

function entitiesFromData(data: readonly EntityData[]): Entity[] {
  const entities = new Map<string, Entity>()
  for (const definition of data) {
    const parsed = Object.entries(definition.fields).map(([name, field]): [string, Field] => {
      if ('pattern' in field) return [name, { ...field, pattern: new RegExp(field.pattern) } as Field]
      if (field.kind !== 'embed') return [name, field]
      const parent = entities.get(field.entity)
      if (parent === undefined)
        throw new Error(`${definition.name}.${name} embeds ${field.entity}, which is not defined before it`)
      return [name, { ...field, entity: parent }]
    })
    // The order of the keys stays, so that the definition is the same text again.
    entities.set(definition.name, { ...definition, fields: Object.fromEntries(parsed) })
  }
  return [...entities.values()]
}

/** These definitions, and those of a catalog that are not among them. */
export function completedCatalog(data: readonly EntityData[], rest: Catalog): Catalog {
  const byName = new Map([...rest.entities.values()].map(entityData).map((entity) => [entity.name, entity]))
  for (const entity of data) byName.set(entity.name, entity)
  return orderedCatalog([...byName.values()])
}

/** The order is kept where it can be: an entity moves up only if one before it embeds it. */
export function orderedCatalog(data: readonly EntityData[]): Catalog {
  const byName = new Map(data.map((entity) => [entity.name, entity]))
  const placed = new Map<string, EntityData>()
  const place = (name: string) => {
    const entity = byName.get(name)
    if (entity === undefined || placed.has(name)) return
    for (const field of Object.values(entity.fields)) if (field.kind === 'embed') place(field.entity)
    placed.set(name, entity)
  }
  for (const name of byName.keys()) place(name)
  return catalogFromData([...placed.values()])
}

/** The definition of an entity that the catalog is known to have. */
export function entityIn(catalog: Catalog, name: string): Entity {
  const entity = catalog.entities.get(name)
  if (entity === undefined) throw new Error(`the catalog has no ${name}`)
  return entity
}
