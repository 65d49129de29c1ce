/** Owns what must hold of the tables before a byte of them is written. */
import { refuse } from './package-file.ts'
import type { Table, Value } from './table.ts'

// The sources are pinned, so another count means that something was read wrongly or a source was replaced:
// look at the difference, then change the number here and in PROVENANCE.md.
const rowCounts: Readonly<Record<string, number>> = {
  'pais.csv': 249,
  'estado.csv': 32,
  'municipio.csv': 2_478,
  'localidad.csv.gz': 287_448,
  'audiencia.csv': 16,
}

// The first two are UTF-8 read as Latin-1 (every accented Spanish letter then starts with one of them).
const blemishes: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['mojibake', /[ÃÂ]/],
  ['a replacement character', /\uFFFD/],
  ['a control character or line break', /\p{Cc}/u],
  ['a blank that is not a plain space', /[^\S ]/],
  ['a blank too many', /^ | $| {2}/],
  ['an HTML entity', /&[#\w]+;/],
]

// What is known beside the record; empty where it is unknown. The coordinates are those of a place in Mexico.
const count = /^(0|[1-9]\d*)?$/
const factPatterns: Readonly<Record<string, RegExp>> = {
  latitud: /^((1[4-9]|2\d|3[0-2])(\.\d{1,5})?)?$/,
  longitud: /^(-(8[6-9]|9\d|10\d|11\d)(\.\d{1,5})?)?$/,
  altitud: /^(0|-?[1-9]\d*)?$/,
  poblacion: count,
  poblacionMasculina: count,
  poblacionFemenina: count,
  viviendas: count,
  ambito: /^[UR]$/,
  cabecera: /^(\d{4})?$/,
}

function checkText(value: Value, where: string): void {
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value) || value < 1) refuse(`${where}: ${value} is no identifier`)
    return
  }
  if (value === '' || value !== value.normalize('NFC')) refuse(`${where}: "${value}" is empty or not NFC`)
  for (const [what, pattern] of blemishes) if (pattern.test(value)) refuse(`${where}: "${value}" has ${what}`)
}

export function checkTable({ file, columns, rows }: Table): void {
  if (rows.length !== rowCounts[file]) refuse(`${file} has ${rows.length} rows, not ${rowCounts[file]}`)
  for (const [index, row] of rows.entries()) {
    for (const [at, value] of row.entries()) {
      const column = columns[at] ?? ''
      const where = `${file} row ${index + 1} ${column}`
      const pattern = factPatterns[column]
      if (pattern === undefined) checkText(value, where)
      else if (!pattern.test(String(value))) refuse(`${where}: "${value}" is no ${column}`)
    }
  }
}

const cells = (table: Table, names: readonly string[]): readonly string[] => {
  const at = names.map((name) => table.columns.indexOf(name))
  return table.rows.map((row) => at.map((index) => row[index]).join(' '))
}

export function checkUnique(table: Table, ...names: readonly string[]): void {
  if (new Set(cells(table, names)).size !== table.rows.length) refuse(`${table.file}: ${names.join(' + ')} repeats`)
}

/** Every row names a row of the other table by these columns, which may be called otherwise there. */
export function checkReference(from: Table, to: Table, names: readonly string[], theirs = names): void {
  const known = new Set(cells(to, theirs))
  const lost = cells(from, names).find((cell) => !known.has(cell))
  if (lost !== undefined) refuse(`${from.file}: ${names.join(' + ')} ${lost} is not in ${to.file}`)
}
