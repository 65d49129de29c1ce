// The JSON Schemas of answers that are not records: suggestions, changes, releases, and the ways to all of them.
import { collections, entityByPlural } from '../../../catalog/collections.ts'
import { entities, entityNames } from '../../../catalog/entities.ts'
import { DIGEST } from '../../../release/manifest.ts'
import { type Json, listOf, object, type Parts, text, uri, uriTemplate } from './parts.ts'
import { changeSchema, keySchema } from './record-schemas.ts'

const digest = text('digest of a release', { pattern: DIGEST.source })
const built = text('when the release was built', { format: 'date-time' })
const count: Json = { type: 'integer', minimum: 0 }
const texts = listOf({ type: 'string' })
const plurals: Json = { type: 'string', enum: [...entityByPlural.keys()] }

/** By name, as the index of API v1 has them. */
export const indexOfV1: Json = object(
  Object.fromEntries(collections.map(({ name, title }) => [name, uri(`${title}, in pages`)])),
)

export function suggestionSchema(parts: Parts): Json {
  const ofEntity = entityNames.map((name) => ({
    properties: { collection: { const: entities[name].plural }, key: keySchema(parts, entities[name]) },
  }))
  const place = { type: 'array', items: count, minItems: 2, maxItems: 2 }
  const common = object({
    collection: plurals,
    key: { type: 'object' },
    url: uri('where the record is'),
    name: text('name of the record'),
    breadcrumb: { ...texts, description: 'names of the records above it, the nearest first' },
    matches: listOf(
      object({
        field: text('field in which something matches'),
        ranges: { ...listOf(place), description: 'start and end of each match, in code units of UTF-16' },
      }),
    ),
  })
  return parts.schema('suggestion', () => ({ ...common, oneOf: ofEntity }))
}

export const anyChange = (parts: Parts): Json =>
  parts.schema('change', () => ({ oneOf: entityNames.map((name) => changeSchema(parts, entities[name])) }))

export const changesSchema = (parts: Parts): Json =>
  parts.schema('changes', () => object({ from: digest, to: digest, changes: listOf(anyChange(parts)) }))

const counts = object(Object.fromEntries(entityNames.map((name) => [entities[name].plural, count])))

const summary = {
  digest,
  built,
  current: { type: 'boolean', description: 'whether it is the one that is read unless another is asked for' },
  source: text('where the records came from'),
  synthetic: { type: 'boolean', description: 'whether the records are made up' },
  counts,
  bytes: { ...count, description: 'size of its files' },
  url: uri('more about it'),
}

export const releasesSchema = (parts: Parts): Json => listOf(parts.schema('release.summary', () => object(summary)))

export function releaseSchema(parts: Parts): Json {
  const source = object({
    kind: { type: 'string' },
    title: { type: 'string' },
    synthetic: { type: 'boolean' },
    credits: listOf(object({ to: { type: 'string' }, of: listOf({ type: 'string', enum: entityNames }) })),
    options: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } },
  })
  const findings = listOf(object({ kind: { type: 'string' }, says: { type: 'string' }, count, examples: texts }))
  const versions = object({ nomenclator: { type: 'string' }, bun: { type: 'string' } })
  return parts.schema('release', () => object({ ...summary, source, findings, versions }))
}

/** The index of API v2. */
export function indexSchema(parts: Parts): Json {
  const field = object({
    path: text('dotted path'),
    type: { type: 'string', enum: ['record', 'integer', 'string'] },
    says: { type: 'string' },
  })
  const collection = object({
    name: plurals,
    count,
    url: uri('the list'),
    record: uriTemplate('a single record'),
    all: uri('all records at once'),
    children: listOf(uriTemplate('the records below one')),
    key: texts,
    code: texts,
    fields: listOf(field),
    filters: { ...texts, description: 'parameters that narrow the list' },
  })
  return parts.schema('index', () =>
    object({
      release: object({ digest, built, url: uri('more about it') }),
      search: uriTemplate('search in all collections'),
      releases: uri('the releases that can be read'),
      changes: uriTemplate('what changed since a release'),
      openapi: uri('this document'),
      collections: listOf(collection),
    }),
  )
}

export const OPENAPI_VERSION = '3.1.1'

export const openapiSchema: Json = {
  type: 'object',
  properties: { openapi: { const: OPENAPI_VERSION }, info: { type: 'object' }, paths: { type: 'object' } },
  required: ['openapi', 'info', 'servers', 'tags', 'paths', 'components'],
}
