// The downloads that a home keeps: one import at a time uses them, and while it does, another has files of its own.
import { join } from 'node:path'
import { tryLockHome } from '../../release/home/lock.ts'

/** Returns a function that gives their directory; undefined while another import uses them. */
export function keptDownloads(home: string, doing: string, resources: DisposableStack): () => string | undefined {
  const path = join(home, 'downloads')
  let isLocked = false
  return () => {
    isLocked ||= resources.use(tryLockHome(path, doing)) !== undefined
    return isLocked ? path : undefined
  }
}
