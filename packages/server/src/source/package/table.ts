// The table of a resource: its files found and opened, whatever their format.
import type { Findings } from '../findings.ts'
import { filesInZip } from '../zip.ts'
import type { Resource } from './descriptor.ts'
import type { PackageFiles } from './package-files.ts'
import { partsIn, type TableFile, type TablePart, type Unzip } from './read/formats.ts'
import { jsonRows } from './read/json.ts'
import { type Part, type Table, tableOf } from './read/rows.ts'
import { UnreadableTable } from './read/unreadable-table.ts'

const TOO_MUCH = { why: 'which no table does', advice: 'save it as CSV' }

/** Zips are read with the limits that hold for all of them. */
const unzip: Unzip = async (bytes, name, isWanted) =>
  (
    await filesInZip(
      { path: name, name, bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) },
      isWanted,
      TOO_MUCH,
    )
  ).files

/** How files are read on this machine. */
export const local = { unzip, cpuTime: () => process.cpuUsage().user }

/** Reads the header. Throws an UnreadableTable, a MissingFile or another Failure where that cannot be. */
export async function openTable(
  resource: Resource,
  files: PackageFiles,
  findings: Findings,
  isVerbatim = false,
): Promise<Table> {
  const { dialect, schema, name } = resource
  const [first, ...more] = await partsOf(resource, files, isVerbatim)
  if (first === undefined) throw unusable(name, 'no path', 'a path to a file, or rows as data')
  const options = {
    headerRows: dialect?.header === false ? [] : dialect?.headerRows,
    names: schema?.fields.map((field) => field.name) ?? [],
    isVerbatim,
  }
  return tableOf([first, ...more], options, findings)
}

const unusable = (file: string, value: string, expected: string) =>
  new UnreadableTable({ file, line: 1, column: 'all', value, expected })

async function partsOf(resource: Resource, files: PackageFiles, isVerbatim: boolean): Promise<readonly Part[]> {
  const { data, name, paths, format, encoding, dialect } = resource
  if (data !== undefined) return [{ file: name, rows: () => inlineRows(resource) }]
  const parts: Part[] = []
  for (const path of paths) {
    const found = await partsIn(await files.find(path), { ...local, format, encoding, dialect, isVerbatim })
    parts.push(sheetOf(resource, found, path))
  }
  return parts
}

async function* inlineRows({ name, data }: Resource) {
  const rows = jsonRows(data)
  if (rows === undefined) throw unusable(name, 'data that is no table', 'a list of objects, or of lists')
  yield rows
}

function sheetOf({ dialect }: Resource, parts: readonly TablePart[], file: string): Part {
  const { sheetName, sheetNumber = 1 } = dialect ?? {}
  const sheet = sheetName === undefined ? parts[sheetNumber - 1] : parts.find(({ name }) => name === sheetName)
  if (sheet !== undefined) return sheet
  const names = parts.map(({ name }) => name).join(', ')
  throw unusable(file, `the sheet ${sheetName ?? sheetNumber}`, `one of its sheets: ${names}`)
}

/** The names of the tables in a file that hold anything; undefined is the only table of a file that names none. */
export async function tableNames(file: TableFile): Promise<readonly (string | undefined)[]> {
  const parts = await partsIn(file, local)
  if (parts.length === 1) return [parts[0]?.name]
  const names: (string | undefined)[] = []
  for (const { name, rows } of parts) {
    for await (const batch of rows(
      () => {},
      () => {},
    )) {
      if (batch.rows.length === 0) continue
      names.push(name)
      break
    }
  }
  return names
}
