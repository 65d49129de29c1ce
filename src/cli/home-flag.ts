// Where the releases live: the flag that all commands share.
import { accessSync, constants, lstatSync, readlinkSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Failure } from '../failure.ts'
import type { Flag } from './flags.ts'

const PROJECT = join(import.meta.dir, '..', '..')

export const home = {
  value: 'DIR',
  env: 'NOMENCLATOR_HOME',
  description: 'where the releases live; default is var in the project',
  parse: (path) => resolve(path),
} as const satisfies Flag<string>

/** The home that a command works with: a directory that can be read, or one that is not there yet. */
export function homeOf(given: string | undefined): string {
  const path = given ?? join(PROJECT, 'var')
  const wrong = faultOf(path)
  if (wrong !== undefined) throw new Failure(`the home ${path} ${wrong}, or give another directory with --home`)
  return path
}

function faultOf(path: string): string | undefined {
  try {
    if (!statSync(path).isDirectory()) return 'is not a directory; move what is there away'
    accessSync(path, constants.R_OK | constants.X_OK)
    return undefined
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    if (code === 'ENOENT') return danglingLink(path)
    if (code === 'ENOTDIR') return 'is below something that is not a directory; move that away'
    if (code === 'EACCES') return 'cannot be read by this user; give the user the right to it'
    return `cannot be reached (${code}); check the path and the disk`
  }
}

function danglingLink(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isSymbolicLink()
    ? `is a link to ${readlinkSync(path)}, which is not there; mount or make that directory`
    : undefined
}
