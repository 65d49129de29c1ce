// Records as an Excel workbook: a sheet of them with a frozen header, and one that says where they come from.
import { constants, deflateRawSync } from 'node:zlib'
import { Zip, ZipPassThrough } from 'fflate'
import type { Entity } from '../../catalog/entity.ts'
import type { About } from './about.ts'
import { listText } from './csv.ts'
import { parsedRecords } from './json.ts'
import { NO_BYTES, type RecordFormat } from './record-format.ts'
import { columnsOf, columnValues } from './selection.ts'

/** The rows of a sheet of Excel, but for the header. */
const MAX_ROWS = 1_048_575
const MAX_CELL_CHARACTERS = 32_767
const MAX_SHEET_NAME = 31

export const xlsx: RecordFormat = {
  title: 'Excel',
  description: 'the same as an Excel workbook',
  cost: { fixed: 700, perKilobyte: 20 },
  mediaTypes: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  hasColumns: true,
  isCompressed: true,
  saysAbout: true,
  maxRecords: MAX_ROWS,
  encoder: (entity, selection, about) => {
    const columns = columnsOf(entity, selection)
    const valuesOf = columnValues(entity, selection)
    const places = columns.map(({ steps }, at) => ({ letters: columnLetters(at), isShared: steps.length > 1 }))
    const words = wordsIn(selection.language)
    const archive = new Archive(about.built)
    const titles = sheetTitles(entity, words)
    for (const [name, xml] of Object.entries(partsAround(titles, aboutSheet(about, words)))) archive.add(name, xml)
    archive.begin('xl/worksheets/sheet1.xml')
    archive.write(sheetHead(columns.map(({ title }) => title)))
    const texts = new SharedTexts()
    let row = 1
    return {
      head: archive.taken(),
      records: (jsons) => {
        let rows = ''
        for (const record of parsedRecords(entity, jsons)) rows += rowXml(++row, places, valuesOf(record), texts, words)
        archive.write(rows)
        return [archive.taken()]
      },
      gap: NO_BYTES,
      tail: () => {
        const filtered = columns.length === 0 ? '' : `<autoFilter ref="A1:${places.at(-1)?.letters}${row}"/>`
        archive.write(`</sheetData>${filtered}</worksheet>`, true)
        archive.add('xl/sharedStrings.xml', texts.xml())
        archive.end()
        return archive.taken()
      },
    }
  },
}

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
class Archive {
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

// The sheet of records.

const HEADER_STYLE = 1
const MIN_WIDTH = 12
const MAX_WIDTH = 40

function sheetHead(titles: readonly string[]): string {
  const widths = titles.map((title, at) => {
    const width = Math.min(Math.max(title.length + 2, MIN_WIDTH), MAX_WIDTH)
    return `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`
  })
  const cells = titles.map((title, at) => textCell(`${columnLetters(at)}1`, title, HEADER_STYLE))
  return `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView tabSelected="1" workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>${widths.length === 0 ? '' : `<cols>${widths.join('')}</cols>`}<sheetData><row r="1">${cells.join('')}</row>`
}

/** A column, and whether many of its rows share the same texts, as those of embedded records do. */
type Place = { readonly letters: string; readonly isShared: boolean }

function rowXml(
  row: number,
  places: readonly Place[],
  values: readonly unknown[],
  texts: SharedTexts,
  words: SheetWords,
): string {
  let cells = ''
  for (let at = 0; at < places.length; at++) {
    const { letters, isShared } = places[at] as Place
    const value = values[at]
    const shared = isShared && typeof value === 'string' ? texts.numberOf(value) : undefined
    cells +=
      shared === undefined
        ? cellXml(`${letters}${row}`, value, words)
        : `<c r="${letters}${row}" t="s"><v>${shared}</v></c>`
  }
  return `<row r="${row}">${cells}</row>`
}

/** More are written where they stand: what is kept until the end must not grow with the records. */
const MAX_SHARED_TEXTS = 1 << 16
const MAX_SHARED_CHARACTERS = 100

/** Texts that are written once, at the end, and named by number: a third of the bytes, and less to read for Excel. */
class SharedTexts {
  readonly #numbers = new Map<string, number>()

  numberOf(text: string): number | undefined {
    const known = this.#numbers.get(text)
    if (known !== undefined || text === '') return known
    if (text.length > MAX_SHARED_CHARACTERS || this.#numbers.size === MAX_SHARED_TEXTS) return undefined
    this.#numbers.set(text, this.#numbers.size)
    return this.#numbers.size - 1
  }

  xml(): string {
    const items = Array.from(this.#numbers.keys(), (text) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`)
    return `${XML}<sst xmlns="${MAIN}" uniqueCount="${items.length}">${items.join('')}</sst>`
  }
}

/** The digits that a number may have in Excel without losing any. */
const MAX_DIGITS = 15

/** Texts are never numbers or formulas, whatever they begin with; a number with too many digits stays a text. */
function cellXml(reference: string, value: unknown, words: SheetWords): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value === '' ? '' : textCell(reference, cut(value, words))
  if (typeof value === 'boolean') return `<c r="${reference}" t="b"><v>${value ? 1 : 0}</v></c>`
  if (Array.isArray(value)) return textCell(reference, cut(listText(value), words))
  // A number that would lose digits in JavaScript is an object, which is written with all of them.
  const text = JSON.stringify(value)
  const digits = text.replace(/[eE].*/, '').replaceAll(/[^0-9]/g, '')
  return digits.length > MAX_DIGITS ? textCell(reference, text) : `<c r="${reference}"><v>${text}</v></c>`
}

const cut = (text: string, { cutHere }: SheetWords): string =>
  text.length <= MAX_CELL_CHARACTERS ? text : `${text.slice(0, MAX_CELL_CHARACTERS - cutHere.length)}${cutHere}`

const textCell = (reference: string, text: string, style?: number): string =>
  `<c r="${reference}"${style === undefined ? '' : ` s="${style}"`} t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`

/** A for the first column, AA for the one after Z. */
function columnLetters(column: number): string {
  const letter = String.fromCharCode('A'.charCodeAt(0) + (column % 26))
  return column < 26 ? letter : `${columnLetters(Math.floor(column / 26) - 1)}${letter}`
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML cannot have.
const SPECIAL = /[&<>\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[0-9a-fA-F]{4}_)/
const SPECIALS = new RegExp(SPECIAL, 'g')
const ENTITIES = new Map(Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;' }))

/** Writes characters that XML cannot have by their number, as Excel does, and escapes texts that look like such a number. */
const escaped = (text: string): string =>
  SPECIAL.test(text)
    ? text.replaceAll(
        SPECIALS,
        (letter) => ENTITIES.get(letter) ?? `_x${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
      )
    : text

// The sheet that says where they come from.

type SheetWords = {
  readonly about: string
  readonly list: string
  readonly source: string
  readonly licence: string
  readonly asInSource: string
  readonly note: string
  readonly invented: string
  readonly release: string
  readonly built: string
  readonly cutHere: string
}

const SPANISH: SheetWords = {
  about: 'Acerca de',
  list: 'Lista',
  source: 'Fuente',
  licence: 'Licencia',
  asInSource: 'La que indique la fuente',
  note: 'Aviso',
  invented: 'Los datos son inventados',
  release: 'Versión',
  built: 'Fecha de la versión',
  cutHere: '… [cortado: Excel admite 32,767 letras por celda]',
}

const ENGLISH: SheetWords = {
  about: 'About',
  list: 'List',
  source: 'Source',
  licence: 'Licence',
  asInSource: 'As the source says',
  note: 'Note',
  invented: 'The data is invented',
  release: 'Release',
  built: 'Date of the release',
  cutHere: '… [cut: Excel holds 32,767 letters a cell]',
}

/** In Spanish unless names are wanted in another language. */
const wordsIn = (language: string | undefined): SheetWords =>
  language === undefined || /^es(?:-|$)/i.test(language) ? SPANISH : ENGLISH

function aboutSheet({ list, sources, licences, isSynthetic, digest, built }: About, words: SheetWords): string {
  const lines: readonly (readonly [label: string, value: string])[] = [
    [words.list, list],
    ...sources.map((source) => [words.source, source] as const),
    ...(licences.length === 0 ? [words.asInSource] : licences).map((licence) => [words.licence, licence] as const),
    ...(isSynthetic ? [[words.note, words.invented] as const] : []),
    [words.release, digest],
    [words.built, built],
  ]
  const rows = lines.map(
    ([label, value], at) =>
      `<row r="${at + 1}">${textCell(`A${at + 1}`, label, HEADER_STYLE)}${textCell(`B${at + 1}`, cut(value, words))}</row>`,
  )
  return `${XML}<worksheet xmlns="${MAIN}"><cols><col min="1" max="1" width="24" customWidth="1"/><col min="2" max="2" width="90" customWidth="1"/></cols><sheetData>${rows.join('')}</sheetData></worksheet>`
}

// The parts of a workbook besides its sheets.

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

type Titles = readonly [records: string, about: string]

/** The title of the list, in letters and a length that Excel takes, and never that of the other sheet. */
function sheetTitles({ title, plural }: Entity, { about }: SheetWords): Titles {
  const clean = (text: string) =>
    [...text.replaceAll(/[[\]:*?/\\]|[\p{Cc}\p{Cs}]/gu, ' ')]
      .slice(0, MAX_SHEET_NAME)
      .join('')
      .slice(0, MAX_SHEET_NAME)
      .replaceAll(/^['\s]+|['\s]+$/g, '')
  const taken = [about.toLowerCase(), 'history', '']
  return [[title, plural].map(clean).find((one) => !taken.includes(one.toLowerCase())) ?? 'Nomenclator', about]
}

const partsAround = (titles: Titles, about: string): Readonly<Record<string, string>> => ({
  '[Content_Types].xml': `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPES}.styles+xml"/><Override PartName="/xl/sharedStrings.xml" ContentType="${TYPES}.sharedStrings+xml"/>${titles.map((_, at) => `<Override PartName="/xl/worksheets/sheet${at + 1}.xml" ContentType="${TYPES}.worksheet+xml"/>`).join('')}</Types>`,
  '_rels/.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${titles.map((title, at) => `<sheet name="${escaped(title).replaceAll('"', '&quot;')}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`).join('')}</sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships">${titles.map((_, at) => `<Relationship Id="rId${at + 1}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${at + 1}.xml"/>`).join('')}<Relationship Id="rId${titles.length + 1}" Type="${RELATIONS}/styles" Target="styles.xml"/><Relationship Id="rId${titles.length + 2}" Type="${RELATIONS}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
  // The second style is that of headers.
  'xl/styles.xml': `${XML}<styleSheet xmlns="${MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs></styleSheet>`,
  'xl/worksheets/sheet2.xml': about,
})
