// The downloads that a home keeps: one import at a time uses them, and while it does, another has files of its own.
import { join } from 'node:path'
import { tryLockHome } from '../../release/home/lock.ts'

/** `directory` returns undefined while another import uses them. */
export function keptDownloads(home: string, doing: string) {
  const path = join(home, 'downloads')
  let lock: Disposable | undefined
  return {
    directory: (): string | undefined => {
      lock ??= tryLockHome(path, doing)
      return lock && path
    },
    [Symbol.dispose]: () => lock?.[Symbol.dispose](),
  }
}
