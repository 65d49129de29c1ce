// Writes the facts of an entity: a line of JSON for each record, with what is known of it.
import { join } from 'node:path'
import { type Entity, factsOf, type Values } from '../../catalog/entity.ts'
import { DurableFile, type FileSummary } from '../files/durable-file.ts'
import { FACTS_FILE } from '../manifest.ts'

const encoder = new TextEncoder()

export class FactsWriter implements Disposable {
  readonly #names: readonly string[]
  readonly #path: string
  /** Opened when anything is known. */
  #file: DurableFile | undefined
  /** The records before it of which nothing is known. */
  #without = 0

  constructor(entity: Entity, directory: string) {
    this.#names = factsOf(entity).map(([name]) => name)
    this.#path = join(directory, FACTS_FILE)
  }

  add(rows: readonly Values[]): void {
    const isAnyKnown = rows.some((row) => this.#names.some((name) => row[name] !== undefined))
    if (this.#file === undefined && !isAnyKnown) {
      this.#without += rows.length
      return
    }
    this.#file ??= this.#begin()
    let lines = ''
    for (const row of rows) {
      let separator = '{'
      for (const name of this.#names) {
        const value = row[name]
        if (value === undefined) continue
        lines += `${separator}${JSON.stringify(name)}:${typeof value === 'number' ? value : JSON.stringify(value)}`
        separator = ','
      }
      lines += separator === '{' ? '{}\n' : '}\n'
    }
    this.#file.write(encoder.encode(lines))
  }

  /** The file is on disk, whole, when this returns; where nothing is known there is none. */
  finish(): FileSummary | undefined {
    return this.#file?.finish()
  }

  #begin(): DurableFile {
    const file = new DurableFile(this.#path)
    file.write(encoder.encode('{}\n'.repeat(this.#without)))
    return file
  }

  [Symbol.dispose](): void {
    this.#file?.close()
  }
}
