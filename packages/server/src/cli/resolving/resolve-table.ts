// Reads a table row by row, resolves each row, and writes it as it is with more columns.
import { existsSync } from 'node:fs'
import { LruCache } from '../../base/lru-cache.ts'
import { OperationalError } from '../../base/operational-error.ts'
import { resolveRow, rowKey } from '../../query/resolve/resolve.ts'
import type { Verdict } from '../../query/resolve/verdict.ts'
import type { Release } from '../../release/release.ts'
import { readAnyCsv, readWorkbook } from '../../source/any-csv.ts'
import { addedCells, extendedLine } from '../../source/csv.ts'
import { Faults } from '../../source/faults.ts'
import { standardInput, textFile, UnreadableFile } from '../../source/lines.ts'
import { isZipFile } from '../../source/zip.ts'
import type { Terminal } from '../command.ts'
import { outputTo, STANDARD } from '../terminal/output.ts'
import { progressLine } from '../terminal/progress.ts'
import { AddedColumns } from './added-columns.ts'
import { Summary } from './summary.ts'

type Options = {
  readonly file: string
  /** The columns to read, such as `estado,NOM_MUN=municipio`; by default those whose names are parts. */
  readonly columns: string | undefined
  readonly out: string
  readonly threshold: number
}

/** The most different rows whose resolutions are kept, since tables repeat their values. */
const CACHED_ROWS = 20_000

export async function resolveTable(release: Release, options: Options, terminal: Terminal): Promise<Summary> {
  const { file, out, threshold } = options
  if (file !== STANDARD && !existsSync(file)) throw new OperationalError(`there is no file ${file}`)
  const source = file === STANDARD ? standardInput() : textFile(file)
  const faults = new Faults()
  const isWorkbook = file !== STANDARD && isZipFile(file)
  const lines = isWorkbook ? readWorkbook(file, faults) : readAnyCsv(source, faults)
  using progress = progressLine(terminal)
  const summary = new Summary()
  const output = outputTo(out, terminal)
  const cache = new LruCache<{ readonly verdict: Verdict; readonly added: string }>({ maxEntries: CACHED_ROWS })
  let columns: AddedColumns | undefined
  try {
    for await (const { line, values, separator, needsMark } of lines) {
      if (columns === undefined) {
        columns = new AddedColumns(release, source.file, values, options.columns)
        if (options.columns === undefined) terminal.err(`Reads --columns ${columns.described(values)}\n`)
        if (needsMark) output.write('\ufeff')
        output.write(`${extendedLine(line, values, addedCells(columns.names, separator), separator)}\n`)
        continue
      }
      const table = columns
      const cells = table.read(values)
      const row = table.row(cells)
      const { verdict, added } = cache.get(rowKey(row), () => {
        const resolution = resolveRow(release, row)
        return { verdict: resolution.verdict, added: addedCells(table.cells(resolution, threshold), separator) }
      })
      summary.count(verdict, cells)
      output.write(`${extendedLine(line, values, added, separator)}\n`)
      progress.show('Resolving', summary.rows, undefined)
    }
    faults.throwIfAny()
    if (columns === undefined) throw new OperationalError(`${source.file} is empty: it has no header`)
    output.end()
    return summary
  } catch (error) {
    output.discard()
    if (error instanceof UnreadableFile) faults.throwIfAny()
    throw error
  }
}
