// Whole collections, large parts of them and changes as files of the cache: HEAD costs nothing, conditions are decided without making them,
// other workers find them, and without a cache they are still served.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { WorkStopped } from '../../packages/server/src/base/checkpoint.ts'
import { createApp } from '../../packages/server/src/http/app.ts'
import { isStreamed } from '../../packages/server/src/http/exchange.ts'
import { cachedResponse, inSlices } from '../../packages/server/src/http/v2/cached-response.ts'
import type { ResponseCache } from '../../packages/server/src/http/v2/response-cache.ts'
import { TestDirectory, TestHome } from '../support/releases.ts'
import { responseOf, responseTo, type TestRequest } from '../support/responses.ts'
import { testCache } from '../support/server.ts'
import { countries, smallSource } from '../support/small-source.ts'

setDefaultTimeout(180_000)

const COUNT = 3_000
const ALL = '/api/v2/paises/all?format=csv'
const decoders = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync }

const home = new TestHome()
let digests: [first: string, second: string]
beforeAll(async () => {
  const rows = countries(COUNT)
  const first = await home.import(smallSource({ pais: rows }), { acceptChanges: true })
  const renamed = rows.map((row) => ({ ...row, descPais: `${row.descPais} bis` }))
  const second = await home.import(smallSource({ pais: renamed }), { acceptChanges: true })
  digests = [first.digest, second.digest]
})
afterAll(() => home[Symbol.dispose]())

/** Another service over the same home, as another worker would be, or the same one after a restart. */
function serviceWith(cache?: ResponseCache) {
  const logged: unknown[] = []
  const release = home.current()
  const app = createApp({
    release: () => release,
    store: home.store,
    ...(cache === undefined ? {} : { cache }),
    policy: { baseUrl: 'http://x', trustedProxies: undefined },
    logError: (error) => logged.push(error),
  })
  const send = (request: TestRequest) => responseTo(app, request, { listeningUrl: 'http://x', peer: undefined })
  const get = (target: string, headers: Record<string, string> = {}) => send({ target, headers })
  const head = (target: string, headers: Record<string, string> = {}) => send({ target, headers, method: 'HEAD' })
  return { get, head, logged }
}

const changes = () => `/api/v2/changes?from=${digests[0]}`
const bodyHeaders = ({ headers }: Response) => [headers.get('repr-digest'), headers.get('etag')]

describe('HEAD', () => {
  const targets: readonly [string, () => string][] = [
    ['a collection', () => ALL],
    ['a collection of an older release', () => `${ALL}&release=${digests[0]}`],
    ['changes', changes],
    ['a part of a collection', () => `${ALL}&cvePais_prefix=A&cvePais_prefix=B`],
    ['a collection in another order', () => `${ALL}&sort=-descPais`],
    ['a collection with some fields', () => `${ALL}&fields=cvePais`],
    ['changes with embed=id', () => `${changes()}&embed=id`],
  ]
  test.each(targets)('of %s makes nothing, and has the headers that are known', async (_, target) => {
    using directory = new TestDirectory()
    const { get, head } = serviceWith(testCache(directory.path))
    const before = await head(target())
    expect([before.status, before.headers.get('repr-digest'), readdirSync(directory.path)]).toEqual([200, null, []])
    const whole = await get(target())
    expect(whole.headers.get('etag')).toBe(before.headers.get('etag') as string)
    await whole.arrayBuffer()
    const restarted = serviceWith(testCache(directory.path))
    expect(bodyHeaders(await restarted.head(target()))).toEqual(bodyHeaders(whole))
    expect(readdirSync(directory.path)).toHaveLength(1)
  })
})

describe('a part of a collection', () => {
  test('is made once for all requests that mean the same', async () => {
    using directory = new TestDirectory()
    const { get } = serviceWith(testCache(directory.path))
    const [first, ...others] = [
      'cvePais_prefix=A&cvePais_prefix=B&fields=idPais,cvePais',
      'fields=idPais,cvePais&cvePais_prefix=B&cvePais_prefix=A&cvePais_prefix=B',
      'cvePais_prefix=B&cvePais_prefix=A&fields=cvePais,idPais,cvePais&embed=full&facts=false',
    ].map((query) => `/api/v2/paises/all?${query}`)
    const etag = (await get(first as string)).headers.get('etag')
    for (const other of others) expect((await get(other)).headers.get('etag')).toBe(etag)
    expect(readdirSync(directory.path)).toHaveLength(1)
    const headOf = async (target = '') => (await (await get(`${target}&format=csv`)).text()).split('\r\n')[0]
    expect([await headOf(first), await headOf(others.at(-1))]).toEqual(['idPais,cvePais', 'cvePais,idPais'])
    expect(readdirSync(directory.path)).toHaveLength(3)
  })

  test.each([
    ['cvePais_prefix=A&cvePais_prefix=B', 'cvePais_prefix=A&cvePais_prefix=C'],
    ['sort=descPais', 'sort=-descPais'],
    ['fields=cvePais', 'fields=idPais'],
    ['q=pais', 'q=pais+bis'],
    ['q=pais', 'q=pais&sort=idPais'],
  ])('with %s is not the one with %s', async (one, other) => {
    using directory = new TestDirectory()
    const { get } = serviceWith(testCache(directory.path))
    const [first, second] = [await get(`/api/v2/paises/all?${one}`), await get(`/api/v2/paises/all?${other}`)]
    expect(readdirSync(directory.path)).toHaveLength(2)
    expect(first.headers.get('etag')).not.toBe(second.headers.get('etag'))
  })

  test('that is small is made for every request, so that many of them do not fill the cache', async () => {
    using directory = new TestDirectory()
    const { get } = serviceWith(testCache(directory.path))
    for (let id = 1; id <= 200; id++) {
      const response = await get(`/api/v2/paises/all?idPais=${id}&format=csv`, { 'Accept-Encoding': 'gzip' })
      expect([response.status, response.headers.get('x-total')]).toEqual([200, '1'])
    }
    await get('/api/v2/paises/all?cvePais_prefix=B')
    expect(readdirSync(directory.path)).toEqual([])
  })
})

describe('a condition', () => {
  test('is decided without making anything', async () => {
    using directory = new TestDirectory()
    const elsewhere = serviceWith(testCache(directory.path))
    using empty = new TestDirectory()
    const { get } = serviceWith(testCache(empty.path))
    for (const target of [ALL, changes()]) {
      for (const encoding of ['identity', 'gzip']) {
        const accept = { 'Accept-Encoding': encoding }
        const etag = (await elsewhere.get(target, accept)).headers.get('etag') as string
        const same = await get(target, { ...accept, 'If-None-Match': etag })
        expect([same.status, same.headers.get('etag')]).toEqual([304, etag])
        expect((await get(target, { ...accept, 'If-Match': '"another"' })).status).toBe(412)
      }
    }
    expect(readdirSync(empty.path)).toEqual([])
  })
})

describe('changes', () => {
  test.each(Object.entries(decoders))('in %s are the same, whole and in part', async (encoding, decode) => {
    using directory = new TestDirectory()
    const { get } = serviceWith(testCache(directory.path))
    const plain = await (await get(changes())).text()
    expect(JSON.parse(plain).changes).toHaveLength(COUNT)
    const coded = await get(changes(), { 'Accept-Encoding': encoding })
    const bytes = Buffer.from(await coded.arrayBuffer())
    expect(coded.headers.get('content-encoding')).toBe(encoding)
    expect(decode(bytes).toString()).toBe(plain)
    const part = await get(changes(), { 'Accept-Encoding': encoding, Range: 'bytes=100-' })
    expect(part.headers.get('content-range')).toBe(`bytes 100-${bytes.length - 1}/${bytes.length}`)
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(100))).toBe(true)
  })

  test('that are few are not compressed, although it is accepted', async () => {
    using directory = new TestDirectory()
    const { get, head } = serviceWith(testCache(directory.path))
    for (const target of [`${changes()}&in=audiencias`, `${changes()}&in=audiencias&format=ndjson`]) {
      const gzip = { 'Accept-Encoding': 'gzip' }
      // Neither its length nor its tag is known yet: it may be too short to be compressed.
      expect((await head(target, gzip)).headers.get('etag')).toBeNull()
      const response = await get(target, gzip)
      expect([response.status, response.headers.get('content-encoding')]).toEqual([200, null])
      expect(response.headers.get('etag')).toBe((await get(target)).headers.get('etag') as string)
      expect((await head(target, gzip)).headers.get('etag')).toBe(response.headers.get('etag') as string)
    }
  })

  test('never change only if both releases are named by their whole digests', async () => {
    using directory = new TestDirectory()
    const { get } = serviceWith(testCache(directory.path))
    const [from, to] = digests
    const cached = async (query: string) => (await get(`/api/v2/changes?${query}`)).headers.get('cache-control')
    expect(await cached(`from=${from}&to=${to}`)).toContain('immutable')
    expect(await cached(`from=${from}&to=${to.slice(0, 12)}`)).toBe('public, no-cache')
    expect(await cached(`from=${from.slice(0, 12)}&to=${to}`)).toBe('public, no-cache')
    expect(await cached(`from=${from}`)).toBe('public, no-cache')
  })
})

test('a service that cannot write its cache sends whole collections and changes as they are made', async () => {
  using directory = new TestDirectory()
  const good = serviceWith(testCache(directory.path))
  const gone = serviceWith(testCache(join(directory.path, 'gone')))
  for (const service of [gone, serviceWith()]) {
    for (const target of [ALL, changes()]) {
      const response = await service.get(target, { 'Accept-Encoding': 'gzip', Range: 'bytes=0-5' })
      expect([response.status, response.headers.get('content-encoding')]).toEqual([200, null])
      const expected = await good.get(target)
      expect(response.headers.get('etag')).toBe(expected.headers.get('etag') as string)
      expect(await response.text()).toBe(await expected.text())
    }
    expect(service.logged).toEqual([])
  }
})

test('without a cache, few clients are served at a time, and the others have to try again', async () => {
  const release = home.current()
  const request = { method: 'GET', path: '', query: '', headers: new Map() }
  const respond = () =>
    cachedResponse(
      { cache: undefined },
      request,
      { release, isNamed: false },
      { format: 'csv', encoding: undefined },
      {
        key: ['test'],
        madeFrom: [],
        minLength: 0,
        pieces: () => [Buffer.alloc(1 << 17)],
      },
    )
  const readers: AsyncIterator<Uint8Array>[] = []
  const start = async () => {
    const { body } = await respond()
    if (!isStreamed(body)) throw new Error('not streamed')
    const reader = body.chunks()[Symbol.asyncIterator]()
    await reader.next()
    readers.push(reader)
  }
  for (let at = 0; at < 4; at++) await start()
  expect(start()).rejects.toMatchObject({ problem: { kind: 'overloaded' } })
  await readers.pop()?.return?.()
  await start()
  for (const reader of readers) await reader.return?.()
})

test('an error while a body is made is a logged 500, and the next request tries again', async () => {
  using directory = new TestDirectory()
  const cache = testCache(directory.path)
  const release = home.current()
  const request = { method: 'GET', path: '', query: '', headers: new Map() }
  let isDamaged = true
  const respond = () =>
    cachedResponse(
      { cache },
      request,
      { release, isNamed: false },
      { format: 'csv', encoding: 'br' },
      {
        key: ['test'],
        madeFrom: [],
        minLength: 0,
        *pieces() {
          yield Buffer.alloc(1 << 17)
          if (isDamaged) throw new Error('damaged')
        },
      },
    )
  expect(respond()).rejects.toThrow('damaged')
  await Promise.resolve(respond()).catch(() => {})
  isDamaged = false
  const bytes = Buffer.from(await responseOf(await respond()).arrayBuffer())
  expect(brotliDecompressSync(bytes)).toHaveLength(1 << 17)
})

describe('slices', () => {
  /** Work of a millisecond. */
  function spin() {
    const end = performance.now() + 1
    while (performance.now() < end);
  }

  test('let shorter work go first, even while there is nothing to send', async () => {
    let pauses = 0
    const pause = () => {
      pauses++
      return pauses % 2 === 0 ? undefined : Promise.resolve()
    }
    function* pieces() {
      for (let at = 0; at < 60; at++) yield new Uint8Array()
      yield Buffer.from('x')
    }
    const chunks = await Array.fromAsync(inSlices(pieces(), { pause, expectEnd: () => {} }), (chunk) =>
      Buffer.from(chunk),
    )
    expect(Buffer.concat(chunks).toString()).toBe('x')
    expect(pauses).toBe(61)
  })

  test('end with the work that they are of', async () => {
    const stopped = inSlices([Buffer.from('x'), Buffer.from('y')], {
      pause: () => Promise.reject(new WorkStopped('gone')),
      expectEnd: () => {},
    })
    await expect(stopped.next()).rejects.toBeInstanceOf(WorkStopped)
  })

  test('have the same sizes however the work went, so that they are compressed to the same bytes', async () => {
    const sizes = async (slow: boolean) => {
      function* pieces() {
        for (let at = 0; at < 40; at++) {
          if (slow && at % 3 === 0) spin()
          yield Buffer.alloc(7_000, at)
        }
      }
      return Array.fromAsync(inSlices(pieces()), ({ length }) => length)
    }
    const [fast, slow] = [await sizes(false), await sizes(true)]
    expect(fast).toEqual([65_536, 65_536, 65_536, 65_536, 280_000 - 4 * 65_536])
    expect(slow).toEqual(fast)
  })

  test('end the work when no one wants more', async () => {
    let ended = false
    function* pieces() {
      try {
        for (;;) yield Buffer.alloc(7_000)
      } finally {
        ended = true
      }
    }
    for await (const _ of inSlices(pieces())) break
    expect(ended).toBe(true)
  })
})
