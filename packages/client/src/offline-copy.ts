// Responds to requests of API v2 out of the records of a copy.
import type { CollectionDescription, Description } from './connect.ts'
import { valueAt } from './record-path.ts'
import type { Snapshot } from './sync.ts'

type Stored = Readonly<Record<string, unknown>>

/** What a request finds; anything else is a problem. */
type Found = { readonly value: unknown; readonly headers?: Readonly<Record<string, string>> }

class Refused extends Error {
  readonly status: number
  readonly kind: string

  constructor(status: number, kind: string, detail: string) {
    super(detail)
    this.status = status
    this.kind = kind
  }
}

const badValue = (name: string, value: string, allowed: string) =>
  new Refused(400, 'bad-parameter', `${name} was ${JSON.stringify(value)}; allowed is ${allowed}.`)
function notFound(path: string): never {
  throw new Refused(404, 'record-not-found', `There is nothing at ${path} in this copy.`)
}

const EARTH_RADIUS = 6_371_000
const RADIANS = Math.PI / 180
const haversine = (degrees: number) => Math.sin((degrees * RADIANS) / 2) ** 2

function distance(record: Stored, latitude: number, longitude: number): number {
  const [north, east] = [record.latitud, record.longitud]
  if (typeof north !== 'number' || typeof east !== 'number') return Number.NaN
  const cosines = Math.cos(latitude * RADIANS) * Math.cos(north * RADIANS)
  const square = haversine(north - latitude) + cosines * haversine(east - longitude)
  return Math.round(2 * EARTH_RADIUS * Math.asin(Math.min(Math.sqrt(square), 1)))
}

const folded = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
const wordsOf = (text: string) => folded(text).match(/[\p{L}\p{N}]+/gu) ?? []

/** In the order of these keys, accents and case are ignored, and ñ comes after n, as on a server. */
const sortKey = (text: string) =>
  text
    .split(/ñ|n\u0303/i)
    .map(folded)
    .join('n\u{10ffff}')

const LIST = [
  'by',
  'page',
  'per_page',
  'after',
  'q',
  'sort',
  'fields',
  'facts',
  'embed',
  'release',
  'near',
  'within_km',
]

/** A copy that responds like a server. */
export class Copy {
  readonly #release: string
  readonly #description: Description
  readonly #records: Snapshot['collections']
  readonly #built: string

  constructor({ release, built, description, collections }: Snapshot) {
    this.#release = release
    this.#built = built
    this.#description = description
    this.#records = collections
  }

  /** What a server would respond to a GET of this address. */
  response(url: string): Response {
    const { pathname, searchParams } = new URL(url)
    const path = pathname.slice('/api/v2'.length)
    try {
      const { value, headers = {} } = this.#find(path, searchParams)
      return Response.json(value, { headers: { ...headers, 'X-Release': this.#release } })
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      const { status, kind, message: detail } = error
      return Response.json({ type: `urn:nomenclator:problem:${kind}`, status, detail, instance: pathname }, { status })
    }
  }

  #find(path: string, query: URLSearchParams): Found {
    const [first = '', id, below, own] = path.split('/').slice(1).map(decodeURIComponent)
    const named = query.get('release') ?? query.get('from') ?? this.#release
    if (!this.#release.startsWith(named))
      throw new Refused(410, 'release-gone', `Release ${named} is not in this copy.`)
    if (first === '') return { value: this.#description }
    if (first === 'search') return { value: this.#search(query) }
    if (first === 'changes') return { value: { from: this.#release, to: this.#release, changes: [] } }
    if (first === 'releases') return { value: [this.#summary()] }
    if (first === 'resolve') throw new Refused(501, 'offline', 'Rows are resolved by a server only.')
    const collection = this.#collection(first)
    if (collection === undefined) return notFound(path)
    if (id === undefined) return this.#list(collection, this.#of(first), query)
    const child = below === undefined ? undefined : this.#collection(below)
    if (below !== undefined && own === undefined) {
      if (child === undefined) return notFound(path)
      const parent = this.#named(collection, this.#of(first), id, query) ?? notFound(path)
      return this.#list(child, this.#below(child, collection, parent), query)
    }
    const among = child === undefined ? this.#of(first) : this.#owned(child, collection, id ?? '')
    const record = this.#named(child ?? collection, among, own ?? id, query) ?? notFound(path)
    return { value: selected(child ?? collection, query)(record) }
  }

  #summary() {
    const counts = Object.entries(this.#records).map(([name, records]) => [name, records.length])
    return {
      digest: this.#release,
      built: this.#built,
      current: true,
      source: 'a copy',
      synthetic: false,
      counts: Object.fromEntries(counts),
      bytes: 0,
      url: '',
    }
  }

  #of(name: string): readonly Stored[] {
    return (this.#records[name] ?? []) as readonly Stored[]
  }

  #collection(name: string): CollectionDescription | undefined {
    return this.#description.collections.find((one) => one.name === name)
  }

  /** The collection of the records that are embedded at a path: its own fields are those that stand there. */
  #embeddedAt({ fields }: CollectionDescription, path: string): CollectionDescription | undefined {
    const inside = fields.flatMap((field) =>
      field.path.startsWith(`${path}.`) ? [field.path.slice(path.length + 1)] : [],
    )
    return this.#description.collections.find(
      (one) => String(one.fields.flatMap((field) => (field.fact ? [] : [field.path]))) === String(inside),
    )
  }

  /** The shortest path from a record to its ancestor in a collection. */
  #pathTo(from: CollectionDescription, ancestor: CollectionDescription): string | undefined {
    const ways = from.fields.filter(({ path, type }) => type === 'record' && this.#embeddedAt(from, path) === ancestor)
    return ways.map(({ path }) => path).sort((a, b) => a.split('.').length - b.split('.').length)[0]
  }

  #below(child: CollectionDescription, ancestor: CollectionDescription, parent: Stored): readonly Stored[] {
    const path = this.#pathTo(child, ancestor)
    const [key = ''] = ancestor.key
    return this.#of(child.name).filter((record) => valueAt(record, `${path}.${key}`) === parent[key])
  }

  /** The records that an owner numbers: it is named by its identifier or by its code. */
  #owned(child: CollectionDescription, owner: CollectionDescription, id: string): readonly Stored[] {
    const records = this.#of(owner.name)
    const parent = byKey(owner, records, id) ?? this.#byCode(owner, records, id)
    return parent === undefined ? [] : this.#below(child, owner, parent)
  }

  #named(of: CollectionDescription, records: readonly Stored[], id: string, query: URLSearchParams) {
    return query.get('by') === 'code' ? this.#byCode(of, records, id) : byKey(of, records, id)
  }

  /** In a code, an embedded record is given by its identifier or its own code. */
  #byCode(of: CollectionDescription, records: readonly Stored[], code: string): Stored | undefined {
    const [owner] = of.keyPaths.length > 1 ? of.key : []
    const fields = of.code.filter((field) => field !== owner)
    const parts = fields.length === 1 ? [code] : code.split('-')
    return records.find((record) =>
      fields.every((field, at) => {
        const value = record[field]
        if (typeof value !== 'object') return value === parts[at]
        const { key = [], code: codes = [] } = this.#embeddedAt(of, field) ?? {}
        return [...key, ...codes].some((inner) => String((value as Stored)[inner]) === parts[at])
      }),
    )
  }

  #list(of: CollectionDescription, all: readonly Stored[], query: URLSearchParams): Found {
    const known = [...LIST, ...of.filters]
    const unknown = [...query.keys()].find((name) => !known.includes(name))
    if (unknown !== undefined)
      throw new Refused(
        400,
        'unknown-parameter',
        `${JSON.stringify(unknown)} is not known here. Allowed are ${known.join(', ')}.`,
      )
    let found = all.filter(filter(of, query))
    const words = wordsOf(query.get('q') ?? '')
    if (words.length > 0) found = found.filter((record) => matches(of, record, words))
    const [latitude, longitude] = query.get('near')?.split(',').map(Number) ?? []
    if (latitude !== undefined && longitude !== undefined) {
      const within = Number(query.get('within_km') ?? Number.POSITIVE_INFINITY) * 1_000
      found = found
        .map((record) => ({ ...record, distancia: distance(record, latitude, longitude) }))
        .filter(({ distancia }) => distancia <= within)
        .sort((a, b) => a.distancia - b.distancia)
    }
    const order = query.get('sort')?.split(',') ?? []
    if (order.length > 0) found = found.toSorted(comparison(of, order))
    const perPage = wholeNumber(query, 'per_page', 50)
    const start = query.has('after') ? Number(query.get('after')) : (wholeNumber(query, 'page', 1) - 1) * perPage
    const [page, totalPages] = [Math.floor(start / perPage) + 1, Math.ceil(found.length / perPage)]
    if (page > Math.max(totalPages, 1))
      throw new Refused(404, 'page-beyond-last', `Page ${page} was asked for; the last one is ${totalPages}.`)
    const end = start + perPage
    return {
      value: found.slice(start, end).map(selected(of, query)),
      headers: {
        'X-Page': String(page),
        'X-Per-Page': String(perPage),
        'X-Total': String(found.length),
        'X-Total-Pages': String(totalPages),
        ...(end < found.length ? { Link: `<?after=${end}>; rel="next"` } : {}),
      },
    }
  }

  #search(query: URLSearchParams): unknown[] {
    const words = wordsOf(query.get('q') ?? '')
    if (words.length === 0) throw badValue('q', '', 'one to 32 words')
    const within = query.get('within')
    const names = query.get('in')?.split(',')
    const found = this.#description.collections
      .filter(({ name }) => names?.includes(name) ?? true)
      .flatMap((of) => {
        const records = within === null ? this.#of(of.name) : this.#within(of, within)
        return records
          .filter((record) => matches(of, record, words))
          .map((record) => this.#suggestion(of, record, words))
      })
    return found.sort((a, b) => b.score - a.score).slice(0, Number(query.get('limit') ?? 10))
  }

  #within(of: CollectionDescription, within: string): readonly Stored[] {
    const [name = '', id = ''] = within.split(/:(.*)/)
    const ancestor = this.#collection(name)
    if (ancestor === undefined || this.#pathTo(of, ancestor) === undefined) return []
    return this.#owned(of, ancestor, id)
  }

  #suggestion(of: CollectionDescription, record: Stored, words: readonly string[]) {
    const ancestors = this.#ancestors(of, record)
    const name = String(record[nameOf(of)])
    const key = keyOf(of, record)
    const typed = words.join('').length
    const score = Math.round((typed / Math.max(wordsOf(name).join('').length, typed)) * 10_000) / 10_000
    return {
      collection: of.name,
      key,
      url: of.record.replace(/\{([^}]+)\}/g, (_, field: string) => String(key[field])),
      name,
      breadcrumb: ancestors.map((one) => String(one.record[nameOf(one.of)])),
      parents: ancestors.map((one) => ({ collection: one.of.name, key: keyOf(one.of, one.record) })),
      score,
      how: [score === 1 ? 'exact' : 'prefix'],
      dropped: [],
      matches: [],
    }
  }

  /** The nearest first, along the longest way up. */
  #ancestors(of: CollectionDescription, record: Stored): { of: CollectionDescription; record: Stored }[] {
    const ways = of.fields.flatMap(({ path, type }) => {
      const parent = type === 'record' && !path.includes('.') ? this.#embeddedAt(of, path) : undefined
      const embedded = record[path] as Stored
      return parent === undefined ? [] : [[{ of: parent, record: embedded }, ...this.#ancestors(parent, embedded)]]
    })
    return ways.sort((a, b) => b.length - a.length)[0] ?? []
  }
}

function filter(of: CollectionDescription, query: URLSearchParams): (record: Stored) => boolean {
  const tests = [...new Set(query.keys())]
    .filter((name) => of.filters.includes(name) && !LIST.includes(name))
    .map((name): ((record: Stored) => boolean) => {
      const values = query.getAll(name)
      const [, path = name, match] = /^(.*)_(prefix|min|max)$/.exec(name) ?? []
      const isField = of.fields.some((field) => field.path === name)
      const read = (record: Stored) => plain(valueAt(record, isField ? name : path))
      if (isField) return (record) => values.includes(String(read(record) ?? ''))
      if (match === 'prefix') return (record) => values.some((value) => String(read(record)).startsWith(value))
      const [bound] = values.map(Number) as [number]
      return (record) => {
        const value = read(record)
        return typeof value === 'number' && (match === 'min' ? value >= bound : value <= bound)
      }
    })
  return (record) => tests.every((test) => test(record))
}

function comparison(of: CollectionDescription, order: readonly string[]): (a: Stored, b: Stored) => number {
  const paths = order.map((one) => ({ path: one.replace(/^-/, ''), sign: one.startsWith('-') ? -1 : 1 }))
  for (const { path } of paths)
    if (!of.fields.some((field) => field.path === path))
      throw badValue('sort', path, of.fields.map((field) => field.path).join(', '))
  return (a, b) => {
    for (const { path, sign } of paths) {
      const [x, y] = [a, b].map((record) => orderOf(plain(valueAt(record, path)))) as [Order, Order]
      // What is not known comes last in either direction.
      if (x === null || y === null) {
        if (x !== y) return x === null ? 1 : -1
        continue
      }
      if (x !== y) return x < y ? -sign : sign
    }
    return 0
  }
}

/** An embedded record stands for its identifier, its only number. */
const plain = (value: unknown) => (typeof value === 'object' ? identifierIn(value) : value)

type Order = string | number | null
const orderOf = (value: unknown): Order => (typeof value === 'string' ? sortKey(value) : ((value ?? null) as Order))

const identifierIn = (value: unknown) =>
  value === null ? null : Object.values(value as object).find((one) => typeof one === 'number')

const keyOf = ({ key, keyPaths }: CollectionDescription, record: Stored) =>
  Object.fromEntries(key.map((field, at) => [field, valueAt(record, keyPaths[at] ?? '')]))

const byKey = ({ key }: CollectionDescription, records: readonly Stored[], id: string) =>
  records.find((record) => String(record[key.at(-1) ?? '']) === id)

/** The first text that is not a code. */
const nameOf = ({ fields, filters }: CollectionDescription): string =>
  fields.find(({ path, type, fact }) => type === 'string' && !fact && !filters.includes(`${path}_prefix`))?.path ?? ''

/** Each word begins a word of a name or code of the record. */
function matches({ fields }: CollectionDescription, record: Stored, words: readonly string[]): boolean {
  const own = fields.flatMap(({ path, type, fact }) =>
    type === 'string' && !fact && !path.includes('.') ? wordsOf(String(record[path])) : [],
  )
  return words.every((word) => own.some((one) => one.startsWith(word)))
}

function wholeNumber(query: URLSearchParams, name: string, defaultValue: number): number {
  const text = query.get(name) ?? String(defaultValue)
  const number = Number(text)
  if (!/^[1-9]\d*$/.test(text) || (name === 'per_page' && number > 1_000))
    throw badValue(name, text, name === 'per_page' ? 'a whole number from 1 to 1000' : 'a whole number from 1')
  return number
}

/** Only what the query wants of a record. */
function selected({ fields }: CollectionDescription, query: URLSearchParams): (record: Stored) => Stored {
  const paths = query.get('fields')?.split(',')
  const unknown = paths?.find((path) => !fields.some((field) => field.path === path))
  if (unknown !== undefined) throw badValue('fields', unknown, fields.map(({ path }) => path).join(', '))
  const isShort = query.get('embed') === 'id'
  const facts = fields.flatMap(({ path, fact }) => (fact && query.get('facts') !== 'true' ? [path] : []))
  const whole = (value: unknown) => (isShort && typeof value === 'object' ? identifierIn(value) : value)
  const pick = (record: Stored, prefix: string): Stored =>
    Object.fromEntries(
      Object.entries(record).flatMap(([name, value]) => {
        const path = prefix + name
        if (paths === undefined) return facts.includes(path) ? [] : [[name, whole(value)]]
        if (paths.includes(path) || path === 'distancia') return [[name, whole(value)]]
        return paths.some((one) => one.startsWith(`${path}.`)) ? [[name, pick(value as Stored, `${path}.`)]] : []
      }),
    )
  return (record) => pick(record, '')
}
