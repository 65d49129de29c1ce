// A local copy of the catalogs: what it consists of, and where it is kept.
import type { Description } from './connect.ts'

type Awaitable<T> = T | Promise<T>

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

export type SyncOptions = { readonly signal?: AbortSignal }
