// Reads the rows of INEGI's tables as places: codes and names, checked, without those that are retired or in no state.

import { parseDecimal } from '../../base/decimal-number.ts'
import { factExpectation } from '../../catalog/check.ts'
import type { FactField, FactValue } from '../../catalog/entity.ts'
import type { TextEncoding } from '../encoding.ts'
import type { Report } from '../source.ts'
import type { Fields } from './fields.ts'
import { ENT, type LevelColumns } from './header.ts'
import { type InegiTable, readTable } from './table.ts'

/** A row of a table: codes and names from the state down to the place itself. */
export type PlaceRow = {
  readonly line: number
  readonly codes: readonly number[]
  readonly names: readonly string[]
  /** The facts of a place. */
  readonly facts: Readonly<Record<string, FactValue>>
}

export type PlaceRules = {
  readonly isState: (code: number) => boolean
  readonly includeRetired: boolean
  readonly readsFacts: boolean
  /** True if the municipality of a place still exists; called only for retired places. */
  readonly hasMunicipality: (codes: readonly number[]) => boolean
}

const LEFT_OUT = 'a retired place was left out'
const INTERSTATE = 'a place in a zone that is not assigned to any state was left out'
const WITHOUT_PLACE = 'a retired place was left out because it does not lie in any municipality of today'
/** An accented letter in UTF-8, read as Windows-1252: two characters that follow each other in no name. */
const MISREAD_UTF8 = /Ã[\u0080-\u00bf\u0152-\u2122]|Â[\u00a0-\u00bf]/

export function readPlaces(table: InegiTable, rules: PlaceRules, report: Report): AsyncGenerator<PlaceRow[]> {
  const reader = new PlaceReader(table, rules, report)
  return readTable(table, report.faults, (fields, line, encoding) => reader.read(fields, line, encoding))
}

class PlaceReader {
  readonly #table: InegiTable
  readonly #rules: PlaceRules
  readonly #report: Report
  readonly #lastNames: { readonly raw: string; readonly name: string }[] = []

  constructor(table: InegiTable, rules: PlaceRules, report: Report) {
    this.#table = table
    this.#rules = rules
    this.#report = report
  }

  read(fields: Fields, line: number, encoding: TextEncoding | undefined): PlaceRow | undefined {
    const isRetired = this.#isRetired(fields, line)
    if (isRetired === undefined) return undefined
    if (isRetired && !this.#rules.includeRetired) {
      this.#report.findings.add('retired-left-out', LEFT_OUT, this.#label(fields, line))
      return undefined
    }
    if (!isRetired && this.#isInterstate(fields)) {
      this.#report.findings.add('interstate-left-out', INTERSTATE, this.#label(fields, line))
      return undefined
    }
    // The codes of retired places need not be those of today, so they are left out without a fault.
    const codes = this.#codes(fields, isRetired ? undefined : line)
    if (isRetired && (codes === undefined || !this.#rules.hasMunicipality(codes))) {
      this.#report.findings.add('retired-without-place', WITHOUT_PLACE, this.#label(fields, line))
      return undefined
    }
    const names = this.#names(fields, line, encoding)
    if (codes === undefined || names === undefined) return undefined
    return { line, codes, names, facts: this.#rules.readsFacts ? this.#facts(fields, line) : NO_FACTS }
  }

  #isRetired(fields: Fields, line: number): boolean | undefined {
    const { status } = this.#table.layout
    if (status === undefined || fields.isEmpty(status)) return false
    const text = fields.text(status).toLowerCase()
    if (text === '' || text === 'baja') return text !== ''
    this.#addFault(fields, line, status, 'nothing, or Baja for a retired place')
    return undefined
  }

  /** Zones between states that are not assigned to one of them have two letters for a state, such as CD or QY. */
  #isInterstate(fields: Fields): boolean {
    const { code, digits } = this.#table.layout.levels[ENT] as LevelColumns
    return fields.digits(code, digits) === undefined && /^[A-Z]{2}$/.test(fields.raw(code))
  }

  /** Adds no fault where no line is given. */
  #codes(fields: Fields, line: number | undefined): number[] | undefined {
    const { levels, wholeCode } = this.#table.layout
    const codes: number[] = []
    let whole = 0
    let digits = 0
    for (const column of levels) {
      const isState = digits === 0
      const code = fields.digits(column.code, column.digits) ?? 0
      if (code > 0 && (!isState || this.#rules.isState(code))) codes.push(code)
      else this.#addFault(fields, line, column.code, isState ? STATE_SHAPE : shapeOf(column))
      digits += column.digits
      whole = whole * 10 ** column.digits + code
    }
    if (codes.length < levels.length) return undefined
    if (wholeCode === undefined || fields.digits(wholeCode, digits) === whole) return codes
    const expected = `${String(whole).padStart(digits, '0')}, the codes of the row in one`
    this.#addFault(fields, line, wholeCode, expected)
    return undefined
  }

  #names(fields: Fields, line: number, encoding: TextEncoding | undefined): string[] | undefined {
    const names: string[] = []
    for (const { name: position } of this.#table.layout.levels) {
      const name = this.#name(fields, position)
      if (name === '') this.#addFault(fields, line, position, 'a name')
      else if (encoding === 'windows-1252' && MISREAD_UTF8.test(name))
        this.#addFault(fields, line, position, 'Windows-1252, as in the rest of the file; this looks like UTF-8')
      else names.push(name)
    }
    return names.length === this.#table.layout.levels.length ? names : undefined
  }

  /** A fact that cannot be read is no reason to refuse a place: it is not known. */
  #facts(fields: Fields, line: number): Record<string, FactValue> {
    const facts: Record<string, FactValue> = {}
    for (const { name, fact, position } of this.#table.layout.facts) {
      const raw = fields.raw(position).trim()
      if (MISSING.test(raw)) continue
      const value = parseFact(fact, raw)
      if (value !== undefined) facts[name] = value
      else
        this.#report.findings.add(
          'fact-not-read',
          NOT_READ,
          `${name} ${JSON.stringify(raw)}: ${this.#label(fields, line)}`,
        )
    }
    return facts
  }

  /** Most rows lie in the same municipality as the row before, so the last name of each column is cached. */
  #name(fields: Fields, position: number): string {
    const last = this.#lastNames[position]
    const raw = fields.raw(position)
    if (last?.raw === raw) return last.name
    const name = fields.text(position)
    // How quotes within a value are read depends on the rest of the line.
    if (!name.includes('"')) this.#lastNames[position] = { raw, name }
    return name
  }

  #addFault(fields: Fields, line: number | undefined, position: number, expected: string): void {
    if (line === undefined) return
    const column = this.#table.layout.columns[position] as string
    this.#report.faults.add({ file: this.#table.file, line, column, value: fields.raw(position), expected })
  }

  #label(fields: Fields, line: number): string {
    const { levels } = this.#table.layout
    const name = fields.text(levels.at(-1)?.name ?? 0)
    return `${levels.map(({ code }) => fields.raw(code)).join('')} ${name} (${this.#table.file}:${line})`
  }
}

const NO_FACTS = {}
const NOT_READ = 'a fact could not be read, and counts as not known'
/** How INEGI writes what is not known. */
const MISSING = /^(?:[-*]*|N\/D|N\.D\.)$/

/** A hundred-thousandth of a degree is a metre: what follows differs from cut to cut without any place having moved. */
const DECIMALS = 5

function parseFact(fact: FactField, raw: string): FactValue | undefined {
  if (fact.type === 'text') return factExpectation(fact, raw) === undefined ? raw : undefined
  const decimal = parseDecimal(raw)
  const number = fact.type === 'number' && decimal !== undefined ? Number(decimal.toFixed(DECIMALS)) : decimal
  return factExpectation(fact, number) === undefined ? number : undefined
}

const STATE_SHAPE = 'the code of a state in two digits, 01 to 32'
const shapeOf = ({ digits }: LevelColumns) => `${digits} digits, the zeros in front included, and not all zeros`
