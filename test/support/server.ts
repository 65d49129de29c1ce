// The real server on a free port of this machine, with whatever it logs kept for the test.
import { afterAll, expect } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { explorerPages } from '../../packages/server/src/explorer/mount.ts'
import { type App, createApp } from '../../packages/server/src/http/app.ts'
import type { BaseUrlPolicy } from '../../packages/server/src/http/base-url.ts'
import { Metrics } from '../../packages/server/src/http/observation/metrics.ts'
import { serve } from '../../packages/server/src/http/processes/serve.ts'
import { PageShortcut } from '../../packages/server/src/http/v1/page-shortcut.ts'
import { cacheIn } from '../../packages/server/src/http/v2/cache-directory.ts'
import { ResponseCache } from '../../packages/server/src/http/v2/response-cache.ts'
import type { ReleaseStore } from '../../packages/server/src/release/home/release-store.ts'
import type { Release } from '../../packages/server/src/release/release.ts'
import { TestDirectory } from './releases.ts'

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
  store?: ReleaseStore,
  wrapped?: (app: App) => App,
): TestServer {
  const logged: unknown[] = []
  const logError = (error: unknown) => logged.push(error)
  const directory = new TestDirectory()
  const cache = testCache(directory.path)
  const context = { release, cache, policy: { ...fromHost, ...policy }, logError, pages: explorerPages }
  const app = createApp(store === undefined ? context : { ...context, store })
  const listening = { host: '127.0.0.1', port: 0 }
  const observation = { metrics: new Metrics(), log: () => {}, accessLog: undefined, slowMilliseconds: 1e9 }
  // The real service has no shortcut either if something stands between the wire and the app.
  const shortcut = new PageShortcut({ ...context, observation: { ...observation, policy: context.policy } })
  const server = wrapped === undefined ? serve(app, { ...listening, shortcut }) : serve(wrapped(app), listening)
  const close = async () => {
    await server.stop(0)
    directory[Symbol.dispose]()
  }
  return { url: server.url, host: new URL(server.url).host, logged, close }
}

/** A server for one test file, which closes it after its last test; it must have logged nothing. */
export function serverForAll(...given: Parameters<typeof serverOf>): TestServer {
  const server = serverOf(...given)
  afterAll(async () => {
    expect(server.logged).toEqual([])
    await server.close()
  })
  return server
}

/** A cache that keeps everything, unless `options` say otherwise. */
export const testCache = (directory: string, options: Partial<ConstructorParameters<typeof ResponseCache>[0]> = {}) =>
  new ResponseCache({ directory, maxBytes: 1e9, isOnDisk: () => true, log: () => {}, ...options })

/** A file of the cache of a home, one byte of which has changed since it was written. */
export async function damagedCacheFile(home: string): Promise<string> {
  const directory = cacheIn(home)
  mkdirSync(directory, { recursive: true })
  async function* chunks() {
    yield Buffer.from('as it was written')
  }
  await testCache(directory).make('body', { madeFrom: [], chunks, encoding: () => undefined })
  const path = join(directory, 'body')
  writeFileSync(path, readFileSync(path, 'utf8').replace('was', 'is!'))
  return path
}
