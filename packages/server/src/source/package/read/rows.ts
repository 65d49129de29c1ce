// The table that parts of files make: a header, and rows of texts that are as wide as it, each with its file and line.
import type { Faults, SourceLocation } from '../../faults.ts'
import type { Findings, TellFinding } from '../../findings.ts'
import type { RawRows } from './delimited.ts'
import { headerPosition, SEARCHED_ROWS, tidyHeader } from './header.ts'
import { type Bytes, notUtf8 } from './text.ts'
import { UnreadableTable } from './unreadable-table.ts'

/** Rows that stand one after the other in one file. */
export type TableRows = RawRows & { readonly file: string }

export type Table = {
  /** The first of its files, as messages name it. */
  readonly file: string
  readonly header: readonly string[]
  /** The line of the header; below zero where there is none. */
  readonly headerLine: number
  /** True if rows stand above the header that nobody declared to be there. */
  readonly isBelowTitle: boolean
  /** What is wrong or odd about the text itself is reported where that is asked for. */
  readonly rows: (report?: RowReport) => AsyncGenerator<TableRows>
  /** The first byte of its files that is not UTF-8, where they should be. */
  readonly notUtf8: () => Promise<UnreadableTable['fault'] | undefined>
}

type RowReport = { readonly faults: Faults; readonly findings: Findings }

/** Something that has rows: a file of text, or a sheet of a workbook. */
export type Part = {
  readonly file: string
  readonly rows: (tell: TellFinding, onFault: (fault: UnreadableTable['fault']) => void) => AsyncGenerator<RawRows>
  /** Of a text, its bytes. */
  readonly open?: () => Bytes
}

type TableOptions = {
  /** The lines of the header, the last of which has the names; empty where there is none. By default it is found. */
  readonly headerRows?: readonly number[] | undefined
  /** The names of the columns, as far as they are declared. */
  readonly names?: readonly string[]
  /** True if values are taken as they stand, and every row must be as wide as the header. */
  readonly isVerbatim?: boolean
}

const MAX_COLUMNS = 5_000
const MAX_HEADER_LINE = 1_000
const NO_HEADER = -1

/** Reads the header. Throws an UnreadableTable where there is none. */
export async function tableOf(
  parts: readonly [Part, ...Part[]],
  options: TableOptions,
  findings: Findings,
): Promise<Table> {
  const [first] = parts
  const { file } = first
  const tell: TellFinding = (...found) => findings.add(...found)
  const { given, line, isBelowTitle } = await headerOf(first, options)
  const header = options.isVerbatim ? given : tidyHeader(given, { file, line: Math.max(1, line) }, tell)
  const refuse = (value: string, expected: string) => {
    throw new UnreadableTable({ file, line: 1, column: 'all', value, expected })
  }
  if (header.length === 0) refuse('an empty file', 'a header')
  if (header.length > MAX_COLUMNS) refuse(`${header.length} columns`, `at most ${MAX_COLUMNS}`)
  const shape = { given, header, line, isVerbatim: options.isVerbatim === true }
  return {
    file,
    header,
    headerLine: line,
    isBelowTitle,
    rows: (report) => tableRows(parts, shape, report),
    notUtf8: async () => {
      for (const { file, open } of parts) {
        const fault = open === undefined ? undefined : await notUtf8(open(), file)
        if (fault !== undefined) return fault
      }
      return undefined
    },
  }
}

type FoundHeader = { readonly given: readonly string[]; readonly line: number; readonly isBelowTitle: boolean }

async function headerOf(part: Part, { headerRows, names = [] }: TableOptions): Promise<FoundHeader> {
  const [lines, rows]: [number[], string[][]] = [[], []]
  const last = headerRows === undefined ? undefined : Math.min(MAX_HEADER_LINE, Math.max(1, ...headerRows))
  for await (const batch of part.rows(silent, silent)) {
    lines.push(...batch.lines.slice(0, MAX_HEADER_LINE))
    rows.push(...batch.rows.slice(0, MAX_HEADER_LINE))
    if (rows.length >= SEARCHED_ROWS && (last === undefined || (lines.at(-1) as number) > last)) break
  }
  const [first] = rows
  if (first === undefined) return { given: [], line: NO_HEADER, isBelowTitle: false }
  if (headerRows?.length === 0)
    return { given: first.map((_, at) => names[at] ?? `column ${at + 1}`), line: NO_HEADER, isBelowTitle: false }
  const at =
    last === undefined
      ? headerPosition(rows.slice(0, SEARCHED_ROWS), names)
      : Math.max(
          0,
          lines.findLastIndex((line) => line <= last),
        )
  return { given: rows[at] as string[], line: lines[at] as number, isBelowTitle: at > 0 && last === undefined }
}

const silent = (): void => undefined

type Shape = {
  readonly given: readonly string[]
  readonly header: readonly string[]
  readonly line: number
  readonly isVerbatim: boolean
}

async function* tableRows(
  parts: readonly Part[],
  { given, header, line: headerLine, isVerbatim }: Shape,
  report: RowReport | undefined,
): AsyncGenerator<TableRows> {
  const tell: TellFinding = (...found) => report?.findings.add(...found)
  const onFault = (fault: UnreadableTable['fault']) => report?.faults.add(fault)
  for (const [at, { file, rows }] of parts.entries()) {
    let isStart = true
    for await (const batch of rows(tell, onFault)) {
      const { texts, numbers, separator } = batch
      const kept = {
        ...{ file, lines: [] as number[], rows: [] as string[][] },
        ...(texts && { texts: [] as string[] }),
        ...(separator !== undefined && { separator }),
      }
      const keptNumbers: (readonly number[])[] = []
      const fit = isVerbatim
        ? exactRow(file, header.length, numbers !== undefined, report?.faults)
        : rowTidier(file, header, batch.isPlain === true, tell, report?.faults)
      for (let index = 0; index < batch.rows.length; index++) {
        const row = batch.rows[index] as string[]
        const line = batch.lines[index] as number
        // Later files of a table may repeat the header.
        const isHeader = at === 0 ? line <= headerLine : isStart && isSame(row, given)
        isStart = false
        if (isHeader) continue
        const fitting = fit(row, line)
        if (fitting === undefined) continue
        kept.lines.push(line)
        kept.rows.push(fitting)
        kept.texts?.push(texts?.[index] as string)
        if (numbers !== undefined) keptNumbers.push(numbers[index] as readonly number[])
      }
      // The first block says how the rows are written, also where there are none.
      if (kept.rows.length > 0 || isVerbatim) yield numbers === undefined ? kept : { ...kept, numbers: keptNumbers }
    }
  }
}

const isSame = (row: readonly string[], other: readonly string[]): boolean =>
  row.length === other.length && row.every((cell, at) => cell === other[at])

/** Gives a row as it stands, or nothing where it is blank, or not as wide as the header, which is a fault. */
function exactRow(file: string, width: number, isSheet: boolean, faults: Faults | undefined) {
  return (row: string[], line: number): string[] | undefined => {
    if (isSheet) {
      // Empty cells at the end of a row are not in the file.
      while (row.length < width) row.push('')
      while (row.length > width && row.at(-1) === '') row.pop()
    }
    if (row.length === width) return row
    if (row.every(isEmpty)) return undefined
    const value = row.length === 1 ? 'one value' : `${row.length} values`
    faults?.add({ file, line, column: 'all', value, expected: `${width} values, as in the header` })
    return undefined
  }
}

const CONTROLS = /[^\P{Cc}\n\t]/u
const ALL_CONTROLS = /[^\P{Cc}\n\t]/gu
const BLANK = 0x20
const DELETE = 0x7f

const STRAY = 'a carriage return at the end of a value was removed, or became a line break inside of one'

const isEmpty = (value: string) => value === ''

const windows1252 = new TextDecoder('windows-1252')

/** Bytes of Windows-1252 that someone took for Latin-1 are control characters, and quotes and dashes most of all. */
function letterMeant(control: string): string {
  const letter = windows1252.decode(Uint8Array.of(control.charCodeAt(0)))
  return CONTROLS.test(letter) ? '' : letter
}

/** Whether there are no blanks around a value. Nearly all are so, and the first and last character tell most of it. */
function isTrimmed(value: string): boolean {
  if (value === '') return true
  const first = value.charCodeAt(0)
  const last = value.charCodeAt(value.length - 1)
  return first > BLANK && last > BLANK && first < DELETE && last < DELETE
}

/** Gives a row of the width of the header, or nothing where it is blank. Changes the row. */
function rowTidier(
  file: string,
  header: readonly string[],
  isPlain: boolean,
  tell: TellFinding,
  faults: Faults | undefined,
) {
  const width = header.length
  const at = (line: number, index: number) => ({ file, line, column: header[index] ?? `column ${index + 1}` })
  const tidyValue = (given: string, line: number, index: number): string => {
    let value = given
    if (value.endsWith('\r')) {
      tell('stray-line-end', STRAY, { ...at(line, index), value: JSON.stringify(value.slice(-40)) })
    }
    value = value.trim()
    if (isPlain || !CONTROLS.test(value)) return value
    const lines = value.replaceAll('\r\n', '\n')
    const plain = lines.replaceAll('\r', '\n')
    if (plain !== lines)
      tell('stray-line-end', STRAY, { ...at(line, index), value: JSON.stringify(value.slice(0, 60)) })
    const sound = plain.replace(ALL_CONTROLS, letterMeant)
    if (sound !== plain) {
      const description = 'control characters became what Windows-1252 has in their place, or were removed'
      tell('control-character', description, { ...at(line, index), value: JSON.stringify(value.slice(0, 60)) })
    }
    return sound.trim()
  }
  return (row: string[], line: number): string[] | undefined => {
    for (let index = 0; index < row.length; index++) {
      const value = row[index] as string
      if (!isTrimmed(value) || (!isPlain && CONTROLS.test(value))) row[index] = tidyValue(value, line, index)
    }
    if (row[0] === '' && row.every(isEmpty)) return undefined
    if (row.length > width && !trimExtra(row, width, { file, line }, faults)) return undefined
    if (row.length < width) {
      const description = 'a row has fewer values than the header, and the others are taken as missing'
      tell('short-row', description, { file, line, says: `${row.length} values, not ${width}` })
      while (row.length < width) row.push('')
    }
    return row
  }
}

/** Values beyond the header are dropped where they are blank, and else a fault: those before them are most likely shifted. */
function trimExtra(row: string[], width: number, location: SourceLocation, faults: Faults | undefined): boolean {
  const extra = row.slice(width).find((value) => value !== '')
  if (extra !== undefined) {
    const expected = `${width} values, as in the header; a value with a separator in it must be in quotes`
    const value = `${row.length} values, one of them ${extra}`
    faults?.add({ ...location, column: `column ${width + 1}`, value, expected })
    return false
  }
  row.length = width
  return true
}
