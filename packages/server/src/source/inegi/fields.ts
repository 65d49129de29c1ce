// Splits a line of INEGI's tables into its fields, as published or as another program has saved it.
import { parseDigits } from '../../base/whole-number.ts'
import { closingQuote } from '../csv.ts'

const QUOTE = 0x22
const COMMA = 0x2c

/** The fields of one line at a time: first split() it, then read them. */
export class Fields {
  readonly #columns: number
  readonly #starts: Int32Array
  readonly #ends: Int32Array
  /** 1 where quotes within the field are doubled. */
  readonly #doubled: Uint8Array
  #line = ''
  /** True if the line was split as INEGI publishes it. */
  #isPublished = false
  /** The number of fields of the line; 0 if it cannot be split. */
  count = 0

  constructor(columns: number) {
    this.#columns = columns
    this.#starts = new Int32Array(columns)
    this.#ends = new Int32Array(columns)
    this.#doubled = new Uint8Array(columns)
  }

  /** Returns whether the line has as many fields as there are columns. */
  split(line: string): boolean {
    this.#line = line
    const last = line.length - 1
    this.#isPublished = last > 0 && line.charCodeAt(0) === QUOTE && line.charCodeAt(last) === QUOTE
    if (this.#isPublished) {
      this.count = this.#splitPublished()
      if (this.count === this.#columns) return true
    }
    const count = this.#splitStrictly()
    if (count === this.#columns || !this.#isPublished) this.count = count
    this.#isPublished &&= count !== this.#columns
    return count === this.#columns
  }

  /**
   * INEGI puts every value in quotes and leaves those within it as they are, such as that of the seconds in
   * `"21°52´47.362"N"`: a value ends only at `","` or at the end of the line.
   */
  #splitPublished(): number {
    const line = this.#line
    const last = line.length - 1
    let count = 0
    let start = 1
    for (let quote = line.indexOf('"', start); ; quote = line.indexOf('"', quote + 1)) {
      const ends = quote === last
      if (!ends && !this.#isSeparator(quote)) continue
      this.#setField(count++, start, quote, false)
      if (ends) return count
      quote += 2
      start = quote + 1
    }
  }

  /** True if `","` begins at a quote. The quote that ends the line does not open a value. */
  #isSeparator(quote: number): boolean {
    const line = this.#line
    if (line.charCodeAt(quote + 1) !== COMMA || line.charCodeAt(quote + 2) !== QUOTE) return false
    return quote + 2 < line.length - 1
  }

  /** RFC 4180, except that a value without quotes around it may have some within. */
  #splitStrictly(): number {
    const line = this.#line
    let count = 0
    for (let start = 0; ; ) {
      const isQuoted = line.charCodeAt(start) === QUOTE
      const end = isQuoted ? closingQuote(line, start + 1) : endOfUnquoted(line, start)
      if (end < 0) return 0
      this.#setField(count++, isQuoted ? start + 1 : start, end, isQuoted)
      const after = isQuoted ? end + 1 : end
      if (after === line.length) return count
      if (line.charCodeAt(after) !== COMMA) return 0
      start = after + 1
    }
  }

  #setField(position: number, start: number, end: number, doubled: boolean): void {
    if (position >= this.#columns) return
    this.#starts[position] = start
    this.#ends[position] = end
    this.#doubled[position] = doubled ? 1 : 0
  }

  /** The field without the blanks around it, in Unicode normal form C. */
  text(position: number): string {
    const text = this.raw(position).trim().normalize('NFC')
    if (!text.includes('"')) return text
    const isDoubled = this.#isPublished ? this.#quotesAreDoubled() : this.#doubled[position] === 1
    return isDoubled ? text.replaceAll('""', '"') : text
  }

  /** The field as it is in the line. */
  raw(position: number): string {
    return this.#line.slice(this.#starts[position], this.#ends[position])
  }

  /** The number that the field holds in exactly so many digits. */
  digits(position: number, width: number): number | undefined {
    const start = this.#starts[position] as number
    const end = this.#ends[position] as number
    return end - start === width ? parseDigits(this.#line, start, end) : undefined
  }

  isEmpty(position: number): boolean {
    return this.#starts[position] === this.#ends[position]
  }

  /** True if all quotes within the values of a line come in pairs, where every value is in quotes. */
  #quotesAreDoubled(): boolean {
    for (let position = 0; position < this.#columns; position++) {
      const runs = this.raw(position).match(/"+/g) ?? []
      if (runs.some(({ length }) => length % 2 === 1)) return false
    }
    return true
  }
}

function endOfUnquoted(line: string, from: number): number {
  const comma = line.indexOf(',', from)
  return comma < 0 ? line.length : comma
}
