// A change to a home alone: where that has the state of a shelf, its own goes on from there, for those who follow the home.
import { readTextSync } from '../../release/files/regular-file.ts'
import type { Shelf } from '../../release/home/shelf.ts'
import { sha256 } from './chunks.ts'
import { readFollowed, saveFollowed } from './pointer.ts'

export async function changeAlone<T>(shelf: Shelf, work: (shelf: Shelf) => Promise<T>): Promise<T> {
  const followed = readFollowed(shelf.home)
  if (followed === undefined) return work(shelf)
  const before = contentOf(shelf)
  const result = await work(shelf)
  if (contentOf(shelf) !== before)
    saveFollowed(shelf.home, { ...followed, ahead: [...(followed.ahead ?? []), crypto.randomUUID()] })
  return result
}

/** A digest of all that others get of a home. */
function contentOf(shelf: Shelf): string {
  const [history, idRegistry] = [shelf.currentFile, shelf.idRegistryFile].map((path) => readTextSync(path) ?? '')
  return sha256(
    JSON.stringify([
      history,
      idRegistry,
      shelf
        .digests()
        .sort()
        .map((digest) => shelf.releaseFiles(digest)),
    ]),
  )
}
