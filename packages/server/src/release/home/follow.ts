// Holds a release open to be served: the current one, swapped as soon as another is activated, or else a sound one.
//
// Everything that it reads of the home it reads on other threads, one file after the other: a disk that does not respond
// is reported, and the mapped release goes on being served.
import { type FSWatcher, type Stats, watch } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Log } from '../../base/log.ts'
import { messageOf } from '../../base/operational-error.ts'
import type { Release } from '../release.ts'
import { isExpired } from '../signing/release-signature.ts'
import type { ReleaseStore } from './release-store.ts'
import {
  currentOrReason,
  type Damage,
  damageOf,
  noDamage,
  openEarlier,
  openSound,
  type ReleaseToServe,
} from './release-to-serve.ts'

export type Following = Disposable & {
  readonly release: () => Release
  /** Why something else is served than should be, in words for an operator; empty when all is well. */
  readonly degraded: () => readonly string[]
  /** Checks the home at once, for example because damage was found or mended. Resolves when that is done. */
  readonly look: () => Promise<void>
}

type FollowOptions = {
  readonly log: Log
  readonly onSwap?: (release: Release) => void
  /** The damage that the scrub has found so far. */
  readonly damage?: () => Damage
  /** Reports changes in a directory. */
  readonly watch?: WatchDirectory
}

type WatchDirectory = (path: string, onChange: (name: string | null) => void) => Pick<FSWatcher, 'close'>

const watchDirectory: WatchDirectory = (path, onChange) =>
  watch(path, (_event, name) => onChange(name)).on('error', () => {})

/** The time between two checks of the home: some file systems report no changes. */
const POLL_MILLISECONDS = 1_000
const FIRST_LOOK_MILLISECONDS = 100
/**
 * A check during which more polls are due is reported; the next one waits for it. Polls are counted and not seconds: when the
 * machine sleeps or the process is stopped, none is due.
 */
const MAX_MISSED_POLLS = 2
/** When garbage is looked for after a swap: requests that were being handled may hold the release before for a while. */
const UNMAP_MILLISECONDS = [50, 1_000, 5_000]

/** Something that is wrong for a while: reported when it begins and when it is over. */
export const FOLLOW_PROBLEMS = {
  'home-silent': { over: 'home-responds', words: 'The home responds again.' },
  'home-gone': { over: 'home-returned', words: 'The home is there again.' },
  'current-unreadable': { over: 'current-readable', words: 'It is known again which release is current.' },
  'release-refused': { over: 'release-mended', words: 'The current release can be opened again.' },
  'release-not-reopened': { over: 'release-mended', words: 'The current release can be opened again.' },
  'earlier-release-served': { over: 'release-mended', words: 'The current release can be opened again.' },
  'signature-expired': { over: 'signature-renewed', words: 'The signature of the release that is served holds again.' },
  'damaged-release-served': { over: 'release-mended', words: 'The release that is served is sound again.' },
} as const

type Problem = { readonly event: keyof typeof FOLLOW_PROBLEMS; readonly message: string }

export function followCurrent(
  store: ReleaseStore,
  first: ReleaseToServe,
  { log, onSwap, damage = () => noDamage, watch = watchDirectory }: FollowOptions,
): Following {
  let { release } = first
  let changeOfFiles: (() => Promise<FileChange>) | undefined
  /** True if the release is served because the current one cannot be. */
  let isFallback = first.reason !== undefined
  let problem: Problem | undefined
  /** The look that the next one has to wait for. */
  let looking: Promise<void> | undefined
  let missedPolls = 0
  let wanted: { readonly activated: boolean } | undefined
  let isOver = false

  const swap = async (next: Release, fallback: boolean) => {
    const opened = await filesOf(next)
    if (isOver) return
    changeOfFiles = opened
    release = next
    isFallback = fallback
    onSwap?.(next)
    const message = `Serving release ${short(next.digest)} from now on.`
    log({ level: 'info', event: 'release-swapped', message, release: next.digest })
    // The files of the old release are unmapped when they are found to be garbage.
    for (const milliseconds of UNMAP_MILLISECONDS) setTimeout(() => isOver || Bun.gc(true), milliseconds).unref()
  }

  /** Opens what should be served, and says what stands in the way. */
  const follow = async (activated: boolean): Promise<Problem | undefined> => {
    const isFirst = changeOfFiles === undefined
    changeOfFiles ??= await filesOf(release)
    await watcher.renew()
    const current = await currentOrReason(store)
    if ('reason' in current) {
      const kept = `release ${short(release.digest)} goes on being served`
      return current.isMissing
        ? { event: 'home-gone', message: `THE HOME IS GONE, ${kept}: ${current.reason}` }
        : { event: 'current-unreadable', message: `NOBODY KNOWS WHICH RELEASE IS CURRENT, ${kept}: ${current.reason}` }
    }
    const { digest } = current
    const isServed = digest === release.digest
    const change = await changeOfFiles()
    const isDamaged = change === 'cut short' || damageOf(release, damage()) !== undefined
    // It may have been built again between its opening and the first look at its files.
    if (isServed && change === undefined && !isDamaged && !activated && !isFirst) return expired(release)
    try {
      const next = await openSound(store, digest, damage())
      // A release that was mended has the same digest; what is open is still the damaged one.
      const isOther = next.manifest.built !== release.manifest.built || next.proof?.expires !== release.proof?.expires
      if (!isServed || change !== undefined || isOther) await swap(next, false)
      isFallback = false
      return expired(next)
    } catch (error) {
      return withoutCurrent(digest, messageOf(error), isDamaged)
    }
  }

  /** The open release goes on being served unless it is damaged: a mapped file stays whole when it is removed. */
  const withoutCurrent = async (digest: string, reason: string, isDamaged: boolean): Promise<Problem> => {
    if (!isDamaged && digest === release.digest)
      return {
        event: 'release-not-reopened',
        message: `THE CURRENT RELEASE CANNOT BE OPENED ANEW, workers that have it open go on serving it: ${reason}`,
      }
    if (!isDamaged && !isFallback)
      return { event: 'release-refused', message: `Not swapped, the release before goes on being served: ${reason}` }
    const earlier = isDamaged ? await openEarlier(store, digest, damage()) : release
    if (earlier === undefined)
      return {
        event: 'damaged-release-served',
        message: `A DAMAGED RELEASE IS SERVED, and no other is sound: ${reason}`,
      }
    if (isDamaged) await swap(earlier, true)
    return earlierServed(earlier, digest, reason)
  }

  /** It may be mended, so it is tried again at every poll; the same problem is reported once. */
  const report = (newProblem: Problem | undefined) => {
    if (isOver || newProblem?.message === problem?.message) return
    if (newProblem !== undefined)
      log({ level: 'error', event: newProblem.event, message: newProblem.message, release: release.digest })
    else if (problem !== undefined) {
      const { over, words } = FOLLOW_PROBLEMS[problem.event]
      log({ level: 'info', event: over, message: words, release: release.digest })
    }
    problem = newProblem
  }

  /** Checks until no further check is wanted: all that are requested meanwhile share the next. */
  const lookWhileWanted = async () => {
    while (wanted !== undefined && !isOver) {
      const { activated } = wanted
      wanted = undefined
      missedPolls = 0
      report(await follow(activated))
    }
  }

  const look = (activated: boolean): Promise<void> => {
    wanted = { activated: activated || wanted?.activated === true }
    looking ??= lookWhileWanted().finally(() => {
      looking = undefined
      if (isOver) watcher[Symbol.dispose]()
    })
    return looking
  }

  const poll = () => {
    if (looking === undefined) void look(false)
    else if (++missedPolls > MAX_MISSED_POLLS) report(silent(store, release))
  }

  const watcher = homeWatcher(store, watch, () => void look(true))
  const timer = setInterval(poll, POLL_MILLISECONDS)
  // A start with another release than the current one is reported at once; else the first requests come first.
  const firstLook = setTimeout(
    () => {
      if (changeOfFiles === undefined) void look(false)
    },
    isFallback ? 0 : FIRST_LOOK_MILLISECONDS,
  )
  return {
    release: () => release,
    degraded: () => (problem === undefined ? [] : [problem.message]),
    look: () => look(true),
    [Symbol.dispose]: () => {
      isOver = true
      clearInterval(timer)
      clearTimeout(firstLook)
      watcher[Symbol.dispose]()
    },
  }
}

const short = (digest: string) => digest.slice(0, 12)

/** The problem of a home that nothing can be read of, and that does not say so. */
function silent({ home }: ReleaseStore, { digest }: Release): Problem {
  const since = `a look at ${home} has not ended after ${((MAX_MISSED_POLLS + 1) * POLL_MILLISECONDS) / 1_000} s`
  const message = `THE HOME DOES NOT RESPOND, release ${short(digest)} goes on being served: ${since}`
  return { event: 'home-silent', message }
}

/** The problem of a release whose signature has expired: a newer release may be held back. */
function expired({ digest, proof }: Release): Problem | undefined {
  if (proof === undefined || !isExpired(proof)) return undefined
  const message =
    `THE SIGNATURE OF RELEASE ${short(digest)} HAS EXPIRED on ${proof.expires}, and it goes on being served: see whether there is ` +
    'a newer release that does not get here, or sign it again.'
  return { event: 'signature-expired', message }
}

/** The problem of serving another release than the current one. */
function earlierServed({ digest, manifest }: Release, current: string, reason: string): Problem {
  const message = `AN EARLIER RELEASE IS SERVED: ${short(digest)}, built ${manifest.built}, instead of ${short(current)}: ${reason}`
  return { event: 'earlier-release-served', message }
}

/** The stats of a path; undefined if it is not there or cannot be reached. */
const statOrNone = (path: string): Promise<Stats | undefined> => stat(path).catch(() => undefined)

/** Files whose stats are read at a look, of very many some after the others: each takes some microseconds, every second. */
const MAX_FILES_AT_A_LOOK = 500

type FileChange = 'cut short' | 'replaced' | undefined

/** Keeps how the files of a release are when it is opened, and returns a check of what has become of them. */
async function filesOf(release: Release): Promise<() => Promise<FileChange>> {
  const paths = [...release.catalog.entities.keys()].flatMap((name) => {
    const { stored } = release.entity(name)
    return Object.entries(stored?.manifest.files ?? {}).map(
      ([file, { size }]) => [join(stored?.directory ?? '', file), size] as const,
    )
  })
  const files = await Promise.all(paths.map(async ([path, size]) => ({ path, size, opened: await statOrNone(path) })))
  let at = 0
  // A process that reads a mapped file beyond an end that it has lost is killed, so this is checked all the time.
  return async () => {
    let change: FileChange
    const some = [...files.slice(at), ...files.slice(0, at)].slice(0, MAX_FILES_AT_A_LOOK)
    at = (at + some.length) % Math.max(files.length, 1)
    for (const { path, size, opened } of some) {
      const stats = await statOrNone(path)
      const isSame = stats !== undefined && stats.ino === opened?.ino && stats.dev === opened.dev
      if (isSame && stats.size !== size) return 'cut short'
      if (!isSame) change = 'replaced'
    }
    return change
  }
}

/** Watches the directory that has the name of the home, also after another one has got it. */
function homeWatcher({ home, currentFile }: ReleaseStore, watch: WatchDirectory, onActivated: () => void) {
  let watched: { readonly directory: string; readonly watcher: Pick<FSWatcher, 'close'> } | undefined
  const stop = () => {
    watched?.watcher.close()
    watched = undefined
  }
  return {
    renew: async () => {
      const stats = await statOrNone(home)
      const directory = stats && `${stats.dev} ${stats.ino}`
      if (directory === watched?.directory) return
      stop()
      if (directory === undefined) return
      try {
        const watcher = watch(home, (name) => {
          if (name === basename(currentFile)) onActivated()
        })
        watched = { directory, watcher }
      } catch {
        // The system may have no watch left to give; polling then has to do.
      }
    },
    [Symbol.dispose]: stop,
  }
}
