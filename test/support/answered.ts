// The app as a function to Response, for tests that need no socket.
import type { App } from '../../src/http/app.ts'
import type { Answer, Connection } from '../../src/http/exchange.ts'

export function responseOf({ status, head, body }: Answer): Response {
  const headers = new Headers(
    head
      .split('\r\n')
      .filter((line) => line !== '')
      .map(splitLine),
  )
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

export function answerTo(app: App, question: Question, connection: Connection): Response {
  const { target, method = 'GET', headers = {} } = question
  const [path = '', ...queries] = target.split('?')
  const named = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return responseOf(app({ method, path, query: queries.join('?'), headers: named }, connection))
}

export function answered(app: App, { method, url, headers }: Request, connection: Connection): Response {
  const { pathname, search } = new URL(url)
  return answerTo(app, { method, target: pathname + search, headers: Object.fromEntries(headers) }, connection)
}
