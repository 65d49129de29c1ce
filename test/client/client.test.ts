// The client: how it sends requests to servers that fail, and what it makes of the responses of a real one.
import { afterAll, afterEach, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import {
  BadRequest,
  type Catalogs,
  ConnectionFailed,
  connect,
  connectV1,
  NomenclatorError,
  NotFound,
  ReleaseGone,
  ResponseError,
  TimedOut,
  TooManyRequests,
  Unavailable,
} from '../../packages/client/src/index.ts'
import { type Explored, explored } from '../support/explored.ts'
import { PassingTime } from '../support/passing-time.ts'
import { sourceOf, TestHome, tiny } from '../support/releases.ts'
import { serverOf } from '../support/server.ts'

/** A server that responds as a test says, and keeps the requests. */
class ScriptedServer {
  readonly requests: { readonly method: string; readonly url: string; readonly headers: Headers }[] = []
  respond: (request: Request, number: number) => Response | Promise<Response> = () => Response.json([])
  readonly #server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch: (request) => {
      const { method, url, headers } = request
      this.requests.push({ method, url, headers: new Headers(headers) })
      return this.respond(request, this.requests.length)
    },
  })
  readonly url = `http://127.0.0.1:${this.#server.port}`

  stop() {
    return this.#server.stop(true)
  }
}

let server: ScriptedServer
beforeAll(() => {
  server = new ScriptedServer()
})
afterEach(() => {
  server.requests.length = 0
})
afterAll(() => server.stop())

const quick = { backoff: 1 }
/** The description of a release with one collection. */
const described = (record: string, key: string) => ({
  release: { digest: 'a'.repeat(64), built: '2026-01-01T00:00:00Z' },
  collections: [
    {
      ...{ name: record.split('/').at(-2), record, key: [key], keyPaths: [key], code: [], codes: [] },
      ...{ fields: [{ path: key, type: 'integer' }], derived: [], filters: [] },
    },
  ],
})
const pais = { cvePais: 'MEX', descPais: 'México', idPais: 484, alpha2: 'MX', numeric: '484' }
const problem = (status: number, detail = '', headers: Record<string, string> = {}) =>
  Response.json({ type: 'urn:nomenclator:problem:some-kind', status, detail }, { status, headers })
/** The reason that a promise is rejected with. */
const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

const CLIENT_SOURCES = '/packages/client/'

/** The milliseconds of all timers that the client sets meanwhile. Waits for a retry are over at once. */
async function timersDuring(call: () => Promise<unknown>): Promise<number[]> {
  const timers: number[] = []
  const original = globalThis.setTimeout
  globalThis.setTimeout = ((callback: () => void, milliseconds: number, ...rest: unknown[]) => {
    // Others in this process set timers, too.
    if (!new Error().stack?.includes(CLIENT_SOURCES)) return original(callback, milliseconds, ...rest)
    timers.push(milliseconds)
    return original(callback, milliseconds === SILENCE ? milliseconds : 0)
  }) as typeof setTimeout
  try {
    await call()
  } finally {
    globalThis.setTimeout = original
  }
  return timers
}

/** The default of the option `timeout`. */
const SILENCE = 30_000

describe('retries', () => {
  test.each([429, 502, 503, 504])('after a %i', async (status) => {
    server.respond = (_, number) => (number < 3 ? problem(status) : Response.json(pais))
    expect(await connect(server.url, quick).paises.get(484)).toEqual(pais)
    expect(server.requests).toHaveLength(3)
  })

  test.each([400, 404, 410, 500, 501])('none after a %i', async (status) => {
    server.respond = () => problem(status)
    expect(await rejection(connect(server.url, quick).paises.get(484))).toBeInstanceOf(ResponseError)
    expect(server.requests).toHaveLength(1)
  })

  test('after a connection that broke, and an error that names the address when they are used up', async () => {
    let sent = 0
    const fetch = async () => {
      sent++
      if (sent < 3) throw new TypeError('fetch failed', { cause: new Error('ECONNRESET') })
      return Response.json(pais)
    }
    expect(await connect('http://a.example', { ...quick, fetch }).paises.get(484)).toEqual(pais)
    sent = -10
    const error = await rejection(connect('http://a.example', { ...quick, retries: 2, fetch }).paises.get(484))
    expect(error).toBeInstanceOf(ConnectionFailed)
    expect(String(error)).toBe('ConnectionFailed: GET http://a.example/api/v2/paises/484: fetch failed (ECONNRESET)')
    expect(sent).toBe(-7)
  })

  test('none of a POST, which is not idempotent', async () => {
    server.respond = () => problem(503)
    expect(await rejection(connect(server.url, quick).resolve(['Monterrey']))).toBeInstanceOf(Unavailable)
    expect(server.requests.map(({ method }) => method)).toEqual(['POST'])
  })

  test.each([
    ['in seconds', () => '1', 990],
    // A date has whole seconds: at least a tenth of one is left of these.
    ['as a date', () => new Date(Date.now() + 1_100).toUTCString(), 90],
  ])('wait as Retry-After says %s', async (_how, retryAfter, least) => {
    const times: number[] = []
    server.respond = (_request, number) => {
      times.push(performance.now())
      return number === 1 ? problem(429, '', { 'Retry-After': retryAfter() }) : Response.json(pais)
    }
    await connect(server.url, quick).paises.get(484)
    expect((times[1] as number) - (times[0] as number)).toBeGreaterThan(least)
  })

  test('are given up where Retry-After is too long, which the error has', async () => {
    server.respond = () => problem(429, 'slow down', { 'Retry-After': '3600' })
    const error = await rejection(connect(server.url, quick).paises.get(484))
    expect(error).toBeInstanceOf(TooManyRequests)
    expect((error as TooManyRequests).retryAfter).toBe(3_600)
    expect(server.requests).toHaveLength(1)
  })

  test.each([
    ['as long as is allowed', '60', 5],
    ['longer', '61', 1],
  ])('where nothing else is said: four, and a Retry-After that is %s', async (_, retryAfter, requests) => {
    let sent = 0
    const fetch = async () => {
      sent++
      return problem(503, '', { 'Retry-After': retryAfter })
    }
    const timers = await timersDuring(() => rejection(connect('http://a.example', { fetch }).paises.get(1)))
    expect(sent).toBe(requests)
    expect(timers).toContain(SILENCE)
  })

  test('of rows are made only where their release is on its way to the server', async () => {
    let sent = 0
    const sending = async (headers: Record<string, string>) => {
      const fetch = async () => (sent++ === 0 ? problem(503, '', headers) : Response.json([]))
      const { resolve } = connect('http://a.example', { fetch, backoff: 1 })
      return resolve([{ name: 'a' }]).then(() => 'resolved', rejected)
    }
    const rejected = ({ status }: { status: number }) => status
    expect([await sending({ 'Retry-After': '0' }), sent]).toEqual([503, 1])
    sent = 0
    expect([await sending({ 'Retry-After': '0', 'Nomenclator-Shelf': 'lag' }), sent]).toEqual(['resolved', 2])
  })

  test('wait twice as long each time, up to twenty seconds', async () => {
    const fetch = async () => problem(503)
    const random = spyOn(Math, 'random').mockReturnValue(1)
    try {
      const timers = await timersDuring(() =>
        rejection(connect('http://a.example', { fetch, retries: 9 }).paises.get(1)),
      )
      expect(timers.filter((milliseconds) => milliseconds !== SILENCE)).toEqual([
        250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 20_000, 20_000,
      ])
    } finally {
      random.mockRestore()
    }
  })

  test('wait longer each time, and never as long as the others', async () => {
    const fetch = async () => problem(503)
    const attempts = () =>
      Array.from({ length: 20 }, () => rejection(connect('http://a.example', { fetch, retries: 6 }).paises.get(1)))
    const timers = await timersDuring(() => Promise.all(attempts()))
    const waits = timers.filter((milliseconds) => milliseconds !== SILENCE)
    const [first, last] = [waits.slice(0, 20), waits.slice(-20)]
    expect(waits).toHaveLength(120)
    expect(new Set(waits).size).toBe(120)
    expect(Math.max(...first)).toBeLessThanOrEqual(250)
    expect(Math.max(...last)).toBeGreaterThan(1_000)
    expect(Math.max(...waits)).toBeLessThanOrEqual(250 * 2 ** 5)
  })
})

describe('timeouts', () => {
  test('end a request to a server that sends nothing', async () => {
    server.respond = () => new Promise(() => {})
    // Counted here: on a busy machine the time may be over before the server has the request.
    let sent = 0
    const counting = (...call: Parameters<typeof fetch>) => {
      sent++
      return fetch(...call)
    }
    const options = { timeout: 30, retries: 1, backoff: 1, fetch: counting }
    expect(await rejection(connect(server.url, options).paises.get(484))).toBeInstanceOf(TimedOut)
    expect(sent).toBe(2)
  })

  test('end one whose body stops in the middle', async () => {
    server.respond = () =>
      new Response(new ReadableStream({ start: (to) => to.enqueue(new TextEncoder().encode('[{"idPais"')) }))
    const error = await rejection(connect(server.url, { timeout: 60, retries: 0 }).paises.get(484))
    expect(error).toBeInstanceOf(TimedOut)
  })

  test('leave one alone that goes on, however long it takes', async () => {
    using time = new PassingTime()
    const pieces = [...JSON.stringify(pais)]
    const fetch = async (_: unknown, { signal }: RequestInit = {}) => {
      const dripping = new ReadableStream(
        {
          start: (to) => signal?.addEventListener('abort', () => to.error(signal.reason)),
          pull: (to) => {
            time.pass(SILENCE - 1)
            const piece = pieces.shift()
            if (signal?.aborted) return
            if (piece === undefined) to.close()
            else to.enqueue(new TextEncoder().encode(piece))
          },
        },
        { highWaterMark: 0 },
      )
      return new Response(dripping)
    }
    expect(await connect('http://a.example', { retries: 0, fetch }).paises.get(484)).toEqual(pais)
  })
})

describe('a signal', () => {
  const reason = new Error('the user left')

  test('ends a request that is under way', async () => {
    const controller = new AbortController()
    server.respond = () => {
      controller.abort(reason)
      return new Promise(() => {})
    }
    expect(await rejection(connect(server.url).paises.get(484, { signal: controller.signal }))).toBe(reason)
    expect(server.requests).toHaveLength(1)
  })

  test('ends the wait for a retry, also where it is that of the client', async () => {
    const controller = new AbortController()
    server.respond = () => {
      setTimeout(() => controller.abort(reason), 5)
      return problem(503, '', { 'Retry-After': '30' })
    }
    expect(await rejection(connect(server.url, { signal: controller.signal }).paises.get(484))).toBe(reason)
  })

  test('ends the wait for others, which go on', async () => {
    const controller = new AbortController()
    const { promise, resolve } = Promise.withResolvers<void>()
    server.respond = async () => {
      await promise
      return Response.json(pais)
    }
    const catalogs = connect(server.url, { concurrency: 1 })
    const first = catalogs.paises.get(484)
    const second = rejection(catalogs.paises.get(1, { signal: controller.signal }))
    const third = catalogs.paises.get(2)
    controller.abort(reason)
    expect(await second).toBe(reason)
    resolve()
    expect(await Promise.all([first, third])).toEqual([pais, pais])
    expect(server.requests).toHaveLength(2)
  })

  test('that was given before keeps a request from being sent', async () => {
    expect(await rejection(connect(server.url).paises.get(484, { signal: AbortSignal.abort(reason) }))).toBe(reason)
    expect(server.requests).toHaveLength(0)
  })

  test('that lives on is not listened to once the request is over', async () => {
    server.respond = (_, number) => (number === 1 ? problem(503) : Response.json(pais))
    const { signal } = new AbortController()
    const added = spyOn(signal, 'addEventListener')
    const removed = spyOn(signal, 'removeEventListener')
    await connect(server.url, quick).paises.get(484, { signal })
    expect(added.mock.calls.length).toBeGreaterThan(0)
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(added.mock.calls.map(([, listener]) => listener))
  })
})

describe('responses that are kept', () => {
  const tagged =
    (body: unknown, headers: Record<string, string> = {}) =>
    (request: Request) =>
      request.headers.get('If-None-Match') === '"1"'
        ? new Response(null, { status: 304, headers: { ETag: '"1"', ...headers } })
        : Response.json(body, { headers: { ETag: '"1"', ...headers } })

  test('are revalidated, and good while they are', async () => {
    server.respond = tagged(pais)
    const catalogs = connect(server.url)
    expect(await catalogs.paises.get(484)).toEqual(pais)
    expect(await catalogs.paises.get(484)).toEqual(pais)
    expect(server.requests.map(({ headers }) => headers.get('If-None-Match'))).toEqual([null, '"1"'])
    server.respond = () => Response.json({ ...pais, descPais: 'otro' })
    expect((await catalogs.paises.get(484)).descPais).toBe('otro')
  })

  test('have the totals of their revalidation', async () => {
    server.respond = tagged([pais], { 'X-Total': '1' })
    const catalogs = connect(server.url)
    await catalogs.paises.page()
    server.respond = tagged([pais], { 'X-Total': '2' })
    expect((await catalogs.paises.page()).total).toBe(2)
  })

  test('are not requested again where they never change', async () => {
    server.respond = tagged(pais, { 'Cache-Control': 'public, max-age=31536000, immutable' })
    const catalogs = connect(server.url)
    await catalogs.paises.get(484, { release: 'f'.repeat(64) })
    expect(await catalogs.paises.get(484, { release: 'f'.repeat(64) })).toEqual(pais)
    expect(server.requests).toHaveLength(1)
  })

  test('are in the cache that was given, and in none if that is false', async () => {
    server.respond = tagged(pais)
    const cache = new Map()
    await connect(server.url, { cache }).paises.get(484)
    expect([...cache.keys()]).toEqual([`${server.url}/api/v2/paises/484`])
    expect(await connect(server.url, { cache }).paises.get(484)).toEqual(pais)
    const without = connect(server.url, { cache: false })
    await without.paises.get(484)
    await without.paises.get(484)
    expect(server.requests.map(({ headers }) => headers.get('If-None-Match'))).toEqual([null, '"1"', null, null])
  })

  test('have a tag: what cannot be revalidated is not kept', async () => {
    server.respond = () => Response.json(pais)
    const cache = new Map()
    await connect(server.url, { cache }).paises.get(484)
    expect(cache.size).toBe(0)
  })

  test('take up to eight million characters, the least recently used give way', async () => {
    server.respond = (request) => tagged({ text: 'x'.repeat(3e6) })(request)
    const catalogs = connect(server.url)
    for (const id of [1, 2, 1, 3, 1, 2]) await catalogs.paises.get(id)
    expect(server.requests.map(({ headers }) => headers.has('If-None-Match'))).toEqual([
      false,
      false,
      true,
      false,
      true,
      false,
    ])
  })
})

test('a response that is not JSON is an error with its address', async () => {
  server.respond = () => new Response('<h1>Welcome to the hotel</h1>')
  const error = await rejection(connect(server.url).paises.get(484))
  expect(error).toBeInstanceOf(NomenclatorError)
  expect(String(error)).toBe(`NomenclatorError: GET ${server.url}/api/v2/paises/484: the response is not JSON`)
})

test.each([
  [{ concurrency: 3 }, 3],
  [{}, 6],
  [{ concurrency: 0 }, 1],
])('no more requests are under way than allowed by %o', async (options, allowed) => {
  let [now, most] = [0, 0]
  const { promise: all, resolve } = Promise.withResolvers<void>()
  server.respond = async () => {
    most = Math.max(most, ++now)
    if (now === allowed) resolve()
    await all
    // One more would come meanwhile.
    await Bun.sleep(20)
    now--
    return Response.json(pais)
  }
  const catalogs = connect(server.url, options)
  await Promise.all(Array.from({ length: 12 }, (_, id) => catalogs.paises.get(id)))
  expect(most).toBe(allowed)
})

describe('a walk', () => {
  test('stays in its release while another one is current, and says so when it is gone', async () => {
    using home = new TestHome()
    const rows = (suffix: string) =>
      sourceOf({ ...tiny, pais: tiny.pais.map((row) => ({ ...row, descPais: `${row.descPais}${suffix}` })) })
    const { digest } = await home.import(rows(''))
    let release = home.current()
    const real = serverOf(() => release, {}, home.store)
    const catalogs = connect(real.url)
    const names: string[] = []
    for await (const { descPais } of catalogs.paises.all({ perPage: 1 })) {
      names.push(descPais)
      if (names.length > 1) continue
      await home.import(rows(' bis'))
      release = home.current()
    }
    expect(names).toEqual(['Francia', 'México'])
    expect((await catalogs.paises.all().toArray()).map(({ descPais }) => descPais)).toEqual([
      'Francia bis',
      'México bis',
    ])

    const walk = catalogs.paises.all({ perPage: 1, release: digest }).pages()[Symbol.asyncIterator]()
    expect((await walk.next()).value.release).toBe(digest)
    home.store.remove(digest)
    const error = await rejection(walk.next())
    expect(error).toBeInstanceOf(ReleaseGone)
    expect(String(error)).toEndWith(`release ${digest}, in which this walk began, is gone; begin again`)
    await real.close()
  })

  test('notices a server that goes on in another release', async () => {
    server.respond = (_, number) =>
      Response.json([pais], {
        headers: { 'X-Release': `${number}`, 'X-Total': '2', Link: `<http://x/?after=a>; rel="next"` },
      })
    expect(String(await rejection(connect(server.url).paises.all().toArray()))).toContain('release 1, in which')
  })

  test('uses the address that the client was given, not the one in links', async () => {
    server.respond = (request) =>
      new URL(request.url).searchParams.has('after')
        ? Response.json([])
        : Response.json([pais], {
            headers: { 'X-Total': '2', Link: `<http://internal:1/api/v2/paises?after=abc>; rel="next"` },
          })
    expect(
      await connect(`${server.url}/behind/a/proxy/`)
        .paises.all({ idPais: [484, 1] })
        .toArray(),
    ).toHaveLength(1)
    expect(server.requests.map(({ url }) => url.slice(server.url.length))).toEqual([
      '/behind/a/proxy/api/v2/paises?perPage=1000&idPais=484&idPais=1'.replace('perPage', 'per_page'),
      '/behind/a/proxy/api/v2/paises?per_page=1000&idPais=484&idPais=1&after=abc',
    ])
  })
})

test('a filter without values is refused, since it would be none', async () => {
  expect(await rejection(connect(server.url).paises.page({ idPais: [] }))).toEqual(
    new TypeError('idPais has no values'),
  )
  expect(server.requests).toHaveLength(0)
})

test('lists stand in one parameter, filters in one each, and a point has six decimals', async () => {
  server.respond = () => Response.json([])
  const { localidades } = connect(server.url)
  await localidades.page({ sort: ['descLocalidad', '-idLocalidad'], fields: ['idLocalidad', 'descLocalidad'] })
  await localidades.page({ idLocalidad: [1, 2] })
  await localidades.near({ latitud: 19.43260779, longitud: -99 }).toArray()
  expect(server.requests.map(({ url }) => decodeURIComponent(new URL(url).search))).toEqual([
    '?sort=descLocalidad,-idLocalidad&fields=idLocalidad,descLocalidad',
    '?idLocalidad=1&idLocalidad=2',
    expect.stringContaining('near=19.432608,-99.000000'),
  ])
})

test('the description of the collections is requested again if that failed', async () => {
  server.respond = ({ url }, number) =>
    number === 1
      ? problem(500)
      : Response.json(url.endsWith('/api/v2') ? described('/api/v2/paises/{idPais}', 'idPais') : pais)
  const { paises } = connect(server.url)
  expect(await rejection(paises.get({ idPais: 484 }))).toBeInstanceOf(ResponseError)
  for (const _ of [1, 2]) expect(await paises.get({ idPais: 484 })).toEqual(pais)
  // It is requested once.
  expect(server.requests.map(({ url }) => url.slice(server.url.length))).toEqual([
    '/api/v2',
    '/api/v2',
    '/api/v2/paises/484',
    '/api/v2/paises/484',
  ])
})

test('the path of a record comes from the description of its collection', async () => {
  const record = 'http://elsewhere/api/v2/star-systems/{star-id}'
  const star = { 'star-id': 7, code: 'seven' }
  const responses = new Map<string, unknown>([
    ['/api/v2', described(record, 'star-id')],
    ['/api/v2/star-systems/7', star],
  ])
  server.respond = ({ url }) => Response.json(responses.get(new URL(url).pathname) ?? [])
  type Star = { record: { 'star-id': number; code: string }; facts: object; key: { 'star-id': number } }
  type Stars = { 'star-systems': Star & { codes: never; below: 'star-systems' } }
  const stars = connect<Stars>(server.url)['star-systems']
  await stars.get({ 'star-id': 7 })
  await stars.children({ 'star-id': 7, code: 'seven' })['star-systems'].page()
  await stars.children({ code: 'a/b' })['star-systems'].page()
  expect(server.requests.map(({ url }) => url.slice(server.url.length))).toEqual([
    '/api/v2',
    '/api/v2/star-systems/7',
    '/api/v2/star-systems/7/star-systems',
    '/api/v2/star-systems/a%2Fb/star-systems?by=code',
  ])
})

describe('with a real server', () => {
  let service: Explored
  let catalogs: Catalogs
  beforeAll(async () => {
    service = await explored()
    catalogs = connect(service.server.url, quick)
  })
  afterAll(() => service.close())

  test('lists have records, totals and the release', async () => {
    const page = await catalogs.localidades.page({ page: 3, perPage: 50, sort: '-poblacion', fields: ['poblacion'] })
    expect([page.page, page.perPage, page.totalPages, page.length]).toEqual([3, 50, 3, 32])
    expect(page.total).toBe(132)
    expect(page.release).toBe(service.digests[1])
    const all = await catalogs.localidades.all({ idMunicipio: 3, ambito: 'U', facts: true }).toArray()
    expect(all.total).toBe(all.length)
    expect(all.every(({ ambito, idMunicipio }) => ambito === 'U' && idMunicipio.descMunicipio === 'Ensenada')).toBe(
      true,
    )
  })

  test('records are found by identifier, key, record and code', async () => {
    const found = await catalogs.municipios.get(3)
    expect(found.descMunicipio).toBe('Ensenada')
    expect(await catalogs.municipios.get({ idMunicipio: 3 })).toEqual(found)
    expect(await catalogs.municipios.get(found)).toEqual(found)
    expect(await catalogs.municipios.byCode('BC-001')).toEqual(found)
    const place = await catalogs.localidades.get({ idMunicipio: 3, idLocalidad: 2 })
    expect(place.descLocalidad).toBe('El "Sauzal" [Ejido]')
    expect(await catalogs.localidades.byCode(['BC-001', '0002'])).toEqual(place)
    expect(await catalogs.localidades.byCode(['3', '0002'], { fields: ['descLocalidad'] })).toEqual({
      descLocalidad: place.descLocalidad,
    })
    expect(String(await rejection(catalogs.localidades.get({ idMunicipio: 3 } as never)))).toContain(
      'the key of a record of localidades has idMunicipio and idLocalidad',
    )
  })

  test('a key in a suggestion, a change or a resolved row is one that get takes', async () => {
    const [found] = await catalogs.search('sauzal')
    if (found?.collection !== 'localidades') throw new Error('no locality was found')
    expect((await catalogs.localidades.get(found.key)).descLocalidad).toContain('Sauzal')
    const changes = await catalogs.changes(service.digests[0])
    expect(changes.to).toBe(service.digests[1])
    const [renamed] = changes
    if (renamed?.collection !== 'localidades' || renamed.change !== 'changed') throw new Error('nothing was renamed')
    expect([renamed.old.descLocalidad, renamed.new.descLocalidad]).toEqual(['Rancho Uno', 'Rancho 1'])
    expect((await catalogs.localidades.get(renamed.key)).descLocalidad).toBe('Rancho 1')
    const rows = await catalogs.resolve([{ estado: 'BC', municipio: 'Ensenada' }, 'nowhere at all'])
    expect(rows.map(({ row, verdict, name }) => [row, verdict, name])).toEqual([
      [1, 'exact', 'Ensenada'],
      [2, 'none', null],
    ])
    expect(rows.release).toBe(service.digests[1])
  })

  test('rows are sent in several requests where they are too many for one', async () => {
    const bodies: number[] = []
    const counting = connect(service.server.url, {
      fetch: (url, init) => {
        bodies.push((JSON.parse(String(init.body)) as unknown[]).length)
        return fetch(url, init)
      },
    })
    const rows = await counting.resolve(Array.from({ length: 10_001 }, () => ({ pais: 'MEX' })))
    expect(bodies).toEqual([10_000, 1])
    expect([rows.length, rows.at(-1)?.row]).toEqual([10_001, 10_001])
  })

  test('children are lists of the descendants of a record', async () => {
    const state = await catalogs.estados.get(2)
    const byId = await catalogs.estados.children(2).localidades.page({ fields: ['descLocalidad'] })
    expect(byId.total).toBe(130)
    expect(
      (await catalogs.estados.children(state).municipios.all().toArray()).map(({ idMunicipio }) => idMunicipio),
    ).toEqual([3])
    expect((await catalogs.estados.children({ code: 'BC' }).localidades.page()).total).toBe(byId.total)
  })

  test('places near a point come with their distance, nearest first', async () => {
    const near = catalogs.localidades.near(
      { latitud: 31, longitud: -115.2 },
      { withinKm: 15, fields: ['descLocalidad'] },
    )
    const places = await near.toArray()
    const distances = places.map(({ distancia }) => distancia)
    expect(distances).toEqual(distances.toSorted((a, b) => a - b))
    expect(distances.length).toBeGreaterThan(1)
    expect(Object.keys(places[0] ?? {})).toEqual(['descLocalidad', 'distancia'])
    const [first] = await catalogs.search('rancho', {
      near: { latitud: 31, longitud: -115.2 },
      in: ['localidades'],
      limit: 1,
    })
    expect(first?.distancia).toBe(distances[0] as number)
    expect(() => catalogs.localidades.near({ latitud: null, longitud: 1 })).toThrow('the point has no coordinates')
  })

  test('an older release is read where it is named', async () => {
    const [before, current] = service.digests
    const older = connect(service.server.url, { release: before })
    expect((await older.localidades.page()).release).toBe(before)
    expect((await older.localidades.page({ release: current })).release).toBe(current)
    expect((await catalogs.releases()).map(({ digest, current: is }) => [digest, is])).toContainEqual([current, true])
    expect((await older.resolve(['x'])).release).toBe(before)
    expect((await older.search('x')).release).toBe(before)
    expect(await older.releases()).toHaveLength(2)
    expect(await older.changes(before)).toHaveLength(2)
  })

  test.each([
    ['a record that is not there', () => catalogs.paises.get(1), NotFound, { kind: 'record-not-found', status: 404 }],
    ['a page beyond the last', () => catalogs.paises.page({ page: 9 }), NotFound, { kind: 'page-beyond-last' }],
    ['a release that is gone', () => catalogs.changes('0'.repeat(64)), ReleaseGone, { kind: 'release-gone' }],
    [
      'a value that is not allowed',
      () => catalogs.paises.page({ perPage: 1_001 }),
      BadRequest,
      { parameter: 'per_page', allowed: ['a whole number from 1 to 1000'] },
    ],
    [
      'a word that is not allowed',
      () => catalogs.paises.page({ embed: 'ids' as 'id' }),
      BadRequest,
      { parameter: 'embed', allowed: ['full', 'id'] },
    ],
    [
      'an unknown name',
      () => catalogs.paises.page({ idPias: 1 } as never),
      BadRequest,
      { parameter: 'idPias', allowed: expect.arrayContaining(['idPais', 'cvePais_prefix']), kind: 'unknown-parameter' },
    ],
    ['a bad row', () => catalogs.resolve([{ planeta: 'Marte' }]), BadRequest, { kind: 'bad-row', method: 'POST' }],
  ])('%s is an error of its own class', async (_what, request, type, members) => {
    const error = await rejection(request())
    expect(error).toBeInstanceOf(type)
    expect(error).toMatchObject(members)
    expect((error as Error).name).toBe(type.name)
    expect((error as Error).message).toStartWith(`${(error as ResponseError).method} ${service.server.url}/api/v2/`)
    expect((error as ResponseError).problem).toMatchObject({ detail: expect.any(String) })
  })

  test('API v1 is walked by its links', async () => {
    const v1 = connectV1(service.server.url)
    const walked: string[] = []
    for await (const { descLocalidad } of v1.localidades.all()) walked.push(descLocalidad)
    const expected = await catalogs.localidades.all({ fields: ['descLocalidad'] }).toArray()
    expect(walked).toEqual(expected.map(({ descLocalidad }) => descLocalidad))
    const page = await v1.localidades.page({ page: 14 })
    expect([page.length, page.page, page.total, page.totalPages]).toEqual([2, 14, 132, 14])
    expect(await rejection(v1.localidades.page({ page: 15 }))).toBeInstanceOf(NotFound)
  })
})

describe('API v1 of another server', () => {
  const pageWith = (headers: Record<string, string>) =>
    Response.json([pais], { headers: { 'X-Total': '2', ...headers } })

  test.each([
    ['after prev', '</api/v1/paises?page=1>; rel="prev", </api/v1/paises?format=api&page=2>; rel="next"'],
    ['relative and without quotes', '<?page=2>; rel=next'],
    ['with other parameters, and a comma in the address', '</api/v1/paises?a=1,2&page=2>; title="x"; rel="next"'],
  ])('may have its next link %s', async (_how, link) => {
    server.respond = (_, number) => pageWith(number === 1 ? { Link: link } : {})
    expect(await connectV1(server.url).paises.all().toArray()).toHaveLength(2)
    expect(server.requests[1]?.url).toContain('page=2')
  })

  test('may not know its public address: then the query of its link counts', async () => {
    server.respond = (_, number) =>
      pageWith(number === 1 ? { Link: '<http://internal:8000/api/v1/paises?format=api&page=2>; rel="next"' } : {})
    expect(await connectV1(`${server.url}/public?x#y`).paises.all().toArray()).toHaveLength(2)
    expect(server.requests[1]?.url).toBe(`${server.url}/public/api/v1/paises?format=api&page=2`)
  })

  test('has only a next page where a link says so', async () => {
    server.respond = () => pageWith({ Link: '</api/v1/paises?page=2>; rel="prev"' })
    expect(await connectV1(server.url).paises.all().toArray()).toHaveLength(1)
  })

  test.each([
    [
      'changes its total in the middle',
      (number: number) => pageWith({ 'X-Total': `${number + 1}`, Link: `<?page=${number + 1}>; rel="next"` }),
    ],
    ['leads back to where it was', () => pageWith({ Link: '</api/v1/paises>; rel="next"' })],
  ])('is an error where it %s', async (_what, respond) => {
    server.respond = (_, number) => respond(number)
    const error = await rejection(connectV1(server.url).paises.all().toArray())
    expect(error).toBeInstanceOf(ReleaseGone)
    expect(String(error)).toContain('the collection has changed since this walk began')
  })

  /** A release of 40 countries, all of whose names have the number of the release. */
  const released =
    (release: number, { dated = true, tagged = false } = {}) =>
    (request: Request): Response => {
      const page = Number(new URL(request.url).searchParams.get('page') ?? 1)
      const records = Array.from({ length: 10 }, (_, at) => ({
        ...pais,
        idPais: page * 10 + at,
        descPais: `${release}`,
      }))
      return Response.json(records, {
        headers: {
          'X-Total': '40',
          ...(page < 4 ? { Link: `<?page=${page + 1}>; rel="next"` } : {}),
          ...(dated ? { 'Last-Modified': new Date(release * 1e9).toUTCString() } : {}),
          ...(tagged ? { ETag: `"${release}-${page}"` } : {}),
        },
      })
    }
  /** The numbers of the releases that records are from. */
  const releasesIn = (records: readonly { descPais: string }[]) => [...new Set(records.map(({ descPais }) => descPais))]

  test.each([
    ['every other request', (number: number) => number % 2],
    ['every third request', (number: number) => (number % 3 === 0 ? 1 : 0)],
    ['five requests in a row', (number: number) => Math.floor(number / 5) % 2],
  ])('is read in one release although a node that is behind responds: %s', async (_how, node) => {
    server.respond = (request, number) => released(node(number) + 1)(request)
    const { paises } = connectV1(server.url, quick)
    for (let walk = 0; walk < 6; walk++) {
      const walked = []
      for await (const record of paises.all()) walked.push(record)
      expect([walked.length, releasesIn(walked).length]).toEqual([40, 1])
      expect(new Set(walked.map(({ idPais }) => idPais)).size).toBe(40)
    }
  })

  test('is read in one release although a node that is behind does not have the page', async () => {
    server.respond = (request, number) => (number % 2 === 0 ? problem(404) : released(1)(request))
    expect(await connectV1(server.url, quick).paises.all().toArray()).toHaveLength(40)
  })

  test.each([
    ['with dates', {}],
    ['with tags alone', { dated: false, tagged: true }],
  ])(
    'gets another release in the middle of a walk, %s: it is an error, and toArray begins anew',
    async (_how, form) => {
      server.respond = (request, number) => released(number > 2 ? 2 : 1, form)(request)
      const { paises } = connectV1(server.url, quick)
      const error = await rejection(Array.fromAsync(paises.all()))
      expect(error).toBeInstanceOf(ReleaseGone)
      expect(String(error)).toContain('the collection has changed since this walk began; begin again')
      server.requests.length = 0
      const all = await paises.all().toArray()
      expect([all.length, all.total, ...releasesIn(all)]).toEqual([40, 40, '2'])
    },
  )

  test('gets another release again and again: toArray gives up', async () => {
    server.respond = (request, number) => released(number)(request)
    expect(await rejection(connectV1(server.url, quick).paises.all().toArray())).toBeInstanceOf(ReleaseGone)
    // Three walks, each of a first page and twenty times the second.
    expect(server.requests).toHaveLength(63)
  })

  test.each([
    ['has the date of the release', true, [304, 200, 200, 200]],
    ['has no date: it is requested as a whole', false, [304, 200, 200, 200, 200]],
  ])('has pages that a release leaves as they were, whose 304 %s', async (_what, dated, statuses) => {
    const sent: number[] = []
    let release = 1
    server.respond = (request) => {
      const page = Number(new URL(request.url).searchParams.get('page') ?? 1)
      const tag = page === 1 ? '"same"' : `"${release}"`
      const response = released(release)(request)
      response.headers.set('ETag', tag)
      const isKept = request.headers.get('If-None-Match') === tag
      sent.push(isKept ? 304 : 200)
      if (!isKept) return response
      const date = response.headers.get('Last-Modified') ?? ''
      return new Response(null, { status: 304, headers: { ETag: tag, ...(dated ? { 'Last-Modified': date } : {}) } })
    }
    const { paises } = connectV1(server.url, quick)
    expect(await paises.all().toArray()).toHaveLength(40)
    release = 2
    sent.length = 0
    expect(await paises.all().toArray()).toHaveLength(40)
    expect(sent).toEqual(statuses)
  })
})
