// The OpenAPI document of both APIs: derived from a catalog, the tables of parameters and the table of problems.

import { memoized } from '../../../base/memoized.ts'
import { version } from '../../../base/version.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { PER_PAGE, v1Collections } from '../../../catalog/collections.ts'
import { type ProblemKind, problemTitles } from '../../problem.ts'
import type { Parameter } from '../parameter.ts'
import { MAX_FILTER_VALUES } from '../parameter-definitions.ts'
import { headers, type Operation, operationsOf, type Tag } from './operations.ts'
import { type Json, listOf, problemKinds, schemaRef, schemasOf, sharedListOf } from './schemas.ts'

const info: Json = {
  title: 'Nomenclator',
  version,
  summary: 'Reference catalogs, read-only and without credentials',
  description: `Two versions of one API over the same records.

- HEAD is understood wherever GET is; OPTIONS lists the methods that are allowed. Any origin may read (CORS).
- API v1 ignores parameters that it does not know; API v2 refuses them.
- A path with a slash at its end is redirected (308) to the one without, and a former code of a record to its code of today.
- \`X-Release\` is the digest of the release that API v2 read.
- An \`ETag\` that is sent back as \`If-None-Match\`, or \`Last-Modified\` as \`If-Modified-Since\`, leads to a 304 when nothing has changed. \`Cache-Control\` lets a response be kept forever where the whole digest of a release is in the URL.
- \`X-Request-Id\` of API v2 is what the log of the service calls a request.
- \`Nomenclator-Shelf\` of API v2 says that a newer release may exist, which this server cannot have for the time being, and since when.
- API v2 compresses responses as \`Accept-Encoding\` allows.`,
  license: { name: 'MIT', identifier: 'MIT' },
}

const tagsOf = (catalog: Catalog): Readonly<Record<Tag, string>> => ({
  Overview: 'What there is',
  Lists: `${catalog.collections.size} collections in pages. All filters of a request have ${MAX_FILTER_VALUES} values at most`,
  Records: 'Records one by one',
  Bulk: 'All records of a collection in one response',
  Search: 'Typeahead over all collections',
  Releases: 'Releases of the catalogs, and what changed between them',
  'API v1': `${v1Collections(catalog).length} collections in pages of ${PER_PAGE}`,
})

type Section = 'parameters' | 'headers' | 'responses'
const ref = (section: Section, name: string): Json => ({ $ref: `#/components/${section}/${name}` })

type ParameterName = (parameter: Parameter) => string

/** A valid name of a component; names of fields may be any text. */
const COMPONENT = /^[A-Za-z0-9._-]+$/
const componentName = ({ name, slug = name }: Parameter) => (COMPONENT.test(name) ? name : slug)

/** Names of components: all operations share a parameter unless another one has its name. */
function parameterNames(operations: readonly Operation[]): ParameterName {
  const parameters = operations.flatMap(parametersOf)
  const textOf = memoized((parameter: Parameter) => JSON.stringify(parameterObject(parameter)))
  const variants = new Map<string, Set<string>>()
  for (const parameter of parameters) {
    const name = componentName(parameter)
    variants.set(name, (variants.get(name) ?? new Set()).add(textOf(parameter)))
  }
  const usual = (parameter: Parameter) => {
    const name = componentName(parameter)
    return variants.get(name)?.size === 1 ? name : `${parameter.of ?? 'v2'}.${name}`
  }
  // The list and its field may make up the path of a field in another list.
  const textByName = new Map<string, string>()
  const names = new Map<string, string>()
  for (const parameter of parameters) {
    const [text, wanted] = [textOf(parameter), usual(parameter)]
    let name = wanted
    for (let number = 2; (textByName.get(name) ?? text) !== text; number++) name = `${wanted}-${number}`
    textByName.set(name, text)
    names.set(text, names.get(text) ?? name)
  }
  return (parameter) => names.get(textOf(parameter)) as string
}

const parametersOf = ({ inQuery }: Operation): Parameter[] => [...(inQuery?.values() ?? [])]

/** A parameter with several values is an array: each under its name, or all in one, separated by commas. */
function parameterObject(parameter: Parameter): Json {
  const { name, description, repeatable, commaSeparated = false, max, required = false, schema } = parameter
  const joined = { ...listOf(schema), minItems: 1, ...(max === undefined ? {} : { maxItems: max }) }
  return {
    name,
    in: 'query',
    description,
    ...(required ? { required } : {}),
    ...(commaSeparated ? { style: 'form', explode: false } : {}),
    schema: commaSeparated ? joined : repeatable ? sharedListOf(schema) : schema,
  }
}

/** Any request can lead to a problem with the status of this one. */
const ANYWHERE: ProblemKind = 'bad-request'

const statusesOf = ({ problems = [] }: Operation) => [...new Set([ANYWHERE, ...problems].map(statusOf))]
const statusOf = (kind: ProblemKind) => problemTitles[kind][0]
const problemName = (status: number) => `Problem${status}`

const problemResponse = (kinds: readonly ProblemKind[]): Json => ({
  description: kinds.map((kind) => `\`${kind}\`: ${problemTitles[kind][1]}`).join('; '),
  content: { 'application/problem+json': { schema: schemaRef('Problem') } },
})

const okResponse = ({ headers = [], schema, mediaType = 'application/json' }: Operation): Json => ({
  description: 'OK',
  ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers.map((name) => [name, ref('headers', name)])) }),
  content: { [mediaType]: { schema } },
})

function operationObject(operation: Operation, nameOf: ParameterName): Json {
  const { id, tag, summary, description, inPath = [], hasValidator = true, sharedAs, requestBody } = operation
  const { package: ofPackage } = operation
  return {
    operationId: id,
    tags: [tag, ...(ofPackage === undefined ? [] : [ofPackage])],
    summary,
    description,
    parameters: [
      ...inPath.map((parameter) => ({ ...parameter, in: 'path', required: true })),
      ...parametersOf(operation).map((parameter) => ref('parameters', nameOf(parameter))),
    ],
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: {
      200: sharedAs === undefined ? okResponse(operation) : ref('responses', sharedAs),
      ...(hasValidator ? { 304: ref('responses', 'NotModified') } : {}),
      ...Object.fromEntries(statusesOf(operation).map((status) => [status, ref('responses', problemName(status))])),
      default: ref('responses', 'OtherProblem'),
    },
  }
}

function componentsOf(catalog: Catalog, operations: readonly Operation[], nameOf: ParameterName): Json {
  const parameters = operations.flatMap(parametersOf)
  const statuses = new Set(operations.flatMap(statusesOf))
  const problemsWith = (status: number) => problemResponse(problemKinds.filter((kind) => statusOf(kind) === status))
  const used = new Set<string>(operations.flatMap((one) => one.headers ?? []))
  const shared = operations.flatMap((one) => (one.sharedAs === undefined ? [] : [[one.sharedAs, okResponse(one)]]))
  return {
    schemas: schemasOf(catalog),
    parameters: Object.fromEntries(parameters.map((one) => [nameOf(one), parameterObject(one)])),
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => used.has(name))),
    responses: {
      ...Object.fromEntries(shared),
      NotModified: { description: 'The client has it already' },
      ...Object.fromEntries([...statuses].map((status) => [problemName(status), problemsWith(status)])),
      OtherProblem: problemResponse(problemKinds.filter((kind) => !statuses.has(statusOf(kind)))),
    },
  }
}

/** The document without its servers. */
const derivedDocument = memoized((catalog: Catalog): Json => {
  const operations = operationsOf(catalog)
  const nameOf = parameterNames(operations)
  return {
    openapi: '3.1.1',
    info,
    security: [],
    tags: Object.entries(tagsOf(catalog)).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(
      [...Map.groupBy(operations, ({ path }) => path)].map(([path, all]) => [
        path,
        Object.fromEntries(all.map((operation) => [operation.method ?? 'get', operationObject(operation, nameOf)])),
      ]),
    ),
    components: componentsOf(catalog, operations, nameOf),
  }
})

/** The part of the description of a package that is shown here. */
type Package = {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly homepage?: string
}

const packageTag = ({ name, title, description, homepage }: Package): Json => ({
  name,
  description: [title, description].filter((text) => text !== undefined).join('. ') || `The package ${name}`,
  ...(homepage === undefined || !URL.canParse(homepage) ? {} : { externalDocs: { url: homepage } }),
})

/** The tags of the packages that collections belong to. */
function packageTags(catalog: Catalog, packages: readonly Package[]): Json[] {
  const names = new Set([...catalog.entities.values()].flatMap((entity) => entity.package ?? []))
  return [...names].map((name) => packageTag(packages.find((one) => one.name === name) ?? { name }))
}

export function openapiDocument(catalog: Catalog, baseUrl: string, packages: readonly Package[] = []): Json {
  const { tags, ...document } = derivedDocument(catalog)
  return {
    ...document,
    tags: [...(tags as readonly Json[]), ...packageTags(catalog, packages)],
    servers: [{ url: baseUrl }],
  }
}
