// Checks releases of a home that requires signatures: every file must be signed, or built here from records that are.
//
// `built-here` has the digests of the entities that were built in this home, and of the files of whole releases. What comes from
// another machine never gets into it. Where it is lost, files are built again.
import { join } from 'node:path'
import { replaceDurably } from '../files/durable-file.ts'
import { readTextSync } from '../files/regular-file.ts'
import type { Manifest } from '../manifest.ts'
import { type Release, type ReleaseDirectories, readRelease } from '../release.ts'
import { goesOn, KEYS_FILE, rotatedTrust } from '../signing/key-rotation.ts'
import {
  filesDigest,
  isExpired,
  type Proof,
  proofOf,
  RolledBack,
  type Signable,
  signableRelease,
  type Trust,
  UnsignedFiles,
  UnsignedRelease,
} from '../signing/release-signature.ts'

/** A home as far as signatures concern it. */
type Home = ReleaseDirectories & {
  readonly home: string
  readonly trust: Trust | undefined
  digests(): readonly string[]
  currentDigest(): string | undefined
  signatureOf(digest: string): string | undefined
}

/** The rotations of keys that a home has followed. */
export const rotationsOf = ({ home }: Pick<Home, 'home'>): string | undefined => readTextSync(join(home, KEYS_FILE))

/**
 * Takes up rotations of keys that go on after those that a home knows. One that requires signatures does so only where what it
 * trusts has signed them; any other hands them on.
 */
export function adoptRotations(home: Home, text: string | undefined): void {
  const { trust } = home
  const before = rotationsOf(home)
  if (text === undefined || !goesOn(text, before)) return
  if (trust !== undefined && keyTexts(rotatedTrust(trust, text)) === keyTexts(rotatedTrust(trust, before))) return
  replaceDurably(join(home.home, KEYS_FILE), text)
}

const keyTexts = ({ keys }: Trust): string => keys.map(({ text }) => text).join()

/** The trust of a home after the rotations of keys that it has followed; undefined if it requires no signature. */
export const currentTrust = (home: Pick<Home, 'home' | 'trust'>): Trust | undefined =>
  home.trust === undefined ? undefined : rotatedTrust(home.trust, rotationsOf(home))

const builtHereFile = ({ home }: Pick<Home, 'home'>) => join(home, 'built-here')

/** The digests of what was built in a home. */
export const builtHere = (home: Pick<Home, 'home'>): ReadonlySet<string> =>
  new Set(readTextSync(builtHereFile(home))?.split('\n'))

/** Remembers what was built; what is gone from the home is forgotten. */
export function rememberBuilt(home: Home, manifest: Manifest, entities: Iterable<string>): void {
  const manifests = home.digests().flatMap((digest) => manifestOf(home, digest) ?? [])
  const named = [manifest, ...manifests].flatMap((one) => [filesDigest(one), ...digestsIn(one)])
  const built = builtHere(home).union(new Set([filesDigest(manifest), ...entities]))
  replaceDurably(builtHereFile(home), `${[...new Set(named).intersection(built)].join('\n')}\n`)
}

const digestsIn = ({ entities }: Manifest) => Object.values(entities).map(({ digest }) => digest)

function manifestOf(home: Home, digest: string): Manifest | undefined {
  try {
    return readRelease(home, digest).manifest
  } catch {
    return undefined
  }
}

/** True if all files of a release were built in a home, and so are made of its records. */
export function isBuiltHere(home: Pick<Home, 'home'>, manifest: Manifest): boolean {
  const built = builtHere(home)
  return [filesDigest(manifest), ...digestsIn(manifest)].every((digest) => built.has(digest))
}

/** The proof of a release by its signatures; throws if it is not signed as it must be. */
export function checkSignature(digest: string, signable: Signable, signature: string | undefined, trust: Trust): Proof {
  const proof = proofOf(signable, signature, trust)
  if ('wrong' in proof) throw new UnsignedRelease(digest, proof.wrong, trust)
  if (trust.refusesExpired && isExpired(proof))
    throw new UnsignedRelease(digest, `its signature has expired on ${proof.expires}`, trust)
  return proof
}

/** A release of a home with what is proved of it; throws where that is not all of it. */
export function releaseWithProof(home: Home, release: Release): Release {
  const trust = currentTrust(home)
  if (trust === undefined) return release
  const { digest, manifest } = release
  const proof = checkSignature(digest, signableRelease(release), home.signatureOf(digest), trust)
  if (proof.covers.includes('files') || isBuiltHere(home, manifest)) return release.withProof(proof)
  const wrong = 'its signature covers its records, and not the files that are made of them'
  throw new UnsignedFiles(digest, wrong, trust)
}

/** Throws for a release from another machine that was signed before the current one. */
export function refuseRollback(home: Home, digest: string, { sequence = 0 }: Proof, trust: Trust): void {
  const current = home.currentDigest()
  if (trust.acceptsRollback || current === undefined || manifestOf(home, current) === undefined) return
  const here = proofOf(signableRelease(readRelease(home, current)), home.signatureOf(current), trust)
  const last = ('wrong' in here ? 0 : here.sequence) ?? 0
  if (sequence < last) throw new RolledBack(digest, sequence, last)
}

/** The releases whose records are signed, and whose files have to be built here to be served. */
export function withUnsignedFiles(home: Home): string[] {
  if (home.trust === undefined) return []
  return home.digests().filter((digest) => {
    try {
      releaseWithProof(home, readRelease(home, digest))
      return false
    } catch (error) {
      return error instanceof UnsignedFiles
    }
  })
}
