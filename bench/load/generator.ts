// A load generator: keeps a number of connections busy for some seconds, then prints one line of JSON.
import { readFileSync } from 'node:fs'
import { quantile } from '../measure/spread.ts'
import { requestText } from './ask.ts'
import type { LoadResult } from './job.ts'
import { pathOf } from './loads.ts'
import type { Plan } from './own.ts'
import { ResponseReader } from './response-reader.ts'

/** Failures in a row after which a server is taken for gone. */
const MAX_FAILURES = 1_000

class Generator {
  readonly #plan: Plan
  readonly #requests: readonly Uint8Array[]
  readonly #latencies: number[] = []
  #next = 0
  #errors = 0
  #failuresInARow = 0
  #deadline = 0

  constructor(plan: Plan) {
    this.#plan = plan
    const headers = {
      Host: `127.0.0.1:${plan.port}`,
      ...(plan.etag === undefined ? {} : { 'If-None-Match': plan.etag }),
      ...(plan.reuse ? {} : { Connection: 'close' }),
    }
    const pages = readFileSync(plan.pages, 'utf8').trimEnd().split('\n')
    this.#requests = pages.map((page) => Buffer.from(requestText(plan.method, pathOf(Number(page)), headers)))
  }

  async run(): Promise<LoadResult> {
    const begun = performance.now()
    this.#deadline = begun + this.#plan.seconds * 1_000
    await Promise.all(Array.from({ length: this.#plan.connections }, () => this.#keepBusy()))
    const seconds = (performance.now() - begun) / 1_000
    const sorted = Float64Array.from(this.#latencies).sort()
    const micros = (share: number) => quantile(sorted, share) * 1_000
    return {
      requests: this.#latencies.length,
      seconds,
      errors: this.#errors,
      p50: micros(0.5),
      p99: micros(0.99),
      p999: micros(0.999),
    }
  }

  get #over(): boolean {
    return performance.now() >= this.#deadline || this.#failuresInARow > MAX_FAILURES
  }

  /** One connection after the other until the time is over; with keep-alive there is only the first. */
  async #keepBusy(): Promise<void> {
    while (!this.#over) {
      const sound = await this.#connection().catch(() => false)
      this.#failuresInARow = sound ? 0 : this.#failuresInARow + 1
      if (!sound && !this.#over) this.#errors++
    }
  }

  #request(): Uint8Array {
    const request = this.#requests[this.#next] as Uint8Array
    this.#next = (this.#next + 1) % this.#requests.length
    return request
  }

  /** True when it ended because it was meant to. */
  #connection(): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    const reader = new ResponseReader(this.#plan.method)
    let request = performance.now()
    const finish = setTimeout(() => resolve(true), Math.max(this.#deadline - request, 0))
    const connecting = Bun.connect({
      hostname: '127.0.0.1',
      port: this.#plan.port,
      socket: {
        open: (socket) => void socket.write(this.#request()),
        data: (socket, chunk) => {
          if (!reader.take(chunk)) return
          const now = performance.now()
          this.#latencies.push(now - request)
          if (reader.status >= 300 && reader.status !== 304) this.#errors++
          if (!this.#plan.reuse || this.#over) {
            resolve(true)
            socket.end()
            return
          }
          reader.reset()
          request = now
          socket.write(this.#request())
        },
        close: () => resolve(false),
        error: (_socket, error) => reject(error),
        connectError: (_socket, error) => reject(error),
      },
    })
    connecting.catch(reject)
    return promise.finally(() => clearTimeout(finish))
  }
}

const plan: Plan = JSON.parse(process.argv[2] ?? '{}')
process.stdout.write(`${JSON.stringify(await new Generator(plan).run())}\n`)
process.exit(0)
