// Writes the facts of an entity: a line of JSON for each record, with what is known of it.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Entity, factsOf, type Values } from '../../catalog/entity.ts'
import { DurableFile, type FileSummary } from '../files/durable-file.ts'
import { FACTS_FILE } from '../manifest.ts'

const encoder = new TextEncoder()

export class FactsWriter implements Disposable {
  readonly #names: readonly string[]
  readonly #path: string
  readonly #file: DurableFile | undefined
  #isAnyKnown = false

  constructor(entity: Entity, directory: string) {
    this.#names = factsOf(entity).map(([name]) => name)
    this.#path = join(directory, FACTS_FILE)
    this.#file = this.#names.length === 0 ? undefined : new DurableFile(this.#path)
  }

  add(rows: readonly Values[]): void {
    if (this.#file === undefined) return
    let lines = ''
    for (const row of rows) {
      const known = this.#names.filter((name) => row[name] !== undefined)
      if (known.length > 0) this.#isAnyKnown = true
      lines += `{${known.map((name) => `"${name}":${JSON.stringify(row[name])}`).join(',')}}\n`
    }
    this.#file.write(encoder.encode(lines))
  }

  /** The file is on disk, whole, when this returns; where nothing is known there is none. */
  finish(): FileSummary | undefined {
    const summary = this.#file?.finish()
    if (this.#isAnyKnown) return summary
    rmSync(this.#path, { force: true })
    return undefined
  }

  [Symbol.dispose](): void {
    this.#file?.close()
  }
}
