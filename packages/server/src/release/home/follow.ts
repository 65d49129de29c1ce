// Holds a release open to be served: the current one, swapped as soon as another is activated, or else a sound one.

import { type FSWatcher, type Stats, statSync, watch } from 'node:fs'
import { basename, join } from 'node:path'
import { messageOf } from '../../base/failure.ts'
import type { Log } from '../../base/log.ts'
import type { Release } from '../release.ts'
import { currentOrReason, type Damage, damageOf, noDamage, openEarlier, openSound, type Servable } from './servable.ts'
import type { Shelf } from './shelf.ts'

export type Following = Disposable & {
  readonly release: () => Release
  /** Why something else is served than should be, in words for an operator; empty when all is well. */
  readonly degraded: () => readonly string[]
  /** Looks at the home at once, for example because damage was found or mended. */
  readonly look: () => void
}

type FollowOptions = {
  readonly log: Log
  readonly onSwap?: (release: Release) => void
  /** What is known to be damaged at the moment. */
  readonly damage?: () => Damage
}

/** How often the home is looked at: some file systems report no changes. */
const POLL_MILLISECONDS = 1_000
/** When garbage is looked for after a swap: requests that were being handled may hold the release before for a while. */
const UNMAP_MILLISECONDS = [50, 1_000, 5_000]

/** Something that is wrong for a while: reported when it begins and when it is over. */
export const FOLLOW_PROBLEMS = {
  'home-gone': { over: 'home-returned', words: 'The home is there again.' },
  'current-unreadable': { over: 'current-readable', words: 'It is known again which release is current.' },
  'release-refused': { over: 'release-mended', words: 'The current release can be opened again.' },
  'release-not-reopened': { over: 'release-mended', words: 'The current release can be opened again.' },
  'earlier-release-served': { over: 'release-mended', words: 'The current release can be opened again.' },
  'damaged-release-served': { over: 'release-mended', words: 'The release that is served is sound again.' },
} as const

type Problem = { readonly event: keyof typeof FOLLOW_PROBLEMS; readonly message: string }

export function followCurrent(
  shelf: Shelf,
  first: Servable,
  { log, onSwap, damage = () => noDamage }: FollowOptions,
): Following {
  let { release } = first
  let files = new OpenFiles(release)
  /** Whether it is served because the current one cannot be. */
  let isStandIn = first.reason !== undefined
  let problem: Problem | undefined

  const swap = (next: Release, standsIn: boolean) => {
    release = next
    files = new OpenFiles(next)
    isStandIn = standsIn
    onSwap?.(next)
    const message = `Serving release ${short(next.digest)} from now on.`
    log({ level: 'info', event: 'release-swapped', message, release: next.digest })
    // The files of the old release are unmapped when they are found to be garbage.
    for (const milliseconds of UNMAP_MILLISECONDS) setTimeout(() => Bun.gc(true), milliseconds).unref()
  }

  /** Opens what should be served, and says what stands in the way. */
  const follow = (activated: boolean): Problem | undefined => {
    const current = currentOrReason(shelf)
    if ('reason' in current) {
      const kept = `release ${short(release.digest)} goes on being served`
      return current.isMissing
        ? { event: 'home-gone', message: `THE HOME IS GONE, ${kept}: ${current.reason}` }
        : { event: 'current-unreadable', message: `NOBODY KNOWS WHICH RELEASE IS CURRENT, ${kept}: ${current.reason}` }
    }
    const { digest } = current
    const isServed = digest === release.digest
    const change = files.change()
    const isDamaged = change === 'cut short' || damageOf(release, damage()) !== undefined
    if (isServed && change === undefined && !isDamaged && !activated) return undefined
    try {
      const next = openSound(shelf, digest, damage())
      // A release that was mended has the same digest; what is open is still the damaged one.
      if (!isServed || change !== undefined || next.manifest.built !== release.manifest.built) swap(next, false)
      isStandIn = false
      return undefined
    } catch (error) {
      return withoutCurrent(digest, messageOf(error), isDamaged)
    }
  }

  /** What is open goes on being served unless it is damaged: what is mapped stays whole when its file is removed. */
  const withoutCurrent = (digest: string, reason: string, isDamaged: boolean): Problem => {
    if (!isDamaged && digest === release.digest)
      return {
        event: 'release-not-reopened',
        message: `THE CURRENT RELEASE CANNOT BE OPENED ANEW, workers that have it open go on serving it: ${reason}`,
      }
    if (!isDamaged && !isStandIn)
      return { event: 'release-refused', message: `Not swapped, the release before goes on being served: ${reason}` }
    const earlier = isDamaged ? openEarlier(shelf, digest, damage()) : release
    if (earlier === undefined)
      return {
        event: 'damaged-release-served',
        message: `A DAMAGED RELEASE IS SERVED, and no other is sound: ${reason}`,
      }
    if (isDamaged) swap(earlier, true)
    return earlierServed(earlier, digest, reason)
  }

  const look = (activated = false) => {
    // It may be mended, so it is tried again at every poll; the same problem is reported once.
    const newProblem = follow(activated)
    if (newProblem?.message === problem?.message) return
    if (newProblem !== undefined)
      log({ level: 'error', event: newProblem.event, message: newProblem.message, release: release.digest })
    else if (problem !== undefined) {
      const { over, words } = FOLLOW_PROBLEMS[problem.event]
      log({ level: 'info', event: over, message: words, release: release.digest })
    }
    problem = newProblem
  }

  // A start with another release than the current one is told at once.
  if (isStandIn) look()
  const watcher = new HomeWatcher(shelf, () => look(true))
  const timer = setInterval(() => {
    watcher.renew()
    look()
  }, POLL_MILLISECONDS)
  return {
    release: () => release,
    degraded: () => (problem === undefined ? [] : [problem.message]),
    look: () => look(true),
    [Symbol.dispose]: () => {
      clearInterval(timer)
      watcher[Symbol.dispose]()
    },
  }
}

const short = (digest: string) => digest.slice(0, 12)

/** The problem of serving another release than the current one. */
function earlierServed({ digest, manifest }: Release, current: string, reason: string): Problem {
  const message = `AN EARLIER RELEASE IS SERVED: ${short(digest)}, built ${manifest.built}, instead of ${short(current)}: ${reason}`
  return { event: 'earlier-release-served', message }
}

/** What the file system says of a path; undefined for what is not there or cannot be reached. */
function statOrNone(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

/** The files of a release as they were when it was opened. */
class OpenFiles {
  readonly #files: readonly { readonly path: string; readonly size: number; readonly opened: Stats | undefined }[]

  constructor(release: Release) {
    this.#files = [...release.catalog.entities.keys()].flatMap((name) => {
      const { stored } = release.entity(name)
      return Object.entries(stored?.manifest.files ?? {}).map(([file, { size }]) => {
        const path = join(stored?.directory ?? '', file)
        return { path, size, opened: statOrNone(path) }
      })
    })
  }

  /** Whoever reads a mapped file beyond an end that it has lost is killed, so this is looked at all the time. */
  change(): 'cut short' | 'replaced' | undefined {
    let change: 'replaced' | undefined
    for (const { path, size, opened } of this.#files) {
      const stats = statOrNone(path)
      const isSame = stats !== undefined && stats.ino === opened?.ino && stats.dev === opened.dev
      if (isSame && stats.size !== size) return 'cut short'
      if (!isSame) change = 'replaced'
    }
    return change
  }
}

/** Watches the directory that has the name of the home, also after another one has got it. */
class HomeWatcher implements Disposable {
  readonly #shelf: Shelf
  readonly #onActivated: () => void
  #watched: { readonly directory: string; readonly watcher: FSWatcher } | undefined

  constructor(shelf: Shelf, onActivated: () => void) {
    this.#shelf = shelf
    this.#onActivated = onActivated
    this.renew()
  }

  renew(): void {
    const directory = this.#directory()
    if (directory === this.#watched?.directory) return
    this[Symbol.dispose]()
    if (directory === undefined) return
    const name = basename(this.#shelf.currentFile)
    try {
      const watcher = watch(this.#shelf.home, (_event, file) => {
        if (file === name) this.#onActivated()
      }).on('error', () => {})
      this.#watched = { directory, watcher }
    } catch {
      // The system may have no watch left to give; polling then has to do.
    }
  }

  #directory(): string | undefined {
    const stats = statOrNone(this.#shelf.home)
    return stats && `${stats.dev} ${stats.ino}`
  }

  [Symbol.dispose](): void {
    this.#watched?.watcher.close()
    this.#watched = undefined
  }
}
