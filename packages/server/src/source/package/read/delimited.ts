// Reads CSV as it is found: any separator, values of several lines, quotes that are not closed as they should be.
import type { TellFinding } from '../../findings.ts'
import type { Dialect } from '../descriptor.ts'
import { separatorOf } from './separator.ts'
import { UnreadableTable } from './unreadable-table.ts'

/** Rows that stand one after the other. */
export type RawRows = {
  /** The line on which each begins. */
  readonly lines: number[]
  readonly rows: string[][]
  /** Whether it is certain that no value has control characters, save tabs. */
  isPlain?: boolean
  /** The rows as they are written, where that was asked for. */
  readonly texts?: string[]
  /** The sign between the values, likewise. */
  readonly separator?: string
  /** Of a workbook, the columns of each row that have a number. */
  readonly numbers?: readonly (readonly number[])[]
}

type DelimitedOptions = {
  readonly file: string
  readonly dialect: Dialect
  /** How much of a file is looked at to find its separator. */
  readonly lookAhead?: number
  readonly tell: TellFinding
  /** True if empty lines are rows too, and rows come with their texts. */
  readonly isVerbatim?: boolean
}

/** The most characters of a row; a quote that is never closed must not fill the memory. */
const MAX_ROW = 4 << 20
const LOOK_AHEAD = 64 << 10

/** The rows of a text, the header among them. Lines that are empty are left out. */
export async function* delimitedRows(
  chunks: AsyncIterable<string>,
  options: DelimitedOptions,
): AsyncGenerator<RawRows> {
  let reader: DelimitedReader | undefined
  const { lookAhead = LOOK_AHEAD } = options
  let start = ''
  for await (const chunk of chunks) {
    if (reader === undefined) {
      start += chunk
      if (start.length < lookAhead) continue
      reader = new DelimitedReader(start, options)
      yield reader.take(start, false)
    } else {
      yield reader.take(chunk, false)
    }
  }
  if (reader === undefined) {
    yield delimitedText(start, options)
  } else {
    yield reader.take('', true)
  }
}

/** The rows of a text that is at hand. */
export const delimitedText = (text: string, options: DelimitedOptions): RawRows =>
  new DelimitedReader(text, options).take(text, true)

class DelimitedReader {
  readonly #file: string
  readonly #tell: DelimitedOptions['tell']
  readonly #separator: string
  readonly #quote: string
  readonly #escape: string | undefined
  readonly #newline: '\n' | '\r'
  readonly #comment: string | undefined
  readonly #skipped: Set<number>
  readonly #isVerbatim: boolean
  #rest = ''
  #line = 1

  constructor(start: string, { file, dialect, tell, isVerbatim = false }: DelimitedOptions) {
    this.#file = file
    this.#tell = tell
    this.#quote = dialect.quoteChar === false ? '' : (dialect.quoteChar?.[0] ?? '"')
    this.#escape = dialect.escapeChar?.[0]
    // The last character may be the first half of a line end.
    this.#newline = !start.includes('\n') && start.slice(0, -1).includes('\r') ? '\r' : '\n'
    this.#comment = dialect.commentChar
    this.#skipped = new Set(dialect.commentRows)
    this.#isVerbatim = isVerbatim
    this.#separator = this.#findSeparator(start, dialect.delimiter)
  }

  #verbatim = () => (this.#isVerbatim ? { texts: [], separator: this.#separator } : {})

  take(chunk: string, isLast: boolean): RawRows {
    const text = this.#rest + chunk
    const batch: RawRows = { lines: [], rows: [], isPlain: !CONTROLS.test(text), ...this.#verbatim() }
    let at = 0
    let quote = this.#nextQuote(text, 0)
    while (at < text.length) {
      const newline = text.indexOf(this.#newline, at)
      if (newline < 0 && !isLast) break
      const end = newline < 0 ? text.length : newline
      if (quote < at) quote = this.#nextQuote(text, at)
      if (quote > end) {
        this.#add(batch, text.slice(at, this.#lineEnd(text, at, end)))
        at = end + 1
        this.#line++
        continue
      }
      const next = this.#quotedRow(text, at, isLast, batch)
      if (next === undefined) break
      at = next
    }
    this.#rest = at >= text.length ? '' : text.slice(at)
    if (this.#rest.length > MAX_ROW) throw this.#tooLong()
    return batch
  }

  /** Beyond the end where there is none. */
  #nextQuote(text: string, from: number): number {
    const found = this.#quote === '' ? -1 : text.indexOf(this.#quote, from)
    return found < 0 ? text.length + 1 : found
  }

  #lineEnd(text: string, start: number, end: number): number {
    return this.#newline === '\n' && end > start && text.charCodeAt(end - 1) === CARRIAGE_RETURN ? end - 1 : end
  }

  #add(batch: RawRows, line: string): void {
    if (line.length > MAX_ROW) throw this.#tooLong()
    if ((line === '' && !this.#isVerbatim) || this.#isSkipped(line)) return
    batch.lines.push(this.#line)
    batch.texts?.push(line)
    batch.rows.push(line.split(this.#separator))
  }

  #isSkipped = (line: string) =>
    (this.#comment !== undefined && line.startsWith(this.#comment)) || this.#skipped.has(this.#line)

  /** Reads a row in which there is a quote, and gives where the next begins; undefined where the text ends before the row does. */
  #quotedRow(text: string, start: number, isLast: boolean, batch: RawRows): number | undefined {
    const values: string[] = []
    let lines = 1
    let newline = text.indexOf(this.#newline, start)
    for (let at = start; ; ) {
      const end = this.#escape === undefined && text[at] === this.#quote ? text.indexOf(this.#quote, at + 1) : NONE
      // Nearly all values in quotes end before a separator, on their line.
      if (end > at && text[end + 1] === this.#separator && (newline < 0 || newline > end)) {
        values.push(text.slice(at + 1, end))
        at = end + 2
        continue
      }
      const value = text[at] === this.#quote ? this.#quotedValue(text, at + 1, newline) : undefined
      const from = value?.end ?? at
      if (value === UNCLOSED || (value !== undefined && from >= text.length && !isLast)) {
        if (isLast) throw this.#unclosed(text.slice(at, at + MAX_EXCERPT), values.length)
        return undefined
      }
      if (newline >= 0 && newline < from) newline = text.indexOf(this.#newline, from)
      if (newline < 0 && !isLast) return undefined
      const lineEnd = newline < 0 ? text.length : newline
      const separator = text.indexOf(this.#separator, from)
      const isInLine = separator >= 0 && separator < lineEnd
      const tail = text.slice(from, isInLine ? separator : this.#lineEnd(text, from, lineEnd))
      if (value === undefined) values.push(tail)
      else {
        lines += value.lines
        // Its line breaks may be carriage returns.
        if (value.lines > 0) batch.isPlain = false
        if (tail === '') values.push(value.text)
        else {
          if (tail.trim() !== '') this.#tellStray(tail, values.length)
          values.push(value.text + tail.trimEnd())
        }
      }
      if (isInLine) {
        at = separator + 1
        continue
      }
      if (!this.#isSkipped(text.slice(start, start + MAX_EXCERPT))) {
        batch.lines.push(this.#line)
        batch.texts?.push(text.slice(start, this.#lineEnd(text, start, lineEnd)))
        batch.rows.push(values)
      }
      this.#line += lines
      return lineEnd + 1
    }
  }

  /** `newline` is where the next one is, below zero where there is none. */
  #quotedValue(text: string, start: number, newline: number): QuotedValue {
    let value = ''
    let at = start
    for (;;) {
      const quote = text.indexOf(this.#quote, at)
      if (quote < 0) return UNCLOSED
      if (this.#escape !== undefined && quote > at && text[quote - 1] === this.#escape) {
        value += text.slice(at, quote - 1) + this.#quote
        at = quote + 1
      } else if (text[quote + 1] === this.#quote) {
        value += text.slice(at, quote + 1)
        at = quote + 2
      } else {
        const rest = text.slice(at, quote)
        const lines = newline < 0 || newline > quote ? 0 : this.#countLines(text, newline, quote)
        return { text: value === '' ? rest : value + rest, end: quote + 1, lines }
      }
    }
  }

  #countLines(text: string, start: number, end: number): number {
    let count = 0
    for (let at = text.indexOf(this.#newline, start); at >= 0 && at < end; at = text.indexOf(this.#newline, at + 1))
      count++
    return count
  }

  #tellStray(tail: string, position: number): void {
    const description =
      'text follows a closing quote, and is taken as part of the value; a quote inside a value is doubled'
    this.#tell('stray-quote', description, {
      file: this.#file,
      line: this.#line,
      column: `column ${position + 1}`,
      value: tail.slice(0, 40),
    })
  }

  #unclosed(value: string, position: number): UnreadableTable {
    const expected = 'a closing quote'
    return new UnreadableTable({
      file: this.#file,
      line: this.#line,
      column: `column ${position + 1}`,
      value,
      expected,
    })
  }

  #tooLong(): UnreadableTable {
    const expected = `rows of at most ${MAX_ROW} characters; perhaps a quote is not closed`
    return new UnreadableTable({ file: this.#file, line: this.#line, column: 'all', value: 'a longer row', expected })
  }

  #findSeparator(start: string, declared: string | undefined): string {
    const lines = start.split(this.#newline, MAX_HEADER_LINES)
    const named = DECLARED_SEPARATOR.exec(lines[0]?.trimEnd() ?? '')?.[1]
    if (named !== undefined) this.#skipped.add(1)
    const expected = declared ?? named ?? ','
    const options = { quote: this.#quote, comment: this.#comment, declared: declared ?? named }
    const separator = separatorOf(named === undefined ? lines : lines.slice(1), options) ?? expected
    if (separator !== expected) {
      const description =
        'values are not separated by what is declared, or by commas where nothing is; the header tells it'
      this.#tell('separator', description, {
        file: this.#file,
        value: separator,
        says: `${JSON.stringify(separator)}, not ${JSON.stringify(expected)}`,
      })
    }
    return separator
  }
}

/** The line before the header that tells Excel the separator. */
const DECLARED_SEPARATOR = /^\ufeff?"?sep=([,;\t|])"?$/i
const NONE = -1
const CARRIAGE_RETURN = 0x0d
const MAX_EXCERPT = 200
const MAX_HEADER_LINES = 50

/** All control characters but tabs and what ends lines; as ranges they are found forty times faster than by category. */
const CONTROL_RANGES = '\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f'
/** A carriage return that ends no line is one too. */
const CONTROLS = new RegExp(`[${CONTROL_RANGES}]|\\r(?!\\n)`)

type QuotedValue = { readonly text: string; readonly end: number; readonly lines: number }
const UNCLOSED: QuotedValue = { text: '', end: 0, lines: 0 }
