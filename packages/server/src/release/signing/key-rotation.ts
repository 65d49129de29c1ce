// The rotation of keys: statements, each signed by a key that was trusted before it, that say which keys are trusted from then on.
import { parsedAs } from '../../base/json-bounds.ts'
import { listOf, objectOf, type TypeOf, text } from '../../base/schema.ts'
import { type PublicKey, parsePublicKey, type SecretKey, signMessage, verifySignature } from './minisign.ts'
import type { Trust } from './release-signature.ts'

/** In a home, and beside the manifests of releases, with which it gets to other machines. */
export const KEYS_FILE = 'keys.json'

const HEADER = 'nomenclator keys 1'
const MAX_ROTATIONS = 100
const MAX_TEXT = 20_000

const rotation = objectOf({ statement: text(MAX_TEXT), signature: text(MAX_TEXT) })
export const rotations = listOf(rotation, MAX_ROTATIONS)
type Rotation = TypeOf<typeof rotation>

const bytesOf = (statement: string) => new TextEncoder().encode(statement)

/** The text that an old key signs. */
const statementOf = (keys: readonly PublicKey[]): string =>
  [HEADER, ...keys.map(({ text }) => `key ${text}`), ''].join('\n')

/** The keys that a statement trusts; undefined for any other text. */
function keysIn(statement: string): readonly PublicKey[] | undefined {
  const [header, ...lines] = statement.replace(/\n$/, '').split('\n')
  const keys = lines.map((line) => (line.startsWith('key ') ? parsePublicKey(line.slice(4)) : undefined))
  return header === HEADER && keys.length > 0 && keys.every((key) => key !== undefined) ? keys : undefined
}

/** The rotations in the content of a file, the first one first; none if it is something else. */
function parseRotations(text = '[]'): readonly Rotation[] {
  const parsed = parsedAs(rotations, text)
  return 'value' in parsed ? parsed.value : []
}

const isSignedBy = ({ statement, signature }: Rotation, keys: readonly PublicKey[]) =>
  keys.some((key) => !('wrong' in verifySignature(key, bytesOf(statement), signature)))

/** Trust after rotations. One that no key has signed that is trusted at that point does not count. */
export function rotatedTrust(trust: Trust, text: string | undefined): Trust {
  let { keys } = trust
  for (const rotation of parseRotations(text)) if (isSignedBy(rotation, keys)) keys = keysIn(rotation.statement) ?? keys
  return { ...trust, keys }
}

/** True if one file goes on after the other: nothing that was said is taken back. */
export function goesOn(text: string | undefined, before: string | undefined): boolean {
  const [now, then] = [parseRotations(text), parseRotations(before)]
  return now.length > then.length && then.every(({ statement }, at) => now[at]?.statement === statement)
}

/** The content of the file with one more rotation, to these keys. */
export function withRotation(text: string | undefined, to: readonly PublicKey[], secret: SecretKey): string {
  const statement = statementOf(to)
  const signature = signMessage(secret, bytesOf(statement), `key:${secret.publicKey.id}`)
  return `${JSON.stringify([...parseRotations(text), { statement, signature }], null, 2)}\n`
}
