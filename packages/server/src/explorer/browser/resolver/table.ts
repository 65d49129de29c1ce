// A table from a user, read in the browser with the code that reads packages: its cells, its rows, and its origin.
import { csvCell, guarded } from '../../../source/csv.ts'
import { delimitedText } from '../../../source/package/read/delimited.ts'
import { partsIn, type TableFile, type TablePart, type Unzip } from '../../../source/package/read/formats.ts'
import { headerPosition } from '../../../source/package/read/header.ts'
import { separatorOf } from '../../../source/package/read/separator.ts'
import { textChunks } from '../../../source/package/read/text.ts'
import { UnreadableTable } from '../../../source/package/read/unreadable-table.ts'

/** A number is what a spreadsheet had as a number; everything else is text. */
export type Cell = string | number

export type TableRow = readonly Cell[]

/** The rows of a text or of one sheet, all of the same width, without those that are empty. */
export type SheetTable = { readonly name: string; readonly rows: readonly TableRow[]; readonly width: number }

/** The sign between values; empty for a list of one column. */
const SEPARATORS = ['\t', ';', ',', '|', ''] as const
export type Separator = (typeof SEPARATORS)[number]

/** The tables of a file, and what it was taken for. */
type GivenTables = {
  readonly tables: readonly SheetTable[]
  readonly encoding: string
  /** Of a text with separated values. */
  readonly separator?: Separator
}

export function tableOf(name: string, rows: readonly TableRow[]): SheetTable {
  const filled = rows.filter((row) => row.some((cell) => textOf(cell) !== ''))
  const width = filled.reduce((widest, row) => Math.max(widest, row.length), 0)
  return {
    name,
    width,
    rows: filled.map((row) => (row.length === width ? row : [...row, ...Array<Cell>(width - row.length).fill('')])),
  }
}

export const textOf = (cell: Cell | undefined): string => (cell === undefined ? '' : String(cell).trim())

/** A text that was typed or pasted, as a file. */
export const typedFile = (text: string): TableFile => ({
  file: '',
  open: async function* () {
    yield new TextEncoder().encode(text)
  },
})

/** A file of this computer, which stays there. */
export const chosenFile = (file: File): TableFile => ({
  file: file.name,
  open: async function* () {
    const reader = file.stream().getReader()
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
    } finally {
      await reader.cancel()
    }
  },
})

/** Reads a file, its values separated as chosen, or else as its lines show. Throws where it cannot be read. */
export async function tablesIn(file: TableFile, unzip: Unzip, chosen?: Separator): Promise<GivenTables> {
  // What is no table by its name may be text all the same.
  const parts = await partsIn(file, { unzip }).catch((error: unknown) => {
    if (error instanceof UnreadableTable) return partsIn({ ...file, file: '' }, { unzip })
    throw error
  })
  const [first] = parts
  if (first.format === 'delimited' && parts.length === 1) return separatedTable(first, chosen)
  const tables: SheetTable[] = []
  for (const part of parts) {
    const { name = file.file } = part
    const table = part.format === 'delimited' ? (await separatedTable(part)).tables[0] : await cellsOf(name, part)
    if (table !== undefined && table.rows.length > 0) tables.push({ ...table, name })
  }
  return { tables, encoding: first.format === 'workbook' ? workbookKind(file.file) : 'JSON' }
}

const workbookKind = (name: string): string => (/\.ods$/i.test(name) ? 'OpenDocument' : 'Excel')

const silent = (): void => undefined

async function cellsOf(name: string, part: TablePart): Promise<SheetTable> {
  const cells: TableRow[] = []
  for await (const { rows, numbers } of part.rows(silent, silent))
    for (const [at, row] of rows.entries()) {
      const ofNumbers = new Set(numbers?.[at])
      cells.push(row.map((cell, column) => (ofNumbers.has(column) && cell !== '' ? Number(cell) : cell)))
    }
  return tableOf(name, cells)
}

const ENCODING_NAMES: Readonly<Record<string, string>> = {
  ...{ 'utf-16le': 'UTF-16', 'utf-16be': 'UTF-16', 'windows-1252': 'Windows-1252' },
}

async function separatedTable(part: TablePart, chosen?: Separator): Promise<GivenTables> {
  let encoding = 'UTF-8'
  const tell = (kind: string, _: string, { value = '' }: { readonly value?: string }) => {
    if (kind === 'encoding') encoding = ENCODING_NAMES[value] ?? value
  }
  const pieces: string[] = []
  for await (const piece of textChunks(part.open?.() ?? typedFile('').open(), {
    file: part.file,
    encoding: undefined,
    tell,
  }))
    pieces.push(piece)
  const text = pieces.join('')
  const lines = text.split(/\r\n|\n|\r/)
  const separator = chosen ?? ((separatorOf(lines, { mayBeList: true }) ?? '') as Separator)
  const rows = separator === '' ? lines.map((line) => [line]) : rowsIn(text, separator)
  return { tables: [tableOf(part.file, rows)], encoding, separator }
}

/** Values in quotes, unless a quote is not closed: then quotes are letters like others. */
function rowsIn(text: string, delimiter: string): readonly TableRow[] {
  const options = { file: '', tell: silent }
  try {
    return delimitedText(text, { ...options, dialect: { delimiter } }).rows
  } catch (error) {
    if (!(error instanceof UnreadableTable)) throw error
    return delimitedText(text, { ...options, dialect: { delimiter, quoteChar: false } }).rows
  }
}

/** The table from its header on, where rows above that are a title: `isHeader` tells by what the columns are called. */
export function belowTitle(table: SheetTable, isHeader: (row: TableRow) => boolean): SheetTable {
  const rows = table.rows.slice(0, MAX_SEARCHED)
  const at = headerPosition(rows.map((row) => row.map(textOf)))
  return at > 0 && isHeader(rows[at] as TableRow) ? tableOf(table.name, table.rows.slice(at)) : table
}

const MAX_SEARCHED = 100

/** CSV for spreadsheets: with a byte order mark, by which Excel knows that it is UTF-8. */
export const writtenCsv = (rows: readonly (readonly Cell[])[]): string =>
  `\ufeff${rows.map((row) => row.map((cell) => csvCell(guarded(String(cell)))).join(',')).join('\r\n')}\r\n`
