// The access log: a line for each response, written in the background; when it falls behind, lines are dropped and counted.
import { closeSync, openSync, write } from 'node:fs'
import { messageOf, OperationalError } from '../../base/operational-error.ts'
import type { HttpRequest } from '../exchange.ts'
import type { RouteLabel } from '../routes.ts'
import type { Metrics } from './metrics.ts'

export const ACCESS_LOG_FORMATS = ['combined', 'json'] as const
export type AccessLogFormat = (typeof ACCESS_LOG_FORMATS)[number]

/** The facts of one request and its response. */
export type AccessEntry = {
  readonly client: string
  /** Undefined if the bytes received were no request. */
  readonly request: HttpRequest | undefined
  readonly path: string
  readonly route: RouteLabel
  readonly status: number
  readonly bytes: number
  readonly milliseconds: number
  readonly requestId: string
}

const MAX_WAITING_BYTES = 1 << 20
const FLUSH_MILLISECONDS = 100
const RETRY_MILLISECONDS = 100
/** The time for which the end of the service waits for the last lines. */
const CLOSE_MILLISECONDS = 1_000
/** The kernel writes as much to a pipe in one piece (PIPE_BUF), so that lines of several workers are not mixed up. */
const MAX_PIPE_BYTES = 4_096

type Target = { readonly path: string } | { readonly descriptor: number }

export class AccessLog {
  readonly #target: Target
  readonly #format: AccessLogFormat
  readonly #metrics: Metrics
  readonly #onFailure: (reason: string) => void
  #descriptor: number
  #lines: string[] = []
  #waitingBytes = 0
  #writing: Promise<void> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #failed = false
  #closed = false

  constructor(target: Target, format: AccessLogFormat, metrics: Metrics, onFailure: (reason: string) => void) {
    this.#target = target
    this.#format = format
    this.#metrics = metrics
    this.#onFailure = onFailure
    try {
      this.#descriptor = 'path' in target ? openSync(target.path, 'a') : target.descriptor
    } catch (error) {
      throw new OperationalError(
        `cannot write the access log: ${messageOf(error)}; choose another file with --access-log`,
      )
    }
  }

  add(entry: AccessEntry): void {
    const line = this.#format === 'json' ? jsonLine(entry) : combinedLine(entry)
    if (this.#waitingBytes + line.length > MAX_WAITING_BYTES) {
      this.#metrics.droppedAccessLines++
      return
    }
    this.#lines.push(line)
    this.#waitingBytes += line.length
    if (this.#timer === undefined && this.#writing === undefined)
      this.#timer = setTimeout(() => this.#startWriting(), FLUSH_MILLISECONDS)
  }

  /** Goes on in a file of the same name, after another program has moved the one before away. */
  async reopen(): Promise<void> {
    if (!('path' in this.#target) || this.#closed) return
    const { path } = this.#target
    await this.#flush()
    try {
      const next = openSync(path, 'a')
      closeSync(this.#descriptor)
      this.#descriptor = next
    } catch (error) {
      this.#onFailure(messageOf(error))
    }
  }

  /** Writes the lines that wait, and ends. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.race([this.#flush(), Bun.sleep(CLOSE_MILLISECONDS)])
    if ('path' in this.#target) closeSync(this.#descriptor)
  }

  async #flush(): Promise<void> {
    await this.#writing
    this.#startWriting()
    await this.#writing
  }

  #startWriting(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#writing !== undefined || this.#lines.length === 0) return
    const lines = this.#lines
    this.#lines = []
    this.#writing = this.#writeAll(lines).finally(() => {
      this.#writing = undefined
      if (this.#lines.length > 0) this.#startWriting()
    })
  }

  async #writeAll(lines: readonly string[]): Promise<void> {
    for (const batch of 'path' in this.#target ? [lines] : pipeBatches(lines)) {
      const bytes = Buffer.from(batch.join(''))
      try {
        await this.#write(bytes)
        this.#failed = false
      } catch (error) {
        this.#metrics.droppedAccessLines += batch.length
        // A disk that is full stays full for a while: it is reported once.
        if (!this.#failed) this.#onFailure(messageOf(error))
        this.#failed = true
      }
      this.#waitingBytes -= batch.reduce((sum, line) => sum + line.length, 0)
    }
  }

  async #write(bytes: Buffer): Promise<void> {
    for (let written = 0; written < bytes.length; ) {
      try {
        written += await new Promise<number>((resolve, reject) => {
          write(this.#descriptor, bytes, written, (error, count) => (error ? reject(error) : resolve(count)))
        })
      } catch (error) {
        // Nobody reads the pipe at the moment. At the end of the service nobody waits for that.
        if (codeOf(error) !== 'EAGAIN' || this.#closed) throw error
        await Bun.sleep(RETRY_MILLISECONDS)
      }
    }
  }
}

/** Lines in batches that each go to a pipe in one piece, unless a line alone is longer. */
export function* pipeBatches(lines: readonly string[]): Generator<readonly string[]> {
  let batch: string[] = []
  let length = 0
  for (const line of lines) {
    if (length + line.length > MAX_PIPE_BYTES && batch.length > 0) {
      yield batch
      batch = []
      length = 0
    }
    batch.push(line)
    length += line.length
  }
  yield batch
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined)

let second = 0
let secondText = ''

/** The time as Apache writes it; it is the same for all lines of a second. */
function combinedTime(now: Date): string {
  const current = Math.floor(now.getTime() / 1_000)
  if (current === second) return secondText
  const [, day, month, year, time] = now.toUTCString().split(' ')
  second = current
  secondText = `${day}/${month}/${year}:${time} +0000`
  return secondText
}

function combinedLine({ client, request, path, status, bytes }: AccessEntry): string {
  const line = request === undefined ? `- ${quotable(path)} -` : requestLine(request)
  const referer = quotable(request?.headers.get('referer') ?? '-')
  const agent = quotable(request?.headers.get('user-agent') ?? '-')
  const sent = bytes === 0 ? '-' : bytes
  return `${client || '-'} - - [${combinedTime(new Date())}] "${line}" ${status} ${sent} "${referer}" "${agent}"\n`
}

const requestLine = ({ method, path, query, http10 }: HttpRequest): string =>
  `${method} ${quotable(path)}${query === '' ? '' : `?${quotable(query)}`} HTTP/1.${http10 === true ? 0 : 1}`

/** Quotes, backslashes and whatever is not visible ASCII would let a client write lines and fields of its own. */
const quotable = (text: string): string =>
  /["\\]|[^ -~]/.test(text)
    ? text.replace(/["\\]|[^ -~]/g, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`)
    : text

function jsonLine({ client, request, path, route, status, bytes, milliseconds, requestId }: AccessEntry): string {
  return `${JSON.stringify({
    time: new Date().toISOString(),
    client,
    method: request?.method,
    path,
    query: request?.query,
    protocol: request === undefined ? undefined : `HTTP/1.${request.http10 === true ? 0 : 1}`,
    status,
    bytes,
    seconds: Math.round(milliseconds * 1_000) / 1_000_000,
    route,
    requestId,
    referer: request?.headers.get('referer'),
    userAgent: request?.headers.get('user-agent'),
  })}\n`
}
