// The entry of `sync`, which loads its code when it is first called.
import type { Catalogs } from './catalogs.ts'
import { serviceOf } from './connect.ts'
import { type MapCopy, type Store, type SyncOptions, type SyncReport, storeOf } from './store.ts'

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
