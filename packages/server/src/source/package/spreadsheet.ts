// Reads the sheets of an .xlsx file as rows of text: a zip of XML, of which only cells, shared texts and formats of dates matter.
import { statSync } from 'node:fs'
import { filesInZip, type NamedFile, UnusableZip, type ZippedFile } from '../zip.ts'
import type { RawRows } from './delimited.ts'
import { UnreadableTable } from './unreadable-table.ts'
import { attribute, BrokenXml, character, unescaped, type XmlHandler, XmlReader } from './xml.ts'

type Workbook = NamedFile & { readonly bytes?: Buffer }

/** A workbook that is being read. */
type Opened = Workbook & {
  /** The processor time that its XML may still take, in microseconds. */
  left: number
}

export type Sheet = { readonly name: string; readonly rows: () => AsyncGenerator<RawRows> }

const TOO_MUCH = { why: 'which no table does', advice: 'save it as CSV' }
/** The most bytes of a part that is read whole: shared texts, formats, the list of sheets. */
const MAX_PART = 256 << 20
const MAX_SHEETS = 1_000
/** As many as Excel has. */
const MAX_ROWS = 1 << 20
const MAX_COLUMNS = 5_000
/** The most cells of a sheet, with the empty ones between others: a few letters of a file can stand for thousands of these. */
const MAX_CELLS = 1 << 26
/** The most letters of one row, and of the texts of one cell. */
const MAX_ROW = 8 << 20
/** The most shared texts, and the most styles. */
const MAX_TEXTS = 1 << 22
const MAX_STYLES = 1 << 16
/** The most letters of a format that count: as many as Excel has. */
const MAX_FORMAT = 255
/** Processor time for the XML of a workbook, beside some for each of its bytes. */
const MAX_SECONDS = 10
const SECONDS_PER_BYTE = 2e-6

export async function sheetsIn(workbook: Workbook): Promise<readonly Sheet[]> {
  const { files } = await filesInZip(workbook, (name) => /^xl\/.*\.(xml|rels)$/.test(name), TOO_MUCH)
  const size = workbook.bytes?.length ?? statSync(workbook.path).size
  const given: Opened = { ...workbook, left: (MAX_SECONDS + SECONDS_PER_BYTE * size) * 1e6 }
  const parts = new Map(files.map((file) => [file.name, file]))
  const { names, startsIn1904 } = await readWorkbookPart(parts.get('xl/workbook.xml'), given)
  const targets = await readTargets(parts.get('xl/_rels/workbook.xml.rels'), given)
  const sheets = names.flatMap(({ name, id }) => {
    const target = targets.get(id) ?? ''
    const part = parts.get(target)
    // Another sheet of the same part would have the same rows again.
    parts.delete(target)
    return part === undefined ? [] : [{ name, part }]
  })
  if (sheets.length === 0) throw new UnusableZip(given, 'holds no sheet', 'save it as .xlsx again, or as CSV')
  if (sheets.length > MAX_SHEETS)
    throw new UnusableZip(given, `holds more than ${MAX_SHEETS} sheets`, 'save those that matter as CSV')
  const readContext = memoizedContext(async () => ({
    texts: await readSharedTexts(parts.get('xl/sharedStrings.xml'), given),
    dateStyles: await readDateStyles(parts.get('xl/styles.xml'), given),
    startsIn1904,
  }))
  return sheets.map(({ name, part }) => ({ name, rows: () => rowsOf(part, given, readContext) }))
}

type CellContext = {
  readonly texts: readonly string[]
  /** The numbers of the styles whose cells hold dates. */
  readonly dateStyles: ReadonlySet<number>
  readonly startsIn1904: boolean
}

function memoizedContext(read: () => Promise<CellContext>): () => Promise<CellContext> {
  let context: Promise<CellContext> | undefined
  return () => {
    context ??= read()
    return context
  }
}

const damaged = (given: Opened, error: unknown): unknown =>
  error instanceof BrokenXml
    ? new UnusableZip(given, `holds XML that cannot be read: ${error.message}`, 'save it as .xlsx again, or as CSV')
    : error

/** Reads a part to its end. */
async function readPart(part: ZippedFile | undefined, given: Opened, handler: XmlHandler, mayLack = false) {
  if (part === undefined) {
    if (mayLack) return
    throw new UnusableZip(given, 'is not a spreadsheet', 'save it as .xlsx again, or as CSV')
  }
  let length = 0
  for await (const chunk of piecesOf(part, given, handler)) {
    length += chunk.length
    if (length > MAX_PART) throw new UnusableZip(given, `has more than ${MAX_PART >> 20} MB of texts`, 'save it as CSV')
  }
}

/** Hands a part to its handler, one chunk after the other. */
async function* piecesOf(part: ZippedFile, given: Opened, handler: XmlHandler): AsyncGenerator<Buffer> {
  const reader = new XmlReader(handler)
  const decoder = new TextDecoder()
  try {
    for await (const chunk of part.open()) {
      const before = process.cpuUsage()
      reader.read(decoder.decode(chunk, { stream: true }))
      given.left -= process.cpuUsage(before).user
      if (given.left < 0) throw new UnusableZip(given, 'takes too long to read for its size', 'save it as CSV')
      yield chunk
    }
    reader.close()
  } catch (error) {
    throw damaged(given, error)
  }
}

const NOTHING = () => {}
const startsOnly = (start: XmlHandler['start']): XmlHandler => ({ start, end: NOTHING, text: NOTHING })

/** The sheets with the identifiers of their parts, and where days are counted from. */
async function readWorkbookPart(part: ZippedFile | undefined, given: Opened) {
  const names: { name: string; id: string }[] = []
  let startsIn1904 = false
  const start: XmlHandler['start'] = (name, attributes) => {
    if (name === 'sheet')
      names.push({ name: attribute(attributes, 'name') ?? '', id: attribute(attributes, 'id') ?? '' })
    if (name === 'workbookPr') startsIn1904 = /^(1|true)$/.test(attribute(attributes, 'date1904') ?? '')
  }
  await readPart(part, given, startsOnly(start))
  return { names, startsIn1904 }
}

/** The paths of parts by their identifiers. */
async function readTargets(part: ZippedFile | undefined, given: Opened): Promise<ReadonlyMap<string, string>> {
  const targets = new Map<string, string>()
  const start: XmlHandler['start'] = (name, attributes) => {
    if (name !== 'Relationship') return
    const target = (attribute(attributes, 'Target') ?? '').replace(/^\/xl\//, '')
    targets.set(attribute(attributes, 'Id') ?? '', `xl/${target}`)
  }
  await readPart(part, given, startsOnly(start))
  return targets
}

/** Collects the text of one cell, without what only says how it is pronounced. */
class CellText implements XmlHandler {
  #text = ''
  #isOpen = false
  #pronunciations = 0

  readonly start = (name: string): void => {
    if (name === 'rPh') this.#pronunciations++
    else if (isText(name)) this.#isOpen = this.#pronunciations === 0
  }

  readonly end = (name: string): void => {
    if (name === 'rPh') this.#pronunciations--
    else if (isText(name)) this.#isOpen = false
  }

  readonly text = (raw: string): void => {
    if (!this.#isOpen) return
    this.#text += raw
    if (this.#text.length > MAX_ROW) throw new BrokenXml(`a text has more than ${MAX_ROW} letters`)
  }

  /** Returns what was collected, and begins anew. */
  take(): string {
    const text = this.#text
    this.#text = ''
    return withControlCharacters(unescaped(text))
  }
}

/** A piece of a text, or the value of a cell. */
const isText = (name: string) => name === 't' || name === 'v'

async function readSharedTexts(part: ZippedFile | undefined, given: Opened): Promise<string[]> {
  const texts: string[] = []
  const text = new CellText()
  const end = (name: string) => {
    text.end(name)
    if (name === 'si' && texts.push(text.take()) > MAX_TEXTS) throw new BrokenXml(`it has more than ${MAX_TEXTS} texts`)
  }
  await readPart(part, given, { start: text.start, end, text: text.text }, true)
  return texts
}

/** Formats of dates have day, month or year in them; those below 164 are built in. */
async function readDateStyles(part: ZippedFile | undefined, given: Opened): Promise<Set<number>> {
  const formats = new Map<number, boolean>()
  const styles: number[] = []
  let isInCells = false
  const handler: XmlHandler = {
    start: (name, attributes) => {
      const id = Number(attribute(attributes, 'numFmtId'))
      if (name === 'cellXfs') isInCells = true
      else if (name === 'numFmt') formats.set(id, isFormatOfDates(attribute(attributes, 'formatCode') ?? ''))
      else if (name === 'xf' && isInCells && styles.push(id) > MAX_STYLES)
        throw new BrokenXml(`it has more than ${MAX_STYLES} styles`)
    },
    end: (name) => {
      if (name === 'cellXfs') isInCells = false
    },
    text: NOTHING,
  }
  await readPart(part, given, handler, true)
  const isDate = (id: number) => (id >= 14 && id <= 22) || formats.get(id) === true
  return new Set(styles.flatMap((id, style) => (isDate(id) ? [style] : [])))
}

const isFormatOfDates = (code: string): boolean =>
  /[dy]/i.test(code.slice(0, MAX_FORMAT).replace(/"[^"]*"|\[[^\]]*\]|\\./g, ''))

async function* rowsOf(
  part: ZippedFile,
  given: Opened,
  readContext: () => Promise<CellContext>,
): AsyncGenerator<RawRows> {
  const sheet = new SheetReader(given.name, await readContext())
  for await (const _ of piecesOf(part, given, sheet)) yield sheet.take()
}

/** The rows of a sheet, as its XML goes by. */
class SheetReader implements XmlHandler {
  readonly #file: string
  readonly #context: CellContext
  readonly #text = new CellText()
  #batch: { readonly lines: number[]; readonly rows: string[][] } = { lines: [], rows: [] }
  #line = 0
  #cells = 0
  #rows = 0
  #row: string[] | undefined
  /** Letters of the row so far. */
  #length = 0
  #cell: { readonly column: number; readonly type: string | undefined; readonly style: number } | undefined

  constructor(file: string, context: CellContext) {
    this.#file = file
    this.#context = context
  }

  /** Returns the rows that have ended since the last call. */
  take(): RawRows {
    const batch = this.#batch
    this.#batch = { lines: [], rows: [] }
    return batch
  }

  readonly start = (name: string, attributes: string): void => {
    if (name === 'row') {
      this.#line = Number(attribute(attributes, 'r') ?? this.#line + 1)
      this.#row = []
      this.#length = 0
    } else if (name === 'c' && this.#row !== undefined) this.#startCell(this.#row, attributes)
    else if (this.#cell !== undefined) this.#text.start(name)
  }

  readonly end = (name: string): void => {
    if (name === 'row') this.#endRow()
    else if (name === 'c') this.#endCell()
    else if (this.#cell !== undefined) this.#text.end(name)
  }

  readonly text = (raw: string): void => {
    if (this.#cell === undefined) return
    this.#length += raw.length
    if (this.#length > MAX_ROW) this.#refuse('a longer row', `rows of at most ${MAX_ROW} characters`)
    this.#text.text(raw)
  }

  #startCell(row: readonly string[], attributes: string): void {
    const column = columnOf(attribute(attributes, 'r')) ?? row.length
    if (column >= MAX_COLUMNS) return
    const style = Number(attribute(attributes, 's') ?? 0)
    this.#cell = { column, type: attribute(attributes, 't'), style }
  }

  #endCell(): void {
    const [cell, row] = [this.#cell, this.#row]
    if (cell === undefined || row === undefined) return
    this.#cells += Math.max(1, cell.column - row.length)
    if (this.#cells > MAX_CELLS) this.#refuse('more cells', `at most ${MAX_CELLS} cells in a sheet`)
    while (row.length < cell.column) row.push('')
    row[cell.column] = cellText(this.#text.take(), cell, this.#context)
    this.#cell = undefined
  }

  #endRow(): void {
    if (this.#row?.some((value) => value !== '')) {
      this.#batch.lines.push(this.#line)
      this.#batch.rows.push(this.#row)
      if (++this.#rows > MAX_ROWS) this.#refuse('more rows', `at most ${MAX_ROWS} rows in a sheet`)
    }
    this.#row = undefined
  }

  #refuse(value: string, expected: string): never {
    throw new UnreadableTable({ file: this.#file, line: this.#line, column: 'all', value, expected })
  }
}

/** C7 is in the third column. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0]
  if (letters === undefined) return undefined
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

function cellText(
  text: string,
  { type, style }: { readonly type: string | undefined; readonly style: number },
  { texts, dateStyles, startsIn1904 }: CellContext,
): string {
  if (type === 'inlineStr') return text
  if (type === 's') return texts[Number(text)] ?? ''
  if (type === 'b') return text === '1' ? 'true' : 'false'
  if (type === 'e') return ''
  if (type !== undefined && type !== 'n') return text
  return text !== '' && dateStyles.has(style) ? dateText(Number(text), startsIn1904) : numberText(text)
}

/** As people see it: without the last digit of what a binary fraction makes of 0.1. */
const numberText = (value: string): string =>
  /[.eE]/.test(value) && Number.isFinite(Number(value)) ? String(Number(Number(value).toPrecision(15))) : value

const DAY = 86_400_000

/** Days since the end of 1899, or since the beginning of 1904. */
function dateText(days: number, startsIn1904: boolean): string {
  if (!Number.isFinite(days) || days < 0 || days > 3_000_000) return String(days)
  const start = startsIn1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30)
  const text = new Date(start + Math.round(days * 86_400) * 1_000).toISOString()
  return (days * DAY) % DAY === 0 ? text.slice(0, 10) : text.slice(0, 19)
}

/** Excel writes a carriage return as `_x000D_`. */
const withControlCharacters = (text: string): string =>
  text.includes('_x') ? text.replace(/_x([0-9a-fA-F]{4})_/g, (_, code) => character(Number.parseInt(code, 16))) : text
