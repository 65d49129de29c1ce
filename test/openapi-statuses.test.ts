// Every status and every problem that the OpenAPI document names can be had, and the answer is as documented.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type ProblemKind, problemTitles } from '../src/http/problem.ts'
import { HEAD_LIMITS } from '../src/http/wire/request-head.ts'
import type { Question } from './support/answered.ts'
import type { DocumentedOperation } from './support/openapi.ts'
import { OpenapiService } from './support/openapi-service.ts'
import { sourceOf, tiny } from './support/releases.ts'
import { serverOf, type TestServer } from './support/server.ts'
import { message, send as sendOnWire } from './support/wire.ts'

const service = await OpenapiService.create()
const { documented, ask, askBroken } = service
const each = documented.operations.map((operation) => [operation.path, operation] as const)
let server: TestServer
beforeAll(() => {
  server = serverOf(() => service.home.current(), {}, service.home.shelf)
})
afterAll(async () => {
  await server.close()
  service[Symbol.dispose]()
})

const hasQuery = ({ parameters }: DocumentedOperation, name: string) =>
  parameters.some((one) => one.in === 'query' && one.name === name)
const lastInPath = ({ path }: DocumentedOperation) => path.match(/\{(\w+)\}(?=[^{]*$)/)?.[1] ?? ''
const NEVER = '00000000'

/** What is asked to get there; the problems of the head of a request need a socket. */
const wrongs: { readonly [K in ProblemKind]: (operation: DocumentedOperation) => Promise<Response> } = {
  'bad-parameter': (operation) =>
    ask({ target: service.target(operation, hasQuery(operation, 'page') ? 'page=0' : '%zz') }),
  'unknown-parameter': (operation) => ask({ target: service.target(operation, 'nope=1') }),
  'bad-host': (operation) => ask({ target: service.target(operation), headers: { Host: 'two hosts' } }),
  'not-found': (operation) => ask({ target: service.pathOf(operation, { [lastInPath(operation)]: 'nothing' }) }),
  'record-not-found': (operation) => ask({ target: service.pathOf(operation, { [lastInPath(operation)]: 99_999 }) }),
  'page-beyond-last': (operation) => ask({ target: service.target(operation, 'page=99') }),
  'method-not-allowed': (operation) => ask({ target: service.target(operation), method: 'POST' }),
  'not-acceptable': (operation) => ask({ target: service.target(operation), headers: { Accept: 'image/png' } }),
  'release-gone': (operation) => {
    if (hasQuery(operation, 'release')) return ask({ target: service.target(operation, `release=${NEVER}`) })
    if (hasQuery(operation, 'to')) return ask({ target: service.target(operation, `to=${NEVER}`) })
    return ask({ target: service.pathOf(operation, { digest: NEVER }) })
  },
  'range-not-satisfiable': (operation) =>
    ask({ target: service.target(operation), headers: { Range: 'bytes=999999-' } }),
  'internal-error': (operation) => askBroken({ target: service.target(operation) }),
  'bad-request': (operation) => onWire(operation, 'No field'),
  'uri-too-long': (operation) => onWire(operation, 'Host: a', `?${'a'.repeat(HEAD_LIMITS.target)}`),
  'headers-too-large': (operation) => onWire(operation, `Host: a\r\nX: ${'a'.repeat(HEAD_LIMITS.bytes)}`),
}

async function onWire(operation: DocumentedOperation, fields: string, query = ''): Promise<Response> {
  const { status, headers, body } = await sendOnWire(
    server.url,
    message('GET', service.pathOf(operation) + query, fields),
  )
  return new Response(body, { status, headers })
}

const goods: Readonly<Record<string, Omit<Question, 'target'>>> = {
  200: {},
  206: { headers: { Range: 'bytes=1-2' } },
  304: { headers: { 'If-None-Match': '*' } },
}

const kindsOf = ({ responses }: DocumentedOperation) =>
  Object.values(responses).flatMap(({ description }) =>
    [...description.matchAll(/`([a-z-]+)`: /g)].map(([, kind]) => kind as ProblemKind),
  )

describe('every documented answer', () => {
  test.each(each)('of %s that is good', async (_path, operation) => {
    const statuses = Object.keys(operation.responses).filter((status) => Number(status) < 400)
    for (const status of statuses) {
      const response = await ask({ target: service.target(operation), ...goods[status] })
      expect(response.status).toBe(Number(status))
      expect(await documented.breaches(operation, response)).toEqual([])
    }
  })

  test.each(each)('of %s that is a problem', async (_path, operation) => {
    const kinds = kindsOf(operation)
    const statuses = kinds.map((kind) => String(problemTitles[kind][0]))
    expect(Object.keys(operation.responses).filter((status) => Number(status) >= 400)).toEqual(
      [...new Set(statuses)].sort(),
    )
    for (const kind of kinds) {
      const response = await wrongs[kind](operation)
      const { type } = (await response.clone().json()) as { type: string }
      expect({ kind: type, status: response.status }).toEqual({
        kind: `urn:nomenclator:problem:${kind}`,
        status: problemTitles[kind][0],
      })
      expect(await documented.breaches(operation, response)).toEqual([])
    }
  })

  const formatted = each.filter(([, operation]) => hasQuery(operation, 'format') && operation.responses[406])
  test.each(formatted)('of %s in all its forms and codings', async (_path, operation) => {
    const forms = operation.parameters.find(({ name }) => name === 'format')?.schema.enum ?? []
    const types = Object.keys(operation.responses[200]?.content ?? {})
    const seen = new Set<string | undefined>()
    for (const form of forms) {
      for (const coding of ['identity', 'gzip', 'br', 'zstd']) {
        const headers = { 'Accept-Encoding': coding }
        const response = await ask({ target: service.target(operation, `format=${form}`), headers })
        seen.add(response.headers.get('Content-Type')?.split(';')[0])
        expect(response.status).toBe(200)
        expect(await documented.breaches(operation, response)).toEqual([])
      }
    }
    expect([...seen].sort()).toEqual(types.sort())
  })

  const partial = each.filter(([, operation]) => hasQuery(operation, 'fields'))
  test.each(partial)('of %s with some fields, and with embedded records by identifier', async (_path, operation) => {
    const whole = (await (await ask({ target: service.target(operation) })).json()) as object
    const [field = ''] = Object.keys(Array.isArray(whole) ? whole[0] : whole)
    for (const more of [`fields=${field}`, 'embed=id', `fields=${field}&embed=id&format=ndjson`]) {
      const response = await ask({ target: service.target(operation, more) })
      expect(response.status).toBe(200)
      expect(await documented.breaches(operation, response)).toEqual([])
    }
  })

  test('that has changes in it', async () => {
    const operation = documented.operation('changes')
    const [first] = service.home.digests
    const pais = [...tiny.pais.slice(1), { cvePais: 'DEU', descPais: 'Alemania', idPais: 276 }]
    const estado = tiny.estado.map((row) => ({ ...row, idPais: 276 }))
    const { digest } = await service.home.import(sourceOf({ ...tiny, pais, estado }), { acceptChanges: true })
    for (const format of ['json', 'ndjson']) {
      const response = await ask({ target: `${service.pathOf(operation)}?from=${first}&to=${digest}&format=${format}` })
      const kinds = [...(await response.clone().text()).matchAll(/"change":"([a-z]+)"/g)].map(([, kind]) => kind)
      expect(new Set(kinds)).toEqual(new Set(['added', 'changed', 'removed']))
      expect(await documented.breaches(operation, response)).toEqual([])
    }
  })
})
