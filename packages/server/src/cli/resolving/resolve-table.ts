// Reads a table row by row, resolves each row, and writes it as it is with more columns.
import { existsSync } from 'node:fs'
import { LruCache } from '../../base/lru-cache.ts'
import { OperationalError } from '../../base/operational-error.ts'
import { resolveRow, rowKey } from '../../query/resolve/resolve.ts'
import type { Verdict } from '../../query/resolve/verdict.ts'
import type { Release } from '../../release/release.ts'
import { addedCells, csvCell, extendedLine } from '../../source/csv.ts'
import { Faults } from '../../source/faults.ts'
import { Findings } from '../../source/findings.ts'
import { standardInput, textFile } from '../../source/lines.ts'
import { partsIn } from '../../source/package/read/formats.ts'
import { type Table, tableOf } from '../../source/package/read/rows.ts'
import { begun, hasMark } from '../../source/package/read/text.ts'
import { UnreadableTable } from '../../source/package/read/unreadable-table.ts'
import { local } from '../../source/package/table.ts'
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
  const report = { faults: new Faults(), findings: new Findings() }
  using progress = progressLine(terminal)
  const summary = new Summary()
  const output = outputTo(out, terminal)
  const cache = new LruCache<{ readonly verdict: Verdict; readonly added: string }>({ maxEntries: CACHED_ROWS })
  let isStarted = false
  try {
    const { start } = await begun(source.open())
    const table = await tableIn(source, report.findings)
    const columns = new AddedColumns(release, source.file, table.header, options.columns)
    if (options.columns === undefined) terminal.err(`Reads --columns ${columns.described(table.header)}\n`)
    for await (const { rows, texts, separator = ',', numbers } of table.rows(report)) {
      const written = (values: readonly string[]) => values.map((value) => csvCell(value, separator)).join(separator)
      if (!isStarted) {
        const isRecoded = report.findings.list().some(({ kind }) => kind === 'encoding')
        if (hasMark(start) || isRecoded || numbers !== undefined) output.write('\ufeff')
        const { header } = table
        output.write(`${extendedLine(written(header), header, addedCells(columns.names, separator), separator)}\n`)
        isStarted = true
      }
      for (const [at, values] of rows.entries()) {
        const cells = columns.read(values)
        const row = columns.row(cells)
        const { verdict, added } = cache.get(rowKey(row), () => {
          const resolution = resolveRow(release, row)
          return { verdict: resolution.verdict, added: addedCells(columns.cells(resolution, threshold), separator) }
        })
        summary.count(verdict, cells)
        output.write(`${extendedLine(texts?.[at] ?? written(values), values, added, separator)}\n`)
        progress.show('Resolving', summary.rows, undefined)
      }
    }
    report.faults.throwIfAny()
    for (const { kind, examples, description } of report.findings.list())
      if (!HARMLESS.includes(kind)) terminal.err(`${examples[0]}: ${description}\n`)
    output.end()
    return summary
  } catch (error) {
    output.discard()
    if (!(error instanceof UnreadableTable)) throw error
    if (error.fault.value === 'an empty file') throw new OperationalError(`${source.file} is empty: it has no header`)
    report.faults.add(error.fault)
    report.faults.throwIfAny()
    throw error
  }
}

/** What the columns show anyway. */
const HARMLESS = ['separator', 'encoding']

/** The first table of a file, whose rows are taken as they are written. */
async function tableIn(source: ReturnType<typeof textFile>, findings: Findings): Promise<Table> {
  const [first] = await partsIn(source, { ...local, isVerbatim: true })
  return tableOf([first], { isVerbatim: true }, findings)
}
