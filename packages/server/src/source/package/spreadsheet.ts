// Reads the sheets of an .xlsx file as rows of text: a zip of XML, of which only cells, shared texts and formats of dates matter.
import { filesInZip, type NamedFile, UnusableZip, type ZippedFile } from '../zip.ts'
import type { RawRows } from './delimited.ts'
import { UnreadableTable } from './unreadable-table.ts'

type Workbook = NamedFile & { readonly bytes?: Buffer }

export type Sheet = { readonly name: string; readonly rows: () => AsyncGenerator<RawRows> }

const TOO_MUCH = { why: 'which no table does', advice: 'save it as CSV' }
/** Of the parts that are read whole: shared texts, formats and the list of sheets. */
const MAX_PART = 256 << 20
const MAX_COLUMNS = 5_000
/** The most characters of one row. */
const MAX_ROW = 8 << 20

export async function sheetsIn(given: Workbook): Promise<readonly Sheet[]> {
  const { files } = await filesInZip(given, (name) => /^xl\/.*\.(xml|rels)$/.test(name), TOO_MUCH)
  const parts = new Map(files.map((file) => [file.name, file]))
  const workbook = await textOf(parts.get('xl/workbook.xml'), given)
  const targets = targetsIn(await textOf(parts.get('xl/_rels/workbook.xml.rels'), given))
  const sheets = [...workbook.matchAll(/<(?:\w+:)?sheet\s[^>]*>/g)].flatMap(([tag]) => {
    const part = parts.get(targets.get(attribute(tag, 'id') ?? '') ?? '')
    return part === undefined ? [] : [{ name: unescaped(attribute(tag, 'name') ?? ''), part }]
  })
  if (sheets.length === 0) throw new UnusableZip(given, 'holds no sheet', 'save it as .xlsx again, or as CSV')
  const startsIn1904 = /<(?:\w+:)?workbookPr[^>]*date1904="(1|true)"/.test(workbook)
  const readContext = memoizedContext(async () => ({
    texts: sharedTexts(await textOf(parts.get('xl/sharedStrings.xml'), given, true)),
    dateStyles: dateStyles(await textOf(parts.get('xl/styles.xml'), given, true)),
    startsIn1904,
  }))
  return sheets.map(({ name, part }) => ({ name, rows: () => rowsOf(part, given, readContext) }))
}

type CellContext = {
  readonly texts: readonly string[]
  /** The styles of cells that hold dates, by number. */
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

async function textOf(part: ZippedFile | undefined, given: Workbook, mayLack = false): Promise<string> {
  if (part === undefined) {
    if (mayLack) return ''
    throw new UnusableZip(given, 'is not a spreadsheet', 'save it as .xlsx again, or as CSV')
  }
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of part.open()) {
    length += chunk.length
    if (length > MAX_PART) throw new UnusableZip(given, `has more than ${MAX_PART >> 20} MB of texts`, 'save it as CSV')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Where the sheets are, by the identifiers that the workbook has for them. */
const targetsIn = (relations: string): Map<string, string> =>
  new Map(
    [...relations.matchAll(/<(?:\w+:)?Relationship\s[^>]*>/g)].map(([tag]) => {
      const target = (attribute(tag, 'Target') ?? '').replace(/^\/xl\//, '')
      return [attribute(tag, 'Id') ?? '', `xl/${target}`]
    }),
  )

const attribute = (tag: string, name: string): string | undefined =>
  new RegExp(`(?:^|[\\s:])${name}="([^"]*)"`).exec(tag)?.[1]

const sharedTexts = (xml: string): string[] =>
  [...xml.matchAll(/<(?:\w+:)?si(?:\s[^>]*)?(?:\/>|>([\s\S]*?)<\/(?:\w+:)?si>)/g)].map(([, content]) =>
    runsOf(content ?? ''),
  )

/** The texts of a cell without what is only said of their pronunciation. */
const runsOf = (xml: string): string =>
  [
    ...xml
      .replace(/<(?:\w+:)?rPh[\s>][\s\S]*?<\/(?:\w+:)?rPh>/g, '')
      .matchAll(/<(?:\w+:)?t(?:\s[^>]*)?>([\s\S]*?)<\/(?:\w+:)?t>/g),
  ]
    .map(([, text]) => unescaped(text ?? ''))
    .join('')

/** Formats of dates have day, month or year in them; those below 164 are built in. */
function dateStyles(xml: string): Set<number> {
  const custom = new Map(
    [...xml.matchAll(/<(?:\w+:)?numFmt\s[^>]*>/g)].map(([tag]) => [
      Number(attribute(tag, 'numFmtId')),
      unescaped(attribute(tag, 'formatCode') ?? ''),
    ]),
  )
  const isDate = (id: number) =>
    (id >= 14 && id <= 22) || /[dy]/i.test((custom.get(id) ?? '').replace(/"[^"]*"|\[[^\]]*\]|\\./g, ''))
  const [formats = ''] = /<(?:\w+:)?cellXfs[\s\S]*?<\/(?:\w+:)?cellXfs>/.exec(xml) ?? []
  const styles = [...formats.matchAll(/<(?:\w+:)?xf\s[^>]*>/g)].map(([tag]) => Number(attribute(tag, 'numFmtId')))
  return new Set(styles.flatMap((id, style) => (isDate(id) ? [style] : [])))
}

async function* rowsOf(
  part: ZippedFile,
  given: Workbook,
  readContext: () => Promise<CellContext>,
): AsyncGenerator<RawRows> {
  const context = await readContext()
  const decoder = new TextDecoder()
  let rest = ''
  let line = 0
  for await (const chunk of part.open()) {
    rest += decoder.decode(chunk, { stream: true })
    const end = rest.lastIndexOf('</row>')
    if (end < 0) {
      if (rest.length > MAX_ROW) throw tooLong(given.name, line + 1)
      continue
    }
    const batch: RawRows = { lines: [], rows: [] }
    for (const [, tag = '', cells = ''] of rest
      .slice(0, end + 6)
      .matchAll(/<row(\s[^>]*?)?(?:\/>|>([\s\S]*?)<\/row>)/g)) {
      line = Number(attribute(tag, 'r') ?? line + 1)
      const values = cellsOf(cells, context)
      if (values.every((value) => value === '')) continue
      batch.lines.push(line)
      batch.rows.push(values)
    }
    rest = rest.slice(end + 6)
    yield batch
  }
}

const tooLong = (file: string, line: number) =>
  new UnreadableTable({
    file,
    line,
    column: 'all',
    value: 'a longer row',
    expected: `rows of at most ${MAX_ROW} characters`,
  })

function cellsOf(xml: string, context: CellContext): string[] {
  const values: string[] = []
  for (const [, tag = '', content = ''] of xml.matchAll(/<c(\s[^>]*?)?(?:\/>|>([\s\S]*?)<\/c>)/g)) {
    const at = columnOf(attribute(tag, 'r')) ?? values.length
    if (at >= MAX_COLUMNS) break
    while (values.length < at) values.push('')
    values[at] = cellText(tag, content, context)
  }
  return values
}

/** C7 is in the third column. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0]
  if (letters === undefined) return undefined
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

function cellText(tag: string, content: string, { texts, dateStyles, startsIn1904 }: CellContext): string {
  const type = attribute(tag, 't')
  if (type === 'inlineStr') return runsOf(content)
  const value = unescaped(/<v(?:\s[^>]*)?>([\s\S]*?)<\/v>/.exec(content)?.[1] ?? '')
  if (type === 's') return texts[Number(value)] ?? ''
  if (type === 'b') return value === '1' ? 'true' : 'false'
  if (type === 'e') return ''
  if (type !== undefined && type !== 'n') return value
  if (value !== '' && dateStyles.has(Number(attribute(tag, 's')))) return dateText(Number(value), startsIn1904)
  return numberText(value)
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

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Also the form _x000D_ that Excel has for control characters. */
const unescaped = (xml: string): string =>
  xml.includes('&') || xml.includes('_x')
    ? xml
        .replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos));/g, (_, decimal, hexadecimal, name) =>
          name !== undefined
            ? (NAMED[name] as string)
            : character(decimal ? Number(decimal) : Number.parseInt(hexadecimal, 16)),
        )
        .replace(/_x([0-9a-fA-F]{4})_/g, (_, code) => character(Number.parseInt(code, 16)))
    : xml

const character = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd')
