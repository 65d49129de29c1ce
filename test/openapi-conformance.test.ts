// Whatever is asked that the OpenAPI document lets one ask, or nearly, the answer is one that it describes.
import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { DocumentedOperation, DocumentedParameter, Schema } from './support/openapi.ts'
import { allowed, queryString, requestsFor } from './support/openapi-requests.ts'
import { OpenapiService } from './support/openapi-service.ts'

const RUNS_EACH = 60
const VALUES_EACH = 4

const service = await OpenapiService.create()
afterAll(() => service[Symbol.dispose]())
const { documented, ask } = service
const each = documented.operations.map((operation) => [operation.path, operation] as const)

const inQuery = ({ parameters }: DocumentedOperation) => parameters.filter((one) => one.in === 'query')
const isV1 = ({ operationId }: DocumentedOperation) => operationId.startsWith('v1')

describe('requests made from the document', () => {
  test.each(each)('to %s are answered as documented', async (_path, operation) => {
    const known = new Set(inQuery(operation).map(({ name }) => name))
    await fc.assert(
      fc.asyncProperty(requestsFor(operation), async ({ inPath, query, headers, method }) => {
        const target = [service.pathOf(operation, inPath), queryString(query)].filter((part) => part !== '').join('?')
        const response = await ask({ target, headers, method })
        expect(await documented.breaches(operation, response)).toEqual([])
        expect(response.status).toBeLessThan(500)
        const isStrange = query.some(([name]) => !known.has(name))
        if (method === 'GET' && isStrange && !isV1(operation)) expect(response.status).toBe(400)
      }),
      { numRuns: RUNS_EACH },
    )
    expect(service.failures.splice(0)).toEqual([])
  })
})

/** Says all there is to say about what is allowed. */
const isExact = ({ enum: words, type, items }: Schema): boolean =>
  words !== undefined || type === 'integer' || (items !== undefined && isExact(items))

const exact = each
  .map(([path, operation]) => [path, operation, inQuery(operation).filter(({ schema }) => isExact(schema))] as const)
  .filter(([, , parameters]) => parameters.length > 0)

const request = (operation: DocumentedOperation, { name }: DocumentedParameter, value: string) =>
  ask({ target: service.target(operation, queryString([[name, value]])) })

describe('values of parameters', () => {
  test.each(exact)('of %s are taken if their schema allows them', async (_path, operation, parameters) => {
    for (const parameter of parameters) {
      const schema = parameter.schema.items ?? parameter.schema
      const outermost = [schema.minimum, schema.maximum].filter((one) => one !== undefined).map(String)
      for (const value of [...outermost, ...fc.sample(allowed(schema), VALUES_EACH)]) {
        const { status } = await request(operation, parameter, value)
        expect(`${parameter.name}=${value}: ${status}`).toMatch(/: (?:200|404)$/)
      }
    }
  })

  test.each(exact)('of %s are refused if their schema does not', async (_path, operation, parameters) => {
    for (const parameter of parameters) {
      const schema = parameter.schema.items ?? parameter.schema
      const beyond = [(schema.minimum ?? 0) - 1, (schema.maximum ?? 0) + 1]
      for (const value of ['', 'nothing', ...(schema.type === 'integer' ? beyond.map(String) : [])]) {
        const typed = schema.type === 'integer' && value !== '' ? Number(value) : value
        expect(documented.wrong(schema, typed)).toBeString()
        const { status } = await request(operation, parameter, value)
        expect(`${parameter.name}=${value}: ${status}`).toEndWith(': 400')
      }
    }
  })

  test.each(exact)('of %s are refused twice unless they may be repeated', async (_path, operation, parameters) => {
    for (const { name, schema } of parameters) {
      const [value = ''] = fc.sample(allowed(schema.items ?? schema), 1)
      const { status } = await ask({
        target: service.target(
          operation,
          queryString([
            [name, value],
            [name, value],
          ]),
        ),
      })
      expect(`${name}: ${status === 400}`).toBe(`${name}: ${schema.type !== 'array'}`)
    }
  })
})
