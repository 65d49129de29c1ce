// An app over three small releases, its OpenAPI document, and for every operation in it a request that succeeds.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Catalog } from '../../packages/server/src/catalog/catalog.ts'
import { type Entity, identifierOf } from '../../packages/server/src/catalog/entity.ts'
import { pathTo } from '../../packages/server/src/catalog/lineage.ts'
import { createApp } from '../../packages/server/src/http/app.ts'
import { RateTable, rateLimited } from '../../packages/server/src/http/limits/rate-limit.ts'
import { Metrics } from '../../packages/server/src/http/observation/metrics.ts'
import { RESOLVE_PATH } from '../../packages/server/src/http/routes.ts'
import type { Release } from '../../packages/server/src/release/release.ts'
import { generateKeys, parseSecretKey } from '../../packages/server/src/release/signing/minisign.ts'
import { signRelease } from '../../packages/server/src/release/signing/release-signature.ts'
import { Documented, type DocumentedOperation, queryOf } from './openapi.ts'
import { ThreeReleases } from './releases.ts'
import { responseTo, type TestRequest } from './responses.ts'
import { testCache } from './server.ts'

export const OWN = 'http://127.0.0.1:8080'
const connection = { listeningUrl: OWN, peer: undefined }
const policy = { baseUrl: undefined, trustedProxies: undefined }

type Value = string | number | { readonly [field: string]: Value }

export class OpenapiService implements Disposable {
  readonly home: ThreeReleases
  readonly release: Release
  readonly documented: Documented
  readonly failures: unknown[] = []
  readonly send: (request: TestRequest) => Promise<Response>
  /** Requests to a service that cannot read its release. */
  readonly sendToBroken: (request: TestRequest) => Promise<Response>
  /** Requests to a service whose rate limit this client has reached. */
  readonly sendLimited: (request: TestRequest) => Promise<Response>

  static async create(): Promise<OpenapiService> {
    const home = await ThreeReleases.create()
    const release = home.current()
    const signed = home.store.read(home.digests[1] as string)
    home.store.placeSignature(signed.digest, signRelease(parseSecretKey(generateKeys().secretFile, undefined), signed))
    const app = appOf(home, () => release)
    const response = await responseTo(app, { target: '/api/openapi.json' }, connection)
    return new OpenapiService(home, release, new Documented((await response.json()) as object))
  }

  private constructor(home: ThreeReleases, release: Release, documented: Documented) {
    this.home = home
    this.release = release
    this.documented = documented
    const app = appOf(
      home,
      () => release,
      (error) => this.failures.push(error),
    )
    const broken = appOf(home, () => {
      throw new Error('the release cannot be read')
    })
    this.send = (request) => responseTo(app, request, connection)
    const limited = rateLimited(app, {
      limit: { requests: 1, windowSeconds: 60 },
      table: RateTable.ofOneProcess(),
      policy,
      metrics: new Metrics(),
    })
    this.sendLimited = async (request) => {
      await responseTo(limited, request, connection)
      return responseTo(limited, request, connection)
    }
    this.sendToBroken = (request) => responseTo(broken, request, connection)
  }

  get catalog(): Catalog {
    return this.release.catalog
  }

  /** The first record of an entity, and what is at a path in it. */
  valueIn(entity: Entity, steps: readonly string[]): Value {
    const record: Value = JSON.parse(new TextDecoder().decode(this.release.entity(entity.name).records.record(0)))
    return steps.reduce<Value>((value, step) => (value as Record<string, Value>)[step] as Value, record)
  }

  /** The entity whose records are at a path. */
  entityAt(path: string): Entity | undefined {
    return path
      .split('/')
      .reduce<Entity | undefined>((last, part) => this.catalog.collections.get(part) ?? last, undefined)
  }

  /** The path with every part filled in, so that there is something; by another value where one is given. */
  pathOf({ path }: DocumentedOperation, other: Readonly<Record<string, string | number>> = {}): string {
    const entity = this.entityAt(path)
    return path.replace(/([^/]+)\/\{(\w+)\}/g, (_, plural: string, name: string) => {
      const value = other[name] ?? (entity === undefined ? this.home.digests[1] : this.#idOf(entity, plural))
      return `${plural}/${encodeURIComponent(String(value))}`
    })
  }

  #idOf(entity: Entity, plural: string): Value {
    const named = this.catalog.collections.get(plural) as Entity
    if (named === entity) return this.valueIn(entity, [entity.key.at(-1) as string])
    return this.valueIn(entity, [...(pathTo(entity, named)?.steps ?? []), identifierOf(named)])
  }

  /** Values of the parameters that must be given. */
  requiredQuery(operation: DocumentedOperation): [name: string, value: string][] {
    const values: Readonly<Record<string, string>> = { q: 'ensenada', from: this.home.digests[1] as string }
    // Parts can stand in place of free text, so that neither of them is required.
    const isNeeded = (name: string) => operation.path === RESOLVE_PATH && name === 'q'
    const required = queryOf(operation).filter((one) => one.required === true || isNeeded(one.name))
    return required.map(({ name }) => [name, values[name] ?? ''])
  }

  /** A request that succeeds, with more in its query. */
  target(operation: DocumentedOperation, ...more: readonly string[]): string {
    const query = [...this.requiredQuery(operation).map((pair) => pair.join('=')), ...more].join('&')
    return query === '' ? this.pathOf(operation) : `${this.pathOf(operation)}?${query}`
  }

  [Symbol.dispose](): void {
    this.home[Symbol.dispose]()
  }
}

const appOf = (home: ThreeReleases, release: () => Release, logError: (error: unknown) => void = () => {}) => {
  const directory = join(home.path, 'cache')
  mkdirSync(directory, { recursive: true })
  return createApp({ release, store: home.store, cache: testCache(directory), policy, logError })
}
