// The JSON Schemas of all responses of both APIs, derived from the definitions of a catalog.
import type { Catalog } from '../../../catalog/catalog.ts'
import { MAX_ID, MAX_TEXT } from '../../../catalog/check.ts'
import { v1Collections } from '../../../catalog/collections.ts'
import {
  type Entity,
  type FactField,
  type Field,
  factsOf,
  hasCoordinates,
  type OfficialCode,
  VALUE_ROLES,
  type ValueType,
} from '../../../catalog/entity.ts'
import { languagesOf } from '../../../catalog/languages/languages.ts'
import { derivedCodesOf } from '../../../catalog/official-code.ts'
import { keyPathsOf, pathsOf } from '../../../catalog/paths.ts'
import { typeNameOf } from '../../../catalog/typescript.ts'
import { DISTANCE, distanceNameOf } from '../../../query/near.ts'
import { ROW_HOW } from '../../../query/resolve/record-match.ts'
import { MAX_ROW_CHARACTERS } from '../../../query/resolve/resolve.ts'
import { VERDICTS } from '../../../query/resolve/verdict.ts'
import { HOW } from '../../../query/search/explanation.ts'
import { NUMBERINGS } from '../../../source/numbering.ts'
import { type ProblemKind, problemTitles, problemType } from '../../problem.ts'

export type Json = { readonly [key: string]: unknown }

export const problemKinds = Object.keys(problemTitles) as ProblemKind[]

export const schemaRef = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })
export const recordRef = (entity: Entity): Json => schemaRef(schemaName(entity))
/** The schema of the names of an entity's fields. */
export const fieldNameRef = (entity: Entity): Json => schemaRef(fieldNameOf(entity))
const fieldNameOf = (entity: Entity) => `${schemaName(entity)}Field`
export const listOf = (items: Json): Json => ({ type: 'array', items })

export const ID = schemaRef('Id')
export const NOT_EMPTY: Json = { type: 'string', minLength: 1 }
/** A day, or the month or year that it is in. */
export const DATE: Json = {
  type: 'string',
  pattern: '^-?[0-9]{4,}(-[0-9]{2}){0,2}(T.*)?$',
  examples: ['2026-11-30'],
}
export const COUNT: Json = { type: 'integer', minimum: 0 }
export const TEXT: Json = { type: 'string' }
const FLAG: Json = { type: 'boolean' }
const URL: Json = { type: 'string', format: 'uri' }
const URL_TEMPLATE: Json = { type: 'string', format: 'uri-template' }
const DIGEST: Json = { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'digest of a release' }
const SHA256: Json = { type: 'string', pattern: '^[0-9a-f]{64}$' }
const BUILT: Json = { type: 'string', format: 'date-time', description: 'when the release was built' }

const described = (schema: Json, description: string): Json => ({ ...schema, description })

const mapOf = (values: Json): Json => ({ type: 'object', additionalProperties: values })

/** Properties may be added to any object in the future, so none is closed. */
const object = (properties: Json, optional: readonly string[] = []): Json => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
})

const CREDIT = object({ to: TEXT, of: listOf(TEXT) })
const OPTIONS = mapOf({ type: ['string', 'number', 'boolean'] })
const FINDING = object({ kind: TEXT, says: TEXT, count: COUNT, examples: listOf(TEXT) })
const FINDING_OF_ENTITY = object(
  { kind: TEXT, says: TEXT, count: COUNT, examples: listOf(TEXT), entity: described(TEXT, 'where that is known') },
  ['entity'],
)
const FIELD_TYPES = ['record', 'integer', 'number', 'string', 'boolean', 'date', 'year', 'list'] as const
const FIELD = object(
  {
    path: TEXT,
    type: { type: 'string', enum: FIELD_TYPES },
    says: TEXT,
    fact: FLAG,
    optional: described(FLAG, 'whether a record may have null in place of it'),
    slug: described(TEXT, 'another name for it in queries, where its path is not easily typed'),
    steps: described(listOf(TEXT), 'the names of the fields that lead to it, where they are not those in its path'),
    title: described(TEXT, 'what people call it'),
    language: described(TEXT, 'the language that it is in (BCP 47)'),
    role: described({ type: 'string', enum: [...VALUE_ROLES, 'broader'] }, 'its role in the record'),
  },
  ['fact', 'optional', 'slug', 'steps', 'title', 'language', 'role'],
)
const SOURCE = object({ kind: TEXT, title: TEXT, synthetic: FLAG, credits: listOf(CREDIT), options: OPTIONS })
const VERSIONS = described(object({ nomenclator: TEXT, bun: TEXT }), 'the programs that built it')
/** The fields of a key; for an embedded record its own key, in a list if that has several values. */
const KEY: Json = mapOf(schemaRef('KeyValue'))
const KEY_VALUE: Json = { anyOf: [ID, NOT_EMPTY, listOf({ anyOf: [ID, NOT_EMPTY] })] }
const CODE = described({ type: ['string', 'null'] }, 'its official code, null where it has none')
const KEYS = listOf(
  object({
    collection: schemaRef('CollectionName'),
    key: KEY,
    code: CODE,
  }),
)
const PAIR: Json = { type: 'array', items: COUNT, minItems: 2, maxItems: 2 }
const RANGES = described(listOf(PAIR), 'start and end of each match, in UTF-16 code units')

function fieldSchema(entity: Entity, field: Field): Json {
  switch (field.kind) {
    case 'id':
      return described(ID, field.description)
    case 'code': {
      const text = {
        type: 'string',
        pattern: field.pattern.source,
        description: `${field.description}: ${field.shape}`,
      }
      return nullable(text, field.optional)
    }
    case 'name': {
      const text = { type: 'string', minLength: 1, maxLength: MAX_TEXT, description: field.description }
      return nullable(text, field.optional)
    }
    case 'copy':
      return described(fieldSchema(entity, entity.fields[field.of] as Field), field.description)
    case 'embed':
      return field.optional
        ? { anyOf: [recordRef(field.entity), { type: 'null' }], description: field.description }
        : described(recordRef(field.entity), field.description)
    case 'value':
      return described(nullable(VALUE_SCHEMAS[field.type], field.optional), field.description)
    case 'broader':
      return { anyOf: [keyValueSchema(entity), { type: 'null' }], description: field.description }
    case 'fact':
      return described(factSchema(field), field.description)
  }
}

/** The key of a record that is not given in full. */
function keyValueSchema(entity: Entity): Json {
  const schemas = keyPathsOf(entity).map(({ numeric }) => (numeric ? ID : NOT_EMPTY))
  const [only = NOT_EMPTY, ...more] = schemas
  return more.length === 0
    ? only
    : { type: 'array', prefixItems: schemas, minItems: schemas.length, maxItems: schemas.length }
}

function keySchema(entity: Entity, name: string): Json {
  const field = entity.fields[name]
  if (field?.kind === 'embed') return keyValueSchema(field.entity)
  return field?.kind === 'id' ? ID : NOT_EMPTY
}

const VALUE_SCHEMAS: Readonly<Record<ValueType, Json>> = {
  text: { type: 'string' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  date: { type: 'string' },
  year: { type: 'integer' },
  list: { type: 'array', items: {} },
}

const nullable = (schema: Json, isNullable: true | undefined): Json =>
  isNullable ? { ...schema, type: [schema.type as string, 'null'] } : schema

/** A fact that is not known is null. */
function factSchema(fact: FactField): Json {
  if (fact.type === 'text') return { type: ['string', 'null'], pattern: fact.pattern.source }
  return { type: [fact.type, 'null'], minimum: fact.min, maximum: fact.max }
}

const codeSchema = ({ title, description }: OfficialCode): Json =>
  described({ type: ['string', 'null'] }, title === undefined ? description : `${title}: ${description}`)

/** Facts are there on request, official codes unless the record is embedded, and a distance if near is given. */
const recordSchema = (entity: Entity): Json =>
  object(
    {
      ...Object.fromEntries(Object.entries(entity.fields).map(([name, field]) => [name, fieldSchema(entity, field)])),
      ...Object.fromEntries(derivedCodesOf(entity).map((code) => [code.name, codeSchema(code)])),
      ...(hasCoordinates(entity) ? { [distanceNameOf(entity)]: DISTANCE_SCHEMA } : {}),
    },
    [
      ...factsOf(entity).map(([name]) => name),
      ...derivedCodesOf(entity).map(({ name }) => name),
      ...namesLeftOut(entity),
      distanceNameOf(entity),
    ],
  )

/** The names that are left out if lang is another language; a name that is the only one never is. */
const namesLeftOut = (entity: Entity): string[] => {
  const names = Object.entries(entity.fields).filter(([, { kind }]) => kind === 'name')
  const isAlwaysThere = names.length === 1 && names.every(([, field]) => !('optional' in field))
  return languagesOf(entity).length === 0 || isAlwaysThere ? [] : names.map(([name]) => name)
}

const DISTANCE_SCHEMA = described(COUNT, 'metres from the point of the parameter near')

const changeSchema = (entity: Entity): Json =>
  object(
    {
      collection: { const: entity.plural },
      key: object(Object.fromEntries(entity.key.map((name) => [name, keySchema(entity, name)]))),
      change: schemaRef('ChangeKind'),
      fields: listOf(TEXT),
      old: { anyOf: [recordRef(entity), { type: 'object' }] },
      new: recordRef(entity),
    },
    ['fields', 'old', 'new'],
  )

/** Lists of these are everywhere, and have a name of their own. */
export function sharedListOf(items: Json): Json {
  if (items === ID) return schemaRef('Ids')
  return items === NOT_EMPTY ? schemaRef('Texts') : listOf(items)
}

const changeName = (entity: Entity) => `${schemaName(entity)}Change`

const releaseProperties = {
  digest: DIGEST,
  built: BUILT,
  current: described(FLAG, 'whether it is read when a request names none'),
  source: described(TEXT, 'where the records came from'),
  synthetic: described(FLAG, 'whether the records are invented'),
  counts: described(mapOf(COUNT), 'number of records by collection'),
  bytes: described(COUNT, 'size of its files'),
  url: described(URL, 'the release in detail'),
}

const PART: Json = { type: ['string', 'number', 'null'], maxLength: MAX_ROW_CHARACTERS }

/** The record that a row means; null if it means none. */
const resolvedProperties = (isNullable: boolean) => {
  const or = (schema: Json): Json => (isNullable ? { anyOf: [schema, { type: 'null' }] } : schema)
  return {
    collection: or(schemaRef('CollectionName')),
    key: or(KEY),
    code: CODE,
    url: or(URL),
    name: or(TEXT),
    breadcrumb: described(listOf(TEXT), 'names of its ancestors, the nearest first'),
    parents: described(KEYS, 'their keys and official codes'),
    score: described({ type: 'number', minimum: 0, maximum: 1 }, '1 where everything is as in the catalog'),
    how: listOf({ type: 'string', enum: [...ROW_HOW] }),
  }
}

// Schemas that are the same for every catalog.

const VERDICT: Json = { type: 'string', enum: [...VERDICTS] }

const RESOLVED_ROW = object({
  row: described(COUNT, 'number of the row, from 1'),
  verdict: VERDICT,
  reason: described(TEXT, 'why it has this verdict, for people'),
  ...resolvedProperties(true),
  levels: described(
    listOf(
      object({
        collection: schemaRef('CollectionName'),
        key: { anyOf: [KEY, { type: 'null' }] },
        code: described({ type: ['string', 'null'] }, 'official code'),
        verdict: VERDICT,
        score: { type: 'number', minimum: 0, maximum: 1 },
      }),
    ),
    'what is certain at each level, from the most distant ancestor to what was asked for',
  ),
  alternatives: described(listOf(schemaRef('ResolvedRecord')), 'the next best'),
})

const NUMBERING: Json = { type: 'string', enum: [...NUMBERINGS] }

const RELEASE = object({
  ...releaseProperties,
  source: SOURCE,
  findings: described(listOf(FINDING), 'what is unexpected in the records'),
  versions: VERSIONS,
  numbering: described(
    mapOf(NUMBERING),
    'by collection, whose identifiers and codes these are: where they are not the same in two releases, nothing is compared',
  ),
})

const RELEASE_MANIFEST = object(
  {
    digest: DIGEST,
    built: BUILT,
    source: SOURCE,
    versions: VERSIONS,
    entities: described(
      listOf(
        object(
          {
            name: TEXT,
            collection: schemaRef('CollectionName'),
            count: COUNT,
            records: described(SHA256, 'SHA-256 of its records as they are on disk'),
            facts: described(SHA256, 'the same of its facts, where any is known'),
            boundaries: described(SHA256, 'of the digests of its boundaries, where it has any'),
            digest: described(SHA256, 'of all its files'),
            numbering: described(NUMBERING, 'whose identifiers and codes its records have'),
            definition: described({ type: 'object' }, 'its fields, key, code and order'),
          },
          ['facts', 'boundaries'],
        ),
      ),
      'in the order of the checksums, each after those that it embeds',
    ),
    aliases: described(
      listOf(object({ entity: TEXT, code: TEXT, alias: TEXT, reason: TEXT })),
      'those that were imported',
    ),
    packages: described(
      listOf({ type: 'object' }),
      'what the packages of its lists say of themselves; absent without any',
    ),
    findings: listOf(FINDING_OF_ENTITY),
  },
  ['packages'],
)

const PACKAGE = object(
  {
    name: TEXT,
    title: TEXT,
    description: TEXT,
    version: TEXT,
    homepage: TEXT,
    licenses: listOf({ type: 'object' }),
    sources: listOf({ type: 'object' }),
    keywords: listOf(TEXT),
    contributors: listOf({ type: 'object' }),
    collections: listOf(schemaRef('CollectionName')),
  },
  ['title', 'description', 'version', 'homepage'],
)

const API_DESCRIPTION = object({
  release: object({ digest: DIGEST, built: BUILT, url: URL }),
  search: URL_TEMPLATE,
  releases: URL,
  changes: URL_TEMPLATE,
  openapi: URL,
  packages: described(listOf(PACKAGE), 'the packages that collections belong to, as they describe themselves'),
  collections: listOf(schemaRef('CollectionDescription')),
})

const COLLECTION_DESCRIPTION = object(
  {
    name: schemaRef('CollectionName'),
    count: described(COUNT, 'number of records'),
    url: described(URL, 'its list'),
    record: described(URL_TEMPLATE, 'a single record'),
    all: described(URL, 'all of its records'),
    children: described(listOf(URL_TEMPLATE), 'lists of the records below one'),
    key: described(
      listOf(TEXT),
      'the fields that identify a record: the names in `key` of changes and suggestions, and where they stand in records with embed=id',
    ),
    keyPaths: described(listOf(TEXT), 'the same as paths in a record that is given in full'),
    code: described(listOf(TEXT), 'the fields that identify a record from one import to the next'),
    codes: described(
      listOf(object({ name: TEXT, title: described(TEXT, 'what people call it') }, ['title'])),
      'the official codes that people know a record by, the usual one first; each is a member of the record',
    ),
    fields: listOf(FIELD),
    derived: described(listOf(FIELD), 'official codes that are no fields: the last members of a record'),
    filters: described(listOf(TEXT), 'parameters that filter its list'),
    title: described(TEXT, 'what people call it'),
    titles: described(mapOf(TEXT), 'the same in other languages'),
    description: TEXT,
    package: described(TEXT, 'the name of the package that it belongs to'),
    languages: described(listOf(TEXT), 'the languages of its names, for the parameter lang'),
    tree: described(mapOf(URL_TEMPLATE), 'lists of the records around one, where they make up a tree'),
  },
  ['title', 'titles', 'description', 'package', 'languages', 'tree'],
)

const PROBLEM = object(
  {
    type: { type: 'string', enum: problemKinds.map(problemType), description: 'identifies the kind of problem' },
    title: described(TEXT, 'the kind of problem, for people'),
    status: described({ type: 'integer' }, 'status code of the response'),
    detail: described(TEXT, 'what is wrong with this request, for people'),
    instance: described(TEXT, 'path of the request, without its query'),
    requestId: described(TEXT, 'the id of the request, as in X-Request-Id; not in API v1'),
  },
  ['requestId'],
)

// Schemas that depend on the catalog.

const changesSchema = (entities: readonly Entity[]): Json =>
  object({
    from: DIGEST,
    to: DIGEST,
    changes: described(
      listOf({ oneOf: entities.map((entity) => schemaRef(changeName(entity))) }),
      'with `old` unless it was added (as the older release has it, in which the list may have been defined otherwise), `new` unless it was removed, and where it was changed `fields`, the paths of the values that differ',
    ),
  })

const rowSchema = (entities: readonly Entity[]): Json =>
  described(
    {
      oneOf: [
        { type: 'string', maxLength: MAX_ROW_CHARACTERS },
        {
          type: 'object',
          properties: Object.fromEntries(entities.map(({ name }) => [name, PART])),
          additionalProperties: false,
        },
      ],
    },
    'free text, or parts: for each a name, an abbreviation, an alias or a code',
  )

const suggestionSchema = (entities: readonly Entity[]): Json =>
  object(
    {
      collection: schemaRef('CollectionName'),
      key: described(KEY, 'the fields that identify the record, with their values'),
      code: CODE,
      url: described(URL, 'the record'),
      name: described(TEXT, 'name of the record'),
      breadcrumb: described(listOf(TEXT), 'names of its ancestors, the nearest first'),
      parents: described(KEYS, 'the same ancestors by their keys and official codes'),
      score: described(
        { type: 'number', minimum: 0, maximum: 1 },
        'how well it matches, on the same scale in every response',
      ),
      how: described(
        listOf({ type: 'string', enum: [...HOW] }),
        'in which ways the words match; `exact` only where there is no other',
      ),
      dropped: described(listOf(TEXT), 'the words that it does not have'),
      matches: described(
        listOf(
          object({ field: TEXT, ranges: RANGES, alias: TEXT, reason: TEXT, collection: schemaRef('CollectionName') }, [
            'alias',
            'reason',
            'collection',
          ]),
        ),
        'where the words are in its fields; an alias by which it was found has the field `alias`, and comes with its text, its reason, and the collection of the record that it belongs to',
      ),
      matched: described(
        object({ field: TEXT, language: { type: ['string', 'null'] } }),
        'the name that matches best, and its language where that is known; where there are several names',
      ),
      ...(entities.some(hasCoordinates) ? { [DISTANCE]: DISTANCE_SCHEMA } : {}),
    },
    ['matched', DISTANCE],
  )

/** Schemas that do not depend on the catalog, by name. */
const fixedSchemas = {
  Id: { type: 'integer', minimum: 0, maximum: MAX_ID },
  Ids: listOf(ID),
  Texts: listOf(NOT_EMPTY),
  KeyValue: KEY_VALUE,
  ChangeKind: { type: 'string', enum: ['added', 'removed', 'changed'] },
  ResolvedRow: RESOLVED_ROW,
  ResolvedRecord: object(resolvedProperties(false)),
  ReleaseSummary: object(releaseProperties),
  Release: RELEASE,
  ReleaseManifest: RELEASE_MANIFEST,
  ApiDescription: API_DESCRIPTION,
  CollectionDescription: COLLECTION_DESCRIPTION,
  Problem: PROBLEM,
} as const satisfies Json

/** Schemas that differ between catalogs, and that each has. */
const catalogSchemas = (catalog: Catalog, entities: readonly Entity[]) =>
  ({
    Changes: changesSchema(entities),
    CollectionName: { type: 'string', enum: [...catalog.collections.keys()] },
    RowToResolve: rowSchema(entities),
    Suggestion: suggestionSchema(entities),
    CollectionsV1: object(
      Object.fromEntries(v1Collections(catalog).map(({ name, title }) => [name, described(URL, title)])),
    ),
  }) satisfies Json

const CATALOG_SCHEMAS: Readonly<Record<keyof ReturnType<typeof catalogSchemas>, true>> = {
  Changes: true,
  CollectionName: true,
  RowToResolve: true,
  Suggestion: true,
  CollectionsV1: true,
}

const DERIVED = /(?:Change|Field|Record)$/

/** The name of the schema of the records of an entity, which is that of no other schema. */
function schemaName(entity: Entity): string {
  return typeNameOf(
    entity,
    (name) => DERIVED.test(name) || Object.hasOwn(fixedSchemas, name) || Object.hasOwn(CATALOG_SCHEMAS, name),
  )
}

/** The schemas by name, as they stand under components of the document. */
export function schemasOf(catalog: Catalog): Json {
  const entities = [...catalog.entities.values()]
  return {
    ...Object.fromEntries(entities.map((entity) => [schemaName(entity), recordSchema(entity)])),
    ...Object.fromEntries(entities.map((entity) => [changeName(entity), changeSchema(entity)])),
    ...Object.fromEntries(
      entities.map((entity) => [fieldNameOf(entity), { type: 'string', enum: [...pathsOf(entity).keys()] }]),
    ),
    ...fixedSchemas,
    ...catalogSchemas(catalog, entities),
  }
}
