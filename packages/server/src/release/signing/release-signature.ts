// The signatures of a release: what they cover, what else they state, and whether enough of them are by keys that are trusted.
//
// Signed are the checksums of the release, whose SHA-256 is its digest. Everything else that is served is stated by its digest in
// the trusted comment, which is signed too: the definitions, the origin (date, source, credits) and the files that are made of the
// records. The comment also has the sequence of the signature, by which going back is noticed, its time, and when it expires.

import { OperationalError } from '../../base/operational-error.ts'
import type { EntityData } from '../../catalog/catalog.ts'
import { canonicalJson, definitionsDigest } from '../definitions-digest.ts'
import { type Checksums, checksumsText, type Manifest, numberingOf } from '../manifest.ts'
import { type PublicKey, parseSignature, type SecretKey, signMessage, verifySignature } from './minisign.ts'

/** Beside the manifest of the release: a signature of minisign for each key, one after the other. */
export const SIGNATURE_FILE = 'checksums.minisig'

/** Whose signatures count, and what is done about those that are old. */
export type Trust = {
  readonly keys: readonly PublicKey[]
  /** How many of the keys must have signed a release. */
  readonly threshold: number
  /** Whether a release whose signatures have expired is refused, and not only told. */
  readonly refusesExpired: boolean
  /** Whether a release is taken from elsewhere although it was signed before the one that is current here. */
  readonly acceptsRollback: boolean
}

/** What is trusted where nothing but keys is said. */
export const trustIn = (keys: readonly PublicKey[], more: Partial<Trust> = {}): Trust => ({
  ...{ keys, threshold: 1, refusesExpired: false, acceptsRollback: false },
  ...more,
})

export class UnsignedRelease extends OperationalError {
  constructor(digest: string, wrong: string, { keys, threshold }: Pick<Trust, 'keys' | 'threshold'>) {
    const ids = keys.map(({ id }) => id)
    const signers = threshold === 1 ? `key ${ids.join(' or ')}` : `${threshold} of the keys ${ids.join(', ')}`
    super(
      `release ${digest.slice(0, 12)} is refused: ${wrong}. Only what is signed by ${signers} is served; ` +
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

/** What of an open release is signed. */
type SignedRelease = {
  readonly digest: string
  readonly manifest: Manifest
  entity(name: string): { readonly stored: { readonly manifest: { readonly definition: EntityData } } | undefined }
}

/** The definitions of a release, in the order of its entities. */
export function definitionsOf({ manifest, entity }: Omit<SignedRelease, 'digest'>): EntityData[] {
  return Object.keys(manifest.entities).flatMap((name) => entity(name).stored?.manifest.definition ?? [])
}

/** What is signed, as bytes. */
export const signedBytes = (checksums: Checksums): Uint8Array => new TextEncoder().encode(checksumsText(checksums))

const sha256 = (value: unknown) => new Bun.CryptoHasher('sha256').update(canonicalJson(value)).digest('hex')

/** The digest of what this format of the files has made of the records. Each entity is named by its digest, and that names its files. */
export const filesDigest = ({ versions, entities, findings }: Pick<Manifest, 'versions' | 'entities' | 'findings'>) =>
  sha256({ versions, entities, findings })

const formatOf = ({ entities }: Pick<Manifest, 'entities'>): number =>
  Math.max(0, ...Object.values(entities).map(({ format }) => format))

/** A release as far as signatures tell of it. */
export type Signable = {
  readonly checksums: Checksums
  readonly origin: string
  /** Undefined before they are known: the files then have to tell them. */
  readonly definitions?: string
  readonly files: { readonly digest: string; readonly format: number }
}

export const signableManifest = (manifest: Manifest): Signable => ({
  checksums: manifest,
  origin: originOf(manifest),
  files: { digest: filesDigest(manifest), format: formatOf(manifest) },
})

/** What a release says of where it came from, the same in all formats. */
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
  readonly now?: number
}

/** A signature of a release by one key. */
export function signRelease(
  secret: SecretKey,
  release: SignedRelease,
  { now = Date.now(), sequence = Math.floor(now / SECOND), expires }: SigningOptions = {},
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
    ...(expires === undefined ? [] : [`expires:${Math.floor(expires / SECOND)}`]),
  ]
  return signMessage(secret, signedBytes(release.manifest), comment.join('\t'))
}

const LINES_OF_A_SIGNATURE = 4

/** The signatures in the content of a signature file. What is not in the format is one, and found to be wrong when it is read. */
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

/** What the trusted comment of a signature states; undefined what it does not. */
type Statement = {
  readonly signed: string | undefined
  readonly sequence: number | undefined
  readonly expires: string | undefined
  readonly definitions: string | undefined
  readonly origin: string | undefined
  readonly files: string | undefined
  readonly format: number | undefined
}

/** Beyond it is no time of a signature, and no sequence, which is at least that time. */
const MAX_SECONDS = 1e11

export function statementIn(trustedComment: string): Statement {
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
    format: number('format'),
  }
}

const cut = (member: string): [string, string] => {
  const at = member.indexOf(':')
  return [member.slice(0, at), member.slice(at + 1)]
}

/** The parts of a release that a signature may cover. */
type Part = 'records' | 'definitions' | 'origin' | 'files'

/** What the signatures of trusted keys prove of a release. */
export type Proof = Pick<Statement, 'signed' | 'sequence' | 'expires'> & {
  readonly keys: readonly PublicKey[]
  readonly trustedComments: readonly string[]
  /** What all of them cover. */
  readonly covers: readonly Part[]
}

type Held = { readonly key: PublicKey; readonly trustedComment: string; readonly statement: Statement }

/** Says which of the trusted keys have signed a release, and what that proves, or why it is not signed as it must be. */
export function proofOf(
  signable: Signable,
  text: string | undefined,
  { keys, threshold }: Pick<Trust, 'keys' | 'threshold'>,
): Proof | { readonly wrong: string } {
  if (text === undefined) return { wrong: 'it is not signed' }
  const signatures = signaturesIn(text)
  const ofKey = (id: string) => signatures.find((one) => parseSignature(one)?.keyId === id) ?? signatures[0] ?? ''
  const outcomes = [...new Map(keys.map((key) => [key.text, key])).values()].map((key) =>
    heldBy(key, signable, ofKey(key.id)),
  )
  // Those that were made last count: what they state is stated by as many keys as are needed.
  const held = outcomes
    .filter((outcome): outcome is Held => !('wrong' in outcome))
    .toSorted((a, b) => (b.statement.sequence ?? 0) - (a.statement.sequence ?? 0))
    .slice(0, threshold)
  if (held.length < threshold) {
    const [first] = outcomes.flatMap((outcome) => ('wrong' in outcome ? outcome.wrong : []))
    const few = threshold === 1 ? '' : ` (it is signed by ${held.length} keys, and ${threshold} are needed)`
    return { wrong: `${first ?? 'no key is trusted'}${few}` }
  }
  const statements = held.map(({ statement }) => statement)
  const covered = (part: 'definitions' | 'origin' | 'files') =>
    statements.every((one) => one[part] !== undefined && (part !== 'files' || one.files === signable.files.digest))
  return {
    keys: held.map(({ key }) => key),
    trustedComments: held.map(({ trustedComment }) => trustedComment),
    signed: statements[0]?.signed,
    sequence: statements.at(-1)?.sequence,
    expires: statements.flatMap(({ expires }) => expires ?? []).toSorted()[0],
    covers: ['records', ...(['definitions', 'origin', 'files'] as const).filter(covered)],
  }
}

function heldBy(key: PublicKey, signable: Signable, signature: string): Held | { readonly wrong: string } {
  const verified = verifySignature(key, signedBytes(signable.checksums), signature)
  if ('wrong' in verified) return verified
  const { trustedComment } = verified
  const statement = statementIn(trustedComment)
  const wrong = contradiction(statement, signable)
  return wrong === undefined ? { key, trustedComment, statement } : { wrong }
}

/** What a release has otherwise than a signature of it states. */
export function contradiction(statement: Statement, { definitions, origin, files }: Signable): string | undefined {
  if (differs(statement.definitions, definitions)) return 'its definitions are not those that were signed'
  if (differs(statement.origin, origin)) return 'its date, source or credits are not those that were signed'
  // Of another format, other files are made of the same records.
  if (files.format === statement.format && differs(statement.files, files.digest)) return OTHER_FILES
  return undefined
}

/** What is wrong with a release whose manifest or entities are others than those that were signed. */
export const OTHER_FILES = 'its manifest.json is not the one that was signed, and names other files or findings'

const differs = (stated: string | undefined, actual: string | undefined) =>
  stated !== undefined && actual !== undefined && stated !== actual

export const isExpired = ({ expires }: Pick<Proof, 'expires'>, now = Date.now()): boolean =>
  expires !== undefined && Date.parse(expires) <= now

/** The highest sequence in the content of a signature file, whoever signed; 0 where there is none. */
export const sequenceIn = (text: string | undefined): number =>
  Math.max(
    0,
    ...(text === undefined ? [] : signaturesIn(text)).map(
      (one) => statementIn(parseSignature(one)?.trustedComment ?? '').sequence ?? 0,
    ),
  )
