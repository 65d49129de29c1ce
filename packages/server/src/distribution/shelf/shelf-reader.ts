// The interface for reading a shared shelf of any kind: a pointer, releases, and entities in chunks that are named by digest.
import type { ShelvedEntity } from './layout.ts'
import type { HostPointer, Listing, Pointer } from './pointer.ts'

/** The digest of a chunk, and its compressed bytes. */
export type PackedChunk = readonly [digest: string, packed: Uint8Array]

/** Its results are of the right form, and not verified. */
export type ShelfReader = {
  /** Returns the given state, or a later one of the same host; the newest state by default. */
  listing(state?: Pointer): Promise<Listing>
  /** Returns undefined if there is no such entity. */
  entity(digest: string): Promise<ShelvedEntity | undefined>
  /**
   * Yields compressed chunks of an entity in any order, and leaves out missing ones. A damaged chunk is requested again with another
   * `attempt`, and then comes from another host.
   */
  chunks(entity: string, digests: readonly string[], attempt?: number): AsyncIterable<PackedChunk>
  /** The number of attempts that make sense; 1 by default. */
  readonly attempts?: number
}

type Opened = ShelfReader &
  AsyncDisposable & {
    /** The time between polls. */
    readonly pollMilliseconds: number
    /** Resolves when the shelf has to be opened again. */
    readonly closed: Promise<void>
    destroy(): void
    /** Returns true if a relay awaits a release that is not on its list. */
    awaits?(digest: string): Promise<boolean>
  }

/** One host of a shelf; `report` is the status that this node shows there. */
export type ShelfHost = Opened & { pointer(report: string): Promise<Pointer> }

/** A shelf that is polled on all of its hosts. */
export type FollowedShelf = Opened & {
  /** Returns the states of the hosts that respond; throws if none does. */
  pointers(report: string): Promise<readonly HostPointer[]>
}

/** Opens a shelf; `onUpdate` is called whenever it was changed or mended. */
export type OpenShelf = (report: string, onUpdate: () => void) => Promise<FollowedShelf>
export type OpenHost = (report: string, onUpdate: () => void) => Promise<ShelfHost>
