// Changes a home and its shelf in PostgreSQL as one, and repairs the shelf.

import { JitteredBackoff } from '../../base/jittered-backoff.ts'
import { OperationalError } from '../../base/operational-error.ts'
import type { ReleaseStore } from '../../release/home/release-store.ts'
import { DIGEST, MANIFEST_FILE, parseManifest } from '../../release/manifest.ts'
import { OtherFormatRelease } from '../../release/release.ts'
import { sha256 } from '../shelf/chunks.ts'
import { type Fetched, type FetchProgress, fetchShelf } from '../shelf/fetch.ts'
import {
  compareStates,
  declaredPointer,
  type Listing,
  nextPointer,
  readFollowed,
  relationOf,
  saveFollowed,
} from '../shelf/pointer.ts'
import { ShelfAway, ShelfRefused, ShelfSilent } from '../shelf/shelf-failures.ts'
import { describeAddress, hostsOf, type ShelfAddress } from './address.ts'
import { type PostgresOptions, ShelfConnection } from './connection.ts'
import { pgReader, readListing, readPointer } from './pg-reader.ts'
import { isEmptyChange, mendChunks, publish, renewPointer, type ShelfChange } from './publish.ts'
import { checkSchema } from './schema.ts'
import { StagedShelf } from './staged-shelf.ts'
import { damagedChunks } from './status.ts'
import { lockShelf, writerName } from './writer-lock.ts'

/** The address and the password of a shelf. */
export type ShelfLogin = Pick<PostgresOptions, 'address' | 'password'>

type Writing = ShelfLogin & {
  /** The command that makes the change. */
  readonly doing: string
  /** The time to wait for other writers, and for PostgreSQL while it is away. */
  readonly waitMilliseconds: number
  readonly onWait: (holder: string) => void
  /** Called once if PostgreSQL is away. */
  readonly onAway: (message: string) => void
} & Partial<FetchProgress>

const RETRY_FIRST_MILLISECONDS = 200
const RETRY_MAX_MILLISECONDS = 5_000
/** Opens a connection, checks the tables and prepares it; closes it if that fails. */
export async function openShelf(
  options: PostgresOptions,
  prepare: (connection: ShelfConnection) => Promise<void> = async () => {},
): Promise<ShelfConnection> {
  const connection = await ShelfConnection.open(options)
  try {
    await checkSchema(connection)
    await prepare(connection)
    return connection
  } catch (error) {
    await connection[Symbol.asyncDispose]()
    throw error
  }
}

/** Waits for other writers, and for PostgreSQL while it is away. */
async function openAsWriter({ onAway, ...writing }: Writing): Promise<ShelfConnection> {
  const { address, password, doing, waitMilliseconds, onWait } = writing
  const deadline = performance.now() + waitMilliseconds
  const backoff = new JitteredBackoff(RETRY_FIRST_MILLISECONDS, RETRY_MAX_MILLISECONDS)
  for (let tries = 0; ; tries++) {
    try {
      const options = { address: await primaryOf({ address, password }), password, changes: true, name: writerName() }
      return await openShelf(options, async (connection) => {
        await refuseSharedSession(connection, options)
        await lockShelf(connection, doing, { milliseconds: deadline - performance.now(), onWait })
      })
    } catch (error) {
      if (!(error instanceof ShelfAway) || performance.now() >= deadline) throw error
      if (tries === 0) onAway(error.message)
      await Bun.sleep(backoff.next())
    }
  }
}

/** Finds the host that accepts changes. Any of several with the same state will do; forked ones are refused. */
async function primaryOf({ address, password }: ShelfLogin): Promise<ShelfAddress> {
  const hosts = hostsOf(address)
  if (hosts.length === 1) return address
  const polls = await Promise.allSettled(
    hosts.map(async (one) => {
      await using connection = await openShelf({ address: one, password, changes: true, name: writerName() })
      return { ...(await readPointer(connection)), host: describeAddress(one), address: one }
    }),
  )
  const { states, trouble } = compareStates(
    polls.flatMap((poll) => (poll.status === 'fulfilled' ? poll.value : [])),
    undefined,
  )
  if (trouble !== undefined) throw new ShelfRefused(trouble.message)
  const [newest] = states
  if (newest === undefined) throw polls.find((poll) => poll.status === 'rejected')?.reason
  return newest.address
}

/** Refuses a pool in transaction mode, which would lose the lock of the writers: its sessions change between statements. */
async function refuseSharedSession(connection: ShelfConnection, options: PostgresOptions): Promise<void> {
  const sessionOf = async (one: ShelfConnection) =>
    (await one.query<{ pid: number }>('SELECT pg_backend_pid() AS pid', [], SESSION_SECONDS))[0]?.pid
  // A pool uses its sessions in turn, or the last one again unless another client has it.
  const sessions = [await sessionOf(connection), await sessionOf(connection)]
  await using other = await ShelfConnection.open(options)
  await other.transaction('', async () => {
    await sessionOf(other)
    // With a single session in the pool, this one waits in vain.
    const session = sessionOf(connection).catch((error) => {
      if (!(error instanceof ShelfSilent)) throw error
      return undefined
    })
    sessions.push(await session)
  })
  if (new Set(sessions).size > 1)
    throw new ShelfRefused(
      'the address is that of a connection pool in transaction mode, in which the lock of the writers would be lost: ' +
        'publish by an address of PostgreSQL itself, or of a pool in session mode. Nodes may go on through this one.',
    )
}

const SESSION_SECONDS = 5

/**
 * Changes a home and the shelf as one. The caller holds the lock of the home. `makeChange` gets a home in which nothing becomes
 * current before it is published; if it or the publication fails, the home stays as it was.
 */
export async function changeShared<T>(
  store: ReleaseStore,
  writing: Writing,
  upgrade: () => Promise<void>,
  makeChange: (staged: ReleaseStore) => Promise<T>,
  currentOnly = false,
): Promise<T> {
  let connection = await openAsWriter(writing)
  try {
    const fetched = await fetchShelf(store, pgReader(connection), { ...writing, outdated: true, currentOnly })
    refuseNewer(fetched.listing)
    await upgrade()
    using staged = new StagedShelf(store.home)
    const result = await makeChange(staged)
    const change = changeOf(staged, fetched, writing.doing)
    if (!isEmptyChange(change)) connection = await publishWithRetries(connection, store, writing, change)
    return result
  } finally {
    await connection[Symbol.asyncDispose]()
  }
}

/** An older version must not replace a release that a newer version wrote. */
function refuseNewer({ releases }: Listing): void {
  for (const [digest, files] of releases) {
    const parsed = parseManifest(files[MANIFEST_FILE] ?? '')
    if (parsed.state === 'too new') throw new OtherFormatRelease(digest, parsed)
  }
}

const NAME_LENGTH = 32

/** Computes the change that was made to the home since it was brought up to date. */
function changeOf(staged: StagedShelf, { listing, present }: Fetched, doing: string): ShelfChange {
  const { history, idRegistry } = staged.state
  const [current] = history.split('\n').filter((digest) => DIGEST.test(digest))
  const there = new Set(staged.digests())
  const isPut = (digest: string) =>
    listing.releases.has(digest)
      ? (present.has(digest) || digest === current) &&
        !staged.hasReleaseFiles(digest, listing.releases.get(digest) ?? {})
      : digest === current
  const put = [...there].filter((digest) => isPut(digest) && !('unreadable' in staged.manifestOrReason(digest)))
  const files = put.map((digest) => [digest, staged.releaseFiles(digest)] as const)
  const removed = [...present].filter((digest) => !there.has(digest))
  // Depends on the change and the state before it alone, so that every machine gives it the same name.
  const name = sha256(JSON.stringify([listing.change, history, idRegistry, files, removed])).slice(0, NAME_LENGTH)
  return {
    ...{ base: listing, history, idRegistry, put: new Map(files), removed, doing },
    next: nextPointer(listing, name),
  }
}

/**
 * Publishes, and retries while PostgreSQL is away. Chunks that were sent stay, so that each retry has less to send, and a change that
 * was committed although the connection broke is recognized by its name. Returns the connection that it used last.
 */
async function publishWithRetries(
  first: ShelfConnection,
  store: ReleaseStore,
  writing: Writing,
  change: ShelfChange,
): Promise<ShelfConnection> {
  const deadline = performance.now() + writing.waitMilliseconds
  const backoff = new JitteredBackoff(RETRY_FIRST_MILLISECONDS, RETRY_MAX_MILLISECONDS)
  let connection = first
  for (let isAgain = false; ; isAgain = true) {
    try {
      const waitMilliseconds = Math.max(deadline - performance.now(), 0)
      if (isAgain) connection = await openAsWriter({ ...writing, waitMilliseconds })
      const now = isAgain ? await readPointer(connection) : change.base
      if (now.change !== change.next.change) await publish(connection, store, change)
      const { own = [], complete = true, whole } = readFollowed(store.home) ?? {}
      store.adopt(change, true)
      saveFollowed(store.home, { ...change.next, complete, own, ...(whole && { whole }) })
      return connection
    } catch (error) {
      await connection[Symbol.asyncDispose]()
      if (!(error instanceof ShelfAway)) throw error
      if (performance.now() >= deadline)
        throw new OperationalError(
          `${error.message}. Probably nothing was published, and this home serves the release that it served before. ` +
            'Look with nomenclator shelf status, and try again.',
        )
      await Bun.sleep(backoff.next())
    }
  }
}

/** Publishes all releases of a home to a shelf that is empty, or has lost what the home has. */
export async function publishHome(store: ReleaseStore, writing: Writing) {
  let connection = await openAsWriter(writing)
  try {
    const base = await readListing(connection)
    const followed = readFollowed(store.home)
    const isLost = followed !== undefined && ['before', 'fork'].includes(relationOf(base, followed))
    if (base.generation > 0 && !isLost)
      throw new OperationalError(
        'the shelf has releases, and this home has no state that the shelf lacks; nothing was published. ' +
          'Import into the shelf instead, with nomenclator import and --shelf.',
      )
    using staged = new StagedShelf(store.home)
    const { history, idRegistry } = staged.state
    if (history === '') throw new OperationalError(`there is no release in ${store.home}; nothing was published`)
    const digests = staged.digests()
    const skipped = digests.filter((digest) => 'unreadable' in staged.manifestOrReason(digest))
    const put = digests.filter((digest) => !skipped.includes(digest))
    const files = new Map(put.map((digest) => [digest, staged.releaseFiles(digest)]))
    const { doing } = writing
    const next = declaredPointer(base, followed?.generation ?? 0)
    const change = { base, history, idRegistry, put: files, removed: [], doing, next }
    connection = await publishWithRetries(connection, store, writing, change)
    return { put, skipped }
  } finally {
    await connection[Symbol.asyncDispose]()
  }
}

/** Lets all nodes follow the state of the shelf, even those that have a later one. */
export async function acceptShelf({ home }: ReleaseStore, writing: Writing): Promise<number> {
  await using connection = await openAsWriter(writing)
  const base = await readListing(connection)
  const next = declaredPointer(base, readFollowed(home)?.generation ?? 0)
  await renewPointer(connection, base, next)
  return next.generation
}

/** Replaces chunks that the database finds damaged; returns the number of damaged and of replaced ones. */
export async function mendShelf(store: ReleaseStore, writing: Writing) {
  await using connection = await openAsWriter(writing)
  const damaged = await damagedChunks(connection)
  return { damaged: damaged.length, mended: await mendChunks(connection, store, damaged) }
}
