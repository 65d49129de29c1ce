// The configuration of Caddy, read as Caddy reads it: what its maps make of a page, and which requests its matchers take.
import { describe, expect, test } from 'bun:test'
import { caddyConfig } from './caddy.ts'

const collection = (name: string, total: number) => ({
  name,
  path: `/api/v1/${name}`,
  total,
  totalPages: Math.ceil(total / 10),
})
const site = {
  directory: '/srv/site',
  release: 'f'.repeat(64),
  lastModified: 'Sat, 03 Feb 2001 04:05:06 GMT',
  baseUrl: undefined,
  collections: [collection('none', 0), collection('one', 10), collection('many', 10_230)],
}
const config = caddyConfig(site)

/** The value that a map gives to a text: that of the first line whose pattern it matches. */
function mapped(header: string, text: string): string | undefined {
  const start = config.indexOf(`map ${header} {\n`)
  const lines = config.slice(start, config.indexOf('\n\t\t}', start)).split('\n').slice(1)
  for (const line of lines) {
    const [, pattern = '', value = ''] = /^\s*(\S+) "?([^"]*)"?$/.exec(line) ?? []
    if (pattern === 'default') return value
    const match = new RegExp(pattern.slice(1)).exec(text)
    if (pattern.startsWith('~') && match !== null) return value.replace(/\$\{1\}/, match[1] ?? '')
  }
  return undefined
}

test('every page has the numbers before and after it', () => {
  const pages = Array.from({ length: 1_023 }, (_, at) => at + 1)
  expect(pages.map((page) => mapped('{page} {next}', String(page)))).toEqual(pages.map((page) => String(page + 1)))
  const others = pages.slice(1)
  expect(others.map((page) => Number(mapped('{page} {previous}', String(page))))).toEqual(
    others.map((page) => page - 1),
  )
})

test.each([
  ['none/1', 'none'],
  ['one/1', 'none'],
  ['many/1', 'next'],
  ['many/2', 'both'],
  ['many/1022', 'both'],
  ['many/1023', 'prev'],
])('the neighbours of %s', (page, neighbours) => {
  expect(mapped('{collection}/{page} {neighbours}', page)).toBe(neighbours)
})

test('a page links to its neighbours', () => {
  const link = (number: string, rel: string) =>
    `<{base_url}/api/v1/{collection}?format=api&page={${number}}>; rel=\\"${rel}\\"`
  const [prev, next] = [link('previous', 'prev'), link('next', 'next')]
  expect(config).toContain(`header @prev Link "${prev}"\n`)
  expect(config).toContain(`header @next Link "${next}"\n`)
  expect(config).toContain(`header @both Link "${prev}, ${next}"\n`)
})

test.each([
  ['', '1'],
  ['page=7', '7'],
  ['a=b&page=12&c', '12'],
  ['pages=7', '1'],
  ['page=0', '1'],
])('the page of the query %j', (query, page) => {
  expect(mapped('{query} {page}', query)).toBe(page)
})

test.each([
  ['/api/v1/many', 'many'],
  ['/api/v1/many?page=2', 'many'],
  ['/api/v1/many/', ''],
  ['/api/v1/manyfold', ''],
  ['/x/api/v1/many', ''],
])('the collection of %s', (uri, name) => {
  expect(mapped('{http.request.orig_uri} {collection}', uri)).toBe(name)
})

describe('the matcher', () => {
  /** Whether a matcher by regular expressions takes an address. */
  const takes = (name: string, uri: string) => {
    const [, pattern = ''] = new RegExp(`@${name} vars_regexp (?:slash )?\\{uri\\} (.*)\n`).exec(config) ?? []
    return new RegExp(pattern).test(uri)
  }

  test.each([
    ['/api/v1', ['known', 'index']],
    ['/api/v1?page=2', ['known', 'index']],
    ['/api/v1/many', ['known']],
    ['/api/v1/many?page=2', ['known']],
    ['/api/v1/', ['slash']],
    ['/api/v1/many/', ['slash']],
    ['/api/v1/many/?page=2', ['slash']],
    ['/api/v1/many/1', []],
    ['/api/v1x', []],
  ])('of %s', (uri, names) => {
    expect(['known', 'index', 'slash'].filter((name) => takes(name, uri))).toEqual(names)
  })

  /** Whether the expression of a matcher holds for a query; it is written as a script would be. */
  const holds = (name: string, query: string) => {
    const [, expression = ''] = new RegExp(`@${name} expression \`(.*)\``).exec(config) ?? []
    const script = expression.replace(/\{query\}\.matches\(("[^"]*")\)/g, 'new RegExp($1).test(query)')
    return new Function('query', `return ${script}`)(query)
  }

  test.each([
    ['bad_page', 'page=1', false],
    ['bad_page', 'a&page=999&b', false],
    ['bad_page', '', false],
    ['bad_page', 'pages=0', false],
    ['bad_page', 'page=0', true],
    ['bad_page', 'page', true],
    ['bad_page', 'page=', true],
    ['bad_page', 'page=01', true],
    ['bad_page', `page=${'1'.repeat(15)}`, false],
    ['bad_page', `page=${'1'.repeat(16)}`, true],
    ['bad_page', 'page=1&x&page=2', true],
    ['bad_format', 'format=api', false],
    ['bad_format', 'x=1&format=json&y', false],
    ['bad_format', 'formats=xml', false],
    ['bad_format', 'format=xml', true],
    ['bad_format', 'format', true],
    ['bad_format', 'format=api&format=api', true],
  ])('%s of the query %j', (name, query, isBad) => {
    expect(holds(name, query)).toBe(isBad)
  })
})

test('totals, the last page and the date are those of the release', () => {
  expect(config).toContain('\t\t\tnone 0 0 "the collection is empty, and only page 1 can be asked for"\n')
  expect(config).toContain('\t\t\tmany 10230 1023 "the last one is 1023"\n')
  expect(config).toContain(`Last-Modified "${site.lastModified}"\n`)
  expect(config).toContain('root * "/srv/site"\n')
})

test.each([
  [undefined, '{scheme}://{hostport}'],
  ['https://catalogs.example.org', 'https://catalogs.example.org'],
])('with the base URL %s, links begin with %s', (baseUrl, base) => {
  expect(caddyConfig({ ...site, baseUrl })).toContain(`map {host} {base_url} {\n\t\t\tdefault "${base}"\n`)
})

test('problems have the status and the headers of the service', () => {
  const problems = [
    ...config.matchAll(/handle @(\w+) \{\n\t*header \{\n((?:(?!respond)[^`])*)\n\t*\}\s*respond `(\{.*\})` (\d+)/g),
  ]
  expect(
    problems.map(([, name, , body = '', status]) => [name, JSON.parse(body).status ?? 200, Number(status)]),
  ).toEqual([
    ['unknown', 404, 404],
    ['method', 405, 405],
    ['index', 200, 200],
    ['bad_format', 400, 400],
    ['bad_page', 400, 400],
    ['missing', 404, 404],
  ])
  for (const [, name, headers] of problems)
    expect(headers).toContain(name === 'index' ? 'Content-Type "application/json"' : 'Cache-Control "no-store"')
})
