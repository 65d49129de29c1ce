// A load of many connections, in a process of its own so that it does not take the server's turn, that counts and checks every response.
import type { Socket } from 'bun'

/** What one response may be: every part of it, or none. */
export type Version = {
  readonly status: number
  /** Headers that belong to the version, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type LoadPlan = {
  readonly url: string
  readonly connections: number
  /** What is requested in turn, each with the versions of which the response must be one. */
  readonly targets: readonly { readonly target: string; readonly versions: readonly Version[] }[]
  /** One connection a request, instead of connections that are kept. */
  readonly fresh?: boolean
}

export type LoadReport = {
  /** Whole responses. */
  readonly completed: number
  /** Requests that were sent and got no whole response. */
  readonly failed: number
  /** Connections that were never made. */
  readonly refused: number
  /** Connections that the server ended with Connection: close. */
  readonly closedByServer: number
  /** Whole responses that are no version of what was requested, and bytes that are no response at all. */
  readonly wrong: readonly string[]
  /** How many responses were of the first version, of the second, and so on. */
  readonly versions: readonly number[]
  /** What the failed requests ended with. */
  readonly reasons: readonly string[]
  /** The longest time for which the clients did not get to run, in milliseconds. */
  readonly longestPause: number
}

type Order = { readonly plan: LoadPlan } | { readonly more: number } | { readonly stop: true }
type News = { readonly reached: true } | { readonly report: LoadReport }

export type Load = AsyncDisposable & {
  /** Resolves when this many more responses have come, on all connections together. */
  more(responses: number): Promise<void>
  /** Lets every request that was sent have its response. */
  stop(): Promise<LoadReport>
}

/** A client that is not let run for so long sends too late on a connection that was closed in the meantime. */
const UNFAIR_MILLISECONDS = 100

/**
 * On a machine that is too busy to run the clients, requests fail that a service could not have saved. Such a trial
 * proves nothing and is made again, a few times at most.
 */
export async function fairTrial(trial: () => Promise<LoadReport>): Promise<LoadReport> {
  for (let tries = 1; ; tries++) {
    const report = await trial()
    if (report.failed === 0 || report.longestPause < UNFAIR_MILLISECONDS || tries === 4) return report
  }
}

/** Resolves once every connection has had a response. */
export async function startLoad(plan: LoadPlan): Promise<Load> {
  let reached: PromiseWithResolvers<void> = Promise.withResolvers()
  const reported: PromiseWithResolvers<LoadReport> = Promise.withResolvers()
  const child = Bun.spawn([process.execPath, import.meta.path], {
    stdio: ['ignore', 'inherit', 'inherit'],
    ipc: (news: News) => ('report' in news ? reported.resolve(news.report) : reached.resolve()),
    onExit: (_, code, signal) => {
      const ended = new Error(`the load ended on its own: ${signal ?? code}`)
      reached.reject(ended)
      reported.reject(ended)
    },
  })
  reported.promise.catch(() => {})
  const post = (order: Order) => child.send(order)
  post({ plan })
  await reached.promise
  return {
    more: (responses) => {
      reached = Promise.withResolvers()
      post({ more: responses })
      return reached.promise
    },
    stop: () => {
      post({ stop: true })
      return reported.promise
    },
    [Symbol.asyncDispose]: async () => {
      reached.promise.catch(() => {})
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

const PATIENCE_SECONDS = 20
const RETRY_MILLISECONDS = 10
const TURN_MILLISECONDS = 5
const END_OF_HEAD = '\r\n\r\n'

type Tally = { -readonly [K in keyof LoadReport]: LoadReport[K] extends readonly (infer T)[] ? T[] : LoadReport[K] }

/** The response at the beginning of the bytes, or nothing as long as it is not whole. */
function wholeResponse(bytes: Buffer): { response: Version; length: number } | undefined {
  const end = bytes.indexOf(END_OF_HEAD)
  if (end === -1) return undefined
  const [line = '', ...fields] = bytes.toString('latin1', 0, end).split('\r\n')
  const status = line.match(/^HTTP\/1\.1 ([0-9]{3}) /)?.[1]
  if (status === undefined) throw new Error(`not a status line: ${line}`)
  const headers: Record<string, string> = {}
  for (const field of fields) {
    const colon = field.indexOf(': ')
    headers[field.slice(0, colon).toLowerCase()] = field.slice(colon + 2)
  }
  const length = end + END_OF_HEAD.length + Number(headers['content-length'])
  if (!Number.isSafeInteger(length)) throw new Error(`a response without a length: ${line}`)
  if (bytes.length < length) return undefined
  return {
    response: { status: Number(status), headers, body: bytes.toString('utf8', end + END_OF_HEAD.length, length) },
    length,
  }
}

const matches = (response: Version, { status, headers, body }: Version) =>
  response.status === status &&
  response.body === body &&
  Object.entries(headers).every(([name, value]) => response.headers[name] === value)

/** One client: one request after the other, each after the whole response to the last, on one connection as long as it can. */
class Client {
  readonly #plan: LoadPlan
  readonly #tally: Tally
  readonly #onResponse: () => void
  readonly #ended = Promise.withResolvers<void>()
  readonly #address: { readonly hostname: string; readonly port: number }
  #turn: number
  /** The connection that a response is awaited on; what happens on others is of no concern any more. */
  #awaited: Socket | undefined
  #received: Buffer = Buffer.alloc(0)
  #stopping = false

  constructor(plan: LoadPlan, turn: number, tally: Tally, onResponse: () => void) {
    const { hostname, port } = new URL(plan.url)
    this.#plan = plan
    this.#address = { hostname, port: Number(port) }
    this.#turn = turn
    this.#tally = tally
    this.#onResponse = onResponse
    this.#connect()
  }

  stop(): Promise<void> {
    this.#stopping = true
    return this.#ended.promise
  }

  #connect(): void {
    if (this.#stopping) {
      this.#ended.resolve()
      return
    }
    const socket = {
      open: (socket: Socket) => this.#send(socket),
      data: (socket: Socket, bytes: Buffer) => this.#take(socket, bytes),
      error: (socket: Socket, error: Error) => this.#lost(socket, error.message),
      timeout: (socket: Socket) => this.#lost(socket, 'no whole response in time'),
      close: (socket: Socket) => this.#lost(socket, 'closed without a whole response'),
    }
    Bun.connect({ ...this.#address, socket }).catch(() => {
      this.#tally.refused++
      setTimeout(() => this.#connect(), RETRY_MILLISECONDS)
    })
  }

  get #requested() {
    const requested = this.#plan.targets[this.#turn % this.#plan.targets.length]
    if (requested === undefined) throw new Error('there is nothing to request')
    return requested
  }

  #send(socket: Socket): void {
    if (this.#stopping) {
      socket.end()
      this.#ended.resolve()
      return
    }
    this.#received = Buffer.alloc(0)
    this.#awaited = socket
    socket.timeout(PATIENCE_SECONDS)
    const last = this.#plan.fresh ? 'Connection: close\r\n' : ''
    socket.write(`GET ${this.#requested.target} HTTP/1.1\r\nHost: ${new URL(this.#plan.url).host}\r\n${last}\r\n`)
  }

  #take(socket: Socket, bytes: Buffer): void {
    if (socket !== this.#awaited) {
      this.#tally.wrong.push('bytes without a request')
      return
    }
    this.#received = Buffer.concat([this.#received, bytes])
    const found = wholeResponse(this.#received)
    if (found === undefined) return
    this.#awaited = undefined
    if (found.length < this.#received.length) this.#tally.wrong.push('bytes after the end of a response')
    this.#check(found.response)
    this.#turn++
    if (found.response.headers.connection === 'close') {
      if (this.#plan.fresh !== true) this.#tally.closedByServer++
      socket.end()
      this.#connect()
    } else this.#send(socket)
    this.#onResponse()
  }

  #check(response: Version): void {
    this.#tally.completed++
    const { target, versions } = this.#requested
    const version = versions.findIndex((one) => matches(response, one))
    if (version !== -1) this.#tally.versions[version] = (this.#tally.versions[version] ?? 0) + 1
    else if (versions.length > 0) this.#tally.wrong.push(`${target}: ${JSON.stringify(response)}`)
  }

  #lost(socket: Socket, reason: string): void {
    if (socket !== this.#awaited) return
    this.#awaited = undefined
    this.#tally.failed++
    this.#tally.reasons.push(reason)
    socket.terminate()
    this.#connect()
  }
}

function work(plan: LoadPlan): { more: (responses: number) => void; stop: () => void } {
  const post = (news: News) => process.send?.(news)
  const counts = { completed: 0, failed: 0, refused: 0, closedByServer: 0, longestPause: 0 }
  const tally: Tally = { ...counts, wrong: [], versions: plan.targets[0]?.versions.map(() => 0) ?? [], reasons: [] }
  let ran = performance.now()
  setInterval(() => {
    tally.longestPause = Math.max(tally.longestPause, performance.now() - ran)
    ran = performance.now()
  }, TURN_MILLISECONDS)
  let goal = plan.connections
  const onResponse = () => {
    if (tally.completed === goal) post({ reached: true })
  }
  const clients = Array.from({ length: plan.connections }, (_, turn) => new Client(plan, turn, tally, onResponse))
  return {
    more: (responses) => {
      goal = tally.completed + responses
    },
    stop: async () => {
      await Promise.all(clients.map((client) => client.stop()))
      post({ report: tally })
    },
  }
}

if (import.meta.main) {
  let working: ReturnType<typeof work> | undefined
  process.on('message', (order: Order) => {
    if ('plan' in order) working = work(order.plan)
    else if ('more' in order) working?.more(order.more)
    else working?.stop()
  })
  process.on('disconnect', () => process.exit())
}
