// An error whose message is for the person at the terminal, and says what to do next.
import { own } from './json.ts'

export class OperationalError extends Error {}

const FULL = [
  'the disk is full',
  'The current release is as it was. Make room, for example with nomenclator releases prune, and try again.',
] as const
const READ_ONLY = [
  'the file system is read-only',
  'Nothing was changed. Mount it for writing, or give another directory.',
] as const
const DENIED = [
  'permission was denied',
  'Nothing was changed. Give this user the right to the directory, or give another directory.',
] as const

const MISPLACED = [
  'a file stands where a directory should be, or the other way round',
  'Nothing was changed. Move it away, or give another directory.',
] as const
const BROKEN = [
  'the disk cannot be read',
  'Nothing was changed. Look into the log of the system, and restore from a copy what is lost.',
] as const

/** Error codes of the file system, each explained to whoever runs the program. */
const EXPLANATIONS: Readonly<Record<string, readonly [what: string, remedy: string]>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EROFS: READ_ONLY,
  EACCES: DENIED,
  EPERM: DENIED,
  ENOTDIR: MISPLACED,
  EISDIR: MISPLACED,
  ELOOP: MISPLACED,
  EIO: BROKEN,
  ESTALE: BROKEN,
}

/** Explains an error that comes from a full, read-only or broken disk, from a missing permission, or from a file out of place; undefined for others. */
export function diskFailure(error: unknown): OperationalError | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const [what, remedy] = own(EXPLANATIONS, code) ?? []
  return error instanceof Error && what !== undefined
    ? new OperationalError(`${what}: ${error.message}. ${remedy}`)
    : undefined
}

/** The message of an error, or the text of whatever else was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
