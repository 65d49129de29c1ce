// A list of the releases on the shelf, for requests that name a release that the home lacks: one list for all of them, and not too often.
import type { OnShelf } from '../../http/observation/shelf-status.ts'

const SPACING_MILLISECONDS = 1_000
const MAX_MILLISECONDS = 3_000
/** Limits the requests about releases that are not on the list; beyond it the result is 'unknown'. */
const MAX_PENDING = 16

export class ShelfList {
  readonly #read: () => Promise<Iterable<string>>
  readonly #awaits: (prefix: string) => Promise<boolean>
  readonly #spacing: number
  readonly #pending = new Map<string, Promise<boolean>>()
  #digests: readonly string[] = []
  #listedAt = Number.NEGATIVE_INFINITY
  #running: Promise<boolean> = Promise.resolve(false)
  #next: Promise<boolean> | undefined

  /** `awaits` returns true if the host of the list may still get a release that is not on it. */
  constructor(
    read: () => Promise<Iterable<string>>,
    awaits: (prefix: string) => Promise<boolean> = async () => false,
    spacingMilliseconds = SPACING_MILLISECONDS,
  ) {
    this.#read = read
    this.#awaits = awaits
    this.#spacing = spacingMilliseconds
  }

  /** Looks for a release by the beginning of its digest. Only a list that is read after the call can show that it is absent. */
  async has(prefix: string): Promise<OnShelf> {
    if (this.#wait > 0 && this.#lists(prefix)) return 'there'
    this.#next ??= this.#listNext()
    if (!(await this.#next)) return 'unknown'
    return this.#lists(prefix) ? 'there' : await this.#checkAwaited(prefix)
  }

  async #checkAwaited(prefix: string): Promise<OnShelf> {
    let pending = this.#pending.get(prefix)
    if (pending === undefined) {
      if (this.#pending.size >= MAX_PENDING) return 'unknown'
      pending = this.#awaits(prefix).finally(() => this.#pending.delete(prefix))
      this.#pending.set(prefix, pending)
    }
    return (await pending) ? 'unknown' : 'absent'
  }

  #lists = (prefix: string): boolean => this.#digests.some((digest) => digest.startsWith(prefix))

  get #wait(): number {
    return this.#listedAt + this.#spacing - performance.now()
  }

  async #listNext(): Promise<boolean> {
    await this.#running
    if (this.#wait > 0) await Bun.sleep(this.#wait)
    // Later calls need the list after this one.
    this.#next = undefined
    this.#running = this.#list()
    return this.#running
  }

  async #list(): Promise<boolean> {
    try {
      const digests = await Promise.race([this.#read(), Bun.sleep(MAX_MILLISECONDS)])
      if (digests !== undefined) this.#digests = [...digests]
      return digests !== undefined
    } catch {
      return false
    } finally {
      this.#listedAt = performance.now()
    }
  }
}
