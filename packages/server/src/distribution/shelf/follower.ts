// Keeps the home of a running service at the state of the shared shelf, and reports its status.
import { rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { JitteredBackoff } from '../../base/jittered-backoff.ts'
import type { Log } from '../../base/log.ts'
import { diskFailure, OperationalError } from '../../base/operational-error.ts'
import type { OnShelf, ShelfStatus, ShelfTrouble } from '../../http/observation/shelf-status.ts'
import { hasText } from '../../release/files/regular-file.ts'
import { tryLockHome } from '../../release/home/lock.ts'
import type { ReleaseStore } from '../../release/home/release-store.ts'
import { fetchShelf } from './fetch.ts'
import { compareStates, type HostPointer, readFollowed, relationOf, stateName } from './pointer.ts'
import { ShelfAway, ShelfRefused, ShelfSilent } from './shelf-failures.ts'
import { ShelfList } from './shelf-list.ts'
import type { FollowedShelf, OpenShelf } from './shelf-reader.ts'

/** The troubles with a shelf, each with the events that are logged at its beginning and end. */
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
  /** Returns the release that the service serves, which is reported to the shelf. */
  readonly served: () => string | undefined
  readonly onTrouble: (trouble: ShelfTrouble | undefined) => void
  /** Returns the digests of entities that are damaged on disk, which are fetched again. */
  readonly damaged?: () => readonly string[]
  readonly random?: () => number
}

/** The poll while workers change to another release, so that it is reported soon. */
const SHORT_POLL_MILLISECONDS = 1_000
const BUSY_MILLISECONDS = 200
const RECONNECT = { first: 250, max: 10_000 }
const REFUSED = { first: 1_000, max: 60_000 }
/** The greatest number of missing releases that are reported. */
const MAX_REPORTED = 5
/** A host may offer another bad state each time. */
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
  /** The state to which this process has brought the home. */
  #applied:
    | { readonly change: string; readonly history: string; readonly complete: boolean; readonly damaged: string }
    | undefined
  /** Refused states by their names: each is tried again after a time, or after an update of the shelf. */
  readonly #refused = new Map<string, { readonly until: number; readonly failure: OperationalError }>()
  #trouble: ShelfTrouble | undefined
  #generation = 0
  /** The time since which the home lags behind the shelf, in milliseconds since 1970. */
  #behindSince: number | undefined
  /** Has a connection of its own, since the other one may be busy with a copy. */
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

  /** Resolves after the first attempt, with its failure if it failed. */
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

  /** Looks for a release on the shelf that the home lacks. */
  async has(digest: string): Promise<OnShelf> {
    return this.#trouble?.kind === 'away' ? 'unknown' : this.#list.has(digest)
  }

  /** Polls the shelf at once. */
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
        const isLostConnection = failure instanceof ShelfAway && !isSilent && this.#connection !== undefined
        this.#connection = undefined
        // A broken connection is not reported if the next attempt succeeds.
        if (!isLostConnection) this.#reportTrouble(failure instanceof ShelfRefused ? 'refused' : 'away', failure)
        this.#tried.resolve(failure)
        await Promise.race([Bun.sleep(this.#reconnect.next()), this.#stopped.promise])
      }
    }
  }

  async #connectAndFollow(): Promise<void> {
    await using connection = await this.#options.open(this.#reportName, () => {
      // The shelf was changed or mended: refused states are tried again.
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
      // Spreads the polls of nodes that were started together.
      await this.#pause(poll * (0.5 + this.#random()))
    }
  }

  #measureLag(newest: HostPointer | undefined): void {
    const isBehind = newest !== undefined && newest.generation > 0 && this.#followed()?.change !== newest.change
    this.#behindSince = isBehind ? (this.#behindSince ?? Date.now()) : undefined
  }

  #followed = () => readFollowed(this.#options.store.home)

  /** Brings the home to the newest state that it can take. Returns true if another process is changing the home. */
  async #catchUp(connection: FollowedShelf, pointers: readonly HostPointer[]): Promise<boolean> {
    const { store } = this.#options
    // Reads on another thread first: the supervisor must not wait for a disk that does not respond.
    await store.historyAsync().catch(() => [])
    const { states, trouble } = compareStates(pointers, this.#followed())
    const [newest] = states
    this.#generation = (newest ?? pointers[0])?.generation ?? 0
    this.#measureLag(newest)
    let failure: OperationalError | undefined
    // A state that is not sound on the longest chain may be sound on the next one.
    for (const state of states) {
      if (state.generation === 0 || this.#isFollowed(state)) break
      const outcome = await this.#bringTo(connection, state)
      if (outcome === 'busy') return true
      failure ??= outcome
      const followed = this.#followed()
      if (followed !== undefined && relationOf(state, followed) === 'same') break
    }
    this.#measureLag(newest)
    if (failure !== undefined) this.#reportTrouble('refused', failure)
    else if (trouble !== undefined) this.#reportTrouble(trouble.kind, new OperationalError(trouble.message))
    else this.#endTrouble()
    this.#tried.resolve(failure)
    return false
  }

  /** Brings the home to a state. Returns the failure, or 'busy' if another process has locked the home. */
  async #bringTo(connection: FollowedShelf, state: HostPointer): Promise<OperationalError | 'busy' | undefined> {
    const { store } = this.#options
    const refused = this.#refused.get(stateName(state))
    if (refused !== undefined && performance.now() < refused.until) return refused.failure
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
      // Parts of a release that does not fit on the disk take room that others need.
      if (hasCode(error, 'ENOSPC', 'EDQUOT')) rmSync(join(store.home, 'fetching'), { recursive: true, force: true })
      if (this.#refused.size === MAX_REFUSED) this.#refused.clear()
      this.#refused.set(stateName(state), { until: performance.now() + this.#retry.next(), failure })
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
    // The home has the current release; the others are tried again.
    if (!complete) throw new OperationalError(missing.slice(0, MAX_REPORTED).join(' '))
  }

  #isFollowed({ change }: HostPointer): boolean {
    const applied = this.#applied
    if (applied === undefined || applied.change !== change || !applied.complete) return false
    // Tried once for each damage that is found, since the shelf may not have the damaged entity.
    const damaged = this.#damaged().join()
    if (damaged !== '' && damaged !== applied.damaged) return false
    return hasText(this.#options.store.currentFile, applied.history)
  }

  #damaged = (): string[] => [...(this.#options.damaged?.() ?? [])].sort()

  #endTrouble(): void {
    const { log, onTrouble } = this.#options
    if (this.#trouble === undefined) return
    const { over, words } = SHELF_TROUBLES[this.#trouble.kind]
    this.#trouble = undefined
    log({ level: 'info', event: over, message: words })
    onTrouble(undefined)
  }

  /** Logs each trouble once; its time counts from its beginning. */
  #reportTrouble(kind: ShelfTrouble['kind'], { message }: OperationalError): void {
    const { log, onTrouble } = this.#options
    if (this.#trouble?.kind === kind && this.#trouble.message === message) return
    const since = this.#trouble?.kind === kind ? this.#trouble.since : Math.floor(Date.now() / 1_000)
    const isLogged = this.#trouble?.kind !== kind || kind === 'refused'
    this.#trouble = { kind, since, message }
    const { event } = SHELF_TROUBLES[kind]
    const still = this.#hasRelease
      ? 'what is in the home goes on being served'
      : 'and the home has nothing to serve yet'
    const words = kind === 'fork' ? message : `THE SHELF IS NOT FOLLOWED, ${still}: ${message}`
    if (isLogged) log({ level: 'error', event, message: words })
    onTrouble(this.#trouble)
  }

  /** Waits for a time, or until `wake` is called. */
  async #pause(milliseconds: number): Promise<void> {
    if (this.#isWoken || this.#isStopped) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wake = resolve
    const timer = setTimeout(resolve, milliseconds)
    await promise
    clearTimeout(timer)
  }

  get #hasRelease(): boolean {
    try {
      return this.#options.store.currentDigest() !== undefined
    } catch {
      // A home that cannot be read now may be served all the same.
      return true
    }
  }

  /** True if the workers do not serve the current release yet. */
  get #isSwapping(): boolean {
    try {
      return this.#options.served() !== this.#options.store.currentDigest()
    } catch {
      return false
    }
  }

  /** The name of this service among the sessions of the server; the server adds the time. */
  get #reportName(): string {
    const release = this.#options.served()?.slice(0, 12) ?? '-'
    const state = { away: 'a', older: 'o', fork: 'k', refused: 'r', none: 'f' }[this.#trouble?.kind ?? 'none']
    return `${shortHost()}/${process.pid}:${release}:${state}:`
  }
}

const MAX_HOST = 19

/** The server keeps 63 bytes of the name of a session. The end of a long host name is what differs, for example between containers. */
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
