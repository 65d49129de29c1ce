// Every way in which a request can fail: one closed table of status, title and detail (RFC 9457).
import type { PageBeyondLast } from '../query/page.ts'
import { type Headers, type HttpResponse, textResponse, totalHeaders, V2_COMMON_HEADERS } from './exchange.ts'
import type { RefusalReason } from './observation/metrics.ts'
import type { AnyId } from './observation/request-id.ts'
import { SHELF_HEADER } from './observation/shelf-header.ts'
import { allowedAt, commonHeadersAt, surfaceAt } from './routes.ts'

/** The time to wait for a release that is on its way. */
const AWAITED_SECONDS = 2

const retryAfter = (seconds: number): Headers => ({ 'Retry-After': String(seconds) })

/** A kind of problem with these facts: its status, its title, what is wrong with a request, and the headers that it has besides those of all. */
const kind = <Facts>(
  status: number,
  title: string,
  detailOf: (facts: Readonly<Facts>, path: string) => string,
  headersOf: (facts: Readonly<Facts>) => Headers = () => ({}),
) => [status, title, detailOf, headersOf] as const

export const PROBLEMS = {
  'bad-parameter': kind<{ name: string; value: string; allowed: string }>(
    400,
    'A query parameter has a value that is not allowed',
    ({ name, value, allowed }) => `${name} was ${quoted(value)}; allowed is ${allowed}.`,
  ),
  'unknown-parameter': kind<{ name: string; known: readonly string[]; nearest: string | undefined }>(
    400,
    'There is no such query parameter',
    ({ name, known, nearest }) => {
      const guess = nearest === undefined ? '' : ` Did you mean ${nearest}?`
      const allowed = known.length === 0 ? 'No parameter is allowed' : `Allowed are ${known.join(', ')}`
      return `${quoted(name)} is not known here.${guess} ${allowed}.`
    },
  ),
  'bad-request': kind<{ wrong: string }>(
    400,
    'The request is not sound HTTP',
    ({ wrong }) => `In the request, ${wrong}.`,
  ),
  'bad-body': kind<{ wrong: string }>(
    400,
    'The body of the request is not what its type says',
    ({ wrong }) => `${capitalized(wrong)}.`,
  ),
  /** The number of the row, from 1, or 0 for the header of a table. */
  'bad-row': kind<{ row: number; wrong: string; allowed: string }>(
    400,
    'A row of the body is not one that can be resolved',
    ({ row, wrong, allowed }) => `${row === 0 ? 'Header' : `Row ${row}`}: ${wrong}; allowed is ${allowed}.`,
  ),
  'bad-host': kind<{ header: string; expected: string }>(
    400,
    'The request does not say soundly which host it is for',
    ({ header, expected }) => `${header} must be ${expected}.`,
  ),
  /** The hint is a sentence about what the path may mean. */
  'not-found': kind<{ known: readonly string[]; hint?: string | undefined }>(
    404,
    'There is nothing at this path',
    ({ known, hint }) => `${hint === undefined ? '' : `${hint} `}Known paths are ${someOf(known)}.`,
  ),
  'record-not-found': kind<{ what: string; hint: string }>(
    404,
    'There is no such record',
    ({ what, hint }) => `There is no ${what}. ${hint}`,
  ),
  'not-signed': kind<{ digest: string }>(
    404,
    'The release is not signed',
    ({ digest }) =>
      `Release ${digest} has no signature here. Its publisher makes one with nomenclator sign ` +
      `${digest.slice(0, 12)} --key FILE; what is signed is at /api/v2/releases/${digest}/checksums.`,
  ),
  'page-beyond-last': kind<Omit<PageBeyondLast, 'kind'>>(
    404,
    'The page is beyond the last one',
    ({ page, totalPages }) =>
      totalPages === 0
        ? `Page ${page} was asked for; the collection is empty, and only page 1 can be asked for.`
        : `Page ${page} was asked for; the last one is ${totalPages}.`,
    ({ total, totalPages, perPage }) => totalHeaders(total, totalPages, perPage),
  ),
  'method-not-allowed': kind<{ method: string }>(
    405,
    'The method is not allowed: the service is read-only',
    ({ method }, path) => `${method} was used; allowed are ${allowedAt(path)}.`,
  ),
  'not-acceptable': kind<{ accept: string; forms: string }>(
    406,
    'None of the forms that are accepted can be given',
    ({ accept, forms }) => `Accept was ${quoted(accept)}; there are ${forms}.`,
  ),
  'request-timeout': kind<{ seconds: number }>(
    408,
    'The request took too long to arrive',
    ({ seconds }) => `It was not whole after ${seconds} seconds.`,
  ),
  'release-gone': kind<{ digest: string }>(
    410,
    'The release is not there any more',
    ({ digest }) =>
      `Release ${digest} was removed or never was here; GET /api/v2/releases lists those that are. ` +
      'Whoever follows the changes takes everything again: GET /api/v2/{collection}/all.',
  ),
  'precondition-failed': kind<{ header: string }>(
    412,
    'What is there is not what the client expects',
    ({ header }) => `${header} does not hold for what is there; a request without it gives that.`,
  ),
  'content-too-large': kind<{ max: number; unit?: string }>(
    413,
    'The body of the request is too large',
    ({ max, unit = 'bytes' }) => `At most ${max} ${unit} are read.`,
  ),
  'too-many-rows': kind<{ max: number }>(
    413,
    'The body of the request has too many rows',
    ({ max }) => `At most ${max} rows are resolved in one request.`,
  ),
  'uri-too-long': kind<{ max: number }>(414, 'The URL is too long', ({ max }) => `At most ${max} characters are read.`),
  'unsupported-media-type': kind<{ type: string; allowed: string }>(
    415,
    'The body of the request has a type that is not read here',
    ({ type, allowed }) => `Content-Type was ${quoted(type)}; allowed are ${allowed}.`,
    ({ allowed }) => ({ 'Accept-Post': allowed }),
  ),
  'range-not-satisfiable': kind<{ length: number }>(
    416,
    'The range is beyond the end',
    ({ length }) => `The answer has ${length} bytes.`,
    ({ length }) => ({ 'Content-Range': `bytes */${length}` }),
  ),
  /** The time to wait is in seconds. */
  'too-many-requests': kind<{ requests: number; windowSeconds: number; retryAfter: number }>(
    429,
    'The client sends more requests than it may',
    ({ requests, windowSeconds }) => {
      const window = windowSeconds === 1 ? 'second' : `${windowSeconds} seconds`
      return `At most ${requests} requests per ${window} are allowed from one address; wait as Retry-After says.`
    },
    (facts) => retryAfter(facts.retryAfter),
  ),
  'headers-too-large': kind<{ max: string }>(
    431,
    'The headers of the request are too large',
    ({ max }) => `At most ${max} are read.`,
  ),
  /** The release is the one that was read. */
  'internal-error': kind<{ release?: string }>(
    500,
    'The service failed to answer',
    ({ release }) =>
      'The fault is on our side and was logged; trying again may help.' +
      (release === undefined
        ? ''
        : ` Release ${release.slice(0, 12)} was read; nomenclator releases verify says if a file of it is damaged.`),
  ),
  'release-awaited': kind<{ digest: string }>(
    503,
    'The release is not here yet',
    ({ digest }) =>
      `Release ${digest} may be on its way to this server, and others may have it; try again in ${AWAITED_SECONDS} seconds.`,
    () => ({ ...retryAfter(AWAITED_SECONDS), [SHELF_HEADER]: 'lag' }),
  ),
  'took-too-long': kind<object>(
    503,
    'The request takes more work than one may',
    () =>
      'It has used all the processor time that one request may. Ask for less at a time: fewer rows, a shorter text, ' +
      'a smaller part of the catalog.',
  ),
  /** The words say what is used up, without the end of a sentence; the time to wait is in seconds. */
  overloaded: kind<{ reason: RefusalReason; what: string; retryAfter: number }>(
    503,
    'The service has too much to do at the moment',
    ({ what, retryAfter }) => `${capitalized(what)}; try again in ${retryAfter} seconds.`,
    (facts) => retryAfter(facts.retryAfter),
  ),
}

export type ProblemKind = keyof typeof PROBLEMS
type FactsOf<K extends ProblemKind> = Parameters<(typeof PROBLEMS)[K][2]>[0]
type ProblemOf = { readonly [K in ProblemKind]: { readonly kind: K } & FactsOf<K> }
export type Problem = ProblemOf[ProblemKind]

/** Thrown wherever a request turns out to fail. The app and the hand-over make it a response; the explorer catches it where a record may be missing. */
export class ProblemError extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.kind)
    this.problem = problem
  }
}

export const badParameter = (name: string, value: string, allowed: string): ProblemError =>
  new ProblemError({ kind: 'bad-parameter', name, value, allowed })

/** After this time, clients that do not read have mostly been cut off. */
const RETRY_AFTER_SECONDS = 10

export const overloaded = (reason: RefusalReason, what: string, retryAfter = RETRY_AFTER_SECONDS) =>
  ({ kind: 'overloaded', reason, what, retryAfter }) satisfies Problem

/** With a thousand lists there are more paths than anyone reads. */
const MAX_KNOWN = 200

function someOf(known: readonly string[]): string {
  const more = known.length - MAX_KNOWN
  return more > 0 ? `${known.slice(0, MAX_KNOWN).join(', ')} and ${more} others` : known.join(', ')
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const MAX_QUOTED = 100
export const quoted = (value: string) =>
  JSON.stringify(value.length > MAX_QUOTED ? `${value.slice(0, MAX_QUOTED)}…` : value)

/** API v1 is frozen: its problems do not have the id of the request. */
export function problemResponse(problem: Problem, path: string, id?: AnyId): HttpResponse {
  const { status, title, detail, headers } = presentationOf(problem, path)
  const { isExtended } = surfaceAt(path)
  const requestId = isExtended ? id?.value : undefined
  const body = { type: problemType(problem.kind), title, status, detail, instance: path, requestId }
  const common = isExtended ? V2_COMMON_HEADERS : commonHeadersAt(path)
  const all = {
    'Content-Type': 'application/problem+json',
    ...common,
    Allow: allowedAt(path),
    'Cache-Control': 'no-store',
    ...headers,
  }
  return textResponse(status, all, JSON.stringify(body))
}

export const problemType = (kind: ProblemKind) => `urn:nomenclator:problem:${kind}`

/** Returns the words and headers of a problem, in JSON and on a page. */
export function presentationOf(problem: Problem, path: string) {
  const [status, title, detailOf, headersOf] = PROBLEMS[problem.kind] as ReturnType<typeof kind<Problem>>
  return { status, title, detail: detailOf(problem, path), headers: headersOf(problem) }
}
