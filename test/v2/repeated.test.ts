// A request to API v2 that names the same thing twice gets it once.
import { afterAll, describe, expect, test } from 'bun:test'
import { ProblemError } from '../../packages/server/src/http/problem.ts'
import { MAX_FIELDS } from '../../packages/server/src/http/v2/parameter-definitions.ts'
import { parseQuery } from '../../packages/server/src/http/v2/request/query-string.ts'
import { parseListRequest } from '../../packages/server/src/http/v2/request/records-request.ts'
import { sourceOf, TestHome, tiny } from '../support/releases.ts'
import { appOf, responseTo } from '../support/responses.ts'

const home = new TestHome()
afterAll(() => home[Symbol.dispose]())
const older = (await home.import(sourceOf({ ...tiny, pais: tiny.pais.slice(0, 1) }))).digest
await home.import(sourceOf(tiny), { acceptChanges: true })
const release = home.current()
const app = appOf(() => release, { store: home.store, policy: { baseUrl: undefined, trustedProxies: undefined } })
const read = async (target: string) => {
  const response = await responseTo(app, { target }, { listeningUrl: 'http://127.0.0.1', peer: undefined })
  expect(response.status).toBe(200)
  return await response.text()
}

describe('fields', () => {
  const inner = ['idMunicipio.idEstado', 'idMunicipio.idEstado.idPais', 'idMunicipio.descMunicipio']
  const forms = ['', '&embed=id', '&format=csv', '&format=csv&embed=id']
  const cases = inner.flatMap((path) => forms.map((form) => [path, form] as const))

  test.each(cases)('that are in a record which is requested whole: %s%s', async (path, form) => {
    const list = '/api/v2/localidades?fields='
    const whole = await read(`${list}idMunicipio${form}`)
    expect(await read(`${list}idMunicipio,${path}${form}`)).toBe(whole)
    expect(await read(`${list}${path},idMunicipio${form}`)).toBe(whole)
  })
})

describe('the same field again and again', () => {
  const parsed = (count: number) => {
    const query = parseQuery(`fields=${Array.from({ length: count }, () => 'descPais').join(',')}`)
    const { definition } = release.entity('pais')
    return parseListRequest({ kind: 'list', entity: definition, parent: undefined }, query, new Map())
  }

  test('is one field for all that comes after', () => {
    expect(parsed(MAX_FIELDS).rendition.fields).toEqual(['descPais'])
  })

  test('is refused before any is looked up where there are too many', () => {
    expect(() => parsed(MAX_FIELDS + 1)).toThrow(ProblemError)
    expect(() => parsed(1_300)).toThrow(ProblemError)
  })
})

describe('collections', () => {
  test('to search in', async () => {
    const search = '/api/v2/search?q=francia&in='
    expect(await read(`${search}paises,paises`)).toBe(await read(`${search}paises`))
  })

  test('to see the changes of', async () => {
    const changes = `/api/v2/changes?from=${older}`
    expect(await read(`${changes}&in=paises&in=paises`)).toBe(await read(`${changes}&in=paises`))
  })
})
