// The API reference as data: the resources of the service, each with all the operations on it, and where a form of them leads.
import { V1_PATH } from '../base/api-v1.ts'
import { V2_PATH } from '../base/api-v2.ts'
import { memoized } from '../base/memoized.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Entity } from '../catalog/entity.ts'
import { badParameter } from '../http/problem.ts'
import { OPENAPI_PATH, RECONCILE_PATH, RESOLVE_PATH } from '../http/routes.ts'
import type { QueryPairs } from '../http/v2/request/query-string.ts'
import type { ApiReader } from './api-reader.ts'
import { withQuery } from './links.ts'
import { parameter } from './view.ts'

/** The parts of an OpenAPI document that the page shows. */
export type Document = {
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<Method, DocumentedOperation>>>>>
  readonly components: {
    readonly parameters: Readonly<Record<string, ReferenceParameter>>
    readonly schemas: Readonly<Record<string, ShownSchema>>
    readonly responses: Readonly<Record<string, DocumentedResponse>>
  }
}

const METHODS = ['get', 'post'] as const
type Method = (typeof METHODS)[number]

type Reference = { readonly $ref: string }

export type ShownSchema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly (string | number)[]
  readonly default?: string | number | boolean
  readonly examples?: readonly string[]
  readonly items?: ShownSchema
  readonly anyOf?: readonly ShownSchema[]
  readonly properties?: Readonly<Record<string, ShownSchema>>
  readonly description?: string
}

export type ReferenceParameter = {
  readonly name: string
  readonly in: 'query' | 'path'
  readonly description: string
  readonly required?: boolean
  readonly schema: ShownSchema
}

type DocumentedResponse = { readonly content?: Readonly<Record<string, { readonly schema: ShownSchema }>> }

type DocumentedOperation = {
  readonly operationId: string
  readonly summary: string
  readonly parameters: readonly (ReferenceParameter | Reference)[]
  readonly responses: Readonly<Record<string, Reference | DocumentedResponse>>
}

/** An operation where it is. */
export type ReferenceOperation = {
  readonly id: string
  readonly path: string
  readonly method: Method
  /** The summary in the document, in English. */
  readonly summary: string
  readonly parameters: readonly ReferenceParameter[]
  /** The schema of what it gives, where that is JSON. */
  readonly schema?: ShownSchema | undefined
  /** The statuses of its problems. */
  readonly problems: readonly number[]
}

/** A list of records, or another part of the service. */
export type ReferenceResource = {
  readonly id: string
  readonly path: string
  /** The list whose records it gives. */
  readonly entity?: Entity
}

/** All operations on a resource. */
export type ReferenceSection = ReferenceResource & { readonly operations: readonly ReferenceOperation[] }

export const documentOf = (api: ApiReader) => api.openapi() as unknown as Document

/** The target of a reference; anything else stays itself. */
export function resolved<T extends object>(document: Document, one: T | Reference): T {
  if (!('$ref' in one) || one.$ref === undefined) return one as T
  const [, , section = '', ...rest] = one.$ref.split('/')
  const group = document.components[section as keyof Document['components']] as Readonly<Record<string, T>>
  return resolved(document, group[rest.join('/')] as T)
}

const PROBLEM = /^[45]/

/** The operations at some paths of the document. */
const operationsAt = (document: Document, paths: readonly string[]): ReferenceOperation[] =>
  paths.flatMap((path) =>
    METHODS.flatMap((method) => {
      const documented = document.paths[path]?.[method]
      if (documented === undefined) return []
      const { operationId: id, summary, parameters, responses } = documented
      const { content } = resolved<DocumentedResponse>(document, responses['200'] ?? {})
      return {
        id,
        path,
        method,
        summary,
        parameters: parameters.map((one) => resolved<ReferenceParameter>(document, one)),
        schema: content?.['application/json']?.schema,
        problems: Object.keys(responses)
          .filter((status) => PROBLEM.test(status))
          .map(Number),
      }
    }),
  )

/** The services of reconciling, which are no part of the document: the parameters of each, with those that it must have first. */
const RECONCILE: Readonly<Record<string, readonly string[]>> = {
  '': ['queries', 'extend'],
  '/suggest/entity': ['prefix', 'type', 'cursor'],
  '/suggest/type': ['prefix', 'cursor'],
  '/suggest/property': ['prefix', 'cursor'],
  '/properties': ['type', 'limit'],
  '/preview': ['id'],
}

const reconcileOperations: readonly ReferenceOperation[] = Object.entries(RECONCILE).map(([path, names]) => ({
  id: `get-reconcile${path.replaceAll('/', '-')}`,
  path: `${RECONCILE_PATH}${path}`,
  method: 'get',
  summary: '',
  parameters: names.map((name) => ({ name, in: 'query', description: '', schema: { type: 'string' } })),
  problems: [400, ...(path === '/preview' ? [404] : [])],
}))

const OTHERS: readonly string[] = [
  V2_PATH,
  `${V2_PATH}/search`,
  RESOLVE_PATH,
  `${V2_PATH}/changes`,
  `${V2_PATH}/releases`,
  V1_PATH,
  OPENAPI_PATH,
]

/** The id of the entry of a list, which no other part of the page can have. */
export const listId = ({ plural }: Entity): string => `list-${plural}`

const others: readonly ReferenceResource[] = [...OTHERS, RECONCILE_PATH].map((path) => ({
  id: path.slice(1).replaceAll('/', '-'),
  path,
}))

/** The resources of the service: its lists, and what else there is. */
export const resourcesOf = memoized(({ entities }: Catalog) => ({
  lists: Array.from(
    entities.values(),
    (entity): ReferenceResource => ({ id: listId(entity), path: `${V2_PATH}/${entity.plural}`, entity }),
  ),
  others,
}))

export const resourceNamed = memoized((catalog: Catalog): ReadonlyMap<string, ReferenceResource> => {
  const { lists } = resourcesOf(catalog)
  return new Map([...lists, ...others].map((resource) => [resource.id, resource]))
})

/** The paths of the document by the path of the resource that they belong to: a list that ends a path is the one that it gives. */
const pathsByResource = memoized((document: Document, { collections }: Catalog): ReadonlyMap<string, string[]> => {
  const isOf = (path: string, other: string) => path === other || (other !== V2_PATH && path.startsWith(`${other}/`))
  return Map.groupBy(Object.keys(document.paths), (path) => {
    const list = path.startsWith(`${V2_PATH}/`) && path.split('/').findLast((segment) => collections.has(segment))
    return list ? `${V2_PATH}/${list}` : (OTHERS.find((other) => isOf(path, other)) ?? '')
  })
})

export function sectionOf(document: Document, catalog: Catalog, resource: ReferenceResource): ReferenceSection {
  const { path } = resource
  const operations =
    path === RECONCILE_PATH
      ? reconcileOperations
      : operationsAt(document, pathsByResource(document, catalog).get(path) ?? [])
  return { ...resource, operations }
}

const VARIABLE = /\{([^}]+)\}/g

/** The names that the variables of a path have in a form: with the list before each, since lists may call theirs the same. */
export function pathInForm(path: string): string {
  let list = ''
  return path
    .split('/')
    .map((segment) => {
      if (!segment.includes('{')) list = segment
      return segment.replaceAll(VARIABLE, (_, name: string) => `{${list}.${name}}`)
    })
    .join('/')
}

/** The variables of a path by their names in a form. */
export const variablesIn = (path: string): { readonly input: string; readonly list: string; readonly name: string }[] =>
  [...pathInForm(path).matchAll(VARIABLE)].map(([input, text = '']) => {
    const [list = '', ...name] = text.split('.')
    return { input, list, name: name.join('.') }
  })

/** The target of a form without a script: the response itself. */
export function runTarget(api: ApiReader, pairs: QueryPairs): string {
  const id = parameter(pairs, 'operation')
  const document = documentOf(api)
  const paths = Object.keys(document.paths).filter((one) => document.paths[one]?.get?.operationId === id)
  const operations = [...operationsAt(document, paths), ...reconcileOperations]
  const found = operations.find((one) => one.method === 'get' && one.id === id)
  if (found === undefined)
    throw badParameter('operation', id ?? '', 'the name of a GET operation of the OpenAPI document')
  const target = pathInForm(found.path).replaceAll(VARIABLE, (name) => encodeURIComponent(parameter(pairs, name) ?? ''))
  const isTaken = (name: string) => found.parameters.some((one) => one.in === 'query' && one.name === name)
  return withQuery(
    target,
    pairs.filter(([name, value]) => value !== '' && isTaken(name)),
  )
}
