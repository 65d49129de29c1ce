// The app as a function from Request to Response, for tests that need no socket.
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

export function answered(app: App, request: Request, connection: Connection): Response {
  const { pathname, search } = new URL(request.url)
  const headers = new Map(request.headers)
  return responseOf(app({ method: request.method, path: pathname, query: search.slice(1), headers }, connection))
}
