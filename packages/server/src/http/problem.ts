// Every way in which a request can fail: one closed table of status, title and detail (RFC 9457).
import type { PageBeyondLast } from '../query/page.ts'
import { type Headers, type HttpResponse, textResponse, totalHeaders, V2_COMMON_HEADERS } from './exchange.ts'
import type { RefusalReason } from './observation/metrics.ts'
import type { AnyId } from './observation/request-id.ts'
import { SHELF_HEADER } from './observation/shelf-header.ts'
import { allowedAt, commonHeadersAt, surfaceAt } from './routes.ts'
import type { HeadProblem } from './wire/request-head.ts'

export type Problem =
  | PageBeyondLast
  | {
      readonly kind: 'unknown-parameter'
      readonly name: string
      readonly known: readonly string[]
      readonly nearest: string | undefined
    }
  | { readonly kind: 'release-gone'; readonly digest: string }
  | { readonly kind: 'release-awaited'; readonly digest: string }
  | { readonly kind: 'not-signed'; readonly digest: string }
  | { readonly kind: 'not-acceptable'; readonly accept: string; readonly forms: string }
  | { readonly kind: 'precondition-failed'; readonly header: string }
  | { readonly kind: 'range-not-satisfiable'; readonly length: number }
  /** The hint is a sentence about what the path may mean. */
  | { readonly kind: 'not-found'; readonly known: readonly string[]; readonly hint?: string | undefined }
  | { readonly kind: 'record-not-found'; readonly what: string; readonly hint: string }
  | { readonly kind: 'method-not-allowed'; readonly method: string }
  | { readonly kind: 'bad-host'; readonly header: string; readonly expected: string }
  | HeadProblem
  | { readonly kind: 'bad-parameter'; readonly name: string; readonly value: string; readonly allowed: string }
  | { readonly kind: 'bad-body'; readonly wrong: string }
  /** The number of the row, from 1, or 0 for the header of a table. */
  | { readonly kind: 'bad-row'; readonly row: number; readonly wrong: string; readonly allowed: string }
  | { readonly kind: 'too-many-rows'; readonly max: number }
  /** The unit is bytes by default. */
  | { readonly kind: 'content-too-large'; readonly max: number; readonly unit?: string }
  | { readonly kind: 'unsupported-media-type'; readonly type: string; readonly allowed: string }
  | { readonly kind: 'request-timeout'; readonly seconds: number }
  | {
      readonly kind: 'too-many-requests'
      readonly requests: number
      readonly windowSeconds: number
      /** The time to wait, in seconds. */
      readonly retryAfter: number
    }
  /** The release is the one that was read. */
  | { readonly kind: 'internal-error'; readonly release?: string }
  | { readonly kind: 'took-too-long' }
  | {
      readonly kind: 'overloaded'
      readonly reason: RefusalReason
      /** A sentence without its end: what is used up. */
      readonly what: string
      /** The time to wait, in seconds. */
      readonly retryAfter: number
    }

export type ProblemKind = Problem['kind']

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

/** The time to wait for a release that is on its way. */
const AWAITED_SECONDS = 2

type Presentation = {
  readonly status: number
  readonly title: string
  readonly detail: string
  readonly headers?: Headers
}

export const problemTitles: { readonly [K in ProblemKind]: readonly [status: number, title: string] } = {
  'bad-parameter': [400, 'A query parameter has a value that is not allowed'],
  'unknown-parameter': [400, 'There is no such query parameter'],
  'bad-request': [400, 'The request is not sound HTTP'],
  'bad-body': [400, 'The body of the request is not what its type says'],
  'bad-row': [400, 'A row of the body is not one that can be resolved'],
  'bad-host': [400, 'The request does not say soundly which host it is for'],
  'not-found': [404, 'There is nothing at this path'],
  'record-not-found': [404, 'There is no such record'],
  'not-signed': [404, 'The release is not signed'],
  'page-beyond-last': [404, 'The page is beyond the last one'],
  'method-not-allowed': [405, 'The method is not allowed: the service is read-only'],
  'not-acceptable': [406, 'None of the forms that are accepted can be given'],
  'request-timeout': [408, 'The request took too long to arrive'],
  'release-gone': [410, 'The release is not there any more'],
  'precondition-failed': [412, 'What is there is not what the client expects'],
  'content-too-large': [413, 'The body of the request is too large'],
  'too-many-rows': [413, 'The body of the request has too many rows'],
  'uri-too-long': [414, 'The URL is too long'],
  'unsupported-media-type': [415, 'The body of the request has a type that is not read here'],
  'range-not-satisfiable': [416, 'The range is beyond the end'],
  'too-many-requests': [429, 'The client sends more requests than it may'],
  'headers-too-large': [431, 'The headers of the request are too large'],
  'internal-error': [500, 'The service failed to answer'],
  'release-awaited': [503, 'The release is not here yet'],
  'took-too-long': [503, 'The request takes more work than one may'],
  overloaded: [503, 'The service has too much to do at the moment'],
}

function detailOf(problem: Problem, path: string): string {
  switch (problem.kind) {
    case 'bad-parameter':
      return `${problem.name} was ${quoted(problem.value)}; allowed is ${problem.allowed}.`
    case 'page-beyond-last':
      return problem.totalPages === 0
        ? `Page ${problem.page} was asked for; the collection is empty, and only page 1 can be asked for.`
        : `Page ${problem.page} was asked for; the last one is ${problem.totalPages}.`
    case 'unknown-parameter': {
      const guess = problem.nearest === undefined ? '' : ` Did you mean ${problem.nearest}?`
      const allowed = problem.known.length === 0 ? 'No parameter is allowed' : `Allowed are ${problem.known.join(', ')}`
      return `${quoted(problem.name)} is not known here.${guess} ${allowed}.`
    }
    case 'record-not-found':
      return `There is no ${problem.what}. ${problem.hint}`
    case 'release-gone':
      return (
        `Release ${problem.digest} was removed or never was here; GET /api/v2/releases lists those that are. ` +
        'Whoever follows the changes takes everything again: GET /api/v2/{collection}/all.'
      )
    case 'release-awaited':
      return `Release ${problem.digest} may be on its way to this server, and others may have it; try again in ${AWAITED_SECONDS} seconds.`
    case 'not-signed':
      return (
        `Release ${problem.digest} has no signature here. Its publisher makes one with nomenclator sign ` +
        `${problem.digest.slice(0, 12)} --key FILE; what is signed is at /api/v2/releases/${problem.digest}/checksums.`
      )
    case 'not-acceptable':
      return `Accept was ${quoted(problem.accept)}; there are ${problem.forms}.`
    case 'precondition-failed':
      return `${problem.header} does not hold for what is there; a request without it gives that.`
    case 'range-not-satisfiable':
      return `The answer has ${problem.length} bytes.`
    case 'not-found':
      return `${problem.hint === undefined ? '' : `${problem.hint} `}Known paths are ${someOf(problem.known)}.`
    case 'method-not-allowed':
      return `${problem.method} was used; allowed are ${allowedAt(path)}.`
    case 'bad-body':
      return `${capitalized(problem.wrong)}.`
    case 'bad-row':
      return `${problem.row === 0 ? 'Header' : `Row ${problem.row}`}: ${problem.wrong}; allowed is ${problem.allowed}.`
    case 'too-many-rows':
      return `At most ${problem.max} rows are resolved in one request.`
    case 'unsupported-media-type':
      return `Content-Type was ${quoted(problem.type)}; allowed are ${problem.allowed}.`
    case 'bad-host':
      return `${problem.header} must be ${problem.expected}.`
    case 'content-too-large':
      return `At most ${problem.max} ${problem.unit ?? 'bytes'} are read.`
    case 'uri-too-long':
      return `At most ${problem.max} characters are read.`
    case 'headers-too-large':
      return `At most ${problem.max} are read.`
    case 'bad-request':
      return `In the request, ${problem.wrong}.`
    case 'request-timeout':
      return `It was not whole after ${problem.seconds} seconds.`
    case 'overloaded':
      return `${capitalized(problem.what)}; try again in ${problem.retryAfter} seconds.`
    case 'too-many-requests': {
      const window = problem.windowSeconds === 1 ? 'second' : `${problem.windowSeconds} seconds`
      return `At most ${problem.requests} requests per ${window} are allowed from one address; wait as Retry-After says.`
    }
    case 'took-too-long':
      return (
        'It has used all the processor time that one request may. Ask for less at a time: fewer rows, a shorter text, ' +
        'a smaller part of the catalog.'
      )
    case 'internal-error':
      return (
        'The fault is on our side and was logged; trying again may help.' +
        (problem.release === undefined
          ? ''
          : ` Release ${problem.release.slice(0, 12)} was read; nomenclator releases verify says if a file of it is damaged.`)
      )
  }
}

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
export function presentationOf(problem: Problem, path: string): Presentation {
  const [status, title] = problemTitles[problem.kind]
  const presentation = { status, title, detail: detailOf(problem, path) }
  switch (problem.kind) {
    case 'page-beyond-last':
      return { ...presentation, headers: totalHeaders(problem.total, problem.totalPages, problem.perPage) }
    case 'unsupported-media-type':
      return { ...presentation, headers: { 'Accept-Post': problem.allowed } }
    case 'range-not-satisfiable':
      return { ...presentation, headers: { 'Content-Range': `bytes */${problem.length}` } }
    case 'release-awaited':
      return { ...presentation, headers: { 'Retry-After': String(AWAITED_SECONDS), [SHELF_HEADER]: 'lag' } }
    case 'overloaded':
    case 'too-many-requests':
      return { ...presentation, headers: { 'Retry-After': String(problem.retryAfter) } }
    default:
      return presentation
  }
}
