// The OpenAPI document is sound and small, and has what is served: no route, parameter or problem more or less.
import { afterAll, describe, expect, test } from 'bun:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { version } from '../../packages/server/src/base/version.ts'
import { catalogOf } from '../../packages/server/src/catalog/catalog.ts'
import { PROBLEMS, type ProblemKind, problemType } from '../../packages/server/src/http/problem.ts'
import { OPENAPI_PATH, RESOLVE_PATH } from '../../packages/server/src/http/routes.ts'
import { v1Routes } from '../../packages/server/src/http/v1/v1.ts'
import { openapiDocument } from '../../packages/server/src/http/v2/openapi/document.ts'
import { v2Paths } from '../../packages/server/src/http/v2/v2-routes.ts'
import { code, embeds, entity, id, name } from '../support/definitions.ts'
import { Documented, type DocumentedOperation, queryOf } from '../support/openapi.ts'
import { OpenapiService, OWN } from '../support/openapi-service.ts'

const MAX_BYTES_PER_COLLECTION = 26_500

const service = await OpenapiService.create()
afterAll(() => service[Symbol.dispose]())
const { documented, send, catalog } = service
const { document, operations } = documented
const v1Paths = [...v1Routes(catalog).keys()]
const each = operations.map((operation) => [operation.path, operation] as const)
const v2 = each.filter(([path]) => !v1Paths.includes(path))
const v1Lists = each.filter(([, operation]) => v1Paths.includes(operation.path) && queryOf(operation).length > 0)

const namesOf = (operation: DocumentedOperation) => queryOf(operation).map((parameter) => parameter.name)
const problemIn = async (response: Response) =>
  (await response.json()) as { readonly type: string; readonly detail: string }

/** Parts under components, and references to them. */
function partsOf(one: object): { readonly parts: string[]; readonly references: string[] } {
  const { components = {} } = one as { components?: Readonly<Record<string, object>> }
  const parts = Object.entries(components).flatMap(([section, all]) =>
    Object.keys(all).map((key) => `${section}/${key}`),
  )
  const references = JSON.stringify(one).match(/(?<="\$ref":"#\/components\/)[^"]+/g) ?? []
  return { parts: parts.sort(), references: [...new Set(references)].sort() }
}

describe('the document', () => {
  test('is OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document))
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined })
    expect(document.openapi as unknown).toMatch(/^3\.1\./)
  })

  test(`has fewer than ${MAX_BYTES_PER_COLLECTION} bytes per collection`, () => {
    const bytes = Buffer.byteLength(JSON.stringify(document))
    expect(bytes / catalog.collections.size).toBeLessThan(MAX_BYTES_PER_COLLECTION)
  })

  test('has this version, and the address of the request', () => {
    expect(document).toMatchObject({ info: { version }, servers: [{ url: OWN }] } as never)
  })

  test('is made once for a catalog', () => {
    expect(openapiDocument(catalog, OWN).paths).toBe(openapiDocument(catalog, 'http://elsewhere').paths)
  })

  test('gives every operation a name that can be a method, a summary, a description and a tag that there is', () => {
    const names = operations.map(({ operationId }) => operationId)
    expect(new Set(names).size).toBe(operations.length)
    expect(names.filter((one) => !/^[a-z][A-Za-z0-9]*$/.test(one))).toEqual([])
    const tags = (document.tags as unknown as { name: string }[]).map((tag) => tag.name)
    const isBare = ({ summary, description, tags: [tag = ''] }: DocumentedOperation) =>
      summary === '' || description === '' || !tags.includes(tag)
    expect(operations.filter(isBare)).toEqual([])
  })

  test('has no part that nothing refers to, and refers to none that is not there', () => {
    const { parts, references } = partsOf(document)
    expect(references).toEqual(parts)
  })

  test('describes JSON, and text where nothing else is there, with one type of record for each collection', () => {
    const good = operations.map(({ responses }) => Object.keys(responses[200]?.content ?? {}))
    expect(new Set(good.flat())).toEqual(new Set(['application/json', 'text/plain']))
    for (const entity of catalog.entities.values()) {
      const schemas = operations
        .filter(({ path }) => service.entityAt(path) === entity)
        .map(({ responses }) => responses[200]?.content?.['application/json']?.schema)
      expect(new Set(schemas.map((schema) => JSON.stringify(schema?.items ?? schema))).size).toBe(1)
    }
  })

  test('has every kind of problem, each under its status', () => {
    const schemas = document.components?.schemas as
      | { Problem?: { properties: { type: { enum: string[] } } } }
      | undefined
    const kinds = Object.keys(PROBLEMS) as ProblemKind[]
    expect(schemas?.Problem?.properties.type.enum).toEqual(kinds.map(problemType))
    for (const { responses } of operations) {
      for (const kind of kinds) {
        const [status, title] = PROBLEMS[kind]
        if (responses[status] !== undefined) expect(responses[status].description).toContain(`\`${kind}\`: ${title}`)
      }
    }
    const all = operations.flatMap(({ responses }) => Object.values(responses).map(({ description }) => description))
    expect(kinds.filter((kind) => !all.some((one) => one.includes(`\`${kind}\``)))).toEqual([])
  })
})

describe('of a catalog of its own', () => {
  const shelf = entity({
    name: 'shelf',
    plural: 'shelves',
    v1: 1,
    fields: {
      label: code('label', /^[A-Z]+$/, 'letters'),
      title: name('name of the shelf'),
      idShelf: id('shelf number'),
    },
    key: ['idShelf'],
    code: ['label'],
  })
  const oldBook = entity({
    name: 'old-book',
    plural: 'old-books',
    fields: {
      isbn: code('book code', /^[0-9]+$/, 'digits'),
      idShelf: embeds(shelf, 'its shelf'),
      idBook: id('book number'),
    },
    key: ['idShelf', 'idBook'],
    code: ['idShelf', 'isbn'],
  })
  const own = new Documented(openapiDocument(catalogOf([shelf, oldBook]), OWN))

  test('the document is OpenAPI, and whole', async () => {
    const { valid } = await new Validator().validate(structuredClone(own.document))
    expect(valid).toBe(true)
    const { parts, references } = partsOf(own.document)
    expect(references).toEqual(parts)
  })

  test('operations follow the definitions', () => {
    const records = own.operations.filter(({ tags: [tag = ''] }) =>
      ['Lists', 'Records', 'Bulk', 'API v1'].includes(tag),
    )
    expect(Object.fromEntries(records.map(({ operationId, path }) => [operationId, path]))).toEqual({
      listShelves: '/api/v2/shelves',
      listOldBooks: '/api/v2/old-books',
      listOldBooksOfShelf: '/api/v2/shelves/{idShelf}/old-books',
      getShelf: '/api/v2/shelves/{idShelf}',
      getOldBook: '/api/v2/shelves/{idShelf}/old-books/{idBook}',
      allShelves: '/api/v2/shelves/all',
      allOldBooks: '/api/v2/old-books/all',
      allOldBooksOfShelf: '/api/v2/shelves/{idShelf}/old-books/all',
      listCollectionsV1: '/api/v1',
      listShelvesV1: '/api/v1/shelves',
    })
  })

  test('records follow the definitions', () => {
    const record = { isbn: '1', idShelf: { label: 'A', title: 'First', idShelf: 1 }, idBook: 2 }
    const schema = own.operation('getOldBook').responses[200]?.content?.['application/json']?.schema as object
    expect(own.wrong(schema, record)).toBeUndefined()
    expect(own.wrong(schema, { ...record, idShelf: 1 })).toBeString()
    expect(own.wrong(schema, { ...record, isbn: 'one' })).toContain('pattern')
  })

  test('parameters follow the definitions', () => {
    const parameters = queryOf(own.operation('listOldBooksOfShelf'))
    const fields = parameters.find((one) => one.name === 'fields')
    const paths = ['isbn', 'idShelf', 'idShelf.label', 'idShelf.title', 'idShelf.idShelf', 'idBook']
    expect(fields).toMatchObject({ explode: false, schema: { type: 'array', items: { enum: paths } } })
    const filters = parameters.filter(({ description }) => description.startsWith('Filter')).map((one) => one.name)
    expect(filters).toEqual([...paths, 'isbn_prefix', 'idShelf.label_prefix'])
  })

  test('counts are counted', () => {
    const tags = own.document.tags as unknown as { name: string; description: string }[]
    expect(tags.find((tag) => tag.name === 'Lists')?.description).toStartWith('2 collections')
    expect(tags.find((tag) => tag.name === 'API v1')?.description).toStartWith('1 collection')
  })
})

describe('routes', () => {
  test('are those that are served', () => {
    expect(each.map(([path]) => path).sort()).toEqual([...v1Paths, ...v2Paths(catalog), OPENAPI_PATH].sort())
  })

  test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf'])(
    'are not what every object has: %s',
    async (property) => expect((await send({ target: `/api/v2/${property}` })).status).toBe(404),
  )

  test.each(each)('%s is where one is sent from the same with a slash', async (_path, operation) => {
    const response = await send({ target: `${service.pathOf(operation)}/` })
    expect([response.status, response.headers.get('Location')]).toEqual([308, service.pathOf(operation)])
  })
})

describe('parameters', () => {
  test.each(v2)('of %s are those that the server says it knows, and no other is accepted', async (_path, operation) => {
    const response = await send({ target: service.target(operation, 'nope=1') })
    const { type, detail } = await problemIn(response)
    expect(type).toBe(problemType('unknown-parameter'))
    expect(namesOf(operation)).toEqual(detail.match(/Allowed are (.+)\.$/)?.[1]?.split(', ') ?? [])
    for (const parameter of namesOf(operation)) {
      const accepted = await send({ target: `${service.pathOf(operation)}?${parameter}=1` })
      if (accepted.status !== 200) expect((await problemIn(accepted)).type).not.toBe(problemType('unknown-parameter'))
      const mistyped = await send({ target: `${service.pathOf(operation)}?${parameter}_=1` })
      expect((await problemIn(mistyped)).type).toBe(problemType('unknown-parameter'))
    }
  })

  test.each(v1Lists)('of %s are page and format, and others are ignored', async (_path, operation) => {
    expect(namesOf(operation)).toEqual(['page', 'format'])
    expect((await send({ target: service.target(operation, 'nope=1') })).status).toBe(200)
  })

  test.each(each)('of %s must be given only where it says so', async (_path, operation) => {
    const required = queryOf(operation).filter((one) => one.required === true)
    const response = await send({ target: service.pathOf(operation) })
    // A row needs either free text or a part, which a document cannot say.
    expect(response.status).toBe(required.length > 0 || operation.path === RESOLVE_PATH ? 400 : 200)
    for (const parameter of required) expect((await problemIn(response)).detail).toStartWith(`${parameter.name} was`)
  })
})
