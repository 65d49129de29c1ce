// Brings a home that a command reads up to date with its shelf.
import type { Shelf } from '../../release/home/shelf.ts'
import { fetchShelf, ReleaseRefused } from './fetch.ts'
import { dateOf, isOlder, readFollowed } from './pointer.ts'
import { ShelfAway } from './shelf-failures.ts'
import type { OpenShelf } from './shelf-reader.ts'

/**
 * Gives what could not be had, in words: while the shelf is away, or what it has cannot be taken, the home is as good as it is.
 */
export async function refreshHome(
  shelf: Shelf,
  open: OpenShelf,
  lock: () => Promise<Disposable>,
): Promise<readonly string[]> {
  try {
    await using shared = await open('', () => {})
    const pointer = await shared.pointer('')
    const followed = readFollowed(shelf.home)
    if (isOlder(pointer, followed)) throw olderShelf(pointer.generation, followed?.generation ?? 0)
    if (pointer.generation === 0 || (followed?.change === pointer.change && followed.complete)) return []
    using _lock = await lock()
    return (await fetchShelf(shelf, shared)).missing
  } catch (error) {
    if (error instanceof ShelfAway || error instanceof ReleaseRefused) return [error.message]
    throw error
  }
}

export const olderShelf = (generation: number, seen: number): ReleaseRefused =>
  new ReleaseRefused(
    `the shelf was restored to an older state: it is of ${dateOf(generation)}, and this home has seen that of ${dateOf(seen)}. ` +
      'To go on with what the shelf has, run nomenclator shelf accept; to bring back what this home has, nomenclator shelf publish.',
  )
