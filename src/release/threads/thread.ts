// A thread that is told things and asked things; it does them in order. It starts when it is first told something.

export type ToThread<M> = { readonly message: M; readonly wantsReply: boolean }
type Failed = { readonly reason: string; readonly code?: string | undefined }
export type FromThread<R> = { readonly reply: R } | { readonly failed: Failed }

export class Thread<M, R> implements Disposable {
  readonly #script: string
  readonly #awaited: PromiseWithResolvers<R>[] = []
  #worker: Worker | undefined
  #failure: Error | undefined

  constructor(script: URL) {
    this.#script = script.href
  }

  start(): Worker {
    this.#worker ??= this.#newWorker()
    return this.#worker
  }

  tell(message: M): void {
    this.#post(message, false)
  }

  ask(message: M): Promise<R> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    const awaited = Promise.withResolvers<R>()
    this.#awaited.push(awaited)
    this.#post(message, true)
    return awaited.promise
  }

  [Symbol.dispose](): void {
    this.#worker?.terminate()
  }

  #post(message: M, wantsReply: boolean): void {
    this.start().postMessage({ message, wantsReply } satisfies ToThread<M>)
  }

  #newWorker(): Worker {
    const worker = new Worker(this.#script)
    worker.onmessage = ({ data }: MessageEvent<FromThread<R>>) => {
      if ('failed' in data) this.#fail(data.failed)
      else this.#awaited.shift()?.resolve(data.reply)
    }
    worker.onerror = ({ message }) => this.#fail({ reason: message })
    return worker
  }

  /** After a failure nothing that it would reply can be relied on. */
  #fail({ reason, code }: Failed): void {
    this.#failure = Object.assign(new Error(reason), code === undefined ? {} : { code })
    for (const { reject } of this.#awaited.splice(0)) reject(this.#failure)
  }
}
