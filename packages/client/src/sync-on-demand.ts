// Keeps a local copy of the catalogs up to date. What does so is loaded when it is first called.
import { type Catalogs, serviceOf } from './connect.ts'
import { type MapCopy, type Store, type SyncOptions, type SyncReport, storeOf } from './store.ts'

/** Brings a copy up to the current release. Interrupted, it is resumed by the next call. */
export async function sync(
  catalogs: Pick<Catalogs, 'releases'>,
  target: Store | MapCopy,
  options: SyncOptions = {},
): Promise<SyncReport> {
  const service = serviceOf(catalogs)
  const { bringUp } = await import('./sync.ts')
  return bringUp(service, storeOf(target), options)
}
