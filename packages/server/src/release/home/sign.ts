// Signs a release of a home. Whatever the signature vouches for was built here, or the key has vouched for it before.

import type { Release } from '../release.ts'
import { type PublicKey, parseSignature, type SecretKey } from '../signing/minisign.ts'
import {
  filesDigest,
  proofOf,
  sequenceIn,
  signableRelease,
  signaturesIn,
  signRelease,
  statementIn,
  trustIn,
  withSignature,
} from '../signing/release-signature.ts'
import { builtHere } from './proved.ts'
import type { ReleaseStore } from './release-store.ts'
import { rebuildRelease } from './upgrade.ts'

const SECOND = 1_000
const DAY = 86_400 * SECOND

type SignOptions = {
  /** After so many days the signature expires; undefined for never. */
  readonly days: number | undefined
  readonly now?: number
}

/** The signatures of a release with one by this key. The caller holds the lock of the home, and puts them in place. */
export async function signInHome(
  store: ReleaseStore,
  digest: string,
  secret: SecretKey,
  { days, now = Date.now() }: SignOptions,
): Promise<string> {
  const known = knownEntities(store, secret.publicKey).union(builtHere(store))
  // What a shelf has sent may be anything: its records are seen to be those of the digest, its other files are not.
  if (!Object.values(store.read(digest).manifest.entities).every((entity) => known.has(entity.digest)))
    await rebuildRelease(store, digest, known)
  const release = store.read(digest)
  const earlier = store.signatureOf(digest)
  const expires = days === undefined ? undefined : now + days * DAY
  const sequence = cosignedSequence(release, earlier, secret.publicKey) ?? nextSequence(store, now)
  return withSignature(earlier, signRelease(secret, release, { sequence, expires, now }))
}

/** The entities of all releases whose files this key has signed. */
function knownEntities(store: ReleaseStore, key: PublicKey): Set<string> {
  const known = new Set<string>()
  for (const { digest, manifest } of store.list()) {
    if ('unreadable' in manifest) continue
    const proof = proofOf(signableRelease(store.read(digest)), store.signatureOf(digest), trustIn([key]))
    if ('wrong' in proof || !proof.covers.includes('files')) continue
    for (const entity of Object.values(manifest.entities)) known.add(entity.digest)
  }
  return known
}

/** A key that signs what another one has signed adds to that; one that signs again, after all others, goes on. */
function cosignedSequence({ manifest }: Release, earlier: string | undefined, key: PublicKey): number | undefined {
  const signatures = signaturesIn(earlier ?? '').flatMap((one) => parseSignature(one) ?? [])
  if (signatures.some(({ keyId }) => keyId === key.id)) return undefined
  const statements = signatures.map(({ trustedComment }) => statementIn(trustedComment))
  const files = filesDigest(manifest)
  return statements.find((statement) => statement.files === files)?.sequence
}

/** Higher than any that was given here, and than those that another publisher may have given meanwhile. */
const nextSequence = (store: ReleaseStore, now: number): number =>
  Math.max(Math.floor(now / SECOND), ...store.digests().map((digest) => sequenceIn(store.signatureOf(digest)) + 1))
