// Digests large files in a thread of its own while they are being written: it reads each as far as it has grown.
import type { Hash } from './durable-file.ts'

/** Smaller files are digested where they are written: that is done before a thread has started. */
const SMALL = 4 << 20

/** How far a file has been written; once it is complete, its digest is wanted. */
export type ToThread = { readonly path: string; readonly size: number; readonly complete: boolean }
export type FromThread = { readonly path: string; readonly sha256: string } | { readonly failed: string }

export class DigestThread implements Disposable {
  readonly #awaited = new Map<string, PromiseWithResolvers<string>>()
  #worker: Worker | undefined
  #failure: Error | undefined

  /** A hash for the file at a path, to be told of everything that is written to it. */
  hashFor(path: string): Hash<Promise<string>> {
    const small = new Bun.CryptoHasher('sha256')
    let size = 0
    return {
      update: (bytes) => {
        size += bytes.length
        if (size <= SMALL) small.update(bytes)
        else this.#tell({ path, size, complete: false })
      },
      digest: () => (size <= SMALL ? Promise.resolve(small.digest('hex')) : this.#digest(path, size)),
    }
  }

  [Symbol.dispose](): void {
    this.#worker?.terminate()
  }

  #digest(path: string, size: number): Promise<string> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    const awaited = Promise.withResolvers<string>()
    this.#awaited.set(path, awaited)
    this.#tell({ path, size, complete: true })
    return awaited.promise
  }

  #tell(message: ToThread): void {
    this.#worker ??= this.#start()
    this.#worker.postMessage(message)
  }

  #start(): Worker {
    const worker = new Worker(new URL('./digest-thread-worker.ts', import.meta.url).href)
    const fail = (reason: string) => {
      this.#failure = new Error(`a file could not be digested: ${reason}`)
      for (const { reject } of this.#awaited.values()) reject(this.#failure)
    }
    worker.onmessage = ({ data }: MessageEvent<FromThread>) => {
      if ('failed' in data) fail(data.failed)
      else this.#awaited.get(data.path)?.resolve(data.sha256)
    }
    worker.onerror = ({ message }) => fail(message)
    return worker
  }
}
