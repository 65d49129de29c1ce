// Which releases the shelf has, for requests that name one that is not here: one list for all that wait, and not too often.
import type { OnShelf } from '../../http/observation/shelf-status.ts'

const SPACING_MILLISECONDS = 1_000
const MAX_MILLISECONDS = 3_000
/** How many releases are asked for at a time that are not on the list; nothing is known of any more. */
const MAX_QUESTIONS = 16

export class ShelfList {
  readonly #read: () => Promise<Iterable<string>>
  readonly #awaits: (prefix: string) => Promise<boolean>
  readonly #spacing: number
  readonly #asked = new Map<string, Promise<boolean>>()
  #digests: readonly string[] = []
  #listedAt = Number.NEGATIVE_INFINITY
  #running: Promise<boolean> = Promise.resolve(false)
  #next: Promise<boolean> | undefined

  /** `awaits` says whether a release that is not on the list may still come from where the list comes from. */
  constructor(
    read: () => Promise<Iterable<string>>,
    awaits: (prefix: string) => Promise<boolean> = async () => false,
    spacingMilliseconds = SPACING_MILLISECONDS,
  ) {
    this.#read = read
    this.#awaits = awaits
    this.#spacing = spacingMilliseconds
  }

  /** Whether the shelf has a release whose digest begins so. That it has not, is only said by a list that is read after the call. */
  async has(prefix: string): Promise<OnShelf> {
    if (this.#wait > 0 && this.#lists(prefix)) return 'there'
    this.#next ??= this.#listNext()
    if (!(await this.#next)) return 'unknown'
    return this.#lists(prefix) ? 'there' : await this.#ask(prefix)
  }

  async #ask(prefix: string): Promise<OnShelf> {
    let asked = this.#asked.get(prefix)
    if (asked === undefined) {
      if (this.#asked.size >= MAX_QUESTIONS) return 'unknown'
      asked = this.#awaits(prefix).finally(() => this.#asked.delete(prefix))
      this.#asked.set(prefix, asked)
    }
    return (await asked) ? 'unknown' : 'absent'
  }

  #lists = (prefix: string): boolean => this.#digests.some((digest) => digest.startsWith(prefix))

  get #wait(): number {
    return this.#listedAt + this.#spacing - performance.now()
  }

  async #listNext(): Promise<boolean> {
    await this.#running
    if (this.#wait > 0) await Bun.sleep(this.#wait)
    // Whoever comes from now on needs the list after this one.
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
