// Records as an Excel workbook: a sheet of them with a frozen header, and one that says where they come from.
import type { About } from './about.ts'
import { listText } from './csv.ts'
import { aboutIn, type Labels, labelsIn, listTitleIn, ownLanguageOf } from './file-words.ts'
import { parsedRecords } from './json.ts'
import { NO_BYTES, type RecordFormat } from './record-format.ts'
import { columnsOf, columnValues } from './selection.ts'
import {
  Archive,
  columnLetters,
  escaped,
  HEADER_STYLE,
  MAIN,
  partsAround,
  sheetHead,
  sheetPart,
  textCell,
  WORKBOOK_TYPE,
  XML,
} from './workbook.ts'

/** The rows of a sheet of Excel, but for the header. */
const MAX_ROWS = 1_048_575
const MAX_CELL_CHARACTERS = 32_767
const MAX_SHEET_NAME = 31

export const xlsx: RecordFormat = {
  title: 'Excel',
  description: 'the same as an Excel workbook',
  cost: { fixed: 700, perKilobyte: 20 },
  mediaTypes: [WORKBOOK_TYPE],
  hasColumns: true,
  isCompressed: true,
  saysAbout: true,
  maxRecords: MAX_ROWS,
  encoder: (entity, selection, about) => {
    const columns = columnsOf(entity, selection)
    const valuesOf = columnValues(entity, selection)
    const places = columns.map(({ steps }, at) => ({ letters: columnLetters(at), isShared: steps.length > 1 }))
    const language = selection.language ?? ownLanguageOf(entity)
    const words = labelsIn(language)
    const archive = new Archive(about.built)
    const titles = sheetTitles(listTitleIn(language, entity), entity.plural, words)
    for (const [name, xml] of Object.entries(partsAround(titles))) archive.add(name, xml)
    archive.add(sheetPart(2), aboutSheet(aboutIn(language, entity, about), words))
    archive.begin(sheetPart(1))
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

// The sheet of records.

/** A column, and whether many of its rows share the same texts, as those of embedded records do. */
type Place = { readonly letters: string; readonly isShared: boolean }

function rowXml(
  row: number,
  places: readonly Place[],
  values: readonly unknown[],
  texts: SharedTexts,
  words: Labels,
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
export class SharedTexts {
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
function cellXml(reference: string, value: unknown, words: Labels): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value === '' ? '' : textCell(reference, cut(value, words))
  if (typeof value === 'boolean') return `<c r="${reference}" t="b"><v>${value ? 1 : 0}</v></c>`
  if (Array.isArray(value)) return textCell(reference, cut(listText(value), words))
  // A number that would lose digits in JavaScript is an object, which is written with all of them.
  const text = JSON.stringify(value)
  const digits = text.replace(/[eE].*/, '').replaceAll(/[^0-9]/g, '')
  return digits.length > MAX_DIGITS ? textCell(reference, text) : `<c r="${reference}"><v>${text}</v></c>`
}

const cut = (text: string, { cutHere }: Labels): string =>
  text.length <= MAX_CELL_CHARACTERS ? text : `${text.slice(0, MAX_CELL_CHARACTERS - cutHere.length)}${cutHere}`

// The sheet that says where they come from.

export function aboutSheet({ list, sources, licences, isSynthetic, digest, built }: About, words: Labels): string {
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

/** The title of the list, in letters and a length that Excel takes, and never that of the other sheet. */
function sheetTitles(title: string, plural: string, { about }: Labels): readonly [string, string] {
  const clean = (text: string) =>
    [...text.replaceAll(/[[\]:*?/\\]|[\p{Cc}\p{Cs}]/gu, ' ')]
      .slice(0, MAX_SHEET_NAME)
      .join('')
      .slice(0, MAX_SHEET_NAME)
      .replaceAll(/^['\s]+|['\s]+$/g, '')
  const taken = [about.toLowerCase(), 'history', '']
  return [[title, plural].map(clean).find((one) => !taken.includes(one.toLowerCase())) ?? 'Nomenclator', about]
}
