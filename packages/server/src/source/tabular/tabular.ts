// A directory of CSV or NDJSON files, one for each entity that it provides, as a source.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { entityIn } from '../../catalog/catalog.ts'
import type { Entity } from '../../catalog/entity.ts'
import { builtInCatalog } from '../built-in.ts'
import type { Faults } from '../faults.ts'
import { readUtf8Lines, UnreadableFile } from '../lines.ts'
import type { Block, GivenRow, Report, Source } from '../source.ts'
import { readAliases } from './aliases.ts'
import type { RowParser } from './columns.ts'
import { csvRowParser } from './csv.ts'
import { ALIASES_FILE, type TabularFile, type TabularFormat, tabularFilesIn } from './files.ts'
import { ndjsonRowParser } from './ndjson.ts'

const ROW_PARSERS: Readonly<Record<TabularFormat, (entity: Entity, faults: Faults) => RowParser>> = {
  csv: csvRowParser,
  ndjson: ndjsonRowParser,
}

export function tabularSource(directory: string): Source {
  const files = tabularFilesIn(directory)
  const aliases = join(directory, ALIASES_FILE)
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
    ...(existsSync(aliases) ? { aliases: (faults: Faults) => readAliases(aliases, faults) } : {}),
    read: (name, report) => readFirst(directory, [...files.values()].slice([...files.keys()].indexOf(name)), report),
  }
}

/** Gives the rows of the first file. The later ones are read only if that one cannot be read to its end. */
async function* readFirst(
  directory: string,
  [file, ...later]: readonly TabularFile[],
  report: Report,
): AsyncGenerator<Block> {
  if (file === undefined || (yield* readFile(directory, file, report))) return
  // Every record that embeds one of the missing would be a fault. So only what is wrong in the files themselves is reported.
  for (const other of later) for await (const _ of readFile(directory, other, report));
  report.faults.throwIfAny()
}

/** Returns whether the file could be read to its end. */
async function* readFile(
  directory: string,
  { entity, format, name }: TabularFile,
  report: Report,
): AsyncGenerator<Block, boolean> {
  const path = join(directory, name)
  const { faults, findings } = report
  const parseRow = ROW_PARSERS[format](entityIn(builtInCatalog, entity), faults)
  let [lineCount, rowCount] = [0, 0]
  try {
    for await (const { first, lines } of readUtf8Lines(path, faults)) {
      const block = { file: path, lines: [] as number[], rows: [] as GivenRow[] }
      for (let index = 0; index < lines.length; index++) {
        const location = { file: path, line: first + index }
        const row = parseRow(lines[index] as string, location)
        if (row === undefined) continue
        block.lines.push(location.line)
        block.rows.push(row)
      }
      lineCount += lines.length
      rowCount += block.rows.length
      yield block
    }
  } catch (error) {
    if (error instanceof UnreadableFile) return false
    throw error
  }
  if (lineCount === 0 && format === 'csv') {
    faults.add({ file: path, line: 1, column: 'all', value: 'an empty file', expected: 'a header' })
    return false
  }
  if (rowCount === 0) findings.add('no-records', 'a file holds no records', path)
  return true
}
