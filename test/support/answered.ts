// The app as a function to Response, for tests that need no socket.
import type { App } from '../../src/http/app.ts'
import { type ConnectionInfo, type HttpResponse, isStreamed } from '../../src/http/exchange.ts'

export function responseOf({ status, head, body }: HttpResponse): Response {
  const headers = new Headers(
    head
      .split('\r\n')
      .filter((line) => line !== '')
      .map(splitLine),
  )
  if (isStreamed(body)) return new Response(body.chunks() as never, { status, headers })
  return new Response(status === 304 || body === undefined ? null : Buffer.from(body), { status, headers })
}

function splitLine(line: string): [string, string] {
  const colon = line.indexOf(': ')
  return [line.slice(0, colon), line.slice(colon + 2)]
}

export type Question = {
  /** Path and query, as they stand in a request. */
  readonly target: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
}

export function answerTo(app: App, question: Question, connection: ConnectionInfo): Response {
  const { target, method = 'GET', headers = {} } = question
  const [path = '', ...queries] = target.split('?')
  const named = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const answer = app({ method, path, query: queries.join('?'), headers: named }, connection)
  if (answer instanceof Promise) throw new Error(`${target} is answered later; ask with answerLaterTo`)
  return responseOf(answer)
}

/** Likewise, for what may take a while. */
export async function answerLaterTo(app: App, question: Question, connection: ConnectionInfo): Promise<Response> {
  const { target, method = 'GET', headers = {} } = question
  const [path = '', ...queries] = target.split('?')
  const named = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return responseOf(await app({ method, path, query: queries.join('?'), headers: named }, connection))
}

export function answered(app: App, { method, url, headers }: Request, connection: ConnectionInfo): Response {
  const { pathname, search } = new URL(url)
  return answerTo(app, { method, target: pathname + search, headers: Object.fromEntries(headers) }, connection)
}
