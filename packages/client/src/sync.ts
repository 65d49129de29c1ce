// Keeps a local copy of the catalogs: by changes where there are any to follow, verified by digest, put in place at once.
import { type Catalogs, type CollectionDescription, type Description, type Service, serviceOf } from './connect.ts'
import { DigestMismatch, ReleaseGone } from './errors.ts'
import { valueAt } from './record-path.ts'

type Awaitable<T> = T | Promise<T>
type Stored = Readonly<Record<string, unknown>>

/** What a copy is a copy of. */
export type Head = {
  /** The digest of the release. */
  readonly release: string
  readonly built: string
  /** What the server told of the collections. */
  readonly description: Description
  /** The digest of the records and facts of each collection, under which a store has them. */
  readonly digests: Readonly<Record<string, string>>
}

/** A copy as plain data, which can be written as JSON. */
export type Snapshot = Head & { readonly collections: Readonly<Record<string, readonly object[]>> }

/** Where a copy is kept: lists of records by the digest of their content, and a head that names those that count. */
export type Store = {
  /** The head that was committed last; undefined where there is none. */
  head(): Awaitable<Head | undefined>
  /** The records that were put under a digest, in their order, whether they are committed or not. */
  get(digest: string): Awaitable<readonly object[] | undefined>
  /** Keeps records, with the key of each, so that they are there after an interruption. */
  put(digest: string, records: readonly object[], keys: readonly string[]): Awaitable<void>
  /** Makes the head and what it names the copy, all at once, and forgets what it does not name. */
  commit(head: Head): Awaitable<void>
}

/** In a Map, each collection stands under its name, and the head under `release`. */
export type MapCopy = Map<string, unknown>
const HEAD = 'release'
const staged = new WeakMap<MapCopy, Map<string, readonly object[]>>()

function mapStore(map: MapCopy): Store {
  const waiting = staged.get(map) ?? new Map<string, readonly object[]>()
  staged.set(map, waiting)
  const head = () => map.get(HEAD) as Head | undefined
  const get = (digest: string) => {
    const [name] = Object.entries(head()?.digests ?? {}).find(([, committed]) => committed === digest) ?? []
    return waiting.get(digest) ?? (name === undefined ? undefined : (map.get(name) as readonly object[]))
  }
  return {
    head,
    get,
    put: (digest, records) => void waiting.set(digest, records),
    commit: (next) => {
      const collections = Object.entries(next.digests).map(([name, digest]) => [name, get(digest)] as const)
      map.clear()
      for (const [name, records] of collections) map.set(name, records)
      map.set(HEAD, next)
      waiting.clear()
    },
  }
}

export const storeOf = (store: Store | MapCopy): Store => (store instanceof Map ? mapStore(store) : store)

export type SyncReport = {
  /** The release that the copy is of. */
  readonly release: string
  /** The release that it was of before. */
  readonly from: string | undefined
  /** What was done for each collection: nothing, its changes applied, or all of it downloaded. */
  readonly collections: Readonly<Record<string, 'same' | 'changed' | 'whole'>>
}

type ReleasedCollection = {
  readonly name: string
  readonly collection: string
  readonly count: number
  readonly records: string
  readonly facts?: string
}
type ReleaseManifest = {
  readonly digest: string
  readonly built: string
  readonly entities: readonly ReleasedCollection[]
  /** The values of each stand in the order in which they are digested. */
  readonly aliases: readonly Readonly<Record<string, string>>[]
}

export type SyncOptions = { readonly signal?: AbortSignal }

/** Brings a copy up to the current release. Interrupted, it is resumed by the next call. */
export async function sync(
  catalogs: Pick<Catalogs, 'releases'>,
  target: Store | MapCopy,
  { signal }: SyncOptions = {},
): Promise<SyncReport> {
  const service = serviceOf(catalogs)
  const store = storeOf(target)
  const description = await service.json<Description>('', { signal })
  const { digest: release, built } = description.release
  const before = await store.head()
  const outcomes: Record<string, 'same' | 'changed' | 'whole'> = {}
  const report = { release, from: before?.release, collections: outcomes }
  for (const { name } of description.collections) outcomes[name] = 'same'
  if (before?.release === release) return report

  const pinned = { release, signal }
  const released = await releasedCollections(service, release, signal)
  const digests: Record<string, string> = {}
  const missing: Todo[] = []
  for (const { collection: name, records, facts } of released) {
    const digest = facts === undefined ? records : `${records}-${facts}`
    digests[name] = digest
    const collection = description.collections.find((described) => described.name === name)
    if (collection === undefined || before?.digests[name] === digest) continue
    if ((await store.get(digest)) === undefined)
      missing.push({ name, records, ...(facts && { facts }), digest, collection, pinned })
  }
  const changes = before && missing.length > 0 ? await changesSince(service, before.release, missing) : undefined
  for (const todo of missing) {
    const old = before && (await store.get(before.digests[todo.name] ?? ''))
    let records = changes && old && (await updated(service, todo, old, changes))
    outcomes[todo.name] = records === undefined ? 'whole' : 'changed'
    if (records === undefined) {
      records = await downloaded(service, todo)
      if (!(await isSound(todo, records)))
        throw new DigestMismatch(`${todo.name} of release ${release} was received, but not with the digest that it has`)
    }
    await store.put(
      todo.digest,
      records,
      records.map((record) => keyOf(todo.collection, record)),
    )
  }
  await store.commit({ release, built, description, digests })
  return report
}

/** A collection that the store does not have as it is in the release. */
type Todo = Pick<ReleasedCollection, 'name' | 'records' | 'facts'> & {
  readonly digest: string
  readonly collection: CollectionDescription
  readonly pinned: { readonly release: string; readonly signal: AbortSignal | undefined }
}

/** The digest of a release is that of a list of its collections, so the list is known to be the right one. */
async function releasedCollections(service: Service, release: string, signal: AbortSignal | undefined) {
  const document = await service.json<ReleaseManifest>(`/releases/${release}/manifest`, { signal, release: undefined })
  const { entities, aliases } = document
  const lines = entities.map(({ name, count, records, facts = '' }) => `${name} ${count} ${records} ${facts}`.trimEnd())
  const aliasLines = aliases.map((alias) => JSON.stringify(Object.values(alias)))
  if (aliasLines.length > 0) lines.push(`aliases ${await sha256(aliasLines.join('\n'))}`)
  const text = ['nomenclator release 1', ...lines, ''].join('\n')
  if ((await sha256(text)) !== release)
    throw new DigestMismatch(`the collections of release ${release} are not those that its digest says`)
  return entities
}

async function sha256(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

const factsOf = ({ fields }: CollectionDescription) => fields.flatMap(({ path, fact }) => (fact ? [path] : []))
const keyOf = ({ keyPaths }: CollectionDescription, record: object) =>
  keyPaths.map((path) => valueAt(record, path)).join('/')

const RECORDS_PER_LINE = 10

/** Whether records are those of the release: put together as the server stores them, they have the same digest. */
async function isSound({ collection, records: expected, facts }: Todo, records: readonly Stored[]): Promise<boolean> {
  const names = factsOf(collection)
  const lines: string[] = []
  const factLines: string[] = []
  let line: string[] = []
  for (const [at, record] of records.entries()) {
    const values = names.map((name) => [name, record[name]] as const)
    // The facts stand at the end of a record.
    const tail = names.length === 0 ? '}' : JSON.stringify(Object.fromEntries(values))
    line.push(`${JSON.stringify(record).slice(0, -tail.length)}}`)
    factLines.push(`${JSON.stringify(Object.fromEntries(values.filter(([, value]) => value !== null)))}\n`)
    if (line.length === RECORDS_PER_LINE || at === records.length - 1) {
      lines.push(`[${line.join()}]\n`)
      line = []
    }
  }
  if ((await sha256(lines.join(''))) !== expected) return false
  return facts === undefined
    ? factLines.every((facts) => facts === '{}\n')
    : (await sha256(factLines.join(''))) === facts
}

async function lines<T>(service: Service, path: string, parameters: Readonly<Record<string, unknown>>): Promise<T[]> {
  const { body } = await service.send(path, { ...parameters, format: 'ndjson' }, { keep: false })
  return body.split('\n').flatMap((line) => (line === '' ? [] : (JSON.parse(line) as T)))
}

const downloaded = (service: Service, { name, pinned }: Todo) =>
  lines<Stored>(service, `/${name}/all`, { ...pinned, facts: true })

type Changed = { readonly collection: string; readonly key: object; readonly new?: Stored }

/** Undefined where the old release is gone from the server. */
async function changesSince(service: Service, from: string, missing: readonly Todo[]): Promise<Changed[] | undefined> {
  const { release: to, signal } = (missing[0] as Todo).pinned
  try {
    return await lines<Changed>(service, '/changes', {
      from,
      to,
      in: missing.map(({ name }) => name),
      signal,
      release: undefined,
    })
  } catch (error) {
    if (error instanceof ReleaseGone) return undefined
    throw error
  }
}

/** The records with their changes applied; undefined where that does not give those of the release. */
async function updated(
  service: Service,
  todo: Todo,
  old: readonly object[],
  changes: readonly Changed[],
): Promise<Stored[] | undefined> {
  const { name, collection, pinned } = todo
  const records = new Map(old.map((record) => [keyOf(collection, record), record as Stored]))
  const unknown = Object.fromEntries(factsOf(collection).map((fact) => [fact, null]))
  for (const change of changes) {
    if (change.collection !== name) continue
    const key = Object.values(change.key).join('/')
    // What the change does not have is not known; what it has keeps its place.
    if (change.new !== undefined) records.set(key, { ...change.new, ...unknown, ...change.new })
    // Of records that are numbered otherwise now, all are removed first: nothing is left to apply changes to.
    else if (records.delete(key) && records.size === 0) return undefined
  }
  const inPlace = [...records.values()]
  if (await isSound(todo, inPlace)) return inPlace
  // Changes do not tell the order of the records: it is taken from the keys of all of them.
  const keys = await lines<Stored>(service, `/${name}/all`, { ...pinned, fields: collection.keyPaths })
  const ordered = keys.flatMap((key): Stored[] => {
    const record = records.get(keyOf(collection, key))
    return record === undefined ? [] : [record]
  })
  return (await isSound(todo, ordered)) ? ordered : undefined
}
