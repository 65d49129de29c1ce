// Which kind of worker responds to a request: its parsed value decides, however it is spelled. Both kinds are here in one process,
// behind a real socket.
import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { catalogOf } from '../../packages/server/src/catalog/catalog.ts'
import type { Field, ValueType } from '../../packages/server/src/catalog/entity.ts'
import { explorerPages } from '../../packages/server/src/explorer/mount.ts'
import { type App, appOf, createApp, parsedBy } from '../../packages/server/src/http/app.ts'
import { whenReady, withHeaders } from '../../packages/server/src/http/exchange.ts'
import { Metrics } from '../../packages/server/src/http/observation/metrics.ts'
import { listenForRequests } from '../../packages/server/src/http/processes/compute-worker.ts'
import { HandOver, handingOver } from '../../packages/server/src/http/processes/hand-over.ts'
import { serve } from '../../packages/server/src/http/processes/serve.ts'
import { code, entity, numberFact } from '../support/definitions.ts'
import { sourceOf, TestHome } from '../support/releases.ts'

const optional = (type: ValueType): Field => ({ kind: 'value', type, description: `a ${type}`, optional: true })
const tree = { kind: 'broader', description: 'above', optional: true } as const

/** As many that touching all of them some times over is more than a page is worth. */
const PLACES = 5_000
const place = entity({
  name: 'place',
  plural: 'places',
  package: 'places',
  fields: {
    code: code('code', /^.+$/, 'a code'),
    name: { kind: 'name', description: 'name', language: 'en' },
    note: optional('text'),
    size: optional('integer'),
    since: optional('date'),
    parent: tree,
    people: numberFact('people', { min: 0, max: 1e9 }),
  },
  key: ['code'],
  code: ['code'],
  order: 'as given',
})
/** Codes of several fields may be typed without what is between them: each may end anywhere. */
const route = entity({
  ...place,
  name: 'route',
  plural: 'routes',
  fields: {
    from: code('from', /^.+$/, 'a code'),
    over: code('over', /^.+$/, 'a code'),
    to: code('to', /^.+$/, 'a code'),
  },
  key: ['from', 'over', 'to'],
  code: ['from', 'over', 'to'],
})
const few = entity({ ...place, name: 'few', plural: 'few' })
const rows = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    code: `p${at}`,
    name: `Place ${at}`,
    note: `${'note '.repeat(60)}${at}`,
    size: String(at),
    since: `${1900 + (at % 100)}-01-01`,
    // Each is below the one before it.
    ...(at === 0 ? {} : { parent: `p${at - 1}` }),
    people: at,
  }))

const home = new TestHome()
await home.import(
  sourceOf(
    { place: rows(PLACES), few: rows(4), route: [{ from: 'a', over: 'b', to: 'c' }] },
    {},
    catalogOf([place, few, route]),
  ),
  { acceptChanges: true },
)
const release = home.current()
const digest = release.digest

const policy = { baseUrl: undefined, trustedProxies: undefined }
const context = { release: () => release, policy, logError: (error: unknown) => expect(error).toBeUndefined() }

/** The app, which says of each response who has made it. */
const signed = (app: App, by: string): App =>
  appOf(
    (...given) =>
      whenReady(parsedBy(app)(...given), ({ cost, respond }) => ({
        cost,
        respond: () => whenReady(respond(), (response) => withHeaders(response, { 'Made-By': by })),
      })),
    app,
  )

const socket = join(home.path, 'compute')
const compute = createApp({ ...context, store: home.store, pages: explorerPages })
const listener = listenForRequests(signed(compute, 'compute'), socket)
const handOver = new HandOver({
  directory: home.path,
  limits: { requests: 8, requestsPerClient: 8, bytes: 1e6, bytesPerClient: 1e6 },
  policy,
  metrics: new Metrics(),
  maxMillisecondsOf: () => 60_000,
})
handOver.use([socket])
const server = serve(handingOver(signed(createApp(context), 'page'), handOver), { host: '127.0.0.1', port: 0 })
afterAll(async () => {
  await server.stop(0)
  handOver.stop()
  await listener.stop(0)
  home[Symbol.dispose]()
})

const V2 = '/api/v2'
const LONGEST = `${V2}/places/${'p'.repeat(7_000)}`
async function madeBy(method: string, target: string, ...fields: readonly string[]): Promise<string | null> {
  const headers = new Headers({ 'Accept-Encoding': 'identity' })
  for (const field of fields) headers.set(...(field.split(': ') as [string, string]))
  const response = await fetch(`${server.url}${target}`, { method, headers, redirect: 'manual' })
  await response.body?.cancel()
  return response.headers.get('Made-By')
}

/** The ways in which a request can be sent that change nothing of what it means. */
const FORMS: readonly (readonly [name: string, method: string, fields: readonly string[]])[] = [
  ['as it is', 'GET', []],
  ['HEAD', 'HEAD', []],
  ['conditional', 'GET', ['If-None-Match: "0123456789abcdef"']],
  ['dated', 'GET', ['If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT']],
  ['a part', 'GET', ['Range: bytes=0-9']],
]

const XLSX = 'Accept: application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
type Cases = readonly (readonly [target: string, ...fields: readonly string[]])[]
const SMALL: Cases = [
  ['/api/v1/places'],
  [V2],
  [`${V2}/places`],
  [`${V2}/places?page=2&per_page=50`],
  [`${V2}/places?%70age=2`],
  [`${V2}/places`, 'Accept-Encoding: br'],
  [`${V2}/places?embed=full&code=p7`],
  [`${V2}/places?name=Place%207`],
  [`${V2}/places?root=true`],
  [`${V2}/places/p7`],
  [`${V2}/places/p7?lang=en`],
  [`${V2}/places/%707`],
  [`${V2}/places/p7/children`],
  [`${V2}/places?release=${digest}`],
  [`${V2}/routes/a,b,c`],
  [`${V2}/routes/a-b-c?by=code`],
  // The list is short, whatever is asked of it.
  [`${V2}/few?per_page=1000`, 'Accept-Encoding: br'],
  [`${V2}/few?size_min=1&size_max=3`],
  [`${V2}/few/p3/ancestors`],
  // Refused where it arrives.
  [`${V2}/places?per_page=1001`],
  [`${V2}/places?format=xls`],
  [`${V2}/nowhere`],
  // A word of the API is one as it is spelled alone.
  [`${V2}/places/p4000/%61ncestors`],
  [LONGEST],
  ['/api/nowhere'],
  [`${V2}/places/?per_page=1000`],
]
const LARGE: Cases = [
  [`${V2}/places?per_page=1000`],
  [`${V2}/places?per_page=%31000`],
  [`${V2}/places?%70er_page=1000`],
  [`${V2}/places?per_page=1%30%300`, 'Accept-Encoding: br'],
  [`${V2}/places?per_page=300`, 'Accept-Encoding: br'],
  [`${V2}/places?format=xlsx`],
  [`${V2}/places?format=%78lsx`],
  [`${V2}/places`, XLSX],
  [`${V2}/places?per_page=%31000`, XLSX],
  [`${V2}/places?per_page=200&format=csv`],
  [`${V2}/places?per_page=200`, 'Accept: text/csv;q=0.9, application/json;q=0.1'],
  [`${V2}/places?q=place`],
  [`${V2}/places?%71=place`],
  [`${V2}/places?sort=name`],
  [`${V2}/places?facts=true`],
  [`${V2}/places?fields=people`],
  [`${V2}/places?size_min=1&size_max=4`],
  [`${V2}/places?size_%6din=1`, 'Accept: */*'],
  [`${V2}/places?since_max=1950`],
  [`${V2}/places?note_prefix=note`],
  [`${V2}/places?within=p7`],
  [`${V2}/places/p7/descendants`],
  [`${V2}/places/p4000/ancestors`],
  [`${V2}/places/all`],
  [`${V2}/routes/${'a'.repeat(200)}`],
  [`${V2}/routes/${'0'.repeat(30)}`],
  [`${V2}/search?q=place`],
  [`${V2}/resolve?q=place`],
  [`${V2}/releases`],
  [`${V2}/places?release=${digest.slice(0, 12)}`],
  [`${V2}/places?release=${'0'.repeat(64)}`],
  [`${V2}/changes?from=${digest}`],
  ['/api/openapi.json'],
  ['/wscatgeo/v2/mgee'],
  ['/wscatgeo/v2/localidades/%62uscar/place'],
  ['/shelf/current'],
  ['/reconcile'],
  ['/'],
  ['/explore/places'],
  ['/nowhere'],
]

describe.each(FORMS)('%s', (_, method, fields) => {
  test.each(SMALL)('a page worker responds to %p %p', async (target, ...own) =>
    expect(await madeBy(method, target, ...own, ...fields)).toBe('page'),
  )
  test.each(LARGE)('a compute worker responds to %p %p', async (target, ...own) =>
    expect(await madeBy(method, target, ...own, ...fields)).toBe('compute'),
  )
})

test('a body is handed over unread', async () => {
  const init = { method: 'POST', body: '["place 7"]', headers: { 'Content-Type': 'application/json' } }
  const { status, headers } = await fetch(`${server.url}${V2}/resolve`, init)
  expect([status, headers.get('Made-By')]).toEqual([200, 'compute'])
})
