// Builds the words of one entity from its rows: which records have which words in their names and codes, and in which order.
import { type Batch, givenFields } from '../../catalog/batch.ts'
import type { Entity } from '../../catalog/entity.ts'
import type { FileSummary } from '../durable-file.ts'
import { byteOrder } from './byte-order.ts'
import { letterMask } from './letters.ts'
import { ranksOf } from './ordered-texts.ts'
import { SectionWriter } from './sections.ts'
import { writeTexts } from './text-sections.ts'
import { WordTable } from './word-table.ts'
import { WordsOfRecords } from './words-of-records.ts'

export class WordsBuild {
  readonly #table = new WordTable()
  readonly #names: WordsOfRecords
  readonly #codes: WordsOfRecords

  constructor(entity: Entity, expected: number | undefined) {
    const fields = (kind: 'name' | 'code') =>
      givenFields(entity).flatMap((each) => (each.kind === kind ? each.name : []))
    this.#names = new WordsOfRecords(this.#table, fields('name'), expected)
    this.#codes = new WordsOfRecords(this.#table, fields('code'), expected)
  }

  /** The next rows, each at the position after the last. */
  add(batch: Batch): void {
    this.#names.add(batch)
    this.#codes.add(batch)
  }

  /** Writes the file, synced to disk. */
  write(path: string): FileSummary {
    using file = new SectionWriter(path)
    const { words } = this.#table
    const order = byteOrder(words.flat)
    writeTexts(file, 'words', 'offsets', words, order)
    file.add(
      'masks',
      Uint32Array.from(order, (word) => letterMask(words.text(word))),
    )
    const ranks = ranksOf(order)
    this.#names.write(file, ranks, ['names', 'nameStarts', 'starts', 'positions'])
    this.#codes.write(file, ranks, ['codes', 'codeStarts', 'codeOwnerStarts', 'codeOwners'])
    return file.finish()
  }
}
