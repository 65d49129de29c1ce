// Has large buffers collected soon after their use.

/** So many bytes of large buffers may be in use or wait for the collector. */
const MAX_BYTES = 16 << 20

let bytes = 0

/**
 * Counts a large buffer that was made for one response or request. The runtime takes the mapped files of a release for memory
 * of its own, and would not collect before as much again has been allocated.
 */
export function countLarge(length: number): void {
  bytes += length
  if (bytes < MAX_BYTES) return
  bytes = 0
  Bun.gc(false)
}
