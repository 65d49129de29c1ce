// An error whose message is meant for the person at the terminal and says what to do next.

export class Failure extends Error {}

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

/** What the file system says, and what it means to whoever runs the program. */
const TROUBLES: Readonly<Record<string, readonly [what: string, remedy: string]>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EROFS: READ_ONLY,
  EACCES: DENIED,
  EPERM: DENIED,
}

/** The failure behind an error that a full disk, a read-only one or a missing right has led to; of others, nothing. */
export function diskFailure(error: unknown): Failure | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const [what, remedy] = TROUBLES[code] ?? []
  return error instanceof Error && what !== undefined ? new Failure(`${what}: ${error.message}. ${remedy}`) : undefined
}
