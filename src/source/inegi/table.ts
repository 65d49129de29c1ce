// A table of INEGI's: recognises it by its header, and reads its lines split into fields.
import type { Faults } from '../faults.ts'
import { Fields } from './fields.ts'
import { type Layout, layoutOf } from './header.ts'
import { eachLine, LineTooLong, LONGEST_LINE, pagesOf } from './lines.ts'
import { type DecodedPage, type Encoding, isUtf16, pageDecoder } from './text.ts'

/** Bytes that should be a table, under the name by which faults call them. */
export type Candidate = {
  readonly file: string
  /** The zip that it is in. */
  readonly archive: string | undefined
  readonly open: () => AsyncIterable<Buffer>
}
export type Table = Candidate & {
  readonly layout: Layout
  /** The codes in its first row, by which the same table is known again in another encoding. */
  readonly firstCodes: string
}

/** Reads no further than it must; what is wrong with the header is a fault. */
export async function recognise(candidate: Candidate, faults: Faults): Promise<Table | undefined> {
  const wrong = (fault: { column: string; value: unknown; expected: string }) =>
    faults.add({ file: candidate.file, line: 1, ...fault })
  try {
    for await (const page of pagesOf(candidate.open())) {
      if (isUtf16(page)) {
        wrong({ column: 'all', value: 'UTF-16', expected: 'text in UTF-8 or Windows-1252' })
        return undefined
      }
      const lines: string[] = []
      eachLine(pageDecoder()(page).text, (line) => lines.length < 2 && lines.push(line))
      const layout = layoutOf(lines[0] ?? '')
      if ('kind' in layout) return { ...candidate, layout, firstCodes: codesIn(lines[1] ?? '', layout) }
      for (const fault of layout) wrong(fault)
      return undefined
    }
    wrong({ column: 'all', value: '', expected: 'a header; the file is empty' })
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error
    wrong(tooLong)
  }
  return undefined
}

function codesIn(line: string, { columns, levels }: Layout): string {
  const fields = new Fields(columns.length)
  return fields.split(line) ? levels.map(({ code }) => fields.raw(code)).join('') : ''
}

const tooLong = { column: 'all', value: 'a longer one', expected: `lines of at most ${LONGEST_LINE} bytes` }

/** Makes something of a line, or nothing. */
export type TakeLine<T> = (fields: Fields, line: number, encoding: Encoding | undefined) => T | undefined

/** Page by page, what was made of the lines. A line that cannot be split is a fault. */
export async function* readLines<T>(table: Table, faults: Faults, take: TakeLine<T>): AsyncGenerator<T[]> {
  const { columns } = table.layout
  const fields = new Fields(columns.length)
  const decode = pageDecoder()
  let line = 0
  let rows = 0
  const wrong = (fault: { column: string; value: unknown; expected: string }) =>
    faults.add({ file: table.file, line, ...fault })
  const takeFrom = (text: string, { broken, encoding }: DecodedPage): T | undefined => {
    line++
    if (line === 1 || text === '') return undefined
    rows++
    const isWhole = fields.split(text)
    if (broken && text.includes('\ufffd')) wrong(notUtf8(text, isWhole ? fields : undefined, columns))
    else if (isWhole) return take(fields, line, encoding)
    else wrong(miscounted(fields.count, columns.length))
    return undefined
  }
  try {
    for await (const bytes of pagesOf(table.open())) {
      const page = decode(bytes)
      const taken: T[] = []
      eachLine(page.text, (text) => {
        const made = takeFrom(text, page)
        if (made !== undefined) taken.push(made)
      })
      yield taken
    }
    if (rows === 0) wrong({ column: 'all', value: 'no rows', expected: 'rows below the header' })
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error
    line++
    wrong(tooLong)
  }
}

function notUtf8(line: string, fields: Fields | undefined, columns: readonly string[]) {
  const position = columns.findIndex((_, at) => fields?.raw(at).includes('\ufffd'))
  const value = position < 0 ? line : fields?.raw(position)
  return { column: columns[position] ?? 'all', value, expected: 'sound UTF-8, as in the rest of the file' }
}

function miscounted(count: number, columns: number) {
  const value = count === 0 ? 'quotes that do not pair' : `${count} columns`
  return { column: 'all', value, expected: `${columns} columns, as in the header` }
}
