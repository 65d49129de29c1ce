// Clients of a process of their own that send broken HTTP: a few good requests, then bytes made by a grammar and changed at random.
import type { Socket } from 'bun'
import { pick, type Random, randomFrom, times } from '../../packages/server/src/source/synthetic/random.ts'
import { type Clients, type Running, runClients, startClients, type TrafficReport } from './clients.ts'
import { fieldOf, type Received, ResponseReader } from './response-reader.ts'

type WireFuzzPlan = {
  readonly url: string
  /** How many requests to send, good and broken ones together. */
  readonly total: number
  readonly connections: number
  readonly seed: number
}

/** What a client does when it has sent everything. */
type Ending = 'half-closes' | 'waits' | 'abandons'

type Conversation = {
  /** Whether each of the good requests before the broken one is a HEAD. */
  readonly good: readonly boolean[]
  readonly broken: string
  readonly pieces: readonly Buffer[]
  readonly ending: Ending
}

const GOOD = [
  ...['/api/v1/paises', '/api/v1/municipios?page=2', '/api/v1/audiencias?page=99999', '/', '/api/v1/nothing'],
  ...['/api/v2/estados?per_page=3', '/api/v2/search?q=san', '/api/v2/paises/484', '/api/v2/areas-conocimiento/all'],
]
const VERBS = ['GET', 'GET', 'GET', 'GET', 'POST', 'OPTIONS', 'get', 'G@T', 'BREW', '', 'GET\0', 'A'.repeat(2_000), 'é']
const GAPS = [' ', ' ', ' ', ' ', ' ', ' ', '  ', '\t', '', '\x0b', '\xa0', '\r\n ']
const TARGETS = [
  ...['/', '*', '/api/v1/paises', '/api/v1/paises', '/api/v1/paises?page=2', '/api/v2/estados', '//'],
  ...['/../../etc/passwd'],
  ...['http://a/api/v1/paises', 'http://', 'a', '?', '#', '/#a', '/\\', '/ñ', '/%', '/%00', '/\0', '/a b', '/\x7f', ''],
  ...[`/${'a'.repeat(7_990)}`, `/${'a'.repeat(8_100)}`, `/${'%41'.repeat(3_000)}`, `/${'/'.repeat(500)}`],
  ...['/?'.repeat(200)],
]
const VERSIONS = [
  ...['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.10'],
  ...['http/1.1'],
]
const MORE_VERSIONS = ['', 'HTTP/1.1 ', 'HTTP', 'HTTP/', 'HTTP/1', 'HTTP/١.1', 'ICY', '\0']
const LINE_ENDS = ['\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\n', '\r', '\r\r\n', '', '\n\r', '\x85']
const BODY = 'GET /api/v1/paises HTTP/1.1\r\nHost: smuggled\r\n\r\n'
const LINES = [
  ...['Host: a', 'Host:', 'Host: a b', 'Host: a\0', 'host : a', ' Host: a', 'Host: [::1]:99999'],
  ...['Host: <script>', 'Host: é'],
  ...['Content-Length: 0', 'Content-Length: 5', `Content-Length: ${BODY.length}`, 'Content-Length: -1'],
  ...['Content-Length: +5'],
  ...['Content-Length: 5, 5', 'Content-Length: 0x5', 'Content-Length: 99999999999999999999', 'Content-Length: 5 5'],
  ...['Content-Length:', 'Content-Length: \x0b5', 'Content_Length: 5', 'Content-Length: 18446744073709551621'],
  ...['Transfer-Encoding: chunked', 'Transfer-Encoding: Chunked', 'Transfer-Encoding: chunked, chunked'],
  ...['Transfer-Encoding: identity', 'Transfer-Encoding: gzip, chunked', 'Transfer-Encoding: chunked, gzip'],
  ...['Transfer-Encoding : chunked', 'Transfer-Encoding:\x0bchunked', 'Transfer-Encoding: xchunked'],
  ...['Transfer-Encoding:'],
  ...['Connection: close', 'Connection: keep-alive', 'Connection: ,,,', 'Connection: Host'],
  ...['Connection: upgrade, HTTP2-Settings'],
  ...['Upgrade: h2c', 'Upgrade: websocket', 'HTTP2-Settings: AAMAAABkAAQAAP__', 'Expect: 100-continue'],
  ...['Expect: a', 'TE: trailers'],
  ...[': a', 'a', 'a:', '', ' ', '\t', 'a: b\r\n c', 'a\tb: c', 'a(b): c', 'a: \0', 'a: \x1b', 'a: \x7f'],
  ...['a: \xff', '\xff: a'],
  ...[`X: ${'x'.repeat(3_000)}`, `X: ${'x'.repeat(17_000)}`, 'Range: bytes=0-0', 'If-None-Match: *', 'Accept: */*'],
  Array(40).fill('X: y').join('\r\n'),
  Array(120).fill('X: y').join('\r\n'),
]
const BODIES = [
  ...['', '', '', '', 'hello', BODY, BODY + BODY, 'x'.repeat(70_000)],
  ...['5\r\nhello\r\n0\r\n\r\n', `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`, '0\r\n\r\n'],
  ...['0\r\na: b\r\n\r\n'],
  ...['5;a=b\r\nhello\r\n0\r\n\r\n', '5\r\nhello0\r\n\r\n', 'ffffffffffffffff\r\n', '-1\r\n', '0x5\r\nhello\r\n'],
  ...['5\nhello\n0\n\n', 'g\r\n'],
]
/** No HEAD among them: nobody could tell then which responses have a body. */
const DICTIONARY = [
  ...['\r\n', '\n', '\r', '\r\n\r\n', '\0', ' ', ':', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', 'HTTP/1.1', '%'],
  ...['\xff', '\t'],
]
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
const TLS_HELLO = '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'

function broken(random: Random): string {
  const turn = random(100)
  if (turn < 6) return times(1 + random(400), () => String.fromCharCode(random(256))).join('')
  if (turn < 7) return PREFACE
  if (turn < 8) return TLS_HELLO + times(random(100), () => String.fromCharCode(random(256))).join('')
  const end = () => pick(random, LINE_ENDS)
  const version = random(4) === 0 ? pick(random, MORE_VERSIONS) : pick(random, VERSIONS)
  const line = pick(random, VERBS) + pick(random, GAPS) + pick(random, TARGETS) + pick(random, GAPS) + version
  const host = random(6) === 0 ? '' : `Host: a${end()}`
  const fields = times(random(5), () => pick(random, LINES) + end()).join('')
  const text = line + end() + host + fields + end() + pick(random, BODIES)
  return random(5) < 2 ? changed(text, random) : text
}

/** The same with a few bytes flipped, inserted, repeated or left out, or cut short. */
function changed(text: string, random: Random): string {
  let result = text
  for (let count = 1 + random(4); count > 0; count--) {
    const at = random(Math.max(1, Math.min(result.length, 2_000)))
    const length = 1 + random(random(4) === 0 ? 200 : 4)
    const [before, inside, after] = [result.slice(0, at), result.slice(at, at + length), result.slice(at + length)]
    result = pick(random, [
      () => before + String.fromCharCode(random(256)) + result.slice(at + 1),
      () => before + pick(random, DICTIONARY) + result.slice(at),
      () => before + inside + inside + after,
      () => before + after,
      () => before,
    ])()
  }
  return result
}

function conversation(host: string, random: Random): Conversation {
  const good = times(random(7), () => random(6) === 0)
  const requests = good.map(
    (isHead) => `${isHead ? 'HEAD' : 'GET'} ${pick(random, GOOD)} HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
  )
  const text = broken(random)
  const bytes = Buffer.from(requests.join('') + text, 'latin1')
  const cuts = random(3) === 0 ? times(1 + random(4), () => random(bytes.length + 1)).sort((a, b) => a - b) : []
  const pieces = [0, ...cuts].map((from, at) => bytes.subarray(from, cuts[at] ?? bytes.length))
  const turn = random(20)
  return { good, broken: text, pieces, ending: turn < 16 ? 'half-closes' : turn < 18 ? 'waits' : 'abandons' }
}

const PATIENCE_MILLISECONDS = 20_000
const TURN_MILLISECONDS = 5
/** How long a client that waits goes on waiting after the responses to its good requests. */
const LINGER_MILLISECONDS = 20
const MAX_EXAMPLES = 10

class WireFuzz implements Running {
  readonly plan: WireFuzzPlan
  readonly #random: Random
  readonly #address: { readonly hostname: string; readonly port: number }
  readonly #host: string
  readonly #statuses: Record<string, number> = {}
  readonly #reasons: Record<string, number> = {}
  readonly #examples: string[] = []
  readonly #live = new Set<Client>()
  readonly #done = Promise.withResolvers<TrafficReport>()
  readonly #ticking: Timer
  #made = 0
  completed = 0
  #failed = 0
  #limited = 0
  #slowest = 0
  #ran = performance.now()
  #longestPause = 0

  constructor(plan: WireFuzzPlan) {
    const { hostname, port, host } = new URL(plan.url)
    this.plan = plan
    this.#random = randomFrom(plan.seed)
    this.#address = { hostname, port: Number(port) }
    this.#host = host
    this.#ticking = setInterval(() => this.#tick(), TURN_MILLISECONDS)
    this.#fill()
  }

  get report(): Promise<TrafficReport> {
    return this.#done.promise
  }

  stop(): void {
    this.#made = this.plan.total
  }

  count(response: Received): void {
    this.completed++
    this.#statuses[response.status] = (this.#statuses[response.status] ?? 0) + 1
  }

  ended(client: Client, failure: string | undefined): void {
    if (!this.#live.delete(client)) return
    const milliseconds = performance.now() - client.since
    this.#slowest = Math.max(this.#slowest, milliseconds)
    if (client.told.ending === 'abandons') this.completed += client.told.good.length + 1
    if (client.limited) this.#limited++
    if (failure !== undefined) {
      this.#failed++
      this.#reasons[failure] = (this.#reasons[failure] ?? 0) + 1
      if (this.#examples.length < MAX_EXAMPLES)
        this.#examples.push(
          `${failure}: after ${client.told.good.length} good requests, ${client.told.ending}: ${client.told.broken.slice(0, 600)}`,
        )
    }
    this.#fill()
  }

  #fill(): void {
    while (this.#live.size < this.plan.connections && this.#made < this.plan.total) {
      const next = conversation(this.#host, this.#random)
      this.#made += next.good.length + 1
      this.#live.add(new Client(this, this.#address, next))
    }
  }

  #tick(): void {
    const now = performance.now()
    this.#longestPause = Math.max(this.#longestPause, now - this.#ran)
    this.#ran = now
    for (const client of this.#live) client.tick(now)
    if (this.#live.size > 0) return
    clearInterval(this.#ticking)
    this.#done.resolve({
      completed: this.completed,
      failed: this.#failed,
      limited: this.#limited,
      statuses: this.#statuses,
      reasons: this.#reasons,
      latency: { p50: 0, p99: 0, max: this.#slowest },
      longestOutage: 0,
      longestPause: this.#longestPause,
      examples: this.#examples,
    })
  }
}

/** One connection: sends everything, piece by piece, and reads until it is closed. */
class Client {
  readonly told: Conversation
  readonly since = performance.now()
  limited = false
  readonly #fuzz: WireFuzz
  readonly #reader: ResponseReader
  #responses = 0
  #socket: Socket | undefined
  #unsent: Buffer[]
  #sentAll = false
  #lastResponse = this.since

  constructor(fuzz: WireFuzz, address: { readonly hostname: string; readonly port: number }, told: Conversation) {
    this.#fuzz = fuzz
    this.told = told
    this.#unsent = told.pieces.filter(({ length }) => length > 0)
    this.#reader = new ResponseReader(
      () => told.good[this.#responses] ?? false,
      (response) => this.#onResponse(response),
    )
    const socket = {
      open: (opened: Socket) => {
        this.#socket = opened
        this.#send()
      },
      drain: () => this.#send(),
      data: (_: Socket, bytes: Buffer) => this.#onData(bytes),
      close: () => this.#onClose(),
      error: () => this.#onClose(),
      connectError: () => {},
    }
    Bun.connect({ ...address, socket }).catch(() => this.#fuzz.ended(this, 'connection refused'))
  }

  tick(now: number): void {
    if (now - this.since > PATIENCE_MILLISECONDS) this.#end('no end in time')
    else if (this.told.ending === 'waits' && this.#sentAll && this.#responses >= this.told.good.length)
      if (now - this.#lastResponse > LINGER_MILLISECONDS) this.#end(undefined)
  }

  #send(): void {
    const [piece, ...others] = this.#unsent
    if (this.#socket === undefined || this.#sentAll) return
    if (piece === undefined) {
      this.#sentAll = true
      this.#lastResponse = performance.now()
      if (this.told.ending === 'half-closes') this.#socket.shutdown()
      else if (this.told.ending === 'abandons') this.#end(undefined)
      return
    }
    const written = Math.max(this.#socket.write(piece), 0)
    this.#unsent = written === piece.length ? others : [piece.subarray(written), ...others]
    // A turn of the event loop in between, so that pieces arrive as pieces.
    if (written === piece.length) setImmediate(() => this.#send())
  }

  #onData(bytes: Buffer): void {
    try {
      this.#reader.add(bytes)
    } catch (error) {
      this.#end(`not a response: ${error instanceof Error ? error.message : error}`)
    }
  }

  #onResponse(response: Received): void {
    this.#responses++
    this.#lastResponse = performance.now()
    this.#fuzz.count(response)
    if (response.status === 503 && fieldOf(response.head, 'Retry-After') !== undefined) this.limited = true
    else if (response.status >= 500) this.#end(`status ${response.status}`)
  }

  #onClose(): void {
    try {
      this.#reader.end()
    } catch (error) {
      this.#end(error instanceof Error ? error.message : String(error))
      return
    }
    // Empty lines are no request.
    const expected = this.told.good.length + (/^(?:\r\n)*$/.test(this.told.broken) ? 0 : 1)
    // Who is turned away because of a limit gets one response for all.
    // A client with HTTP/1.0 that stops sending cannot be asked whether it still reads, and is taken for gone.
    const isTakenForGone = this.told.broken.includes('HTTP/1.0')
    const isMissing =
      this.#responses < expected && !this.limited && !isTakenForGone && this.told.ending === 'half-closes'
    this.#end(
      isMissing ? `closed after ${this.#responses - this.told.good.length} responses to the broken request` : undefined,
    )
  }

  #end(failure: string | undefined): void {
    this.#sentAll = true
    this.#fuzz.ended(this, failure)
    this.#socket?.terminate()
  }
}

export const startWireFuzz = (plan: WireFuzzPlan): Clients => startClients(import.meta.path, plan)

if (import.meta.main) runClients((plan: WireFuzzPlan) => new WireFuzz(plan))
