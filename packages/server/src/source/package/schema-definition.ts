// The definition of a list of the package that ships with the program: what its resource says in the words of the standard, and in
// properties of ours what those cannot say.
import type { JsonObject } from '../../base/json.ts'
import type { Constraints, ForeignKey, Resource, TableField, TableSchema } from './descriptor.ts'
import { listProperties } from './profile.ts'

/** A resource with a schema, however much of its descriptor was parsed. */
export type ResourceWithSchema = Pick<Resource, 'name' | 'title' | 'own'> & {
  readonly schema: Pick<TableSchema, 'primaryKey' | 'foreignKeys'> & { readonly fields: readonly DefiningField[] }
}
type DefiningField = Pick<TableField, 'name' | 'type' | 'title' | 'description' | 'own'> & {
  readonly constraints?: Omit<Constraints, 'minimum' | 'maximum'> & {
    readonly minimum?: string | number
    readonly maximum?: string | number
  }
}

/** Made as JSON, which a schema then checks: what the resource lacks, the definition lacks. Collections of API v1 stand in order. */
export function definitionFrom(resource: ResourceWithSchema, v1: readonly unknown[]): JsonObject {
  const { name, title, own, schema } = resource
  const { collection, titles, group, order, code } = listProperties(resource)
  const place = v1.indexOf(collection)
  return withoutAbsent({
    title,
    titles,
    group,
    order,
    expects: own.get('rules') ?? [],
    name,
    plural: collection,
    v1: place < 0 ? undefined : place + 1,
    fields: Object.fromEntries(
      schema.fields.flatMap((field) => [[field.name, fieldFrom(field, schema)], ...copiesOf(field)]),
    ),
    key: schema.primaryKey,
    code,
    codes: own.get('codes'),
  })
}

/** Fields that repeat the value of another come right after it. */
function copiesOf({ name, own }: DefiningField): [string, JsonObject][] {
  const copies = own.get('copies')
  if (!Array.isArray(copies)) return []
  return copies.map((copy) => [String(copy), { kind: 'copy', of: name, description: `same value as ${name}` }])
}

function fieldFrom(field: DefiningField, { primaryKey = [], foreignKeys = [] }: ResourceWithSchema['schema']) {
  const { name, type, title, description, constraints = {}, own } = field
  const { required, pattern, minimum, maximum } = constraints
  const reference = foreignKeys.find((key: ForeignKey) => key.fields[0] === name)?.reference.resource
  const [about, language] = [{ title, description }, own.get('language')]
  const mayLack = required === true ? {} : { optional: true }
  const text = { pattern: pattern && wholePattern(pattern), shape: own.get('shape') }
  if (reference !== undefined) return withoutAbsent({ kind: 'embed', entity: reference, ...about, ...mayLack })
  switch (own.get('role')) {
    case 'code':
      return withoutAbsent({ kind: 'code', ...about, ...text, ...mayLack })
    case 'name':
      return withoutAbsent({ kind: 'name', ...about, ...mayLack, language })
    case undefined:
      return withoutAbsent({ kind: primaryKey.includes(name) ? 'id' : undefined, ...about })
    default:
      return withoutAbsent(
        type === 'string'
          ? { kind: 'fact', type: 'text', ...about, ...text, language, doubtful: own.get('doubtful') }
          : { kind: 'fact', type, ...about, min: numberFrom(minimum), max: numberFrom(maximum) },
      )
  }
}

/** The standard matches a pattern with the whole value. */
const wholePattern = (pattern: string) =>
  pattern.includes('|') && !/^\([^()]*\)$/.test(pattern) ? `^(?:${pattern})$` : `^${pattern}$`

const numberFrom = (bound: string | number | undefined) => (bound === undefined ? undefined : Number(bound))

const withoutAbsent = (properties: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined))
