// Writes all files of one entity from its rows: records, facts, columns and words, in the order of their positions.
import { join } from 'node:path'
import { batchOf, type PositionOf } from '../../catalog/batch.ts'
import type { Entity, Values } from '../../catalog/entity.ts'
import { batchRenderer, type RenderedParents } from '../../catalog/render.ts'
import { type OnRecord, RecordWriter } from '../files/record-file.ts'
import { ColumnsBuild } from '../index/columns-build.ts'
import { WordsBuild } from '../index/words-build.ts'
import type { EntityFiles } from '../manifest.ts'
import { factsWriter } from './facts-writer.ts'
import { forceGc, forceGcAfter } from './force-gc.ts'

const ROWS_PER_BATCH = 2_000

/** `expected` is the number of rows that there will be, if that is known. */
export function entityWriter(
  entity: Entity,
  directory: string,
  parents: RenderedParents,
  expected: number | undefined,
  onRecord?: OnRecord,
) {
  const positionOf: PositionOf = (name, identity) => parents.get(name)?.positionOf.get(identity) as number
  const render = batchRenderer(entity, parents)
  const records = new RecordWriter(directory, onRecord)
  const facts = factsWriter(entity, directory)
  const columns = new ColumnsBuild(entity, parents, expected, directory)
  let words: WordsBuild | undefined = new WordsBuild(entity, expected)
  let rows: Values[] = []
  let batches = 0
  let count = 0
  const writeBatch = () => {
    facts.add(rows)
    const batch = batchOf(entity, rows, positionOf)
    count += batch.count
    rows = []
    render(batch, records)
    columns.add(batch)
    words?.add(batch)
    forceGcAfter(++batches)
  }
  return {
    add: (row: Values) => {
      if (rows.push(row) === ROWS_PER_BATCH) writeBatch()
    },
    /** All files are on disk, whole, when this returns. */
    finish: (): EntityFiles => {
      writeBatch()
      const factsFile = facts.finish()
      const recordFiles = records.finish()
      const wordsFile = (words as WordsBuild).write(join(directory, 'words'))
      // The columns of many facts need the memory.
      words = undefined
      forceGc(count)
      const index = columns.write(join(directory, 'index'))
      return { ...recordFiles, ...(factsFile === undefined ? {} : { facts: factsFile }), index, words: wordsFile }
    },
    [Symbol.dispose]: () => {
      for (const part of [records, facts, columns]) part[Symbol.dispose]()
    },
  }
}
