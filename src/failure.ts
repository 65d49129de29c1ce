// An error whose message is for the person at the terminal, and says what to do next.

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

/** Error codes of the file system, each explained to whoever runs the program. */
const EXPLANATIONS: Readonly<Record<string, readonly [what: string, remedy: string]>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EROFS: READ_ONLY,
  EACCES: DENIED,
  EPERM: DENIED,
}

/** Explains an error that comes from a full or read-only disk or from a missing permission; undefined for others. */
export function diskFailure(error: unknown): Failure | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const [what, remedy] = EXPLANATIONS[code] ?? []
  return error instanceof Error && what !== undefined ? new Failure(`${what}: ${error.message}. ${remedy}`) : undefined
}
