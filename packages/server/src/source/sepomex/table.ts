// The text file of the postal service: a notice, a header, and a line for each settlement, its values between bars.
import { statSync } from 'node:fs'
import { OperationalError } from '../../base/operational-error.ts'
import { detectEncoding } from '../encoding.ts'
import type { ColumnFault, Faults } from '../faults.ts'
import { readLines, type TextFile, textFile, UnreadableFile } from '../lines.ts'
import { UnusableZip } from '../unusable-zip.ts'
import { filesInZip, isMetadata, isZipFile } from '../zip.ts'

/** The values of a settlement that the lists are made of. */
type SettlementValue = 'code' | 'state' | 'municipality' | 'number' | 'name' | 'kind' | 'zone' | 'city'

type TextOf = (value: SettlementValue) => string
/** Makes something of a sound line: of its values, each taken when it is needed. */
type Make<T> = (textOf: TextOf, line: number) => T

type Shape = { readonly column: string; readonly pattern: RegExp; readonly expected: string }

const digits = (column: string, length: number): Shape => ({
  column,
  pattern: new RegExp(`^[0-9]{${length}}$`),
  expected: `${length} digits, the zeros in front included`,
})
const text = (column: string): Shape => ({ column, pattern: /^/, expected: 'a text' })

const SHAPES: Readonly<Record<SettlementValue, Shape>> = {
  code: digits('d_codigo', 5),
  state: digits('c_estado', 2),
  municipality: digits('c_mnpio', 3),
  number: digits('id_asenta_cpcons', 4),
  name: { column: 'd_asenta', pattern: /./s, expected: 'a name' },
  kind: text('d_tipo_asenta'),
  zone: text('d_zona'),
  city: text('d_ciudad'),
}
const shapes = Object.entries(SHAPES) as readonly (readonly [SettlementValue, Shape])[]

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

type Header = { readonly columns: readonly string[]; readonly places: Readonly<Record<SettlementValue, number>> }

type PostalLines<T> = {
  /** The notice before the header, once it is known. */
  readonly notice: string | undefined
  readonly made: readonly T[]
}

/** Gives what is made of the lines, many at a time. Whatever is wrong is a fault, and its line is left out. */
export async function* readSettlements<T>(
  table: TextFile,
  faults: Faults,
  make: Make<T>,
): AsyncGenerator<PostalLines<T>> {
  const addFault = (line: number, fault: ColumnFault) => faults.add({ file: table.file, line, ...fault })
  let header: Header | undefined
  let notice: string | undefined
  let values: readonly string[] = []
  const textOf: TextOf = (value) => plain(values[header?.places[value] ?? -1] ?? '')
  let rows = 0
  try {
    for await (const { first, lines, isDamaged } of readLines(table, faults, detectEncoding)) {
      const made: T[] = []
      for (let at = 0; at < lines.length; at++) {
        const text = lines[at] as string
        const line = first + at
        if (header === undefined) {
          header = headerIn(text)
          if (header === undefined && line > MAX_HEADER_LINE) break
          if (header === undefined && text.trim() !== '') notice ??= plain(text)
          continue
        }
        if (ONLY_BARS.test(text)) continue
        rows++
        values = text.split(BAR)
        const wrong = isDamaged ? [damaged(text)] : faultsIn(values, header, textOf)
        for (const fault of wrong) addFault(line, fault)
        if (wrong.length === 0) made.push(make(textOf, line))
      }
      yield { notice, made }
    }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    return
  }
  if (header === undefined) addFault(1, NO_HEADER)
  else if (rows === 0) addFault(1, { column: 'all', value: 'no settlements', expected: 'lines below the header' })
}

const ONLY_BARS = /^[\s|]*$/
const ASCII = /^[!-~](?:[ -~]*[!-~])?$/

/** A text without blanks around it, its letters put together. */
const plain = (text: string) => (ASCII.test(text) ? text : text.trim().normalize())

const damaged = (text: string): ColumnFault => ({
  column: 'all',
  value: text,
  expected: 'sound UTF-8, as in the rest of the file',
})

function faultsIn({ length }: readonly string[], header: Header, textOf: TextOf): ColumnFault[] {
  if (length !== header.columns.length) return [wrongCount(length, header)]
  return shapes
    .filter(([value, { pattern }]) => !pattern.test(textOf(value)))
    .map(([value, { column, expected }]) => ({ column, value: textOf(value), expected }))
}

const NO_HEADER: ColumnFault = {
  column: 'all',
  value: 'no header',
  expected: `a line with ${shapes.map(([, { column }]) => column).join(BAR)} and other columns; give the text file (.txt) as published`,
}

function headerIn(text: string): Header | undefined {
  const columns = text.split(BAR).map((column) => column.trim().toLowerCase())
  const places = shapes.map(([value, { column }]) => [value, columns.indexOf(column)] as const)
  if (places.some(([, place]) => place === -1)) return undefined
  return { columns, places: Object.fromEntries(places) as Header['places'] }
}

const wrongCount = (count: number, { columns }: Header): ColumnFault => ({
  column: 'all',
  value: `${count} values`,
  expected: `${columns.length} values with ${BAR} between them, as in the header`,
})
