// A change to a home that follows a shelf, made in the home alone: nodes that follow the home get it.
import type { ReleaseStore } from '../../release/home/release-store.ts'
import { HomeShelf } from './home-shelf.ts'
import { readFollowed, saveFollowed } from './pointer.ts'

export async function changeAlone<T>(store: ReleaseStore, change: (store: ReleaseStore) => Promise<T>): Promise<T> {
  const followed = readFollowed(store.home)
  if (followed === undefined) return change(store)
  const listing = () => new HomeShelf(store, { includesRestricted: true }).state()?.listing
  const before = listing()
  const result = await change(store)
  if (listing() !== before)
    saveFollowed(store.home, { ...followed, ahead: [...(followed.ahead ?? []), crypto.randomUUID()] })
  return result
}
