// What it costs a page that it is counted: the app alone, the app as it is observed, the same counts in prom-client, and the
// counting alone of a page that the shortcut responded with.
//
// tools/with-bun bench/observing.ts HOME, after bench/setup
import { createApp } from '../packages/server/src/http/app.ts'
import type { ConnectionInfo, HttpRequest, HttpResponse } from '../packages/server/src/http/exchange.ts'
import { DURATION_BOUNDS, Metrics } from '../packages/server/src/http/observation/metrics.ts'
import { notePage, observed } from '../packages/server/src/http/observation/observed-app.ts'
import { routeLabelAt } from '../packages/server/src/http/routes.ts'
import { Shelf } from '../packages/server/src/release/home/shelf.ts'

const REQUESTS = 200_000
const ROUNDS = 25
const PAGES = 20
/** In a variable, since only the benchmark has this package. */
const PROM_CLIENT = 'prom-client'

type Labels = Readonly<Record<string, string>>
type Options = { name: string; help: string; labelNames: string[]; buckets?: number[] }
type PromClient = {
  readonly Counter: new (options: Options) => { inc(labels: Labels, by?: number): void }
  readonly Histogram: new (options: Options) => { observe(labels: Labels, value: number): void }
}
type Respond = (request: HttpRequest, connection: ConnectionInfo) => unknown

const [home = 'var'] = process.argv.slice(2)
const shelf = new Shelf(home)
const release = shelf.openCurrent()
if (release === undefined) throw new Error(`there is no release in ${home}`)
const policy = { baseUrl: undefined, trustedProxies: undefined }
const app = createApp({ release: () => release, shelf, policy, logError: console.error })
const metrics = new Metrics()
const observation = { metrics, log: console.error, policy, accessLog: undefined, slowMilliseconds: 1_000 }
const counted = observed(app, observation)

function countedByPromClient({ Counter, Histogram }: PromClient): Respond {
  const requests = new Counter({ name: 'requests', help: 'help', labelNames: ['route', 'status'] })
  const bytes = new Counter({ name: 'bytes', help: 'help', labelNames: ['route'] })
  const durations = new Histogram({
    name: 'durations',
    help: 'help',
    labelNames: ['route'],
    buckets: [...DURATION_BOUNDS],
  })
  return (request, connection) => {
    const started = performance.now()
    const response = app(request, connection) as HttpResponse
    const route = routeLabelAt(request.path)
    requests.inc({ route, status: `${(response.status / 100) | 0}xx` })
    durations.observe({ route }, (performance.now() - started) / 1_000)
    bytes.inc({ route }, response.body?.length ?? 0)
    return response
  }
}

const NOTHING = Buffer.alloc(0)
const connection = { peer: '127.0.0.1', listeningUrl: 'http://127.0.0.1' }
const headers = new Map([['host', 'catalogs.example.org']])

/** In nanoseconds a request. */
function measure(respond: Respond): number {
  const started = Bun.nanoseconds()
  for (let number = 0; number < REQUESTS; number++)
    respond({ method: 'GET', path: '/api/v1/paises', query: `page=${(number % PAGES) + 1}`, headers }, connection)
  return (Bun.nanoseconds() - started) / REQUESTS
}

const variants: Readonly<Record<string, Respond>> = {
  'the app alone': app,
  observed: counted,
  'prom-client': countedByPromClient(await import(PROM_CLIENT)),
  'counting alone': () => {
    const started = Bun.nanoseconds()
    notePage(observation, { bytes: NOTHING, end: 0, connection, status: 200, bodyLength: 3_000, started })
  },
}
const times = Object.keys(variants).map((name) => ({ name, all: [] as number[] }))
// In turn, so that other work on the machine hits all alike.
for (let round = 0; round < ROUNDS; round++)
  for (const { name, all } of times) all.push(measure(variants[name] as Respond))
for (const { name, all } of times) {
  all.sort((a, b) => a - b)
  console.log(`${name}: fastest ${Math.round(all[0] ?? 0)} ns, median ${Math.round(all[ROUNDS >> 1] ?? 0)} ns`)
}
