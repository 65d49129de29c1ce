// The app as a function to Response, for tests that need no socket.
import { type App, type AppContext, createApp } from '../../packages/server/src/http/app.ts'
import {
  type ConnectionInfo,
  type HttpRequest,
  type HttpResponse,
  isStreamed,
} from '../../packages/server/src/http/exchange.ts'
import type { Release } from '../../packages/server/src/release/release.ts'

export function responseOf({ status, head, body }: HttpResponse): Response {
  const headers = new Headers(
    head
      .split('\r\n')
      .filter((line) => line !== '')
      .map(splitLine),
  )
  if (isStreamed(body)) return new Response(copied(body.chunks()) as never, { status, headers })
  return new Response(status === 304 || body === undefined ? null : Buffer.from(body), { status, headers })
}

/** A Response pulls ahead of its reader, and a chunk is good only until the next one. */
async function* copied(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield Buffer.from(chunk)
}

function splitLine(line: string): [string, string] {
  const colon = line.indexOf(': ')
  return [line.slice(0, colon), line.slice(colon + 2)]
}

export type TestRequest = {
  /** Path and query, as they stand in a request. */
  readonly target: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
}

function parsed({ target, method = 'GET', headers = {} }: TestRequest): HttpRequest {
  const [path = '', ...queries] = target.split('?')
  const named = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return { method, path, query: queries.join('?'), headers: named }
}

/** An app over releases; whatever it would log is thrown. */
export const appOf = (release: () => Release, more: Partial<AppContext> = {}): App =>
  createApp({
    release,
    policy: { baseUrl: 'http://x', trustedProxies: undefined },
    logError: (error) => {
      throw error
    },
    ...more,
  })

const NOBODY: ConnectionInfo = { peer: undefined, listeningUrl: 'http://x' }

export async function responseTo(app: App, request: TestRequest, connection = NOBODY): Promise<Response> {
  return responseOf(await app(parsed(request), connection))
}

/** Only for requests to which the app responds without waiting. */
export function immediateResponseTo(app: App, request: TestRequest, connection: ConnectionInfo): Response {
  const response = app(parsed(request), connection)
  if (response instanceof Promise)
    throw new Error(`the app waits for something before it responds to ${request.target}`)
  return responseOf(response)
}
