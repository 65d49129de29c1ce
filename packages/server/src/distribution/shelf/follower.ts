// Keeps the home of a running service at the state of the shared shelf, and says how that is going.
import { rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Log } from '../../base/log.ts'
import { diskFailure, OperationalError } from '../../base/operational-error.ts'
import type { OnShelf, ShelfStatus, ShelfTrouble } from '../../http/observation/shelf-status.ts'
import { hasText } from '../../release/files/regular-file.ts'
import { tryLockHome } from '../../release/home/lock.ts'
import type { ReleaseStore } from '../../release/home/release-store.ts'
import { fetchShelf } from './fetch.ts'
import { JitteredBackoff } from './jittered-backoff.ts'
import { compareStates, type HostPointer, readFollowed, relationOf } from './pointer.ts'
import { ShelfAway, ShelfRefused, ShelfSilent } from './shelf-failures.ts'
import { ShelfList } from './shelf-list.ts'
import type { FollowedShelf, OpenShelf } from './shelf-reader.ts'

/** The troubles with a shelf, each with what is logged when it begins and when it is over. */
export const SHELF_TROUBLES = {
  away: { event: 'shelf-away', over: 'shelf-returned', words: 'The shelf is there again.' },
  older: { event: 'shelf-older', over: 'shelf-followed', words: 'The shelf is followed again.' },
  fork: { event: 'shelf-fork', over: 'shelf-followed', words: 'The shelf is followed again, and has one state.' },
  refused: { event: 'shelf-refused', over: 'shelf-followed', words: 'The shelf is followed again.' },
} as const

type FollowerOptions = {
  readonly open: OpenShelf
  readonly store: ReleaseStore
  readonly log: Log
  /** The release that is served at the moment, to be told to the shelf. */
  readonly served: () => string | undefined
  readonly onTrouble: (trouble: ShelfTrouble | undefined) => void
  /** What is known to be damaged on disk, by the digest of the entity: it is fetched again. */
  readonly damaged?: () => readonly string[]
  readonly random?: () => number
}

/** The poll while workers change to another release, which is reported soon. */
const SHORT_POLL_MILLISECONDS = 1_000
const BUSY_MILLISECONDS = 200
const RECONNECT = { first: 250, max: 10_000 }
const REFUSED = { first: 1_000, max: 60_000 }
/** How many states that were refused are remembered: a host may have another one each time. */
const MAX_REFUSED = 100

export class ShelfFollower implements AsyncDisposable {
  readonly #options: FollowerOptions
  readonly #random: () => number
  readonly #reconnect: JitteredBackoff
  readonly #retry: JitteredBackoff
  readonly #tried = Promise.withResolvers<OperationalError | undefined>()
  #running: Promise<void> | undefined
  #connection: FollowedShelf | undefined
  readonly #stopped = Promise.withResolvers<void>()
  #isStopped = false
  #wake = () => {}
  #isWoken = false
  /** The state that the home was brought to by this process. */
  #applied:
    | { readonly change: string; readonly history: string; readonly complete: boolean; readonly damaged: string }
    | undefined
  /** What was refused, by the name of the change: it is not tried again before its time, unless something is done about it. */
  readonly #refused = new Map<string, { readonly until: number; readonly failure: OperationalError }>()
  #trouble: ShelfTrouble | undefined
  #generation = 0
  /** Since when the shelf is known to have another current release than the home, in milliseconds since 1970. */
  #behindSince: number | undefined
  /** On a connection of its own: that which follows may be busy with a copy. */
  readonly #list = new ShelfList(
    async () => {
      await using connection = await this.#options.open('', () => {})
      const { change, releases } = await connection.listing()
      if (change !== this.#applied?.change) this.wake()
      return releases.keys()
    },
    async (digest) => (await this.#connection?.awaits?.(digest)) ?? false,
  )
  #fetchedChunks = 0
  #fetchedBytes = 0
  #connects = 0

  constructor(options: FollowerOptions) {
    this.#options = options
    this.#random = options.random ?? Math.random
    this.#reconnect = new JitteredBackoff(RECONNECT.first, RECONNECT.max, this.#random)
    this.#retry = new JitteredBackoff(REFUSED.first, REFUSED.max, this.#random)
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Resolves after the first attempt, with why it failed. */
  get tried(): Promise<OperationalError | undefined> {
    return this.#tried.promise
  }

  get status(): ShelfStatus {
    return {
      isConnected: this.#connection !== undefined,
      trouble: this.#trouble,
      generation: this.#generation,
      lagSeconds: this.#behindSince === undefined ? 0 : (Date.now() - this.#behindSince) / 1_000,
      fetchedChunks: this.#fetchedChunks,
      fetchedBytes: this.#fetchedBytes,
      connects: this.#connects,
    }
  }

  /** Whether the shelf has a release that the home lacks. */
  async has(digest: string): Promise<OnShelf> {
    return this.#trouble?.kind === 'away' ? 'unknown' : this.#list.has(digest)
  }

  /** Looks at the shelf at once. */
  wake(): void {
    this.#isWoken = true
    this.#wake()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true
    this.#stopped.resolve()
    this.#connection?.destroy()
    this.wake()
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.#connectAndFollow()
      } catch (error) {
        if (this.#isStopped) return
        const failure = failureOf(error)
        const isSilent = failure instanceof ShelfSilent
        const isKnownLoss = failure instanceof ShelfAway && !isSilent && this.#connection !== undefined
        this.#connection = undefined
        // A connection that breaks is nothing to tell if the next attempt succeeds.
        if (!isKnownLoss) this.#tell(failure instanceof ShelfRefused ? 'refused' : 'away', failure)
        this.#tried.resolve(failure)
        await Promise.race([Bun.sleep(this.#reconnect.next()), this.#stopped.promise])
      }
    }
  }

  async #connectAndFollow(): Promise<void> {
    await using connection = await this.#options.open(this.#reportName, () => {
      // Something was done about the shelf; what was refused is tried again.
      this.#refused.clear()
      this.wake()
    })
    this.#connection = connection
    this.#connects++
    if (this.#isStopped) return
    void connection.closed.then(() => this.wake())
    for (;;) {
      this.#isWoken = false
      const pointers = await connection.pointers(this.#reportName)
      this.#reconnect.reset()
      const isBusy = await this.#catchUp(connection, pointers)
      if (this.#isStopped) return
      const poll = isBusy ? BUSY_MILLISECONDS : this.#isSwapping ? SHORT_POLL_MILLISECONDS : connection.pollMilliseconds
      // Nodes that were started together need not poll together.
      await this.#pause(poll * (0.5 + this.#random()))
    }
  }

  #measureLag(newest: HostPointer | undefined): void {
    const isBehind = newest !== undefined && newest.generation > 0 && this.#followed()?.change !== newest.change
    this.#behindSince = isBehind ? (this.#behindSince ?? Date.now()) : undefined
  }

  #followed = () => readFollowed(this.#options.store.home)

  /** Fetches what the shelf has and the home has not. Says whether another process changes the home at the moment. */
  async #catchUp(connection: FollowedShelf, pointers: readonly HostPointer[]): Promise<boolean> {
    const { store } = this.#options
    // On another thread: the supervisor, in which this runs, must not wait for a home that does not respond.
    await store.historyAsync().catch(() => [])
    const { states, trouble } = compareStates(pointers, this.#followed())
    const [newest] = states
    this.#generation = (newest ?? pointers[0])?.generation ?? 0
    this.#measureLag(newest)
    let failure: OperationalError | undefined
    // What cannot be taken from the longest chain may be sound on the next one.
    for (const state of states) {
      if (state.generation === 0 || this.#isFollowed(state)) break
      const outcome = await this.#take(connection, state)
      if (outcome === 'busy') return true
      failure ??= outcome
      const followed = this.#followed()
      if (followed !== undefined && relationOf(state, followed) === 'same') break
    }
    this.#measureLag(newest)
    if (failure !== undefined) this.#tell('refused', failure)
    else if (trouble !== undefined) this.#tell(trouble.kind, new OperationalError(trouble.message))
    else this.#settle()
    this.#tried.resolve(failure)
    return false
  }

  /** Brings the home to a state; gives why it could not, or that another process has the home. */
  async #take(connection: FollowedShelf, state: HostPointer): Promise<OperationalError | 'busy' | undefined> {
    const { store } = this.#options
    const known = this.#refused.get(state.change)
    if (known !== undefined && performance.now() < known.until) return known.failure
    try {
      using lock = tryLockHome(store.home, 'serve, which follows the shelf')
      if (lock === undefined) return 'busy'
      await this.#fetch(connection, state)
      this.#refused.clear()
      this.#retry.reset()
      return undefined
    } catch (error) {
      if (error instanceof ShelfAway) throw error
      const failure = hasCode(error, 'EROFS') ? new OperationalError(readOnlyWords(store.home)) : failureOf(error)
      // What was fetched of a release that does not fit takes room that others need.
      if (hasCode(error, 'ENOSPC', 'EDQUOT')) rmSync(join(store.home, 'fetching'), { recursive: true, force: true })
      if (this.#refused.size === MAX_REFUSED) this.#refused.clear()
      this.#refused.set(state.change, { until: performance.now() + this.#retry.next(), failure })
      return failure
    }
  }

  async #fetch(connection: FollowedShelf, state: HostPointer): Promise<void> {
    const { store, log } = this.#options
    const damaged = this.#damaged()
    const started = performance.now()
    const before = { chunks: this.#fetchedChunks, bytes: this.#fetchedBytes }
    const { listing, missing } = await fetchShelf(store, connection, {
      state,
      damaged: (digest) => damaged.includes(digest),
      onChunk: (bytes) => {
        this.#fetchedChunks++
        this.#fetchedBytes += bytes
      },
    })
    const complete = missing.length === 0
    this.#applied = { change: listing.change, history: listing.history, complete, damaged: damaged.join() }
    const chunks = this.#fetchedChunks - before.chunks
    const bytes = this.#fetchedBytes - before.bytes
    const milliseconds = Math.round(performance.now() - started)
    const message = `The home has generation ${listing.generation} of the shelf: ${chunks} chunks, ${bytes} bytes fetched in ${milliseconds} ms.`
    log({ level: 'info', event: 'shelf-fetched', message, generation: listing.generation, chunks, bytes, milliseconds })
    // The current release is there; what is missing of others is tried again.
    if (!complete) throw new OperationalError(missing.join(' '))
  }

  #isFollowed({ change }: HostPointer): boolean {
    const applied = this.#applied
    if (applied === undefined || applied.change !== change || !applied.complete) return false
    // Tried once for each damage that is found: the shelf need not have what is damaged.
    const damaged = this.#damaged().join()
    if (damaged !== '' && damaged !== applied.damaged) return false
    return hasText(this.#options.store.currentFile, applied.history)
  }

  #damaged = (): string[] => [...(this.#options.damaged?.() ?? [])].sort()

  #settle(): void {
    const { log, onTrouble } = this.#options
    if (this.#trouble === undefined) return
    const { over, words } = SHELF_TROUBLES[this.#trouble.kind]
    this.#trouble = undefined
    log({ level: 'info', event: over, message: words })
    onTrouble(undefined)
  }

  /** Each trouble is told once; how long it lasts is counted from its beginning. */
  #tell(kind: ShelfTrouble['kind'], { message }: OperationalError): void {
    const { log, onTrouble } = this.#options
    if (this.#trouble?.kind === kind && this.#trouble.message === message) return
    const since = this.#trouble?.kind === kind ? this.#trouble.since : Math.floor(Date.now() / 1_000)
    const isNews = this.#trouble?.kind !== kind || kind === 'refused'
    this.#trouble = { kind, since, message }
    const { event } = SHELF_TROUBLES[kind]
    const words =
      kind === 'fork' ? message : `THE SHELF IS NOT FOLLOWED, what is in the home goes on being served: ${message}`
    if (isNews) log({ level: 'error', event, message: words })
    onTrouble(this.#trouble)
  }

  /** Waits until the time is over, or something is to be looked at. */
  async #pause(milliseconds: number): Promise<void> {
    if (this.#isWoken || this.#isStopped) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wake = resolve
    const timer = setTimeout(resolve, milliseconds)
    await promise
    clearTimeout(timer)
  }

  /** Whether what is served is not yet what is current, and so is to be reported soon. */
  get #isSwapping(): boolean {
    try {
      return this.#options.served() !== this.#options.store.currentDigest()
    } catch {
      return false
    }
  }

  /** How this service appears among the sessions of the server; the server adds the time. */
  get #reportName(): string {
    const release = this.#options.served()?.slice(0, 12) ?? '-'
    const state = { away: 'a', older: 'o', fork: 'k', refused: 'r', none: 'f' }[this.#trouble?.kind ?? 'none']
    return `${shortHost()}/${process.pid}:${release}:${state}:`
  }
}

const MAX_HOST = 19

/** The server keeps 63 bytes of the name of a session; the end of a long name tells hosts apart, as of containers. */
const shortHost = (): string =>
  hostname()
    .replace(/[^A-Za-z0-9.-]/g, '-')
    .slice(-MAX_HOST)

const failureOf = (error: unknown): OperationalError => {
  if (error instanceof OperationalError) return error
  return diskFailure(error) ?? new OperationalError(error instanceof Error ? error.message : String(error))
}

const readOnlyWords = (home: string): string =>
  `${home} is read-only, and what cannot be written cannot be followed. Give --home a directory that can be written, which may begin ` +
  'as a copy of this one, or leave --shelf out.'

const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))
