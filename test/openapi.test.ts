// The OpenAPI document is sound, and has what is served: no route, parameter or problem more or less.
import { afterAll, describe, expect, test } from 'bun:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { OPENAPI_PATH } from '../src/catalog/collections.ts'
import { builtInCatalog, entities } from '../src/catalog/entities.ts'
import { problemTitles } from '../src/http/problem.ts'
import { v1Routes as v1RoutesOf } from '../src/http/v1.ts'
import { openapiDocument } from '../src/http/v2/openapi/document.ts'
import { queryParameter } from '../src/http/v2/openapi/operation.ts'
import {
  bulkParameters,
  changesParameters,
  describeParameters,
  listParameters,
  noParameters,
  type Parameter,
  recordParameters,
  searchParameters,
} from '../src/http/v2/parameter-definitions.ts'
import { v2Paths } from '../src/http/v2/paths.ts'
import { version } from '../src/version.ts'
import type { DocumentedOperation } from './support/openapi.ts'
import { OpenapiService, OWN } from './support/openapi-service.ts'
import { releaseOf, sourceOf } from './support/releases.ts'

const v1Routes = v1RoutesOf(builtInCatalog)
const service = await OpenapiService.create()
afterAll(() => service[Symbol.dispose]())
const { documented, ask } = service
const { document, operations } = documented
const each = operations.map((operation) => [operation.path, operation] as const)
const v2 = each.filter(([path]) => !v1Routes.has(path))
const v1Lists = each.filter(([path]) => v1Routes.has(path) && path.split('/').length > 3)

const queryOf = ({ parameters }: DocumentedOperation) => parameters.filter((one) => one.in === 'query')
const namesOf = (operation: DocumentedOperation) => queryOf(operation).map(({ name }) => name)
const problemIn = async (response: Response) =>
  (await response.json()) as { readonly type: string; readonly detail: string }

describe('the document', () => {
  test('is OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document))
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined })
    expect(document.openapi as unknown).toMatch(/^3\.1\./)
  })

  test('is that of this version, at the address that was asked', () => {
    expect(document).toMatchObject({ info: { version }, servers: [{ url: OWN }] } as never)
  })

  test('gives every operation a name of its own, a summary and a tag that there is', () => {
    const names = operations.map(({ operationId }) => operationId)
    expect(new Set(names).size).toBe(operations.length)
    const tags = (document.tags as unknown as { name: string }[]).map(({ name }) => name)
    expect(operations.filter(({ summary, tags: [tag = ''] }) => summary === '' || !tags.includes(tag))).toEqual([])
  })

  test('has no part that nothing refers to, and refers to none that is not there', () => {
    const references = new Set(JSON.stringify(document).match(/(?<="\$ref":"#\/components\/)[^"]+/g))
    const parts = Object.entries(document.components ?? {}).flatMap(([section, all]) =>
      Object.keys(all).map((name) => `${section}/${name}`),
    )
    expect([...references].sort()).toEqual(parts.sort())
  })

  test('has every kind of problem', () => {
    const [, schema] = Object.entries(document.components?.schemas ?? {}).find(([name]) => name === 'problem') ?? []
    const types = Object.keys(problemTitles).map((kind) => `urn:nomenclator:problem:${kind}`)
    expect(schema?.properties?.type?.enum as unknown).toEqual(types)
    const told = operations.flatMap(({ responses }) => Object.values(responses).map(({ description }) => description))
    expect(Object.keys(problemTitles).filter((kind) => !told.some((one) => one.includes(`\`${kind}\``)))).toEqual([])
  })

  test('can be made of a release without records', async () => {
    const empty = await releaseOf(sourceOf({ pais: [] }))
    const { valid } = await new Validator().validate(structuredClone(openapiDocument(empty, OWN)))
    expect(valid).toBe(true)
  })
})

describe('routes', () => {
  test('are those that are served', () => {
    expect(each.map(([path]) => path).sort()).toEqual(
      [...v1Routes.keys(), ...v2Paths(builtInCatalog), OPENAPI_PATH].sort(),
    )
  })

  test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf'])(
    'are not what every object has: %s',
    async (name) => {
      const { status } = await ask({ target: `/api/v2/${name}` })
      expect(status).toBe(404)
    },
  )

  test.each(each)('%s is where one is sent from the same with a slash', async (_path, operation) => {
    const response = await ask({ target: `${service.pathOf(operation)}/` })
    expect([response.status, response.headers.get('Location')]).toEqual([308, service.pathOf(operation)])
  })

  test.each(each)('%s answers', async (_path, operation) => {
    const response = await ask({ target: service.target(operation) })
    expect(response.status).toBe(200)
    expect(await documented.breaches(operation, response)).toEqual([])
  })
})

/** The table that the server reads, by the beginning of the name of the operation. */
function tableOf({ operationId, path }: DocumentedOperation): ReadonlyMap<string, Parameter> {
  const entity = Object.values(entities).find(({ plural }) => plural === path.split('/').at(-1))
  if (/^list_(?!releases$)/.test(operationId) && entity !== undefined) return listParameters(entity)
  if (operationId.startsWith('all_')) return bulkParameters
  const record = Object.values(entities).find(({ plural }) => plural === path.split('/').at(-2))
  if (operationId.startsWith('get_') && record !== undefined) return recordParameters(record)
  const search = searchParameters(builtInCatalog)
  return { v2: describeParameters, search, changes: changesParameters(builtInCatalog) }[operationId] ?? noParameters
}

describe('parameters', () => {
  test.each(v2)('of %s are in the table that it is read by', (_path, operation) => {
    const table = [...tableOf(operation).values()].map(queryParameter)
    const shown = queryOf(operation).map(({ example, ...rest }) => rest)
    expect(shown as unknown).toEqual(JSON.parse(JSON.stringify(table)))
  })

  test.each(v2)('of %s are those that the server says it knows', async (_path, operation) => {
    const response = await ask({ target: service.target(operation, 'nope=1') })
    const { type, detail } = await problemIn(response)
    expect(type).toBe('urn:nomenclator:problem:unknown-parameter')
    const known = detail.match(/Allowed are (.+)\.$/)?.[1]?.split(', ') ?? []
    expect(namesOf(operation)).toEqual(known)
  })

  test.each(v2)('of %s are all accepted, and no other is', async (_path, operation) => {
    for (const name of namesOf(operation)) {
      const response = await ask({ target: `${service.pathOf(operation)}?${name}=1` })
      if (response.status !== 200) expect((await problemIn(response)).type).not.toEndWith(':unknown-parameter')
      const mistyped = await ask({ target: `${service.pathOf(operation)}?${name}_=1` })
      expect((await problemIn(mistyped)).type).toEndWith(':unknown-parameter')
    }
  })

  test.each(v2)('of %s have as many values as it says, and no more', async (_path, operation) => {
    for (const { name, schema } of queryOf(operation)) {
      const most = (schema as { maxItems?: number }).maxItems
      if (most === undefined) continue
      const request = (count: number) =>
        ask({ target: service.target(operation, `${name}=1${`&${name}=1`.repeat(count - 1)}`) })
      expect((await request(most)).status).toBe(200)
      expect((await problemIn(await request(most + 1))).type).toEndWith(':bad-parameter')
    }
  })

  test.each(v1Lists)('of %s are page and format, and others are ignored', async (_path, operation) => {
    expect(namesOf(operation)).toEqual(['page', 'format'])
    for (const name of namesOf(operation)) {
      const refused = await ask({ target: service.target(operation, `${name}=0`) })
      expect((await problemIn(refused)).type).toEndWith(':bad-parameter')
    }
    expect((await ask({ target: service.target(operation, 'nope=1') })).status).toBe(200)
  })

  test.each(each)('of %s must be given only where it says so', async (_path, operation) => {
    const required = queryOf(operation).filter((one) => one.required === true)
    const response = await ask({ target: service.pathOf(operation) })
    expect(response.status).toBe(required.length > 0 ? 400 : 200)
    for (const { name } of required) expect((await problemIn(response)).detail).toStartWith(`${name} was`)
  })
})

describe('examples', () => {
  const ofParameters = operations.flatMap(({ parameters }) => parameters.filter((one) => one.example !== undefined))

  test('of parameters are as their schemas say', () => {
    expect(ofParameters.length).toBeGreaterThan(0)
    expect(ofParameters.map(({ schema, example }) => documented.wrong(schema, example))).toEqual(
      ofParameters.map(() => undefined),
    )
  })

  test.each(each)('of %s are as their schemas say', (path, { responses }) => {
    const media = Object.values(responses).flatMap(({ content = {} }) => Object.entries(content))
    const shown = media.flatMap(([type, one]) => {
      const values = Object.values(one.examples ?? {}).map(({ value }) => value)
      const all = one.example === undefined ? values : [one.example, ...values]
      return all.map((value) => ({ type, one, text: typeof value === 'string' ? value : JSON.stringify(value) }))
    })
    expect(shown.flatMap(({ type, one, text }) => documented.mediaBreaches(type, one, text))).toEqual([])
    const good = shown.filter(({ type }) => !type.includes('problem'))
    if (path !== OPENAPI_PATH) expect(good.length).toBeGreaterThan(0)
  })
})
