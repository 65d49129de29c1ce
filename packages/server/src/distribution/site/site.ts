// A site of files as both configurations tell of it: its collections, and the problems that it can tell of.

import { ALLOW, COMMON_HEADERS, type Headers } from '../../http/exchange.ts'
import { type ProblemKind, problemTitles, problemType } from '../../http/problem.ts'
import { FORMAT_ALLOWED, PAGE_ALLOWED } from '../../http/v1/page-request.ts'

export type SiteCollection = {
  readonly name: string
  readonly path: string
  readonly total: number
  readonly totalPages: number
}

export type Site = {
  /** Where the files of the release are on the machine that serves them. */
  readonly directory: string
  readonly release: string
  readonly lastModified: string
  /** Where links lead; undefined for the address that a request is sent to. */
  readonly baseUrl: string | undefined
  readonly collections: readonly SiteCollection[]
}

/** The body of a problem; detail and instance may have variables of the server in them. */
export function problemBody(kind: ProblemKind, detail: string, instance: string): string {
  const [status, title] = problemTitles[kind]
  return JSON.stringify({ type: problemType(kind), title, status, detail, instance })
}

export const statusOf = (kind: ProblemKind): number => problemTitles[kind][0]

export const PROBLEM_TYPE = 'application/problem+json'

export const PROBLEM_HEADERS: Headers = { ...COMMON_HEADERS, 'Cache-Control': 'no-store' }

export const PREFLIGHT_HEADERS: Headers = {
  ...COMMON_HEADERS,
  'Access-Control-Allow-Methods': ALLOW,
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Max-Age': '86400',
}

export const lastPageDetail = ({ totalPages }: SiteCollection): string =>
  totalPages === 0 ? 'the collection is empty, and only page 1 can be asked for' : `the last one is ${totalPages}`

export const badFormatDetail = `format has a value that is not allowed; allowed is ${FORMAT_ALLOWED}.`
export const badPageDetail = `page has a value that is not allowed; allowed is ${PAGE_ALLOWED}.`
