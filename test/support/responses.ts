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
  if (isStreamed(body)) return new Response(asRead(body.chunks()), { status, headers })
  return new Response(status === 304 || body === undefined ? null : Buffer.from(body), { status, headers })
}

/** A stream that begins with its first read, so that a body that no test reads holds nothing. A chunk is good only until the next one. */
function asRead(chunks: AsyncIterable<Uint8Array>): ReadableStream {
  const reader = chunks[Symbol.asyncIterator]()
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await reader.next()
        if (done === true) controller.close()
        else controller.enqueue(Buffer.from(value))
      },
      async cancel() {
        await reader.return?.()
      },
    },
    { highWaterMark: 0 },
  )
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
