// A local copy of the catalogs: the parts of a copy, and the stores that keep it.
import type { Description } from './description.ts'
import type { Awaitable } from './transport.ts'

/** The release that a copy is of, and the collections in it. */
export type Head = {
  /** The digest of the release. */
  readonly release: string
  readonly built: string
  /** The server's description of the collections. */
  readonly description: Description
  /** The digest of the records and facts of each collection, under which a store has them. */
  readonly digests: Readonly<Record<string, string>>
}

/** A record of a copy. */
export type Stored = Readonly<Record<string, unknown>>

/** A copy as plain data, which can be written as JSON. */
export type Snapshot = Head & { readonly collections: Readonly<Record<string, readonly object[]>> }

/** Keeps a copy: lists of records by the digest of their content, and a head that names those that count. */
export type Store = {
  /** The head that was committed last; undefined if there is none. */
  head(): Awaitable<Head | undefined>
  /** The records that were put under a digest, in their order, whether they are committed or not. */
  get(digest: string): Awaitable<readonly object[] | undefined>
  /** Keeps records, so that they are there after an interruption. */
  put(digest: string, records: readonly object[]): Awaitable<void>
  /** Makes the head and the records that it names the copy, all at once, and removes all other records. */
  commit(head: Head): Awaitable<void>
}

/** A Map that has the records of each collection under its name, and the head under `release`. */
export type MapCopy = Map<string, unknown>
const HEAD = 'release'
const staged = new WeakMap<MapCopy, Map<string, readonly object[]>>()

/** The name of the collection that a head has under a digest. */
export const nameIn = (head: Head | undefined, digest: string): string | undefined =>
  Object.entries(head?.digests ?? {}).find(([, committed]) => committed === digest)?.[0]

function mapStore(map: MapCopy): Store {
  const waiting = staged.get(map) ?? new Map<string, readonly object[]>()
  staged.set(map, waiting)
  const head = () => map.get(HEAD) as Head | undefined
  const get = (digest: string) =>
    waiting.get(digest) ?? (map.get(nameIn(head(), digest) ?? '') as readonly object[] | undefined)
  return {
    head,
    get,
    put: (digest, records) => void waiting.set(digest, records),
    commit: (next) => {
      const collections = Object.entries(next.digests).map(([name, digest]) => [name, get(digest)] as const)
      map.clear()
      for (const [name, records] of [...collections, [HEAD, next] as const]) map.set(name, records)
      waiting.clear()
    },
  }
}

export const storeOf = (store: Store | MapCopy): Store => (store instanceof Map ? mapStore(store) : store)

/** The update of a collection by `sync`: none, its changes applied, or all of it downloaded. */
export type SyncOutcome = 'same' | 'changed' | 'whole'

export type SyncReport = {
  /** The release that the copy is of. */
  readonly release: string
  /** The release that the copy was of before. */
  readonly from: string | undefined
  readonly collections: Readonly<Record<string, SyncOutcome>>
}

export type SyncOptions = { readonly signal?: AbortSignal }
