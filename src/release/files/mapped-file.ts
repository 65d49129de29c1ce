// Files mapped into memory.
import { readFileSync } from 'node:fs'

/** All processes share one copy; but Bun maps only what may be written to, and anything else is read into memory. */
export function mapped(path: string): Uint8Array<ArrayBuffer> {
  try {
    return Bun.mmap(path, { shared: true })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'EACCES' && code !== 'EROFS') throw error
    return new Uint8Array(readFileSync(path))
  }
}
