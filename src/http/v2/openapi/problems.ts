// The problems that an operation can end with, each as it is really answered.
import { V1_PATH, V2_PATH } from '../../../catalog/collections.ts'
import type { Headers } from '../../../page/page-headers.ts'
import { isV2, type Problem, type ProblemKind, problemResponse, problemTitles, problemType } from '../../problem.ts'
import { HEAD_LIMITS } from '../../wire/request-head.ts'
import { headersOf } from './headers.ts'
import { type Json, object, type Parts, text } from './parts.ts'

const kinds = Object.keys(problemTitles) as ProblemKind[]

const samples: { readonly [K in ProblemKind]: Extract<Problem, { kind: K }> } = {
  'bad-parameter': { kind: 'bad-parameter', name: 'page', value: '0', allowed: 'a whole number from 1' },
  'unknown-parameter': { kind: 'unknown-parameter', name: 'pag', known: ['page'], nearest: 'page' },
  'bad-request': { kind: 'bad-request', wrong: 'the request line is not one' },
  'bad-host': { kind: 'bad-host', header: 'Host', expected: 'one host name or address' },
  'not-found': { kind: 'not-found', known: [V2_PATH] },
  'record-not-found': { kind: 'record-not-found', what: 'such record', hint: 'Records are elsewhere.' },
  'page-beyond-last': { kind: 'page-beyond-last', page: 2, total: 1, totalPages: 1 },
  'method-not-allowed': { kind: 'method-not-allowed', method: 'POST' },
  'not-acceptable': { kind: 'not-acceptable', accept: 'image/png', forms: 'application/json and text/csv' },
  'release-gone': { kind: 'release-gone', digest: '00000000' },
  'uri-too-long': { kind: 'uri-too-long', max: HEAD_LIMITS.target },
  'range-not-satisfiable': { kind: 'range-not-satisfiable', length: 1 },
  'headers-too-large': { kind: 'headers-too-large', max: `${HEAD_LIMITS.fields} header fields` },
  'internal-error': { kind: 'internal-error' },
}

/** What can go wrong with any request. */
export const ANYWHERE: readonly ProblemKind[] = [
  'bad-request',
  'bad-host',
  'method-not-allowed',
  'uri-too-long',
  'headers-too-large',
  'internal-error',
]

const problemSchema = (parts: Parts): Json =>
  parts.schema('problem', () => ({
    ...object({
      type: { type: 'string', enum: kinds.map(problemType), description: 'tells the kinds of problem apart' },
      title: text('what kind of problem it is, for people'),
      status: { type: 'integer', enum: [...new Set(kinds.map((kind) => problemTitles[kind][0]))] },
      detail: text('what is wrong with this request, for people'),
      instance: text('path of the request, without its query'),
    }),
    description: 'A problem of RFC 9457',
  }))

/** The answers of these problems at a path, by status: several may share one. */
export function problemResponses(parts: Parts, path: string, given: readonly ProblemKind[]): Json {
  const root = isV2(path) ? V2_PATH : V1_PATH
  const statuses = [...new Set(given.map((kind) => problemTitles[kind][0]))].sort()
  return Object.fromEntries(
    statuses.map((status) => {
      const alike = given.filter((kind) => problemTitles[kind][0] === status)
      const share = () => parts.share('responses', `problem-${status}`, responseOf(parts, root, alike, status))
      return [status, parts.once(['problem', root, ...alike].join(), share)]
    }),
  )
}

function responseOf(parts: Parts, root: string, alike: readonly ProblemKind[], status: number): Json {
  const answers = alike.map((kind) => problemResponse(samples[kind], root))
  const narrowed = { properties: { type: { enum: alike.map(problemType) }, status: { const: status } } }
  const examples = alike.map((kind, at) => [kind, { value: JSON.parse(new TextDecoder().decode(bodyOf(answers[at]))) }])
  return {
    description: alike.map((kind) => `\`${kind}\`: ${problemTitles[kind][1]}`).join('; '),
    headers: headersOf(
      parts,
      answers.map(({ head }) => linesOf(head)),
    ),
    content: {
      'application/problem+json': {
        schema: { allOf: [problemSchema(parts), narrowed] },
        examples: Object.fromEntries(examples),
      },
    },
  }
}

const bodyOf = (answer: ReturnType<typeof problemResponse> | undefined) => answer?.body as Uint8Array

const linesOf = (head: string): Headers =>
  Object.fromEntries(
    head
      .split('\r\n')
      .filter((line) => line !== '')
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  )
