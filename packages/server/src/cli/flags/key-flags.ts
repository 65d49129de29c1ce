// The flags that name keys: their files are read where the flag is parsed, so that a wrong one is a wrong call.
import { readFileSync } from 'node:fs'
import { Failure } from '../../base/failure.ts'
import { type PublicKey, parsePublicKey, parseSecretKey, type SecretKey } from '../../release/signing/minisign.ts'
import { text, type Wrong } from './flags.ts'

/** Undefined where there is no such file, or it cannot be read. */
export function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** One or several keys, separated by commas: each the line of a key, or a file. */
function publicKeys(value: string): readonly PublicKey[] | Wrong {
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

export const requireSignature = {
  value: 'KEY',
  env: 'REQUIRE_SIGNATURE',
  description: 'take only releases that this public key has signed: a file, or the line in it that begins with RW',
  parse: publicKeys,
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
  if (content === undefined) throw new Failure(`the password file ${path} cannot be read; ${FILE_ADVICE}`)
  const [password = ''] = content.split(/\r?\n/)
  if (password === '') throw new Failure(`the password file ${path} begins with an empty line`)
  return password
}

export function readSecretKey(path: string, passwordPath: string | undefined): SecretKey {
  const content = contentOf(path)
  if (content === undefined) throw new Failure(`the secret key ${path} cannot be read; ${FILE_ADVICE}`)
  try {
    return parseSecretKey(content, readPassword(passwordPath))
  } catch (error) {
    if (error instanceof Failure) throw new Failure(`${path}: ${error.message}`)
    throw error
  }
}
