// Files mapped into memory, for reading only.
import { dlopen, toArrayBuffer } from 'bun:ffi'
import { closeSync, fstatSync, readFileSync } from 'node:fs'
import { openFileSync } from './regular-file.ts'

type Address = number | bigint

/** The two calls of the C library that are needed. */
type MemoryMap = {
  /** Maps a file that is open, from its beginning. Undefined where the system refuses. */
  readonly map: (descriptor: number, length: number) => Address | undefined
  /** The address of the function that unmaps: it is called with what was mapped, and its length. */
  readonly unmap: Address
}

const PROT_READ = 1
const MAP_SHARED = 1

/** musl takes any name that begins with `libc.` for itself. */
const LIBC = process.platform === 'darwin' ? 'libSystem.B.dylib' : 'libc.so.6'

function memoryMap(): MemoryMap | undefined {
  try {
    const { mmap, munmap } = dlopen(LIBC, {
      mmap: { args: ['ptr', 'usize', 'i32', 'i32', 'i32', 'i64'], returns: 'ptr' },
      munmap: { args: ['ptr', 'usize'], returns: 'i32' },
    }).symbols
    const { ptr: unmap } = munmap as { ptr?: Address }
    if (unmap === undefined) return undefined
    return {
      map: (descriptor, length) => {
        const address = mmap(null, length, PROT_READ, MAP_SHARED, descriptor, 0)
        // A failure is the highest of all addresses, and no file is there.
        return address === null || address > Number.MAX_SAFE_INTEGER ? undefined : address
      },
      unmap,
    }
  } catch {
    return undefined
  }
}

/** Bun's own declaration leaves out what is called with the bytes and the context when they are garbage. */
const arrayBufferAt = toArrayBuffer as (
  address: Address,
  offset: number,
  length: number,
  context: number,
  onGarbage: Address,
) => ArrayBuffer

let memory: MemoryMap | undefined | 'not loaded' = 'not loaded'

/**
 * The bytes of a file. All processes share one copy, and none can write to it. `Bun.mmap` maps only files that may be
 * written to; where nothing else is there, it is used, and files that it refuses are read into memory.
 */
export function mapped(path: string): Uint8Array<ArrayBuffer> {
  if (memory === 'not loaded') memory = memoryMap()
  return (memory && mappedReadOnly(memory, path)) ?? mappedByBun(path)
}

function mappedReadOnly({ map, unmap }: MemoryMap, path: string): Uint8Array<ArrayBuffer> | undefined {
  const descriptor = openFileSync(path)
  try {
    const { size } = fstatSync(descriptor)
    if (size === 0) return new Uint8Array()
    const address = map(descriptor, size)
    return address === undefined ? undefined : new Uint8Array(arrayBufferAt(address, 0, size, size, unmap))
  } finally {
    closeSync(descriptor)
  }
}

/** The way without the C library. */
export function mappedByBun(path: string): Uint8Array<ArrayBuffer> {
  try {
    return Bun.mmap(path, { shared: true })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'EACCES' && code !== 'EROFS') throw error
    return new Uint8Array(readFileSync(path))
  }
}
