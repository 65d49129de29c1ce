// The app as a function from request to response: what it routes, what it refuses, what it catches.
import { describe, expect, test } from 'bun:test'
import { audiencia, pais } from '../../../../test/support/built-in.ts'
import { releaseOf, variantOf } from '../../../../test/support/releases.ts'
import { immediateResponseTo, responseTo, type TestRequest } from '../../../../test/support/responses.ts'
import { countries, smallSource } from '../../../../test/support/small-source.ts'
import { catalogOf } from '../catalog/catalog.ts'
import { explorerPages } from '../explorer/mount.ts'
import type { Release } from '../release/release.ts'
import { type AppContext, createApp, type LoadedPages } from './app.ts'
import { Budget, DEFAULT_BUDGET } from './limits/budget.ts'
import { Metrics } from './observation/metrics.ts'
import { SHELF_HEADER } from './observation/shelf-header.ts'
import { ProblemError } from './problem.ts'

const release = await releaseOf(smallSource({ pais: countries(11) }))
const ORIGIN = 'http://a.test'
const context: AppContext = {
  release: () => release,
  policy: { baseUrl: ORIGIN, trustedProxies: undefined },
  pages: explorerPages,
  logError: (error) => {
    throw error
  },
}
const connection = { listeningUrl: ORIGIN, peer: undefined }
/** The explorer is loaded at its first request, and from then on responds without waiting. */
await createApp(context)({ method: 'GET', path: '/', query: '', headers: new Map() }, connection)
const respond = (target: string, request: Partial<TestRequest> = {}, changed: Partial<AppContext> = {}) =>
  immediateResponseTo(createApp({ ...context, ...changed }), { target, ...request }, connection)

describe('API v2', () => {
  test('is there without waiting once it is loaded', async () => {
    const app = createApp(context)
    await app.preload?.()
    expect(immediateResponseTo(app, { target: '/api/v2/paises' }, connection).status).toBe(200)
  })

  test('refuses a client that has used up its bytes, and v1 does not', async () => {
    const metrics = new Metrics()
    const budget = new Budget({ ...DEFAULT_BUDGET, bytesPerClient: 10 }, metrics)
    budget.keepBytes('192.0.2.1', 10)
    const app = createApp({ ...context, budget })
    const from = (peer: string, target: string) => responseTo(app, { target }, { ...connection, peer })
    expect((await from('192.0.2.1', '/api/v2/paises')).status).toBe(503)
    expect((await from('192.0.2.1', '/api/v1/paises')).status).toBe(200)
    expect((await from('192.0.2.2', '/api/v2/paises')).status).toBe(200)
    expect(metrics.refused.bytes).toBe(1)
  })

  test.each([
    ['/api/v2/paises', true],
    ['/api/v2/paises?page=99', true],
    ['/api/openapi.json', true],
    [`/api/v2/paises?release=${release.digest}`, false],
    ['/api/v1/paises', false],
    ['/api/v1/nothing', false],
    ['/reconcile', false],
    ['/explore', false],
  ])(
    'tells that the store is in trouble, unless the response is right whatever the store has: %s',
    async (target, tells) => {
      const shelfTrouble = () => ({ kind: 'away', since: 1_800_000_000, message: '' }) as const
      const store = { open: () => release, digests: () => [release.digest] } as unknown as NonNullable<
        AppContext['store']
      >
      const { headers } = await responseTo(createApp({ ...context, store, shelfTrouble }), { target }, connection)
      expect(headers.get(SHELF_HEADER)).toBe(tells ? 'away;since=@1800000000' : null)
      expect(headers.get('Access-Control-Expose-Headers')?.includes(SHELF_HEADER) ?? false).toBe(tells)
    },
  )
})

test.each([
  ['POST', '/reconcile', 1_000_000],
  ['PUT', '/reconcile', undefined],
  ['POST', '/api/v2/resolve', 5_000_000],
  ['DELETE', '/api/v2/resolve', undefined],
  ['POST', '/api/v1/paises', undefined],
])('of the body of %s %s at most so many bytes are read: %p', (method, path, max) => {
  expect(createApp(context).maxBody?.({ method, path, query: '', headers: new Map() })).toBe(max)
})

describe('routes', () => {
  test.each([
    ['/', 200],
    ['/api/v1', 200],
    ['/api/v1/localidades', 200],
    ['/api/v1/municipios', 200],
    ['/api/v1/paises', 200],
    ['/api/v1/subdisciplinas-conocimiento', 200],
    ['/api/v1/audiencias', 200],
    ['/api/v1/', 308],
    ['/api/v1/paises/', 308],
    ['/api/v1/paises/?page=2', 308],
    ['/api/v1/paises//', 404],
    ['/api/v1/paises/1', 404],
    ['/api/v1/Paises', 404],
    ['/api/v1/../v1/paises', 404],
    ['/api/v1/%70aises', 404],
    ['//', 308],
    ['', 404],
    ['*', 404],
    ['/api/v1/estados', 404],
    ['/api', 404],
    ['/api/v1/__proto__', 404],
    ['/constructor', 404],
  ])('%s is %i', (target, status) => expect(respond(target).status).toBe(status))

  test.each(['/api/v1/paises?page=0', '*'])('OPTIONS has no body: %s', async (target) => {
    const response = respond(target, { method: 'OPTIONS' })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'CONNECT', 'BREW', 'get'])(
    '%s is 405 where there is something, 404 elsewhere',
    (method) => {
      expect(respond('/api/v1/paises', { method }).status).toBe(405)
      expect(respond('/', { method }).status).toBe(405)
      expect(respond('/api/v1/paises/', { method }).status).toBe(405)
      expect(respond('/elsewhere', { method }).status).toBe(404)
    },
  )
})

describe('a problem', () => {
  const HTML = 'text/html; charset=utf-8'
  const JSON_PROBLEM = 'application/problem+json'
  test.each([
    ['outside the API, for a browser', '/nowhere', 'text/html,application/xhtml+xml,*/*;q=0.8', HTML],
    ['on a page, for a browser', '/explore/nothing', 'application/json;q=0.5, text/html', HTML],
    ['outside the API, for any other client', '/nowhere', '*/*', JSON_PROBLEM],
    ['outside the API, where nothing is said', '/nowhere', undefined, JSON_PROBLEM],
    ['outside the API, where HTML is refused', '/nowhere', 'text/html;q=0, */*', JSON_PROBLEM],
    ['on a page, for any other client', '/explore/nothing', 'application/json', JSON_PROBLEM],
    ['in API v1', '/api/v1/nothing', 'text/html', JSON_PROBLEM],
    ['in API v2', '/api/v2/nothing', 'text/html', JSON_PROBLEM],
    ['at the API', '/api', 'text/html', JSON_PROBLEM],
  ])('%s', async (_, target, accept, type) => {
    const request = { target, headers: accept === undefined ? {} : { accept } }
    const response = await responseTo(createApp(context), request, connection)
    expect([response.status, response.headers.get('Content-Type')]).toEqual([404, type])
    expect(response.headers.get('Cache-Control')).toBe('no-store')
  })

  test('of a service that cannot read its release is given as it is, and both faults are logged', async () => {
    const thrown = new Error('secret')
    const logged: unknown[] = []
    const release = () => {
      throw thrown
    }
    const app = createApp({ ...context, release, logError: (error) => logged.push(error) })
    const response = await responseTo(app, { target: '/', headers: { accept: 'text/html' } }, connection)
    expect([response.status, response.headers.get('Content-Type')]).toEqual([500, JSON_PROBLEM])
    expect(logged).toEqual([thrown, thrown])
  })
})

test.each([
  ['/api/v1', null],
  ['/api/v1/paises', null],
  ['/api/v1/paises/', null],
  ['/api/v1/nothing', null],
  ...[
    ...[
      '/',
      '/explore',
      '/explore/',
      '/explore/paises/1',
      '/docs',
      '/map',
      '/picker',
      '/resolve',
      '/releases',
      '/?page=',
    ],
    ...['/assets/nothing.js', '/api', '/nowhere', '*', '/api/profile.json', '/reconcile', '/reconcile?id=1', '/shelf'],
    ...[
      '/api/v2',
      '/api/v2/paises',
      '/api/v2/paises/',
      '/api/v2/paises/1',
      '/api/v2/paises/all?format=csv',
      '/api/v2/search',
    ],
    ...['/api/v2/paises/nothing', '/api/openapi.json', '/api/v2/search?q=a', '/api/v2/resolve', '/api/v2/releases'],
  ].map((target) => [target, 'nosniff'] as const),
])('%s has X-Content-Type-Options: %p', async (target, expected) => {
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT'])
    for (const accept of ['*/*', 'text/html']) {
      const { headers } = await responseTo(createApp(context), { target, method, headers: { accept } }, connection)
      expect([method, accept, headers.get('X-Content-Type-Options')]).toEqual([method, accept, expected])
    }
})

test('a preflight is not redirected: browsers would not follow', () => {
  expect(respond('/api/v1/paises/', { method: 'OPTIONS' }).status).toBe(200)
  expect(respond('/elsewhere', { method: 'OPTIONS' }).status).toBe(404)
})

describe('the release', () => {
  test('is read once a request', () => {
    let reads = 0
    const counted = (): Release => {
      reads++
      return release
    }
    const statuses = ['/api/v1/paises', '/api/v1/paises?page=9', '/elsewhere', '/api/v1/paises/'].map((target) => {
      reads = 0
      return [respond(target, {}, { release: counted }).status, reads]
    })
    expect(statuses).toEqual([
      [200, 1],
      [404, 1],
      [404, 1],
      [308, 1],
    ])
  })

  test('decides which collections there are', () => {
    const catalog = catalogOf([pais, { ...audiencia, plural: 'audiences' }])
    const statuses = ['/api/v1/paises', '/api/v1/audiences', '/api/v1/audiencias', '/api/v1/municipios'].map(
      (target) => respond(target, {}, { release: () => variantOf(release, { catalog }) }).status,
    )
    expect(statuses).toEqual([200, 200, 404, 404])
  })

  test('may be another for the next request', async () => {
    const releases = [await releaseOf(smallSource({ pais: countries(1) })), release]
    const app = createApp({ ...context, release: () => releases.shift() ?? release })
    const totals = [1, 2].map(() =>
      immediateResponseTo(app, { target: '/api/v1/paises' }, connection).headers.get('X-Total'),
    )
    expect(totals).toEqual(['1', '11'])
  })
})

test('what is thrown inside is logged with its request, and not shown to the client', async () => {
  const thrown = new Error('secret')
  const logged: unknown[] = []
  const response = respond(
    '/api/v1/paises?page=1',
    {},
    {
      release: () => {
        throw thrown
      },
      logError: (error, { method, path }) => logged.push([error, method, path]),
    },
  )
  expect([response.status, response.headers.get('Content-Type')]).toEqual([500, 'application/problem+json'])
  expect(await response.text()).not.toMatch(/secret|\.ts\b/)
  expect(logged).toEqual([[thrown, 'GET', '/api/v1/paises']])
})

test('a problem that is thrown is the response, and is not logged', async () => {
  const gone = () => {
    throw new ProblemError({ kind: 'release-gone', digest: '00000000' })
  }
  expect(respond('/api/v1/paises', {}, { release: gone }).status).toBe(410)
})

describe('a release that is not here', () => {
  const digest = '0'.repeat(64)
  const asked = async (target: string, findOnShelf: NonNullable<AppContext['findOnShelf']>) => {
    const { status, headers } = await responseTo(createApp({ ...context, findOnShelf }), { target }, connection)
    const exposed = headers.get('Access-Control-Expose-Headers')?.includes(SHELF_HEADER) ?? false
    return [status, headers.get('Retry-After'), headers.get(SHELF_HEADER), exposed, headers.get('Cache-Control')]
  }
  const AWAITED = [503, '2', 'lag', true, 'no-store']

  test.each([
    ['there', AWAITED],
    ['unknown', AWAITED],
    ['absent', [410, null, null, false, 'no-store']],
  ] as const)('and of which the shelf says that it is %s', async (onShelf, expected) => {
    const digests: string[] = []
    const says = async (of: string) => {
      digests.push(of)
      return onShelf
    }
    for (const path of [`paises?release=${digest}`, `changes?from=${digest}`, `releases/${digest}`])
      expect({ path, as: await asked(`/api/v2/${path}`, says) }).toEqual({ path, as: [...expected] })
    expect(digests).toEqual([digest, digest, digest])
  })

  test('is asked for only where it is missing', async () => {
    const never = () => Promise.reject(new Error('asked'))
    expect((await asked(`/api/v2/paises?release=${release.digest}`, never))[0]).toBe(200)
    expect((await asked(`/api/v2/paises?release=${digest}&nope=1`, never))[0]).toBe(400)
  })
})

describe('a page that is promised and then fails', () => {
  const failing = (error: unknown, logged: unknown[] = []) =>
    responseTo(
      createApp({
        ...context,
        pages: () => ({ respond: () => Promise.reject(error) }) as unknown as LoadedPages,
        logError: (thrown, { path }) => logged.push([thrown, path]),
      }),
      { target: '/explore' },
      connection,
    )

  test('with a problem, is answered with it, and nothing is logged', async () => {
    const logged: unknown[] = []
    const response = await failing(new ProblemError({ kind: 'release-gone', digest: '00000000' }), logged)
    expect([response.status, logged]).toEqual([410, []])
  })

  test('with anything else, is answered with a status of 500, and logged', async () => {
    const secret = new Error('secret')
    const logged: unknown[] = []
    const response = await failing(secret, logged)
    expect([response.status, logged]).toEqual([500, [[secret, '/explore']]])
    expect(await response.text()).not.toContain('secret')
  })
})
