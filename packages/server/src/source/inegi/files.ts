// Finds the tables in the files given: CSV files, and those inside zips.
import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { OperationalError } from '../../base/operational-error.ts'
import { Faults } from '../faults.ts'
import { textFile } from '../lines.ts'
import type { NamedFile } from '../unusable-zip.ts'
import { isZipFile } from '../zip.ts'
import { type InegiFile, type InegiTable, recognise } from './table.ts'
import { csvFilesIn } from './zip.ts'

/** The tables in the order of their files. If any table cannot be recognised, all are refused, with what is wrong with each. */
export async function tablesIn(files: readonly NamedFile[]): Promise<InegiTable[]> {
  if (files.length === 0) throw new OperationalError('no file was given; give INEGI’s zip, or the CSV files in it')
  const faults = new Faults()
  const tables: InegiTable[] = []
  for (const file of files) {
    for (const candidate of await candidatesIn(file)) {
      const table = await recognise(candidate, faults)
      if (table !== undefined) tables.push(table)
    }
  }
  faults.throwIfAny()
  return withoutDuplicates(tables)
}

async function candidatesIn(given: NamedFile): Promise<InegiFile[]> {
  if (!isZip(given.path)) return [{ ...textFile(given.path), file: given.name, archive: undefined }]
  const zipped = await csvFilesIn(given)
  return zipped.map(({ name, open }) => ({ file: `${given.name}/${name}`, archive: given.path, open }))
}

function isZip(path: string): boolean {
  try {
    const stat = statSync(path)
    if (stat.isDirectory()) throw new OperationalError(`${path} is a directory; give the zip or CSV file in it`)
    if (!stat.isFile())
      throw new OperationalError(`${path} is not a file; save it as one first, because it is read twice`)
    return isZipFile(path)
  } catch (error) {
    if (error instanceof OperationalError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    throw new OperationalError(code === 'ENOENT' ? `there is no file ${path}` : `${path} cannot be read: ${message}`)
  }
}

/**
 * INEGI's zip holds every table twice, in Windows-1252 and in UTF-8, and the dates in their names may differ. So of
 * two tables in a zip with the same first row, the one that is named UTF-8 is read. Any other two are a mistake.
 */
function withoutDuplicates(tables: readonly InegiTable[]): InegiTable[] {
  const unique: InegiTable[] = []
  for (const table of tables) {
    const position = unique.findIndex((other) => hasSameFirstRow(other, table))
    const other = unique[position]
    if (other === undefined) unique.push(table)
    else if (
      other.archive === undefined ||
      other.archive !== table.archive ||
      isNamedUtf8(other) === isNamedUtf8(table)
    )
      throw new OperationalError(`${other.file} and ${table.file} begin with the same row; give one of them`)
    else if (isNamedUtf8(table)) unique[position] = table
  }
  return unique
}

const hasSameFirstRow = (one: InegiTable, other: InegiTable) =>
  one.layout.kind === other.layout.kind && one.firstCodes !== '' && one.firstCodes === other.firstCodes
const isNamedUtf8 = ({ file }: InegiTable) => /_utf-?8?\.csv$/i.test(basename(file))
