// Whatever is requested that the OpenAPI document allows, or nearly, the response is one that it describes; and every
// response that it describes can be had.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  overloaded,
  PROBLEMS,
  type Problem,
  type ProblemKind,
  problemResponse,
  problemType,
} from '../../packages/server/src/http/problem.ts'
import { HEAD_LIMITS } from '../../packages/server/src/http/wire/request-head.ts'
import { contentTypeOf, type FormatName } from '../../packages/server/src/query/formats/formats.ts'
import { completedRows } from '../support/completed-rows.ts'
import { type DocumentedOperation, type DocumentedParameter, queryOf, type Schema } from '../support/openapi.ts'
import { allowed, pairsOf, queryString, requestsFor } from '../support/openapi-requests.ts'
import { OpenapiService } from '../support/openapi-service.ts'
import { sourceOf, tiny } from '../support/releases.ts'
import { responseOf } from '../support/responses.ts'
import { serverOf, type TestServer } from '../support/server.ts'
import { message, send as sendOnWire } from '../support/wire.ts'

const RUNS_EACH = 8
const VALUES_EACH = 2
const NEVER = '00000000'

const service = await OpenapiService.create()
const { documented, send, sendToBroken, sendLimited } = service
const each = documented.operations.map((operation) => [operation.path, operation] as const)
let server: TestServer
beforeAll(() => {
  server = serverOf(() => service.home.current(), {}, service.home.store)
})
afterAll(async () => {
  await server.close()
  service[Symbol.dispose]()
})

const hasQuery = (operation: DocumentedOperation, name: string) => queryOf(operation).some((one) => one.name === name)
const isV1 = ({ path }: DocumentedOperation) => path.startsWith('/api/v1')

const isOption = (one: object) => Object.keys(one).join() === 'value,label'

describe('requests made from the document', () => {
  test.each(each)('to %s get a response as documented', async (_path, operation) => {
    await fc.assert(
      fc.asyncProperty(requestsFor(service, operation), async ({ inPath, query, headers, method }) => {
        const target = [service.pathOf(operation, inPath), queryString(query)].filter((part) => part !== '').join('?')
        const response = await send({ target, headers, method })
        const isPartial = query.some(([name]) => name === 'fields' || name === 'embed')
        // A document cannot say that a parameter makes other objects of the records: its words do.
        const areOptions =
          response.ok && method === 'GET' && query.some(([name, value]) => name === 'format' && value === 'options')
        if (areOptions) expect(((await response.json()) as object[]).every(isOption)).toBe(true)
        else expect(await documented.breaches(operation, response, isPartial)).toEqual([])
        expect(response.status).toBeLessThan(500)
        const isUnknown = query.some(([name]) => !hasQuery(operation, name))
        if (method === 'GET' && isUnknown && !isV1(operation)) expect(response.status).toBe(400)
      }),
      { numRuns: RUNS_EACH },
    )
    expect(service.failures.splice(0)).toEqual([])
  })
})

const isNumber = ({ type }: Schema) => type === 'integer' || type === 'number'

/** True if a schema describes all values that are allowed, and no other. */
const isExact = ({ enum: words, type = '', items }: Schema): boolean =>
  words !== undefined || isNumber({ type }) || (items !== undefined && isExact(items))

const exact = each
  .map(([path, operation]) => [path, operation, queryOf(operation).filter(({ schema }) => isExact(schema))] as const)
  .filter(([, , parameters]) => parameters.length > 0)

/** Parameters that mean nothing without another. */
const NEEDED: Readonly<Record<string, readonly [name: string, value: string]>> = {
  within_km: ['near', '20,-100'],
  geometry: ['format', 'geojson'],
  lat: ['lon', '-100'],
  lon: ['lat', '20'],
}

const statusOf = async (operation: DocumentedOperation, parameter: DocumentedParameter, ...values: string[]) => {
  const needed = NEEDED[parameter.name]
  const pairs = [...values.map((value) => [parameter.name, value] as const), ...(needed === undefined ? [] : [needed])]
  return (await send({ target: service.target(operation, queryString(pairs)) })).status
}

describe('values of parameters', () => {
  test.each(exact)('of %s are taken if their schema allows them', async (_path, operation, parameters) => {
    for (const parameter of parameters) {
      const schema = parameter.schema.items ?? parameter.schema
      const outermost = [schema.minimum, schema.maximum].filter((one) => one !== undefined).map(String)
      for (const value of [...outermost, ...fc.sample(allowed(schema), VALUES_EACH)])
        expect(`${parameter.name}=${value}: ${await statusOf(operation, parameter, value)}`).toMatch(/: (?:200|404)$/)
    }
  })

  test.each(exact)('of %s are refused if their schema does not', async (_path, operation, parameters) => {
    for (const parameter of parameters) {
      const schema = parameter.schema.items ?? parameter.schema
      const beyond = [(schema.minimum ?? 0) - 1, (schema.maximum ?? 0) + 1]
      for (const value of ['', 'nothing', ...(isNumber(schema) ? beyond.map(String) : [])]) {
        expect(documented.wrong(schema, isNumber(schema) && value !== '' ? Number(value) : value)).toBeString()
        expect(`${parameter.name}=${value}: ${await statusOf(operation, parameter, value)}`).toEndWith(': 400')
      }
    }
  })

  test.each(exact)(
    'of %s are refused twice unless each stands under its name',
    async (_path, operation, parameters) => {
      for (const parameter of parameters) {
        const { name, schema, explode = true } = parameter
        const [value = ''] = fc.sample(allowed(schema.items ?? schema), 1)
        // The document has no way to tell that values may be both in one and repeated.
        const isRepeatable = schema.type === 'array' && (explode || name === 'in')
        expect(`${name}: ${await statusOf(operation, parameter, value, value)}`).toMatch(
          isRepeatable ? /: (?:200|404)$/ : /: 400$/,
        )
      }
    },
  )

  const joined = each.flatMap(([path, operation]) =>
    queryOf(operation)
      .filter(({ explode }) => explode === false)
      .map((parameter) => [`${parameter.name} of ${path}`, operation, parameter] as const),
  )
  test.each(joined)('%s are separated by commas, as many as allowed', async (_name, operation, parameter) => {
    const { enum: words = ['1', '2', '3'] } = parameter.schema.items ?? {}
    const { maxItems = words.length } = parameter.schema
    const request = async (values: readonly string[]) => {
      const [[, value = ''] = []] = pairsOf(parameter, values)
      return statusOf(operation, parameter, value)
    }
    const unique = words.filter((word) => !word.startsWith('-'))
    expect(await request(unique.slice(0, maxItems))).toBe(200)
    if (unique.length > maxItems) expect(await request(unique.slice(0, maxItems + 1))).toBe(400)
    const isAnyText = JSON.stringify(parameter.schema.items) === JSON.stringify({ type: 'string', minLength: 1 })
    expect(await request([...unique.slice(0, 1), isAnyText ? '' : 'nothing'])).toBe(400)
  })
})

const lastInPath = ({ path }: DocumentedOperation) => path.match(/\{(\w+)\}(?=[^{]*$)/)?.[1] ?? ''

/** A request that leads to each kind of problem; those of the head of a request need a socket. */
const wrongs: { readonly [K in ProblemKind]: (operation: DocumentedOperation) => Promise<Response> } = {
  'bad-parameter': (operation) =>
    send({ target: service.target(operation, hasQuery(operation, 'page') ? 'page=0' : '%zz') }),
  'unknown-parameter': (operation) => send({ target: service.target(operation, 'nope=1') }),
  'bad-host': (operation) => send({ target: service.target(operation), headers: { Host: 'two hosts' } }),
  'not-found': (operation) => send({ target: service.pathOf(operation, { [lastInPath(operation)]: 'nothing' }) }),
  'record-not-found': (operation) => send({ target: service.pathOf(operation, { [lastInPath(operation)]: 99_999 }) }),
  'page-beyond-last': (operation) => send({ target: service.target(operation, 'page=99') }),
  'method-not-allowed': (operation) => send({ target: service.target(operation), method: 'POST' }),
  'not-acceptable': (operation) => send({ target: service.target(operation), headers: { Accept: 'image/png' } }),
  'not-signed': (operation) =>
    send({ target: service.pathOf(operation, { digest: service.home.digests[0] as string }) }),
  'release-gone': (operation) => {
    if (hasQuery(operation, 'release')) return send({ target: service.target(operation, `release=${NEVER}`) })
    if (hasQuery(operation, 'to')) return send({ target: service.target(operation, `to=${NEVER}`) })
    return send({ target: service.pathOf(operation, { digest: NEVER }) })
  },
  'release-awaited': (operation) => problemAt(operation, { kind: 'release-awaited', digest: NEVER }),
  'precondition-failed': (operation) =>
    send({ target: service.target(operation), headers: { 'If-Match': '"another"' } }),
  'range-not-satisfiable': (operation) =>
    send({ target: service.target(operation), headers: { Range: 'bytes=999999-' } }),
  'too-many-requests': (operation) => sendLimited({ target: service.target(operation) }),
  'internal-error': (operation) => sendToBroken({ target: service.target(operation) }),
  'bad-request': (operation) => onWire(operation, 'No field'),
  'uri-too-long': (operation) => onWire(operation, 'Host: a', `?${'a'.repeat(HEAD_LIMITS.target)}`),
  'headers-too-large': (operation) => onWire(operation, `Host: a\r\nX: ${'a'.repeat(HEAD_LIMITS.bytes)}`),
  'request-timeout': (operation) => problemAt(operation, { kind: 'request-timeout', seconds: 15 }),
  'content-too-large': (operation) => problemAt(operation, { kind: 'content-too-large', max: 1 }),
  'bad-body': (operation) => problemAt(operation, { kind: 'bad-body', wrong: 'the body is not UTF-8' }),
  'bad-row': (operation) => problemAt(operation, { kind: 'bad-row', row: 1, wrong: 'it is 1', allowed: 'a text' }),
  'too-many-rows': (operation) => problemAt(operation, { kind: 'too-many-rows', max: 1 }),
  'unsupported-media-type': (operation) =>
    problemAt(operation, { kind: 'unsupported-media-type', type: 'a/b', allowed: 'text/csv' }),
  'took-too-long': (operation) => problemAt(operation, { kind: 'took-too-long' }),
  overloaded: (operation) => problemAt(operation, overloaded('bytes', 'everything is used up')),
}

/** The response with a problem that depends on time or on other clients. */
const problemAt = async (operation: DocumentedOperation, problem: Problem) =>
  responseOf(problemResponse(problem, service.pathOf(operation)))

async function onWire(operation: DocumentedOperation, fields: string, query = ''): Promise<Response> {
  const request = message('GET', service.pathOf(operation) + query, fields)
  const { status, headers, body } = await sendOnWire(server.url, request)
  return new Response(body, { status, headers })
}

describe('every documented response', () => {
  test.each(each)('of %s that is good', async (_path, operation) => {
    const response = await send({ target: service.target(operation) })
    expect(response.status).toBe(200)
    expect(await documented.breaches(operation, response)).toEqual([])
    const again = await send({ target: service.target(operation), headers: { 'If-None-Match': '*' } })
    expect(again.status).toBe(operation.responses[304] === undefined ? 200 : 304)
    expect(await documented.breaches(operation, again)).toEqual([])
  })

  test.each(each)('of %s that is a problem', async (_path, operation) => {
    const statuses = new Set<string>()
    for (const [kind, [status]] of Object.entries(PROBLEMS)) {
      const response = await wrongs[kind as ProblemKind](operation)
      if (response.status < 400) continue
      const { type } = (await response.clone().json()) as { type: string }
      // If an operation has no problem of this kind, the request leads to another, or to none.
      if (type === problemType(kind as ProblemKind)) expect(response.status).toBe(status)
      statuses.add(String(response.status))
      expect(await documented.breaches(operation, response)).toEqual([])
    }
    const promised = Object.keys(operation.responses).filter((status) => Number(status) >= 400)
    expect(promised.filter((status) => !statuses.has(status))).toEqual([])
  })

  const formatted = each.filter(([, operation]) => hasQuery(operation, 'format') && !isV1(operation))
  test.each(formatted)('of %s in all its formats and encodings', async (_path, operation) => {
    const formats = queryOf(operation).find(({ name }) => name === 'format')?.schema.enum ?? []
    for (const format of formats) {
      // All records are a sequence of features, and not a collection of them.
      const sent = format === 'geojson' && operation.path.endsWith('/all') ? 'geojsonseq' : format
      for (const encoding of ['identity', 'gzip', 'br', 'zstd']) {
        const headers = { 'Accept-Encoding': encoding }
        const response = await send({ target: service.target(operation, `format=${format}`), headers })
        expect(response.headers.get('Content-Type')).toBe(contentTypeOf(sent as FormatName))
        if (format === 'options' && encoding === 'identity') await expectOptions(response)
        else if (format !== 'options') expect(await documented.breaches(operation, response)).toEqual([])
      }
    }
  })

  /** The description of the format says what a body has, in place of records. */
  async function expectOptions(response: Response): Promise<void> {
    const options = (await response.json()) as object[]
    expect(response.status).toBe(200)
    for (const option of options) expect(option).toEqual({ value: expect.any(String), label: expect.any(String) })
  }

  const v2 = each.filter(([, operation]) => !isV1(operation))
  test.each(v2)(
    'of %s is compressed with gzip for a client that accepts anything, unless it is small',
    async (_, operation) => {
      const target = service.target(operation)
      const plain = (await (await send({ target })).bytes()).length
      for (const accepted of ['*', 'gzip']) {
        const response = await send({ target, headers: { 'Accept-Encoding': accepted } })
        expect([plain, response.headers.get('Content-Encoding')]).toEqual([plain, plain < 1_000 ? null : 'gzip'])
      }
    },
  )

  const partial = each.filter(([, operation]) => hasQuery(operation, 'fields'))
  test.each(partial)('of %s is a partial one with some fields, or with identifiers', async (_path, operation) => {
    const [field = ''] = queryOf(operation).find(({ name }) => name === 'fields')?.schema.items?.enum ?? []
    for (const more of [`fields=${field}`, 'embed=id', `fields=${field}&embed=id&format=ndjson`]) {
      const response = await send({ target: service.target(operation, more) })
      expect(response.status).toBe(200)
      expect(await documented.breaches(operation, response, true)).toEqual([])
    }
  })

  test('that has changes in it', async () => {
    const operation = documented.operation('changes')
    const [first] = service.home.digests
    const pais = [...tiny.pais.slice(1), { cvePais: 'DEU', descPais: 'Alemania', idPais: 276 }]
    const estado = tiny.estado.map((row) => ({ ...row, idPais: 276 }))
    const rows = completedRows(service.catalog, { ...tiny, pais, estado })
    const { digest } = await service.home.import(sourceOf(rows), { acceptChanges: true })
    for (const more of ['format=json', 'format=ndjson', 'embed=id', 'embed=id&format=ndjson']) {
      const response = await send({ target: `${service.pathOf(operation)}?from=${first}&to=${digest}&${more}` })
      const kinds = [...(await response.clone().text()).matchAll(/"change":"([a-z]+)"/g)].map(([, kind]) => kind)
      expect(new Set(kinds)).toEqual(new Set(['added', 'changed', 'removed']))
      expect(await documented.breaches(operation, response, more.startsWith('embed'))).toEqual([])
    }
  })
})
