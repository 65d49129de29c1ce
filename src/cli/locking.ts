// Takes the lock of a home before it is changed, and brings the home up to the format of this version.
import { lockHome } from '../release/shelf/lock.ts'
import type { Shelf } from '../release/shelf/shelf.ts'
import { isOutdated, type Upgraded, upgradeHome } from '../release/shelf/upgrade.ts'
import { version } from '../version.ts'
import type { Terminal } from './command.ts'
import { progressLine } from './progress.ts'

/** Whoever waits for the lock is told why. */
export async function lockFor(
  shelf: Shelf,
  doing: string,
  seconds: number,
  terminal: Terminal,
  upgrades = true,
): Promise<Disposable> {
  const lock = await lockHome(shelf.home, doing, {
    milliseconds: seconds * 1_000,
    onWait: (holder) => terminal.err(`Waiting for ${holder} to finish.\n`),
  })
  try {
    if (upgrades && isOutdated(shelf)) await upgradeWithProgress(shelf, terminal)
    return lock
  } catch (error) {
    lock[Symbol.dispose]()
    throw error
  }
}

/** The caller holds the lock. */
export async function upgradeWithProgress(shelf: Shelf, terminal: Terminal): Promise<readonly Upgraded[]> {
  const progress = progressLine(terminal)
  try {
    const upgraded = await upgradeHome(shelf, {
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
  } finally {
    progress.clear()
  }
}
