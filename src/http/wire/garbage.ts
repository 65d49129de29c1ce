// Has garbage collected soon after much of it was made.

const MEGABYTE = 1 << 20
/** When the process has grown by so much, the collector is called, which works beside it. */
const GROWTH = 16 * MEGABYTE
/** When it has grown by so much all the same, the collector is waited for; this takes some milliseconds. */
const MAX_GROWTH = 64 * MEGABYTE
const MILLISECONDS_BETWEEN = 5

/** The least memory that the process has taken since it waited for the collector, and how much it had at the last call. */
let least = Number.POSITIVE_INFINITY
let atLastCall = Number.POSITIVE_INFINITY
let lookedAt = 0

/**
 * Called often while there is much to do. The runtime takes the mapped files of a release for memory of its own, and would not
 * collect before as much again has been allocated.
 */
export function collectIfGrown(now: number): void {
  if (now - lookedAt < MILLISECONDS_BETWEEN) return
  lookedAt = now
  const bytes = process.memoryUsage.rss()
  least = Math.min(least, bytes)
  atLastCall = Math.min(atLastCall, bytes)
  if (bytes - least > MAX_GROWTH) {
    Bun.gc(true)
    least = process.memoryUsage.rss()
    atLastCall = least
  } else if (bytes - atLastCall > GROWTH) {
    Bun.gc(false)
    atLastCall = bytes
  }
}
