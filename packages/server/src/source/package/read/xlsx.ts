// Reads the sheets of an .xlsx workbook: of its XML only cells, shared texts and formats of dates matter.
import { UnusableZip } from '../../unusable-zip.ts'
import type { RawRows } from './delimited.ts'
import {
  MAX_COLUMNS,
  MAX_ROW,
  numberText,
  type OpenedWorkbook,
  readPart,
  type Sheet,
  SheetRows,
  type WorkbookPart,
} from './workbook-part.ts'
import { attribute, BrokenXml, character, unescaped, type XmlHandler } from './xml.ts'

/** The most bytes of a part that is read whole: shared texts, formats, the list of sheets. */
const MAX_PART = 256 << 20
/** The most shared texts, and the most styles. */
const MAX_TEXTS = 1 << 22
const MAX_STYLES = 1 << 16
/** The most letters of a format that count: as many as Excel has. */
const MAX_FORMAT = 255

export async function xlsxSheets(
  parts: ReadonlyMap<string, WorkbookPart>,
  given: OpenedWorkbook,
): Promise<readonly Sheet[]> {
  const { names, startsIn1904 } = await readWorkbookPart(parts.get('xl/workbook.xml'), given)
  const targets = await readTargets(parts.get('xl/_rels/workbook.xml.rels'), given)
  const unread = new Map(parts)
  const sheets = names.flatMap(({ name, id }) => {
    const target = targets.get(id) ?? ''
    const part = unread.get(target)
    // Another sheet of the same part would have the same rows again.
    unread.delete(target)
    return part === undefined ? [] : [{ name, part }]
  })
  const readContext = memoizedContext(async () => ({
    texts: await readSharedTexts(parts.get('xl/sharedStrings.xml'), given),
    dateStyles: await readDateStyles(parts.get('xl/styles.xml'), given),
    startsIn1904,
  }))
  return sheets.map(({ name, part }) => ({
    name,
    rows: () => rowsOf(part, given, readContext),
  }))
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

/** Reads a part to its end. */
async function readWhole(
  part: WorkbookPart | undefined,
  given: OpenedWorkbook,
  handler: XmlHandler,
  mayLack = false,
): Promise<void> {
  if (part === undefined) {
    if (mayLack) return
    throw new UnusableZip(given, 'is not a spreadsheet', 'save it as .xlsx again, or as CSV')
  }
  for await (const _ of readPart(part, given, handler, MAX_PART));
}

const NOTHING = () => {}
const startsOnly = (start: XmlHandler['start']): XmlHandler => ({ start, end: NOTHING, text: NOTHING })

/** The sheets with the identifiers of their parts, and where days are counted from. */
async function readWorkbookPart(part: WorkbookPart | undefined, given: OpenedWorkbook) {
  const names: { name: string; id: string }[] = []
  let startsIn1904 = false
  const start: XmlHandler['start'] = (name, attributes) => {
    if (name === 'sheet')
      names.push({ name: attribute(attributes, 'name') ?? '', id: attribute(attributes, 'id') ?? '' })
    if (name === 'workbookPr') startsIn1904 = /^(1|true)$/.test(attribute(attributes, 'date1904') ?? '')
  }
  await readWhole(part, given, startsOnly(start))
  return { names, startsIn1904 }
}

/** The paths of parts by their identifiers. */
async function readTargets(
  part: WorkbookPart | undefined,
  given: OpenedWorkbook,
): Promise<ReadonlyMap<string, string>> {
  const targets = new Map<string, string>()
  const start: XmlHandler['start'] = (name, attributes) => {
    if (name !== 'Relationship') return
    const target = (attribute(attributes, 'Target') ?? '').replace(/^\/xl\//, '')
    targets.set(attribute(attributes, 'Id') ?? '', `xl/${target}`)
  }
  await readWhole(part, given, startsOnly(start))
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

async function readSharedTexts(part: WorkbookPart | undefined, given: OpenedWorkbook): Promise<string[]> {
  const texts: string[] = []
  const text = new CellText()
  const end = (name: string) => {
    text.end(name)
    if (name === 'si' && texts.push(text.take()) > MAX_TEXTS) throw new BrokenXml(`it has more than ${MAX_TEXTS} texts`)
  }
  await readWhole(part, given, { start: text.start, end, text: text.text }, true)
  return texts
}

/** Formats of dates have day, month or year in them; those below 164 are built in. */
async function readDateStyles(part: WorkbookPart | undefined, given: OpenedWorkbook): Promise<Set<number>> {
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
  await readWhole(part, given, handler, true)
  const isDate = (id: number) => (id >= 14 && id <= 22) || formats.get(id) === true
  return new Set(styles.flatMap((id, style) => (isDate(id) ? [style] : [])))
}

const isFormatOfDates = (code: string): boolean =>
  /[dy]/i.test(code.slice(0, MAX_FORMAT).replace(/"[^"]*"|\[[^\]]*\]|\\./g, ''))

async function* rowsOf(
  part: WorkbookPart,
  given: OpenedWorkbook,
  readContext: () => Promise<CellContext>,
): AsyncGenerator<RawRows> {
  const sheet = new SheetReader(given.name, await readContext())
  for await (const _ of readPart(part, given, sheet)) yield sheet.rows.take()
}

/** The rows of a sheet, as its XML goes by. */
class SheetReader implements XmlHandler {
  readonly rows: SheetRows
  readonly #context: CellContext
  readonly #text = new CellText()
  #isInRow = false
  #cell: { readonly column: number; readonly type: string | undefined; readonly style: number } | undefined

  constructor(file: string, context: CellContext) {
    this.rows = new SheetRows(file)
    this.#context = context
  }

  readonly start = (name: string, attributes: string): void => {
    if (name === 'row') {
      const line = attribute(attributes, 'r')
      this.rows.startRow(...(line === undefined ? [] : [Number(line)]))
      this.#isInRow = true
    } else if (name === 'c' && this.#isInRow) this.#startCell(attributes)
    else if (this.#cell !== undefined) this.#text.start(name)
  }

  readonly end = (name: string): void => {
    if (name === 'row' && this.#isInRow) {
      this.rows.endRow()
      this.#isInRow = false
    } else if (name === 'c') this.#endCell()
    else if (this.#cell !== undefined) this.#text.end(name)
  }

  readonly text = (raw: string): void => {
    if (this.#cell === undefined) return
    this.rows.addLetters(raw.length)
    this.#text.text(raw)
  }

  #startCell(attributes: string): void {
    const column = columnOf(attribute(attributes, 'r')) ?? this.rows.width
    if (column >= MAX_COLUMNS) return
    const style = Number(attribute(attributes, 's') ?? 0)
    this.#cell = { column, type: attribute(attributes, 't'), style }
  }

  #endCell(): void {
    const cell = this.#cell
    if (cell === undefined || !this.#isInRow) return
    const text = cellText(this.#text.take(), cell, this.#context)
    this.rows.set(cell.column, text, isNumber(cell, this.#context))
    this.#cell = undefined
  }
}

/** True of a cell that has a number, and shows it as one. */
const isNumber = (
  { type, style }: { readonly type: string | undefined; readonly style: number },
  { dateStyles }: CellContext,
): boolean => (type === undefined || type === 'n') && !dateStyles.has(style)

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

const DAY = 86_400_000

/** Days since the end of 1899, or since the beginning of 1904; less than a day is a time. */
function dateText(days: number, startsIn1904: boolean): string {
  if (!Number.isFinite(days) || days < 0 || days > 3_000_000) return String(days)
  const start = startsIn1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30)
  const text = new Date(start + Math.round(days * 86_400) * 1_000).toISOString()
  if (days < 1) return text.slice(11, 19)
  return (days * DAY) % DAY === 0 ? text.slice(0, 10) : text.slice(0, 19)
}

/** Excel writes a carriage return as `_x000D_`. */
const withControlCharacters = (text: string): string =>
  text.includes('_x') ? text.replace(/_x([0-9a-fA-F]{4})_/g, (_, code) => character(Number.parseInt(code, 16))) : text
