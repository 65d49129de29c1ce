// One writer at a time: a lock that the operating system lets go of when its holder dies, however it dies.
import { Database } from 'bun:sqlite'
import { closeSync, constants, existsSync, mkdirSync, openSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { parseOwnJson } from '../../base/json.ts'
import { diskFailure, OperationalError } from '../../base/operational-error.ts'
import { NotAFile, readTextSync } from '../files/regular-file.ts'

type Holder = { readonly pid: number; readonly host: string; readonly since: string; readonly doing: string }

const POLL_MILLISECONDS = 100

/** Waits for the lock of a home, and says who holds it, once when the waiting begins and again when it is over. */
export async function lockHome(
  home: string,
  doing: string,
  wait: { readonly milliseconds: number; readonly onWait: (holder: string) => void },
): Promise<Disposable> {
  makeHome(home)
  const deadline = performance.now() + wait.milliseconds
  for (let tries = 0; ; tries++) {
    const lock = tryLock(home, doing)
    if (lock !== undefined) return lock
    const holder = describeHolder(home)
    if (performance.now() >= deadline)
      throw new OperationalError(`another process is changing ${home}: ${holder}; try again when it is done`)
    if (tries === 0) wait.onWait(holder)
    await Bun.sleep(POLL_MILLISECONDS)
  }
}

function makeHome(home: string): void {
  try {
    mkdirSync(home, { recursive: true })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    // Whatever is wrong with the disk as a whole is explained for all commands alike.
    if (diskFailure(error) !== undefined || code === '') throw error
    throw new OperationalError(`the home ${home} cannot be made (${code}); give another directory with --home`)
  }
}

/** The lock of a home, unless another process holds it. */
export function tryLockHome(home: string, doing: string): Disposable | undefined {
  makeHome(home)
  return tryLock(home, doing)
}

/** An exclusive SQLite transaction is a lock of the kernel's, so a holder that is killed leaves none behind. */
function tryLock(home: string, doing: string): Disposable | undefined {
  const database = openLock(join(home, 'lock'))
  try {
    database.run('PRAGMA busy_timeout = 0')
    // A journal on disk could not be written on a full one, where the lock is needed to make room.
    database.run('PRAGMA journal_mode = MEMORY')
    database.run('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY') return undefined
    throw error
  }
  tellHolder(home, { pid: process.pid, host: hostname(), since: new Date().toISOString(), doing })
  return { [Symbol.dispose]: () => database.close() }
}

function openLock(path: string): Database {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) throw new NotAFile(path)
  try {
    return new Database(path, { create: true, readwrite: true })
  } catch (error) {
    // SQLite does not say why, but the file system does. Not sooner: a process that closes a file loses all its locks on it.
    closeSync(openSync(path, 'a'))
    throw error
  }
}

/** The usual flags for writing, and one more: a FIFO that nobody reads from is refused and not waited for. */
const WRITING = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NONBLOCK

function tellHolder(home: string, holder: Holder): void {
  try {
    const descriptor = openSync(join(home, 'lock.holder'), WRITING)
    try {
      writeFileSync(descriptor, JSON.stringify(holder))
    } finally {
      closeSync(descriptor)
    }
  } catch {
    // The lock holds without it, and on a full disk it is needed to make room.
  }
}

function describeHolder(home: string): string {
  const path = join(home, 'lock.holder')
  try {
    const { pid, host, since, doing } = parseOwnJson<Holder>(readTextSync(path) ?? '')
    return `${doing} (process ${pid} on ${host}, since ${since})`
  } catch {
    // It has the lock and has not yet said who it is.
    return existsSync(path) ? 'a process that is just starting' : 'an unknown process'
  }
}
