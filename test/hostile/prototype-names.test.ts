// Lists, records and sources that are called what every object inherits: each page, path and format has them as any other.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { LANGUAGES, languageOf } from '../../packages/server/src/explorer/language.ts'
import { openPackage } from '../../packages/server/src/source/package/open-package.ts'
import { PackageDirectory } from '../support/package-directory.ts'
import { linkedFrom } from '../support/pages.ts'
import { TestHome } from '../support/releases.ts'
import { serverOf, type TestServer } from '../support/server.ts'

setDefaultTimeout(180_000)

const NAMES = Object.getOwnPropertyNames(Object.prototype)
const LISTS = NAMES.filter((name) => /^[a-z]/i.test(name))

function descriptorOf(name: string): string {
  const credit = { title: name, path: 'https://a.example' }
  return JSON.stringify({
    name,
    title: name,
    version: name,
    licenses: [{ name, title: name }],
    sources: [credit],
    contributors: [credit],
    keywords: NAMES,
    resources: LISTS.map((list) => ({
      name: list,
      title: list,
      path: 'list.csv',
      'nomenclator:titles': { es: list, en: list },
      sources: [credit],
      schema: {
        primaryKey: 'code',
        fields: [
          { name: 'code', type: 'string', title: 'constructor' },
          { name: 'name', type: 'string', 'nomenclator:role': 'name', 'nomenclator:language': 'es' },
          { name: 'parent', type: 'string', 'nomenclator:broader': true },
          { name: 'kind', type: 'string' },
          { name: 'size', type: 'integer' },
        ],
      },
    })),
  })
}

const rows = (last: string) =>
  [
    'code,name,parent,kind,size',
    ...NAMES.map((name, at) => `${name},${name},${at === 0 ? '' : NAMES[0]},${name},${at}`),
    last,
    '',
  ].join('\n')

const home = new TestHome()
const directory = new PackageDirectory()
let server: TestServer
const request = (target: string, init: RequestInit = {}) => fetch(server.url + target, init)

beforeAll(async () => {
  for (const last of ['x,x,,x,1', 'x,__proto__,,x,2']) {
    directory.put('datapackage.json', descriptorOf('__proto__')).put('list.csv', rows(last))
    await home.import(await openPackage(directory.path))
  }
  server = serverOf(() => home.current(), {}, home.store)
})
afterAll(async () => {
  await server.close()
  home[Symbol.dispose]()
  directory[Symbol.dispose]()
  expect(server.logged).toEqual([])
})

test('the words of pages inherit nothing', () => {
  const inheriting = (value: unknown, path: string): string[] => {
    if (typeof value !== 'object' || value === null) return []
    const own = Array.isArray(value) || Object.getPrototypeOf(value) === null ? [] : [path]
    return [...own, ...Object.entries(value).flatMap(([name, one]) => inheriting(one, `${path}.${name}`))]
  }
  for (const code of LANGUAGES) expect(inheriting(languageOf(code).words, code)).toEqual([])
})

describe.each(LANGUAGES)('in %s', (language) => {
  test('every page is there, and all that they link to', async () => {
    const headers = { Accept: 'text/html,*/*;q=0.8', 'Accept-Language': language }
    const pages = ['/', '/docs', '/map', '/picker', '/resolve', '/releases', '/explore', '/explore/tree']
    const more = ['/explore?q=constructor', '/explore?q=__proto__', '/api/openapi.json', '/api/profile.json', '/api/v2']
    const { broken, visited } = await linkedFrom([...pages, ...more], (target) => request(target, { headers }), 50)
    expect(broken).toEqual([])
    expect(visited.size).toBeGreaterThan(40)
    expect(server.logged).toEqual([])
  })
})

test('every path of the API is there, in every format', async () => {
  const { paths } = (await (await request('/api/openapi.json')).json()) as { readonly paths: object }
  expect(Object.keys(paths).length).toBeGreaterThan(20)
  const collections = Object.keys((await (await request('/api/v2')).json()) as object)
  const described = (await (await request('/api/v2')).json()) as {
    readonly collections?: readonly { readonly name: string }[]
  }
  expect(described.collections?.map(({ name }) => name) ?? collections).toContain('constructor')
  for (const list of (described.collections ?? []).map(({ name }) => name))
    for (const rest of [
      ...['', '/all', '/all?format=csv', '/all?format=ndjson', '/all?format=xlsx', '?format=csv', '?sort=-size,kind'],
      ...['?lang=es', '?kind=constructor', '?kind=__proto__', '?q=toString', '?within=__proto__', '?fields=code,kind'],
      ...NAMES.flatMap((key) => [`/${key}`, `/${key}/children`, `/${key}/ancestors`, `/${key}/descendants`]),
    ]) {
      const { status } = await request(`/api/v2/${list}${rest}`)
      expect([list, rest, status]).toEqual([list, rest, 200])
    }
})

test('names that are nothing are refused in words', async () => {
  for (const name of NAMES)
    for (const target of [
      ...[`/explore/${name}x`, `/api/v2/${name}x`, `/api/v2/constructor?${name}=1`, `/api/v2/constructor?sort=${name}`],
      ...[
        `/api/v2/constructor?fields=${name}`,
        `/api/v2/constructor?format=${name}`,
        `/api/v2/search?type=${name}x&q=a`,
      ],
      ...[`/api/v2/constructor?release=${name}`, `/assets/${name}`, `/docs/${name}`, `/picker/${name}`, `/${name}`],
    ]) {
      const { status } = await request(target)
      expect([target, status >= 400 && status < 500]).toEqual([target, true])
    }
  expect(server.logged).toEqual([])
})
