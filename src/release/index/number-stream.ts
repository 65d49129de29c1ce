// Numbers that are written as they come, a few thousand at a time.
import type { Put } from './sections.ts'

const HELD = 1 << 14

/** Calls with a function that takes one number after the other, and passes them on in pieces. */
export function streamNumbers(put: Put, give: (take: (number: number) => void) => void): void {
  const held = new Uint32Array(HELD)
  let used = 0
  give((number) => {
    held[used++] = number
    if (used < HELD) return
    put(held)
    used = 0
  })
  put(held.subarray(0, used))
}
