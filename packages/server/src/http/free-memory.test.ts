// Memory that is freed, and memory that may belong to others and is left alone.
import { expect, test } from 'bun:test'
import { freeMemory } from './free-memory.ts'

test.each([
  ['of its own', () => Buffer.allocUnsafe(1 << 16), 0],
  ['a part of a larger one', () => Buffer.allocUnsafe(1 << 17).subarray(10, 20), 0],
  ['small: others may be in the same memory', () => Buffer.from('a'), 1],
  ['shared with other threads', () => new Uint8Array(new SharedArrayBuffer(1 << 17)), 1 << 17],
])('%s', (_name, make, left) => {
  const bytes = make()
  freeMemory(bytes)
  expect(bytes.length).toBe(left)
})
