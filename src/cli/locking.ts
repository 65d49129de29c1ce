// Takes the lock of a home, and tells whoever waits for it why.
import { lockHome } from '../release/lock.ts'
import type { Shelf } from '../release/shelf.ts'
import type { Terminal } from './command.ts'

export function lockFor(shelf: Shelf, doing: string, seconds: number, terminal: Terminal): Promise<Disposable> {
  return lockHome(shelf.home, doing, {
    milliseconds: seconds * 1_000,
    onWait: (holder) => terminal.err(`Waiting for ${holder} to finish.\n`),
  })
}
