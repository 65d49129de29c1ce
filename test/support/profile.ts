// Checks a descriptor against the profile that editors use: our own properties, and the main rules of the standard.
import Ajv, { type ErrorObject } from 'ajv'
import profile from '../../data/nomenclator.schema.json' with { type: 'json' }
import { STANDARD_PROFILE } from '../../packages/server/src/source/package/profile-file.ts'

const entries = (items: object) => ({ type: 'array', minItems: 1, items: { type: 'object', ...items } })
const names = { anyOf: [{ type: 'string' }, { type: 'array', minItems: 1, items: { type: 'string' } }] }

/** The rules of the standard's profile for the properties that are written here; tests fetch nothing. */
const STANDARD = {
  type: 'object',
  required: ['resources'],
  properties: {
    name: { type: 'string' },
    licenses: entries({ anyOf: [{ required: ['name'] }, { required: ['path'] }] }),
    sources: entries({}),
    contributors: entries({}),
    keywords: { type: 'array', minItems: 1, items: { type: 'string' } },
    resources: entries({
      required: ['name'],
      oneOf: [{ required: ['path'] }, { required: ['data'] }],
      properties: {
        path: names,
        schema: {
          type: ['object', 'string'],
          required: ['fields'],
          properties: {
            fields: entries({ required: ['name'], properties: { name: { type: 'string' }, type: { type: 'string' } } }),
            primaryKey: names,
            foreignKeys: entries({
              required: ['fields', 'reference'],
              properties: {
                fields: names,
                reference: { type: 'object', required: ['fields'], properties: { fields: names } },
              },
            }),
          },
        },
      },
    }),
  },
}

const ajv = new Ajv({ strict: false, allErrors: true })
ajv.addSchema(STANDARD, STANDARD_PROFILE)
const validate = ajv.compile(profile)

/** Each with its place. */
export function profileFaults(descriptor: unknown): string[] {
  validate(descriptor)
  return (validate.errors ?? []).map(({ instancePath, message }: ErrorObject) => `${instancePath} ${message}`)
}
