// Reads single records of an entity from disk, without mapping its files.
import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { EntityName } from '../catalog/entities.ts'
import type { PublishedRecord } from '../catalog/flatten.ts'
import { gapAfter } from './record-file.ts'
import type { StoredRelease } from './release.ts'

const OFFSET = 8
const decoder = new TextDecoder()

export class RecordReader implements Disposable {
  readonly #records: number
  readonly #offsets: number
  readonly #count: number

  constructor({ directory, manifest }: StoredRelease, entity: EntityName) {
    this.#records = openSync(join(directory, `${entity}.records`), 'r')
    this.#offsets = openSync(join(directory, `${entity}.offsets`), 'r')
    this.#count = manifest.entities[entity].count
  }

  record(position: number): PublishedRecord {
    const offsets = new BigUint64Array(2)
    readSync(this.#offsets, offsets, 0, 2 * OFFSET, position * OFFSET)
    const [start, next] = [Number(offsets[0]), Number(offsets[1])]
    const json = new Uint8Array(next - start - gapAfter(position, this.#count))
    readSync(this.#records, json, 0, json.length, start)
    return JSON.parse(decoder.decode(json))
  }

  [Symbol.dispose](): void {
    closeSync(this.#records)
    closeSync(this.#offsets)
  }
}
