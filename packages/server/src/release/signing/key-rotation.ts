// The rotation of keys: statements, each signed by the keys that were trusted before it, that say which are trusted after it.
import { isObject } from '../../base/json.ts'
import {
  type PublicKey,
  parsePublicKey,
  parseSignature,
  type SecretKey,
  signMessage,
  verifySignature,
} from './minisign.ts'
import { signaturesIn, type Trust, withSignature } from './release-signature.ts'

/** In a home, and beside the manifests of releases, with which it gets to other machines. */
export const KEYS_FILE = 'keys.json'

type Rotation = { readonly statement: string; readonly signatures: string }

const HEADER = 'nomenclator keys 1'
const MAX_ROTATIONS = 100

/** The text that the old keys sign. */
export const rotationStatement = (keys: readonly PublicKey[], threshold: number): string =>
  [HEADER, `threshold ${threshold}`, ...keys.map(({ text }) => `key ${text}`), ''].join('\n')

/** What a statement says is trusted; undefined for any other text. */
function parseStatement(statement: string): Pick<Trust, 'keys' | 'threshold'> | undefined {
  const [header, thresholdLine = '', ...lines] = statement.replace(/\n$/, '').split('\n')
  const threshold = Number(/^threshold ([1-9][0-9]?)$/.exec(thresholdLine)?.[1])
  const keys = lines.map((line) => (line.startsWith('key ') ? parsePublicKey(line.slice(4)) : undefined))
  const isSound = header === HEADER && keys.length > 0 && threshold <= keys.length
  return isSound && keys.every((key) => key !== undefined) ? { keys, threshold } : undefined
}

/** The rotations in the content of a file, the first one first; none where it is something else. */
function parseRotations(text: string | undefined): readonly Rotation[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]')
    const isRotation = (one: unknown): one is Rotation =>
      isObject(one) && typeof one.statement === 'string' && typeof one.signatures === 'string'
    return Array.isArray(value) && value.length <= MAX_ROTATIONS && value.every(isRotation) ? value : []
  } catch {
    return []
  }
}

const isSignedBy = ({ statement, signatures }: Rotation, { keys, threshold }: Pick<Trust, 'keys' | 'threshold'>) => {
  const all = signaturesIn(signatures)
  const bytes = new TextEncoder().encode(statement)
  const signers = keys.filter((key) => all.some((one) => !('wrong' in verifySignature(key, bytes, one))))
  return new Set(signers.map(({ text }) => text)).size >= threshold
}

/** What is trusted once rotations were followed. One that is not signed by what is trusted at that point does not count. */
export function rotatedTrust(trust: Trust, text: string | undefined): Trust {
  let trusted = trust
  for (const rotation of parseRotations(text)) {
    const next = isSignedBy(rotation, trusted) ? parseStatement(rotation.statement) : undefined
    if (next !== undefined) trusted = { ...trusted, ...next }
  }
  return trusted
}

/** Whether one file goes on after the other: nothing that was said is taken back. */
export function goesOn(text: string | undefined, before: string | undefined): boolean {
  const [now, then] = [parseRotations(text), parseRotations(before)]
  return now.length > then.length && then.every(({ statement }, at) => now[at]?.statement === statement)
}

/** The content of the file with a rotation to these keys. A key that signs the same as another adds its signature. */
export function withRotation(text: string | undefined, statement: string, secret: SecretKey): string {
  const rotations = parseRotations(text)
  const last = rotations.at(-1)
  const signature = signMessage(secret, new TextEncoder().encode(statement), `key:${secret.publicKey.id}`)
  const next =
    last?.statement === statement
      ? [...rotations.slice(0, -1), { statement, signatures: withSignature(last.signatures, signature) }]
      : [...rotations, { statement, signatures: signature }]
  return `${JSON.stringify(next, null, 2)}\n`
}

/** The ids of the keys that have signed the last rotation. */
export const signersOf = (text: string | undefined): string[] =>
  signaturesIn(parseRotations(text).at(-1)?.signatures ?? '').flatMap((one) => parseSignature(one)?.keyId ?? [])
