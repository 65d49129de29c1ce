// What the workbooks of all programs have in common: parts of XML in a zip, rows of cells, and their limits.
import { type NamedFile, UnusableZip } from '../../unusable-zip.ts'
import type { RawRows } from './delimited.ts'
import type { Bytes } from './text.ts'
import { UnreadableTable } from './unreadable-table.ts'
import { BrokenXml, type XmlHandler, XmlReader } from './xml.ts'

/** A file within the zip that a workbook is. */
export type WorkbookPart = { readonly name: string; readonly open: () => Bytes }

export type Sheet = { readonly name: string; readonly rows: () => AsyncGenerator<RawRows> }

/** A workbook that is being read. */
export type OpenedWorkbook = NamedFile & {
  /** The processor time in microseconds that this program has taken so far. */
  readonly cpuTime: () => number
  /** The part of it that the XML of the workbook may still take. */
  left: number
}

/** As many as Excel has. */
const MAX_ROWS = 1 << 20
export const MAX_COLUMNS = 5_000
/** The most cells of a sheet, with the empty ones between others: a few letters of a file can stand for thousands of these. */
const MAX_CELLS = 1 << 26
/** The most letters of one row, and of the texts of one cell. */
export const MAX_ROW = 8 << 20

/** Collects the rows of a sheet as its cells go by; rows without anything are left out. */
export class SheetRows {
  readonly #file: string
  #batch = newBatch()
  #line = 0
  #row: string[] = []
  #numbers: number[] = []
  #cells = 0
  #rows = 0
  /** Letters of the row so far. */
  #length = 0

  constructor(file: string) {
    this.#file = file
  }

  /** The columns that the row has so far. */
  get width(): number {
    return this.#row.length
  }

  /** The number of the row, counted from 1; by default the next. */
  startRow(line = this.#line + 1): void {
    this.#line = line
    this.#row = []
    this.#numbers = []
    this.#length = 0
  }

  /** Takes letters of a cell before they are kept. */
  addLetters(count: number): void {
    this.#length += count
    if (this.#length > MAX_ROW) this.#refuse('a longer row', `rows of at most ${MAX_ROW} characters`)
  }

  set(column: number, text: string, isNumber: boolean): void {
    this.#cells += Math.max(1, column - this.#row.length)
    if (this.#cells > MAX_CELLS) this.#refuse('more cells', `at most ${MAX_CELLS} cells in a sheet`)
    while (this.#row.length < column) this.#row.push('')
    this.#row[column] = text
    if (isNumber) this.#numbers.push(column)
  }

  /** Ends the row, which stands there as many times. */
  endRow(times = 1): void {
    if (this.#row.some((value) => value !== '')) {
      for (let time = 0; time < times; time++) {
        if (time > 0) this.#cells += this.#row.length
        if (++this.#rows > MAX_ROWS || this.#cells > MAX_CELLS)
          this.#refuse('more rows', `at most ${MAX_ROWS} rows in a sheet`)
        this.#batch.lines.push(this.#line + time)
        this.#batch.rows.push(time === 0 ? this.#row : [...this.#row])
        this.#batch.numbers.push(this.#numbers)
      }
    }
    this.#line += times - 1
  }

  /** Returns the rows that have ended since the last call. */
  take(): RawRows {
    const batch = this.#batch
    this.#batch = newBatch()
    return batch
  }

  #refuse(value: string, expected: string): never {
    throw new UnreadableTable({ file: this.#file, line: this.#line, column: 'all', value, expected })
  }
}

const newBatch = () => ({ lines: [] as number[], rows: [] as string[][], numbers: [] as number[][] })

const damaged = (given: NamedFile, error: unknown): unknown =>
  error instanceof BrokenXml
    ? new UnusableZip(given, `holds XML that cannot be read: ${error.message}`, 'save it as .xlsx again, or as CSV')
    : error

/** Reads a part, and pauses after each piece of at most `max` bytes in all. */
export async function* readPart(
  { open }: WorkbookPart,
  given: OpenedWorkbook,
  handler: XmlHandler,
  max = Number.POSITIVE_INFINITY,
): AsyncGenerator<undefined> {
  const reader = new XmlReader(handler)
  const decoder = new TextDecoder()
  let length = 0
  try {
    for await (const chunk of open()) {
      length += chunk.length
      if (length > max) throw new UnusableZip(given, `has more than ${max >> 20} MB of texts`, 'save it as CSV')
      const before = given.cpuTime()
      reader.read(decoder.decode(chunk, { stream: true }))
      given.left -= given.cpuTime() - before
      if (given.left < 0) throw new UnusableZip(given, 'takes too long to read for its size', 'save it as CSV')
      yield
    }
    reader.close()
  } catch (error) {
    throw damaged(given, error)
  }
}

/** A number as people see it: without the last digit of what a binary fraction makes of 0.1. */
export const numberText = (value: string): string =>
  /[.eE]/.test(value) && Number.isFinite(Number(value)) ? String(Number(Number(value).toPrecision(15))) : value
