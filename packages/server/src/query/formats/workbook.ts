// A workbook of Excel: the archive that it is, its cells, and its parts besides the sheets.
import { constants, deflateRawSync } from 'node:zlib'
import { Zip, ZipPassThrough } from 'fflate'

// The archive.

/** At 6, a fifth is saved, and it takes a quarter longer. */
const LEVEL = 3

/** A file of the archive that the runtime compresses: block by block, each on its own, so that nothing has to be kept. */
class CompressedFile extends ZipPassThrough {
  override compression = 8

  protected override process(chunk: Uint8Array, isLast: boolean): void {
    const finishFlush = isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH
    this.ondata(null, deflateRawSync(chunk, { level: LEVEL, finishFlush }), isLast)
  }
}

/** A zip that is taken away while it is written. */
export class Archive {
  readonly #modified: string
  #chunks: Uint8Array[] = []
  #file: CompressedFile | undefined
  readonly #zip = new Zip((error, chunk) => {
    if (error) throw error
    this.#chunks.push(chunk)
  })

  constructor(modified: string) {
    this.#modified = modified
  }

  begin(name: string): void {
    this.#file = new CompressedFile(name)
    this.#file.mtime = this.#modified
    this.#zip.add(this.#file)
  }

  write(text: string, isLast = false): void {
    this.#file?.push(Buffer.from(text), isLast)
  }

  add(name: string, text: string): void {
    this.begin(name)
    this.write(text, true)
  }

  end(): void {
    this.#zip.end()
  }

  /** The bytes written since they were last taken. */
  taken(): Uint8Array {
    const bytes = Buffer.concat(this.#chunks)
    this.#chunks = []
    return bytes
  }
}

// Sheets and their cells.

/** The style of headers. */
export const HEADER_STYLE = 1
const MIN_WIDTH = 12
const MAX_WIDTH = 40

export function sheetHead(titles: readonly string[]): string {
  const widths = titles.map((title, at) => {
    const width = Math.min(Math.max(title.length + 2, MIN_WIDTH), MAX_WIDTH)
    return `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`
  })
  const cells = titles.map((title, at) => textCell(`${columnLetters(at)}1`, title, HEADER_STYLE))
  return `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView tabSelected="1" workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>${widths.length === 0 ? '' : `<cols>${widths.join('')}</cols>`}<sheetData><row r="1">${cells.join('')}</row>`
}

export const textCell = (reference: string, text: string, style?: number): string =>
  `<c r="${reference}"${style === undefined ? '' : ` s="${style}"`} t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`

/** A for the first column, AA for the one after Z. */
export function columnLetters(column: number): string {
  const letter = String.fromCharCode('A'.charCodeAt(0) + (column % 26))
  return column < 26 ? letter : `${columnLetters(Math.floor(column / 26) - 1)}${letter}`
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML cannot have.
const SPECIAL = /[&<>\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[0-9a-fA-F]{4}_)/
const SPECIALS = new RegExp(SPECIAL, 'g')
const ENTITIES = new Map(Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;' }))

/** Writes characters that XML cannot have by their number, as Excel does, and escapes texts that look like such a number. */
export const escaped = (text: string): string =>
  SPECIAL.test(text)
    ? text.replaceAll(
        SPECIALS,
        (letter) => ENTITIES.get(letter) ?? `_x${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
      )
    : text

/** A sheet of texts, the first row of which is its header. */
export function textSheet([head = [], ...rows]: readonly (readonly string[])[]): string {
  const letters = head.map((_, column) => columnLetters(column))
  const lines = rows.map((row, at) => {
    const cells = row.map((text, column) => (text === '' ? '' : textCell(`${letters[column]}${at + 2}`, text)))
    return `<row r="${at + 2}">${cells.join('')}</row>`
  })
  return `${sheetHead(head)}${lines.join('')}</sheetData></worksheet>`
}

// The parts of a workbook besides its sheets.

export const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
export const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

export const WORKBOOK_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** The name of a sheet in the archive, by its number from 1. */
export const sheetPart = (number: number): string => `xl/worksheets/sheet${number}.xml`

/** The parts of a workbook with sheets of these titles. */
export const partsAround = (titles: readonly string[]): Readonly<Record<string, string>> => ({
  '[Content_Types].xml': `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPES}.styles+xml"/><Override PartName="/xl/sharedStrings.xml" ContentType="${TYPES}.sharedStrings+xml"/>${titles.map((_, at) => `<Override PartName="/xl/worksheets/sheet${at + 1}.xml" ContentType="${TYPES}.worksheet+xml"/>`).join('')}</Types>`,
  '_rels/.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${titles.map((title, at) => `<sheet name="${escaped(title).replaceAll('"', '&quot;')}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`).join('')}</sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships">${titles.map((_, at) => `<Relationship Id="rId${at + 1}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${at + 1}.xml"/>`).join('')}<Relationship Id="rId${titles.length + 1}" Type="${RELATIONS}/styles" Target="styles.xml"/><Relationship Id="rId${titles.length + 2}" Type="${RELATIONS}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
  // The second style is that of headers.
  'xl/styles.xml': `${XML}<styleSheet xmlns="${MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs></styleSheet>`,
})
