// Keys and signatures in the format of minisign, so that its own tools and those of others can check them.
//
//   public key   a comment; then base64 of: "Ed", id of the key (8 bytes), key (32)
//   secret key   a comment; then base64 of: "Ed", "Sc" or two zero bytes, "B2", salt (32), two limits (8 each), and
//                these 104 bytes, with "Sc" encrypted by scrypt: id (8), seed and public key (64), BLAKE2b-256 of all (32)
//   signature    a comment; base64 of: "ED" or "Ed", id (8), signature (64);
//                a trusted comment; base64 of the signature (64) of the first one and of that comment
//
// "ED" signs the BLAKE2b-512 of a message; "Ed", which old versions wrote, signs the message itself and is only read.
import type { KeyObject } from 'node:crypto'
import { nodeCrypto } from '../../base/built-ins.ts'
import { OperationalError } from '../../base/operational-error.ts'

export type PublicKey = {
  /** Its id as minisign writes it. */
  readonly id: string
  /** The line of the key, as it can be given in place of its file. */
  readonly text: string
  readonly key: KeyObject
}

export type SecretKey = { readonly publicKey: PublicKey; readonly key: KeyObject }

const ALGORITHM = Buffer.from('Ed')
const PREHASHED = Buffer.from('ED')
const CHECKSUM_ALGORITHM = Buffer.from('B2')
const SCRYPT = Buffer.from('Sc')
const NOT_ENCRYPTED = Buffer.alloc(2)
const ID_BYTES = 8
const KEY_BYTES = 32
const SIGNATURE_BYTES = 64
const CHECKSUM_BYTES = 32
const SALT_BYTES = 32
/** Id, seed, public key and checksum. */
const SECRET_BYTES = ID_BYTES + 2 * KEY_BYTES + CHECKSUM_BYTES

const UNTRUSTED = 'untrusted comment: '
const TRUSTED = 'trusted comment: '
const MAX_TRUSTED_COMMENT = 8_192

/** The bytes before the raw bytes of a key in DER. */
const PUBLIC_DER = Buffer.from('302a300506032b6570032100', 'hex')
const SECRET_DER = Buffer.from('302e020100300506032b657004220420', 'hex')

const idText = (id: Uint8Array) => Buffer.from(id).reverse().toString('hex').toUpperCase()

function publicKeyOf(id: Uint8Array, raw: Uint8Array): PublicKey {
  const text = Buffer.concat([ALGORITHM, id, raw]).toString('base64')
  const key = nodeCrypto().createPublicKey({ key: Buffer.concat([PUBLIC_DER, raw]), format: 'der', type: 'spki' })
  return { id: idText(id), text, key }
}

const bytesOf = (line: string | undefined, length: number): Buffer | undefined => {
  const bytes = Buffer.from(line ?? '', 'base64')
  return bytes.length === length && bytes.toString('base64') === line ? bytes : undefined
}

const linesOf = (text: string) => text.trim().split(/\r?\n/)

/** Reads a public key from the content of its file, or from the line in it that begins with RW. */
export function parsePublicKey(text: string): PublicKey | undefined {
  const lines = linesOf(text)
  const line = lines.length === 2 && lines[0]?.startsWith(UNTRUSTED) ? lines[1] : lines.length === 1 ? lines[0] : ''
  const bytes = bytesOf(line, ALGORITHM.length + ID_BYTES + KEY_BYTES)
  if (bytes === undefined || !bytes.subarray(0, 2).equals(ALGORITHM)) return undefined
  return publicKeyOf(bytes.subarray(2, 2 + ID_BYTES), bytes.subarray(2 + ID_BYTES))
}

export const publicKeyFile = ({ id, text }: PublicKey): string => `${UNTRUSTED}minisign public key ${id}\n${text}\n`

/** The limits with which minisign itself encrypts a key: a gigabyte of memory and some seconds. */
const LIMITS = { operations: 33_554_432n, memory: 1_073_741_824n }

/** A new pair of keys, as the content of its two files; without a password the secret key is not encrypted. */
export function generateKeys(password?: string, { operations, memory } = LIMITS) {
  const { privateKey, publicKey: generated } = nodeCrypto().generateKeyPairSync('ed25519')
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-KEY_BYTES)
  const raw = generated.export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES)
  const id = nodeCrypto().randomBytes(ID_BYTES)
  const secret = Buffer.concat([id, seed, raw, checksumOf(id, seed, raw)])
  const isEncrypted = password !== undefined
  const salt = isEncrypted ? nodeCrypto().randomBytes(SALT_BYTES) : Buffer.alloc(SALT_BYTES)
  const limits = Buffer.alloc(16)
  if (isEncrypted) {
    limits.writeBigUInt64LE(operations, 0)
    limits.writeBigUInt64LE(memory, 8)
  }
  const kdf = isEncrypted ? SCRYPT : NOT_ENCRYPTED
  const kept = isEncrypted ? masked(secret, password, salt, limits) : secret
  const bytes = Buffer.concat([ALGORITHM, kdf, CHECKSUM_ALGORITHM, salt, limits, kept])
  const comment = isEncrypted ? 'minisign encrypted secret key' : 'minisign secret key, not encrypted'
  return {
    publicKey: publicKeyOf(id, raw),
    secretFile: `${UNTRUSTED}${comment}\n${bytes.toString('base64')}\n`,
  }
}

const checksumOf = (id: Uint8Array, seed: Uint8Array, raw: Uint8Array) =>
  nodeCrypto().createHash('blake2b256').update(ALGORITHM).update(id).update(seed).update(raw).digest()

/** Encrypts and decrypts: the bytes are combined with a stream that follows from the password. */
function masked(bytes: Uint8Array, password: string, salt: Uint8Array, limits: Buffer): Buffer {
  const stream = nodeCrypto().scryptSync(password, salt, SECRET_BYTES, scryptCost(limits))
  return Buffer.from(bytes.map((byte, at) => byte ^ (stream[at] as number)))
}

const BLOCK_SIZE = 8
const MAX_MEMORY = 1n << 32n

/** The parameters of scrypt that libsodium derives from its two limits. */
function scryptCost(limits: Buffer) {
  const operations = limits.readBigUInt64LE(0)
  const memory = limits.readBigUInt64LE(8)
  if (memory > MAX_MEMORY || operations > MAX_MEMORY || operations < 1n)
    throw new OperationalError('the secret key says that it was encrypted with limits that minisign does not write')
  const isShortOfTime = operations < memory / 32n
  const maxN = isShortOfTime ? operations / BigInt(BLOCK_SIZE * 4) : memory / BigInt(BLOCK_SIZE * 128)
  let logN = 1
  while (logN < 40 && 1n << BigInt(logN) <= maxN / 2n) logN++
  const N = 2 ** logN
  const p = isShortOfTime ? 1 : Math.max(1, Math.floor(Number(operations / 4n) / N / BLOCK_SIZE))
  return { N, r: BLOCK_SIZE, p, maxmem: N * BLOCK_SIZE * 128 + (1 << 20) * (p + 1) }
}

/** The secret key in the content of its file. */
export function parseSecretKey(text: string, password: string | undefined): SecretKey {
  const lines = linesOf(text)
  const line = lines[0]?.startsWith(UNTRUSTED) ? lines[1] : lines[0]
  const bytes = bytesOf(line, 6 + SALT_BYTES + 16 + SECRET_BYTES)
  const isOurs = bytes?.subarray(0, 2).equals(ALGORITHM) && bytes.subarray(4, 6).equals(CHECKSUM_ALGORITHM)
  if (bytes === undefined || !isOurs)
    throw new OperationalError('this is not a secret key of minisign; nomenclator keygen makes one')
  const kdf = bytes.subarray(2, 4)
  const [salt, limits, kept] = [bytes.subarray(6, 38), bytes.subarray(38, 54), bytes.subarray(54)]
  const isEncrypted = kdf.equals(SCRYPT)
  if (!isEncrypted && !kdf.equals(NOT_ENCRYPTED))
    throw new OperationalError('the secret key is encrypted in a way that this program does not read')
  if (isEncrypted && password === undefined)
    throw new OperationalError('the secret key is encrypted; give the file with its password with --password-file')
  const secret = isEncrypted ? masked(kept, password as string, salt, limits) : kept
  const id = secret.subarray(0, ID_BYTES)
  const seed = secret.subarray(ID_BYTES, ID_BYTES + KEY_BYTES)
  const raw = secret.subarray(ID_BYTES + KEY_BYTES, ID_BYTES + 2 * KEY_BYTES)
  const checksum = secret.subarray(-CHECKSUM_BYTES)
  // The checksum of a key that is not encrypted is empty.
  const isEmpty = !isEncrypted && checksum.every((byte) => byte === 0)
  if (!isEmpty && !checksum.equals(checksumOf(id, seed, raw)))
    throw new OperationalError(isEncrypted ? 'the password of the secret key is wrong' : 'the secret key is damaged')
  const key = nodeCrypto().createPrivateKey({ key: Buffer.concat([SECRET_DER, seed]), format: 'der', type: 'pkcs8' })
  const derived = nodeCrypto().createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES)
  if (!derived.equals(raw)) throw new OperationalError('the secret key is damaged')
  return { publicKey: publicKeyOf(id, raw), key }
}

const prehashed = (message: Uint8Array) => nodeCrypto().createHash('blake2b512').update(message).digest()

/** The content of a signature file. */
export function signMessage({ publicKey, key }: SecretKey, message: Uint8Array, trustedComment: string): string {
  const id = Buffer.from(publicKey.text, 'base64').subarray(2, 2 + ID_BYTES)
  const signature = nodeCrypto().sign(null, prehashed(message), key)
  const whole = nodeCrypto().sign(null, Buffer.concat([signature, Buffer.from(trustedComment)]), key)
  const line = Buffer.concat([PREHASHED, id, signature]).toString('base64')
  return `${UNTRUSTED}signature from minisign secret key ${publicKey.id}\n${line}\n${TRUSTED}${trustedComment}\n${whole.toString('base64')}\n`
}

type Signature = {
  /** The id of the key that it says it is by. */
  readonly keyId: string
  readonly isPrehashed: boolean
  readonly bytes: Buffer
  readonly trustedComment: string
  readonly whole: Buffer
}

/** Reads the content of a signature file; undefined for anything else. */
export function parseSignature(text: string): Signature | undefined {
  const [untrusted, line, trusted, whole, ...more] = text.replace(/\r?\n$/, '').split(/\r?\n/)
  const bytes = bytesOf(line, 2 + ID_BYTES + SIGNATURE_BYTES)
  const wholeBytes = bytesOf(whole, SIGNATURE_BYTES)
  if (bytes === undefined || wholeBytes === undefined || more.length > 0) return undefined
  if (!untrusted?.startsWith(UNTRUSTED) || !trusted?.startsWith(TRUSTED)) return undefined
  if (trusted.length > MAX_TRUSTED_COMMENT) return undefined
  const algorithm = bytes.subarray(0, 2)
  if (!algorithm.equals(PREHASHED) && !algorithm.equals(ALGORITHM)) return undefined
  return {
    keyId: idText(bytes.subarray(2, 2 + ID_BYTES)),
    isPrehashed: algorithm.equals(PREHASHED),
    bytes: bytes.subarray(2 + ID_BYTES),
    trustedComment: trusted.slice(TRUSTED.length),
    whole: wholeBytes,
  }
}

/** The trusted comment of a signature that a key made of a message, or what is wrong with it. */
export function verifySignature(
  publicKey: PublicKey,
  message: Uint8Array,
  text: string,
): { readonly trustedComment: string } | { readonly wrong: string } {
  const signature = parseSignature(text)
  if (signature === undefined) return { wrong: 'the signature is not in the format of minisign' }
  const { keyId, isPrehashed, bytes, trustedComment, whole } = signature
  if (keyId !== publicKey.id) return { wrong: `it is signed by key ${keyId}, not by ${publicKey.id}` }
  if (!nodeCrypto().verify(null, isPrehashed ? prehashed(message) : message, publicKey.key, bytes))
    return { wrong: `the signature by key ${keyId} does not hold for it` }
  if (!nodeCrypto().verify(null, Buffer.concat([bytes, Buffer.from(trustedComment)]), publicKey.key, whole))
    return { wrong: `the trusted comment of the signature by key ${keyId} was changed` }
  return { trustedComment }
}
