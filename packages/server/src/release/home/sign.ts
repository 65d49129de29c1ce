// Signs a release of a home. Everything that the signature vouches for was built here.
import type { Release } from '../release.ts'
import { type PublicKey, parseSignature, type SecretKey } from '../signing/minisign.ts'
import {
  filesDigest,
  sequenceIn,
  signaturesIn,
  signRelease,
  statementIn,
  withSignature,
} from '../signing/release-signature.ts'
import type { ReleaseStore } from './release-store.ts'
import { builtHere } from './signature-check.ts'
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
  // A shelf may send anything: the records are those of the digest, but the other files need not be made of them.
  const built = builtHere(store)
  if (!Object.values(store.read(digest).manifest.entities).every((entity) => built.has(entity.digest)))
    await rebuildRelease(store, digest)
  const release = store.read(digest)
  const earlier = store.signatureOf(digest)
  const expires = days === undefined ? undefined : now + days * DAY
  const sequence = cosignedSequence(release, earlier, secret.publicKey) ?? nextSequence(store, now)
  const identifiers = store.idRegistryDigest()
  return withSignature(earlier, signRelease(secret, release, { sequence, expires, now, identifiers }))
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
