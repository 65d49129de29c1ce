// Asks a server for one URL politely: paced, timed, tried again when that may help, never sent on to another host.
import { Failure } from '../../failure.ts'
import { version } from '../../version.ts'
import { backoff, Pace, retryAfter, wait } from './pace.ts'

export type Politeness = {
  /** Requests per second, over all connections. */
  readonly rate: number | undefined
  /** Milliseconds for a whole answer. */
  readonly timeout: number
  /** How often a request is tried again. */
  readonly retries: number
  /** Milliseconds before the first of them; each further one waits twice as long. */
  readonly backoff: number
}

export type HttpResponse = { readonly headers: Headers; readonly body: Uint8Array }
type Reply = HttpResponse & { readonly status: number }
type Again = { readonly why: string; readonly after: number | undefined }

const TRY_AGAIN = new Set([429, 502, 503, 504])
const MAX_REDIRECTS = 3
const MAX_BODY = 64 << 20
const LONGEST_PAUSE = 5 * 60_000
const HEADERS = { Accept: 'application/json', 'User-Agent': `nomenclator/${version}` }
export const CONTINUES = 'run the same command again to continue where it stopped'

/** The server answered, and neither with what was asked for nor in a way that waiting would mend. */
export class Refused extends Failure {}

export class PoliteClient {
  readonly #manners: Politeness
  readonly #pace: Pace

  constructor(manners: Politeness) {
    this.#manners = manners
    this.#pace = new Pace(manners.rate)
  }

  /** The answer, which is a 200; anything else is a Failure. */
  async get(url: string, signal: AbortSignal): Promise<HttpResponse> {
    const { retries, backoff: base } = this.#manners
    let why = ''
    for (let attempt = 0; attempt <= retries; attempt++) {
      const outcome = await this.#attempt(url, signal)
      if ('body' in outcome) return outcome
      why = outcome.why
      if (outcome.after !== undefined) this.#pauseAll(url, outcome.after)
      if (attempt < retries) await wait(backoff(base, attempt), signal)
    }
    throw new Failure(`${url} was asked ${retries + 1} times in vain; the last time: ${why}; ${CONTINUES}`)
  }

  #pauseAll(url: string, milliseconds: number): void {
    if (milliseconds > LONGEST_PAUSE)
      throw new Failure(`${url} asks for a pause of ${Math.ceil(milliseconds / 1_000)} s; after it, ${CONTINUES}`)
    this.#pace.pause(milliseconds)
  }

  async #attempt(url: string, signal: AbortSignal): Promise<HttpResponse | Again> {
    let target = url
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      await this.#pace.turn(signal)
      const reply = await this.#request(target, signal)
      if ('why' in reply) return reply
      if (reply.status === 200) return reply
      if (TRY_AGAIN.has(reply.status))
        return { why: `status ${reply.status}`, after: retryAfter(reply.headers.get('retry-after'), Date.now()) }
      if (reply.status < 300 || reply.status > 399 || reply.status === 304) throw refusal(target, reply)
      target = redirected(target, reply)
    }
    throw new Failure(`${url} is redirected more than ${MAX_REDIRECTS} times`)
  }

  async #request(url: string, signal: AbortSignal): Promise<Reply | Again> {
    signal.throwIfAborted()
    const { timeout } = this.#manners
    const controller = new AbortController()
    const abort = () => controller.abort()
    const timer = setTimeout(abort, timeout)
    signal.addEventListener('abort', abort)
    try {
      const response = await fetch(url, { redirect: 'manual', headers: HEADERS, signal: controller.signal })
      return { status: response.status, headers: response.headers, body: await bodyOf(url, response) }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof Failure) throw error
      const late = `no whole answer within ${timeout / 1_000} s`
      return { why: controller.signal.aborted ? late : wordsOf(error), after: undefined }
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
  }
}

async function bodyOf(url: string, { body }: Response): Promise<Uint8Array> {
  if (body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size > MAX_BODY) throw new Failure(`${url} answers with more than ${MAX_BODY >> 20} MB, too much for a page`)
  }
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks)
}

/** Another path of the same host is followed, and so is the way from http to https; nothing else is. */
function redirected(url: string, { status, headers }: Reply): string {
  const location = headers.get('location') ?? ''
  if (location === '' || !URL.canParse(location, url))
    throw new Failure(`${url} answers ${status} without saying where to go`)
  const [from, to] = [new URL(url), new URL(location, url)]
  if (from.host === to.host && (from.protocol === to.protocol || to.protocol === 'https:')) return to.href
  throw new Failure(`${url} sends on to ${printable(to.href)}, which is not followed; give that address if it is right`)
}

function refusal(url: string, reply: Reply): Refused {
  const detail = problemDetail(reply)
  return new Refused(`${url} answers ${reply.status}${detail === undefined ? '' : `: ${detail}`}`)
}

/** What an RFC 9457 body says in words. */
function problemDetail({ headers, body }: Reply): string | undefined {
  if (!(headers.get('content-type') ?? '').includes('json')) return undefined
  try {
    const { detail, title } = JSON.parse(new TextDecoder().decode(body)) ?? {}
    const said = typeof detail === 'string' ? detail : title
    return typeof said === 'string' ? printable(said) : undefined
  } catch {
    return undefined
  }
}

const MAX_WORDS = 300
const printable = (text: string) => text.replace(/\p{Cc}+/gu, ' ').slice(0, MAX_WORDS)

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
