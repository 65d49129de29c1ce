// The OpenAPI document of both APIs: derived from a catalog, the tables of parameters and the table of problems.

import { memoized } from '../../../base/memoized.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { PROBLEMS, type ProblemKind } from '../../problem.ts'
import type { Parameter } from '../parameter.ts'
import { type Operation, operationsOf } from './operations.ts'
import { derivedSchemas, type Json, listOf, schemaRef, sharedListOf } from './schemas.ts'
import { filledDocument, problemKinds } from './template.ts'

type Section = 'parameters' | 'headers' | 'responses'
type Ref = (section: Section, name: string) => Json

/** Makes references, each once: thousands of operations have the same. */
function references(): Ref {
  const known = new Map<string, Json>()
  return (section, name) => {
    const $ref = `#/components/${section}/${name}`
    return known.getOrInsertComputed($ref, () => ({ $ref }))
  }
}

/** A valid name of a component; names of fields may be any text. */
const COMPONENT = /^[A-Za-z0-9._-]+$/
const componentName = ({ name, slug = name }: Parameter) => (COMPONENT.test(name) ? name : slug)

type ParameterNames = ReadonlyMap<Parameter, string>

/** The name of each parameter as a component: those that say the same share one, and have their own name unless others have it too. */
function parameterNames(parameters: ReadonlySet<Parameter>): ParameterNames {
  const texts = new Map(Array.from(parameters, (one) => [one, JSON.stringify(parameterObject(one))]))
  const namesakes = Map.groupBy(parameters, componentName)
  const nameByText = new Map<string, string>()
  const taken = new Set<string>()
  const named = (parameter: Parameter, text: string) => {
    const own = componentName(parameter)
    const isAlone = namesakes.get(own)?.every((other) => texts.get(other) === text)
    const wanted = isAlone ? own : `${parameter.of ?? 'v2'}.${own}`
    // The list and its field may make up the path of a field in another list.
    let name = wanted
    for (let number = 2; taken.has(name); number++) name = `${wanted}-${number}`
    taken.add(name)
    return name
  }
  return new Map(
    Array.from(texts, ([parameter, text]) => [
      parameter,
      nameByText.getOrInsertComputed(text, () => named(parameter, text)),
    ]),
  )
}

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

const statusesOf = ({ problems }: Operation) => [...new Set([ANYWHERE, ...problems].map(statusOf))]
const statusOf = (kind: ProblemKind) => PROBLEMS[kind][0]
const problemName = (status: number) => `Problem${status}`

const problemResponse = (kinds: readonly ProblemKind[]): Json => ({
  description: kinds.map((kind) => `\`${kind}\`: ${PROBLEMS[kind][1]}`).join('; '),
  content: { 'application/problem+json': { schema: schemaRef('Problem') } },
})

const okResponse = ({ headers, schema, mediaType = 'application/json' }: Operation, ref: Ref): Json => ({
  description: 'OK',
  ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers.map((name) => [name, ref('headers', name)])) }),
  content: { [mediaType]: { schema } },
})

function operationObject(operation: Operation, names: ParameterNames, ref: Ref): Json {
  const { id, tag, summary, description, inPath, hasValidator = true, sharedAs, requestBody, entity } = operation
  return {
    operationId: id,
    tags: [tag, ...(entity?.package === undefined ? [] : [entity.package])],
    summary,
    description,
    parameters: [
      ...inPath.map((parameter) => ({ ...parameter, in: 'path', required: true })),
      ...Array.from(operation.inQuery.values(), (one) => ref('parameters', names.get(one) ?? one.name)),
    ],
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: {
      200: sharedAs === undefined ? okResponse(operation, ref) : ref('responses', sharedAs),
      ...(hasValidator ? { 304: ref('responses', 'NotModified') } : {}),
      ...Object.fromEntries(statusesOf(operation).map((status) => [status, ref('responses', problemName(status))])),
      default: ref('responses', 'OtherProblem'),
    },
  }
}

function responsesOf(operations: readonly Operation[], ref: Ref): Json {
  const statuses = new Set(operations.flatMap(statusesOf))
  const problemsWith = (status: number) => problemResponse(problemKinds.filter((kind) => statusOf(kind) === status))
  const shared = operations.flatMap((one) => (one.sharedAs === undefined ? [] : [[one.sharedAs, okResponse(one, ref)]]))
  return {
    ...Object.fromEntries(shared),
    NotModified: { description: 'The client has it already' },
    ...Object.fromEntries([...statuses].map((status) => [problemName(status), problemsWith(status)])),
    OtherProblem: problemResponse(problemKinds.filter((kind) => !statuses.has(statusOf(kind)))),
  }
}

/** An object whose members are made whenever they are read: those of thousands of paths would take more room than all else. */
function describedWhenRead<T>(members: ReadonlyMap<string, T>, describe: (member: T) => Json): Json {
  const described = {}
  for (const [name, member] of members)
    Object.defineProperty(described, name, { enumerable: true, get: () => describe(member) })
  return described
}

/** The document without its servers. */
const derivedDocument = memoized((catalog: Catalog): Json => {
  const { info, tags, headers, operations: described, schemas } = filledDocument(catalog)
  const operations = operationsOf(catalog, described)
  const names = parameterNames(new Set(operations.flatMap(({ inQuery }) => [...inQuery.values()])))
  const ref = references()
  const used = new Set<string>(operations.flatMap((one) => one.headers))
  return {
    openapi: '3.1.1',
    info,
    security: [],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: describedWhenRead(
      Map.groupBy(operations, ({ path }) => path),
      (all) => Object.fromEntries(all.map((one) => [one.method ?? 'get', operationObject(one, names, ref)])),
    ),
    components: {
      schemas: { ...derivedSchemas(catalog), ...schemas },
      parameters: Object.fromEntries(Array.from(names, ([one, name]) => [name, parameterObject(one)])),
      headers: Object.fromEntries(Object.entries(headers).filter(([name]) => used.has(name))),
      responses: responsesOf(operations, ref),
    },
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
