/** Reads the files of INEGI's data that the tables of places are made from, and refuses any other. */
import { basename } from 'node:path'
import { unzipSync } from 'fflate'
import { refuse } from './package-file.ts'
import { parseCsv } from './table.ts'

/** The SHA-256 of the files. */
const LOCALIDADES = 'b902b6ba1d858215edf875e97d0aaca523b0480547a30e7d2d1b608221908f2b'
const MUNICIPIOS = 'a0218c0ff3ba1e9d0db81e11a3e34b048337185f09f248af0d6c0277cfa0de81'

/** A row by the names of INEGI's columns. */
export type InegiRow = (column: string) => string

async function bytesOf(path: string, sha256: string): Promise<Uint8Array> {
  const bytes = await Bun.file(path).bytes()
  const found = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
  return found === sha256 ? bytes : refuse(`${path} is not the file that PROVENANCE.md names: its SHA-256 is ${found}`)
}

function rowsOf(file: string, bytes: Uint8Array): readonly InegiRow[] {
  const { columns, rows } = parseCsv(file, new TextDecoder().decode(bytes))
  return rows.map(
    (row) => (column) => String(row[columns.indexOf(column)] ?? refuse(`${file} has no column ${column}`)).trim(),
  )
}

/** `localidades.csv` in a zip, in the order of the codes. */
export async function inegiLocalidades(path: string): Promise<readonly InegiRow[]> {
  const { 'localidades.csv': table } = unzipSync(await bytesOf(path, LOCALIDADES))
  return rowsOf('localidades.csv', table ?? refuse(`${path} has no localidades.csv`))
}

/** INEGI's file of municipalities of October 2025, in the order of the codes. */
export const inegiMunicipios = async (path: string): Promise<readonly InegiRow[]> =>
  rowsOf(basename(path), await bytesOf(path, MUNICIPIOS))

/** A number as INEGI gives it, or nothing where it gives none. */
export const known = (value: string): string => (/^[-*]*$/.test(value) ? '' : value)
