// What the shelf says of itself: its generation, which release is current, and which releases there are.
//
// The generation grows with every change. It is the time of the change in milliseconds by the clock of PostgreSQL, or one
// more than before where that clock stands still or was set back. So a shelf that was restored from a backup has a lower
// generation than its nodes have seen, and the first change that is made to it has a higher one.
import { join } from 'node:path'
import { replaceDurably } from '../../release/files/durable-file.ts'
import { hasText, readTextSync } from '../../release/files/regular-file.ts'

export type Pointer = { readonly generation: number; readonly change: string }

/** The files of the directory of a release by name. */
export type ReleaseFiles = Readonly<Record<string, string>>

/** A shelf at one moment. */
export type Listing = Pointer & {
  /** What the file `current` of a home has; empty where there is no release yet. */
  readonly history: string
  /** What `id-registry.json` of a home has; empty where there is none yet. */
  readonly idRegistry: string
  readonly releases: ReadonlyMap<string, ReleaseFiles>
}

/** Which state of the shelf a home has. */
type Followed = Pointer & {
  /** Whether it has all releases of that state, and not only the current one. */
  readonly complete: boolean
  /** The releases that the home had before it followed a shelf. */
  readonly own: readonly string[]
}

const followedFile = (home: string) => join(home, 'shelf.json')

export function readFollowed(home: string): Followed | undefined {
  try {
    const { generation, change, complete, own } = JSON.parse(readTextSync(followedFile(home)) ?? '')
    if (!Number.isSafeInteger(generation)) return undefined
    return { generation, change: String(change), complete: complete === true, own: Array.isArray(own) ? own : [] }
  } catch {
    // Without it everything is compared anew, and nothing is lost.
    return undefined
  }
}

export function saveFollowed(home: string, { generation, change, complete, own }: Followed): void {
  const text = `${JSON.stringify({ generation, change, complete, own })}\n`
  if (hasText(followedFile(home), text)) return
  replaceDurably(followedFile(home), text)
}

/** Whether a home has seen a state of the shelf that the shelf itself has lost. */
export const isOlder = (pointer: Pointer, followed: Followed | undefined): boolean =>
  followed !== undefined &&
  (pointer.generation < followed.generation ||
    (pointer.generation === followed.generation && pointer.change !== followed.change))

export const dateOf = (generation: number): string =>
  generation === 0 ? 'never' : new Date(generation).toISOString().slice(0, 19).replace('T', ' ')
