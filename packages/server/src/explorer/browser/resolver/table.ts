// A table from a user: its cells, its rows, and its origin.

/** A number is what a spreadsheet had as a number; everything else is text. */
export type Cell = string | number

export type TableRow = readonly Cell[]

/** The rows of a text or of one sheet, all of the same width, without those that are empty. */
export type SheetTable = { readonly name: string; readonly rows: readonly TableRow[]; readonly width: number }

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
