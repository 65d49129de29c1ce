// nomenclator import mirror URL
import { join } from 'node:path'
import { diskFailure, Failure } from '../../base/failure.ts'
import { Shelf } from '../../release/home/shelf.ts'
import { command, type Terminal } from '../command.ts'
import { text, UsageError, type ValuesOf, type Wrong, wholeNumber, yes } from '../flags/flags.ts'
import { homeOf } from '../flags/home-flag.ts'
import { importFlags } from '../flags/import-flags.ts'
import { trustFlags, trustOf } from '../flags/key-flags.ts'
import { changeHome } from '../home/open-home.ts'
import { bytesText, progressLine } from '../terminal/progress.ts'

const flags = {
  release: {
    value: 'DIGEST',
    description: 'this release of it, or the beginning of its digest; else its current one',
    parse: digestOf,
  },
  ...trustFlags,
  follow: { description: 'go on: take over whatever becomes current there, until it is stopped', parse: yes },
  interval: {
    value: 'SECONDS',
    description: 'how often to look with --follow',
    defaultValue: '60',
    parse: wholeNumber(1, 86_400),
  },
  ...importFlags,
} as const

type Values = ValuesOf<typeof flags>

export const importMirror = command({
  name: 'import mirror',
  description:
    'Take a release over from another Nomenclator, under the same digest. Interrupted, the same command goes on where it stopped.',
  operands: { usage: 'URL', min: 1, max: 1 },
  flags,
  examples: [
    'import mirror https://catalogs.example.org --require-signature publisher.pub',
    'import mirror https://catalogs.example.org --follow --interval 30',
  ],
  run: async ({ values, operands, terminal }) => {
    if (values.follow && (values['dry-run'] || values.release !== undefined))
      throw new UsageError([
        '--follow takes over what is current there: it goes neither with --release nor with --dry-run',
      ])
    const { Origin } = await import('../../distribution/mirror/origin.ts')
    const mirror = {
      origin: new Origin(operands[0] as string),
      shelf: new Shelf(homeOf(values.home)),
      values,
      terminal,
    }
    if (!values.follow) {
      await takeOver(mirror, await mirror.origin.find(values.release))
      return 0
    }
    // An import that is cut short anywhere leaves the current release as it was.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0))
    return await followOrigin(mirror)
  },
})

type Mirror = {
  readonly origin: import('../../distribution/mirror/origin.ts').Origin
  readonly shelf: Shelf
  readonly values: Values
  readonly terminal: Terminal
}

/** Fetches a release and makes it current here. */
async function takeOver({ origin, values, terminal }: Mirror, digest: string): Promise<void> {
  const [{ fetchRelease }, { importWithProgress, reportText, signerOf }] = await Promise.all([
    import('../../distribution/mirror/mirror.ts'),
    import('../home/run-import.ts'),
  ])
  const trust = trustOf(values)
  const { mirrored, report } = await changeHome(values, 'import mirror', terminal, async (shelf) => {
    const progress = progressLine(terminal, bytesText)
    const fetched = await fetchRelease(shelf, origin, digest, {
      directory: join(shelf.home, 'harvest', `mirror-${Bun.hash.xxHash64(origin.base).toString(16)}`),
      trust,
      onProgress: (collection, done, size) => progress.show(`download of ${collection}`, done, size),
      onRetry: (reason, milliseconds) =>
        terminal.err(`${reason}; trying again in ${Math.ceil(milliseconds / 1_000)} s\n`),
    }).finally(() => progress.clear())
    const options = { ...fetched.options, ...signerOf(values) }
    // Whoever has signed a release has decided that its changes are right.
    const accepts = { ...values, 'accept-changes': values['accept-changes'] || trust !== undefined }
    return { mirrored: fetched, report: await importWithProgress(shelf, fetched.source, terminal, accepts, options) }
  })
  // A dry run keeps what was downloaded for the import that follows it.
  if (!values['dry-run']) mirrored.discard()
  const { downloaded, bytes } = mirrored
  if (values.json) terminal.out(`${JSON.stringify({ ...report, origin: origin.base, downloaded, bytes }, null, 2)}\n`)
  else terminal.out(`${reportText(report)}${downloadText(downloaded, bytes)}`)
}

const downloadText = (downloaded: readonly string[], bytes: number) =>
  downloaded.length === 0
    ? 'Nothing had to be downloaded.\n'
    : `Downloaded ${bytesText(bytes)}: ${downloaded.join(', ')}.\n`

const SECOND = 1_000
const FIRST_RETRY_SECONDS = 5
const MAX_RETRY_SECONDS = 600

/** Never ends by itself: whatever fails is told and tried again. */
async function followOrigin(mirror: Mirror): Promise<never> {
  const { origin, shelf, values, terminal } = mirror
  terminal.err(`Following ${origin.base}, every ${values.interval} s.\n`)
  let failures = 0
  let lastMessage: string | undefined
  for (;;) {
    try {
      const digest = await origin.find(undefined)
      const isHere = shelf.currentDigest() === digest
      if (!isHere || shelf.signatureOf(digest) !== (await origin.signature(digest))) await takeOver(mirror, digest)
      if (lastMessage !== undefined) terminal.err(`${origin.base} is followed again.\n`)
      failures = 0
      lastMessage = undefined
    } catch (error) {
      const failure = error instanceof Failure ? error : diskFailure(error)
      if (failure === undefined) throw error
      failures++
      if (failure.message !== lastMessage) terminal.err(`NOT MIRRORED: ${failure.message}\n`)
      lastMessage = failure.message
    }
    await Bun.sleep(pauseAfter(failures, values.interval))
  }
}

/** Spread at random, so that many mirrors do not send requests at the same moment, least of all when their origin is back. */
function pauseAfter(failures: number, interval: number): number {
  const seconds =
    failures === 0
      ? interval
      : Math.min(Math.min(interval, FIRST_RETRY_SECONDS) * 2 ** (failures - 1), Math.max(interval, MAX_RETRY_SECONDS))
  return seconds * SECOND * (0.75 + Math.random() / 2)
}

function digestOf(value: string): string | Wrong {
  return /^[0-9a-f]{8,64}$/.test(value)
    ? text(value)
    : { allowed: 'the digest of a release, or its first 8 or more hexadecimal digits' }
}
