// The directory for the downloads of a source. It is made for the first one if none is given, and then removed.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export class Downloads implements Disposable {
  readonly #given: (() => string | undefined) | undefined
  #kept: string | undefined
  #own: string | undefined

  constructor(given?: () => string | undefined) {
    this.#given = given
  }

  get directory(): string {
    this.#kept ??= this.#given?.()
    if (this.#kept !== undefined) return this.#kept
    this.#own ??= mkdtempSync(join(tmpdir(), 'nomenclator-downloads-'))
    return this.#own
  }

  [Symbol.dispose](): void {
    if (this.#own !== undefined) rmSync(this.#own, { recursive: true, force: true })
  }
}
