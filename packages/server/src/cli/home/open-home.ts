// Opens the home of a command: locked, in the format of this version, and as the shared shelf has it.

import { version } from '../../base/version.ts'
import { lockHome } from '../../release/home/lock.ts'
import { isOutdated } from '../../release/home/other-formats.ts'
import { ReleaseStore } from '../../release/home/release-store.ts'
import type { Upgraded } from '../../release/home/upgrade.ts'
import type { Terminal } from '../command.ts'
import { homeOf } from '../flags/home-flag.ts'
import { type HomeValues, loginOf, openerOf } from '../flags/shelf-flags.ts'
import { progressLine } from '../terminal/progress.ts'

/** A home to be read. With a shared shelf it is brought up to date first; if that fails, it is read as it is, with a warning. */
export async function openHome(values: HomeValues, terminal: Terminal): Promise<ReleaseStore> {
  const store = new ReleaseStore(homeOf(values.home))
  const { shelf: address } = values
  if (address === undefined) return store
  const { refreshHome } = await import('../../distribution/shelf/refresh.ts')
  const lock = () => lockFor(store, 'fetching from the shelf', READ_WAIT_SECONDS, terminal, false)
  for (const trouble of await refreshHome(store, await openerOf(address, values), lock)) terminal.err(`${trouble}\n`)
  return store
}

const READ_WAIT_SECONDS = 60

/**
 * Changes a home under its lock; with a shared shelf, that and the home are changed as one. The result of `work`
 * is only true once this returns. With `currentOnly`, other releases than the current one need not be fetched.
 */
export async function changeHome<T>(
  values: HomeValues & { readonly wait: number },
  doing: string,
  terminal: Terminal,
  work: (store: ReleaseStore) => Promise<T>,
  { upgrades = true, currentOnly = false }: { readonly upgrades?: boolean; readonly currentOnly?: boolean } = {},
): Promise<T> {
  const store = new ReleaseStore(homeOf(values.home))
  const { shelf: address } = values
  using _lock = await lockFor(store, doing, values.wait, terminal, upgrades && address === undefined)
  if (address === undefined) {
    const { changeAlone } = await import('../../distribution/shelf/own-change.ts')
    return await changeAlone(store, work)
  }
  const { changeShared } = await import('../../distribution/postgres/session.ts')
  const upgrade = async () => {
    if (upgrades && isOutdated(store)) await upgradeWithProgress(store, terminal)
  }
  const writing = writingOf({ ...values, shelf: address }, doing, terminal)
  return await changeShared(store, writing, upgrade, work, currentOnly)
}

/** The options of a command that writes to the shelf. */
export const writingOf = (
  values: HomeValues & { readonly wait: number; readonly shelf: NonNullable<HomeValues['shelf']> },
  doing: string,
  terminal: Terminal,
) => ({
  ...loginOf(values.shelf, values),
  doing,
  waitMilliseconds: values.wait * 1_000,
  onWait: (holder: string) => terminal.err(`Waiting for ${holder} to finish.\n`),
  onAway: (message: string) => terminal.err(`Waiting, since ${message}.\n`),
  onRelease: (digest: string) => terminal.err(`Fetching release ${digest.slice(0, 12)} from the shelf.\n`),
})

/** Takes the lock of a directory. While it waits, it prints who holds it. */
export const lockDirectory = (
  directory: string,
  doing: string,
  seconds: number,
  terminal: Terminal,
): Promise<Disposable> =>
  lockHome(directory, doing, {
    milliseconds: seconds * 1_000,
    onWait: (holder) => terminal.err(`Waiting for ${holder} to finish.\n`),
  })

/** Takes the lock of the home. While it waits, it prints who holds it. */
export async function lockFor(
  store: ReleaseStore,
  doing: string,
  seconds: number,
  terminal: Terminal,
  upgrades = true,
): Promise<Disposable> {
  using held = new DisposableStack()
  held.use(await lockDirectory(store.home, doing, seconds, terminal))
  if (upgrades && isOutdated(store)) await upgradeWithProgress(store, terminal)
  return held.move()
}

/** The caller holds the lock. */
export async function upgradeWithProgress(store: ReleaseStore, terminal: Terminal): Promise<readonly Upgraded[]> {
  const { upgradeHome } = await import('../../release/home/upgrade.ts')
  using progress = progressLine(terminal)
  const upgraded = await upgradeHome(store, {
    onRelease: (digest, writer) => {
      progress.clear()
      terminal.err(
        `Release ${digest.slice(0, 12)} was written by Nomenclator ${writer}: upgrading it to the format of ${version}.\n`,
      )
    },
    onProgress: progress.show,
  })
  progress.clear()
  for (const { digest, failure } of upgraded)
    if (failure !== undefined) terminal.err(`RELEASE NOT UPGRADED: ${digest.slice(0, 12)}, ${failure}\n`)
  return upgraded
}
