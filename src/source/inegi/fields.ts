// Splits a line of INEGI's tables into its fields, as published or as a program has saved it again.

const QUOTE = 0x22
const COMMA = 0x2c

/** One line at a time: split() it, then ask for its fields. */
export class Fields {
  readonly #columns: number
  readonly #starts: Int32Array
  readonly #ends: Int32Array
  /** Whether a quote within the field is written twice. */
  readonly #doubled: Uint8Array
  #line = ''
  #published = false
  /** How many there are, or 0 when the line cannot be split. */
  count = 0

  constructor(columns: number) {
    this.#columns = columns
    this.#starts = new Int32Array(columns)
    this.#ends = new Int32Array(columns)
    this.#doubled = new Uint8Array(columns)
  }

  /** Says whether the line has as many fields as there are columns. */
  split(line: string): boolean {
    this.#line = line
    const last = line.length - 1
    this.#published = last > 0 && line.charCodeAt(0) === QUOTE && line.charCodeAt(last) === QUOTE
    if (this.#published) {
      this.count = this.#splitPublished()
      if (this.count === this.#columns) return true
    }
    const count = this.#splitStrictly()
    if (count === this.#columns || !this.#published) this.count = count
    this.#published &&= count !== this.#columns
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
      this.#note(count++, start, quote, false)
      if (ends) return count
      quote += 2
      start = quote + 1
    }
  }

  /** The quote that ends the line opens no value. */
  #isSeparator(quote: number): boolean {
    const line = this.#line
    if (line.charCodeAt(quote + 1) !== COMMA || line.charCodeAt(quote + 2) !== QUOTE) return false
    return quote + 2 < line.length - 1
  }

  /** RFC 4180: a value in quotes has its own quotes doubled, and one without quotes has no comma. */
  #splitStrictly(): number {
    const line = this.#line
    let count = 0
    for (let start = 0; ; ) {
      const isQuoted = line.charCodeAt(start) === QUOTE
      const end = isQuoted ? closingQuote(line, start + 1) : endOfBare(line, start)
      if (end < 0) return 0
      this.#note(count++, isQuoted ? start + 1 : start, end, isQuoted)
      const after = isQuoted ? end + 1 : end
      if (after === line.length) return count
      if (line.charCodeAt(after) !== COMMA) return 0
      start = after + 1
    }
  }

  #note(position: number, start: number, end: number, doubled: boolean): void {
    if (position >= this.#columns) return
    this.#starts[position] = start
    this.#ends[position] = end
    this.#doubled[position] = doubled ? 1 : 0
  }

  /** The field without the blanks around it, in Unicode normal form C. */
  text(position: number): string {
    const text = this.raw(position).trim().normalize('NFC')
    if (!text.includes('"')) return text
    const isDoubled = this.#published ? this.#quotesAreDoubled() : this.#doubled[position] === 1
    return isDoubled ? text.replaceAll('""', '"') : text
  }

  /** The field as it stands between its ends. */
  raw(position: number): string {
    return this.#line.slice(this.#starts[position], this.#ends[position])
  }

  /** The number that the field holds in exactly so many digits, or -1. */
  digits(position: number, width: number): number {
    const start = this.#starts[position] as number
    if ((this.#ends[position] as number) - start !== width) return -1
    let value = 0
    for (let at = start; at < start + width; at++) {
      const digit = this.#line.charCodeAt(at) - 0x30
      if (digit < 0 || digit > 9) return -1
      value = value * 10 + digit
    }
    return value
  }

  isEmpty(position: number): boolean {
    return this.#starts[position] === this.#ends[position]
  }

  /** In a line with every value in quotes: whether all quotes within the values come in pairs. */
  #quotesAreDoubled(): boolean {
    for (let position = 0; position < this.#columns; position++) {
      const runs = this.raw(position).match(/"+/g) ?? []
      if (runs.some(({ length }) => length % 2 === 1)) return false
    }
    return true
  }
}

function closingQuote(line: string, from: number): number {
  for (let at = from; ; ) {
    const quote = line.indexOf('"', at)
    if (quote < 0 || line.charCodeAt(quote + 1) !== QUOTE) return quote
    at = quote + 2
  }
}

function endOfBare(line: string, from: number): number {
  const comma = line.indexOf(',', from)
  return comma < 0 ? line.length : comma
}
