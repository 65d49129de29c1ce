// The directory of the cache of responses: where it is, and the files in it whose bytes have changed.
import { lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Log } from '../../base/log.ts'
import { messageOf } from '../../base/operational-error.ts'
import { bodyAt, CannotCache, isSound, type Sha256, UNFINISHED } from './body-file.ts'

/** The cache of a home, where no other directory is given. */
export const cacheIn = (home: string): string => join(home, 'cache')

/**
 * A directory that can be written to: the given one; else one in the home; else one of our own in the system's directory
 * for temporary files. If none can be used, the reason why.
 */
export function cacheDirectory(home: string, given: string | undefined): string | CannotCache {
  if (given !== undefined) return usableDirectory(given)
  const inHome = usableDirectory(cacheIn(home))
  if (typeof inHome === 'string') return inHome
  const user = process.getuid?.() ?? 0
  const name = `nomenclator-${user}-${Bun.hash.xxHash64(resolve(home)).toString(16)}`
  return usableDirectory(join(tmpdir(), name), user)
}

/** With `owner`, it must belong to that user alone: anyone may make such a directory, and wait for us to use it. */
function usableDirectory(path: string, owner?: number): string | CannotCache {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    const { uid, mode } = lstatSync(path)
    if (owner !== undefined && (uid !== owner || (mode & 0o077) !== 0))
      return new CannotCache(`${path} does not belong to this user alone`)
    const probe = join(path, `${crypto.randomUUID()}${UNFINISHED}`)
    writeFileSync(probe, '')
    rmSync(probe)
    return path
  } catch (error) {
    return new CannotCache(messageOf(error))
  }
}

/** The paths of the files of a cache whose bytes have changed since they were written. */
export async function damagedFiles(directory: string, read?: Sha256): Promise<string[]> {
  const damaged: string[] = []
  for (const name of await readdir(directory).catch(() => [])) {
    const body = name.endsWith(UNFINISHED) ? undefined : bodyAt(join(directory, name))
    // Another process may remove it at any moment.
    if (body !== undefined && !(await isSound(body, read).catch(() => true))) damaged.push(body.path)
  }
  return damaged
}

export async function removeDamaged(directory: string, log: Log, read: Sha256): Promise<void> {
  for (const path of await damagedFiles(directory, read)) await removeFile(path, log)
}

export async function removeFile(path: string, log: Log): Promise<void> {
  await rm(path, { force: true }).catch(() => {})
  const message = `DAMAGE FOUND: ${path} has other content than was written. It was removed, and is made anew.`
  log({ level: 'error', event: 'cache-damaged', message })
}
