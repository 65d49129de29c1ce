// The same client on a copy instead of a server. What responds to its requests is loaded when the first is sent.
import { type Catalogs, connect } from './connect.ts'
import type { Copy } from './offline-copy.ts'
import type { BuiltIn, CatalogShape } from './shape.ts'
import { type MapCopy, type Snapshot, type Store, storeOf } from './sync.ts'

/** The catalogs of a copy: a snapshot, or the store or Map that `sync` keeps. */
export function offline<C extends CatalogShape = BuiltIn>(source: Snapshot | Store | MapCopy): Catalogs<C> {
  let copy: Promise<Copy> | undefined
  return connect<C>('http://offline.invalid', {
    cache: false,
    retries: 0,
    fetch: async (url) => {
      copy ??= copyOf(source)
      return (await copy).response(url)
    },
  })
}

async function copyOf(source: Snapshot | Store | MapCopy): Promise<Copy> {
  const { Copy } = await import('./offline-copy.ts')
  return new Copy('collections' in source ? source : await snapshotOf(storeOf(source)))
}

async function snapshotOf(store: Store): Promise<Snapshot> {
  const head = await store.head()
  if (head === undefined) throw new TypeError('the store has no copy yet; sync makes one')
  const collections: Record<string, readonly object[]> = {}
  for (const [name, digest] of Object.entries(head.digests)) collections[name] = (await store.get(digest)) ?? []
  return { ...head, collections }
}
