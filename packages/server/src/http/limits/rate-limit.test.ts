// The limit on the requests of a client, the bounds of the table, and the headers that clients get.
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { closeSync } from 'node:fs'
import fc from 'fast-check'
import { type App, appOf } from '../app.ts'
import { networkOf } from '../client-address.ts'
import { MUCH } from '../cost.ts'
import { emptyResponse } from '../exchange.ts'
import { Metrics } from '../observation/metrics.ts'
import { chargeComputeTime, RateTable, rateLimited, sharedTableFile } from './rate-limit.ts'

const START = 1_800_000_000_000
const limit = { requests: 10, windowSeconds: 1 }

describe('an address', () => {
  test('may send all of its requests at once, and then one for each share of the window', () => {
    const table = RateTable.ofOneProcess()
    const allowed = (now: number) => table.take('192.0.2.1', limit, now).allowed
    expect(Array.from({ length: 12 }, () => allowed(START))).toEqual([...Array(10).fill(true), false, false])
    expect([allowed(START + 99), allowed(START + 100), allowed(START + 100)]).toEqual([false, true, false])
    expect(Array.from({ length: 11 }, () => allowed(START + 5_000))).toEqual([...Array(10).fill(true), false])
  })

  test('gets the number of requests that are left, and the time until there is another', () => {
    const table = RateTable.ofOneProcess()
    const slow = { requests: 3, windowSeconds: 60 }
    const take = (now: number) => table.take('192.0.2.1', slow, now)
    expect(take(START)).toEqual({ allowed: true, remaining: 2, milliseconds: 20_000 })
    expect(take(START)).toEqual({ allowed: true, remaining: 1, milliseconds: 20_000 })
    expect(take(START + 5_000)).toEqual({ allowed: true, remaining: 0, milliseconds: 15_000 })
    expect(take(START + 15_000)).toEqual({ allowed: false, remaining: 0, milliseconds: 5_000 })
    expect(take(START + 20_000)).toMatchObject({ allowed: true })
  })

  test('may send as many as the limit at once, however the window is divided, and the next only after a share', () => {
    const limits = fc.record({
      requests: fc.integer({ min: 1, max: 5_000 }),
      windowSeconds: fc.integer({ min: 1, max: 90 }),
    })
    const times = fc.integer({ min: 0, max: 1e10 }).map((later) => START + later)
    fc.assert(
      fc.property(limits, times, (any, now) => {
        const table = RateTable.ofOneProcess()
        const take = (at: number) => table.take('192.0.2.1', any, at)
        for (let sent = 1; sent <= any.requests; sent++)
          expect(take(now)).toMatchObject({ allowed: true, remaining: any.requests - sent })
        const { allowed, milliseconds } = take(now)
        expect([allowed, milliseconds > 0]).toEqual([false, true])
        expect(take(now).allowed).toBe(false)
        expect(take(now + Math.ceil(milliseconds)).allowed).toBe(true)
      }),
      { numRuns: 30, examples: [[{ requests: 6, windowSeconds: 1 }, START]] },
    )
  })

  test('does not use up what another may send', () => {
    const table = RateTable.ofOneProcess()
    for (let count = 0; count < 20; count++) table.take('192.0.2.1', limit, START)
    expect(table.take('192.0.2.2', limit, START).allowed).toBe(true)
  })

  test('is not shut out when the clock is set back', () => {
    const table = RateTable.ofOneProcess()
    for (let count = 0; count < 20; count++) table.take('192.0.2.1', limit, START)
    expect(table.take('192.0.2.1', limit, START - 3_600_000).allowed).toBe(true)
  })

  test('never gets more than its burst and its rate, however it spreads its requests', () => {
    const waits = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 300 })), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(waits, fc.integer({ min: 1, max: 50 }), (all, requests) => {
        const table = RateTable.ofOneProcess()
        let now = START
        let allowed = 0
        for (const wait of all) {
          now += wait
          if (table.take('192.0.2.1', { requests, windowSeconds: 1 }, now).allowed) allowed++
        }
        expect(allowed).toBeLessThanOrEqual(requests + ((now - START) / 1_000) * requests + 0.001)
        // Nor less than the rate, as long as it sends at all.
        expect(allowed).toBeGreaterThanOrEqual(Math.min(all.length, requests))
      }),
      { numRuns: 30 },
    )
  })
})

describe('a million addresses', () => {
  const address = (number: number) => `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
  const table = RateTable.ofOneProcess()
  beforeAll(() => {
    for (let count = 0; count < 20; count++) table.take('192.0.2.1', limit, START)
  })

  test('take no more room than one, and the next client is served as it should be', () => {
    const before = process.memoryUsage().arrayBuffers
    let refused = 0
    // Enough that every set of entries is taken several times over.
    for (let number = 0; number < 1_000_000; number++) if (!table.take(address(number), limit, START).allowed) refused++
    expect(refused).toBe(0)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1 << 20)
    const verdicts = Array.from({ length: 11 }, () => table.take('192.0.2.2', limit, START).allowed)
    expect(verdicts).toEqual([...Array(10).fill(true), false])
  })

  test('push out those that are nearest to their full allowance', () => {
    expect(table.take('192.0.2.1', limit, START).allowed).toBe(false)
  })
})

describe('the network of', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['1::5:6:7:8', '1:0:0:0::/64'],
    ['1:2:3:4::', '1:2:3:4::/64'],
    ['1:2:3::8', '1:2:3:0::/64'],
    ['1:2:3:4:5::8', '1:2:3:4::/64'],
  ])('%s is %s', (address, network) => expect(networkOf(address)).toBe(network))

  test('IPv6 is the same for all addresses of 64 bits', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0xffff), { minLength: 12, maxLength: 12 }), (groups) => {
        const text = groups.map((group) => group.toString(16))
        const [one, other] = [text.slice(0, 8), [...text.slice(0, 4), ...text.slice(8)]].map((all) => all.join(':'))
        expect(networkOf(one as string)).toBe(networkOf(other as string))
      }),
    )
  })
})

test.skipIf(process.platform !== 'linux')('workers share a table, which has no name and begins empty', () => {
  const descriptor = sharedTableFile()
  if (descriptor === undefined) throw new Error('there is no directory for it')
  const [one, other] = [RateTable.inherited(descriptor), RateTable.inherited(descriptor)]
  for (let count = 0; count < 5; count++) one.take('192.0.2.1', limit, START)
  expect(other.take('192.0.2.1', limit, START).remaining).toBe(4)
  closeSync(descriptor)
})

test('where nothing can be written, there is no shared table', () => {
  expect(sharedTableFile(['/nonexistent', '/proc'])).toBeUndefined()
})

describe('a client', () => {
  let clock: ReturnType<typeof spyOn>
  beforeAll(() => {
    clock = spyOn(Date, 'now').mockReturnValue(START)
  })
  afterAll(() => clock.mockRestore())

  const inner: App = appOf(
    ({ path }) => ({ cost: path.endsWith('/search') ? MUCH : 0, respond: () => emptyResponse(200, { A: 'b' }) }),
    { failed: () => {} },
  )
  const metrics = new Metrics()
  const policy = { trustedProxies: undefined }
  const limiting = { limit: { requests: 2, windowSeconds: 60 }, table: RateTable.ofOneProcess(), policy, metrics }
  const app = rateLimited(inner, limiting)
  const send = async (path: string, peer: string) =>
    app({ method: 'GET', path, query: '', headers: new Map() }, { listeningUrl: '', peer })

  test('of API v2 gets what is left', async () => {
    expect((await send('/api/v2/paises', '192.0.2.1')).head).toBe(
      'A: b\r\nRateLimit: "default";r=1;t=30\r\nRateLimit-Policy: "default";q=2;w=60\r\n',
    )
    await send('/api/v2/paises', '192.0.2.1')
    const { status, head } = await send('/api/v2/paises', '192.0.2.1')
    expect(status).toBe(429)
    expect(head).toContain('\r\nRetry-After: 30\r\n')
    expect(head).toContain('\r\nRateLimit: "default";r=0;t=30\r\n')
    expect(head).toContain('\r\nRateLimit-Policy: "default";q=2;w=60\r\n')
    expect(metrics.refused.rate).toBe(1)
  })

  test('waits for whole seconds, and never for too few', async () => {
    const [table, fast] = [RateTable.ofOneProcess(), { requests: 7, windowSeconds: 60 }]
    const limited = rateLimited(inner, { limit: fast, table, policy, metrics })
    const request = { method: 'GET', path: '/api/v2/paises', query: '', headers: new Map() }
    const { head } = await limited(request, { listeningUrl: '', peer: '192.0.2.3' })
    expect(head).toContain('RateLimit: "default";r=6;t=9\r\n')
  })

  test('of API v1 gets the headers that it always got, and with a 429 Retry-After', async () => {
    expect((await send('/api/v1/paises', '192.0.2.2')).head).toBe('A: b\r\n')
    await send('/api/v1/paises', '192.0.2.2')
    const { status, head, body } = await send('/api/v1/paises', '192.0.2.2')
    expect(status).toBe(429)
    expect(head).toContain('\r\nRetry-After: 30\r\n')
    expect(head).not.toContain('RateLimit')
    expect(JSON.parse(new TextDecoder().decode(body as Uint8Array))).toMatchObject({
      type: 'urn:nomenclator:problem:too-many-requests',
      status: 429,
      instance: '/api/v1/paises',
    })
  })

  test('that follows the shelf has a limit for that alone, of requests and of their time', async () => {
    const statusOf = async (path: string) => (await send(path, '192.0.2.4')).status
    for (let count = 0; count < 2; count++) expect(await statusOf('/shelf/current')).toBe(200)
    expect(await statusOf('/shelf/current')).toBe(429)
    expect([await statusOf('/api/v1/paises'), await statusOf('/api/v2/search')]).toEqual([200, 200])
    const request = (path: string) => ({ method: 'GET', path, query: '', headers: new Map() })
    chargeComputeTime(limiting, request('/shelf/current'), '192.0.2.5', 60_000)
    expect((await send('/api/v2/search', '192.0.2.5')).status).toBe(200)
    chargeComputeTime(limiting, request('/api/v2/search'), '192.0.2.5', 60_000)
    expect((await send('/api/v2/search', '192.0.2.5')).status).toBe(429)
  })

  test('reads pages though it has used up what costly requests may take', async () => {
    const [table, one] = [RateTable.ofOneProcess(), { requests: 1, windowSeconds: 60 }]
    const costs = new Map([['/api/v2/paises?q=a', MUCH]])
    const costing = appOf(
      ({ path, query }) => ({ cost: costs.get(`${path}?${query}`) ?? 0, respond: () => emptyResponse(200, {}) }),
      {},
    )
    const limited = rateLimited(costing, { limit: one, table, policy, metrics })
    const statusOf = async (query: string) => {
      const request = { method: 'GET', path: '/api/v2/paises', query, headers: new Map() }
      return (await limited(request, { listeningUrl: '', peer: '192.0.2.4' })).status
    }
    expect([await statusOf('q=a'), await statusOf('q=a'), await statusOf(''), await statusOf('')]).toEqual([
      200, 429, 200, 429,
    ])
  })

  test('keeps what else the app can do', () => expect(app.failed).toBe(inner.failed))
})
