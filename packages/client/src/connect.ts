// The client of API v2: collections by name, searches, and what changed, as typed records.
import type { Collections as BuiltIn } from './built-in-types.ts'
import { interrupted, ReleaseGone } from './errors.ts'
import { valueAt } from './record-path.ts'
import type {
  CatalogShape,
  CodeOf,
  CollectionShape,
  Embed,
  FieldPath,
  Filters,
  IdOf,
  OnlyKey,
  Selected,
} from './shape.ts'
import { apiAt, jsonOf, type Options, type Reply, Transport } from './transport.ts'

export type ConnectOptions = Options & {
  /** The digest of a release to read instead of the current one. */
  readonly release?: string
}

type Abortable = { readonly signal?: AbortSignal }

type Selection<F extends string, X extends boolean, E extends Embed> = Abortable & {
  /** Only the values at these paths. */
  readonly fields?: readonly F[]
  /** Whether the facts are given too. */
  readonly facts?: X
  /** `id` for embedded records by their identifiers. */
  readonly embed?: E
  /** Only the names in this language, where they are in several; `all` for all of them. */
  readonly lang?: string
  readonly release?: string
}

type Order<S extends CollectionShape> = FieldPath<S> | `-${FieldPath<S>}`

type ListQuery<S extends CollectionShape, F extends string, X extends boolean, E extends Embed> = Filters<S> &
  Selection<F, X, E> & {
    /** Words to search for. */
    readonly q?: string
    /** Paths to sort by, with a minus for descending. */
    readonly sort?: Order<S> | readonly Order<S>[]
    readonly perPage?: number
  } & InTree<S>

/** Where records are in their tree. */
type InTree<S extends CollectionShape> = S extends { readonly tree: true }
  ? {
      /** Only records below the one with this key, at any depth. */
      readonly within?: string | number
      /** Only records that are below no other. */
      readonly root?: boolean
    }
  : unknown

/** Records, with what is known of the list that they are from. */
export type Page<T> = readonly T[] & {
  readonly page: number
  readonly perPage: number
  readonly total: number
  readonly totalPages: number
  /** The digest of the release that they are from. */
  readonly release: string
}

/** All records of a query, fetched while they are read, all from one release. */
export type Walk<T> = AsyncIterable<T> & {
  /** The same in pages, each with the total and the release. */
  pages(): AsyncIterable<Page<T>>
  toArray(): Promise<readonly T[] & { readonly total: number; readonly release: string }>
}

export type Point = { readonly latitud: number | null; readonly longitud: number | null }
type Distance = { readonly distancia: number }

type NearList<S extends CollectionShape> = {
  /** The nearest to a point first, each with its distance in metres; with `sort`, the nearest in that order. */
  near<F extends FieldPath<S> = never, X extends boolean = false, E extends Embed = 'full'>(
    point: Point,
    query?: ListQuery<S, F, X, E> & { readonly withinKm?: number },
  ): Walk<Selected<S, F, X, E> & Distance>
}

/** A collection, or the descendants of a record in one. */
export type List<S extends CollectionShape> = {
  all<F extends FieldPath<S> = never, X extends boolean = false, E extends Embed = 'full'>(
    query?: ListQuery<S, F, X, E>,
  ): Walk<Selected<S, F, X, E>>
  page<F extends FieldPath<S> = never, X extends boolean = false, E extends Embed = 'full'>(
    query?: ListQuery<S, F, X, E> & { readonly page?: number },
  ): Promise<Page<Selected<S, F, X, E>>>
  /** The address of a file with all records: for a link on a page, or to be saved as it is. */
  downloadUrl<F extends FieldPath<S> = never, X extends boolean = false, E extends Embed = 'full'>(
    format: DownloadFormat,
    query?: Omit<ListQuery<S, F, X, E>, 'perPage' | 'signal'> & {
      /** Whether CSV begins with a byte-order mark, by which Excel knows that it is UTF-8. */
      readonly excel?: boolean
    },
  ): Promise<string>
} & (S['facts'] extends Point ? NearList<S> : unknown)

export type DownloadFormat = 'xlsx' | 'csv' | 'json' | 'ndjson'

export type Collection<C extends CatalogShape, N extends keyof C> = List<C[N]> & {
  /** The record with an identifier, or with the key in an object: a suggestion's `key`, or a record. */
  get<F extends FieldPath<C[N]> = never, X extends boolean = false, E extends Embed = 'full'>(
    id: IdOf<C[N]>,
    selection?: Selection<F, X, E>,
  ): Promise<Selected<C[N], F, X, E>>
  /** The record with an official code. */
  byCode<F extends FieldPath<C[N]> = never, X extends boolean = false, E extends Embed = 'full'>(
    code: CodeOf<C[N]>,
    selection?: Selection<F, X, E>,
  ): Promise<Selected<C[N], F, X, E>>
  /** The collections of the descendants of a record. */
  children(of: IdOf<C[N]> | { readonly code: string }): { readonly [M in C[N]['below'] & keyof C]: List<C[M]> }
} & (C[N] extends { readonly tree: true } ? TreeCollection<C[N]> : unknown) &
  AnyCollection<C, C[N]['record']> &
  ([C[N]['owner']] extends [never] ? AnyKeyed<C[N]['record'], OnlyKey<C[N]['key']>> : unknown)

type TreeCollection<S extends CollectionShape> = {
  /** The records around one in their tree: right below it, at any depth below it, and above it, the nearest first. */
  tree(of: IdOf<S> | { readonly code: string }): {
    readonly [A in 'children' | 'descendants' | 'ancestors']: List<S>
  }
}

type FilterNames<C extends CatalogShape> = { [N in keyof C]: keyof Filters<C[N]> }[keyof C] & string
type PlainSelection = Abortable & { readonly release?: string } & {
  readonly [N in 'fields' | 'facts' | 'embed']?: never
}
/** A query that all collections take, and no other. */
type PlainQuery<C extends CatalogShape> = PlainSelection & {
  readonly q?: string
  readonly perPage?: number
} & { readonly [N in FilterNames<C> | 'sort']?: never }

/** The calls that are the same for all collections, by which one of several can be read whose name the compiler does not know. */
type AnyCollection<C extends CatalogShape, R> = {
  all(query?: PlainQuery<C>): Walk<R>
  page(query?: PlainQuery<C> & { readonly page?: number }): Promise<Page<R>>
}
/** The same where records have an identifier of their own. */
type AnyKeyed<R, K> = {
  get(id: K, selection?: PlainSelection): Promise<R>
  byCode(code: string, selection?: PlainSelection): Promise<R>
}

export type RecordRef<C extends CatalogShape> = {
  [N in keyof C]: { readonly collection: N; readonly key: C[N]['key'] }
}[keyof C]

/** A record that another is in, with its official code where it has one. */
type Ancestor<C extends CatalogShape> = RecordRef<C> & { readonly code: string | null }

type Named = {
  /** Its official code, null where it has none. */
  readonly code: string | null
  readonly url: string
  readonly name: string
  /** The names of its ancestors, the nearest first. */
  readonly breadcrumb: readonly string[]
  /** How good the match is, from 0 to 1. */
  readonly score: number
  readonly how: readonly string[]
}

export type Suggestion<C extends CatalogShape> = RecordRef<C> &
  Named & {
    readonly parents: readonly Ancestor<C>[]
    readonly dropped: readonly string[]
    readonly matches: readonly {
      readonly field: string
      readonly ranges: readonly (readonly [number, number])[]
      readonly alias?: string
      readonly reason?: string
      readonly collection?: string
    }[]
    readonly distancia?: number
  }

export type SearchQuery<C extends CatalogShape> = Abortable & {
  readonly in?: (keyof C & string) | readonly (keyof C & string)[]
  /** Only descendants of this record, such as `estados:JAL`. */
  readonly within?: `${keyof C & string}:${string}`
  readonly by?: 'id' | 'code'
  readonly limit?: number
  readonly near?: Point
  readonly withinKm?: number
  /** The language that names are shown in. */
  readonly lang?: string
  readonly release?: string
}

/** Free text, or parts such as `estado` and `municipio`. */
export type Row = string | Readonly<Record<string, string | number | null>>

type Candidate<C extends CatalogShape> = RecordRef<C> & Named & { readonly parents: readonly Ancestor<C>[] }
type Unresolved = { readonly [N in keyof RecordRef<CatalogShape> | 'url' | 'name']: null } & Omit<
  Named,
  'url' | 'name'
> & { readonly parents: readonly [] }

export type Resolved<C extends CatalogShape> = {
  /** The number of the row, from 1. */
  readonly row: number
  readonly alternatives: readonly Candidate<C>[]
} & (
  | ({ readonly verdict: 'exact' | 'sure' | 'likely' } & Candidate<C>)
  | ({ readonly verdict: 'ambiguous' | 'none' } & (Candidate<C> | Unresolved))
)

type ChangeOf<C extends CatalogShape, N extends keyof C, E extends Embed> = RecordIn<C, N> &
  (
    | { readonly change: 'added'; readonly new: ChangedRecord<C[N], E> }
    | { readonly change: 'removed'; readonly old: ChangedRecord<C[N], E> }
    | {
        readonly change: 'changed'
        /** The paths of the values that differ. */
        readonly fields: readonly FieldPath<C[N]>[]
        readonly old: ChangedRecord<C[N], E>
        readonly new: ChangedRecord<C[N], E>
      }
  )
type RecordIn<C extends CatalogShape, N extends keyof C> = { readonly collection: N; readonly key: C[N]['key'] }
/** Facts are there where either release knows any. */
type ChangedRecord<S extends CollectionShape, E extends Embed> = Selected<S, never, false, E> & Partial<S['facts']>

export type Change<C extends CatalogShape, E extends Embed = 'full'> = {
  [N in keyof C]: ChangeOf<C, N, E>
}[keyof C]

export type Changes<C extends CatalogShape, E extends Embed = 'full'> = readonly Change<C, E>[] & {
  readonly from: string
  readonly to: string
}

export type ReleaseSummary = {
  readonly digest: string
  readonly built: string
  readonly current: boolean
  readonly source: string
  readonly synthetic: boolean
  readonly counts: Readonly<Record<string, number>>
  readonly bytes: number
  readonly url: string
}

export type Catalogs<C extends CatalogShape = BuiltIn> = { readonly [N in keyof C]: Collection<C, N> } & {
  /** Suggestions from all collections, the best first. */
  search(words: string, query?: SearchQuery<C>): Promise<readonly Suggestion<C>[] & { readonly release: string }>
  /** Which records the rows of a table mean, and how sure that is. */
  resolve(
    rows: readonly Row[],
    query?: Abortable & { readonly in?: readonly (keyof C & string)[]; readonly release?: string },
  ): Promise<readonly Resolved<C>[] & { readonly release: string }>
  /** What changed since a release, by its digest. */
  changes<E extends Embed = 'full'>(
    since: string,
    query?: Abortable & { readonly to?: string; readonly in?: readonly (keyof C & string)[]; readonly embed?: E },
  ): Promise<Changes<C, E>>
  /** The releases that can be read, newest first. */
  releases(query?: Abortable): Promise<readonly ReleaseSummary[]>
}

// What the server tells of itself, as far as it is read here.

type FieldDescription = {
  readonly path: string
  readonly type: string
  readonly fact?: true
  /** The names of fields, where they are not those in the path. */
  readonly steps?: readonly string[]
  readonly role?: string
}

export type CollectionDescription = {
  readonly name: string
  readonly record: string
  readonly children: readonly string[]
  readonly key: readonly string[]
  readonly keyPaths: readonly string[]
  readonly code: readonly string[]
  /** The official codes of a record, the usual one first. */
  readonly codes: readonly { readonly name: string }[]
  readonly fields: readonly FieldDescription[]
  /** The codes that are no fields: they stand at the end of a record, and embedded records do not have them. */
  readonly derived: readonly FieldDescription[]
  readonly filters: readonly string[]
  /** The lists around a record, where they make up a tree. */
  readonly tree?: Readonly<Record<string, string>>
}

export type Description = {
  readonly release: { readonly digest: string; readonly built: string }
  readonly collections: readonly CollectionDescription[]
}

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
    return `${this.#base}${path}${query && `?${query}`}`
  }

  send(path: string, parameters: Parameters = {}, more: { body?: unknown; keep?: boolean } = {}): Promise<Reply> {
    const { signal, ...rest } = parameters
    return this.#transport.send(this.urlOf(path, rest), {
      ...more,
      signal: signal as AbortSignal | undefined,
    })
  }

  async json<T>(path: string, parameters?: Parameters, body?: unknown): Promise<T & { readonly release: string }> {
    const reply = await this.send(path, parameters, { body })
    const value = jsonOf<T & { release: string }>(reply)
    // Of what is not a list, the members are those of the server.
    return Array.isArray(value) ? withMembers(value, { release: reply.headers['x-release'] as string }) : value
  }

  /** The same for all releases, but for catalogs that change their definitions. */
  describe(): Promise<Description> {
    this.#description ??= this.json<Description>('')
    // The next one tries again.
    this.#description.catch(() => {
      this.#description = undefined
    })
    return this.#description
  }

  async collection(name: string): Promise<CollectionDescription> {
    const { collections } = await this.describe()
    const description = collections.find((collection) => collection.name === name)
    if (description === undefined) throw new TypeError(`there is no collection ${name}`)
    return description
  }
}

const NAMES: Readonly<Record<string, string>> = { perPage: 'per_page', withinKm: 'within_km' }
/** Their values stand in one parameter, with commas between them; those of others in one each. */
const JOINED = ['fields', 'sort', 'in']

function queryOf(parameters: Parameters): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) => {
    if (value === undefined) return []
    const values = Array.isArray(value) && !JOINED.includes(name) ? value : [value]
    // No value would be no filter, and give everything.
    if (values.length === 0) throw new TypeError(`${name} has no values`)
    return values.map((single): [string, string] => [NAMES[name] ?? name, String(single)])
  })
  return String(new URLSearchParams(pairs))
}

/** A list with members besides, which are not in the way where lists are compared. */
function withMembers<L extends readonly unknown[], M extends object>(list: L, members: M): L & M {
  for (const [name, value] of Object.entries(members)) Object.defineProperty(list, name, { value })
  return list as L & M
}

const segment = (text: unknown) => `/${encodeURIComponent(String(text))}`
const DECIMALS = 6
function pointOf({ latitud, longitud }: Point): string {
  if (latitud === null || longitud === null) throw new TypeError('where the point is, is not known')
  return [latitud, longitud].map((degrees) => degrees.toFixed(DECIMALS)).join()
}

/** A list in a response, with what its headers tell. */
export function listIn(reply: Reply) {
  const { headers } = reply
  const number = (name: string) => Number(headers[`x-${name}`])
  return withMembers(jsonOf<unknown[]>(reply), {
    page: number('page'),
    perPage: number('per-page'),
    total: number('total'),
    totalPages: number('total-pages'),
    release: headers['x-release'] as string,
  })
}

const NEXT = /[?&]after=([^&>]+)>; rel="next"/
const MAX_PER_PAGE = 1_000
const NEAR_PER_PAGE = 50

/** A cursor names its release. The address is our own: the server may not know its public one. */
async function* pagesOf(service: Service, path: string, parameters: Parameters): AsyncGenerator<Page<unknown>> {
  let from: string | undefined
  let cursor: string | undefined
  do {
    const position = cursor === undefined ? {} : { page: undefined, release: undefined, after: cursor }
    const reply = await service.send(path, { ...parameters, ...position }).catch((error: unknown) => {
      throw error instanceof ReleaseGone && from !== undefined ? gone(error.url, from) : error
    })
    const page = listIn(reply)
    from ??= page.release
    if (page.release !== from) throw gone(reply.url, from)
    yield page
    ;[, cursor] = NEXT.exec(reply.headers.link ?? '') ?? []
  } while (cursor !== undefined)
}

const gone = (url: string, release: string) => interrupted(url, `release ${release}, in which this walk began, is gone`)

/** `walks` is how often all records are read anew where the release is gone before they are read. */
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

/** The last segment of the path of a record; the word that means all records is no key unless it is encoded. */
const keySegment = (text: unknown) => segment(text).replace(/^\/all$/, '/%61ll')

/** The values of a key that an object has: those of an embedded record that it has in full are at these paths. */
const keyIn = (collection: CollectionDescription, id: Readonly<Record<string, unknown>>): unknown[] =>
  collection.key.flatMap((field) => {
    const value = id[field]
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value ?? [undefined]
    const inside = collection.keyPaths.filter((path) => path.startsWith(`${field}.`))
    return inside.map((path) => valueAt(collection, id, path))
  })

function collectionOf(service: Service, name: string) {
  /** An object has the key of the record, by the names of its fields. */
  const pathOf = async (id: RecordName): Promise<string> => {
    if (typeof id !== 'object') return segment(name) + keySegment(id)
    const collection = await service.collection(name)
    const { record, key } = collection
    const values = keyIn(collection, id)
    if (values.includes(undefined)) throw new TypeError(`the key of a record of ${name} has ${key.join(' and ')}`)
    const path = record.slice(record.indexOf('/api/v2/') + '/api/v2'.length)
    return path.replace(/\{[^}]+\}/g, () => encodeURIComponent(String(values.shift()))).replace(/\/all$/, '/%61ll')
  }
  const around = (of: RecordName | { readonly code: string }) => {
    const isCode = typeof of === 'object' && Object.keys(of).join() === 'code'
    const parent = () => (isCode ? segment(name) + keySegment(of.code) : pathOf(of as RecordName))
    return byName((list) => listOf(service, async () => (await parent()) + segment(list), isCode ? { by: 'code' } : {}))
  }
  return {
    ...listOf(service, () => segment(name)),
    get: async (id: RecordName, selection?: Parameters) => service.json(await pathOf(id), selection),
    byCode: async (code: string | readonly [string, string], selection?: Parameters) => {
      const [ownCode, ownerCode] = typeof code === 'string' ? [code] : [code[1], code[0]]
      const template = ownerCode === undefined ? [] : (await service.collection(name)).record.split('/').slice(-4)
      const parent = ownerCode === undefined ? '' : segment(template[0]) + segment(ownerCode)
      return service.json(parent + segment(name) + segment(ownCode), { ...selection, by: 'code' })
    },
    children: around,
    tree: around,
  }
}

/** An object that has something under every name, made when it is read. */
export function byName<T>(make: (name: string) => T, fixed: Readonly<Record<string, unknown>> = {}): object {
  const made = new Map<string, T>()
  return new Proxy(fixed, {
    get: (_, name) => {
      // Whatever has a `then` is taken for a promise.
      if (typeof name === 'symbol' || name === 'then') return undefined
      if (Object.hasOwn(fixed, name)) return fixed[name]
      const value = made.get(name) ?? make(name)
      made.set(name, value)
      return value
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
      service.json('/search', { q, ...query, near: near && pointOf(near) }),
    resolve: async (rows: readonly Row[], query: Parameters = {}) => {
      const resolved: { row: number }[] = []
      let pinned = query
      for (let start = 0; start < rows.length; start += MAX_ROWS) {
        const batch = rows.slice(start, start + MAX_ROWS)
        const part = await service.json<{ row: number }[]>('/resolve', pinned, batch)
        for (const result of part) resolved.push({ ...result, row: start + result.row })
        pinned = { ...query, release: part.release }
      }
      return withMembers(resolved, { release: pinned.release })
    },
    changes: async (from: string, query?: Parameters) => {
      const { changes, ...rest } = await service.json<{ changes: unknown[] }>('/changes', {
        from,
        ...query,
        release: undefined,
      })
      return withMembers(changes, rest)
    },
    releases: (query?: Parameters) => service.json('/releases', { ...query, release: undefined }),
  })
  services.set(catalogs, service)
  return catalogs as Catalogs<C>
}
