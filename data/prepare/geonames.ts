/** Owns what is peculiar to GeoNames' Mexico: its numbering of the states and its marks in municipality names. */
import { refuse } from './package-file.ts'

// GeoNames numbers the states by FIPS 10-4, which orders these four otherwise than INEGI; the rest agree.
const reordered: ReadonlyMap<string, number> = new Map([
  ['05', 7],
  ['06', 8],
  ['07', 5],
  ['08', 6],
])

export function idEstadoOf(admin1: string): number {
  const idEstado = reordered.get(admin1) ?? Number(admin1)
  if (!/^\d{2}$/.test(admin1) || idEstado < 1 || idEstado > 32) return refuse(`unknown state ${admin1}`)
  return idEstado
}

// The district that tells two namesakes of Oaxaca apart is no part of the name; the code tells them apart.
const marks = [/^Municipio de /, / municipality$/i, / -Dto\. \d+ -$/]

export const municipioName = (name: string): string =>
  marks.reduce((cleaned, mark) => cleaned.replace(mark, ''), name.normalize('NFC'))
