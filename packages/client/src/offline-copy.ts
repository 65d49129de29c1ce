// Responds to requests of API v2 out of the records of a copy: lists with filters by equal values, and records by key or code.
import type { ReleaseSummary } from './catalogs.ts'
import type { CollectionDescription } from './description.ts'
import type { Problem } from './errors.ts'
import { isRecord } from './json.ts'
import { keyOf, keyValues, valueAt } from './record-path.ts'
import type { Snapshot, Store, Stored } from './store.ts'

/** The content of a successful response; anything else is thrown as a refusal. */
type Content = { readonly value: unknown; readonly headers?: Readonly<Record<string, string>> }

class Refusal extends Error {
  readonly problem: Problem

  constructor(status: number, kind: string, detail: string) {
    super(detail)
    this.problem = { type: `urn:nomenclator:problem:${kind}`, status, detail }
  }
}

const badValue = (name: string, value: string, allowed: string) =>
  new Refusal(400, 'bad-parameter', `${name} was ${JSON.stringify(value)}; allowed is ${allowed}.`)
const WITHOUT_SERVER = 'A copy has pages and walks, filters by equal values, children, and records by key or code.'
const needsServer = (what: string) => new Refusal(501, 'offline', `${what} needs a server. ${WITHOUT_SERVER}`)
function notFound(path: string): never {
  throw new Refusal(404, 'record-not-found', `There is nothing at ${path} in this copy.`)
}

/** The parameters of a list that are no filters. */
const LIST_PARAMETERS = ['by', 'page', 'per_page', 'after', 'fields', 'facts', 'embed', 'release', 'within', 'root']
const SERVER_PARAMETERS = ['q', 'sort', 'near', 'within_km', 'lang']
const MAX_PER_PAGE = 1_000

export async function copyOf(source: Snapshot | Store): Promise<Copy> {
  if ('collections' in source) return new Copy(source)
  const head = await source.head()
  if (head === undefined) throw new TypeError('the store has no copy yet; sync makes one')
  const collections: Record<string, readonly object[]> = Object.create(null)
  for (const [name, digest] of Object.entries(head.digests)) collections[name] = (await source.get(digest)) ?? []
  return new Copy({ ...head, collections })
}

function summaryOf({ release: digest, built, collections }: Snapshot): ReleaseSummary {
  const counts = Object.fromEntries(Object.entries(collections).map(([name, records]) => [name, records.length]))
  return { digest, built, current: true, source: 'a copy', synthetic: false, counts, bytes: 0, url: '' }
}

/** A copy that responds like a server. */
export class Copy {
  readonly #snapshot: Snapshot
  /** The records of collections that are trees, by their keys. */
  readonly #keys = new Map<CollectionDescription, ReadonlyMap<string, Stored>>()

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot
  }

  /** The response of a server to a request for this address. */
  response(url: string): Response {
    const { pathname, searchParams } = new URL(url)
    try {
      const { value, headers } = this.#content(pathname.slice('/api/v2'.length), searchParams)
      return Response.json(value, { headers: { ...headers, 'X-Release': this.#snapshot.release } })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return Response.json({ ...error.problem, instance: pathname }, { status: error.problem.status })
    }
  }

  #content(path: string, query: URLSearchParams): Content {
    const [first = '', id, childName, childId] = path.split('/').slice(1)
    const { release, description } = this.#snapshot
    const wanted = query.get('release') ?? query.get('from') ?? release
    if (!release.startsWith(wanted)) throw new Refusal(410, 'release-gone', `Release ${wanted} is not in this copy.`)
    if (first === '') return { value: description }
    if (first === 'changes') return { value: { from: release, to: release, changes: [] } }
    if (first === 'releases') return { value: [summaryOf(this.#snapshot)] }
    if (['search', 'resolve'].includes(first)) throw needsServer(first)
    const collection = this.#collection(first) ?? notFound(path)
    if (id === undefined) return this.#list(collection, this.#inTree(collection, query), query)
    const by = query.get('by')
    const isCode = by === 'code' || (by !== 'id' && !mayIdentify(collection, id))
    const named = (isByCode: boolean) => this.#named(collection, this.#recordsOf(collection), id, isByCode)
    const own = () => named(isCode) ?? notFound(path)
    if (childName === undefined) return { value: this.#selection(collection, query)(own()) }
    if (collection.tree !== undefined && Object.hasOwn(collection.tree, childName))
      return this.#list(collection, this.#around(collection, own(), childName), query)
    const child = this.#collection(childName) ?? notFound(path)
    if (childId === undefined) return this.#list(child, this.#descendants(child, collection, own()), query)
    // The owner in the path of a record is named by its identifier or its code, whatever names the record.
    const children = this.#descendants(child, collection, named(false) ?? named(true) ?? notFound(path))
    return { value: this.#selection(child, query)(this.#named(child, children, childId, isCode) ?? notFound(path)) }
  }

  // Trees: a record has the key of its parent.

  #around(collection: CollectionDescription, record: Stored, axis: string): readonly Stored[] {
    if (axis === 'ancestors') return this.#ancestors(collection, record)
    return this.#recordsOf(collection).filter((other) => {
      const ancestors = this.#ancestors(collection, other)
      return axis === 'children' ? ancestors[0] === record : ancestors.includes(record)
    })
  }

  /** The ancestors, the nearest first; each once, also if the records make a cycle. */
  #ancestors(collection: CollectionDescription, record: Stored): readonly Stored[] {
    const broader = collection.fields.find(({ role }) => role === 'broader')
    const visited = new Set<Stored>()
    let at: Stored | undefined = record
    while (at !== undefined && broader !== undefined && !visited.has(at)) {
      visited.add(at)
      at = this.#byKey(collection).get(String(valueAt(collection, at, broader.path) ?? ''))
    }
    return [...visited].slice(1)
  }

  #byKey(collection: CollectionDescription): ReadonlyMap<string, Stored> {
    const keyed = () =>
      this.#recordsOf(collection).map((record) => [String(keyValues(collection, record)), record] as const)
    const records = this.#keys.get(collection) ?? new Map(keyed())
    this.#keys.set(collection, records)
    return records
  }

  /** The records of a list in the part of their tree that the query names. */
  #inTree(collection: CollectionDescription, query: URLSearchParams): readonly Stored[] {
    const records = this.#recordsOf(collection)
    const within = query.get('within')
    const top = within === null ? undefined : this.#byKey(collection).get(within)
    if (within !== null && top === undefined) throw badValue('within', within, 'the key of a record that is there')
    const isRoot = query.get('root') === 'true'
    if (top === undefined && !isRoot) return records
    return records.filter((record) => {
      const ancestors = this.#ancestors(collection, record)
      return (top === undefined || ancestors.includes(top)) && (!isRoot || ancestors.length === 0)
    })
  }

  #collection(name: string): CollectionDescription | undefined {
    return this.#snapshot.description.collections.find((collection) => collection.name === name)
  }

  #recordsOf({ name }: CollectionDescription): readonly Stored[] {
    return (new Map(Object.entries(this.#snapshot.collections)).get(name) ?? []) as readonly Stored[]
  }

  /** The collection of the records that are embedded at a path: its own fields are those that stand there. */
  #embeddedAt({ fields }: CollectionDescription, path: string): CollectionDescription | undefined {
    const prefix = `${path}.`
    const inside = fields.flatMap((field) => (field.path.startsWith(prefix) ? [field.path.slice(prefix.length)] : []))
    return this.#snapshot.description.collections.find(
      (collection) => String(collection.fields.flatMap(({ path, fact }) => (fact ? [] : [path]))) === String(inside),
    )
  }

  /** The descendants of a record in another collection: all that embed it, at any depth. */
  #descendants(child: CollectionDescription, ancestor: CollectionDescription, parent: Stored): readonly Stored[] {
    const [way] = child.fields
      .filter(({ path, type }) => type === 'record' && this.#embeddedAt(child, path) === ancestor)
      .sort((a, b) => a.path.split('.').length - b.path.split('.').length)
    if (way === undefined) return []
    const branch = [parent, ...(ancestor.tree ? this.#around(ancestor, parent, 'descendants') : [])]
    const keys = new Set(branch.map((record) => keyOf(ancestor, record)))
    return this.#recordsOf(child).filter((record) => {
      const embedded = valueAt(child, record, way.path)
      return isRecord(embedded) && keys.has(keyOf(ancestor, embedded))
    })
  }

  /** The record that a segment of a path names. */
  #named(collection: CollectionDescription, records: readonly Stored[], segment: string, isCode: boolean) {
    if (isCode) return this.#byCode(collection, records, decodeURIComponent(segment))
    const length = isNumberedWithin(collection) ? 1 : collection.keyPaths.length
    const key = JSON.stringify((length === 1 ? [segment] : segment.split(',')).map(decodeURIComponent))
    return records.find((record) => JSON.stringify(keyValues(collection, record).slice(-length)) === key)
  }

  #byCode(collection: CollectionDescription, records: readonly Stored[], code: string): Stored | undefined {
    const names = collection.codes.map(({ name }) => name)
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
    const perPage = wholeNumber('per_page', query.get('per_page') ?? '50', MAX_PER_PAGE)
    const start = Number(query.get('after') ?? (wholeNumber('page', query.get('page') ?? '1') - 1) * perPage)
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

  /** A record matches if it has one of the values that are given for each field. */
  #filter(collection: CollectionDescription, query: URLSearchParams): (record: Stored) => boolean {
    const { filters, fields, derived } = collection
    const allowed = filters.filter((name) => [...fields, ...derived].some(({ path }) => path === name))
    const names = [...new Set(query.keys())].filter((name) => !LIST_PARAMETERS.includes(name))
    for (const name of names) {
      if (allowed.includes(name)) continue
      if (SERVER_PARAMETERS.includes(name) || filters.includes(name)) throw needsServer(name)
      const detail = `${JSON.stringify(name)} is not known here. Allowed are ${[...LIST_PARAMETERS, ...allowed].join(', ')}.`
      throw new Refusal(400, 'unknown-parameter', detail)
    }
    const conditions = names.map((path) => {
      const isCode = derived.some((field) => field.path === path)
      const values = query.getAll(path).flatMap((value) => (isCode ? value.split(',') : [value]))
      const isReference = fields.some((field) => field.path === path && field.type === 'record')
      return (record: Stored) => {
        const own = this.#keyOrValue(collection, path, valueAt(collection, record, path)) ?? ''
        return (Array.isArray(own) && !isReference ? own : [own]).some((value) => values.includes(String(value)))
      }
    })
    return (record) => conditions.every((holds) => holds(record))
  }

  /** Takes the values that the query selects out of a record. */
  #selection(collection: CollectionDescription, query: URLSearchParams): (record: Stored) => Stored {
    const fields = [...collection.fields, ...collection.derived]
    const paths = query.get('fields')?.split(',')
    const unknownPath = paths?.find((path) => !fields.some((field) => field.path === path))
    if (unknownPath !== undefined) throw badValue('fields', unknownPath, fields.map(({ path }) => path).join(', '))
    const isShort = query.get('embed') === 'id'
    const omittedFacts = fields.flatMap(({ path, fact }) => (fact && query.get('facts') !== 'true' ? [path] : []))
    const pick = (record: Stored, prefix: string): Stored =>
      Object.fromEntries(
        Object.entries(record).flatMap(([name, value]) => {
          const path = fields.find(({ steps }) => steps?.join('.') === prefix + name)?.path ?? prefix + name
          if (paths === undefined ? !omittedFacts.includes(path) : paths.includes(path))
            return [[name, isShort ? this.#keyOrValue(collection, path, value) : value]]
          const isAncestor = paths?.some((selected) => selected.startsWith(`${path}.`))
          return isAncestor ? [[name, isRecord(value) ? pick(value, `${path}.`) : value]] : []
        }),
      )
    return (record) => pick(record, '')
  }

  /** The key in place of an embedded record, a list if it has several values; any other value as it is. */
  #keyOrValue(collection: CollectionDescription, path: string, value: unknown): unknown {
    const embedded = isRecord(value) && this.#embeddedAt(collection, path)
    if (!embedded) return value
    const key = embedded.keyPaths.map((inner) => valueAt(embedded, value, inner))
    return key.length === 1 ? key[0] : key
  }
}

function wholeNumber(name: string, text: string, max?: number): number {
  if (/^[1-9]\d*$/.test(text) && Number(text) <= (max ?? Number(text))) return Number(text)
  throw badValue(name, text, `a whole number from 1${max === undefined ? '' : ` to ${max}`}`)
}

/** Signs that people write between the parts of a code, though they are no part of it. */
const SIGNS_IN_CODES = /[\s./-]+/g

/** True if a segment of a path may be an identifier of the collection: if those are numbers, only a number can. */
function mayIdentify({ keyPaths, fields }: CollectionDescription, segment: string): boolean {
  const isNumber = keyPaths.every((path) => fields.find((field) => field.path === path)?.type !== 'string')
  return !isNumber || /^(?:0|[1-9]\d*)(?:,(?:0|[1-9]\d*))*$/.test(segment)
}

/** True if the path of a record names its owner before it. */
const isNumberedWithin = ({ record }: CollectionDescription) => (record.match(/\/\{/g) ?? []).length > 1
