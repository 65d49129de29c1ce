/** Owns the shape of one output table, and how it is written as CSV and read back. */

export type Value = string | number

export interface Table {
  readonly file: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Value[])[]
}

/** The columns are given once and in order, because the order of the members of a row is nobody's promise. */
export function table<Column extends string>(
  file: string,
  columns: readonly Column[],
  records: readonly Readonly<Record<NoInfer<Column>, Value>>[],
): Table {
  return { file, columns, rows: records.map((record) => columns.map((column) => record[column])) }
}

const field = (value: Value): string => {
  const plain = String(value)
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

// RFC 4180 but for the line end: git and the diff of a data change are kinder to LF.
export const renderCsv = ({ columns, rows }: Table): string =>
  [columns, ...rows].map((row) => `${row.map(field).join(',')}\n`).join('')

const fields = (line: string): readonly string[] =>
  Array.from(`,${line}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^,]*))/g), ([, quoted, plain]) =>
    quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'),
  )

/** Reads what `renderCsv` wrote, every value as text. No value of these tables has a line break. */
export function parseCsv(file: string, csv: string): Table {
  const [columns = [], ...rows] = csv.trimEnd().split('\n').map(fields)
  return { file, columns, rows }
}
