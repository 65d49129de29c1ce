// What a shared shelf is to those who read it, wherever it lies: a pointer, releases, and entities in chunks named by digest.
import type { FileChunk } from './chunks.ts'
import type { Listing, Pointer } from './pointer.ts'

export type ShelvedEntity = {
  /** Its entity.json, byte for byte. */
  readonly manifest: string
  /** Its files in order, piece after piece. */
  readonly chunks: readonly FileChunk[]
}

/** Nothing that it gives has been checked. */
export type ShelfReader = {
  listing(): Promise<Listing>
  /** Undefined where there is no such entity. */
  entity(digest: string): Promise<ShelvedEntity | undefined>
  /** Chunks of an entity, compressed, in any order; those that are not there are left out. */
  chunks(entity: string, digests: readonly string[]): AsyncIterable<readonly [digest: string, packed: Uint8Array]>
}

/** A shelf that is looked at again and again. */
export type FollowedShelf = ShelfReader &
  AsyncDisposable & {
    /** Says which state the shelf has; `report` lets others see what this node serves. */
    pointer(report: string): Promise<Pointer>
    /** How often to look, in milliseconds, where nothing is told meanwhile. */
    readonly pollMilliseconds: number
    /** Resolves when it has to be opened anew. */
    readonly closed: Promise<void>
    destroy(): void
  }

/** Opens a shelf; `onNews` is called whenever something was done about it. */
export type OpenShelf = (report: string, onNews: () => void) => Promise<FollowedShelf>
