/** Applies corrections to rows, and refuses one whose row is not there or that changes nothing. */
import type { Correction } from './corrections.ts'
import { refuse } from './package-file.ts'

/** The key of a row of one table, and the name of the table in a message. */
export interface Keyed<Row> {
  readonly table: string
  readonly codeOf: (row: Row) => string
}

function byCode<Row>({ table, codeOf }: Keyed<Row>, rows: readonly Row[]): (correction: Correction) => Row {
  const known = new Map(rows.map((row) => [codeOf(row), row]))
  return ({ code, value }) =>
    known.get(code) ?? refuse(`correction of ${table} ${code} (${value}): there is no such row`)
}

const notNeeded = (table: string, { code, reason }: Correction, found: string): never =>
  refuse(
    `correction of ${table} ${code} is not needed: ${found}. Take it out of the corrections (its reason: ${reason})`,
  )

function eachOnce(table: string, corrections: readonly Correction[]): ReadonlyMap<string, Correction> {
  const found = new Map<string, Correction>()
  for (const correction of corrections) {
    if (found.has(correction.code)) refuse(`correction of ${table} ${correction.code} is given twice`)
    found.set(correction.code, correction)
  }
  return found
}

/** Changes one value of the rows that the corrections name; `get` and `set` say which. */
export function change<Row>(
  keyed: Keyed<NoInfer<Row>>,
  rows: readonly Row[],
  corrections: readonly Correction[],
  get: (row: Row) => string,
  set: (row: Row, value: string) => Row,
): readonly Row[] {
  const wanted = eachOnce(keyed.table, corrections)
  const rowOf = byCode(keyed, rows)
  for (const correction of corrections) {
    if (get(rowOf(correction)) === correction.value)
      notNeeded(keyed.table, correction, `it is ${correction.value} already`)
  }
  return rows.map((row) => {
    const correction = wanted.get(keyed.codeOf(row))
    return correction ? set(row, correction.value) : row
  })
}

/** Appends a row for each correction, in their order. */
export function add<Row, Entry extends Correction>(
  keyed: Keyed<NoInfer<Row>>,
  rows: readonly Row[],
  corrections: readonly Entry[],
  create: (correction: Entry, index: number) => NoInfer<Row>,
): readonly Row[] {
  const known = new Set(rows.map(keyed.codeOf))
  for (const correction of eachOnce(keyed.table, corrections).values()) {
    if (known.has(correction.code)) notNeeded(keyed.table, correction, 'the row is there already')
  }
  return [...rows, ...corrections.map(create)]
}

/** Leaves out the rows that the corrections name. The name is given with the code, so that a wrong code is noticed. */
export function leaveOut<Row>(
  keyed: Keyed<NoInfer<Row>>,
  rows: readonly Row[],
  corrections: readonly Correction[],
  nameOf: (row: Row) => string,
): readonly Row[] {
  const unwanted = eachOnce(keyed.table, corrections)
  const rowOf = byCode(keyed, rows)
  for (const correction of corrections) {
    const name = nameOf(rowOf(correction))
    if (name !== correction.value)
      refuse(`correction of ${keyed.table} ${correction.code}: it is ${name}, not ${correction.value}`)
  }
  return rows.filter((row) => !unwanted.has(keyed.codeOf(row)))
}

/** Leaves out all rows of the kinds that the corrections name. */
export function leaveOutKinds<Row>(
  table: string,
  rows: readonly Row[],
  corrections: readonly Correction[],
  kindOf: (row: Row) => string,
): readonly Row[] {
  const unwanted = eachOnce(table, corrections)
  const present = new Set(rows.map(kindOf))
  for (const correction of corrections) {
    if (!present.has(correction.code)) notNeeded(table, correction, 'there is no row of this kind')
  }
  return rows.filter((row) => !unwanted.has(kindOf(row)))
}
