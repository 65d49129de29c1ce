// nomenclator releases, and what is done with a release: show, activate, rollback, prune, verify.
import { OperationalError } from '../../base/operational-error.ts'
import { cacheIn, damagedFiles } from '../../http/v2/cache-directory.ts'
import { type Listed, ReleaseStore } from '../../release/home/release-store.ts'
import { isBuiltHere } from '../../release/home/signature-check.ts'
import { releaseVerifier } from '../../release/home/verify.ts'
import { findingsByKind, numberingOf, sizeOf } from '../../release/manifest.ts'
import { parseSignature } from '../../release/signing/minisign.ts'
import {
  contradiction,
  sequenceIn,
  signableRelease,
  signaturesIn,
  statementIn,
  type Trust,
} from '../../release/signing/release-signature.ts'
import { command, type Terminal } from '../command.ts'
import { type ValuesOf, wholeNumber } from '../flags/flags.ts'
import { wait } from '../flags/import-flags.ts'
import { jsonFlag, jsonText } from '../flags/json-flag.ts'
import { passwordFile, signatureFlags, signFlags, trustOf } from '../flags/key-flags.ts'
import { homeFlags } from '../flags/shelf-flags.ts'
import { changeHome, openHome } from '../home/open-home.ts'
import { countsOf } from '../terminal/counts.ts'

const DIGEST_OPERAND = { usage: 'DIGEST', min: 1, max: 1 } as const
const number = new Intl.NumberFormat('en')
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
const short = (digest: string) => digest.slice(0, 12)

const releases = command({
  name: 'releases',
  summary: 'List the releases on disk (and show, verify, prune)',
  description:
    'The newest comes first, and the current one is marked. Each has its size, and the part of it that no other release shares.',
  flags: { ...homeFlags, ...jsonFlag() },
  examples: ['releases', 'releases --json'],
  run: async ({ values, terminal }) => {
    const store = await openHome(values, terminal)
    const listed = store.list()
    if (values.json) terminal.out(jsonText(listed))
    else if (listed.length === 0) terminal.out('There is no release yet; nomenclator import bundled makes one.\n')
    else terminal.out(listed.map((one) => lineOf(store, one)).join(''))
  },
})

function lineOf(store: ReleaseStore, { digest, current, manifest, ownBytes }: Listed): string {
  const mark = `${current ? '*' : ' '} ${short(digest)}`
  if ('unreadable' in manifest) return `${mark}  not readable: ${manifest.unreadable}\n`
  const columns = [
    manifest.built.slice(0, 16).replace('T', ' '),
    manifest.source.kind.padEnd(9),
    megabytes(sizeOf(manifest)).padStart(10),
    `${megabytes(ownBytes)} its own`.padStart(18),
    countsOf(store.read(digest)),
  ]
  return `${mark}  ${columns.join('  ')}\n`
}

const releasesShow = command({
  name: 'releases show',
  summary: 'Show where a release comes from, its counts and findings',
  operands: DIGEST_OPERAND,
  flags: { ...homeFlags, ...jsonFlag() },
  examples: ['releases show 1a2b3c', 'releases show 1a2b3c --json'],
  run: async ({ values, operands, terminal }) => {
    const store = await openHome(values, terminal)
    const release = store.read(store.find(operands[0] as string))
    const { manifest } = release
    if (values.json) return terminal.out(jsonText(manifest))
    const { digest, built, source, versions } = manifest
    const current = digest === store.knownHistory()[0] ? ' (current)' : ''
    terminal.out(
      `Release ${digest}${current}\nbuilt    ${built} by Nomenclator ${versions.nomenclator} on Bun ${versions.bun}\n`,
    )
    terminal.out(`source   ${source.kind}: ${source.title}${source.synthetic ? ' (synthetic)' : ''}\n`)
    for (const text of signaturesIn(store.signatureOf(digest) ?? '')) {
      const signature = parseSignature(text)
      if (signature !== undefined)
        terminal.out(`signed   by key ${signature.keyId}; nomenclator verify-release checks it\n`)
    }
    for (const { to, of } of source.credits) terminal.out(`credit   ${to} (${of.join(', ')})\n`)
    for (const { plural, name } of release.catalog.entities.values()) {
      const numbering = numberingOf(manifest, name)
      const note = numbering === 'official' ? '' : `  ${numbering} numbering`
      terminal.out(`${plural.padEnd(28)}${number.format(release.entity(name).count).padStart(10)}${note}\n`)
    }
    for (const { kind, count, description, examples } of findingsByKind(manifest)) {
      terminal.out(
        `finding  ${kind}: ${number.format(count)} × ${description}\n${examples.map((one) => `           ${one}\n`).join('')}`,
      )
    }
  },
})

const goingBack = { ...signFlags, 'password-file': passwordFile, wait, ...homeFlags } as const

/** Signs a release again that is gone back to; nodes that require signatures take none that was signed before what they have. */
async function signerAgain(
  values: ValuesOf<typeof goingBack>,
  terminal: Terminal,
): Promise<(store: ReleaseStore, digest: string, before: string | undefined) => Promise<void>> {
  const { signerOf } = await import('../home/run-import.ts')
  const { sign } = signerOf(values)
  return async (store, digest, before) => {
    if (sign !== undefined) return store.placeSignature(digest, await sign(store, digest))
    const sequence = (one = '') => sequenceIn(store.signatureOf(one))
    if (sequence(digest) < sequence(before))
      terminal.err(
        `Release ${short(digest)} was signed before what is current: machines that require signatures and follow this one go on ` +
          `with what they have. To take them along, run nomenclator activate ${short(digest)} --sign FILE.\n`,
      )
  }
}

const activate = command({
  name: 'activate',
  summary: 'Make a release on disk the current one',
  description: 'A running server changes to it at once.',
  operands: DIGEST_OPERAND,
  flags: goingBack,
  examples: ['activate 1a2b3c', 'activate 1a2b3c --sign release.key'],
  run: async ({ values, operands, terminal }) => {
    const sign = await signerAgain(values, terminal)
    const digest = await changeHome(values, 'activate', terminal, async (store) => {
      const chosen = store.find(operands[0] as string)
      await sign(store, chosen, store.knownHistory()[0])
      store.activate(chosen)
      return chosen
    })
    terminal.out(`Release ${short(digest)} is now current.\n`)
  },
})

const rollback = command({
  name: 'rollback',
  summary: 'Go back to the release that was current before',
  flags: goingBack,
  examples: ['rollback', 'rollback --sign release.key'],
  run: async ({ values, terminal }) => {
    const sign = await signerAgain(values, terminal)
    const digest = await changeHome(values, 'rollback', terminal, async (store) => {
      const before = store.currentDigest()
      const digest = store.rollback()
      await sign(store, digest, before)
      return digest
    })
    terminal.out(`Release ${short(digest)} is current again.\n`)
  },
})

const releasesPrune = command({
  name: 'releases prune',
  summary: 'Remove old releases, but never the current one',
  flags: {
    keep: {
      value: 'N',
      description: 'how many of the newest to keep besides the current one',
      defaultValue: '5',
      parse: wholeNumber(0, 10_000),
    },
    wait,
    ...homeFlags,
  },
  examples: ['releases prune --keep 2'],
  run: async ({ values, terminal }) => {
    const old = await changeHome(values, 'releases prune', terminal, async (store) => {
      const listed = store
        .list(store.currentDigest())
        .filter(({ current }) => !current)
        .slice(values.keep)
      for (const { digest } of listed) store.remove(digest)
      return listed
    })
    for (const { digest } of old) terminal.out(`Removed ${short(digest)}.\n`)
    if (old.length === 0) terminal.out('Nothing to remove.\n')
  },
})

const releasesVerify = command({
  name: 'releases verify',
  summary: 'Read all files of the releases again and check them',
  description: 'Each file, also of the cache, must have its digest, and each signature must fit its release.',
  operands: { usage: '[DIGEST]', min: 0, max: 1 },
  flags: { ...signatureFlags, ...homeFlags },
  examples: ['releases verify', 'releases verify 1a2b3c', 'releases verify --require-signature release.pub'],
  run: async ({ values, operands, terminal }) => {
    const store = await openHome(values, terminal)
    const [prefix] = operands
    const digests = prefix === undefined ? store.list().map(({ digest }) => digest) : [store.find(prefix)]
    const cached = prefix === undefined ? await damagedFiles(cacheIn(store.home)) : []
    for (const path of cached) terminal.out(`${path}  damaged\n`)
    await verifyAll(store, digests, trustOf(values), terminal)
    if (cached.length > 0)
      throw new OperationalError('the cache is damaged; remove these files, and they are made anew')
  },
})

async function verifyAll(
  store: ReleaseStore,
  digests: readonly string[],
  trust: Trust | undefined,
  terminal: Terminal,
): Promise<void> {
  const verify = releaseVerifier(store)
  const trusting = new ReleaseStore(store.home, trust)
  let damaged = 0
  for (const digest of digests) {
    const damage = await verify(digest)
    const unproved =
      damage.length > 0 ? undefined : trust === undefined ? contradicted(store, digest) : unreadable(trusting, digest)
    const wrong = unproved === undefined ? damage : [unproved]
    damaged += wrong.length === 0 ? 0 : 1
    terminal.out(`${short(digest)}  ${wrong.length === 0 ? 'sound' : `damaged\n  ${wrong.join('\n  ')}`}\n`)
  }
  if (damaged > 0)
    throw new OperationalError(
      `${damaged} of ${digests.length} releases are damaged; import their source again to replace them`,
    )
}

/** Why a release cannot be read. */
function unreadable(store: ReleaseStore, digest: string): string | undefined {
  const manifest = store.manifestOrReason(digest)
  return 'unreadable' in manifest ? manifest.unreadable : undefined
}

/** Says what of a release is not as one of its signatures states, by any key. */
function contradicted(store: ReleaseStore, digest: string): string | undefined {
  const release = store.read(digest)
  if (isBuiltHere(store, release.manifest)) return undefined
  for (const text of signaturesIn(store.signatureOf(digest) ?? '')) {
    const wrong = contradiction(statementIn(parseSignature(text)?.trustedComment ?? ''), signableRelease(release))
    if (wrong !== undefined) return `${wrong}; nomenclator verify-release names the files`
  }
  return undefined
}

export const releaseCommands = [releases, releasesShow, releasesVerify, releasesPrune, activate, rollback] as const
