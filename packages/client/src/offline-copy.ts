// Responds to requests of API v2 out of the records of a copy: lists with filters by equal values, and records by key or code.
import type { CollectionDescription, Description } from './connect.ts'
import { valueAt } from './record-path.ts'
import type { Snapshot, Store } from './store.ts'

type Stored = Readonly<Record<string, unknown>>

/** The content of a successful response; anything else is thrown as a refusal. */
type Content = { readonly value: unknown; readonly headers?: Readonly<Record<string, string>> }

class Refusal extends Error {
  readonly status: number
  readonly kind: string

  constructor(status: number, kind: string, detail: string) {
    super(detail)
    this.status = status
    this.kind = kind
  }
}

const badValue = (name: string, value: string, allowed: string) =>
  new Refusal(400, 'bad-parameter', `${name} was ${JSON.stringify(value)}; allowed is ${allowed}.`)
const needsServer = (what: string) =>
  new Refusal(
    501,
    'offline',
    `${what} needs a server. A copy has pages and walks, filters by equal values, children, and records by key or code.`,
  )
function notFound(path: string): never {
  throw new Refusal(404, 'record-not-found', `There is nothing at ${path} in this copy.`)
}

/** The parameters of a list that are no filters. */
const LIST_PARAMETERS = ['by', 'page', 'per_page', 'after', 'fields', 'facts', 'embed', 'release', 'within', 'root']
const SERVER_PATHS = ['search', 'resolve']
const SERVER_PARAMETERS = ['q', 'sort', 'near', 'within_km', 'lang']
const MAX_PER_PAGE = 1_000

/** What a store has, which must be something. */
export async function snapshotOf(store: Store): Promise<Snapshot> {
  const head = await store.head()
  if (head === undefined) throw new TypeError('the store has no copy yet; sync makes one')
  const collections: Record<string, readonly object[]> = {}
  for (const [name, digest] of Object.entries(head.digests)) collections[name] = (await store.get(digest)) ?? []
  return { ...head, collections }
}

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

  /** The response of a server to a request for this address. */
  response(url: string): Response {
    const { pathname, searchParams } = new URL(url)
    const path = pathname.slice('/api/v2'.length)
    try {
      const { value, headers = {} } = this.#content(path, searchParams)
      return Response.json(value, { headers: { ...headers, 'X-Release': this.#release } })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const { status, kind, message: detail } = error
      return Response.json({ type: `urn:nomenclator:problem:${kind}`, status, detail, instance: pathname }, { status })
    }
  }

  #content(path: string, query: URLSearchParams): Content {
    const [first = '', id, childName, childId] = path.split('/').slice(1)
    const release = query.get('release') ?? query.get('from') ?? this.#release
    if (!this.#release.startsWith(release))
      throw new Refusal(410, 'release-gone', `Release ${release} is not in this copy.`)
    if (first === '') return { value: this.#description }
    if (first === 'changes') return { value: { from: this.#release, to: this.#release, changes: [] } }
    if (first === 'releases') return { value: [this.#summary()] }
    if (SERVER_PATHS.includes(first)) throw needsServer(first)
    const collection = this.#collection(first) ?? notFound(path)
    if (id === undefined) return this.#list(collection, this.#inTree(collection, query), query)
    const by = query.get('by')
    const isCode = by === 'code' || (by !== 'id' && !mayIdentify(collection, id))
    const own = () => this.#named(collection, this.#recordsOf(collection), id, isCode) ?? notFound(path)
    if (childName === undefined) return { value: this.#selection(collection, query)(own()) }
    if (collection.tree !== undefined && childName in collection.tree)
      return this.#list(collection, this.#around(collection, own(), childName), query)
    const child = this.#collection(childName) ?? notFound(path)
    const parents = this.#recordsOf(collection)
    // The owner in the path of a record is named by its identifier or its code, whatever names the record.
    const parent =
      childId === undefined
        ? this.#named(collection, parents, id, isCode)
        : (this.#named(collection, parents, id, false) ?? this.#named(collection, parents, id, true))
    const children = this.#below(child, collection, parent ?? notFound(path))
    if (childId === undefined) return this.#list(child, children, query)
    return { value: this.#selection(child, query)(this.#named(child, children, childId, isCode) ?? notFound(path)) }
  }

  // Trees: a record has the key of the one above it.

  #around(collection: CollectionDescription, record: Stored, axis: string): readonly Stored[] {
    if (axis === 'ancestors') return this.#ancestors(collection, record)
    return this.#recordsOf(collection).filter((other) => {
      const above = this.#ancestors(collection, other)
      return axis === 'children' ? above[0] === record : above.includes(record)
    })
  }

  /** The nearest first; each once, whatever cycles there are. */
  #ancestors(collection: CollectionDescription, record: Stored): readonly Stored[] {
    const broader = collection.fields.find(({ role }) => role === 'broader')
    const seen = new Set([record])
    for (let at: Stored | undefined = record; at !== undefined && broader !== undefined; ) {
      const parentKey = valueAt(at, broader.path, broader.steps)
      at = parentKey === null ? undefined : this.#byKey(collection).get(String(parentKey))
      if (at === undefined || seen.has(at)) break
      seen.add(at)
    }
    return [...seen].slice(1)
  }

  readonly #keys = new Map<CollectionDescription, ReadonlyMap<string, Stored>>()

  #byKey(collection: CollectionDescription): ReadonlyMap<string, Stored> {
    let records = this.#keys.get(collection)
    if (records === undefined) {
      records = new Map(this.#recordsOf(collection).map((record) => [keyOf(collection, record).join(), record]))
      this.#keys.set(collection, records)
    }
    return records
  }

  /** The records of a list that are where it is asked for in their tree. */
  #inTree(collection: CollectionDescription, query: URLSearchParams): readonly Stored[] {
    const records = this.#recordsOf(collection)
    const within = query.get('within')
    const top = within === null ? undefined : this.#byKey(collection).get(within)
    if (within !== null && top === undefined) throw badValue('within', within, 'the key of a record that is there')
    const isRoot = query.get('root') === 'true'
    if (top === undefined && !isRoot) return records
    return records.filter((record) => {
      const above = this.#ancestors(collection, record)
      return (top === undefined || above.includes(top)) && (!isRoot || above.length === 0)
    })
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

  #collection(name: string): CollectionDescription | undefined {
    return this.#description.collections.find((collection) => collection.name === name)
  }

  #recordsOf({ name }: CollectionDescription): readonly Stored[] {
    return (this.#records[name] ?? []) as readonly Stored[]
  }

  /** The collection of the records that are embedded at a path: its own fields are those that stand there. */
  #embeddedAt({ fields }: CollectionDescription, path: string): CollectionDescription | undefined {
    const inside = fields.flatMap((field) =>
      field.path.startsWith(`${path}.`) ? [field.path.slice(path.length + 1)] : [],
    )
    return this.#description.collections.find(
      (collection) => String(collection.fields.flatMap(({ path, fact }) => (fact ? [] : [path]))) === String(inside),
    )
  }

  /** The records below one of another collection: those that embed it, however deep. */
  #below(child: CollectionDescription, ancestor: CollectionDescription, parent: Stored): readonly Stored[] {
    const [way] = child.fields
      .filter(({ path, type }) => type === 'record' && this.#embeddedAt(child, path) === ancestor)
      .sort((a, b) => a.path.split('.').length - b.path.split('.').length)
    if (way === undefined) return []
    const meant = new Set([
      parent,
      ...(ancestor.tree === undefined ? [] : this.#around(ancestor, parent, 'descendants')),
    ])
    const keys = new Set([...meant].map((record) => keyOf(ancestor, record).join('/')))
    return this.#recordsOf(child).filter((record) => {
      const embedded = valueAt(record, way.path, way.steps)
      return isRecord(embedded) && keys.has(keyOf(ancestor, embedded).join('/'))
    })
  }

  /** The record that a segment of a path names. */
  #named(collection: CollectionDescription, records: readonly Stored[], segment: string, isCode: boolean) {
    if (isCode) return this.#byCode(collection, records, decodeURIComponent(segment))
    const isOwned = isNumberedWithin(collection)
    const paths = isOwned ? collection.keyPaths.slice(-1) : collection.keyPaths
    const parts = (paths.length === 1 ? [segment] : segment.split(',')).map(decodeURIComponent)
    return records.find((record) => {
      const key = keyOf(collection, record).slice(-paths.length)
      return key.length === parts.length && key.every((value, at) => value === parts[at])
    })
  }

  #byCode(collection: CollectionDescription, records: readonly Stored[], code: string): Stored | undefined {
    const names = collection.codes?.map(({ name }) => name) ?? []
    const withCode = (text: string) => records.find((record) => names.some((name) => record[name] === text))
    return withCode(code) ?? this.#byParts(collection, records, code) ?? withCode(code.replace(SIGNS_IN_CODES, ''))
  }

  /** In a code, an embedded record is given by its identifier or its own code. */
  #byParts(collection: CollectionDescription, records: readonly Stored[], code: string): Stored | undefined {
    const [owner] = isNumberedWithin(collection) ? collection.key : []
    const fields = collection.code.filter((field) => field !== owner)
    const parts = fields.length === 1 ? [code] : code.split('-')
    return records.find((record) =>
      fields.every((field, at) => {
        const value = record[field]
        if (!isRecord(value)) return value === parts[at]
        const { key = [], code: codes = [] } = this.#embeddedAt(collection, field) ?? {}
        return [...key, ...codes].some((name) => String(value[name]) === parts[at])
      }),
    )
  }

  #list(collection: CollectionDescription, records: readonly Stored[], query: URLSearchParams): Content {
    const matches = records.filter(this.#filter(collection, query))
    const perPage = wholeNumber(query, 'per_page', 50)
    const start = query.has('after') ? Number(query.get('after')) : (wholeNumber(query, 'page', 1) - 1) * perPage
    const [page, totalPages] = [Math.floor(start / perPage) + 1, Math.ceil(matches.length / perPage)]
    if (page > Math.max(totalPages, 1))
      throw new Refusal(404, 'page-beyond-last', `Page ${page} was asked for; the last one is ${totalPages}.`)
    const end = start + perPage
    return {
      value: matches.slice(start, end).map(this.#selection(collection, query)),
      headers: {
        'X-Page': String(page),
        'X-Per-Page': String(perPage),
        'X-Total': String(matches.length),
        'X-Total-Pages': String(totalPages),
        ...(end < matches.length ? { Link: `<?after=${end}>; rel="next"` } : {}),
      },
    }
  }

  /** Whether a record has one of the values that are given for each field. */
  #filter(collection: CollectionDescription, query: URLSearchParams): (record: Stored) => boolean {
    const { filters, derived = [] } = collection
    const fields = [...collection.fields, ...derived]
    const allowed = [...LIST_PARAMETERS, ...filters.filter((name) => fields.some(({ path }) => path === name))]
    const names = [...new Set(query.keys())].filter((name) => !LIST_PARAMETERS.includes(name))
    for (const name of names) {
      if (allowed.includes(name)) continue
      if (SERVER_PARAMETERS.includes(name) || filters.includes(name)) throw needsServer(name)
      const detail = `${JSON.stringify(name)} is not known here. Allowed are ${allowed.join(', ')}.`
      throw new Refusal(400, 'unknown-parameter', detail)
    }
    const isList = (name: string) => derived.some(({ path }) => path === name)
    const valuesOf = (name: string) => query.getAll(name).flatMap((one) => (isList(name) ? one.split(',') : [one]))
    const conditions = names.map((name) => [name, valuesOf(name)] as const)
    return (record) =>
      conditions.every(([path, values]) => {
        const { steps } = fields.find((field) => field.path === path) ?? {}
        const own = this.#keyOrValue(collection, path, valueAt(record, path, steps))
        const isReference = fields.some((field) => field.path === path && field.type === 'record')
        const texts = Array.isArray(own) && !isReference ? own.map(String) : [String(own ?? '')]
        return values.some((value) => texts.includes(value))
      })
  }

  /** Takes out of a record what the query selects. */
  #selection(collection: CollectionDescription, query: URLSearchParams): (record: Stored) => Stored {
    const fields = [...collection.fields, ...(collection.derived ?? [])]
    const paths = query.get('fields')?.split(',')
    const unknownPath = paths?.find((path) => !fields.some((field) => field.path === path))
    if (unknownPath !== undefined) throw badValue('fields', unknownPath, fields.map(({ path }) => path).join(', '))
    const isShort = query.get('embed') === 'id'
    const omittedFacts = fields.flatMap(({ path, fact }) => (fact && query.get('facts') !== 'true' ? [path] : []))
    const whole = (value: unknown, path: string) => (isShort ? this.#keyOrValue(collection, path, value) : value)
    const pick = (record: Stored, prefix: string): Stored =>
      Object.fromEntries(
        Object.entries(record).flatMap(([name, value]) => {
          const own = fields.find(({ steps }) => steps?.join('.') === prefix + name)
          const path = own?.path ?? prefix + name
          if (paths === undefined) return omittedFacts.includes(path) ? [] : [[name, whole(value, path)]]
          if (paths.includes(path)) return [[name, whole(value, path)]]
          return paths.some((selected) => selected.startsWith(`${path}.`))
            ? [[name, isRecord(value) ? pick(value, `${path}.`) : value]]
            : []
        }),
      )
    return (record) => pick(record, '')
  }

  /** An embedded record stands for its key, in a list where that has several values. */
  #keyOrValue(collection: CollectionDescription, path: string, value: unknown): unknown {
    const embedded = isRecord(value) ? this.#embeddedAt(collection, path) : undefined
    if (embedded === undefined) return value
    const key = embedded.keyPaths.map((inner) => valueAt(value as Stored, inner, stepsTo(embedded, inner)))
    return key.length === 1 ? key[0] : key
  }
}

function wholeNumber(query: URLSearchParams, name: string, defaultValue: number): number {
  const text = query.get(name) ?? String(defaultValue)
  const number = Number(text)
  if (!/^[1-9]\d*$/.test(text) || (name === 'per_page' && number > MAX_PER_PAGE)) {
    const allowed = `a whole number from 1${name === 'per_page' ? ` to ${MAX_PER_PAGE}` : ''}`
    throw badValue(name, text, allowed)
  }
  return number
}

const isRecord = (value: unknown): value is Stored =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What people write between the parts of a code, though it is no part of it. */
const SIGNS_IN_CODES = /[\s./-]+/g
const WHOLE_NUMBER = /^(?:0|[1-9][0-9]*)$/

/** Whether a segment of a path may be an identifier of the collection: of those that are numbers, only a number can. */
function mayIdentify(collection: CollectionDescription, segment: string): boolean {
  const { keyPaths, fields } = collection
  const isNumber = keyPaths.every((path) => fields.find((field) => field.path === path)?.type !== 'string')
  return !isNumber || segment.split(',').every((one) => WHOLE_NUMBER.test(one))
}

const stepsTo = ({ fields }: CollectionDescription, path: string) => fields.find((field) => field.path === path)?.steps

/** The values of the key of a record, as texts. */
const keyOf = (collection: CollectionDescription, record: Stored): string[] =>
  collection.keyPaths.map((path) => String(valueAt(record, path, stepsTo(collection, path))))

/** Whether the path of a record names another one before it. */
const isNumberedWithin = ({ record }: CollectionDescription) => (record.match(/\/\{/g) ?? []).length > 1
