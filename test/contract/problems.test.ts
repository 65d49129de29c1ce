// Refusals of every collection: status, every header and body.
import { describe, expect, test } from 'bun:test'
import { smallService } from '../support/contract-service.ts'
import {
  closing,
  FORMAT_ALLOWED,
  headOf,
  notFoundDetail,
  optionsResponse,
  PAGE_ALLOWED,
  pageResponse,
  problemResponse,
  redirectResponse,
} from '../support/expected-responses.ts'
import { sendAll, sendUntilClosed } from '../support/wire.ts'

const { lists, url, request, get, factsOf } = await smallService()

/** The query string, and the value that the problem repeats. */
const badPages: readonly (readonly [name: string, query: string, value: string])[] = [
  ['zero', 'page=0', '0'],
  ['several zeros', 'page=00', '00'],
  ['minus zero', 'page=-0', '-0'],
  ['negative', 'page=-1', '-1'],
  ['a fraction', 'page=1.5', '1.5'],
  ['a fraction of nothing', 'page=1.0', '1.0'],
  ['a big integer', 'page=1n', '1n'],
  ['a word', 'page=abc', 'abc'],
  ['digits and letters', 'page=12abc', '12abc'],
  ['empty', 'page=', ''],
  ['without a value', 'page', ''],
  ['repeated', 'page=1&page=2', '1, 2'],
  ['repeated with one value', 'page=2&page=2', '2, 2'],
  ['repeated and empty', 'page=1&page=', '1, '],
  ['repeated, once encoded', 'page=1&%70age=2', '1, 2'],
  ['a plus that is a space', 'page=+1', ' 1'],
  ['a plus', 'page=%2B1', '+1'],
  ['a leading zero', 'page=01', '01'],
  ['an exponent', 'page=1e3', '1e3'],
  ['hexadecimal', 'page=0x1', '0x1'],
  ['with a separator', 'page=1_000', '1_000'],
  ['with a comma', 'page=1,2', '1,2'],
  ['with a space after it', 'page=1%20', '1 '],
  ['with a line end', 'page=1%0A', '1\n'],
  ['one digit too many', 'page=1000000000000000', '1000000000000000'],
  ['very long', `page=${'9'.repeat(5_000)}`, `${'9'.repeat(100)}…`],
  ['a zero byte', 'page=1%00', '1\0'],
  ['Arabic digits', 'page=%D9%A1', '١'],
  ['full-width digits', 'page=%EF%BC%91', '１'],
  ['no number', 'page=NaN', 'NaN'],
  ['infinite', 'page=Infinity', 'Infinity'],
  ['not valid UTF-8', 'page=%FF', '\ufffd'],
]

const badFormats: readonly (readonly [name: string, query: string, value: string])[] = [
  ['xml', 'format=xml', 'xml'],
  ['empty', 'format=', ''],
  ['without a value', 'format', ''],
  ['in capitals', 'format=API', 'API'],
  ['after a space', 'format=%20api', ' api'],
  ['repeated', 'format=api&format=api', 'api, api'],
  ['repeated, one of them bad', 'format=json&format=xml', 'json, xml'],
  ['bad before a bad page', 'page=0&format=csv', 'csv'],
]

describe.each(lists)('$path', (list) => {
  const { path, total, pages } = list
  const totals = { 'X-Per-Page': '10', 'X-Total': String(total), 'X-Total-Pages': String(pages) }
  const beyond = (page: number) =>
    problemResponse('page-beyond-last', `Page ${page} was asked for; the last one is ${pages}.`, path, totals)

  test.each(badPages)('400 for a page that is %s', async (_, query, value) => {
    const detail = `page was ${JSON.stringify(value)}; allowed is ${PAGE_ALLOWED}.`
    expect(await get(`${path}?format=api&${query}`)).toEqual(problemResponse('bad-parameter', detail, path))
  })

  test.each(badFormats)('400 for a format that is %s', async (_, query, value) => {
    const detail = `format was ${JSON.stringify(value)}; allowed is ${FORMAT_ALLOWED}.`
    expect(await get(`${path}?${query}`)).toEqual(problemResponse('bad-parameter', detail, path))
  })

  test.each([pages + 1, pages + 2, 999_999_999_999_999])('404 for page %i', async (page) => {
    expect(await get(`${path}?format=api&page=${page}`)).toEqual(beyond(page))
  })

  test('HEAD of a page beyond the last has the headers of the problem', async () => {
    const target = `${path}?page=${pages + 1}`
    const responses = await sendAll(url, request('HEAD', target), request('GET', path))
    expect(responses).toEqual([headOf(beyond(pages + 1)), pageResponse(factsOf(list, 1))])
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PURGE', 'BREW', 'get'])('405 for %s', async (method) => {
    const body = '[{"idPais":1}]'
    const refused = problemResponse('method-not-allowed', `${method} was used; allowed are GET, HEAD, OPTIONS.`, path)
    expect(await sendAll(url, request(method, path), request('GET', path))).toEqual([
      refused,
      pageResponse(factsOf(list, 1)),
    ])
    const withBody = request(method, path, `Content-Length: ${body.length}`) + body
    expect(await sendUntilClosed(url, withBody, request('GET', path))).toEqual([closing(refused)])
  })

  test('OPTIONS, plain and as a preflight', async () => {
    const preflight = ['Origin: https://a.test', 'Access-Control-Request-Method: GET']
    const variants = [[], preflight, [...preflight, 'Access-Control-Request-Headers: x-any']]
    const responses = await sendAll(url, ...variants.map((fields) => request('OPTIONS', `${path}?page=0`, ...fields)))
    expect(responses).toEqual(variants.map(() => optionsResponse))
  })

  test.each(['', '?page=2', '?format=api&page=2&page=2&x=%20%C3%B1', '?page=abc'])(
    '308 for a trailing slash, query kept: "%s"',
    async (query) => expect(await get(`${path}/${query}`)).toEqual(redirectResponse(`${path}${query}`)),
  )

  test.each(['/1', '//', '.json', '%20'])('404 for a path that only begins with it: "%s"', async (rest) => {
    const instance = `${path}${rest}`
    expect(await get(instance)).toEqual(problemResponse('not-found', notFoundDetail(instance), instance))
  })
})

test.each([
  ['/api/v3/paises', 'Did you mean /api/v1/paises? '],
  ['/api/municipio', 'Did you mean /api/v1/municipios? '],
  ['/health', '/healthz is for operators, at the address that serve has from --admin, and not here. '],
  ['/metrics', '/metrics is for operators, at the address that serve has from --admin, and not here. '],
])('%s says where else to look', async (path, hint) =>
  expect(await get(path)).toEqual(problemResponse('not-found', notFoundDetail(path, hint), path)),
)

test.each(['/api', '/api/', '/api/v1/estados', '/API/V1/PAISES', '/favicon.ico'])('404 for %s', async (path) =>
  expect(await get(path)).toEqual(problemResponse('not-found', notFoundDetail(path), path)),
)
