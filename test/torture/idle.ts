// Waits until all processes of a service have nothing to do: whatever they prepare when they start is done, and the work of clients gone.
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { processTree } from '../../bench/machine.ts'

/** Work that is still there after this is not waited for. */
export const GIVEN_UP_MILLISECONDS = 8_000
/** A service takes some of this time for pages and for being looked at. */
const IDLE_SHARE = 0.15
const IDLE_WINDOW_MILLISECONDS = 200
const NANOSECONDS_PER_MILLISECOND = 1_000_000

/** After how many milliseconds the service was idle; undefined if it is not in time. */
export async function untilIdle(root: number): Promise<number | undefined> {
  const started = performance.now()
  for (;;) {
    const [before, at] = [demandOf(root), performance.now()]
    await Bun.sleep(IDLE_WINDOW_MILLISECONDS)
    const share = (demandOf(root) - before) / (performance.now() - at)
    if (share < IDLE_SHARE) return at - started
    if (at - started > GIVEN_UP_MILLISECONDS) return undefined
  }
}

/**
 * The milliseconds for which the processes of a service have had a processor; and those of lower priority than the first, the compute workers, also
 * for which they have waited for one: on a busy machine, they wait most of the time.
 */
function demandOf(root: number): number {
  const priority = getPriority(root)
  return processTree(root).reduce((sum, { pid }) => {
    try {
      const isComputeWorker = getPriority(pid) > priority
      for (const thread of readdirSync(`/proc/${pid}/task`)) {
        const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')
          .split(' ')
          .map(Number)
        sum += (ran + (isComputeWorker ? waited : 0)) / NANOSECONDS_PER_MILLISECOND
      }
    } catch {
      // It has ended meanwhile.
    }
    return sum
  }, 0)
}
