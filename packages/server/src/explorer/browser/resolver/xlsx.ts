// Excel workbooks (.xlsx, ISO 29500): reads the values of their sheets, and writes a workbook of text and numbers. Loaded when needed.
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import { type Cell, type SheetTable, type TableRow, tableOf } from './table.ts'

const MAX_UNPACKED_BYTES = 300_000_000

type Files = Readonly<Record<string, Uint8Array>>

/** The sheets of a workbook that have rows, in their order. Throws where it is none. */
export function readWorkbook(bytes: Uint8Array): SheetTable[] {
  let size = 0
  const files = unzipSync(bytes, {
    filter: ({ name, originalSize }) => {
      if (!name.endsWith('.xml') && !name.endsWith('.rels')) return false
      size += originalSize
      if (size > MAX_UNPACKED_BYTES) throw new Error('the workbook is too large')
      return true
    },
  })
  const workbook = xmlOf(files, 'xl/workbook.xml')
  const targets = new Map(
    elements(xmlOf(files, 'xl/_rels/workbook.xml.rels'), 'Relationship').map((one) => [
      one.getAttribute('Id') ?? '',
      partPath(one.getAttribute('Target') ?? ''),
    ]),
  )
  const values: Values = {
    texts: 'xl/sharedStrings.xml' in files ? elements(xmlOf(files, 'xl/sharedStrings.xml'), 'si').map(richText) : [],
    isDate: 'xl/styles.xml' in files ? dateStyles(xmlOf(files, 'xl/styles.xml')) : [],
    epoch: elements(workbook, 'workbookPr')[0]?.getAttribute('date1904') === '1' ? EPOCH_1904 : EPOCH_1900,
  }
  return elements(workbook, 'sheet')
    .map((sheet) => {
      const path = targets.get(sheet.getAttributeNS(RELATIONSHIPS, 'id') ?? sheet.getAttribute('r:id') ?? '') ?? ''
      const rows = path in files ? rowsOf(xmlOf(files, path), values) : []
      return tableOf(sheet.getAttribute('name') ?? '', rows)
    })
    .filter(({ rows }) => rows.length > 0)
}

const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

const partPath = (target: string): string => (target.startsWith('/') ? target.slice(1) : `xl/${target}`)

function xmlOf(files: Files, path: string): Document {
  const bytes = files[path]
  if (bytes === undefined) throw new Error(`the workbook has no ${path}`)
  const document = new DOMParser().parseFromString(strFromU8(bytes), 'application/xml')
  if (document.getElementsByTagName('parsererror').length > 0) throw new Error(`${path} is not XML`)
  return document
}

/** Some programs write a prefix before the names of elements. */
const elements = (parent: Document | Element, name: string): Element[] => [...parent.getElementsByTagNameNS('*', name)]

/** The text of a cell without its phonetic guide. */
const richText = (item: Element): string =>
  elements(item, 't')
    .filter((text) => text.parentElement?.localName !== 'rPh')
    .map((text) => text.textContent)
    .join('')

type Values = { readonly texts: readonly string[]; readonly isDate: readonly boolean[]; readonly epoch: number }

function rowsOf(sheet: Document, values: Values): TableRow[] {
  return elements(sheet, 'row').map((row) => {
    const cells: Cell[] = []
    for (const cell of row.children) {
      if (cell.localName !== 'c') continue
      const column = columnNumber(cell.getAttribute('r') ?? '') ?? cells.length
      if (column >= MAX_COLUMNS) break
      while (cells.length < column) cells.push('')
      cells[column] = cellValue(cell, values)
    }
    return cells
  })
}

const MAX_COLUMNS = 1_000
const LETTERS = 26

/** The number of a column by the letters of an address such as AB12. */
function columnNumber(address: string): number | undefined {
  const letters = /^[A-Z]+/.exec(address)?.[0]
  return letters === undefined
    ? undefined
    : [...letters].reduce((sum, letter) => sum * LETTERS + letter.charCodeAt(0) - 'A'.charCodeAt(0) + 1, 0) - 1
}

function cellValue(cell: Element, { texts, isDate, epoch }: Values): Cell {
  const type = cell.getAttribute('t') ?? 'n'
  if (type === 'inlineStr') return richText(cell)
  const text = [...cell.children].find(({ localName }) => localName === 'v')?.textContent ?? ''
  if (type === 's') return texts[Number(text)] ?? ''
  if (type !== 'n' || text === '') return text
  const number = Number(text)
  if (!Number.isFinite(number)) return text
  return isDate[Number(cell.getAttribute('s') ?? 0)] === true ? dateText(number, epoch) : number
}

const MILLISECONDS_PER_DAY = 86_400_000
/** Day 0 of a workbook: Excel counts a 29 February 1900 that was none, so that its days fit from March 1900 on. */
const EPOCH_1900 = Date.UTC(1899, 11, 30)
const EPOCH_1904 = Date.UTC(1904, 0, 1)

function dateText(days: number, epoch: number): Cell {
  const time = new Date(epoch + Math.round(days * MILLISECONDS_PER_DAY))
  if (Number.isNaN(time.getTime())) return days
  const [date = '', clock = ''] = time.toISOString().slice(0, 19).split('T')
  if (days < 1) return clock
  return clock === '00:00:00' ? date : `${date} ${clock}`
}

/** The formats of dates and times that every workbook has without naming them. */
const isDateFormat = (id: number): boolean => (id >= 14 && id <= 22) || (id >= 45 && id <= 47)

/** For each style of cells: true if it shows a date. */
function dateStyles(styles: Document): boolean[] {
  const own = new Set(
    elements(styles, 'numFmt')
      .filter((format) => isDatePattern(format.getAttribute('formatCode') ?? ''))
      .map((format) => Number(format.getAttribute('numFmtId'))),
  )
  const formats = elements(styles, 'cellXfs')[0]
  return (formats === undefined ? [] : elements(formats, 'xf')).map((style) => {
    const id = Number(style.getAttribute('numFmtId') ?? 0)
    return isDateFormat(id) || own.has(id)
  })
}

/** Without what is quoted, coloured or escaped, only dates and times have these letters. */
const isDatePattern = (pattern: string): boolean =>
  /[ymdhs]/i.test(pattern.replace(/"[^"]*"|\\.|_.|\[(?!h+\]|m+\]|s+\])[^\]]*\]|General/gi, ''))

type SheetToWrite = { readonly name: string; readonly rows: readonly (readonly Cell[])[]; readonly isFrozen?: boolean }

/** A workbook in which text is text, whatever it looks like, and numbers are numbers. */
export function writtenWorkbook(sheets: readonly SheetToWrite[]): Uint8Array<ArrayBuffer> {
  const files: Record<string, Uint8Array> = {
    '[Content_Types].xml': xml(
      `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>${sheets.map((_, at) => `<Override PartName="/xl/worksheets/sheet${at + 1}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>`).join('')}</Types>`,
    ),
    '_rels/.rels': xml(
      `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONSHIPS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ),
    'xl/workbook.xml': xml(
      `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONSHIPS}"><sheets>${sheets.map(({ name }, at) => `<sheet name="${escaped(sheetName(name))}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`).join('')}</sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': xml(
      `<Relationships xmlns="${PACKAGE}/relationships">${sheets.map((_, at) => `<Relationship Id="rId${at + 1}" Type="${RELATIONSHIPS}/worksheet" Target="worksheets/sheet${at + 1}.xml"/>`).join('')}</Relationships>`,
    ),
  }
  for (const [at, sheet] of sheets.entries()) files[`xl/worksheets/sheet${at + 1}.xml`] = xml(sheetXml(sheet))
  return zipSync(files) as Uint8Array<ArrayBuffer>
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const MAX_CELL_CHARACTERS = 32_767
const MAX_SHEET_NAME = 31

const xml = (content: string): Uint8Array =>
  strToU8(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>${content}`)

const sheetName = (name: string): string => name.replace(/[[\]:*?/\\]/g, ' ').slice(0, MAX_SHEET_NAME)

const FROZEN =
  '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>'

function sheetXml({ rows, isFrozen }: SheetToWrite): string {
  const lines = rows.map((row) => `<row>${row.map(cellXml).join('')}</row>`)
  return `<worksheet xmlns="${MAIN}">${isFrozen === true ? FROZEN : ''}<sheetData>${lines.join('')}</sheetData></worksheet>`
}

const cellXml = (cell: Cell): string =>
  typeof cell === 'number'
    ? `<c><v>${cell}</v></c>`
    : `<c t="inlineStr"><is><t xml:space="preserve">${escaped(cell.slice(0, MAX_CELL_CHARACTERS))}</t></is></c>`

/** Control characters and halves of characters, which XML cannot have. */
const NOT_IN_XML = /[^\t\n\r\P{Cc}]|\p{Cs}|[\ufffe\uffff]/gu

const escaped = (text: string): string =>
  text.replace(NOT_IN_XML, '').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
