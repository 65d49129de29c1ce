// The thread that digests files as far as they have been written.
import { closeSync, openSync, readSync } from 'node:fs'
import type { Growth } from './digest-thread.ts'
import { work } from './work.ts'

type Followed = { readonly descriptor: number; readonly hasher: Bun.CryptoHasher; read: number }

const buffer = new Uint8Array(1 << 20)
const followed = new Map<string, Followed>()

function follow({ path, size, complete }: Growth): string {
  const file = followed.get(path) ?? open(path)
  while (file.read < size) {
    const count = readSync(file.descriptor, buffer, 0, Math.min(buffer.length, size - file.read), file.read)
    if (count === 0) throw new Error(`${path} has ${file.read} bytes instead of ${size}`)
    file.hasher.update(buffer.subarray(0, count))
    file.read += count
  }
  if (!complete) return ''
  closeSync(file.descriptor)
  followed.delete(path)
  return file.hasher.digest('hex')
}

function open(path: string): Followed {
  const file = { descriptor: openSync(path, 'r'), hasher: new Bun.CryptoHasher('sha256'), read: 0 }
  followed.set(path, file)
  return file
}

work(follow)
