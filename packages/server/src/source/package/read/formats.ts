// The tables in a file, whatever it is: CSV of any kind, JSON, a workbook, or a zip or gzip of these.
import { UnusableZip } from '../../unusable-zip.ts'
import type { Dialect } from '../descriptor.ts'
import { delimitedRows } from './delimited.ts'
import { arrayRows, lineRows } from './json.ts'
import type { Part } from './rows.ts'
import { type Bytes, joinedBytes, textChunks, unpacked } from './text.ts'
import { UnreadableTable } from './unreadable-table.ts'
import { isWorkbookPart, sheetsIn } from './workbook.ts'
import type { WorkbookPart } from './workbook-part.ts'

/** The bytes of a file, under the name that messages have for it. */
export type TableFile = { readonly file: string; readonly open: () => Bytes }

/** Gives the wanted files of a zip, within the limits of its place; throws an UnusableZip. */
export type Unzip = (
  bytes: Uint8Array,
  name: string,
  isWanted: (name: string) => boolean,
) => Promise<readonly WorkbookPart[]>

type FileOptions = {
  readonly unzip: Unzip
  /** The processor time in microseconds that this program has taken so far, which bounds workbooks. */
  readonly cpuTime?: () => number
  /** What the file is declared to be. */
  readonly format?: string | undefined
  readonly encoding?: string | undefined
  readonly dialect?: Dialect | undefined
  readonly isVerbatim?: boolean
}

/** A table of a file; those of a workbook have the names of their sheets. */
export type TablePart = Part & { readonly name?: string; readonly format: Format }

type FileParts = readonly [TablePart, ...TablePart[]]

type Format = 'delimited' | 'array' | 'lines' | 'workbook'

const BY_EXTENSION = new Map<string, Format>([
  ...['', 'csv', 'tsv', 'tab', 'txt', 'text', 'dat', 'data'].map((ending) => [ending, 'delimited'] as const),
  ['json', 'array'],
  ...['ndjson', 'jsonl'].map((ending) => [ending, 'lines'] as const),
  ...['xlsx', 'ods'].map((ending) => [ending, 'workbook'] as const),
])
/** Endings that say what a file is, whatever is declared of it. */
const CERTAIN = ['csv', 'tsv', 'json', 'ndjson', 'jsonl', 'xlsx', 'ods']

const extensionOf = (path: string): string =>
  /\.([^./\\]+)$/.exec((path.split(/[?#]/)[0] ?? '').replace(/\.gz$/i, ''))?.[1]?.toLowerCase() ?? ''

/** True of the names of files that are tables by their ending. */
export const isTableName = (path: string): boolean => CERTAIN.includes(extensionOf(path))

const MAX_WORKBOOK = 256 << 20

/** The tables of a file in their order, at least one. */
export async function partsIn(given: TableFile, options: FileOptions): Promise<FileParts> {
  const { file } = given
  const extension = extensionOf(file)
  const named = CERTAIN.includes(extension) ? extension : (options.format?.toLowerCase() ?? extension)
  const format = BY_EXTENSION.get(named)
  if (format === 'workbook' || (await isZip(given))) return zippedParts(given, options)
  switch (format) {
    case 'array':
      return [{ ...given, format, rows: () => arrayRows(textOf(given, undefined), file) }]
    case 'lines':
      return [{ ...given, format, rows: (_, onFault) => lineRows(() => textOf(given, undefined), file, onFault) }]
    case 'delimited':
      return [delimitedPart(given, options, ['tsv', 'tab'].includes(named) ? '\t' : undefined)]
    default:
      throw unusable(
        file,
        `a file of the format ${named}`,
        'CSV, TSV, JSON, NDJSON, .xlsx or .ods; save it as one of these',
      )
  }
}

const unusable = (file: string, value: string, expected: string) =>
  new UnreadableTable({ file, line: 1, column: 'all', value, expected })

const textOf = (
  { file, open }: TableFile,
  encoding: string | undefined,
  tell: Parameters<Part['rows']>[0] = () => {},
) => textChunks(open(), { file, encoding, tell })

function delimitedPart(
  given: TableFile,
  { encoding, dialect, isVerbatim = false }: FileOptions,
  usual?: string,
): TablePart {
  const delimiter = dialect?.delimiter ?? usual
  return {
    ...given,
    format: 'delimited',
    rows: (tell) =>
      delimitedRows(textOf(given, encoding, tell), {
        file: given.file,
        dialect: { ...dialect, ...(delimiter === undefined ? {} : { delimiter }) },
        tell,
        isVerbatim,
      }),
  }
}

async function isZip({ file, open }: TableFile): Promise<boolean> {
  const { start, rest } = await unpacked(open(), file)
  await rest[Symbol.asyncIterator]().return?.()
  return start[0] === 0x50 && start[1] === 0x4b && (start[2] === 3 || start[2] === 5)
}

async function zippedParts({ file, open }: TableFile, options: FileOptions): Promise<FileParts> {
  const bytes = await wholeFile(open(), file)
  const isWanted = (name: string) => isWorkbookPart(name) || isTableName(name)
  const zipped = await options.unzip(bytes, file, isWanted)
  const tables = zipped.filter(({ name }) => !isWorkbookPart(name) && !/(^|\/)[._]/.test(name))
  if (tables.length > 0 && !zipped.some(({ name }) => isWorkbookPart(name))) {
    const nested: TablePart[] = []
    for (const { name, open } of tables) {
      const within = await partsIn({ file: `${file}/${name}`, open }, { ...options, unzip: refuseNested })
      nested.push(...within.map((part) => ({ ...part, name: part.name ?? name })))
    }
    return nested as readonly TablePart[] as FileParts
  }
  const sheets = await sheetsIn(zipped, { path: file, name: file, size: bytes.length }, options.cpuTime ?? wallTime)
  const parts = sheets.map(({ name, rows }) => ({
    name,
    format: 'workbook',
    file: sheets.length === 1 ? file : `${file} (${name})`,
    rows,
  }))
  return parts as readonly TablePart[] as FileParts
}

const wallTime = () => performance.now() * 1_000

const refuseNested: Unzip = async (_, name) => {
  throw new UnusableZip({ path: name, name }, 'is a zip within a zip', 'unpack the outer one')
}

async function wholeFile(given: Bytes, file: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  const { rest } = await unpacked(given, file)
  for await (const chunk of rest) {
    length += chunk.length
    if (length > MAX_WORKBOOK)
      throw unusable(file, `more than ${MAX_WORKBOOK >> 20} MB`, 'less, or the same as CSV, which is read in pieces')
    chunks.push(chunk)
  }
  return joinedBytes(chunks)
}
