// The real server on a free port of this machine, with whatever it logs kept for the test.
import { type App, createApp } from '../../src/http/app.ts'
import type { BaseUrlPolicy } from '../../src/http/base-url.ts'
import { serve } from '../../src/http/serve.ts'
import type { Release } from '../../src/release/release.ts'
import type { Shelf } from '../../src/release/shelf/shelf.ts'

export type TestServer = {
  readonly url: string
  /** The value that a request to it has for Host. */
  readonly host: string
  readonly logged: unknown[]
  readonly close: () => Promise<void>
}

const fromHost: BaseUrlPolicy = { baseUrl: undefined, trustedProxies: undefined }

export function serverOf(
  release: () => Release,
  policy: Partial<BaseUrlPolicy> = {},
  shelf?: Shelf,
  wrapped: (app: App) => App = (app) => app,
): TestServer {
  const logged: unknown[] = []
  const logError = (error: unknown) => logged.push(error)
  const context = { release, policy: { ...fromHost, ...policy }, logError }
  const app = createApp(shelf === undefined ? context : { ...context, shelf })
  const server = serve(wrapped(app), { host: '127.0.0.1', port: 0 })
  return { url: server.url, host: new URL(server.url).host, logged, close: () => server.stop(0) }
}
