// The signature of a release: what is signed, what else the signature tells, and whether it is by a key that is trusted.
//
// Signed are the checksums of the release, whose SHA-256 is its digest. The digest of its definitions, which are no part of
// that, is in the trusted comment.

import { Failure } from '../../base/failure.ts'
import type { EntityData } from '../../catalog/catalog.ts'
import { definitionsDigest } from '../definitions-digest.ts'
import { type Checksums, checksumsText } from '../manifest.ts'
import type { Release } from '../release.ts'
import { type PublicKey, type SecretKey, signMessage, verifySignature } from './minisign.ts'

/** Beside the manifest of the release. */
export const SIGNATURE_FILE = 'checksums.minisig'

export class UnsignedRelease extends Failure {
  constructor(digest: string, wrong: string, keys: readonly PublicKey[]) {
    const ids = keys.map(({ id }) => id).join(' or ')
    super(
      `release ${digest.slice(0, 12)} is refused: ${wrong}. Only what is signed by key ${ids} is served; ` +
        `sign it with nomenclator sign ${digest.slice(0, 12)} --key FILE`,
    )
  }
}

/** The definitions of a release, in the order of its entities. */
export function definitionsOf({ manifest, entity }: Pick<Release, 'manifest' | 'entity'>): EntityData[] {
  return Object.keys(manifest.entities).flatMap((name) => entity(name).stored?.manifest.definition ?? [])
}

/** What is signed, as bytes. */
export const signedBytes = (checksums: Checksums): Uint8Array => new TextEncoder().encode(checksumsText(checksums))

const SECOND = 1_000

/** The content of the signature file of a release. */
export function signRelease(secret: SecretKey, release: Release, now = Date.now()): string {
  const comment = [
    `timestamp:${Math.floor(now / SECOND)}`,
    `release:${release.digest}`,
    `definitions:${definitionsDigest(definitionsOf(release))}`,
  ]
  return signMessage(secret, signedBytes(release.manifest), comment.join('\t'))
}

/** What a signature proves of a release. */
type Proof = {
  readonly key: PublicKey
  readonly trustedComment: string
  /** When it was signed, as the signer says. */
  readonly signed: string | undefined
  /** Whether the definitions are signed too: they are not where minisign itself has signed the checksums. */
  readonly coversDefinitions: boolean
}

type Signable = { readonly checksums: Checksums; readonly definitions: readonly EntityData[] }

/** Says by which of these keys a release is signed, or why it is not. */
export function proofOf(
  { checksums, definitions }: Signable,
  signature: string | undefined,
  keys: readonly PublicKey[],
): Proof | { readonly wrong: string } {
  if (signature === undefined) return { wrong: 'it is not signed' }
  let first: string | undefined
  for (const key of keys) {
    const verified = verifySignature(key, signedBytes(checksums), signature)
    if ('wrong' in verified) {
      first ??= verified.wrong
      continue
    }
    const { trustedComment } = verified
    const memberOf = (name: string) => new RegExp(`(?:^|\\t)${name}:([^\\t]*)`).exec(trustedComment)?.[1]
    const expected = memberOf('definitions')
    if (expected !== undefined && expected !== definitionsDigest(definitions))
      return { wrong: 'its definitions are not those that were signed' }
    const seconds = Number(memberOf('timestamp'))
    const signed = seconds > 0 && seconds < 1e11 ? new Date(seconds * SECOND).toISOString() : undefined
    return { key, trustedComment, signed, coversDefinitions: expected !== undefined }
  }
  return { wrong: first ?? 'no key is trusted' }
}

/** Throws for a release that none of these keys has signed. */
export function refuseUnsigned(release: Release, signature: string | undefined, keys: readonly PublicKey[]): void {
  const proof = proofOf({ checksums: release.manifest, definitions: definitionsOf(release) }, signature, keys)
  if ('wrong' in proof) throw new UnsignedRelease(release.digest, proof.wrong, keys)
}
