// The client on a copy instead of a server. The code that responds to its requests is loaded when the first is sent.
import type { Collections as BuiltIn } from './built-in-types.ts'
import type { Catalogs } from './catalogs.ts'
import { connect } from './connect.ts'
import type { Copy } from './offline-copy.ts'
import type { CatalogShape } from './shape.ts'
import { type MapCopy, type Snapshot, type Store, storeOf } from './store.ts'

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
  const { Copy, snapshotOf } = await import('./offline-copy.ts')
  return new Copy('collections' in source ? source : await snapshotOf(storeOf(source)))
}
