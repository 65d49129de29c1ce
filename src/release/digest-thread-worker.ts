// The thread that digests files as far as they have been written.
import { closeSync, openSync, readSync } from 'node:fs'
import type { FromThread, ToThread } from './digest-thread.ts'

declare const self: Worker

const buffer = new Uint8Array(1 << 20)
const followed = new Map<string, { readonly descriptor: number; readonly hasher: Bun.CryptoHasher; read: number }>()

function follow({ path, size, complete }: ToThread): void {
  const file = followed.get(path) ?? {
    descriptor: openSync(path, 'r'),
    hasher: new Bun.CryptoHasher('sha256'),
    read: 0,
  }
  followed.set(path, file)
  while (file.read < size) {
    const count = readSync(file.descriptor, buffer, 0, Math.min(buffer.length, size - file.read), file.read)
    if (count === 0) throw new Error(`${path} has ${file.read} bytes instead of ${size}`)
    file.hasher.update(buffer.subarray(0, count))
    file.read += count
  }
  if (!complete) return
  closeSync(file.descriptor)
  followed.delete(path)
  postMessage({ path, sha256: file.hasher.digest('hex') } satisfies FromThread)
}

self.onmessage = ({ data }: MessageEvent<ToThread>) => {
  try {
    follow(data)
  } catch (error) {
    postMessage({ failed: error instanceof Error ? error.message : String(error) } satisfies FromThread)
  }
}
