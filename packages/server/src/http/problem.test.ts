// Every way to fail: its status, all its headers and all its words.
import { expect, test } from 'bun:test'
import { responseOf } from '../../../../test/support/responses.ts'
import { RequestId } from './observation/request-id.ts'
import { PROBLEMS, type Problem, type ProblemKind, problemResponse } from './problem.ts'

type Case<K extends ProblemKind> = readonly [problem: Omit<Extract<Problem, { kind: K }>, 'kind'>, detail: string]

const words: { readonly [K in ProblemKind]: readonly [status: number, title: string, ...cases: Case<K>[]] } = {
  'bad-parameter': [
    400,
    'A query parameter has a value that is not allowed',
    [{ name: 'page', value: '0', allowed: 'more' }, 'page was "0"; allowed is more.'],
    [
      { name: 'page', value: `"\r\n${'9'.repeat(97)}9`, allowed: 'less' },
      `page was "\\"\\r\\n${'9'.repeat(97)}…"; allowed is less.`,
    ],
    [{ name: 'page', value: '9'.repeat(100), allowed: 'less' }, `page was "${'9'.repeat(100)}"; allowed is less.`],
  ],
  'unknown-parameter': [
    400,
    'There is no such query parameter',
    [
      { name: 'pgae', known: ['page', 'q'], nearest: 'page' },
      '"pgae" is not known here. Did you mean page? Allowed are page, q.',
    ],
    [{ name: 'x', known: ['page', 'q'], nearest: undefined }, '"x" is not known here. Allowed are page, q.'],
  ],
  'bad-body': [
    400,
    'The body of the request is not what its type says',
    [{ wrong: 'the body is not UTF-8' }, 'The body is not UTF-8.'],
  ],
  'bad-row': [
    400,
    'A row of the body is not one that can be resolved',
    [{ row: 7, wrong: 'it is "5"', allowed: 'a text' }, 'Row 7: it is "5"; allowed is a text.'],
    [{ row: 0, wrong: 'there is no part "x"', allowed: 'q' }, 'Header: there is no part "x"; allowed is q.'],
  ],
  'too-many-rows': [
    413,
    'The body of the request has too many rows',
    [{ max: 9 }, 'At most 9 rows are resolved in one request.'],
  ],
  'unsupported-media-type': [
    415,
    'The body of the request has a type that is not read here',
    [{ type: 'a/b', allowed: 'text/csv' }, 'Content-Type was "a/b"; allowed are text/csv.'],
  ],
  'record-not-found': [
    404,
    'There is no such record',
    [{ what: 'pais at this path', hint: 'Look elsewhere.' }, 'There is no pais at this path. Look elsewhere.'],
  ],
  'not-signed': [
    404,
    'The release is not signed',
    [
      { digest: 'abcdef0123456789' },
      'Release abcdef0123456789 has no signature here. Its publisher makes one with nomenclator sign abcdef012345 --key FILE; ' +
        'what is signed is at /api/v2/releases/abcdef0123456789/checksums.',
    ],
  ],
  'release-gone': [
    410,
    'The release is not there any more',
    [
      { digest: 'abc' },
      'Release abc was removed or never was here; GET /api/v2/releases lists those that are. ' +
        'Whoever follows the changes takes everything again: GET /api/v2/{collection}/all.',
    ],
  ],
  'release-awaited': [
    503,
    'The release is not here yet',
    [
      { digest: 'abc' },
      'Release abc may be on its way to this server, and others may have it; try again in 2 seconds.',
    ],
  ],
  'not-acceptable': [
    406,
    'None of the forms that are accepted can be given',
    [
      { forms: 'application/json, application/x-ndjson and text/csv', accept: 'image/png' },
      'Accept was "image/png"; there are application/json, application/x-ndjson and text/csv.',
    ],
  ],
  'precondition-failed': [
    412,
    'What is there is not what the client expects',
    [{ header: 'If-Match' }, 'If-Match does not hold for what is there; a request without it gives that.'],
  ],
  'range-not-satisfiable': [416, 'The range is beyond the end', [{ length: 10 }, 'The answer has 10 bytes.']],
  'too-many-requests': [
    429,
    'The client sends more requests than it may',
    [
      { requests: 10, windowSeconds: 1, retryAfter: 1 },
      'At most 10 requests per second are allowed from one address; wait as Retry-After says.',
    ],
    [
      { requests: 600, windowSeconds: 60, retryAfter: 7 },
      'At most 600 requests per 60 seconds are allowed from one address; wait as Retry-After says.',
    ],
  ],
  'bad-host': [
    400,
    'The request does not say soundly which host it is for',
    [{ header: 'Host', expected: 'a name' }, 'Host must be a name.'],
  ],
  'not-found': [
    404,
    'There is nothing at this path',
    [{ known: ['/a', '/b'] }, 'Known paths are /a, /b.'],
    [{ known: ['/a', '/b'], hint: 'Did you mean /a?' }, 'Did you mean /a? Known paths are /a, /b.'],
    [
      { known: Array.from({ length: 250 }, (_, at) => `/${at}`) },
      `Known paths are ${Array.from({ length: 200 }, (_, at) => `/${at}`).join(', ')} and 50 others.`,
    ],
  ],
  'page-beyond-last': [
    404,
    'The page is beyond the last one',
    [{ page: 26, total: 247, totalPages: 25 }, 'Page 26 was asked for; the last one is 25.'],
    [
      { page: 2, total: 0, totalPages: 0 },
      'Page 2 was asked for; the collection is empty, and only page 1 can be asked for.',
    ],
  ],
  'method-not-allowed': [
    405,
    'The method is not allowed: the service is read-only',
    [{ method: 'POST' }, 'POST was used; allowed are GET, HEAD, OPTIONS.'],
  ],
  'content-too-large': [
    413,
    'The body of the request is too large',
    [{ max: 1_000 }, 'At most 1000 bytes are read.'],
    [{ max: 50, unit: 'queries' }, 'At most 50 queries are read.'],
  ],
  'uri-too-long': [414, 'The URL is too long', [{ max: 8_000 }, 'At most 8000 characters are read.']],
  'headers-too-large': [
    431,
    'The headers of the request are too large',
    [{ max: '100 header fields' }, 'At most 100 header fields are read.'],
  ],
  'bad-request': [
    400,
    'The request is not sound HTTP',
    [{ wrong: 'the header host is missing' }, 'In the request, the header host is missing.'],
  ],
  'request-timeout': [
    408,
    'The request took too long to arrive',
    [{ seconds: 15 }, 'It was not whole after 15 seconds.'],
  ],
  'took-too-long': [
    503,
    'The request takes more work than one may',
    [
      {},
      'It has used all the processor time that one request may. Ask for less at a time: fewer rows, a shorter text, ' +
        'a smaller part of the catalog.',
    ],
  ],
  overloaded: [
    503,
    'The service has too much to do at the moment',
    [{ reason: 'bytes', what: 'all is used up', retryAfter: 7 }, 'All is used up; try again in 7 seconds.'],
  ],
  'internal-error': [
    500,
    'The service failed to answer',
    [{}, 'The fault is on our side and was logged; trying again may help.'],
    [
      { release: 'a1b2c3d4e5f6a7b8' },
      'The fault is on our side and was logged; trying again may help. Release a1b2c3d4e5f6 was read; nomenclator releases verify says if a file of it is damaged.',
    ],
  ],
}

const cases = Object.entries(words).flatMap(([kind, [status, title, ...all]]) =>
  all.map(([given, detail]) => ({ kind, problem: { kind, ...given } as Problem, status, title, detail })),
)

test.each(cases)('$status $kind: $detail', async ({ kind, problem, status, title, detail }) => {
  const response = responseOf(problemResponse(problem, '/api/v1/paises'))
  const ranges = problem.kind === 'range-not-satisfiable' ? { 'content-range': 'bytes */10' } : {}
  const totals =
    problem.kind === 'page-beyond-last'
      ? { 'x-per-page': '10', 'x-total': String(problem.total), 'x-total-pages': String(problem.totalPages) }
      : {}
  const retries = 'retryAfter' in problem ? { 'retry-after': String(problem.retryAfter) } : {}
  expect(response.status).toBe(status)
  expect(Object.fromEntries(response.headers)).toEqual({
    'content-type': 'application/problem+json',
    allow: 'GET, HEAD, OPTIONS',
    vary: 'Accept',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'X-Page, X-Per-Page, X-Total, X-Total-Pages, Link, ETag, Allow',
    'cache-control': 'no-store',
    ...totals,
    ...ranges,
    ...retries,
    ...(problem.kind === 'release-awaited' ? { 'retry-after': '2', 'nomenclator-shelf': 'lag' } : {}),
    ...(problem.kind === 'unsupported-media-type' ? { 'accept-post': problem.allowed } : {}),
  })
  const body = { type: `urn:nomenclator:problem:${kind}`, title, status, detail, instance: '/api/v1/paises' }
  expect(await response.text()).toBe(JSON.stringify(body))
})

test('every kind has a case here', () => expect(Object.keys(words).sort()).toEqual(Object.keys(PROBLEMS).sort()))

test('below API v2, and only there, a problem has the id of its request', () => {
  const id = new RequestId({ trustedProxies: undefined }, undefined, undefined)
  const bodyOf = (path: string) => responseOf(problemResponse({ kind: 'internal-error' }, path, id)).json()
  expect(bodyOf('/api/v2/paises')).resolves.toMatchObject({ instance: '/api/v2/paises', requestId: id.value })
  expect(bodyOf('/api/openapi.json')).resolves.toHaveProperty('requestId', id.value)
  for (const path of ['/', '/api/v1/paises', '/elsewhere'])
    expect(bodyOf(path)).resolves.not.toHaveProperty('requestId')
})

test('below API v2 a problem has the headers of API v2', () => {
  const { headers } = responseOf(problemResponse({ kind: 'range-not-satisfiable', length: 10 }, '/api/v2/paises/all'))
  expect(headers.get('vary')).toBe('Accept, Accept-Encoding')
  expect(headers.get('access-control-expose-headers')).toContain('Content-Range')
})
