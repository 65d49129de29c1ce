// The catalog that ships with the program: the lists that data/datapackage.json defines, each of them in the table beside it.
import { readFileSync } from 'node:fs'
import { type JsonObject, parseOwnJson } from '../base/json.ts'
import { shippedFile } from '../base/program.ts'
import { type EntityData, orderedCatalog } from '../catalog/catalog.ts'
import { ownProperties } from './package/descriptor-values.ts'
import { definitionFrom, type ResourceWithSchema } from './package/schema-definition.ts'
import type { Origin } from './source.ts'

type ShippedResource = JsonObject & Omit<ResourceWithSchema, 'own'> & { readonly path: string }

/** The part of the descriptor that the program reads; the rest is for others. */
type ShippedPackage = {
  readonly resources: readonly ShippedResource[]
  readonly 'nomenclator:v1': readonly string[]
  readonly 'nomenclator:credits': Origin['credits']
}

const shipped = parseOwnJson<ShippedPackage>(readFileSync(shippedFile('data/datapackage.json'), 'utf8'))

/** The resources that become lists; the others have other names and former codes of their records. */
const resources = shipped.resources.filter((resource) => 'nomenclator:collection' in resource)

const withOwn = <T extends JsonObject>(value: T) => ({ ...value, own: ownProperties(value) })
const withOwnProperties = (resource: ShippedResource): ResourceWithSchema => {
  const { schema } = resource
  return withOwn({ ...resource, schema: { ...schema, fields: schema.fields.map(withOwn) } })
}

export const builtInCatalog = orderedCatalog(
  resources.map((resource) => definitionFrom(withOwnProperties(resource), shipped['nomenclator:v1']) as EntityData),
)

/** Whom to credit for the records that ship with the program. */
export const builtInCredits = shipped['nomenclator:credits']

/** The file in data/ of each list, by the name of the list. */
export const builtInTables = resources.map(({ name, path }) => [name, path] as const)
