// The flag --home, which all commands share.
import { accessSync, constants, lstatSync, readlinkSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { OperationalError } from '../../base/operational-error.ts'
import { defaultHome } from '../../base/program.ts'
import type { Flag } from './flags.ts'

export const home = {
  value: 'DIR',
  env: 'NOMENCLATOR_HOME',
  description:
    'directory of the releases; default is var in the project, ~/.local/share/nomenclator for the executable',
  parse: (path) => resolve(path),
} as const satisfies Flag<string>

/** The path of the home, which may be no directory. */
export const homePath = (given: string | undefined): string => given ?? defaultHome()

/** The home of a command: a directory that can be read, or one that is not there yet. */
export function homeOf(given: string | undefined): string {
  const path = homePath(given)
  const wrong = homeFault(path)
  if (wrong !== undefined)
    throw new OperationalError(`the home ${path} ${wrong}, or give another directory with --home`)
  return path
}

/** The reason why a path cannot be a home, and what to do; undefined if it can. */
export function homeFault(path: string): string | undefined {
  try {
    if (!statSync(path).isDirectory()) return 'is not a directory; move what is there away'
    accessSync(path, constants.R_OK | constants.X_OK)
    return undefined
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    if (code === 'ENOENT') return danglingLink(path)
    if (code === 'ENOTDIR') return 'has a file on its path where a directory should be; move that file away'
    if (code === 'EACCES') return 'cannot be read by this user; give the user the right to it'
    return `cannot be reached (${code}); check the path and the disk`
  }
}

function danglingLink(path: string): string | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()
    ? `is a link to ${readlinkSync(path)}, which is not there; mount or make that directory`
    : undefined
}
