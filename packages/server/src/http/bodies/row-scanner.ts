// Finds where the rows of a body begin and end while it arrives, and that there are not too many of them, and none too long,
// too wide or too deep. It looks at every byte once, in a table, and parses nothing.
import {
  MAX_BLANK_LINES,
  MAX_FORM_VALUES,
  MAX_JSON_LEVELS,
  MAX_ROW_BYTES,
  MAX_ROW_VALUES,
  MAX_ROWS,
} from './body-limits.ts'
import type { BodyProblem, BodyScanner } from './body-scanner.ts'

// Where the scanner is: each place has its own part of the table.
const OUTSIDE = 0
const IN_STRING = 1 << 8
const AFTER_BACKSLASH = 2 << 8
const BEFORE_ARRAY = 3 << 8
const AFTER_ARRAY = 4 << 8
const PLACES = 5

// What a byte does there.
const NOTHING = 0
const BEGIN_STRING = 1
const END_STRING = 2
const ESCAPE = 3
const OPEN = 4
const CLOSE = 5
const NEXT_VALUE = 6
const NEXT_ROW = 7
const END_LINE = 8
const BEGIN_ARRAY = 9
const BYTE_ORDER_MARK = 10
const WRONG = 11

type Actions = Readonly<Record<string, number>>

function tableOf(
  places: Readonly<Record<number, Actions>>,
  elsewhere: Readonly<Record<number, number>> = {},
): Uint8Array {
  const table = new Uint8Array(PLACES << 8)
  for (const [place, action] of Object.entries(elsewhere)) table.fill(action, Number(place), Number(place) + 256)
  for (const [place, actions] of Object.entries(places))
    for (const [characters, action] of Object.entries(actions))
      for (const byte of Buffer.from(characters, 'latin1')) table[Number(place) + byte] = action
  return table
}

const BLANKS: Actions = { ' \t\r\n': NOTHING }
const BRACKETS: Actions = { '[{': OPEN, ']}': CLOSE, '"': BEGIN_STRING }
const STRING: Actions = { '"': END_STRING, '\\': ESCAPE }
const BOM = '\xef\xbb\xbf'
const SPACE = 0x20
const QUOTE = 0x22
const BACKSLASH = 0x5c
const LINE_FEED = 0x0a
const CLOSING_BRACKET = 0x5d

export type Format = {
  readonly table: Uint8Array
  readonly isArray: boolean
  readonly hasHeader: boolean
  readonly maxValues: number
  readonly maxBytes: number
}

const ofRows = { isArray: false, hasHeader: false, maxValues: MAX_ROW_VALUES, maxBytes: MAX_ROW_BYTES }

/** The elements of an array. */
export const JSON_ARRAY: Format = {
  ...ofRows,
  isArray: true,
  table: tableOf(
    {
      [OUTSIDE]: { ...BRACKETS, ',': NEXT_ROW },
      [IN_STRING]: STRING,
      [BEFORE_ARRAY]: { ...BLANKS, '[': BEGIN_ARRAY, [BOM]: BYTE_ORDER_MARK },
      [AFTER_ARRAY]: BLANKS,
    },
    { [AFTER_BACKSLASH]: BEGIN_STRING, [BEFORE_ARRAY]: WRONG, [AFTER_ARRAY]: WRONG },
  ),
}

const LINE: Actions = { '\n': END_LINE }

/** JSON on each line. */
export const JSON_LINES: Format = {
  ...ofRows,
  table: tableOf(
    {
      [OUTSIDE]: { ...BRACKETS, ...LINE, ',': NEXT_VALUE },
      [IN_STRING]: { ...STRING, ...LINE },
      [AFTER_BACKSLASH]: LINE,
    },
    { [AFTER_BACKSLASH]: BEGIN_STRING },
  ),
}

/** A table with a header; a value ends on the line on which it begins. */
export const CSV_LINES: Format = {
  ...ofRows,
  hasHeader: true,
  table: tableOf({
    [OUTSIDE]: { ...LINE, '"': BEGIN_STRING, ',': NEXT_VALUE },
    [IN_STRING]: { ...LINE, '"': END_STRING },
  }),
}

/** One value of JSON, as the one row. */
export const JSON_VALUE: Format = {
  ...ofRows,
  maxValues: MAX_FORM_VALUES,
  maxBytes: Number.POSITIVE_INFINITY,
  table: tableOf(
    { [OUTSIDE]: { ...BRACKETS, ',': NEXT_VALUE }, [IN_STRING]: STRING },
    { [AFTER_BACKSLASH]: BEGIN_STRING },
  ),
}

export const ROW_ALLOWED = 'a text, or an object with a text for each part'

const badBody = (wrong: string): BodyProblem => ({ kind: 'bad-body', wrong })
const notJson = (wrong: string): BodyProblem => badBody(`the body is not JSON: ${wrong}`)

/** Finds a byte again and again, further and further on. */
class NextByte {
  readonly #bytes: Uint8Array
  readonly #byte: number
  #found = -1

  constructor(bytes: Uint8Array, byte: number) {
    this.#bytes = bytes
    this.#byte = byte
  }

  /** Where it stands, at this position or after it; the length of all where it does not. */
  from(position: number): number {
    if (this.#found < position) {
      const found = this.#bytes.indexOf(this.#byte, position)
      this.#found = found === -1 ? this.#bytes.length : found
    }
    return this.#found
  }
}

export class RowScanner implements BodyScanner {
  /** Where each row or line begins, and where it ends. */
  readonly bounds: number[] = []
  /** How many rows there are so far, without blank lines that are none; the header of a table is one. */
  #rows = 0
  readonly #format: Format
  #place: number
  #levels = 0
  #values = 1
  /** How many bytes were scanned before. */
  #offset = 0
  /** Where the current row begins. */
  #start = 0
  /** Whether the current line is blank as far as it was scanned before. */
  #isBlank = true
  #blankLines = 0
  /** In a table of one column, a blank line is a row with an empty value. */
  #hasBlankRows = false

  constructor(format: Format) {
    this.#format = format
    this.#place = format.isArray ? BEFORE_ARRAY : OUTSIDE
  }

  scan(bytes: Uint8Array): BodyProblem | undefined {
    const { table } = this.#format
    const { length } = bytes
    let place = this.#place
    // Most of a body is text within strings, which the search of the runtime passes over many times as fast.
    const quotes = new NextByte(bytes, QUOTE)
    const backslashes = new NextByte(bytes, BACKSLASH)
    const lines = new NextByte(bytes, LINE_FEED)
    for (let at = 0; at < length; at++) {
      if (place === IN_STRING) {
        at = Math.min(quotes.from(at), backslashes.from(at), lines.from(at))
        if (at === length) break
      }
      const action = table[place | (bytes[at] as number)] as number
      if (action === NOTHING) continue
      if (action === BEGIN_STRING) place = IN_STRING
      else if (action === END_STRING) place = OUTSIDE
      else if (action === ESCAPE) place = AFTER_BACKSLASH
      else {
        this.#place = place
        const problem = this.#act(action, bytes, at)
        if (problem !== undefined) return problem
        place = this.#place
      }
    }
    this.#place = place
    this.#isBlank = this.#isBlankUntil(bytes, length)
    this.#offset += length
    return this.#lengthProblem(this.#offset)
  }

  /** The body is at its end. */
  end(): BodyProblem | undefined {
    if (this.#format.isArray) {
      if (this.#place === BEFORE_ARRAY) return badBody('the body has no rows')
      return this.#place === AFTER_ARRAY ? undefined : notJson('it ends before its array does')
    }
    return this.#start < this.#offset ? this.#endRow(this.#offset, this.#isBlank) : undefined
  }

  #act(action: number, bytes: Uint8Array, at: number): BodyProblem | undefined {
    const position = this.#offset + at
    // However the body is cut into pieces, the length of a row is checked before what stands beyond it.
    const problem = this.#lengthProblem(position)
    if (problem !== undefined) return problem
    switch (action) {
      case OPEN:
        if (++this.#levels > MAX_JSON_LEVELS)
          return this.#badRow(`it has more than ${MAX_JSON_LEVELS} levels`, ROW_ALLOWED)
        return undefined
      case NEXT_ROW:
        if (this.#levels === 0) return this.#endRow(position, false) ?? this.#checkRows(this.#rows + 1)
        return this.#nextValue()
      case NEXT_VALUE:
        return this.#nextValue()
      case CLOSE:
        if (this.#levels > 0) this.#levels--
        else if (this.#format.isArray) return this.#endArray(bytes, at)
        return undefined
      case END_LINE:
        return this.#endRow(position, this.#isBlankUntil(bytes, at))
      case BEGIN_ARRAY:
        this.#place = OUTSIDE
        this.#start = position + 1
        return undefined
      case BYTE_ORDER_MARK:
        return bytes[at] === BOM.charCodeAt(position) ? undefined : badBody('the body is not an array of rows')
      default:
        return this.#place === AFTER_ARRAY
          ? notJson('something stands after its array')
          : badBody('the body is not an array of rows')
    }
  }

  #nextValue(): BodyProblem | undefined {
    const { maxValues } = this.#format
    if (++this.#values <= maxValues) return undefined
    return this.#badRow(`it has more than ${maxValues} values`, `at most ${maxValues}`)
  }

  #endArray(bytes: Uint8Array, at: number): BodyProblem | undefined {
    if (bytes[at] !== CLOSING_BRACKET) return notJson('its array is closed by a brace')
    const isEmpty = this.#rows === 0 && this.#isBlankUntil(bytes, at)
    const problem = isEmpty ? undefined : this.#endRow(this.#offset + at, false)
    // There is no row after it that could be too long.
    this.#start = Number.POSITIVE_INFINITY
    this.#place = AFTER_ARRAY
    return problem
  }

  #endRow(position: number, isBlankLine: boolean): BodyProblem | undefined {
    this.bounds.push(this.#start, position)
    const isFirst = this.#rows === 0
    if (!isBlankLine || this.#hasBlankRows) this.#rows++
    else if (++this.#blankLines > MAX_BLANK_LINES)
      return { kind: 'content-too-large', max: MAX_BLANK_LINES, unit: 'blank lines' }
    if (isFirst && this.#rows === 1) this.#hasBlankRows = this.#format.hasHeader && this.#values === 1
    this.#start = position + 1
    this.#place = OUTSIDE
    this.#levels = 0
    this.#values = 1
    this.#isBlank = true
    return this.#checkRows(this.#rows)
  }

  #checkRows(rows: number): BodyProblem | undefined {
    return rows - this.#headers > MAX_ROWS ? { kind: 'too-many-rows', max: MAX_ROWS } : undefined
  }

  get #headers(): number {
    return this.#format.hasHeader ? 1 : 0
  }

  #lengthProblem(position: number): BodyProblem | undefined {
    const { maxBytes } = this.#format
    if (position - this.#start <= maxBytes) return undefined
    return this.#badRow(`it has more than ${maxBytes} bytes`, `at most ${maxBytes}`)
  }

  #badRow(wrong: string, allowed: string): BodyProblem {
    return { kind: 'bad-row', row: this.#rows + 1 - this.#headers, wrong, allowed }
  }

  /** Whether the current row has only blanks and control characters before this byte. */
  #isBlankUntil(bytes: Uint8Array, end: number): boolean {
    if (!this.#isBlank) return false
    for (let at = Math.max(this.#start - this.#offset, 0); at < end; at++)
      if ((bytes[at] as number) > SPACE) return false
    return true
  }
}
