// The downloads that a home keeps: one import at a time uses them, and while it does, another has files of its own.
import { join } from 'node:path'
import { tryLockHome } from '../../release/home/lock.ts'

export class KeptDownloads implements Disposable {
  readonly #path: string
  readonly #doing: string
  #lock: Disposable | undefined

  constructor(home: string, doing: string) {
    this.#path = join(home, 'downloads')
    this.#doing = doing
  }

  /** Returns undefined while another import uses them. */
  directory = (): string | undefined => {
    this.#lock ??= tryLockHome(this.#path, this.#doing)
    return this.#lock && this.#path
  };

  [Symbol.dispose](): void {
    this.#lock?.[Symbol.dispose]()
  }
}
