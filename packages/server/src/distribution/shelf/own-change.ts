// A change to a home alone: where that has the state of a shelf, its own goes on from there, for those who follow the home.
import { readTextSync } from '../../release/files/regular-file.ts'
import type { ReleaseStore } from '../../release/home/release-store.ts'
import { sha256 } from './chunks.ts'
import { readFollowed, saveFollowed } from './pointer.ts'

export async function changeAlone<T>(store: ReleaseStore, work: (store: ReleaseStore) => Promise<T>): Promise<T> {
  const followed = readFollowed(store.home)
  if (followed === undefined) return work(store)
  const before = contentOf(store)
  const result = await work(store)
  if (contentOf(store) !== before)
    saveFollowed(store.home, { ...followed, ahead: [...(followed.ahead ?? []), crypto.randomUUID()] })
  return result
}

/** A digest of all that others get of a home. */
function contentOf(store: ReleaseStore): string {
  const [history, idRegistry] = [store.currentFile, store.idRegistryFile].map((path) => readTextSync(path) ?? '')
  return sha256(
    JSON.stringify([
      history,
      idRegistry,
      store
        .digests()
        .sort()
        .map((digest) => store.releaseFiles(digest)),
    ]),
  )
}
