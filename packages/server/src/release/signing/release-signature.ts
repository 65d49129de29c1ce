// The signatures of a release: what they cover, what else they state, and whether one is by a key that is trusted.
//
// Signed are the checksums of the release, whose SHA-256 is its digest. Everything else that is served is stated by its digest in
// the trusted comment, which is signed too: the definitions, the origin (date, source, credits) and the files that are made of the
// records; so is the id registry, which is no part of a release. The comment also has the sequence of the signature, by which going back is noticed, its time, and when it expires.

import { OperationalError } from '../../base/operational-error.ts'
import type { EntityData } from '../../catalog/catalog.ts'
import { canonicalJson, definitionsDigest } from '../../catalog/definitions-digest.ts'
import { type Checksums, checksumsText, type Manifest, numberingOf } from '../manifest.ts'
import { type PublicKey, parseSignature, type SecretKey, signMessage, verifySignature } from './minisign.ts'

/** Beside the manifest of the release: a signature of minisign for each key, one after the other. */
export const SIGNATURE_FILE = 'checksums.minisig'

/** The keys whose signatures count, and the treatment of old signatures. */
export type Trust = {
  /** Any of them will do. */
  readonly keys: readonly PublicKey[]
  /** True if a release whose signature has expired is refused; else that is only reported. */
  readonly refusesExpired: boolean
  /** True if a release is taken from elsewhere although it was signed before the one that is current here. */
  readonly acceptsRollback: boolean
}

type TrustedKeys = Pick<Trust, 'keys'>

/** Trust in keys, by default without the other two. */
export const trustIn = (keys: readonly PublicKey[], more: Partial<Trust> = {}): Trust => ({
  ...{ keys, refusesExpired: false, acceptsRollback: false },
  ...more,
})

export class UnsignedRelease extends OperationalError {
  constructor(digest: string, wrong: string, { keys }: TrustedKeys) {
    const signers = keys.map(({ id }) => id).join(' or ')
    super(
      `release ${digest.slice(0, 12)} is refused: ${wrong}. Only what is signed by key ${signers} is served; ` +
        `sign it with nomenclator sign ${digest.slice(0, 12)} --key FILE`,
    )
  }
}

/** A release that is to take the place of one that was signed after it. */
export class RolledBack extends OperationalError {
  constructor(digest: string, offered: number, here: number) {
    super(
      `release ${digest.slice(0, 12)} is refused: it was signed before what is current here (sequence ${offered} after ${here}). ` +
        `To go back, publish it again with nomenclator activate ${digest.slice(0, 12)} --sign FILE, or allow it here with --accept-rollback`,
    )
  }
}

/** The records are signed, and the files made of them are not: they are served once they have been built here. */
export class UnsignedFiles extends UnsignedRelease {}

/** The parts of an open release that are signed. */
type SignedRelease = {
  readonly digest: string
  readonly manifest: Manifest
  entity(name: string): { readonly stored: { readonly manifest: { readonly definition: EntityData } } | undefined }
}

/** The definitions of a release, in the order of its entities. */
export function definitionsOf({ manifest, entity }: Omit<SignedRelease, 'digest'>): EntityData[] {
  return Object.keys(manifest.entities).flatMap((name) => entity(name).stored?.manifest.definition ?? [])
}

/** The bytes that a key signs. */
export const signedBytes = (checksums: Checksums): Uint8Array => new TextEncoder().encode(checksumsText(checksums))

const sha256 = (value: unknown) => new Bun.CryptoHasher('sha256').update(canonicalJson(value)).digest('hex')

/** The digest of all files of this format: each entity is named by its digest, and that names its files. */
export const filesDigest = ({
  versions,
  entities,
  findings,
  changes,
}: Pick<Manifest, 'versions' | 'entities' | 'findings' | 'changes'>) =>
  sha256({ versions, entities, findings, ...(changes === undefined ? {} : { changes }) })

const formatOf = ({ entities }: Pick<Manifest, 'entities'>): number =>
  Math.max(0, ...Object.values(entities).map(({ format }) => format))

/** The digests of a release that signatures state. */
export type Signable = {
  readonly checksums: Checksums
  readonly origin: string
  /** Undefined before the entities are there. */
  readonly definitions?: string
  readonly files: { readonly digest: string; readonly format: number }
}

export const signableManifest = (manifest: Manifest): Signable => ({
  checksums: manifest,
  origin: originOf(manifest),
  files: { digest: filesDigest(manifest), format: formatOf(manifest) },
})

/** The digest of the date, source and numbering of a release, the same in all formats. */
function originOf(manifest: Manifest): string {
  const { built, source, entities } = manifest
  const numbering = Object.fromEntries(Object.keys(entities).map((name) => [name, numberingOf(manifest, name)]))
  return sha256({ built, source, numbering })
}

export const signableRelease = (release: SignedRelease): Signable => ({
  ...signableManifest(release.manifest),
  definitions: definitionsDigest(definitionsOf(release)),
})

const SECOND = 1_000

type SigningOptions = {
  /** The time, in seconds since 1970, if not given. */
  readonly sequence?: number
  /** Milliseconds since 1970. */
  readonly expires?: number | undefined
  /** The digest of the id registry, where there is one. */
  readonly identifiers?: string | undefined
  readonly now?: number
}

/** A signature of a release by one key. */
export function signRelease(
  secret: SecretKey,
  release: SignedRelease,
  { now = Date.now(), sequence = Math.floor(now / SECOND), expires, identifiers }: SigningOptions = {},
): string {
  const { definitions, origin, files } = signableRelease(release)
  const comment = [
    `timestamp:${Math.floor(now / SECOND)}`,
    `release:${release.digest}`,
    `definitions:${definitions}`,
    `origin:${origin}`,
    `files:${files.digest}`,
    `format:${files.format}`,
    `sequence:${sequence}`,
    ...(identifiers === undefined ? [] : [`identifiers:${identifiers}`]),
    ...(expires === undefined ? [] : [`expires:${Math.floor(expires / SECOND)}`]),
  ]
  return signMessage(secret, signedBytes(release.manifest), comment.join('\t'))
}

const LINES_OF_A_SIGNATURE = 4

/** The signatures in the content of a signature file. Text in another format counts as one, which is wrong when it is checked. */
export function signaturesIn(text: string): string[] {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/)
  if (lines.length % LINES_OF_A_SIGNATURE > 0) return [text]
  const starts = lines.keys().filter((at) => at % LINES_OF_A_SIGNATURE === 0)
  return [...starts].map((at) => `${lines.slice(at, at + LINES_OF_A_SIGNATURE).join('\n')}\n`)
}

/** The content of a signature file with one more signature, which replaces what the same key has signed before. */
export function withSignature(text: string | undefined, signature: string): string {
  const key = parseSignature(signature)?.keyId
  const others = text === undefined ? [] : signaturesIn(text).filter((one) => parseSignature(one)?.keyId !== key)
  return [...others, signature].join('')
}

type Statement = ReturnType<typeof statementIn>

/** Above every time of a signature, and every sequence. */
const MAX_SECONDS = 1e11

/** The members of the trusted comment of a signature; undefined those that it does not have. */
export function statementIn(trustedComment: string) {
  const members = new Map(trustedComment.split('\t').map((member) => cut(member)))
  const number = (name: string) => {
    const value = Number(members.get(name))
    return Number.isSafeInteger(value) && value > 0 && value < MAX_SECONDS ? value : undefined
  }
  const time = (seconds: number | undefined) =>
    seconds === undefined ? undefined : new Date(seconds * SECOND).toISOString()
  return {
    signed: time(number('timestamp')),
    sequence: number('sequence'),
    expires: time(number('expires')),
    definitions: members.get('definitions'),
    origin: members.get('origin'),
    files: members.get('files'),
    identifiers: members.get('identifiers'),
    format: number('format'),
  }
}

const cut = (member: string): [string, string] => {
  const at = member.indexOf(':')
  return [member.slice(0, at), member.slice(at + 1)]
}

/** The parts of a release that a signature may cover. */
type Part = 'records' | 'definitions' | 'origin' | 'files'

/** The proof of a release by the signature of a trusted key. */
export type Proof = Pick<Statement, 'signed' | 'sequence' | 'expires' | 'identifiers'> & {
  readonly key: PublicKey
  readonly trustedComment: string
  readonly covers: readonly Part[]
}

/** The proof by the trusted key that signed last, or why none of the keys has signed the release. */
export function proofOf(signable: Signable, text: string | undefined, { keys }: TrustedKeys) {
  if (text === undefined) return { wrong: 'it is not signed' }
  const signatures = signaturesIn(text)
  const ofKey = (id: string) => signatures.find((one) => parseSignature(one)?.keyId === id) ?? signatures[0] ?? ''
  const outcomes = keys.map((key) => proofBy(key, signable, ofKey(key.id)))
  const [latest] = outcomes
    .filter((outcome) => 'key' in outcome)
    .toSorted((a, b) => (b.sequence ?? 0) - (a.sequence ?? 0))
  return latest ?? outcomes[0] ?? { wrong: 'no key is trusted' }
}

function proofBy(key: PublicKey, signable: Signable, signature: string): Proof | { readonly wrong: string } {
  const verified = verifySignature(key, signedBytes(signable.checksums), signature)
  if ('wrong' in verified) return verified
  const { trustedComment } = verified
  const statement = statementIn(trustedComment)
  const wrong = contradiction(statement, signable)
  if (wrong !== undefined) return { wrong }
  const { signed, sequence, expires, files, identifiers } = statement
  const stated = (['definitions', 'origin'] as const).filter((part) => statement[part] !== undefined)
  const covers = ['records', ...stated, ...(files === signable.files.digest ? ['files'] : [])] as readonly Part[]
  return { key, trustedComment, signed, sequence, expires, identifiers, covers }
}

/** Says what of a release is not as a signature of it states. */
export function contradiction(statement: Statement, { definitions, origin, files }: Signable): string | undefined {
  if (differs(statement.definitions, definitions)) return 'its definitions are not those that were signed'
  if (differs(statement.origin, origin)) return 'its date, source or credits are not those that were signed'
  // In another format, other files are made of the same records.
  if (files.format === statement.format && differs(statement.files, files.digest)) return OTHER_FILES
  return undefined
}

/** The fault of a release whose manifest or entities are not those that were signed. */
export const OTHER_FILES = 'its manifest.json is not the one that was signed, and names other files or findings'

const differs = (stated: string | undefined, actual: string | undefined) =>
  stated !== undefined && actual !== undefined && stated !== actual

export const isExpired = ({ expires }: Pick<Proof, 'expires'>, now = Date.now()): boolean =>
  expires !== undefined && Date.parse(expires) <= now

/** The highest sequence in the content of a signature file, by any key; 0 if there is none. */
export function sequenceIn(text = ''): number {
  const comments = signaturesIn(text).map((one) => parseSignature(one)?.trustedComment ?? '')
  return Math.max(0, ...comments.map((comment) => statementIn(comment).sequence ?? 0))
}
