// What a shared shelf is to those who read it, wherever it lies: a pointer, releases, and entities in chunks named by digest.
import type { FileChunk } from './chunks.ts'
import type { HostPointer, Listing, Pointer } from './pointer.ts'

export type ShelvedEntity = {
  /** Its entity.json, byte for byte. */
  readonly manifest: string
  /** Its files in order, piece after piece. */
  readonly chunks: readonly FileChunk[]
}

/** Nothing that it gives has been checked. */
export type ShelfReader = {
  /** The newest state; or this one, or one that has come after it on the same host. */
  listing(state?: Pointer): Promise<Listing>
  /** Undefined where there is no such entity. */
  entity(digest: string): Promise<ShelvedEntity | undefined>
  /**
   * Chunks of an entity, compressed, in any order; those that are not there are left out. What was damaged is asked for again
   * with another `attempt`, and then comes from another host.
   */
  chunks(
    entity: string,
    digests: readonly string[],
    attempt?: number,
  ): AsyncIterable<readonly [digest: string, packed: Uint8Array]>
  /** How many attempts there are; one if it does not say. */
  readonly attempts?: number
}

type Opened = ShelfReader &
  AsyncDisposable & {
    /** How often to look, in milliseconds, where nothing is told meanwhile. */
    readonly pollMilliseconds: number
    /** Resolves when it has to be opened anew. */
    readonly closed: Promise<void>
    destroy(): void
    /** Where it is a relay: whether it awaits a release that it does not list. */
    awaits?(digest: string): Promise<boolean>
  }

/** One host of a shelf; `report` lets others see what this node serves. */
export type ShelfHost = Opened & { pointer(report: string): Promise<Pointer> }

/** A shelf that is looked at again and again, on all of its hosts. */
export type FollowedShelf = Opened & {
  /** Which states the hosts have that respond; throws where none does. */
  pointers(report: string): Promise<readonly HostPointer[]>
}

/** Opens a shelf; `onNews` is called whenever something was done about it. */
export type OpenShelf = (report: string, onNews: () => void) => Promise<FollowedShelf>
export type OpenHost = (report: string, onNews: () => void) => Promise<ShelfHost>
