// A generated package, imported from its files and served: what of all laws does not hold.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { explorerPages } from '../../packages/server/src/explorer/mount.ts'
import { type App, createApp } from '../../packages/server/src/http/app.ts'
import { openPackage } from '../../packages/server/src/source/package/open-package.ts'
import { Documented } from '../support/openapi.ts'
import { PackageDirectory } from '../support/package-directory.ts'
import { nothing } from '../support/packages.ts'
import { TestHome } from '../support/releases.ts'
import { responseOf } from '../support/responses.ts'
import { serverOf, type TestServer, testCache } from '../support/server.ts'
import { filesOf, type ModelPackage, nextEdition } from './any-package.ts'
import { LAWS } from './package-laws.ts'

const connection = { listeningUrl: 'http://127.0.0.1:8080', peer: undefined }

async function publish(home: TestHome, any: ModelPackage): Promise<string> {
  using directory = new PackageDirectory()
  for (const [name, content] of Object.entries(filesOf(any))) directory.put(name, content)
  const source = await openPackage(directory.path)
  try {
    const notes = source.notes.filter(({ field = '' }) => !(field in Object.prototype))
    if (source.leftOut.length + notes.length > 0)
      throw new Error(`left out or inferred: ${JSON.stringify([source.leftOut, notes])}`)
    const { digest } = await home.import(source, { fallback: nothing, acceptChanges: true })
    return digest
  } finally {
    source.close()
  }
}

type Send = (method: string, target: string, headers: Headers, body?: Uint8Array) => Promise<Response>
type Headers = Readonly<Record<string, string>>

function sendTo(app: App, server: TestServer | undefined): Send {
  return async (method, target, headers, body) => {
    const [path = '', ...query] = target.split('?')
    // Whoever sends an address takes segments of dots alone out of it, encoded or not.
    if (server !== undefined && !/\/(?:%2E|\.){1,2}(?:\/|$)/i.test(path)) {
      const options = { method, headers: { 'Accept-Encoding': 'identity', ...headers }, redirect: 'manual' } as const
      return fetch(server.url + target, body === undefined ? options : { ...options, body: Buffer.from(body) })
    }
    const named = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
    const request = { method, path, query: query.join('?'), headers: named, ...(body === undefined ? {} : { body }) }
    return responseOf(await app(request, connection))
  }
}

/** What does not hold of a package, with two editions of it in a home of its own; undefined where everything does. */
export async function faultOf(any: ModelPackage, isOverSocket = false): Promise<string | undefined> {
  using home = new TestHome()
  const failures: unknown[] = []
  let server: TestServer | undefined
  try {
    const before = await publish(home, any)
    const next = nextEdition(any)
    await publish(home, next)
    const release = home.current()
    const cache = join(home.path, 'cache')
    mkdirSync(cache)
    const app = createApp({
      release: () => release,
      store: home.store,
      cache: testCache(cache),
      policy: { baseUrl: undefined, trustedProxies: undefined },
      logError: (error) => failures.push(error),
      pages: explorerPages,
    })
    if (isOverSocket) server = serverOf(() => release, {}, home.store)
    const send = sendTo(app, server)
    const documented = new Documented((await (await send('GET', '/api/openapi.json', {})).json()) as object)
    const get = async (target: string, headers = {}) => {
      const response = await send('GET', target, headers)
      await conforms(documented, target, response)
      return response
    }
    const post = (target: string, body: URLSearchParams) =>
      send('POST', target, { 'Content-Type': 'application/x-www-form-urlencoded' }, Buffer.from(body.toString()))
    // The validator takes a property of this name for a reference, which it is not where properties are named.
    const isToldApart = next.lists.every(({ fields }) => fields.every(({ name }) => name !== '$ref'))
    const { valid, errors } = isToldApart
      ? await new Validator().validate(structuredClone(documented.document))
      : { valid: true, errors: [] }
    if (!valid) return `the document is no OpenAPI: ${JSON.stringify(errors).slice(0, 1_000)}`
    for (const list of next.lists)
      for (const [name, law] of Object.entries(LAWS)) {
        const fault = await law({ get, post, before }, list, any).catch((error: Error) => error.message)
        if (fault !== undefined) return [`${name}: ${fault}`, ...failures.map((error) => Bun.inspect(error))].join('\n')
      }
  } catch (error) {
    return Bun.inspect(error)
  } finally {
    failures.push(...(server?.logged ?? []))
    await server?.close()
  }
  return failures.length === 0 ? undefined : failures.map((error) => Bun.inspect(error)).join('\n')
}

/** Whether a response is one that the document of the release describes. */
async function conforms(documented: Documented, target: string, response: Response): Promise<void> {
  const [path = '', query = ''] = target.split('?')
  if (!path.startsWith('/api/v2')) return
  const segments = path.split('/')
  const matches = documented.operations.filter((one) => {
    const parts = one.path.split('/')
    return parts.length === segments.length && parts.every((part, at) => part === segments[at] || part.includes('{'))
  })
  const [operation] = matches.toSorted((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')))
  if (operation === undefined) throw new Error(`${target} is not documented`)
  const isPartial = /(?:^|&)(?:fields|embed|lang)=/.test(query)
  const breaches = await documented.breaches(operation, response.clone() as Response, isPartial)
  if (breaches.length > 0)
    throw new Error(
      `${target} is not as ${operation.operationId} is documented: ${breaches.join('; ').slice(0, 1_000)}`,
    )
}
