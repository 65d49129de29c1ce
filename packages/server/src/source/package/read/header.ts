// The row of a table that names its columns, which may stand below a title and empty rows.
import type { SourceLocation } from '../../faults.ts'
import type { TellFinding } from '../../findings.ts'

/** How many rows are searched for the header. */
export const SEARCHED_ROWS = 100
/** The most rows that a title and what explains it take. */
const MAX_ABOVE = 30

/** Names are alike where only case and signs differ. */
export const folded = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')

/** The position of the header among the first rows: the row that has the declared names, or the first below a title. */
export function headerPosition(rows: readonly (readonly string[])[], declared: readonly string[] = []): number {
  const named = declared.length === 0 ? -1 : namedPosition(rows, declared)
  return named >= 0 ? named : belowTitle(rows)
}

function namedPosition(rows: readonly (readonly string[])[], declared: readonly string[]): number {
  const names = new Set(declared.map(folded))
  const counts = rows.slice(0, MAX_ABOVE).map((row) => new Set(row.map(folded).filter((cell) => names.has(cell))).size)
  const most = Math.max(0, ...counts)
  return most > names.size / 2 ? counts.indexOf(most) : -1
}

/** A title fills at most half of the columns that most rows fill; the header fills more of them, and has words only. */
function belowTitle(rows: readonly (readonly string[])[]): number {
  const filled = rows.map((row) => row.reduce((sum, cell) => sum + (cell.trim() === '' ? 0 : 1), 0))
  const usual = filled.toSorted((one, other) => one - other)[filled.length >> 1] ?? 0
  const first = Math.max(
    0,
    filled.findIndex((count) => count > 0),
  )
  const found = filled.findIndex((count) => count > usual / 2)
  const isHeader = found < Math.min(MAX_ABOVE, rows.length - 1) && hasNames(rows[found] ?? [])
  return found > first && isHeader ? found : first
}

const NUMBER = /^[-+]?[\d.,\s/:%$€-]+$/

function hasNames(row: readonly string[]): boolean {
  const names = row.map((cell) => cell.trim()).filter((cell) => cell !== '')
  return new Set(names).size === names.length && !names.some((name) => NUMBER.test(name))
}

/** Names that are there, each once: a cell without one is called by its place. */
export function tidyHeader(given: readonly string[], location: SourceLocation, tell: TellFinding): string[] {
  const names = new Set<string>()
  return given.map((cell, index) => {
    const plain = cell
      .replaceAll('\ufeff', '')
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim()
    const base = plain === '' ? `column ${index + 1}` : plain
    let name = base
    for (let number = 2; names.has(name); number++) name = `${base} (${number})`
    if (name !== base)
      tell('column-named-twice', 'two columns have the same name, and the second gets a number', {
        ...location,
        column: name,
      })
    names.add(name)
    return name
  })
}
