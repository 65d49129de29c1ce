// The flags that name keys: their files are read where the flag is parsed, so that a wrong one is a wrong call.
import { readFileSync } from 'node:fs'
import { OperationalError } from '../../base/operational-error.ts'
import { type PublicKey, parsePublicKey, parseSecretKey, type SecretKey } from '../../release/signing/minisign.ts'
import { trustIn } from '../../release/signing/release-signature.ts'
import { type InvalidFlag, text, type ValuesOf, wholeNumber } from './flags.ts'
import { switchOf } from './serve-values.ts'

/** Undefined where there is no such file, or it cannot be read. */
export function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** One or several keys, separated by commas: each the line of a key, or a file. */
function publicKeys(value: string): readonly PublicKey[] | InvalidFlag {
  const keys = value.split(',').map((one) => parsePublicKey(one) ?? parsePublicKey(contentOf(one) ?? ''))
  return keys.every((key) => key !== undefined)
    ? keys
    : { allowed: 'a public key of minisign: its file, or its line that begins with RW' }
}

export const publicKey = {
  value: 'KEY',
  description: 'public key to check with: a file, or the line in it that begins with RW; several separated by commas',
  parse: publicKeys,
} as const

/** The keys whose signatures are required. */
export const signatureFlags = {
  'require-signature': {
    value: 'KEY',
    env: 'REQUIRE_SIGNATURE',
    description:
      'take only releases that this public key has signed: a file, or the line in it that begins with RW; of several keys, separated by commas, any will do',
    parse: publicKeys,
  },
} as const

/** The flags of trust for releases that come from another machine. */
export const trustFlags = {
  ...signatureFlags,
  'refuse-expired': switchOf(
    'REFUSE_EXPIRED',
    'refuse releases whose signature has expired; else that is only reported',
  ),
  'accept-rollback': switchOf(
    'ACCEPT_ROLLBACK',
    'take a release from elsewhere although it was signed before the one that is current here',
  ),
} as const

/** Trust as these flags say; undefined if no signature is required. */
export function trustOf(values: ValuesOf<typeof signatureFlags> & Partial<ValuesOf<typeof trustFlags>>) {
  const { 'require-signature': keys } = values
  if (keys === undefined) return undefined
  return trustIn(keys, {
    refusesExpired: values['refuse-expired'] === true,
    acceptsRollback: values['accept-rollback'] === true,
  })
}

/** The flags of commands that sign what they make. */
export const signFlags = {
  sign: { value: 'FILE', description: 'sign the release with this secret key before it is made current', parse: text },
  'expires-days': {
    value: 'DAYS',
    description: 'let the signature expire after so many days; else never',
    parse: wholeNumber(1, 36_500),
  },
} as const

export const passwordFile = {
  value: 'FILE',
  env: 'NOMENCLATOR_PASSWORD_FILE',
  description: 'file with the password of the secret key; a key without one needs none',
  parse: text,
} as const

const FILE_ADVICE = 'give a file that this user can read'

/** The password is the first line of its file. */
export function readPassword(path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  const content = contentOf(path)
  if (content === undefined) throw new OperationalError(`the password file ${path} cannot be read; ${FILE_ADVICE}`)
  const [password = ''] = content.split(/\r?\n/)
  if (password === '') throw new OperationalError(`the password file ${path} begins with an empty line`)
  return password
}

export function readSecretKey(path: string, passwordPath: string | undefined): SecretKey {
  const content = contentOf(path)
  if (content === undefined) throw new OperationalError(`the secret key ${path} cannot be read; ${FILE_ADVICE}`)
  try {
    return parseSecretKey(content, readPassword(passwordPath))
  } catch (error) {
    if (error instanceof OperationalError) throw new OperationalError(`${path}: ${error.message}`)
    throw error
  }
}
