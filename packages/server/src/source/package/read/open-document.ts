// Reads the sheets of an OpenDocument workbook (.ods): one part of XML has all of them.
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
import { attribute, BrokenXml, unescaped, type XmlHandler } from './xml.ts'

export async function openDocumentSheets(content: WorkbookPart, given: OpenedWorkbook): Promise<readonly Sheet[]> {
  const names: string[] = []
  const start: XmlHandler['start'] = (name, attributes) => {
    if (name === 'table') names.push(attribute(attributes, 'name') ?? '')
  }
  for await (const _ of readPart(content, given, { start, end: () => {}, text: () => {} }));
  return names.map((name, at) => ({
    name,
    rows: async function* () {
      const sheet = new SheetReader(given.name, at)
      for await (const _ of readPart(content, given, sheet)) yield sheet.rows.take()
      yield sheet.rows.take()
    },
  }))
}

type Cell = { readonly times: number; readonly type: string; readonly value: string | undefined }

/** Empty cells and rows that a program writes to the edge of its sheet are this many at most. */
const repeated = (attributes: string, name: string): number => {
  const times = Number(attribute(attributes, name) ?? 1)
  return Number.isSafeInteger(times) && times > 0 ? times : 1
}

/** The rows of one of the sheets, as the XML of all goes by. */
class SheetReader implements XmlHandler {
  readonly rows: SheetRows
  readonly #wanted: number
  #sheet = -1
  #column = 0
  #times = 1
  #cell: Cell | undefined
  #text = ''
  #paragraphs = 0
  #depth = 0
  #notes = 0

  constructor(file: string, wanted: number) {
    this.rows = new SheetRows(file)
    this.#wanted = wanted
  }

  readonly start = (name: string, attributes: string): void => {
    if (name === 'table') this.#sheet++
    if (this.#sheet !== this.#wanted) return
    if (name === 'table-row') {
      this.rows.startRow()
      this.#column = 0
      this.#times = repeated(attributes, 'number-rows-repeated')
    } else if (name === 'table-cell' || name === 'covered-table-cell') this.#startCell(attributes)
    else if (this.#cell !== undefined) this.#startText(name, attributes)
  }

  readonly end = (name: string): void => {
    if (this.#sheet !== this.#wanted) return
    if (name === 'table-row') this.rows.endRow(this.#times)
    else if (name === 'table-cell' || name === 'covered-table-cell') this.#endCell()
    else if (name === 'annotation') this.#notes--
    else if (name === 'p') this.#depth--
  }

  readonly text = (raw: string): void => {
    if (this.#cell === undefined || this.#depth === 0 || this.#notes > 0) return
    this.#add(unescaped(raw))
  }

  #startCell(attributes: string): void {
    const type = attribute(attributes, 'value-type') ?? ''
    const value = attribute(attributes, type === 'date' || type === 'boolean' ? `${type}-value` : 'value')
    this.#cell = { times: repeated(attributes, 'number-columns-repeated'), type, value }
    this.#text = ''
    this.#paragraphs = 0
  }

  #startText(name: string, attributes: string): void {
    if (name === 'annotation') this.#notes++
    if (this.#notes > 0 && name !== 'p') return
    if (name === 'p') {
      this.#depth++
      if (this.#notes === 0 && this.#paragraphs++ > 0) this.#add('\n')
    } else if (name === 's') this.#add(' '.repeat(Math.min(repeated(attributes, 'c'), MAX_ROW)))
    else if (name === 'tab') this.#add('\t')
    else if (name === 'line-break') this.#add('\n')
  }

  #add(text: string): void {
    this.rows.addLetters(text.length)
    this.#text += text
    if (this.#text.length > MAX_ROW) throw new BrokenXml(`a text has more than ${MAX_ROW} letters`)
  }

  #endCell(): void {
    const cell = this.#cell
    if (cell === undefined) return
    this.#cell = undefined
    const isNumber = ['float', 'percentage', 'currency'].includes(cell.type) && cell.value !== undefined
    const text = isNumber ? numberText(cell.value ?? '') : (cell.value ?? this.#text)
    const first = this.#column
    this.#column += cell.times
    if (text === '') return
    for (let column = first; column < Math.min(this.#column, MAX_COLUMNS); column++) {
      if (column > first) this.rows.addLetters(text.length)
      this.rows.set(column, text, isNumber)
    }
  }
}
