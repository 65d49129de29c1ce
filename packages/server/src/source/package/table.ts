// The table of a resource, whatever its format: a header, and rows of tidy texts that are as wide as it.
import { extname } from 'node:path'
import { parseJson } from '../../base/json.ts'
import type { Faults, SourceLocation } from '../faults.ts'
import type { Findings, TellFinding } from '../findings.ts'
import type { TextFile } from '../lines.ts'
import type { Report } from '../source.ts'
import { delimitedRows, type RawRows } from './delimited.ts'
import type { Resource } from './descriptor.ts'
import { jsonRows } from './json-rows.ts'
import { jsonFault, placeAt } from './json-syntax.ts'
import type { PackageFiles } from './package-files.ts'
import { type Sheet, sheetsIn } from './spreadsheet.ts'
import { notUtf8, textChunks } from './table-text.ts'
import { UnreadableTable } from './unreadable-table.ts'

/** Rows that stand one after the other in one file. */
export type TableRows = RawRows & { readonly file: string }

export type Table = {
  /** The first of its files, as messages name it. */
  readonly file: string
  readonly header: readonly string[]
  /** What is wrong or odd about the text itself is reported where that is asked for. */
  readonly rows: (report?: Report) => AsyncGenerator<TableRows>
  /** The first byte of its files that is not UTF-8, where they should be. */
  readonly notUtf8: () => Promise<UnreadableTable['fault'] | undefined>
}

type Part = {
  readonly file: string
  readonly rows: (tell: TellFinding) => AsyncGenerator<RawRows>
  /** Of a text, its bytes. */
  readonly open?: TextFile['open']
}

const MAX_COLUMNS = 5_000
const MAX_JSON = 256 << 20
const MAX_SPREADSHEET = 256 << 20
const silent: TellFinding = () => undefined

/** Reads the header. Throws an UnreadableTable, a MissingFile or another Failure where that cannot be. */
export async function openTable(resource: Resource, files: PackageFiles, findings: Findings): Promise<Table> {
  const parts = await partsOf(resource, files)
  const [first] = parts
  if (first === undefined) throw unusable(resource.name, 'no path', 'a path to a file, or rows as data')
  const tell: TellFinding = (...found) => findings.add(...found)
  const given = await headerOf(first, resource)
  const header = tidyHeader(given, first.file, tell)
  if (header.length === 0) throw unusable(first.file, 'an empty file', 'a header')
  if (header.length > MAX_COLUMNS) throw unusable(first.file, `${header.length} columns`, `at most ${MAX_COLUMNS}`)
  return {
    file: first.file,
    header,
    rows: (report) => tableRows(parts, resource, given, header.length, report),
    notUtf8: async () => {
      for (const { file, open } of parts) {
        const fault = open === undefined ? undefined : await notUtf8(open(), file)
        if (fault !== undefined) return fault
      }
      return undefined
    },
  }
}

const unusable = (file: string, value: string, expected: string) =>
  new UnreadableTable({ file, line: 1, column: 'all', value, expected })

async function partsOf(resource: Resource, files: PackageFiles): Promise<readonly Part[]> {
  if (resource.data !== undefined) return [{ file: resource.name, rows: () => inlineRows(resource) }]
  const parts: Part[] = []
  for (const path of resource.paths) parts.push(await partOf(resource, path, await files.find(path)))
  return parts
}

async function* inlineRows({ name, data }: Resource): AsyncGenerator<RawRows> {
  const rows = jsonRows(data)
  if (rows === undefined) throw unusable(name, 'data that is no table', 'a list of objects, or of lists')
  yield rows
}

async function partOf(resource: Resource, path: string, file: TextFile): Promise<Part> {
  switch (formatOf(resource, path)) {
    case 'xlsx':
      return spreadsheetPart(resource, file)
    case 'json':
      return { file: file.file, rows: () => jsonFileRows(file), open: file.open }
    case 'csv':
      return delimitedPart(resource, file, resource.dialect?.delimiter)
    case 'tsv':
      return delimitedPart(resource, file, resource.dialect?.delimiter ?? '\t')
    default:
      throw unusable(
        path,
        `a file of the format ${formatOf(resource, path)}`,
        'CSV, TSV, JSON or .xlsx; save it as one of these',
      )
  }
}

const CSV_FORMATS = ['', 'csv', 'txt', 'text', 'dat', 'data']

function formatOf({ format }: Resource, path: string): string {
  const plain = path.split(/[?#]/)[0]?.replace(/\.gz$/i, '') ?? ''
  const extension = extname(plain).slice(1).toLowerCase()
  const known = ['xlsx', 'json', 'csv', 'tsv'].includes(extension) ? extension : undefined
  const name = known ?? format?.toLowerCase() ?? extension
  if (CSV_FORMATS.includes(name)) return 'csv'
  if (name === 'tab') return 'tsv'
  return name
}

function delimitedPart(resource: Resource, file: TextFile, delimiter: string | undefined): Part {
  const dialect = { ...resource.dialect, ...(delimiter === undefined ? {} : { delimiter }) }
  return {
    file: file.file,
    open: file.open,
    rows: (tell) =>
      delimitedRows(textChunks(file.open(), { file: file.file, encoding: resource.encoding, tell }), {
        file: file.file,
        dialect,
        tell,
      }),
  }
}

async function* jsonFileRows(file: TextFile): AsyncGenerator<RawRows> {
  const text = (
    await Array.fromAsync(textChunks(limited(file, MAX_JSON), { file: file.file, encoding: undefined, tell: silent }))
  ).join('')
  const fault = jsonFault(text)
  if (fault !== undefined) {
    const { line, column } = placeAt(text, fault.offset)
    const value = text.slice(fault.offset, fault.offset + 60)
    throw new UnreadableTable({ file: file.file, line, column: `column ${column}`, value, expected: fault.expected })
  }
  const rows = jsonRows(parseJson(text))
  if (rows === undefined) throw unusable(file.file, 'JSON that is no table', 'a list of objects, or of lists')
  yield rows
}

async function* limited({ file, open }: TextFile, max: number): AsyncGenerator<Buffer> {
  let length = 0
  for await (const chunk of open()) {
    length += chunk.length
    if (length > max)
      throw unusable(file, `more than ${max >> 20} MB`, 'less, or the same as CSV, which is read in pieces')
    yield chunk
  }
}

async function spreadsheetPart(resource: Resource, file: TextFile): Promise<Part> {
  const bytes = Buffer.concat(await Array.fromAsync(limited(file, MAX_SPREADSHEET)))
  const sheets = await sheetsIn({ path: file.file, name: file.file, bytes })
  const sheet = sheetOf(resource, sheets, file.file)
  return { file: sheets.length === 1 ? file.file : `${file.file} (${sheet.name})`, rows: sheet.rows }
}

function sheetOf({ dialect }: Resource, sheets: readonly Sheet[], file: string): Sheet {
  const { sheetName, sheetNumber = 1 } = dialect ?? {}
  const sheet = sheetName === undefined ? sheets[sheetNumber - 1] : sheets.find(({ name }) => name === sheetName)
  if (sheet !== undefined) return sheet
  const names = sheets.map(({ name }) => name).join(', ')
  throw unusable(file, `the sheet ${sheetName ?? sheetNumber}`, `one of its sheets: ${names}`)
}

/** The sheets of a spreadsheet that hold anything. */
export async function sheetNames(file: TextFile): Promise<readonly string[]> {
  const bytes = Buffer.concat(await Array.fromAsync(limited(file, MAX_SPREADSHEET)))
  const names: string[] = []
  for (const { name, rows } of await sheetsIn({ path: file.file, name: file.file, bytes })) {
    for await (const batch of rows()) {
      if (batch.rows.length === 0) continue
      names.push(name)
      break
    }
  }
  return names
}

/** How many rows stand before the first record. */
const headerRowsOf = ({ dialect }: Resource) =>
  dialect?.header === false ? 0 : Math.min(100, Math.max(1, ...(dialect?.headerRows ?? [1])))

async function headerOf(part: Part, resource: Resource): Promise<readonly string[]> {
  let skip = headerRowsOf(resource)
  for await (const { rows } of part.rows(silent)) {
    for (const row of rows) {
      if (skip > 1) skip--
      else if (skip === 1) return row
      else return row.map((_, index) => resource.schema?.fields[index]?.name ?? `column ${index + 1}`)
    }
  }
  return []
}

function tidyHeader(given: readonly string[], file: string, tell: TellFinding): string[] {
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
        file,
        line: 1,
        column: name,
      })
    names.add(name)
    return name
  })
}

async function* tableRows(
  parts: readonly Part[],
  resource: Resource,
  header: readonly string[],
  width: number,
  report: Report | undefined,
): AsyncGenerator<TableRows> {
  const tell: TellFinding = (...found) => report?.findings.add(...found)
  let isFirst = true
  for (const { file, rows } of parts) {
    let skip = isFirst ? headerRowsOf(resource) : 0
    let isStart = true
    for await (const batch of rows(tell)) {
      const kept: TableRows = { file, lines: [], rows: [] }
      const tidy = rowTidier(file, header, width, batch.isPlain === true, tell, report?.faults)
      for (let index = 0; index < batch.rows.length; index++) {
        const row = batch.rows[index] as string[]
        // Later files of a table may repeat the header.
        const isHeader =
          skip > 0 ||
          (isStart && !isFirst && row.length === header.length && row.every((cell, at) => cell === header[at]))
        isStart = false
        if (isHeader) {
          if (skip > 0) skip--
          continue
        }
        const line = batch.lines[index] as number
        const tidied = tidy(row, line)
        if (tidied === undefined) continue
        kept.lines.push(line)
        kept.rows.push(tidied)
      }
      if (kept.rows.length > 0) yield kept
    }
    isFirst = false
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
  width: number,
  isPlain: boolean,
  tell: TellFinding,
  faults: Faults | undefined,
) {
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
