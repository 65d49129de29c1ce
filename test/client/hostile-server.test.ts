// The client with servers that mean it harm: too much, without end, to elsewhere, or not what was expected.
import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { connect, connectV1, NomenclatorError, sync } from '../../packages/client/src/index.ts'

const MEGABYTE = new Uint8Array(1 << 20).fill(0x20)

/** A server on 127.0.0.1 that responds as a test says, and keeps the requests. */
class FakeServer {
  readonly requests: { readonly target: string; readonly headers: Headers }[] = []
  respond: (url: URL) => Response | Promise<Response> = () => Response.json([])
  readonly #server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch: (request) => {
      const url = new URL(request.url)
      this.requests.push({ target: url.pathname + url.search, headers: new Headers(request.headers) })
      return this.respond(url)
    },
  })
  readonly url = `http://127.0.0.1:${this.#server.port}`
  stop = () => this.#server.stop(true)
}

const server = new FakeServer()
const other = new FakeServer()
afterEach(() => {
  for (const one of [server, other]) one.requests.length = 0
})
afterAll(async () => {
  for (const one of [server, other]) await one.stop()
})

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )
const pais = { cvePais: 'MEX', descPais: 'México', idPais: 484 }
const digest = 'a'.repeat(64)
const paises = {
  ...{ name: 'paises', record: '/api/v2/paises/{idPais}', key: ['idPais'], keyPaths: ['idPais'], code: [], codes: [] },
  ...{ fields: [{ path: 'idPais', type: 'integer' }], derived: [], filters: [] },
}
const description = { release: { digest, built: '2026-01-01T00:00:00Z' }, collections: [paises] }

describe('a body without end', () => {
  let sent = 0
  const endless = () =>
    new Response(
      new ReadableStream({
        pull: (to) => {
          sent += MEGABYTE.length
          to.enqueue(MEGABYTE)
        },
      }),
    )

  test.each([
    ['a record', 50e6, () => connect(server.url).paises.get(484)],
    ['a list of API v1', 50e6, () => connectV1(server.url).paises.page()],
    ['as much as the option says', 2e6, () => connect(server.url, { maxBytes: 2e6 }).paises.page()],
  ])('is cut off: %s', async (_what, limit, call) => {
    sent = 0
    server.respond = endless
    const error = await rejection(call())
    expect(error).toBeInstanceOf(NomenclatorError)
    expect(String(error)).toEndWith(`: more than ${limit} bytes came`)
    // It is not requested again, and the connection takes no more.
    expect(server.requests).toHaveLength(1)
    expect(sent).toBeLessThan(limit + 50e6)
  })

  test('is cut off where it is an error', async () => {
    server.respond = () => new Response(endless().body, { status: 404 })
    expect(String(await rejection(connect(server.url, { maxBytes: 2e6 }).paises.get(1)))).toEndWith('bytes came')
  })
})

describe('a next page', () => {
  const page = (length: number, total: string, after: string) =>
    Response.json(Array(length).fill(pais), {
      headers: {
        'X-Release': digest,
        'X-Total': total,
        Link: `<${server.url}/api/v2/paises?after=${after}>; rel="next"`,
      },
    })

  test.each<[string, () => Response, number]>([
    ['that was there before', () => page(1, '1000000', 'same'), 2],
    ['after all records', () => page(1, '3', `${server.requests.length}`), 3],
    ['after a page without records', () => page(0, '3', `${server.requests.length}`), 1],
    ['without a total', () => page(1, '', `${server.requests.length}`), 1],
    ['of a total without end', () => page(1, 'Infinity', `${server.requests.length}`), 1],
    ['of a total that no list has', () => page(1, '1e9', `${server.requests.length}`), 1],
  ])('%s ends a walk', async (_what, respond, requests) => {
    server.respond = respond
    for (const walk of [
      () => connect(server.url).paises.all().toArray(),
      () => Array.fromAsync(connect(server.url).paises.all()),
    ]) {
      server.requests.length = 0
      const error = await rejection(walk())
      expect(error).toBeInstanceOf(NomenclatorError)
      expect(String(error)).toContain('the next page leads back, or the total of the list cannot be right')
      expect(server.requests).toHaveLength(requests)
    }
  })

  test.each([
    ['1', '3', 3],
    ['0', '3', 1],
    ['1', '', 1],
    ['1', 'Infinity', 1],
  ])('of API v1 that always comes ends a walk: %s records of %s', async (length, total, requests) => {
    server.respond = ({ searchParams }) =>
      Response.json(Array(Number(length)).fill(pais), {
        headers: { 'X-Total': total, Link: `<?page=${Number(searchParams.get('page') ?? 1) + 1}>; rel="next"` },
      })
    expect(String(await rejection(connectV1(server.url).paises.all().toArray()))).toContain(
      'the total of the list cannot be right',
    )
    expect(server.requests).toHaveLength(requests)
  })
})

describe('a redirect', () => {
  const headers = { 'X-Api-Key': 'secret' }
  const to = (location: string, status: number) => new Response(null, { status, headers: { Location: location } })

  test.each([301, 302, 307, 308])('with status %d takes no headers to another host', async (status) => {
    server.respond = ({ pathname }) => to(other.url + pathname, status)
    const error = await rejection(connect(server.url, { headers }).paises.get(484))
    expect(error).toBeInstanceOf(NomenclatorError)
    expect(String(error)).toContain('the server redirects this elsewhere')
    expect(other.requests).toEqual([])
    expect(server.requests).toHaveLength(1)
  })

  test('takes no rows to another host', async () => {
    server.respond = ({ pathname }) => to(other.url + pathname, 307)
    expect(String(await rejection(connect(server.url).resolve(['Monterrey'])))).toContain('redirects this elsewhere')
    expect(other.requests).toEqual([])
  })

  test('is followed with the headers within the server', async () => {
    server.respond = ({ pathname }) => (pathname.endsWith('/484') ? to('/moved', 308) : Response.json(pais))
    expect(await connect(server.url, { headers }).paises.get(484)).toMatchObject(pais)
    expect(server.requests.map((request) => [request.target, request.headers.get('X-Api-Key')])).toEqual([
      ['/api/v2/paises/484', 'secret'],
      ['/moved', 'secret'],
    ])
  })

  test('is followed to another host by a client without headers', async () => {
    server.respond = ({ pathname }) => to(other.url + pathname, 302)
    other.respond = () => Response.json(pais)
    expect(await connect(server.url).paises.get(484)).toMatchObject(pais)
  })

  test.each(['/api/v2/paises/484', 'javascript:alert(1)', ''])('to %p has an end', async (location) => {
    server.respond = () => to(location, 302)
    expect(await rejection(connect(server.url, { headers }).paises.get(484))).toBeInstanceOf(NomenclatorError)
    expect(server.requests.length).toBeLessThan(8)
  })

  test('that a browser does not show is refused', async () => {
    const opaque = Object.defineProperty(new Response(null), 'type', { value: 'opaqueredirect' })
    const error = await rejection(connect(server.url, { headers, fetch: async () => opaque }).paises.get(484))
    expect(String(error)).toContain('redirects this elsewhere')
  })
})

test.each(['.', '..', ''])('the key %p is refused before a request', async (key) => {
  type Texts = { list: { record: { id: string }; facts: object; key: { id: string }; codes: 'id'; below: 'list' } }
  server.respond = () => Response.json({ ...description, collections: [{ ...paises, name: 'list' }] })
  const { list } = connect<Texts>(server.url)
  const calls = [
    () => list.get(key),
    () => list.byCode(key),
    () => list.children(key).list.page(),
    () => list.children({ code: key }).list.all().toArray(),
    () => list.children(key).list.downloadUrl('csv'),
  ]
  for (const call of calls) {
    const error = await rejection(call())
    expect(error).toBeInstanceOf(TypeError)
    expect(String(error)).toContain('cannot be empty, . or ..')
  }
  expect(server.requests).toEqual([])
})

describe('JSON of another form', () => {
  const values = [
    'null',
    '5',
    '"text"',
    '[]',
    '[null]',
    '[5]',
    '{}',
    '{"collections":{}}',
    '<h1>Hello</h1>',
    '['.repeat(1e5),
  ]
  const collections = [null, 5, {}, [null], [{}], [{ ...paises, key: 'idPais' }], [{ ...paises, fields: [null] }]]
  const bodies = [...values, ...collections.map((changed) => JSON.stringify({ ...description, collections: changed }))]

  test.each(bodies.map((body) => [body.slice(0, 90), body]))('is refused with words: %s', async (_shown, body) => {
    server.respond = ({ pathname }) => new Response(pathname.endsWith('/api/v2') ? body : '{}')
    const catalogs = connect(server.url)
    for (const call of [() => catalogs.paises.get(pais as never), () => sync(catalogs, new Map())]) {
      const error = await rejection(call())
      expect(error).toBeInstanceOf(NomenclatorError)
      expect(String(error)).toMatch(/: the response is (?:not JSON|JSON of another form than was expected)$/)
    }
  })

  const lists = ['null', '5', '{}', '[null]', '[5]', '[[]]']
  test.each(lists)('is refused in place of a list: %s', async (body) => {
    server.respond = () => new Response(body)
    const { paises: list, search, resolve, changes, releases } = connect(server.url)
    const calls = [
      () => list.page(),
      () => list.all().toArray(),
      () => connectV1(server.url).paises.page(),
      () => search('x'),
      () => resolve(['x']),
      () => changes(digest),
      () => releases(),
    ]
    for (const call of calls) expect(await rejection(call())).toBeInstanceOf(NomenclatorError)
  })

  test('is no member of changes', async () => {
    const more = { length: -1, map: 5, push: 'x', constructor: {}, [Symbol.iterator.toString()]: 1 }
    server.respond = () => Response.json({ from: 'a', to: 'b', changes: [{}], ...more })
    const changes = await connect(server.url).changes(digest)
    expect([changes.from, changes.to, changes.map(() => 1)]).toEqual(['a', 'b', [1]])
    expect(Object.getOwnPropertyNames(changes)).toEqual(['0', 'length', 'from', 'to'])
  })

  const manifests = [null, [], {}, { entities: {} }, { entities: [null], aliases: [] }, { entities: [], aliases: [5] }]
  test.each(manifests.map((manifest) => [manifest]))('is refused in place of a manifest: %j', async (manifest) => {
    server.respond = ({ pathname }) => Response.json(pathname.endsWith('/api/v2') ? description : manifest)
    const copy = new Map()
    expect(await rejection(sync(connect(server.url), copy))).toBeInstanceOf(NomenclatorError)
    expect(copy.size).toBe(0)
  })

  const problems = [{ type: 5 }, { detail: {} }, { title: [] }, null, [], 5]
  test.each(problems.map((problem) => [problem]))('is no problem: %j', async (problem) => {
    server.respond = () => Response.json(problem, { status: 404 })
    const error = await rejection(connect(server.url).paises.get(1))
    expect(error).toMatchObject({ name: 'NotFound', kind: '', problem: { status: 404 } })
  })

  test('is a problem whose words a terminal would obey', async () => {
    server.respond = () => Response.json({ title: 'no\u001b[2J\u009b2J\u202e\u200fsuch\n' }, { status: 404 })
    const error = (await rejection(connect(server.url).paises.get(484))) as Error
    expect(error.message).toEndWith(': 404, no [2J 2J such ')
  })

  test('is a problem whose words take no time to read', async () => {
    const detail = `a was "${'"; allowed is '.repeat(200_000)}`
    server.respond = () => Response.json({ detail }, { status: 400 })
    const start = performance.now()
    expect(await rejection(connect(server.url).paises.get(1))).toMatchObject({
      name: 'BadRequest',
      parameter: undefined,
    })
    expect(performance.now() - start).toBeLessThan(2_000)
  })
})
