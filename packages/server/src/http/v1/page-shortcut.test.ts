// Requests that are not parsed get, byte for byte, the responses of those that are.

import { describe, expect, test } from 'bun:test'
import { BlockList } from 'node:net'
import type { Socket } from 'bun'
import fc from 'fast-check'
import { FakeSocket } from '../../../../../test/support/fake-socket.ts'
import { releaseOf } from '../../../../../test/support/releases.ts'
import { serverState } from '../../../../../test/support/server-state.ts'
import { countries, smallSource } from '../../../../../test/support/small-source.ts'
import { bytesOf } from '../../../../../test/support/wire.ts'
import type { LogEvent } from '../../base/log.ts'
import { createApp } from '../app.ts'
import type { BaseUrlPolicy } from '../base-url.ts'
import { Metrics } from '../observation/metrics.ts'
import { observed } from '../observation/observed-app.ts'
import { type Problem, problemResponse } from '../problem.ts'
import { Connection } from '../wire/connection.ts'
import type { ServerState } from '../wire/server-state.ts'
import { PageShortcut } from './page-shortcut.ts'

/** 105 pages: numbers of one, two and three digits, and bodies whose lengths have three and four. */
const rows = countries(1_145).map((row) => ({
  ...row,
  descPais: row.descPais.padEnd(row.idPais % 40, 'x').repeat(1 + ((row.idPais >> 5) % 3)),
}))
const first = await releaseOf(smallSource({ pais: rows.slice(0, 1_045) }))
const second = await releaseOf(smallSource({ pais: rows.slice(50) }))
const DATES = ['Sun, 06 Nov 1994 08:49:37 GMT', 'Mon, 07 Nov 1994 08:49:38 GMT'] as const

type Options = Partial<BaseUrlPolicy> & { readonly slowMilliseconds?: number; readonly learnEvery?: number }

/** A server whose shortcut counts what it responds to, or which has none. */
class Server {
  readonly state: ServerState
  readonly metrics = new Metrics()
  readonly logged: LogEvent[] = []
  release = first
  shortcuts = 0
  readonly #connections = new Map<string, { readonly socket: FakeSocket; readonly connection: Connection }>()

  constructor(hasShortcut: boolean, { slowMilliseconds = 1_000, learnEvery = 8, ...given }: Options = {}) {
    const policy = { baseUrl: undefined, trustedProxies: undefined, ...given }
    const release = () => this.release
    const log = (event: LogEvent) => void this.logged.push(event)
    const observation = { metrics: this.metrics, log, policy, accessLog: undefined, slowMilliseconds }
    const logError = (error: unknown) => {
      throw error
    }
    const app = observed(createApp({ release, policy, logError }), observation)
    const shortcut = new PageShortcut({ release, policy, observation, learnEvery })
    const handler = { respond: app, refuse: (problem: Problem, path: string) => problemResponse(problem, path) }
    this.state = {
      ...serverState(handler),
      clock: { milliseconds: 0, date: DATES[0] },
      ...(hasShortcut && {
        shortcut: {
          respond: (...given: Parameters<PageShortcut['respond']>) => {
            const taken = shortcut.respond(...given)
            if (taken > 0) this.shortcuts++
            return taken
          },
          learn: shortcut.learn.bind(shortcut),
        },
      }),
    }
  }

  /** Receives a text from the peer, and returns the response. */
  receive(text: string, peer = '192.0.2.1'): string {
    const known = this.#connections.get(peer)
    const socket = known?.socket ?? new FakeSocket(undefined, peer)
    const connection = known?.connection ?? new Connection(this.state, socket as unknown as Socket<Connection>)
    if (socket.shut || socket.closed) return ''
    this.#connections.set(peer, { socket, connection })
    const before = socket.sent.length
    const bytes = bytesOf(text)
    connection.receive(bytes)
    // It belongs to the event loop.
    bytes.fill(0x58)
    const sent = socket.sent.slice(before)
    if (socket.shut || socket.closed) this.#connections.delete(peer)
    return sent
  }
}

const HOST = 'Host: a.test'
const CLIENTS: readonly [string[], string[], string[]] = [
  [HOST],
  [HOST, 'Accept: */*', 'User-Agent: test'],
  ['Host: b.test:81', 'X-Forwarded-Host: c.test'],
]
const request = (target: string, fields: readonly string[] = [HOST], method = 'GET') =>
  [`${method} ${target} HTTP/1.1`, ...fields, '', ''].join('\r\n')

const tagOf = (page: number) => {
  const { records } = first.entity('pais')
  return page < 1 || page > records.pages ? '"0000000000000000"' : records.etag(page - 1)
}

const pages = fc.oneof(
  fc.integer({ min: 1, max: 106 }),
  fc.constantFrom(1, 2, 8, 9, 10, 11, 98, 99, 100, 101, 104, 105, 0, 107),
)
/** Mostly the first. */
const mostly = <T>(usual: T, ...others: readonly T[]) =>
  fc.oneof({ weight: 3 * others.length, arbitrary: fc.constant(usual) }, ...others.map((other) => fc.constant(other)))

const queryOf = (page: number) =>
  mostly(
    `?page=${page}`,
    `?format=api&page=${page}`,
    '',
    '?',
    `?page=0${page}`,
    `?page=${page}&a=1`,
    `?page=${page}00000000`,
    `?Page=${page}`,
  )
const conditionOf = (page: number) =>
  mostly<string[]>(
    [],
    [`If-None-Match: ${tagOf(page)}`],
    [`If-None-Match: ${tagOf(page)}`],
    [`if-none-match:${tagOf(page)}`],
    [`If-None-Match: W/${tagOf(page)}`],
    [`If-None-Match: ${tagOf(page)}, "a"`],
    ['If-None-Match: "0123456789abcdeX"'],
    [`If-None-Match: ${tagOf(page)}`, 'If-Match: "a"'],
    [`If-Match: ${tagOf(page)}`],
    ['If-None-Match: *'],
    [`If-None-Match: *${' '.repeat(17)}`],
    [`If-None-Match: "0123456789\u0001bcdef"`],
    [`If-Match: ${tagOf(page)}`, `If-None-Match: ${tagOf(page)}`],
    [`If-Modified-Since: ${first.lastModified}`],
  )
const unusual = mostly<string[]>(
  [],
  ...Array<string[]>(20).fill([]),
  ['Connection: close'],
  ['Connection: keep-alive'],
  ['Content-Length: 0'],
  ['If-None-Match'],
)
const requests = fc
  .record({
    method: mostly('GET', 'HEAD', 'OPTIONS'),
    collection: mostly('paises', 'audiencias', 'municipios', 'pais'),
    page: pages,
    other: pages,
    isOther: fc.boolean(),
    client: mostly(...CLIENTS),
    more: unusual,
  })
  .chain(({ page, other, isOther, ...parts }) =>
    fc.record({
      query: queryOf(page),
      condition: conditionOf(isOther ? other : page),
      method: fc.constant(parts.method),
      collection: fc.constant(parts.collection),
      client: fc.constant(parts.client),
      more: fc.constant(parts.more),
    }),
  )
  .map(({ method, collection, query, client, condition, more }) =>
    request(`/api/v1/${collection}${query}`, [...client, ...condition, ...more], method),
  )

/** A series of events; requests come in pieces, and several at once. */
const events = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: fc.array(requests, { minLength: 1, maxLength: 12 }).map((all) => all.join('')) },
    {
      weight: 2,
      arbitrary: requests.chain((text) => fc.nat(text.length).map((at) => [text.slice(0, at), text.slice(at)])),
    },
    { weight: 1, arbitrary: fc.constantFrom('swap' as const, 'tick' as const) },
  ),
  { minLength: 30, maxLength: 60, size: 'max' },
)

function outcome(server: Server, happening: string | string[], peer?: string): unknown {
  if (happening === 'swap') server.release = server.release === first ? second : first
  else if (happening === 'tick') server.state.clock.date = server.state.clock.date === DATES[0] ? DATES[1] : DATES[0]
  else if (typeof happening === 'string') return server.receive(happening, peer)
  else return happening.map((piece) => server.receive(piece, peer))
  return undefined
}

const counted = ({ metrics }: Server) => {
  const { requests, bodyBytes } = metrics.snapshot()
  return { requests, bodyBytes }
}

describe('whatever is requested', () => {
  const trusted = new BlockList()
  trusted.addAddress('192.0.2.1')
  test.each<[name: string, options: Options]>([
    ['with the Host of the request in links', {}],
    ['with a base URL', { baseUrl: 'https://example.test/page=1' }],
    ['with a proxy that is believed, and other clients beside it', { trustedProxies: trusted }],
  ])('%s', (_name, options) => {
    let shortcuts = 0
    fc.assert(
      fc.property(events, fc.infiniteStream(fc.constantFrom('192.0.2.1', '192.0.2.2')), (happenings, peers) => {
        const [plain, short] = [new Server(false, options), new Server(true, { ...options, learnEvery: 1 })]
        for (const happening of happenings) {
          const peer = peers.next().value as string
          expect(outcome(short, happening, peer)).toEqual(outcome(plain, happening, peer))
        }
        expect(counted(short)).toEqual(counted(plain))
        shortcuts += short.shortcuts
      }),
      { numRuns: 30 },
    )
    // Or nothing was shown.
    expect(shortcuts).toBeGreaterThan(250)
  })
})

describe('of requests that a client repeats', () => {
  const FEW = 20
  /** Number of requests that are not parsed, once the client is known. */
  const shortcutsOf = (textOf: (page: number) => string, start = 11) => {
    const server = new Server(true)
    for (let at = 0; at < 10 * FEW; at++) server.receive(textOf(start + (at % FEW)))
    server.shortcuts = 0
    for (let at = 0; at < FEW; at++) server.receive(textOf(start + FEW + at))
    return server.shortcuts
  }

  test.each<[name: string, textOf: (page: number) => string]>([
    ['pages', (page) => request(`/api/v1/paises?page=${page}`)],
    ['pages, by the links of the service', (page) => request(`/api/v1/paises?format=api&page=${page}`)],
    ['the first page', () => request('/api/v1/paises')],
    ['the last page', () => request('/api/v1/paises?page=105')],
    ['HEAD', (page) => request(`/api/v1/paises?page=${page}`, [HOST], 'HEAD')],
    [
      'pages that the client has',
      (page) => request(`/api/v1/paises?page=${page}`, [HOST, `If-None-Match: ${tagOf(page)}`]),
    ],
  ])('%s are not parsed', (_name, textOf) => expect(shortcutsOf(textOf)).toBe(FEW))

  test('one with further conditions is parsed: they may fail for the next page', () => {
    const server = new Server(true)
    const textOf = (page: number) =>
      request(`/api/v1/paises?page=${page}`, [HOST, `If-None-Match: ${tagOf(30)}`, `If-Match: ${tagOf(20)}`])
    for (let at = 0; at < 10 * FEW; at++) expect(server.receive(textOf(20))).toStartWith('HTTP/1.1 200 ')
    expect(server.receive(textOf(21))).toStartWith('HTTP/1.1 412 ')
  })

  test('none is, while draining: every response is the last', () => {
    const server = new Server(true)
    for (let page = 11; page < 60; page++) server.receive(request(`/api/v1/paises?page=${page}`))
    server.state.draining = true
    expect(server.receive(request('/api/v1/paises?page=60'))).toContain('\r\nConnection: close\r\n')
  })

  test('a slow one is logged', () => {
    const server = new Server(true, { slowMilliseconds: 0 })
    for (let page = 11; page < 60; page++) server.receive(request(`/api/v1/paises?page=${page}`))
    expect(server.shortcuts).toBeGreaterThan(30)
    expect(server.logged).toHaveLength(49)
    expect(server.logged.at(-1)).toMatchObject({ event: 'slow-request', path: '/api/v1/paises', query: 'page=59' })
  })
})
