// A load generator over sockets of this process: for HEAD, and for requests at a given rate.
import { times } from '../packages/server/src/source/synthetic/random.ts'
import { quantile } from './spread.ts'

const HEAD_END = Buffer.from('\r\n\r\n')
const STATUS_AT = 'HTTP/1.1 '.length

/** Reads the responses on one connection, of which no more than one is under way at a time. */
export class ResponseReader {
  readonly #hasBody: boolean
  #head: Buffer | undefined
  #status = 0
  #bodyLeft = 0

  constructor(hasBody: boolean) {
    this.#hasBody = hasBody
  }

  /** The status of the response that these bytes complete; undefined while some are missing. */
  read(chunk: Buffer): number | undefined {
    if (this.#status > 0) return this.#readBody(chunk.length)
    const bytes = this.#head === undefined ? chunk : Buffer.concat([this.#head, chunk])
    const end = bytes.indexOf(HEAD_END)
    if (end === -1) {
      // The next chunk may overwrite the bytes of this one.
      this.#head = Buffer.from(bytes)
      return undefined
    }
    this.#head = undefined
    const head = bytes.toString('latin1', 0, end)
    this.#status = Number(head.slice(STATUS_AT, STATUS_AT + 3))
    const length = /\r\ncontent-length: *([0-9]+)/i.exec(head)?.[1]
    this.#bodyLeft = this.#hasBody && this.#status !== 304 ? Number(length ?? 0) : 0
    return this.#readBody(bytes.length - end - HEAD_END.length)
  }

  #readBody(length: number): number | undefined {
    this.#bodyLeft -= length
    if (this.#bodyLeft > 0) return undefined
    if (this.#bodyLeft < 0) throw new Error('a response is longer than its Content-Length')
    const status = this.#status
    this.#status = 0
    return status
  }
}

type Sending = {
  readonly port: number
  readonly connections: number
  /** Requests a second; without it every connection sends the next request as soon as it has its response. */
  readonly rate: number | undefined
  readonly requests: readonly Buffer[]
  readonly hasBody: boolean
  readonly seconds: number
  /** The time in milliseconds, for tests. */
  readonly now?: () => number
}
const clock = () => performance.now()

type Client = { readonly reader: ResponseReader; socket?: Bun.Socket<Client>; begun: number }

/** The time for responses after the last request; those that never come are errors. */
const LAST_RESPONSES_MILLISECONDS = 2_000

/**
 * With a rate, requests are due at even distances, and latencies count from when a request was due. This process then polls
 * all the time instead of sleeping, so that every request leaves when it is due and no response has to wake anybody.
 */
export async function sendBySockets({ port, connections, rate, requests, hasBody, seconds, now = clock }: Sending) {
  const latencies: number[] = []
  let [sent, errors, isEnding] = [0, 0, false]
  const idle: Client[] = []
  const done = Promise.withResolvers<void>()

  const isOver = () => now() - begun >= seconds * 1_000
  const isDue = () => rate === undefined || sent < ((now() - begun) * rate) / 1_000
  const send = (client: Client) => {
    client.begun = rate === undefined ? now() : begun + (sent * 1_000) / rate
    client.socket?.write(requests[sent++ % requests.length] as Buffer)
  }
  const receive = (client: Client, chunk: Buffer) => {
    const status = client.reader.read(chunk)
    if (status === undefined) return
    latencies.push((now() - client.begun) * 1_000)
    if ((status < 200 || status > 299) && status !== 304) errors++
    if (!isOver() && isDue()) send(client)
    else idle.push(client)
    if (isOver() && latencies.length === sent) done.resolve()
  }
  const fail = () => {
    if (isEnding) return
    errors++
    done.resolve()
  }

  const clients = times(connections, (): Client => ({ reader: new ResponseReader(hasBody), begun: 0 }))
  for (const client of clients) {
    client.socket = await Bun.connect<Client>({
      ...{ hostname: '127.0.0.1', port, data: client },
      socket: { data: ({ data }, chunk) => receive(data, chunk), close: fail, error: fail },
    })
  }
  const cpuBefore = process.cpuUsage()
  const begun = now()
  if (rate === undefined) for (const client of clients) send(client)
  else idle.push(...clients)
  const poll = () => {
    // The one that has waited longest, so that all connections are used alike.
    while (idle.length > 0 && isDue() && !isOver()) send(idle.shift() as Client)
    if (isOver()) setTimeout(done.resolve, latencies.length === sent ? 0 : LAST_RESPONSES_MILLISECONDS)
    else setImmediate(poll)
  }
  if (rate === undefined) setTimeout(done.resolve, seconds * 1_000 + LAST_RESPONSES_MILLISECONDS)
  else poll()
  await done.promise
  isEnding = true
  const elapsed = (now() - begun) / 1_000
  const { user, system } = process.cpuUsage(cpuBefore)
  for (const { socket } of clients) socket?.terminate()
  const sorted = Float64Array.from(latencies).sort()
  return {
    requests: latencies.length,
    seconds: elapsed,
    errors: errors + sent - latencies.length,
    p50Micros: quantile(sorted, 0.5),
    p99Micros: quantile(sorted, 0.99),
    generatorBusy: (user + system) / (elapsed * 1e6),
  }
}
