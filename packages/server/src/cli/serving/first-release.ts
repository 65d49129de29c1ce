// The release that a service begins with: the current one of its home, the first of a shelf, or the bundled data.
import { Failure } from '../../base/failure.ts'
import type { ShelfFollower } from '../../distribution/shelf/follower.ts'
import { isOutdated } from '../../release/home/outdated.ts'
import { withUnsignedFiles } from '../../release/home/proved.ts'
import { currentOrReason, openServable } from '../../release/home/servable.ts'
import type { Shelf } from '../../release/home/shelf.ts'
import { parseManifest } from '../../release/manifest.ts'
import type { Terminal } from '../command.ts'
import { lockFor } from '../home/open-home.ts'
import type { Context } from './context.ts'

const LOCK_SECONDS = 60

/** Sees to it that there is a release; in an empty home it is built from the bundled data. */
export async function firstRelease(shelf: Shelf, { values, terminal }: Context): Promise<void> {
  await upgradeIfOutdated(shelf, terminal)
  if (await hasServable(shelf)) return
  if (values['require-signature'] !== undefined)
    throw new Failure(
      `there is no release in ${shelf.home}, and the bundled one would not be signed. Import and sign one with ` +
        'nomenclator import … --sign FILE, or take one over with nomenclator import mirror.',
    )
  if (values['no-bundled'])
    throw new Failure(
      `there is no release in ${shelf.home}, and with --no-bundled none is built. Mount the home, give another with ` +
        '--home, or make a release with nomenclator import; nomenclator import bundled builds the bundled one.',
    )
  await buildBundled(shelf, terminal)
}

/** Those that serve look closely at the release that they open; here it is enough that the current one has its manifest. */
async function hasServable(shelf: Shelf): Promise<boolean> {
  const current = await currentOrReason(shelf)
  const manifest = 'digest' in current ? shelf.manifestText(current.digest) : undefined
  const isReadable = manifest !== undefined && parseManifest(manifest).state === 'readable'
  if (isReadable && shelf.trust === undefined) return true
  return (await openServable(shelf)) !== undefined
}

/** A home that an earlier version made is brought up, so that an upgrade of the program is no more than a restart. */
async function upgradeIfOutdated(shelf: Shelf, terminal: Terminal): Promise<void> {
  const unsigned = withUnsignedFiles(shelf)
  if (!isOutdated(shelf) && unsigned.length === 0) return
  using _lock = await lockFor(shelf, 'serve', LOCK_SECONDS, terminal)
  const { rebuildRelease } = await import('../../release/home/upgrade.ts')
  for (const digest of unsigned) {
    terminal.err(
      `The signature of release ${digest.slice(0, 12)} covers its records only: building its other files from them.\n`,
    )
    await rebuildRelease(shelf, digest)
  }
}

async function buildBundled(shelf: Shelf, terminal: Terminal): Promise<void> {
  const { importWithProgress } = await import('../home/run-import.ts')
  const { bundledSource } = await import('../../source/bundled.ts')
  terminal.err('No release yet: building one from the bundled data.\n')
  using _lock = await lockFor(shelf, 'serve', LOCK_SECONDS, terminal)
  // Another process may have built it while this one waited.
  if (shelf.currentDigest() !== undefined) return
  await importWithProgress(shelf, bundledSource(), terminal, { 'accept-changes': false, 'dry-run': false })
}

/** How long a start waits for the shelf while there is something in the home to begin with. */
const SHELF_MILLISECONDS = 3_000
const WAITING_MILLISECONDS = 100

/** What is in the home of a service that follows a shelf: nothing is built, and an empty home waits for its first release. */
export async function firstFollowed(shelf: Shelf, { log, terminal }: Context, follower: ShelfFollower): Promise<void> {
  await upgradeIfOutdated(shelf, terminal)
  follower.start()
  const failure = await Promise.race([follower.tried, Bun.sleep(SHELF_MILLISECONDS)])
  for (let waited = 0; ; waited++) {
    // What is in the home and not signed as it must be does not keep it from what the shelf has.
    if (await hasServable(shelf).catch(() => false)) return
    const { ShelfRefused } = await import('../../distribution/shelf/shelf-failures.ts')
    if (failure instanceof ShelfRefused) throw failure
    if (waited === 0) {
      const message = `There is no release in ${shelf.home} yet: waiting for the first one from the shelf.`
      log({ level: 'warn', event: 'shelf-awaited', message })
    }
    await Bun.sleep(WAITING_MILLISECONDS)
  }
}
