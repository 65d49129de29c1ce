// Rows to resolve, in the query or in a body of JSON, lines of JSON, or CSV; and the response, a row at a time.
import { isUtf8 } from 'node:buffer'
import { LruCache } from '../../base/lru-cache.ts'
import { nearest } from '../../base/nearest.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { folded } from '../../catalog/words.ts'
import { CONTENT_TYPES, type Format } from '../../query/rendition.ts'
import {
  type Candidate,
  MAX_ROW_CHARACTERS,
  partNames,
  type Resolution,
  type RowToResolve,
  resolveRow,
} from '../../query/resolve/resolve.ts'
import type { Release } from '../../release/release.ts'
import { parseCsvLine, spreadsheetCell } from '../../source/tabular/csv.ts'
import type { HttpRequest, HttpResponse, Turn } from '../exchange.ts'
import { ProblemError, quoted } from '../problem.ts'
import { allowedAt } from '../routes.ts'
import { headerLines, V2_COMMON_HEADERS } from '../v1/page-headers.ts'
import { acceptedEncoding } from './negotiate.ts'
import type { ResolveRequest } from './request.ts'
import { bodyResponse, type ChosenRelease, compressedChunks } from './response.ts'
import { publishedRecord, roundedScore, summarizeRecord } from './search.ts'

export const MAX_ROWS = 10_000

type RowsRequest = ResolveRequest & { readonly rows: readonly RowToResolve[] }

/** Resolves the rows of a query, a turn at a time; the response can be cached like that of a search. */
export async function resolvedInQuery(
  request: HttpRequest,
  chosen: ChosenRelease,
  { rows, names, format, encoding }: RowsRequest,
  baseUrl: string,
  turn: Turn | undefined,
): Promise<HttpResponse> {
  const { release } = chosen
  const encoder = encoders[format]
  const resolutionOf = resolver(release, names)
  let text = encoder.head
  for (const [at, row] of rows.entries()) {
    if (at > 0) await turn?.timeForMore()
    const resolved = renderResolution(release, resolutionOf(row), at + 1, baseUrl)
    text += `${at === 0 ? '' : encoder.gap}${encoder.row(resolved)}`
  }
  const headers = { Allow: allowedAt(request.path) }
  return bodyResponse(request, chosen, { format, encoding, body: Buffer.from(`${text}${encoder.tail}`), headers })
}

const MAX_KNOWN_ROWS = 1_000

/** Rows of a table repeat one another: what was found for one is found for all that are the same. */
function resolver(release: Release, names: readonly string[]): (row: RowToResolve) => Resolution {
  const known = new LruCache<Resolution>({ maxEntries: MAX_KNOWN_ROWS })
  return (row) => {
    const key = 'text' in row ? `${FREE_TEXT}${row.text}` : JSON.stringify([...row.parts])
    return known.get(key, () => resolveRow(release, row, { names }))
  }
}

/** Resolves the rows of a body while the response is sent. */
export function resolvedInBody(
  release: Release,
  request: HttpRequest,
  { names, format }: ResolveRequest,
  baseUrl: string,
): HttpResponse {
  const rows = rowsOf(release.catalog, request)
  const encoding = acceptedEncoding(request.headers.get('accept-encoding'))
  const chunks = () => resolvedChunks(release, rows, names, format, baseUrl)
  return {
    status: 200,
    head: headerLines({
      'Content-Type': CONTENT_TYPES[format],
      ...V2_COMMON_HEADERS,
      Allow: allowedAt(request.path),
      ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
      'X-Release': release.digest,
      'Cache-Control': 'no-store',
    }),
    body: {
      length: undefined,
      chunks: encoding === undefined ? chunks : () => compressedChunks(chunks(), encoding),
    },
  }
}

/** How long rows are resolved before what there is of them is sent, and others get their turn. */
const CHUNK_MILLISECONDS = 1

async function* resolvedChunks(
  release: Release,
  rows: readonly RowToResolve[],
  names: readonly string[],
  format: Format,
  baseUrl: string,
): AsyncGenerator<Uint8Array> {
  const encoder = encoders[format]
  let text = encoder.head
  const resolutionOf = resolver(release, names)
  let started = performance.now()
  for (const [at, row] of rows.entries()) {
    const resolved = renderResolution(release, resolutionOf(row), at + 1, baseUrl)
    text += `${at === 0 ? '' : encoder.gap}${encoder.row(resolved)}`
    if (performance.now() - started < CHUNK_MILLISECONDS) continue
    yield Buffer.from(text)
    text = ''
    started = performance.now()
  }
  yield Buffer.from(`${text}${encoder.tail}`)
}

// The response.

type ResolvedRow = ReturnType<typeof renderResolution>

const NO_RECORD = { collection: null, key: null, url: null, name: null, breadcrumb: [], parents: [], score: 0, how: [] }

const renderCandidate = (release: Release, { name, position, score, how }: Candidate, baseUrl: string) => ({
  ...summarizeRecord(release.entity(name).definition, publishedRecord(release, name, position), baseUrl),
  score: roundedScore(score),
  how,
})

const renderResolution = (
  release: Release,
  { verdict, record, alternatives }: Resolution,
  row: number,
  baseUrl: string,
) => ({
  row,
  verdict,
  ...(record === undefined ? NO_RECORD : renderCandidate(release, record, baseUrl)),
  alternatives: alternatives.map((candidate) => renderCandidate(release, candidate, baseUrl)),
})

type RowEncoder = {
  readonly head: string
  readonly gap: string
  readonly tail: string
  readonly row: (resolved: ResolvedRow) => string
}

const CSV_COLUMNS = [
  'row',
  'verdict',
  'score',
  'collection',
  'key',
  'url',
  'name',
  'breadcrumb',
  'alternatives',
] as const

const csvLine = (resolved: ResolvedRow): string => {
  const cells: Readonly<Record<(typeof CSV_COLUMNS)[number], string>> = {
    row: String(resolved.row),
    verdict: resolved.verdict,
    score: String(resolved.score),
    collection: resolved.collection ?? '',
    key: Object.values(resolved.key ?? {}).join('/'),
    url: resolved.url ?? '',
    name: resolved.name ?? '',
    breadcrumb: resolved.breadcrumb.join(', '),
    alternatives: resolved.alternatives.map(({ url }) => url).join(' '),
  }
  return `${CSV_COLUMNS.map((column) => spreadsheetCell(cells[column])).join(',')}\r\n`
}

const encoders: Readonly<Record<Format, RowEncoder>> = {
  json: { head: '[', gap: ',', tail: ']', row: (resolved) => JSON.stringify(resolved) },
  ndjson: { head: '', gap: '', tail: '', row: (resolved) => `${JSON.stringify(resolved)}\n` },
  csv: { head: `${CSV_COLUMNS.join(',')}\r\n`, gap: '', tail: '', row: csvLine },
}

// The rows of a body.

const TYPES = {
  'application/json': jsonRows,
  'application/x-ndjson': lineRows,
  'text/csv': csvRows,
} as const satisfies Readonly<Record<string, (text: string, catalog: Catalog) => RowToResolve[]>>
const TYPE_NAMES = Object.keys(TYPES).join(', ')
const OTHER_NAMES: Readonly<Record<string, keyof typeof TYPES>> = {
  'application/ndjson': 'application/x-ndjson',
  'application/jsonl': 'application/x-ndjson',
}

const badBody = (wrong: string) => new ProblemError({ kind: 'bad-body', wrong })
const badRow = (row: number, wrong: string, allowed: string) =>
  new ProblemError({ kind: 'bad-row', row, wrong, allowed })

function rowsOf(catalog: Catalog, { headers, body = new Uint8Array() }: HttpRequest): RowToResolve[] {
  const given = headers.get('content-type') ?? ''
  const [name = '', ...parameters] = given.split(';').map((part) => part.trim().toLowerCase())
  const type = OTHER_NAMES[name] ?? name
  const isOtherCharset = parameters.some((one) => one.startsWith('charset=') && !/^charset="?utf-?8"?$/.test(one))
  const coding = headers.get('content-encoding')?.trim().toLowerCase()
  if (!Object.hasOwn(TYPES, type) || isOtherCharset)
    throw new ProblemError({ kind: 'unsupported-media-type', type: given, allowed: TYPE_NAMES })
  if (coding !== undefined && coding !== '' && coding !== 'identity')
    throw new ProblemError({ kind: 'unsupported-media-type', type: `${given}, ${coding}`, allowed: TYPE_NAMES })
  if (!isUtf8(body)) throw badBody('the body is not UTF-8')
  const text = Buffer.from(body.buffer, body.byteOffset, body.length)
    .toString()
    .replace(/^\ufeff/, '')
  const rows = TYPES[type as keyof typeof TYPES](text, catalog)
  if (rows.length === 0) throw badBody('the body has no rows')
  return rows
}

function checkedCount(rows: number): void {
  if (rows > MAX_ROWS) throw new ProblemError({ kind: 'too-many-rows', max: MAX_ROWS })
}

function jsonRows(text: string, catalog: Catalog): RowToResolve[] {
  const parsed = parsedJson(text)
  if ('wrong' in parsed) throw badBody(`the body is not JSON: ${parsed.wrong}`)
  const { value } = parsed
  if (!Array.isArray(value)) throw badBody('the body is JSON, but not an array of rows')
  checkedCount(value.length)
  return value.map((row, at) => jsonRow(row, at + 1, catalog))
}

function lineRows(text: string, catalog: Catalog): RowToResolve[] {
  const rows: RowToResolve[] = []
  for (const line of linesOf(text)) {
    if (line.trim() === '') continue
    checkedCount(rows.length + 1)
    const parsed = parsedJson(line)
    if ('wrong' in parsed) throw badRow(rows.length + 1, `the line is not JSON: ${parsed.wrong}`, ROW_ALLOWED)
    rows.push(jsonRow(parsed.value, rows.length + 1, catalog))
  }
  return rows
}

const ROW_ALLOWED = 'a text, or an object with a text for each part'
const MAX_REASON = 100

function parsedJson(text: string): { readonly value: unknown } | { readonly wrong: string } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { wrong: (error instanceof Error ? error.message : String(error)).slice(0, MAX_REASON) }
  }
}

function jsonRow(row: unknown, number: number, catalog: Catalog): RowToResolve {
  if (typeof row === 'string') return textRow(row, number)
  if (typeof row !== 'object' || row === null || Array.isArray(row))
    throw badRow(number, `it is ${Array.isArray(row) ? 'an array' : quoted(String(row))}`, ROW_ALLOWED)
  const cells = Object.entries(row).map(([name, value]): readonly [string, string] => {
    if (value === null) return [name, '']
    if (typeof value === 'string' || typeof value === 'number') return [name, String(value)]
    throw badRow(number, `${quoted(name)} is neither a text nor a number`, 'a text, a number or null')
  })
  return rowOf(
    cells,
    columnsOf(
      cells.map(([name]) => name),
      number,
      catalog,
    ),
    number,
  )
}

function csvRows(text: string, catalog: Catalog): RowToResolve[] {
  let columns: readonly Column[] | undefined
  let names: readonly string[] = []
  const rows: RowToResolve[] = []
  for (const line of linesOf(text)) {
    if (line === '' && (columns === undefined || columns.length > 1)) continue
    const values = parseCsvLine(line)
    if ('expected' in values)
      throw badRow(
        rows.length + (columns === undefined ? 0 : 1),
        `the quotes of value ${values.position + 1} are not closed or not doubled`,
        values.expected,
      )
    if (columns === undefined) {
      names = values
      columns = columnsOf(values, 0, catalog)
      continue
    }
    checkedCount(rows.length + 1)
    const number = rows.length + 1
    if (values.length !== columns.length)
      throw badRow(number, `it has ${values.length} values`, `${columns.length} values, as in the header`)
    rows.push(
      rowOf(
        values.map((value, at) => [names[at] as string, value] as const),
        columns,
        number,
      ),
    )
  }
  return rows
}

function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start)
    const line = text.slice(start, end === -1 ? text.length : end)
    yield line.endsWith('\r') ? line.slice(0, -1) : line
    start = end === -1 ? text.length : end + 1
  }
}

/** The entity of a part, or free text. */
type Column = string | typeof FREE_TEXT
const FREE_TEXT = 'q'

/** What the columns of a table are, or the members of a row. */
function columnsOf(given: readonly string[], row: number, catalog: Catalog): readonly Column[] {
  const known = partNames(catalog)
  const allowed = () => [FREE_TEXT, ...catalog.entities.keys()].join(', ')
  const columns = given.map((name): Column => {
    const key = folded(name.trim())
    const entity = key === FREE_TEXT ? FREE_TEXT : known.get(key)
    if (entity !== undefined) return entity
    const meant = nearest(key, [FREE_TEXT, ...known.keys()])
    throw badRow(
      row,
      `there is no part ${quoted(name)}`,
      `${allowed()}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
    )
  })
  if (columns.includes(FREE_TEXT) && columns.length > 1)
    throw badRow(row, `${FREE_TEXT} stands beside other parts`, `${FREE_TEXT} alone, or parts without it`)
  const twice = columns.find((column, at) => columns.indexOf(column) !== at)
  if (twice !== undefined) throw badRow(row, `${twice} is given twice`, 'each part once')
  return columns
}

function rowOf(
  cells: readonly (readonly [name: string, text: string])[],
  columns: readonly Column[],
  row: number,
): RowToResolve {
  if (columns[0] === FREE_TEXT) return textRow(cells[0]?.[1] ?? '', row)
  return {
    parts: new Map(
      cells.map(([name, text], at) => {
        checkLength(name, text, row)
        return [columns[at] as string, text]
      }),
    ),
  }
}

function textRow(text: string, row: number): RowToResolve {
  checkLength('it', text, row)
  return { text }
}

function checkLength(what: string, text: string, row: number): void {
  if (text.length > MAX_ROW_CHARACTERS)
    throw badRow(row, `${what} has ${text.length} characters`, `at most ${MAX_ROW_CHARACTERS}`)
}
