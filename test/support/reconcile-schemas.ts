// The rules of the Reconciliation Service API 0.2 of the W3C community group for responses, as schemas.
// https://www.w3.org/community/reports/reconciliation/CG-FINAL-specs-0.2-20230410/
import Ajv from 'ajv'

const text = { type: 'string' } as const
const filled = { type: 'string', minLength: 1 } as const
const url = { type: 'string', pattern: '^https?://' } as const
const withId = { type: 'string', pattern: '^https?://.*\\{\\{id\\}\\}' } as const
const count = { type: 'integer', minimum: 1 } as const

/** An object with these members and no others; those whose names end with a question mark may be missing. */
function object(members: Readonly<Record<string, unknown>>) {
  const entries = Object.entries(members)
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, schema]) => [name.replace('?', ''), schema])),
    required: entries.map(([name]) => name).filter((name) => !name.endsWith('?')),
    additionalProperties: false,
  }
}
const listOf = (items: unknown) => ({ type: 'array', items })
const mapOf = (values: unknown) => ({ type: 'object', additionalProperties: values })

const type = object({ id: filled, name: filled })
const property = object({ id: filled, name: filled, 'description?': text })
const suggestService = object({
  service_url: url,
  service_path: { type: 'string', pattern: '^/' },
  flyout_service_url: url,
  flyout_service_path: { type: 'string', pattern: '\\$\\{id\\}' },
})

const schemas = {
  manifest: object({
    versions: { ...listOf(text), contains: { const: '0.2' } },
    name: filled,
    identifierSpace: url,
    schemaSpace: url,
    'serviceVersion?': text,
    defaultTypes: { ...listOf(type), uniqueItems: true, minItems: 1 },
    view: object({ url: withId }),
    preview: object({ url: withId, width: count, height: count }),
    suggest: object({ entity: suggestService, property: suggestService, type: suggestService }),
    extend: object({
      propose_properties: object({ service_url: url, service_path: text }),
      property_settings: { type: 'array', maxItems: 0 },
    }),
    batchSize: count,
  }),
  results: mapOf(
    object({
      result: listOf(
        object({
          id: filled,
          name: filled,
          description: text,
          type: { ...listOf(type), minItems: 1 },
          score: { type: 'number', minimum: 0, maximum: 100 },
          match: { type: 'boolean' },
          'features?': listOf(object({ id: filled, value: { oneOf: [{ type: 'boolean' }, { type: 'number' }] } })),
        }),
      ),
    }),
  ),
  entities: object({ result: listOf(object({ id: filled, name: filled, description: text, notable: listOf(type) })) }),
  properties: object({ result: listOf(property) }),
  types: object({ result: listOf(type) }),
  flyout: object({ id: filled, html: filled }),
  proposals: object({ type: filled, 'limit?': count, properties: listOf(property) }),
  extension: object({
    meta: listOf(object({ id: filled, name: filled, 'type?': type })),
    rows: mapOf(
      mapOf(
        listOf({
          oneOf: [
            object({ id: filled, name: filled }),
            object({ str: text }),
            object({ int: { type: 'integer' } }),
            object({ float: { type: 'number' } }),
          ],
        }),
      ),
    ),
  }),
} as const

export type SchemaName = keyof typeof schemas

const ajv = new Ajv({ allErrors: true })
const validators = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, ajv.compile(schema)]))

/** The places where a response breaks the specification. */
export function breaches(name: SchemaName, value: unknown): string[] {
  const validate = validators[name]
  if (validate === undefined || validate(value)) return []
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
