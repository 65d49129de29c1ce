// Holds the current release open, and swaps it for another as soon as one is activated.
import { type FSWatcher, watch } from 'node:fs'
import { basename } from 'node:path'
import type { Release } from '../release.ts'
import type { Shelf } from './shelf.ts'

export type Following = Disposable & { readonly release: () => Release }

type FollowEvents = {
  readonly onSwap: (release: Release) => void
  /** The activated release could not be opened; the one before goes on being served. */
  readonly onRefused: (reason: string) => void
}

/** For file systems that report no changes. */
const POLL_MILLISECONDS = 1_000
const UNMAP_MILLISECONDS = 50

export function followCurrent(shelf: Shelf, first: Release, { onSwap, onRefused }: FollowEvents): Following {
  let release = first
  let refused: string | undefined
  const swap = (next: Release) => {
    release = next
    onSwap(next)
    // The files of the old release are unmapped when they are found to be garbage.
    setTimeout(() => Bun.gc(true), UNMAP_MILLISECONDS)
  }
  const poll = (activated = false) => {
    try {
      const digest = shelf.currentDigest()
      if (digest !== undefined && (activated || digest !== release.digest)) {
        const next = shelf.open(digest)
        // A release that was mended has the same digest; what is open is still the damaged one.
        if (digest !== release.digest || next.manifest.built !== release.manifest.built) swap(next)
      }
      refused = undefined
    } catch (error) {
      // It may be repaired, so it is tried again at every poll; the reason is reported once.
      const reason = error instanceof Error ? error.message : String(error)
      if (reason !== refused) onRefused(reason)
      refused = reason
    }
  }
  const onActivated = () => {
    // Activated anew, a release that was refused may have been mended.
    refused = undefined
    poll(true)
  }
  const watcher = watchIfPossible(shelf, onActivated)
  const timer = setInterval(() => poll(), POLL_MILLISECONDS)
  return {
    release: () => release,
    [Symbol.dispose]: () => {
      clearInterval(timer)
      watcher?.close()
    },
  }
}

/** The system may have no watch left to give; polling then has to do. */
function watchIfPossible(shelf: Shelf, onActivated: () => void): FSWatcher | undefined {
  const name = basename(shelf.currentFile)
  try {
    return watch(shelf.home, (_event, file) => {
      if (file === name) onActivated()
    }).on('error', () => {})
  } catch {
    return undefined
  }
}
