// Digests large files in a thread of its own while they are being written: it reads each as far as it has grown.
import type { Hash } from '../durable-file.ts'
import { Thread } from './thread.ts'

/** Smaller files are digested where they are written: that is done before a thread has started. */
const SMALL = 4 << 20

/** How far a file has been written; once it is complete, its digest is wanted. */
export type Growth = { readonly path: string; readonly size: number; readonly complete: boolean }

export class DigestThread implements Disposable {
  readonly #thread = new Thread<Growth, string>(new URL('./digest-work.ts', import.meta.url))

  /** A hash for the file at a path, to be told of everything that is written to it. */
  hashFor(path: string): Hash<Promise<string>> {
    const small = new Bun.CryptoHasher('sha256')
    let size = 0
    return {
      update: (bytes) => {
        size += bytes.length
        if (size <= SMALL) small.update(bytes)
        else this.#thread.tell({ path, size, complete: false })
      },
      digest: () =>
        size <= SMALL ? Promise.resolve(small.digest('hex')) : this.#thread.ask({ path, size, complete: true }),
    }
  }

  [Symbol.dispose](): void {
    this.#thread[Symbol.dispose]()
  }
}
