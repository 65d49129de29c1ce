// The release that a service begins with: the current one of its home, the first of a shelf, or the bundled data.
import { OperationalError } from '../../base/operational-error.ts'
import type { ShelfFollower } from '../../distribution/shelf/follower.ts'
import { isOutdated } from '../../release/home/other-formats.ts'
import type { ReleaseStore } from '../../release/home/release-store.ts'
import { currentOrReason, openReleaseToServe } from '../../release/home/release-to-serve.ts'
import { withUnsignedFiles } from '../../release/home/signature-check.ts'
import { parseManifest } from '../../release/manifest.ts'
import type { Terminal } from '../command.ts'
import { lockFor } from '../home/open-home.ts'
import type { Context } from './context.ts'

const LOCK_SECONDS = 60

/** Makes sure that there is a release; in an empty home it is built from the bundled data. */
export async function firstRelease(store: ReleaseStore, { values, terminal }: Context): Promise<void> {
  await upgradeIfOutdated(store, terminal)
  if (await hasReleaseToServe(store)) return
  if (values['require-signature'] !== undefined)
    throw new OperationalError(
      `there is no release in ${store.home}, and the bundled one would not be signed. Import and sign one with ` +
        'nomenclator import … --sign FILE, or take one over with nomenclator import mirror.',
    )
  if (values['no-bundled'])
    throw new OperationalError(
      `there is no release in ${store.home}, and with --no-bundled none is built. Mount the home, give another with ` +
        '--home, or make a release with nomenclator import; nomenclator import bundled builds the bundled one.',
    )
  await buildBundled(store, terminal)
}

/** True if the current release has its manifest. Workers check the release closely when they open it. */
async function hasReleaseToServe(store: ReleaseStore): Promise<boolean> {
  const current = await currentOrReason(store)
  const manifest = 'digest' in current ? store.manifestText(current.digest) : undefined
  const isReadable = manifest !== undefined && parseManifest(manifest).state === 'readable'
  if (isReadable && store.trust === undefined) return true
  return (await openReleaseToServe(store)) !== undefined
}

/** A home that an earlier version made is brought up, so that an upgrade of the program is no more than a restart. */
async function upgradeIfOutdated(store: ReleaseStore, terminal: Terminal): Promise<void> {
  const unsigned = withUnsignedFiles(store)
  if (!isOutdated(store) && unsigned.length === 0) return
  using _lock = await lockFor(store, 'serve', LOCK_SECONDS, terminal)
  const { rebuildRelease } = await import('../../release/home/upgrade.ts')
  for (const digest of unsigned) {
    terminal.err(
      `The signature of release ${digest.slice(0, 12)} covers its records only: building its other files from them.\n`,
    )
    await rebuildRelease(store, digest)
  }
}

async function buildBundled(store: ReleaseStore, terminal: Terminal): Promise<void> {
  const { importWithProgress } = await import('../home/run-import.ts')
  const { bundledSource } = await import('../../source/bundled.ts')
  terminal.err('No release yet: building one from the bundled data.\n')
  using _lock = await lockFor(store, 'serve', LOCK_SECONDS, terminal)
  // Another process may have built it while this one waited.
  if (store.currentDigest() !== undefined) return
  await importWithProgress(store, bundledSource(), terminal, { 'accept-changes': false, 'dry-run': false })
}

/** The time for which a start waits for the shelf while the home has something to begin with. */
const SHELF_MILLISECONDS = 3_000
const WAITING_MILLISECONDS = 100

/** Waits until the home of a service that follows a shelf has a release; nothing is built. */
export async function firstFollowed(store: ReleaseStore, { log, terminal }: Context, follower: ShelfFollower) {
  await upgradeIfOutdated(store, terminal)
  follower.start()
  const failure = await Promise.race([follower.tried, Bun.sleep(SHELF_MILLISECONDS)])
  for (let waited = 0; ; waited++) {
    // A release in the home that is not signed as it must be does not keep the service from one of the shelf.
    if (await hasReleaseToServe(store).catch(() => false)) return
    const { ShelfRefused } = await import('../../distribution/shelf/shelf-failures.ts')
    if (failure instanceof ShelfRefused) throw failure
    if (waited === 0) {
      const message = `There is no release in ${store.home} yet: waiting for the first one from the shelf.`
      log({ level: 'warn', event: 'shelf-awaited', message })
    }
    await Bun.sleep(WAITING_MILLISECONDS)
  }
}
