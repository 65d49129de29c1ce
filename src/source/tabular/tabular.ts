// A directory of CSV or NDJSON files, one for each entity that it provides, as a source.
import { join } from 'node:path'
import { entityIn } from '../../catalog/catalog.ts'
import { builtInCatalog } from '../../catalog/entities.ts'
import type { Block, Report, Source } from '../source.ts'
import { readCsv } from './csv.ts'
import { type TabularFile, type TabularFormat, tabularFilesIn } from './files.ts'
import { UnreadableFile } from './lines.ts'
import { readNdjson } from './ndjson.ts'

const READERS = { csv: readCsv, ndjson: readNdjson } as const satisfies Record<TabularFormat, unknown>

export function tabularSource(directory: string): Source {
  const files = tabularFilesIn(directory)
  return {
    origin: {
      kind: 'tabular',
      title: 'a directory of CSV or NDJSON files',
      synthetic: false,
      credits: [],
      options: { directory, files: [...files.values()].map(({ name }) => name).join(', ') },
    },
    catalog: builtInCatalog,
    provides: [...files.keys()],
    expected: () => undefined,
    read: (name, report) => readInTurn(directory, [...files.values()].slice([...files.keys()].indexOf(name)), report),
  }
}

/** Gives the records of the first file. The others are looked at only when that cannot be read to its end. */
async function* readInTurn(
  directory: string,
  [file, ...later]: readonly TabularFile[],
  report: Report,
): AsyncGenerator<Block> {
  if (file === undefined || (yield* readWhole(directory, file, report))) return
  // Every record that embeds one of the missing would be called faulty; so tell what is wrong in itself, and stop.
  for (const other of later) for await (const _ of readWhole(directory, other, report));
  report.faults.throwIfAny()
}

/** Says in the end whether the file could be read to its end. */
async function* readWhole(
  directory: string,
  { entity, format, name }: TabularFile,
  report: Report,
): AsyncGenerator<Block, boolean> {
  const path = join(directory, name)
  let count = 0
  try {
    for await (const block of READERS[format](path, path, entityIn(builtInCatalog, entity), report)) {
      count += block.rows.length
      yield block
    }
  } catch (error) {
    if (error instanceof UnreadableFile) return false
    throw error
  }
  if (count === 0) report.findings.add('no-records', 'a file holds no records', path)
  return true
}
