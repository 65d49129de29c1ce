// One fault at a time in a server that is correct otherwise: each is found, and named by the check of the rule that it breaks.
import { describe, expect, test } from 'bun:test'
import { checks } from '../../packages/verify/src/checks.ts'
import { collections } from '../../packages/verify/src/contract.ts'
import { verify } from '../../packages/verify/src/verify.ts'
import { jumbled } from '../support/jumbled-catalog.ts'
import { bytesOf, careful, type Fault, type PlainRequest, plainV1, recordsOfAll } from '../support/plain-v1.ts'
import { countries } from '../support/small-source.ts'
import { body, extra, fields, header, isPage, on, onPages, records } from '../support/v1-faults.ts'

const quick = { retries: 0, backoff: 1, rate: undefined, concurrency: 2, deep: true, sample: 20 }

/** Returns the ids of the checks that a server with a fault breaks, and the findings. */
async function broken(fault: Fault, only: readonly string[], timeout: number, advice = false) {
  await using server = await plainV1(fault)
  const found = await verify(server.url, {
    ...quick,
    collections: collections.filter(({ name }) => only.includes(name)),
    linkBase: server.url,
    advice,
    timeout,
    onProgress: () => {},
  })
  const wrong = found.checks.filter(({ count }) => count > 0)
  return { ids: wrong.map(({ id }) => id), problems: wrong.flatMap(({ problems }) => problems) }
}

type Json = Record<string, unknown>

const onPage = (page: number, edit: Fault): Fault => on((request) => isPage(request) && request.page === page, edit)
const onSecond = (edit: Fault): Fault => onPage(2, edit)
const onMethod = (method: string, edit: Fault): Fault =>
  on((request) => request.method === method && request.collection !== '', edit)
const without = (name: string) => fields((all) => all.filter(([given]) => given !== name))
const renamed = (name: string, other: string) =>
  fields((all) => all.map(([given, value]) => [given === name ? other : given, value]))
const status =
  (code: number): Fault =>
  (response) => ({ ...response, status: code })
/** Changes one value of the third record of a page, or removes it. */
const value = (path: string, changed: unknown) =>
  records((all) => {
    const steps = path.split('.')
    const name = steps.pop() as string
    const inner = steps.reduce((one, step) => one[step] as Json, all[2] as Json)
    if (changed === undefined) delete inner[name]
    else inner[name] = changed
    return all
  })
/** Changes the bytes on the wire, of which each is a character. */
const bytes =
  (change: (text: string) => string): Fault =>
  (response, { method }) =>
    Buffer.from(change(Buffer.from(bytesOf(response, method === 'HEAD')).toString('latin1')), 'latin1')
/** Puts other entries in the place of the links: `{base}`, `{prev}` and `{next}` stand for what is right. */
const link = (template: string) =>
  header('Link', (_old, { base, collection, page }) =>
    template
      .replaceAll('{base}', base)
      .replaceAll('{path}', `${base}/api/v1/${collection}`)
      .replaceAll('{prev}', String(page - 1))
      .replaceAll('{next}', String(page + 1)),
  )
const PREV = '<{path}?format=api&page={prev}>; rel="prev"'
const NEXT = '<{path}?format=api&page={next}>; rel="next"'

/** The first of the first page. */
const locality = recordsOfAll(jumbled).get('localidades')?.[0]

type Case = readonly [what: string, ids: readonly string[], fault: Fault, only?: string]

const cases: readonly Case[] = [
  ['no response to page 2', ['http-response'], onSecond(() => 'silence')],
  ['a body shorter than its Content-Length', ['http-response'], onSecond(extra(['Content-Length', '99999']))],
  ['a body longer than its Content-Length', ['http-response'], onSecond(bytes((text) => `${text}[]`))],
  ['a Content-Length that is no number', ['http-response'], onSecond(extra(['Content-Length', 'many']))],
  ['two Content-Lengths', ['http-response'], onSecond(extra(['Content-Length', '2'], ['Content-Length', '3']))],
  [
    'Content-Length and chunks',
    ['http-response'],
    onSecond(extra(['Content-Length', '2'], ['Transfer-Encoding', 'chunked'])),
  ],
  [
    'Content-Length beside chunks that are right',
    ['http-response'],
    onSecond((response) => {
      const chunks = `${Buffer.byteLength(response.body).toString(16)}\r\n${response.body}\r\n0\r\n\r\n`
      const more = [
        ['Transfer-Encoding', 'chunked'],
        ['Content-Length', String(Buffer.byteLength(chunks))],
      ] as const
      return { ...response, fields: [...response.fields, ...more], body: chunks }
    }),
  ],
  ['chunks that are none', ['http-response'], onSecond(extra(['Transfer-Encoding', 'chunked']))],
  ['no HTTP', ['http-response'], onSecond(bytes(() => 'SSH-2.0-OpenSSH_9.2\r\n'))],
  ['a header line that is none', ['http-response'], onSecond(bytes((text) => text.replace('Vary:', 'Va ry:')))],
  [
    'a status line that is none',
    ['http-response'],
    onSecond(bytes((text) => text.replace('HTTP/1.1 200', 'HTTP/1.1 OK'))),
  ],
  ['status 201', ['status'], onSecond(status(201))],
  ['status 404 for a page that there is', ['status'], onPage(3, status(404))],
  ['status 500', ['status', 'server-error'], onSecond(status(500))],
  ['status 500 to OPTIONS', ['server-error', 'options-status'], onMethod('OPTIONS', status(500))],
  ['status 503 to POST', ['server-error'], onMethod('POST', status(503))],
  ['POST is not implemented', [], onMethod('POST', status(501))],
  [
    'a redirect to itself',
    ['status'],
    onSecond((response, { target }) => ({ ...response, status: 302, fields: [['Location', target]] })),
  ],
  ['a credential is demanded', ['status'], onPages(status(401))],
  ['text/html', ['media-type'], onPages(header('Content-Type', 'text/html'))],
  ['no Content-Type', ['media-type'], onSecond(without('Content-Type'))],
  ['application/vnd.api+json', ['media-type'], onSecond(header('Content-Type', 'application/vnd.api+json'))],
  ['Allow with POST', ['allow'], onPages(header('Allow', 'GET, POST, HEAD, OPTIONS'))],
  ['Allow without HEAD', ['allow'], onSecond(header('Allow', 'GET, OPTIONS'))],
  ['Allow in lower case', ['allow'], onSecond(header('Allow', 'get, head, options'))],
  ['no Allow', ['allow'], onSecond(without('Allow'))],
  ['no Vary', ['vary'], onSecond(without('Vary'))],
  ['Vary: Accept-Encoding', ['vary'], onSecond(header('Vary', 'Accept-Encoding'))],
  ['Vary: *', ['vary'], onSecond(header('Vary', '*'))],
  ['X-Page twice', ['header-once'], onSecond(extra(['X-Page', '2']))],
  ['Content-Type twice, in two spellings', ['header-once'], onSecond(extra(['content-type', 'text/html']))],
  ['X-Page of the page before', ['x-page'], onSecond(header('X-Page', '1'))],
  ['no X-Page', ['x-page'], onSecond(without('X-Page'))],
  ['X-Page: 2/3', ['x-page'], onSecond(header('X-Page', '2/3'))],
  ['X-Per-Page: 20', ['x-per-page'], onSecond(header('X-Per-Page', '20'))],
  ['no X-Per-Page', ['x-per-page'], onSecond(without('X-Per-Page'))],
  ['X-Total: 25.0', ['x-total'], onSecond(header('X-Total', '25.0'))],
  ['X-Total-Count instead of X-Total', ['x-total'], onPages(renamed('X-Total', 'X-Total-Count'))],
  ['no X-Total-Pages', ['x-total-pages'], onSecond(without('X-Total-Pages'))],
  ['an empty X-Total-Pages', ['x-total-pages'], onSecond(header('X-Total-Pages', ''))],
  ['X-Total-Pages rounded down', ['total-pages'], onPages(header('X-Total-Pages', '2'))],
  ['X-Total-Pages one too many', ['total-pages'], onPages(header('X-Total-Pages', '4'))],
  ['X-Total of one page differs', ['same-totals'], onSecond(header('X-Total', '26'))],
  ['JSON that ends too early', ['json'], onSecond(body((text) => text.slice(0, -1)))],
  ['HTML', ['json'], onSecond(body('<html></html>'))],
  ['no body', ['json'], onSecond(body(''))],
  ['Latin-1', ['json'], onSecond(bytes((text) => text.replace('\u00c3\u00ad', '\u00ed ')))],
  ['a byte order mark', ['json'], onSecond(body((text) => `\ufeff${text}`))],
  ['a compression that nobody accepts', ['json'], onSecond(body('\u001f\b\u0000\u0000'))],
  ['an object around the records', ['array'], onSecond(body((text) => `{"results":${text}}`))],
  [
    'a field twice in a record',
    ['names-once'],
    onSecond(body((text) => text.replace('{"cvePais"', '{ "descPais" : "\\"x\\": y", "cvePais"'))),
  ],
  ['null', ['array'], onSecond(body('null'))],
  [
    'lines of JSON',
    ['json'],
    onSecond(
      body((text) =>
        JSON.parse(text)
          .map((one: Json) => JSON.stringify(one))
          .join('\n'),
      ),
    ),
  ],
  ['nine records on a page in the middle', ['page-size'], onSecond(records((all) => all.slice(1)))],
  ['an empty page in the middle', ['page-size'], onSecond(body('[]'))],
  [
    'eleven records on a page',
    ['page-size'],
    onPage(
      1,
      records((all) => [{ ...all[0], idPais: 0 }, ...all]),
    ),
  ],
  [
    'the last page lacks a record',
    ['last-page'],
    onPage(
      3,
      records((all) => all.slice(1)),
    ),
  ],
  ['X-Total counts a record that there is not', ['last-page'], onPages(header('X-Total', '26'))],
  [
    'X-Total and X-Total-Pages leave the last page out',
    ['total-records'],
    onPages((response, request) => {
      const short = header('X-Total', '20')(response, request)
      return typeof short === 'string' || short instanceof Uint8Array
        ? short
        : header('X-Total-Pages', '2')(short, request)
    }),
  ],
  [
    'records in a collection that is empty',
    ['last-page', 'total-records'],
    on(
      ({ method, page }) => /^(?:GET|HEAD)$/.test(method) && page === 1,
      (response) => ({
        ...response,
        fields: response.fields.flatMap(([name, old]) =>
          name === 'Link' ? [] : [[name, /^X-Total/.test(name) ? '0' : old]],
        ),
      }),
    ),
    'audiencias',
  ],
  ['page 2 has the records of page 1', ['page-selects'], onSecond(body(JSON.stringify(countries(10))))],
  [
    'a locality twice on one page',
    ['record-once'],
    onSecond(records(([a, , ...others]) => [a, ...others, a])),
    'localidades',
  ],
  [
    'a locality on two pages',
    ['record-once'],
    onSecond(records(([, ...others]) => [locality, ...others])),
    'localidades',
  ],
  [
    'page 2 has the records of page 1 in another order',
    ['record-once', 'order'],
    onSecond(body(JSON.stringify(countries(10).toReversed()))),
  ],
  ['a field is missing', ['fields'], onSecond(value('descPais', undefined))],
  ['a field in another spelling', ['fields'], onSecond(body((text) => text.replaceAll('"descPais"', '"descpais"')))],
  ['a record that is a number', ['fields'], onSecond(records((all) => [...all.slice(1), 7]))],
  ['identifiers as texts', ['integers'], onSecond(value('idPais', '13'))],
  ['identifiers with a fraction', ['integers'], onSecond(value('idPais', 12.5))],
  [
    'identifiers written with a fraction',
    ['integers'],
    onSecond(body((text) => text.replace('"idPais":13', '"idPais":13.0'))),
  ],
  ['a code as a number', ['strings'], onSecond(value('cveMunicipio', 13)), 'municipios'],
  ['a name as a list', ['strings'], onSecond(value('descPais', ['x']))],
  ['a country code in lower case', ['codes'], onSecond(value('cvePais', 'abc'))],
  ['a country code of two letters', ['codes'], onSecond(value('cvePais', 'AB'))],
  ['a municipality code with a letter', ['codes'], onSecond(value('cveMunicipio', '01A')), 'municipios'],
  [
    'a subdiscipline code of five digits',
    ['codes'],
    onSecond(value('cveSubdisciplina', '12345')),
    'subdisciplinas-conocimiento',
  ],
  [
    'a field code of one digit, two levels up',
    ['codes'],
    onSecond(value('disciplinaCono.campoCono.cveCampo', '1')),
    'subdisciplinas-conocimiento',
  ],
  ['an audience key with a blank', ['codes'], onSecond(value('clave', 'clave x')), 'audiencias'],
  ['a state by its identifier alone', ['embedded'], onSecond(value('idEstado', 3)), 'municipios'],
  [
    'a country that lacks its name, two levels down',
    ['embedded'],
    onSecond(value('idEstado.idPais.descPais', undefined)),
    'municipios',
  ],
  [
    'the state of a municipality is missing, in a locality',
    ['embedded'],
    onSecond(value('idMunicipio.idEstado', undefined)),
    'localidades',
  ],
  [
    'an area as a list',
    ['embedded'],
    onSecond(value('disciplinaCono.campoCono.idArea', [])),
    'subdisciplinas-conocimiento',
  ],
  [
    'description differs from descripcion',
    ['description'],
    onSecond(value('description', 'Name')),
    'subdisciplinas-conocimiento',
  ],
  [
    'description of an area differs',
    ['description'],
    onSecond(value('disciplinaCono.campoCono.idArea.description', 'Name')),
    'subdisciplinas-conocimiento',
  ],
  ['two records are swapped', ['order'], onSecond(records(([a, b, ...others]) => [b, a, ...others])), 'municipios'],
  [
    'the same identifier twice',
    ['record-once', 'order'],
    onSecond(records(([a, , ...others]) => [a, a, ...others])),
    'audiencias',
  ],
  [
    'a page that begins before the end of the one before',
    ['order'],
    onSecond(records(([first, ...others]) => [{ ...first, idPais: 10 }, ...others])),
  ],
  ['Link without angle brackets', ['link-syntax'], onSecond(link('{path}?format=api&page=1; rel="prev"'))],
  ['Link without relation', ['link-syntax'], onSecond(link('<{path}?format=api&page=1>'))],
  ['Link with relative URLs', ['link-url'], onPages(header('Link', (old, { base }) => old.replaceAll(base, '')))],
  ['Link without format=api', ['link-url'], onPages(header('Link', (old) => old.replaceAll('format=api&', '')))],
  [
    'Link with page before format',
    ['link-url'],
    onPages(header('Link', (old) => old.replaceAll(/format=api&(page=\d+)/g, '$1&format=api'))),
  ],
  [
    'Link with a parameter more',
    ['link-url'],
    onPages(header('Link', (old) => old.replaceAll('format=api&', 'format=api&x=1&'))),
  ],
  [
    'Link to another collection',
    ['link-url'],
    onPages(header('Link', (old) => old.replaceAll('paises', 'municipios'))),
  ],
  [
    'Link to another host',
    ['link-base'],
    onPages(header('Link', (old, { base }) => old.replaceAll(base, 'http://localhost'))),
  ],
  ['Link by another scheme', ['link-base'], onPages(header('Link', (old) => old.replaceAll('http:', 'https:')))],
  ['Link with first', ['link-relations'], onSecond(link(`<{path}?format=api&page=1>; rel="first", ${PREV}, ${NEXT}`))],
  ['Link with next twice', ['link-relations'], onSecond(link(`${PREV}, ${NEXT}, ${NEXT}`))],
  ['no Link on a page in the middle', ['link-prev', 'link-next'], onSecond(without('Link'))],
  ['no prev on a page in the middle', ['link-prev'], onSecond(link(NEXT))],
  ['no prev on the last page', ['link-prev'], onPage(3, without('Link'))],
  ['prev leads to the page itself', ['link-prev'], onSecond(link(`<{path}?format=api&page=2>; rel="prev", ${NEXT}`))],
  ['no next on the first page', ['link-next'], onPage(1, without('Link'))],
  ['next leads to the last page', ['link-next'], onPage(1, link('<{path}?format=api&page=3>; rel="next"'))],
  ['prev on the first page', ['link-first'], onPage(1, link(`<{path}?format=api&page=3>; rel="prev", ${NEXT}`))],
  ['next before prev', ['link-order'], onSecond(link(`${NEXT}, ${PREV}`))],
  [
    'without page, the second page',
    ['page-omitted'],
    on(
      (request) => isPage(request) && !request.query.has('page'),
      (response) => ({ ...response, body: '[]' }),
    ),
  ],
  ['without page, 400', ['page-omitted'], on((request) => isPage(request) && !request.query.has('page'), status(400))],
  [
    'without format, 400',
    ['format-omitted'],
    on((request) => isPage(request) && !request.query.has('format'), status(400)),
  ],
  [
    'without format, the first page whatever page says',
    ['format-omitted'],
    on(
      (request) => isPage(request) && !request.query.has('format') && request.page === 2,
      (response) => ({ ...response, body: JSON.stringify(countries(10)) }),
    ),
  ],
  [
    'without format, HTML',
    ['format-omitted'],
    on((request) => isPage(request) && !request.query.has('format'), body('<html>')),
  ],
  [
    'without page, another X-Page',
    ['page-omitted'],
    on((request) => isPage(request) && !request.query.has('page'), header('X-Page', '0')),
  ],
  ['a 304 without any ETag', ['not-modified'], on(({ head }) => /^If-None-Match/im.test(head), status(304))],
  ['HEAD is a 405', ['head-status'], onMethod('HEAD', status(405))],
  ['HEAD with a body', ['head-body'], onMethod('HEAD', (response) => bytesOf(response))],
  ['HEAD without X-Total', ['head-headers'], onMethod('HEAD', without('X-Total'))],
  ['HEAD without Link', ['head-headers'], onMethod('HEAD', without('Link'))],
  ['OPTIONS is a 405', ['options-status'], onMethod('OPTIONS', status(405))],
  ['OPTIONS without Allow', ['options-allow'], onMethod('OPTIONS', without('Allow'))],
  ['OPTIONS allows DELETE', ['options-allow'], onMethod('OPTIONS', header('Allow', 'GET, HEAD, OPTIONS, DELETE'))],
  ['POST creates', ['read-only'], onMethod('POST', status(201))],
]

describe('a fault of a server', () => {
  test.each(cases)('%s', async (_what, ids, fault, only = 'paises') => {
    const { ids: found, problems } = await broken(fault, [only], ids.includes('http-response') ? 300 : 10_000)
    expect(found).toEqual([...ids])
    for (const { request, came, expected } of problems) {
      expect(request).toMatch(/^(?:GET|HEAD|OPTIONS|POST) http:\/\/127\.0\.0\.1:\d+\/api\/v1\//)
      expect([came, expected]).not.toContain('')
      expect(expected).toBeString()
    }
  })

  test('has a row for every rule', () => {
    const shown = new Set(cases.flatMap(([, ids]) => ids))
    expect(checks.filter(({ id, severity }) => severity === 'rule' && !shown.has(id)).map(({ id }) => id)).toEqual([])
    expect(cases.length).toBeGreaterThan(40)
  })
})

const hasHeader = (head: string, field: string) => new RegExp(`^${field}`, 'im').test(head)
const onHeader = (field: string, edit: Fault): Fault => on(({ head }) => hasHeader(head, field), edit)
const onStatus =
  (code: number, edit: Fault): Fault =>
  (response, request) =>
    response.status === code ? edit(response, request) : response
/** The page although a condition says otherwise. */
const page: Fault = (response, request) => ({ ...response, status: 200, body: firstBody(request) })
const firstBody = ({ collection }: PlainRequest) => (collection === 'paises' ? JSON.stringify(countries(10)) : '')
const notModified: Fault = (response) => ({ ...response, status: 304, body: '' })
let requests = 0

/** Faults that mislead clients, caches and proxies, in a server that is careful otherwise. */
const misleading: readonly Case[] = [
  ['nothing', [], (response) => response],
  ['Latin-1 by Content-Type', ['charset'], onSecond(header('Content-Type', 'application/json; charset=iso-8859-1'))],
  ['UTF-8 by Content-Type', [], header('Content-Type', 'application/json; Charset="UTF-8"')],
  [
    'an ETag of each request',
    ['repeatable', 'if-none-match', 'head-alike'],
    header('ETag', () => `"request ${++requests}"`),
  ],
  ['no ETag', ['etag'], without('ETag')],
  ['Last-Modified as ISO 8601', ['last-modified'], header('Last-Modified', '2026-01-05T00:00:00Z')],
  ['Last-Modified with the wrong weekday', ['last-modified'], header('Last-Modified', 'Tue, 05 Jan 2026 00:00:00 GMT')],
  ['Last-Modified in the future', ['last-modified'], header('Last-Modified', 'Fri, 01 Jan 2100 00:00:00 GMT')],
  ['another Last-Modified on page 2', ['last-modified'], onSecond(header('Last-Modified', new Date(0).toUTCString()))],
  ['no Last-Modified on page 2', ['last-modified'], onSecond(without('Last-Modified'))],
  ['no Last-Modified at all', [], without('Last-Modified')],
  ['a tag that a proxy made weak is unknown', ['if-none-match'], onHeader('If-None-Match: W/', page)],
  ['a list of tags is unknown', ['if-none-match'], onHeader('If-None-Match: .*,', page)],
  ['the page for If-None-Match: *', ['if-none-match'], onHeader('If-None-Match: \\*', page)],
  ['a 304 for any tag', ['not-modified', 'if-none-match'], onHeader('If-None-Match', notModified)],
  ['a 304 for the tag of another page', ['not-modified'], onHeader('If-None-Match: "2"', notModified)],
  [
    'a 304 for any tag, for page 2 alone',
    ['not-modified'],
    on(({ head, page }) => page === 2 && hasHeader(head, 'If-None-Match'), notModified),
  ],
  [
    'a 304 for a tag that begins like that of the page',
    ['not-modified'],
    onHeader('If-None-Match: .*"1x"', notModified),
  ],
  [
    'a date counts although the tag is another',
    ['if-none-match'],
    onHeader('If-None-Match: .*[^]*If-Modified', notModified),
  ],
  ['If-Modified-Since is ignored', ['if-modified-since'], onHeader('If-Modified-Since', onStatus(304, page))],
  ['a 304 for any date', ['if-modified-since'], on(({ head }) => /Modified-Since: .* 1970/.test(head), notModified)],
  ['HEAD with Content-Length: 0', ['head-alike'], onMethod('HEAD', extra(['Content-Length', '0']))],
  ['HEAD without ETag', ['head-alike'], onMethod('HEAD', without('ETag'))],
  [
    'HEAD with another Last-Modified',
    ['head-alike'],
    onMethod('HEAD', header('Last-Modified', new Date(0).toUTCString())),
  ],
  ['HEAD that may be kept', ['head-alike'], onMethod('HEAD', header('Cache-Control', 'max-age=60'))],
  ['Content-Encoding without any', ['content-coding'], onSecond(extra(['Content-Encoding', 'gzip']))],
  ['Content-Encoding: identity', [], onPages(extra(['Content-Encoding', 'identity']))],
  [
    'a page that only the end of the connection ends',
    ['content-length'],
    onSecond(bytes((text) => text.replace(/Content-Length: \d+/, 'Connection: close'))),
  ],
  ['a shared cache that need not ask', ['cache-control'], header('Cache-Control', 'max-age=0, s-maxage=60')],
  ['a shared cache that has to ask', [], header('Cache-Control', 'max-age=0, s-maxage=0')],
  [
    'an ETag that no script may read',
    ['cors-headers'],
    header('Access-Control-Expose-Headers', (old) => old.replace('etag, ', '')),
  ],
  ['a cookie', ['cookies'], onSecond(extra(['Set-Cookie', 'session=1']))],
  [
    'a failure at a page that is no number',
    ['server-error', 'bad-page'],
    on(({ page }) => Number.isNaN(page), status(500)),
  ],
  [
    'a failure where there is nothing',
    ['server-error', 'unknown-path'],
    onStatus(
      404,
      on(({ collection }) => collection === 'nowhere', status(502)),
    ),
  ],
  ['a number with something behind it', ['bad-page'], on(({ query }) => query.get('page') === '1x', page)],
  ['any method is GET', ['other-methods'], onMethod('PROPFIND', page)],
  [
    'requests are sent back',
    ['other-methods'],
    onMethod('TRACE', (response, { head }) => ({ ...response, status: 200, body: head })),
  ],
  ['a method that is not implemented', [], onMethod('PROPFIND', status(501))],
]

describe('a fault that misleads clients although the contract is silent', () => {
  test.each(misleading)('%s', async (_what, ids, fault) => {
    const { ids: found, problems } = await broken(
      (response, request) => fault(careful(response, request), request),
      ['paises'],
      10_000,
      true,
    )
    expect(found).toEqual([...ids])
    for (const { came } of problems) expect(came).not.toBe('')
  })

  test('a date of the moment, which is the same for a second', async () => {
    const moment = header('Last-Modified', () => new Date().toUTCString())
    const fault: Fault = (response, request) => moment(careful(response, request), request)
    expect((await broken(fault, ['paises'], 10_000, true)).ids).toContain('repeatable')
  })
})
