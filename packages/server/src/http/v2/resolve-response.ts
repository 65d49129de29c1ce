// Resolves the rows of a request, and renders a row of the response for each.
import { LruCache } from '../../base/lru-cache.ts'
import { memoized } from '../../base/memoized.ts'
import { contentTypeOf } from '../../query/formats/formats.ts'
import type { Level } from '../../query/resolve/levels.ts'
import { reasonOf } from '../../query/resolve/reason.ts'
import { type Resolution, type RowToResolve, resolveRow, rowKey } from '../../query/resolve/resolve.ts'
import type { Candidate } from '../../query/resolve/verdict.ts'
import type { Release } from '../../release/release.ts'
import { spreadsheetCell } from '../../source/csv.ts'
import type { HttpRequest, HttpResponse, RunningJob } from '../exchange.ts'
import { allowedAt } from '../routes.ts'
import { type PlacedRow, resolvedAt } from './boundary-points.ts'
import { acceptedEncoding } from './negotiate.ts'
import type { ResolveFormat } from './parameter-definitions.ts'
import { summarizeRecord } from './record-summary.ts'
import type { QueryRowsRequest, ResolveRequest } from './request/resolve-request.ts'
import { type RowsInBody, rowsOf } from './request/rows-in-body.ts'
import { bodyResponse, type ChosenRelease, compressedChunks, postedHead } from './response.ts'
import { roundedScore } from './suggestions.ts'

/** Resolves the rows of a query, a step at a time; the response can be cached like that of a search. */
export async function resolvedInQuery(
  request: HttpRequest,
  chosen: ChosenRelease,
  { rows, names, format, encoding }: QueryRowsRequest,
  baseUrl: string,
  work: RunningJob | undefined,
): Promise<HttpResponse> {
  const chunks = await Array.fromAsync(resolvedChunks(chosen.release, rows, names, format, baseUrl, work))
  const headers = { Allow: allowedAt(request.path) }
  return bodyResponse(request, chosen, { format, encoding, body: Buffer.concat(chunks), headers })
}

const MAX_CACHED_ROWS = 5_000

/** Rows of a table repeat one another, and those of other tables: equal rows are resolved once. */
const resolutionsIn = memoized((_release: Release) => new LruCache<Resolution>({ maxEntries: MAX_CACHED_ROWS }))

function resolver(release: Release, names: readonly string[]): (row: PlacedRow) => Resolution {
  const resolutions = resolutionsIn(release)
  const start = names.join()
  const resolve = (row: RowToResolve) =>
    resolutions.get(`${start} ${rowKey(row)}`, () => resolveRow(release, row, { names }))
  return (row) => resolvedAt(release, row, names, resolve)
}

/** Bytes of the response that are made before it begins: until then, rows that would take too long are refused. */
const HELD_BYTES = 1 << 16

/** Resolves the rows of a body, most of them while the response is sent. */
export async function resolvedInBody(
  release: Release,
  request: HttpRequest,
  { names, format }: ResolveRequest,
  baseUrl: string,
  work: RunningJob | undefined,
): Promise<HttpResponse> {
  const rows = rowsOf(release.catalog, request)
  const encoding = acceptedEncoding(request.headers.get('accept-encoding'))
  const chunks = await begun(resolvedChunks(release, rows, names, format, baseUrl, work))
  return {
    status: 200,
    head: postedHead(release, encoding, { 'Content-Type': contentTypeOf(format), Allow: allowedAt(request.path) }),
    body: {
      length: undefined,
      chunks: () => (encoding === undefined ? chunks : compressedChunks(chunks, encoding)),
    },
  }
}

/** Makes the first chunks, and returns all of them. */
async function begun(chunks: AsyncGenerator<Uint8Array>): Promise<AsyncGenerator<Uint8Array>> {
  const first: Uint8Array[] = []
  let isWhole = false
  for (let bytes = 0; bytes < HELD_BYTES && !isWhole; ) {
    const { done, value } = await chunks.next()
    isWhole = done === true
    if (value !== undefined) first.push(value)
    bytes += value?.length ?? 0
  }
  async function* all() {
    yield* first
    if (!isWhole) yield* chunks
  }
  return all()
}

const CHUNK_CHARACTERS = 1 << 14

async function* resolvedChunks(
  release: Release,
  rows: RowsInBody,
  names: readonly string[],
  format: ResolveFormat,
  baseUrl: string,
  work: RunningJob | undefined,
): AsyncGenerator<Uint8Array> {
  const encoder = encoders[format]
  let text = encoder.head
  const resolutionOf = resolver(release, names)
  let at = 0
  for (const row of rows) {
    await work?.pause()
    work?.expectEnd(at / rows.length)
    text += at === 0 ? '' : encoder.gap
    text += encoder.row(renderResolution(release, resolutionOf(row), ++at, baseUrl))
    if (text.length < CHUNK_CHARACTERS) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(`${text}${encoder.tail}`)
}

// The response.

type ResolvedRow = ReturnType<typeof renderResolution>

const NO_RECORD = {
  collection: null,
  key: null,
  code: null,
  url: null,
  name: null,
  breadcrumb: [],
  parents: [],
  score: 0,
  how: [],
}

const summaryCaches = memoized(
  (_: Release) => new LruCache<ReturnType<typeof summarizeRecord>>({ maxEntries: MAX_CACHED_ROWS }),
)

/** Most rows have the same few ancestors, and many mean the same records. */
const summaryAt = (release: Release, name: string, position: number) =>
  summaryCaches(release).get(`${name} ${position}`, () => summarizeRecord(release, name, position, { baseUrl: '' }))

const renderCandidate = (release: Release, { name, position, score, how }: Candidate, baseUrl: string) => {
  const { collection, key, code, url, name: shown, breadcrumb, parents } = summaryAt(release, name, position)
  const rounded = roundedScore(score)
  return { collection, key, code, url: `${baseUrl}${url}`, name: shown, breadcrumb, parents, score: rounded, how }
}

const renderLevel = (release: Release, { name, position, verdict, score }: Level) => {
  const { collection, key, code } =
    position === undefined
      ? { ...NO_RECORD, collection: release.entity(name).definition.plural }
      : summaryAt(release, name, position)
  return { collection, key, code, verdict, score: roundedScore(score) }
}

const renderResolution = (release: Release, resolution: Resolution, row: number, baseUrl: string) => ({
  row,
  verdict: resolution.verdict,
  reason: reasonOf(resolution),
  ...(resolution.record === undefined ? NO_RECORD : renderCandidate(release, resolution.record, baseUrl)),
  levels: resolution.levels.map((level) => renderLevel(release, level)),
  alternatives: resolution.alternatives.map((candidate) => renderCandidate(release, candidate, baseUrl)),
})

type RowEncoder = {
  readonly head: string
  readonly gap: string
  readonly tail: string
  readonly row: (resolved: ResolvedRow) => string
}

const MAX_CSV_ALTERNATIVES = 3

const CSV_CELLS: Readonly<Record<string, (resolved: ResolvedRow) => string>> = {
  row: ({ row }) => String(row),
  verdict: ({ verdict }) => verdict,
  score: ({ score }) => String(score),
  collection: ({ collection }) => collection ?? '',
  key: ({ key }) =>
    Object.values(key ?? {})
      .flat()
      .join('/'),
  url: ({ url }) => url ?? '',
  name: ({ name }) => name ?? '',
  breadcrumb: ({ breadcrumb }) => breadcrumb.join(', '),
  code: ({ code }) => code ?? '',
  levels: ({ levels }) =>
    levels.map(({ collection, code, verdict }) => `${collection} ${code ?? '-'} ${verdict}`).join('; '),
  reason: ({ reason }) => reason,
  alternatives: ({ alternatives }) =>
    alternatives
      .slice(0, MAX_CSV_ALTERNATIVES)
      .map(({ url, code }) => (code === null ? url : `${url} ${code}`))
      .join(' '),
}

const csvLine = (resolved: ResolvedRow): string =>
  `${Object.values(CSV_CELLS)
    .map((cellOf) => spreadsheetCell(cellOf(resolved)))
    .join(',')}\r\n`

const encoders: Readonly<Record<ResolveFormat, RowEncoder>> = {
  json: { head: '[', gap: ',', tail: ']', row: (resolved) => JSON.stringify(resolved) },
  ndjson: { head: '', gap: '', tail: '', row: (resolved) => `${JSON.stringify(resolved)}\n` },
  csv: { head: `${Object.keys(CSV_CELLS).join(',')}\r\n`, gap: '', tail: '', row: csvLine },
}
