// Finds the tables in the files given: CSV files, and those inside zips.
import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { Failure } from '../../failure.ts'
import { Faults } from '../faults.ts'
import { type Candidate, recognise, type Table } from './table.ts'
import { csvFilesIn } from './zip.ts'

const CHUNK = 1 << 18
/** Of a file in it, or of its end when it has none. */
const ZIP_STARTS = ['504b0304', '504b0506']

/** In the order given. A table that cannot be recognised is reason to refuse them all, with what is wrong with each. */
export async function tablesIn(paths: readonly string[]): Promise<Table[]> {
  if (paths.length === 0) throw new Failure('no file was given; give INEGI’s zip, or the CSV files in it')
  const faults = new Faults()
  const tables: Table[] = []
  for (const path of paths) {
    for (const candidate of await candidatesIn(path)) {
      const table = await recognise(candidate, faults)
      if (table !== undefined) tables.push(table)
    }
  }
  faults.throwIfAny()
  return withoutTwins(tables)
}

async function candidatesIn(path: string): Promise<Candidate[]> {
  if (!isZip(path)) return [{ file: path, archive: undefined, open: () => bytesOf(path) }]
  const zipped = await csvFilesIn(path)
  return zipped.map(({ name, open }) => ({ file: `${path}/${name}`, archive: path, open }))
}

async function* bytesOf(path: string): AsyncGenerator<Buffer> {
  yield* createReadStream(path, { highWaterMark: CHUNK }) as AsyncIterable<Buffer>
}

function isZip(path: string): boolean {
  try {
    const stat = statSync(path)
    if (stat.isDirectory()) throw new Failure(`${path} is a directory; give the zip or CSV file in it`)
    if (!stat.isFile()) throw new Failure(`${path} is not a file; save it as one first, for it is read twice`)
    const start = Buffer.alloc(4)
    const descriptor = openSync(path, 'r')
    try {
      readSync(descriptor, start, 0, 4, 0)
    } finally {
      closeSync(descriptor)
    }
    return ZIP_STARTS.includes(start.toString('hex'))
  } catch (error) {
    if (error instanceof Failure) throw error
    const { code, message } = error as NodeJS.ErrnoException
    throw new Failure(code === 'ENOENT' ? `there is no file ${path}` : `${path} cannot be read: ${message}`)
  }
}

/**
 * INEGI's zip holds every table twice, in Windows-1252 and in UTF-8, and the stamps in their names need not agree: of
 * two tables with the same first row, the one said to be UTF-8 is read. Anywhere else, two such tables are a mistake.
 */
function withoutTwins(tables: readonly Table[]): Table[] {
  const kept: Table[] = []
  for (const table of tables) {
    const twin = kept.findIndex((other) => other.layout.kind === table.layout.kind && sameFirst(other, table))
    const other = kept[twin]
    if (other === undefined) kept.push(table)
    else if (other.archive === undefined || other.archive !== table.archive || isSaidUtf8(other) === isSaidUtf8(table))
      throw new Failure(`${other.file} and ${table.file} begin with the same row; give one of them`)
    else if (isSaidUtf8(table)) kept[twin] = table
  }
  return kept
}

const sameFirst = (one: Table, other: Table) => one.firstCodes !== '' && one.firstCodes === other.firstCodes
const isSaidUtf8 = ({ file }: Table) => /_utf-?8?\.csv$/i.test(basename(file))
