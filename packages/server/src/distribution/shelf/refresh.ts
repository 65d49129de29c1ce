// Brings the home up to date with its shelf before a command reads it.
import type { ReleaseStore } from '../../release/home/release-store.ts'
import { fetchShelf } from './fetch.ts'
import { compareStates, readFollowed } from './pointer.ts'
import { ReleaseRefused, ShelfAway } from './shelf-failures.ts'
import type { OpenShelf } from './shelf-reader.ts'

/** Returns warnings. If the shelf is away, or has nothing sound, the command reads the home as it is. */
export async function refreshHome(store: ReleaseStore, open: OpenShelf, lock: () => Promise<Disposable>) {
  try {
    await using shared = await open('', () => {})
    const followed = readFollowed(store.home)
    const { states, trouble } = compareStates(await shared.pointers(''), followed)
    const warnings =
      trouble === undefined ? [] : [trouble.kind === 'fork' ? trouble.message : unfollowed(trouble.message)]
    const [state] = states
    if (state === undefined || state.generation === 0) return warnings
    if (followed?.change === state.change && followed.complete) return warnings
    using _lock = await lock()
    return [...warnings, ...(await fetchShelf(store, shared, { state })).missing.map(unfollowed)]
  } catch (error) {
    if (error instanceof ShelfAway || error instanceof ReleaseRefused) return [unfollowed(error.message)]
    throw error
  }
}

const unfollowed = (reason: string) => `THE SHELF IS NOT FOLLOWED, what is in the home is read: ${reason}`
