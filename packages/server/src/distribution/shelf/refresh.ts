// Brings a home that a command reads up to date with its shelf.
import type { ReleaseStore } from '../../release/home/release-store.ts'
import { fetchShelf } from './fetch.ts'
import { compareStates, readFollowed } from './pointer.ts'
import { ReleaseRefused, ShelfAway } from './shelf-failures.ts'
import type { OpenShelf } from './shelf-reader.ts'

/**
 * Gives what could not be had, in words: while the shelf is away, or what it has cannot be taken, the home is as good as it is.
 */
export async function refreshHome(
  store: ReleaseStore,
  open: OpenShelf,
  lock: () => Promise<Disposable>,
): Promise<readonly string[]> {
  try {
    await using shared = await open('', () => {})
    const followed = readFollowed(store.home)
    const { states, trouble } = compareStates(await shared.pointers(''), followed)
    const told = trouble === undefined ? [] : [trouble.kind === 'fork' ? trouble.message : unfollowed(trouble.message)]
    const [state] = states
    if (state === undefined || state.generation === 0) return told
    if (followed?.change === state.change && followed.complete) return told
    using _lock = await lock()
    return [...told, ...(await fetchShelf(store, shared, { state })).missing.map(unfollowed)]
  } catch (error) {
    if (error instanceof ShelfAway || error instanceof ReleaseRefused) return [unfollowed(error.message)]
    throw error
  }
}

const unfollowed = (reason: string) => `THE SHELF IS NOT FOLLOWED, what is in the home is read: ${reason}`
