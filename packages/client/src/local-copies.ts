// The entries of local copies, `sync` and `offline`. Their code is loaded when it is first needed.
import type { Collections as BuiltIn } from './built-in-types.ts'
import type { Catalogs } from './catalogs.ts'
import { connect, serviceOf } from './connect.ts'
import type { Copy } from './offline-copy.ts'
import type { CatalogShape } from './shape.ts'
import { type MapCopy, type Snapshot, type Store, type SyncOptions, type SyncReport, storeOf } from './store.ts'

/** Brings a copy up to the current release. After an interruption, the next call resumes. */
export async function sync(
  catalogs: Pick<Catalogs, 'releases'>,
  target: Store | MapCopy,
  options: SyncOptions = {},
): Promise<SyncReport> {
  const service = serviceOf(catalogs)
  const { bringUp } = await import('./sync.ts')
  return bringUp(service, storeOf(target), options)
}

/** The catalogs of a copy: a snapshot, or the store or Map that `sync` keeps. */
export function offline<C extends CatalogShape = BuiltIn>(source: Snapshot | Store | MapCopy): Catalogs<C> {
  let copy: Promise<Copy> | undefined
  const fetch = async (url: string) => {
    copy ??= import('./offline-copy.ts').then(({ copyOf }) =>
      copyOf('collections' in source ? source : storeOf(source)),
    )
    return (await copy).response(url)
  }
  return connect<C>('http://offline.invalid', { cache: false, retries: 0, fetch })
}
