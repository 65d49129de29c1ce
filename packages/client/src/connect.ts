// The client of API v2: collections by name, searches, and what changed, as typed records.
import type { Collections as BuiltIn } from './built-in-types.ts'
import type { Catalogs, ConnectOptions, Page, Point, Row, Walk } from './catalogs.ts'
import { type CollectionDescription, DESCRIPTION, type Description } from './description.ts'
import type { DownloadFormat } from './download-format.ts'
import { NomenclatorError, ReleaseGone } from './errors.ts'
import { type FormOf, jsonOf } from './json.ts'
import { valueAt } from './record-path.ts'
import type { CatalogShape } from './shape.ts'
import { apiAt, type Call, type Reply, Transport } from './transport.ts'

type Parameters = Readonly<Record<string, unknown>>

/** One server: its address, and requests to it. */
export class Service {
  readonly #base: string
  readonly #transport: Transport
  readonly #release: string | undefined
  #description: Promise<Description> | undefined

  constructor(url: string, { release, ...options }: ConnectOptions) {
    this.#base = apiAt(url, 'v2')
    this.#transport = new Transport(options)
    this.#release = release
  }

  urlOf(path: string, parameters: Parameters): string {
    const query = queryOf({ release: this.#release, ...parameters })
    // They would lead to another path.
    if (/\/\.{0,2}(\/|$)/.test(path)) throw new TypeError(`${path}: a name or key cannot be empty, . or .. in a path`)
    return `${this.#base}${path}${query && `?${query}`}`
  }

  send(path: string, { signal, ...parameters }: Call & Parameters = {}, more: Call = {}): Promise<Reply> {
    return this.#transport.send(this.urlOf(path, parameters), { signal, ...more })
  }

  async json<const F>(path: string, form: F, parameters?: Parameters, body?: unknown) {
    const reply = await this.send(path, parameters, { body })
    const value = jsonOf(reply, form) as FormOf<F> & { readonly release: string }
    // An object has the members that the server gave it.
    return Array.isArray(value) ? withMembers(value, { release: reply.headers['x-release'] as string }) : value
  }

  /** The description is the same for all releases, but for catalogs that change their definitions. */
  async collection(name: string): Promise<CollectionDescription> {
    this.#description ??= this.json('', DESCRIPTION).catch((error: unknown) => {
      // The next call tries again.
      this.#description = undefined
      throw error
    })
    const { collections } = await this.#description
    const description = collections.find((collection) => collection.name === name)
    if (description === undefined) throw new TypeError(`there is no collection ${name}`)
    return description
  }
}

const NAMES = new Map(Object.entries({ perPage: 'per_page', withinKm: 'within_km' }))
/** Parameters that have all their values at once, with commas between them; others are repeated for each value. */
const JOINED = ['fields', 'sort', 'in']

function queryOf(parameters: Parameters): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) => {
    if (value === undefined) return []
    const values = Array.isArray(value) && !JOINED.includes(name) ? value : [value]
    // No value would be no filter, and give everything.
    if (values.length === 0) throw new TypeError(`${name} has no values`)
    return values.map((single): [string, string] => [NAMES.get(name) ?? name, String(single)])
  })
  return String(new URLSearchParams(pairs))
}

/** A list with members besides, which do not count when lists are compared. */
function withMembers<L extends readonly unknown[], M extends object>(list: L, members: M): L & M {
  for (const [name, value] of Object.entries(members)) Object.defineProperty(list, name, { value })
  return list as L & M
}

const segment = (text: unknown) => `/${encodeURIComponent(String(text))}`
function pointOf({ latitud, longitud }: Point): string {
  if (latitud === null || longitud === null) throw new TypeError('the point has no coordinates')
  return [latitud, longitud].map((degrees) => degrees.toFixed(6)).join()
}

/** A list in a response, with the page, totals and release from the headers. */
export function listIn(reply: Reply) {
  const number = (name: string) => Number(reply.headers[`x-${name}`])
  return withMembers(jsonOf(reply, ['object']), {
    page: number('page'),
    perPage: number('per-page'),
    total: number('total'),
    totalPages: number('total-pages'),
    release: reply.headers['x-release'] as string,
  })
}

const NEXT = /[?&]after=([^&>]+)>; rel="next"/
const MAX_PER_PAGE = 1_000
const NEAR_PER_PAGE = 50

/** No list has more records. */
const MAX_TOTAL = 1e8

/** The number of records that are left for a next page: a server may lead on without end. */
export function leftAfter(page: Page<unknown>, left: number | undefined, { url }: Reply): number {
  const rest = (left ?? page.total) - page.length
  if (page.length > 0 && rest > 0 && rest < MAX_TOTAL) return rest
  throw new NomenclatorError(`GET ${url}: the next page leads back, or the total of the list cannot be right`)
}

/** Pages by their cursors, which name the release. The address is the client's: a server may not know its public one. */
async function* pagesOf(service: Service, path: string, parameters: Parameters): AsyncGenerator<Page<unknown>> {
  let from: string | undefined
  let cursor: string | undefined
  let left: number | undefined
  const visited = new Set<string | undefined>()
  do {
    const position = cursor === undefined ? {} : { page: undefined, release: undefined, after: cursor }
    const reply = await service.send(path, { ...parameters, ...position }).catch((error: unknown) => {
      throw error instanceof ReleaseGone && from !== undefined ? releaseGone(error.url, from) : error
    })
    const page = listIn(reply)
    from ??= page.release
    if (page.release !== from) throw releaseGone(reply.url, from)
    yield page
    visited.add(cursor)
    ;[, cursor] = NEXT.exec(reply.headers.link ?? '') ?? []
    if (cursor !== undefined) left = leftAfter(page, visited.has(cursor) ? 0 : left, reply)
  } while (cursor !== undefined)
}

/** A walk cannot go on in the release in which it began. */
export const interrupted = (url: string, reason: string): ReleaseGone =>
  new ReleaseGone({ method: 'GET', url }, { status: 410, type: 'release-gone' }, undefined, `${reason}; begin again`)

const releaseGone = (url: string, release: string) =>
  interrupted(url, `release ${release}, in which this walk began, is gone`)

/** `walks` limits how often `toArray` begins: it begins again if the release is gone before all records are read. */
export function walkOf(pages: () => AsyncGenerator<Page<unknown>>, walks = 1): Walk<unknown> {
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* page
    },
    async toArray() {
      const all: unknown[] = []
      let [total, release] = [0, '']
      try {
        for await (const page of pages()) {
          for (const record of page) all.push(record)
          ;({ total, release } = page)
        }
      } catch (error) {
        if (walks > 1 && error instanceof ReleaseGone) return walkOf(pages, walks - 1).toArray()
        throw error
      }
      return withMembers(all, { total, release })
    },
  }
}

function listOf(service: Service, path: () => string | Promise<string>, fixed: Parameters = {}) {
  const walk = (parameters: Parameters) =>
    walkOf(async function* () {
      yield* pagesOf(service, await path(), { ...fixed, ...parameters })
    })
  return {
    all: (query: Parameters = {}) => walk({ perPage: MAX_PER_PAGE, ...query }),
    near: (point: Point, query: Parameters = {}) => walk({ perPage: NEAR_PER_PAGE, near: pointOf(point), ...query }),
    page: async (query: Parameters = {}) => listIn(await service.send(await path(), { ...fixed, ...query })),
    downloadUrl: async (format: DownloadFormat, query: Parameters = {}) =>
      service.urlOf(`${await path()}/all`, { ...fixed, ...query, format }),
  }
}

type Scalar = string | number
type RecordName = Scalar | Readonly<Record<string, unknown>>

/** A path that ends in a key: unless it is encoded, `all` means all records. */
const keyPath = (path: string) => path.replace(/\/all$/, '/%61ll')

function collectionOf(service: Service, name: string) {
  /** The path of the record with an identifier, or with the key in an object. */
  const pathOf = async (id: RecordName): Promise<string> => {
    if (typeof id !== 'object') return segment(name) + keyPath(segment(id))
    const collection = await service.collection(name)
    const { record, key, keyPaths } = collection
    const values = key.flatMap((field): unknown[] => {
      const value = id[field]
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return [value ?? undefined].flat()
      // The record at this field is embedded as a whole.
      return keyPaths.filter((path) => path.startsWith(`${field}.`)).map((path) => valueAt(collection, id, path))
    })
    if (values.includes(undefined)) throw new TypeError(`the key of a record of ${name} has ${key.join(' and ')}`)
    const path = record.slice(record.indexOf('/api/v2/') + '/api/v2'.length)
    return keyPath(path.replace(/\{[^}]+\}/g, () => encodeURIComponent(String(values.shift()))))
  }
  const around = (of: RecordName | { readonly code: string }) => {
    const isCode = typeof of === 'object' && Object.keys(of).join() === 'code'
    const parent = () => (isCode ? segment(name) + keyPath(segment(of.code)) : pathOf(of as RecordName))
    return byName((list) => listOf(service, async () => (await parent()) + segment(list), isCode ? { by: 'code' } : {}))
  }
  return {
    ...listOf(service, () => segment(name)),
    get: async (id: RecordName, selection?: Parameters) => service.json(await pathOf(id), 'object', selection),
    byCode: async (code: string | readonly [string, string], selection?: Parameters) => {
      const own = (text: string) => segment(name) + segment(text)
      const by = { ...selection, by: 'code' }
      if (typeof code === 'string') return service.json(own(code), 'object', by)
      const [owner] = (await service.collection(name)).record.split('/').slice(-4)
      return service.json(segment(owner) + segment(code[0]) + own(code[1]), 'object', by)
    },
    children: around,
    tree: around,
  }
}

/** An object with a member of every name, which is made when it is first read. */
export function byName(make: (name: string) => unknown, members: Record<string, unknown> = {}): object {
  return new Proxy(members, {
    get: (_, name) => {
      // An object that has a `then` is taken for a promise.
      if (typeof name === 'symbol' || name === 'then') return undefined
      if (!Object.hasOwn(members, name)) members[name] = make(name)
      return members[name]
    },
  })
}

const services = new WeakMap<object, Service>()

/** The service behind the catalogs that `connect` returned. */
export function serviceOf(catalogs: object): Service {
  const service = services.get(catalogs)
  if (service === undefined) throw new TypeError('these are not the catalogs that connect returned')
  return service
}

const MAX_ROWS = 10_000

/** The catalogs of a server of API v2. */
export function connect<C extends CatalogShape = BuiltIn>(url: string, options: ConnectOptions = {}): Catalogs<C> {
  const service = new Service(url, options)
  const catalogs = byName((name) => collectionOf(service, name), {
    search: (q: string, { near, ...query }: Parameters & { near?: Point } = {}) =>
      service.json('/search', ['object'], { q, ...query, near: near && pointOf(near) }),
    resolve: async (rows: readonly Row[], query: Parameters = {}) => {
      const resolved: { row: number }[] = []
      let pinned = query
      for (let start = 0; start < rows.length; start += MAX_ROWS) {
        const batch = rows.slice(start, start + MAX_ROWS)
        const part = await service.json('/resolve', [{ row: 'number' }], pinned, batch)
        for (const result of part) resolved.push({ ...result, row: start + result.row })
        pinned = { ...query, release: part.release }
      }
      return withMembers(resolved, { release: pinned.release })
    },
    changes: async (from: string, query?: Parameters) => {
      const parameters = { from, ...query, release: undefined }
      const found = await service.json('/changes', { from: 'string', to: 'string', changes: ['object'] }, parameters)
      return withMembers(found.changes, { from: found.from, to: found.to })
    },
    releases: (query?: Parameters) => service.json('/releases', ['object'], { ...query, release: undefined }),
  })
  services.set(catalogs, service)
  return catalogs as Catalogs<C>
}
