// Writes the facts of an entity: a line of JSON for each record, with what is known of it.
import { join } from 'node:path'
import { type Entity, factsOf, type Values } from '../../catalog/entity.ts'
import { DurableFile, type FileSummary } from '../files/durable-file.ts'
import { FACTS_FILE } from '../manifest.ts'

const encoder = new TextEncoder()

export function factsWriter(entity: Entity, directory: string) {
  const names = factsOf(entity).map(([name]) => name)
  /** Opened when anything is known. */
  let file: DurableFile | undefined
  let rowsBefore = 0
  // Written member by member: an object would put a name that is a number first.
  const lineOf = (row: Values) => {
    const known = names.filter((name) => row[name] !== undefined)
    return `{${known.map((name) => `${JSON.stringify(name)}:${JSON.stringify(row[name])}`).join()}}\n`
  }
  return {
    add: (rows: readonly Values[]) => {
      if (file === undefined && !rows.some((row) => names.some((name) => row[name] !== undefined))) {
        rowsBefore += rows.length
        return
      }
      if (file === undefined) {
        file = new DurableFile(join(directory, FACTS_FILE))
        file.write(encoder.encode('{}\n'.repeat(rowsBefore)))
      }
      file.write(encoder.encode(rows.map(lineOf).join('')))
    },
    /** The file is on disk, whole, when this returns; there is none if no record has a fact. */
    finish: (): FileSummary | undefined => file?.finish(),
    [Symbol.dispose]: () => file?.[Symbol.dispose](),
  }
}
