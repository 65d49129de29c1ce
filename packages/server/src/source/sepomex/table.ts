// The text file of the postal service: a notice, a header, and a line for each settlement, its values between bars.
import { statSync } from 'node:fs'
import { OperationalError } from '../../base/operational-error.ts'
import { detectEncoding } from '../encoding.ts'
import type { ColumnFault, Faults } from '../faults.ts'
import { readLines, type TextFile, textFile, UnreadableFile } from '../lines.ts'
import { filesInZip, isMetadata, isZipFile, UnusableZip } from '../zip.ts'

/** A settlement as the file has it. */
export type Settlement = {
  readonly line: number
  readonly code: string
  readonly state: string
  readonly municipality: string
  readonly number: string
  readonly name: string
  readonly kind: string
  readonly zone: string
  readonly city: string
}

type Shape = { readonly column: string; readonly isRight: (value: string) => boolean; readonly expected: string }

const digits = (column: string, length: number): Shape => ({
  column,
  isRight: (value) => value.length === length && /^[0-9]+$/.test(value),
  expected: `${length} digits, the zeros in front included`,
})
const anything = (column: string): Shape => ({ column, isRight: () => true, expected: 'a text' })

const SHAPES: Readonly<Record<Exclude<keyof Settlement, 'line'>, Shape>> = {
  code: digits('d_codigo', 5),
  state: digits('c_estado', 2),
  municipality: digits('c_mnpio', 3),
  number: digits('id_asenta_cpcons', 4),
  name: { column: 'd_asenta', isRight: (value) => value !== '', expected: 'a name' },
  kind: anything('d_tipo_asenta'),
  zone: anything('d_zona'),
  city: anything('d_ciudad'),
}
const shapes = Object.entries(SHAPES)

const BAR = '|'
/** Lines before which a header must have come. */
const MAX_HEADER_LINE = 5
const TOO_MUCH = { why: 'which the file of the postal service does not', advice: 'unpack it and give the text file' }

/** The text file at a path, or the only one in a zip there. */
export async function postalFile(path: string): Promise<TextFile> {
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile()
  if (isFile === undefined) throw new OperationalError(`there is no file ${path}`)
  if (!isFile) throw new OperationalError(`${path} is not a file; give the text file of the postal service, or its zip`)
  if (!isZipFile(path)) return textFile(path)
  const zip = { path, name: path }
  const { files } = await filesInZip(zip, (name) => /\.txt$/i.test(name) && !isMetadata(name), TOO_MUCH)
  const [only, ...more] = files
  if (only === undefined || more.length > 0)
    throw new UnusableZip(zip, `holds ${files.length} text files`, 'give the one of the postal service')
  return { file: `${path}/${only.name}`, open: only.open }
}

type Header = { readonly columns: readonly string[]; readonly places: readonly number[] }

export type PostalLines = {
  /** The notice before the header, once it is known. */
  readonly notice: string | undefined
  readonly settlements: readonly Settlement[]
}

/** Gives the settlements, many at a time. Whatever is wrong is a fault, and its line is left out. */
export async function* readSettlements(table: TextFile, faults: Faults): AsyncGenerator<PostalLines> {
  const addFault = (line: number, fault: ColumnFault) => faults.add({ file: table.file, line, ...fault })
  let header: Header | undefined
  let notice: string | undefined
  let rows = 0
  try {
    for await (const { first, lines, isDamaged } of readLines(table, faults, detectEncoding)) {
      const settlements: Settlement[] = []
      for (const [at, text] of lines.entries()) {
        const line = first + at
        if (header === undefined) {
          header = headerIn(text)
          if (header === undefined && line > MAX_HEADER_LINE) break
          if (header === undefined && text.trim() !== '') notice ??= text.trim().normalize()
          continue
        }
        const values = text.split(BAR)
        if (values.every((value) => value.trim() === '')) continue
        rows++
        if (isDamaged)
          addFault(line, { column: 'all', value: text, expected: 'sound UTF-8, as in the rest of the file' })
        else if (values.length !== header.columns.length) addFault(line, wrongCount(values.length, header))
        else {
          const settlement = settlementOf(values, header, line, addFault)
          if (settlement !== undefined) settlements.push(settlement)
        }
      }
      yield { notice, settlements }
    }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    return
  }
  if (header === undefined) addFault(1, NO_HEADER)
  else if (rows === 0) addFault(1, { column: 'all', value: 'no settlements', expected: 'lines below the header' })
}

const NO_HEADER: ColumnFault = {
  column: 'all',
  value: 'no header',
  expected: `a line with ${shapes.map(([, { column }]) => column).join(BAR)} and other columns; give the text file (.txt) as published`,
}

function headerIn(text: string): Header | undefined {
  const columns = text.split(BAR).map((column) => column.trim().toLowerCase())
  const places = shapes.map(([, { column }]) => columns.indexOf(column))
  return places.includes(-1) ? undefined : { columns, places }
}

const wrongCount = (count: number, { columns }: Header): ColumnFault => ({
  column: 'all',
  value: `${count} values`,
  expected: `${columns.length} values with ${BAR} between them, as in the header`,
})

function settlementOf(
  values: readonly string[],
  { places }: Header,
  line: number,
  addFault: (line: number, fault: ColumnFault) => void,
): Settlement | undefined {
  const settlement: Record<string, string | number> = { line }
  let isSound = true
  for (const [at, [member, { column, isRight, expected }]] of shapes.entries()) {
    const value = (values[places[at] as number] as string).trim().normalize()
    settlement[member] = value
    if (isRight(value)) continue
    addFault(line, { column, value, expected })
    isSound = false
  }
  return isSound ? (settlement as Settlement) : undefined
}
