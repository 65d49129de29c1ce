// Workbooks in the browser: unpacks what they are zipped in, and writes one of text and numbers. Loaded when needed.
import { strToU8, unzipSync, zipSync } from 'fflate'
import type { Unzip } from '../../../source/package/read/formats.ts'
import type { Cell } from './table.ts'

const MAX_UNPACKED_BYTES = 300_000_000
const PIECE = 1 << 20

/** The wanted files of a zip. Throws where it is none, or would unpack to too much. */
export const unzip: Unzip = async (bytes, _, isWanted) => {
  let size = 0
  const files = unzipSync(bytes, {
    filter: ({ name, originalSize }) => {
      if (!isWanted(name)) return false
      size += originalSize
      if (size > MAX_UNPACKED_BYTES) throw new Error('the file is too large')
      return true
    },
  })
  return Object.entries(files).map(([name, content]) => ({
    name,
    open: async function* () {
      for (let at = 0; at < content.length; at += PIECE) yield content.subarray(at, at + PIECE)
    },
  }))
}

const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

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
