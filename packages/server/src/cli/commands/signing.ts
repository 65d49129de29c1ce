// nomenclator keygen, sign, verify-release and rotate-keys.
import { closeSync, existsSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { OperationalError } from '../../base/operational-error.ts'
import { replaceDurably } from '../../release/files/durable-file.ts'
import type { ReleaseStore } from '../../release/home/release-store.ts'
import { signInHome } from '../../release/home/sign.ts'
import { isBuiltHere, rotationsOf } from '../../release/home/signature-check.ts'
import { releaseVerifier } from '../../release/home/verify.ts'
import { KEYS_FILE, rotatedTrust, withRotation } from '../../release/signing/key-rotation.ts'
import { generateKeys, parseSignature, publicKeyFile } from '../../release/signing/minisign.ts'
import {
  isExpired,
  OTHER_FILES,
  type Proof,
  proofOf,
  signableRelease,
  signaturesIn,
  trustIn,
  withSignature,
} from '../../release/signing/release-signature.ts'
import { command } from '../command.ts'
import { text, UsageError } from '../flags/flags.ts'
import { homeOf } from '../flags/home-flag.ts'
import { wait } from '../flags/import-flags.ts'
import { jsonFlag, jsonText } from '../flags/json-flag.ts'
import { contentOf, passwordFile, publicKey, readPassword, readSecretKey, signFlags } from '../flags/key-flags.ts'
import { homeFlags } from '../flags/shelf-flags.ts'
import { changeHome, openHome } from '../home/open-home.ts'

const OPTIONAL_DIGEST = { usage: '[DIGEST]', min: 0, max: 1 } as const
const SECRET_MODE = 0o600
const PUBLIC_MODE = 0o644

const keygen = command({
  name: 'keygen',
  summary: 'Make a pair of keys to sign releases with',
  description: 'NAME.key is secret, NAME.pub is public. Both have the format of minisign.',
  flags: {
    out: {
      value: 'NAME',
      description: 'path of both files, without .key and .pub',
      defaultValue: 'nomenclator',
      parse: text,
    },
    'password-file': passwordFile,
    ...jsonFlag(),
  },
  examples: ['keygen --out /etc/nomenclator/release', 'keygen --out release --password-file password.txt'],
  run: async ({ values, terminal }) => {
    const [secretPath, publicPath] = [resolve(`${values.out}.key`), resolve(`${values.out}.pub`)]
    for (const path of [secretPath, publicPath])
      if (existsSync(path)) throw new OperationalError(`${path} is there already; give another name with --out`)
    const { publicKey: generated, secretFile } = generateKeys(readPassword(values['password-file']))
    writeNew(secretPath, secretFile, SECRET_MODE)
    writeNew(publicPath, publicKeyFile(generated), PUBLIC_MODE)
    const { id, text: line } = generated
    const report = { id, publicKey: line, secretFile: secretPath, publicFile: publicPath }
    const words = `secret  ${secretPath}: keep it where only the publisher reads it\n  public  ${publicPath}: ${line}`
    terminal.out(values.json ? jsonText(report) : `Key ${id}\n  ${words}\n`)
  },
})

/** Writes a file that is not there yet. Nobody can read a part of it. */
function writeNew(path: string, content: string, mode: number): void {
  const descriptor = openSync(path, 'wx', mode)
  try {
    writeSync(descriptor, content)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** The release that is meant: by its digest, or the current one. */
function chosenDigest(store: ReleaseStore, prefix: string | undefined): string {
  const digest = prefix === undefined ? store.currentDigest() : store.find(prefix)
  if (digest === undefined) throw new OperationalError('there is no release yet; nomenclator import bundled makes one')
  return digest
}

const short = (digest: string) => digest.slice(0, 12)

async function refuseDamaged(store: ReleaseStore, digest: string): Promise<void> {
  const wrong = await releaseVerifier(store)(digest)
  if (wrong.length > 0) throw new OperationalError(`release ${short(digest)} is damaged:\n  ${wrong.join('\n  ')}`)
}

const sign = command({
  name: 'sign',
  summary: 'Sign a release',
  description: 'Without DIGEST, it signs the current one. Nodes that require a signature change to it at once.',
  operands: OPTIONAL_DIGEST,
  flags: {
    key: { value: 'FILE', description: 'secret key to sign with', parse: text },
    'password-file': passwordFile,
    'expires-days': signFlags['expires-days'],
    signature: {
      value: 'FILE',
      description: 'keep this signature of its checksums, made elsewhere, and make none',
      parse: text,
    },
    wait,
    ...homeFlags,
    ...jsonFlag(),
  },
  examples: [
    'sign --key release.key',
    'sign 1a2b3c --key release.key --password-file password.txt',
    'sign --key release.key --expires-days 400',
    'sign --signature checksums.minisig',
  ],
  run: async ({ values, operands, terminal }) => {
    if ((values.key === undefined) === (values.signature === undefined))
      throw new UsageError([
        'give the secret key with --key FILE, or a signature that was made elsewhere with --signature FILE; nomenclator keygen makes a key',
      ])
    // A fault of the home is reported before one of the key.
    homeOf(values.home)
    const secret = values.key === undefined ? undefined : readSecretKey(values.key, values['password-file'])
    const foreignSignature = values.signature === undefined ? undefined : readSignature(values.signature)
    const { digest, signature } = await changeHome(values, 'sign', terminal, async (store) => {
      const chosen = chosenDigest(store, operands[0])
      // A signature stays for years: every byte is read before one is made.
      await refuseDamaged(store, chosen)
      const made =
        secret === undefined
          ? withSignature(store.signatureOf(chosen), foreignSignature as string)
          : await signInHome(store, chosen, secret, { days: values['expires-days'] })
      store.placeSignature(chosen, made)
      // A server that follows the current release looks at it again.
      if (chosen === store.currentDigest()) store.activate(chosen)
      return { digest: chosen, signature: made }
    })
    const { trustedComment, keyId: key } = parseSignature(signaturesIn(signature).at(-1) ?? '') ?? {}
    terminal.out(
      values.json
        ? jsonText({ digest, key, trustedComment, signature })
        : `Release ${short(digest)} is signed by key ${key}.\n`,
    )
  },
})

/** The signature in a file. Only the public key shows if it holds: verify-release checks that, and a node that requires it. */
function readSignature(path: string): string {
  const signature = contentOf(path)
  if (signature === undefined || parseSignature(signature) === undefined)
    throw new OperationalError(`${path} is not a signature of minisign`)
  return signature
}

const verifyRelease = command({
  name: 'verify-release',
  summary: 'Check the files and the signature of a release',
  description: 'Without DIGEST, it checks the current one. Every file is read again.',
  operands: OPTIONAL_DIGEST,
  flags: {
    key: publicKey,
    ...homeFlags,
    ...jsonFlag(),
  },
  examples: [
    'verify-release --key release.pub',
    'verify-release 1a2b3c --key RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3',
  ],
  run: async ({ values, operands, terminal }) => {
    if (values.key === undefined)
      throw new UsageError(['give the public key with --key KEY, as a file or as its line that begins with RW'])
    const store = await openHome(values, terminal)
    const digest = chosenDigest(store, operands[0])
    await refuseDamaged(store, digest)
    const release = store.read(digest)
    const trust = rotatedTrust(trustIn(values.key), rotationsOf(store))
    const proof = proofOf(signableRelease(release), store.signatureOf(digest), trust)
    if ('wrong' in proof)
      throw new OperationalError(
        `release ${short(digest)} is not proved: ${proof.wrong}${await forgedText(store, digest, proof.wrong)}`,
      )
    const builtHere = isBuiltHere(store, release.manifest)
    terminal.out(values.json ? jsonText(proofReport(digest, proof, builtHere)) : proofText(digest, proof, builtHere))
  },
})

/** Names the tampered files if these are the fault. */
async function forgedText(store: ReleaseStore, digest: string, wrong: string): Promise<string> {
  if (!wrong.startsWith(OTHER_FILES)) return ''
  const { tamperedFiles } = await import('../../release/home/tampered-files.ts')
  const files = await tamperedFiles(store, digest)
  return files.length === 0 ? '' : `. Not as its records make them are:\n  ${files.join('\n  ')}`
}

function proofReport(digest: string, { key, ...proof }: Proof, builtHere: boolean) {
  const coversDefinitions = proof.covers.includes('definitions')
  return { digest, key: key.id, keys: [key.id], ...proof, coversDefinitions, builtHere, expired: isExpired(proof) }
}

const COVERED = {
  records: 'its records, facts and aliases',
  definitions: 'its definitions',
  origin: 'its date, source and credits',
  files: 'its other files (offsets, entity tags, index, words) and findings',
} as const

function proofText(digest: string, proof: Proof, builtHere: boolean): string {
  const { key, signed, sequence, expires, covers } = proof
  const words = (isWanted: (part: keyof typeof COVERED) => boolean) =>
    (Object.keys(COVERED) as (keyof typeof COVERED)[]).filter(isWanted).map((part) => COVERED[part])
  const others = words((part) => !covers.includes(part))
  const rebuilt = builtHere && !covers.includes('files') ? '; its files were built here from its records' : ''
  const lines = [
    'every file is as its digest says',
    `signed by key ${key.id}${signed === undefined ? '' : `, ${signed}`}`,
    ...(sequence === undefined ? [] : [`sequence ${sequence}`]),
    ...(expires === undefined ? [] : [`${isExpired(proof) ? 'EXPIRED' : 'expires'} ${expires}`]),
    `signed are ${words((part) => covers.includes(part)).join('; ')}`,
    ...(others.length === 0 ? [] : [`NOT SIGNED are ${others.join('; ')}${rebuilt}`]),
  ]
  return `Release ${digest}\n${lines.map((line) => `  ${line}\n`).join('')}`
}

const rotateKeys = command({
  name: 'rotate-keys',
  summary: 'Replace the keys that releases are signed with',
  description:
    'An old key signs a statement that names the new keys. Nodes get the statement with the current release, so sign that one with a new key first.',
  flags: {
    key: { value: 'FILE', description: 'secret key that is trusted so far', parse: text },
    'password-file': passwordFile,
    to: { ...publicKey, description: 'public keys that are trusted from now on: files or lines, separated by commas' },
    wait,
    ...homeFlags,
    ...jsonFlag(),
  },
  examples: ['rotate-keys --key old.key --to new.pub', 'rotate-keys --key old.key --to a.pub,b.pub'],
  run: async ({ values, terminal }) => {
    const { key, to } = values
    if (key === undefined || to === undefined)
      throw new UsageError(['give the old secret key with --key FILE, and the new public keys with --to KEY'])
    const signer = await changeHome(values, 'rotate-keys', terminal, async (store) => {
      const secret = readSecretKey(key, values['password-file'])
      const current = chosenDigest(store, undefined)
      const signature = store.signatureOf(current) ?? ''
      // Nodes that have followed the rotation would refuse it.
      const proof = proofOf(signableRelease(store.read(current)), signature, { keys: to })
      if ('wrong' in proof)
        throw new OperationalError(
          `release ${short(current)} is not signed by the new keys yet: ${proof.wrong}. Sign it with one of them first, with nomenclator sign --key FILE; nothing was changed`,
        )
      replaceDurably(join(store.home, KEYS_FILE), withRotation(rotationsOf(store), to, secret))
      store.placeSignature(current, signature)
      store.activate(current)
      return secret.publicKey.id
    })
    const report = { keys: to.map(({ id }) => id), signedBy: [signer] }
    if (values.json) terminal.out(jsonText(report))
    else
      terminal.out(
        `Key ${report.keys.join(', ')} is trusted from now on, as key ${signer} has signed. ` +
          'Sign earlier releases that are needed with it too: nomenclator sign DIGEST --key FILE.\n',
      )
  },
})

export const signingCommands = [keygen, sign, verifyRelease, rotateKeys] as const
