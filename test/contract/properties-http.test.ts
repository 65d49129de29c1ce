// Whatever the request, the response is one that the app is meant to give, and never an internal error.
import { describe, expect, test } from 'bun:test'
import { BlockList } from 'node:net'
import fc from 'fast-check'
import { explorerPages } from '../../packages/server/src/explorer/mount.ts'
import { anyPageRequest, pageRequest } from '../../packages/server/src/http/v1/page-request.ts'
import { outcomeOf } from '../support/problems.ts'
import { releaseOf } from '../support/releases.ts'
import { appOf, immediateResponseTo, responseTo, type TestRequest } from '../support/responses.ts'
import { countries, smallSource } from '../support/small-source.ts'

const TOTAL = 25
const PATH = '/api/v1/paises'
const OWN = 'http://127.0.0.1:8080'
const NUM_RUNS = 200

const release = await releaseOf(smallSource({ pais: countries(TOTAL) }))
const trustedProxies = new BlockList()
trustedProxies.addAddress('127.0.0.1')
const app = appOf(() => release, { policy: { baseUrl: undefined, trustedProxies }, pages: explorerPages })
const respond = (target: string, headers: TestRequest['headers'] = {}) =>
  immediateResponseTo(app, { target, headers }, { listeningUrl: OWN, peer: '127.0.0.1' })

// The explorer is loaded at its first request, and from then on responds without waiting.
await responseTo(app, { target: '/' }, { listeningUrl: OWN, peer: '127.0.0.1' })

const problems: Readonly<Record<number, readonly string[]>> = {
  400: ['bad-parameter', 'bad-host'],
  404: ['not-found', 'page-beyond-last'],
}

const visible = fc
  .array(fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)))
  .map((characters) => characters.join(''))

/** A problem says what it is in five fields, and its status is that of the response. */
async function expectProblem(response: Response): Promise<void> {
  expect(response.headers.get('Content-Type')).toBe('application/problem+json')
  const problem = JSON.parse(await response.text())
  expect(Object.keys(problem)).toEqual(['type', 'title', 'status', 'detail', 'instance'])
  expect(problem.status).toBe(response.status)
  expect(problems[response.status]?.map((kind) => `urn:nomenclator:problem:${kind}`)).toContain(problem.type)
  for (const field of ['title', 'detail', 'instance']) expect(problem[field]).toBeString()
}

/** Pluses are spaces, and two digits after a percent sign are a byte. */
function decoded(text: string): string {
  const bytes = Buffer.from(text.replaceAll('+', ' '), 'utf8').toString('latin1')
  const unescaped = bytes.replace(/%([0-9a-f]{2})/gi, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)))
  return Buffer.from(unescaped, 'latin1').toString('utf8')
}

/** The status that a query string must lead to, computed in another way than the server does. */
function statusFor(query: string): number {
  const request = query.split('&').map((parameter) => parameter.split('='))
  const valuesOf = (wanted: string) =>
    request.filter(([name = '']) => decoded(name) === wanted).map(([, ...value]) => decoded(value.join('=')))
  const [formats, pages] = [valuesOf('format'), valuesOf('page')]
  if (formats.length > 1 || (formats.length === 1 && formats[0] !== 'api' && formats[0] !== 'json')) return 400
  if (pages.length === 0) return 200
  const page = Number(pages[0])
  if (pages.length > 1 || String(page) !== pages[0] || !Number.isInteger(page) || page < 1 || page > 1e15 - 1)
    return 400
  return page <= 3 ? 200 : 404
}

/** Queries that are the canonical ones of the service, but for a character or two. */
const nearlyCanonical = fc
  .tuple(
    fc.constantFrom('', 'format=api&', 'format=json&', 'format=API&', 'format=api', 'format=api&&', '?', '&'),
    fc.constantFrom('page=', 'page=', 'page=', 'page', 'Page=', 'pages=', 'p%61ge=', 'page==', '?page='),
    fc.oneof(
      fc.integer({ min: 0, max: 50 }).map(String),
      fc.bigInt({ min: 0n, max: 10n ** 17n }).map(String),
      fc.constantFrom('', '0', '00', '01', '9'.repeat(15), '9'.repeat(16), '1'.padEnd(15, '0'), '1/', '1:', '%31'),
    ),
    fc.constantFrom('', '', '', '&', '#', ' ', '+', '%20', '\0', '\n', '&page=1', '&format=api', '&format=', 'x', '１'),
  )
  .map((parts) => parts.join(''))

describe('any query string', () => {
  const value = fc.oneof(
    fc.integer({ min: -5, max: 40 }).map(String),
    fc.double().map(String),
    fc.bigInt({ min: 0n, max: 10n ** 18n }).map(String),
    fc.constantFrom('api', 'json', 'API', 'xml', '', '+1', ' 1', '01', '1e3', '٣', '１', '0x1', '1,2', 'NaN', '3.0'),
    fc.constantFrom('%', '%0', '%00', '%ff', '%C0%AF', '%u0031', '%31', '%2B1', '1%0d%0a', '1#2', '1;2', '1?2'),
    fc.string({ unit: 'binary' }),
  )
  const name = fc.oneof(
    { arbitrary: fc.constantFrom('page', 'format'), weight: 6 },
    {
      arbitrary: fc.constantFrom('Page', 'page[]', '%70age', 'pag%65', 'page ', ' page', '__proto__', '_', ''),
      weight: 2,
    },
    { arbitrary: fc.string(), weight: 1 },
  )
  const adversarial = fc
    .array(fc.tuple(name, fc.constantFrom('=', '=', '=', '', '=='), value), { maxLength: 4 })
    .map((parts) => parts.map((part) => part.join('')).join('&'))
  const queries = fc.oneof(
    { arbitrary: adversarial, weight: 5 },
    { arbitrary: nearlyCanonical, weight: 3 },
    { arbitrary: fc.webQueryParameters(), weight: 1 },
    { arbitrary: fc.string({ unit: 'binary' }), weight: 1 },
  )

  test('gives 200, 400 or 404, as its page and format say', async () => {
    await fc.assert(
      fc.asyncProperty(queries, async (query) => {
        const response = respond(`${PATH}?${query}`)
        expect([query, response.status]).toEqual([query, statusFor(query)])
        if (response.status !== 200) await expectProblem(response)
        else expect(JSON.parse(await response.text()).length).toBeWithin(1, 11)
      }),
      { numRuns: NUM_RUNS * 2 },
    )
  })

  test('is read the same way by the short cut for those that the service writes itself', () => {
    const any = fc.oneof({ arbitrary: nearlyCanonical, weight: 3 }, { arbitrary: queries, weight: 1 })
    fc.assert(
      fc.property(any, (query) =>
        expect(outcomeOf(() => pageRequest(query))).toEqual(outcomeOf(() => anyPageRequest(query))),
      ),
      { numRuns: NUM_RUNS * 10 },
    )
  })

  test('is kept by a redirect, and leads nowhere else', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(visible, fc.webQueryParameters()), async (query) => {
        const response = respond(`${PATH}/?${query}`)
        expect(response.status).toBe(308)
        expect(response.headers.get('Location')).toBe(query === '' ? PATH : `${PATH}?${query}`)
      }),
      { numRuns: NUM_RUNS },
    )
  })
})

test('any path is known, redirected or not found', async () => {
  const segment = fc.constantFrom('api', 'v1', 'paises', '..', '.', '', '%2e', 'evil.test', '\\', '%00', '%', 'ñ')
  const paths = fc.oneof(
    fc.webPath(),
    fc.array(segment, { maxLength: 6 }).map((parts) => parts.join('/')),
    fc.string(),
  )
  await fc.assert(
    fc.asyncProperty(paths, async (path) => {
      const response = respond(`/${path}`)
      if (response.status === 200) return
      // A page is also redirected to its address without empty parameters.
      if (response.status !== 308 && response.status !== 303) return expectProblem(response)
      const location = response.headers.get('Location') ?? ''
      expect(location).toMatch(/^\/(?:$|\?|api\/v1(?:$|\?|\/[a-z-]+(?:$|\?)))/)
    }),
    { numRuns: NUM_RUNS },
  )
})

describe('any header', () => {
  const hosts = fc.oneof(
    fc.webAuthority({ withPort: true, withIPv4: true, withIPv6: true, withUserInfo: true }),
    fc.domain(),
    fc.constantFrom('a', '[::1]', 'a:65536', 'a:0', '[', '..', '-a', 'a_b', '1.2.3', '256.1.1.1', '[::::]', 'a\tb'),
    visible,
  )

  test('that names a host is refused or makes links that can be followed to that host', async () => {
    const names = fc.constantFrom('Host', 'X-Forwarded-Host')
    await fc.assert(
      fc.asyncProperty(names, hosts, async (name, host) => {
        const response = respond(PATH, { [name]: host })
        if (response.status === 400) return expectProblem(response)
        expect(response.status).toBe(200)
        const address = response.headers.get('Link')?.match(/^<([^<>\s]+)>; rel="next"$/)?.[1] ?? ''
        // If there are several proxies, the first one counts, to which the client spoke.
        const named = name === 'Host' ? host : host.split(',')[0]?.trim()
        expect(address).toBe(`http://${named}${PATH}?format=api&page=2`)
        const { pathname, username, search } = new URL(address)
        expect([pathname, username, search]).toEqual([PATH, '', '?format=api&page=2'])
      }),
      { numRuns: NUM_RUNS },
    )
  })

  test('that is conditional gets the page or 304', async () => {
    const tag = respond(PATH).headers.get('ETag') ?? ''
    const tags = fc.array(fc.oneof(fc.constantFrom(tag, `W/${tag}`, '*', '"', 'W/', '"a"', ','), visible), {
      maxLength: 4,
    })
    const dates = fc.oneof(
      visible,
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    )
    await fc.assert(
      fc.asyncProperty(tags, fc.option(dates), async (parts, date) => {
        const headers = { 'If-None-Match': parts.join(', '), ...(date === null ? {} : { 'If-Modified-Since': date }) }
        const { status } = respond(PATH, headers)
        expect([200, 304]).toContain(status)
        // Whole tags alone are unambiguous; what else there is may break the list.
        if (parts.every((part) => part === tag || part === `W/${tag}`))
          expect(status).toBe(parts.length > 0 ? 304 : 200)
        if (parts.every((part) => part === '"a"')) expect(status).toBe(200)
      }),
      { numRuns: NUM_RUNS },
    )
  })
})
