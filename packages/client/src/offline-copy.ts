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
const LIST_PARAMETERS = ['by', 'page', 'per_page', 'after', 'fields', 'facts', 'embed', 'release']
const SERVER_PATHS = ['search', 'resolve']
const SERVER_PARAMETERS = ['q', 'sort', 'near', 'within_km']
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
    const [first = '', id, childName, childId] = path.split('/').slice(1).map(decodeURIComponent)
    const release = query.get('release') ?? query.get('from') ?? this.#release
    if (!this.#release.startsWith(release))
      throw new Refusal(410, 'release-gone', `Release ${release} is not in this copy.`)
    if (first === '') return { value: this.#description }
    if (first === 'changes') return { value: { from: this.#release, to: this.#release, changes: [] } }
    if (first === 'releases') return { value: [this.#summary()] }
    if (SERVER_PATHS.includes(first)) throw needsServer(first)
    const collection = this.#collection(first) ?? notFound(path)
    if (id === undefined) return listOf(collection, this.#recordsOf(collection), query)
    const isCode = query.get('by') === 'code'
    if (childName === undefined) {
      const record = this.#named(collection, this.#recordsOf(collection), id, isCode) ?? notFound(path)
      return { value: selection(collection, query)(record) }
    }
    const child = this.#collection(childName) ?? notFound(path)
    const parents = this.#recordsOf(collection)
    // The owner in the path of a record is named by its identifier or its code, whatever names the record.
    const parent =
      childId === undefined
        ? this.#named(collection, parents, id, isCode)
        : (this.#named(collection, parents, id, false) ?? this.#named(collection, parents, id, true))
    const children = this.#below(child, collection, parent ?? notFound(path))
    if (childId === undefined) return listOf(child, children, query)
    return { value: selection(child, query)(this.#named(child, children, childId, isCode) ?? notFound(path)) }
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
    const [path] = child.fields
      .filter(({ path, type }) => type === 'record' && this.#embeddedAt(child, path) === ancestor)
      .map((field) => field.path)
      .sort((a, b) => a.split('.').length - b.split('.').length)
    const [key = ''] = ancestor.key
    return this.#recordsOf(child).filter((record) => valueAt(record, `${path}.${key}`) === parent[key])
  }

  #named(collection: CollectionDescription, records: readonly Stored[], name: string, isCode: boolean) {
    if (isCode) return this.#byCode(collection, records, name)
    return records.find((record) => String(record[collection.key.at(-1) ?? '']) === name)
  }

  /** In a code, an embedded record is given by its identifier or its own code. */
  #byCode(collection: CollectionDescription, records: readonly Stored[], code: string): Stored | undefined {
    const [owner] = collection.keyPaths.length > 1 ? collection.key : []
    const fields = collection.code.filter((field) => field !== owner)
    const parts = fields.length === 1 ? [code] : code.split('-')
    return records.find((record) =>
      fields.every((field, at) => {
        const value = record[field]
        if (typeof value !== 'object') return value === parts[at]
        const { key = [], code: codes = [] } = this.#embeddedAt(collection, field) ?? {}
        return [...key, ...codes].some((name) => String((value as Stored)[name]) === parts[at])
      }),
    )
  }
}

function listOf(collection: CollectionDescription, records: readonly Stored[], query: URLSearchParams): Content {
  const matches = records.filter(filter(collection, query))
  const perPage = wholeNumber(query, 'per_page', 50)
  const start = query.has('after') ? Number(query.get('after')) : (wholeNumber(query, 'page', 1) - 1) * perPage
  const [page, totalPages] = [Math.floor(start / perPage) + 1, Math.ceil(matches.length / perPage)]
  if (page > Math.max(totalPages, 1))
    throw new Refusal(404, 'page-beyond-last', `Page ${page} was asked for; the last one is ${totalPages}.`)
  const end = start + perPage
  return {
    value: matches.slice(start, end).map(selection(collection, query)),
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
function filter({ fields, filters }: CollectionDescription, query: URLSearchParams): (record: Stored) => boolean {
  const allowed = [...LIST_PARAMETERS, ...filters.filter((name) => fields.some(({ path }) => path === name))]
  const names = [...new Set(query.keys())].filter((name) => !LIST_PARAMETERS.includes(name))
  for (const name of names) {
    if (allowed.includes(name)) continue
    if (SERVER_PARAMETERS.includes(name) || filters.includes(name)) throw needsServer(name)
    const detail = `${JSON.stringify(name)} is not known here. Allowed are ${allowed.join(', ')}.`
    throw new Refusal(400, 'unknown-parameter', detail)
  }
  const conditions = names.map((name) => [name, query.getAll(name)] as const)
  return (record) =>
    conditions.every(([path, values]) => values.includes(String(identifierOrValue(valueAt(record, path)) ?? '')))
}

/** An embedded record stands for its identifier, its only number. */
const identifierOrValue = (value: unknown) =>
  typeof value === 'object' && value !== null
    ? Object.values(value).find((member) => typeof member === 'number')
    : value

function wholeNumber(query: URLSearchParams, name: string, defaultValue: number): number {
  const text = query.get(name) ?? String(defaultValue)
  const number = Number(text)
  if (!/^[1-9]\d*$/.test(text) || (name === 'per_page' && number > MAX_PER_PAGE)) {
    const allowed = `a whole number from 1${name === 'per_page' ? ` to ${MAX_PER_PAGE}` : ''}`
    throw badValue(name, text, allowed)
  }
  return number
}

/** Takes out of a record what the query selects. */
function selection({ fields }: CollectionDescription, query: URLSearchParams): (record: Stored) => Stored {
  const paths = query.get('fields')?.split(',')
  const unknownPath = paths?.find((path) => !fields.some((field) => field.path === path))
  if (unknownPath !== undefined) throw badValue('fields', unknownPath, fields.map(({ path }) => path).join(', '))
  const isShort = query.get('embed') === 'id'
  const omittedFacts = fields.flatMap(({ path, fact }) => (fact && query.get('facts') !== 'true' ? [path] : []))
  const whole = (value: unknown) => (isShort ? identifierOrValue(value) : value)
  const pick = (record: Stored, prefix: string): Stored =>
    Object.fromEntries(
      Object.entries(record).flatMap(([name, value]) => {
        const path = prefix + name
        if (paths === undefined) return omittedFacts.includes(path) ? [] : [[name, whole(value)]]
        if (paths.includes(path)) return [[name, whole(value)]]
        return paths.some((selected) => selected.startsWith(`${path}.`))
          ? [[name, pick(value as Stored, `${path}.`)]]
          : []
      }),
    )
  return (record) => pick(record, '')
}
