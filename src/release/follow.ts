// Holds the current release open, and swaps it for another as soon as one is activated.
import { watch } from 'node:fs'
import { basename } from 'node:path'
import type { Release } from './release.ts'
import type { Shelf } from './shelf.ts'

export type Following = Disposable & { readonly release: () => Release }

export type FollowEvents = {
  readonly onSwap: (release: Release) => void
  /** The activated release could not be opened; the one before goes on being served. */
  readonly onRefused: (reason: string) => void
}

/** File systems that report no changes are looked at this often. */
const POLL_MILLISECONDS = 1_000
const UNMAP_MILLISECONDS = 50

export function followCurrent(shelf: Shelf, first: Release, { onSwap, onRefused }: FollowEvents): Following {
  let release = first
  let refused: string | undefined
  const look = () => {
    let digest: string | undefined
    try {
      digest = shelf.currentDigest()
      if (digest === undefined || digest === release.manifest.digest || digest === refused) return
      release = shelf.open(digest)
      onSwap(release)
      // The files of the old release are unmapped once nothing refers to them; this is when that is found out.
      setTimeout(() => Bun.gc(true), UNMAP_MILLISECONDS)
    } catch (error) {
      if (digest !== undefined && digest === refused) return
      refused = digest
      onRefused(error instanceof Error ? error.message : String(error))
    }
  }
  const name = basename(shelf.currentFile)
  const watcher = watch(shelf.home, (_event, file) => {
    if (file === name) look()
  })
  const timer = setInterval(look, POLL_MILLISECONDS)
  return {
    release: () => release,
    [Symbol.dispose]: () => {
      clearInterval(timer)
      watcher.close()
    },
  }
}
