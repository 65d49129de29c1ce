// What clients of any server need although the contract is silent about it, each as a check that never fails a server.
import { V1_PATH, v1PathOf } from '../base/api-v1.ts'
import { memoized } from '../base/memoized.ts'
import { asksFirst, cachingAdvice } from './caching.ts'
import { type CheckOutcome, type Probe, type RuleViolation, unless } from './check.ts'
import type { Client, Sent } from './client.ts'
import { type HeaderField, NoResponse, type RawResponse, tokensOf } from './connection.ts'
import type { EmbeddedFault, Evidence } from './embedded-records.ts'
import { headerCame, placesOf, recordVerdict } from './page-verdicts.ts'
import { type Advice, conversation, describe, eachOf, get, isFirstPage, isRefusal } from './probing.ts'
import { NUMERIC_CODES, type RecordCheck } from './record-faults.ts'
import { contentOf, headerOf, PAGE_HEADERS, pageTarget, parseJson } from './seen-page.ts'
import { shown } from './shown.ts'

/** A host that no request here is for. */
const ELSEWHERE = 'elsewhere.example'
const NO_HOST = 'a b'
const BAD_PAGES = ['page=0', 'page=-1', 'page=1.5', 'page=1x', 'page=abc', 'page=', `page=${'1'.repeat(16)}`]
/** The headers that scripts need in order to walk through pages, and to ask whether one has changed. */
const EXPOSED = [...PAGE_HEADERS.filter((name) => name.startsWith('X-') || name === 'Link'), 'ETag']
/** What is not valid HTTP, by what is wrong with it; `PATH` stands for that of a collection. */
const INVALID: readonly (readonly [what: string, lines: readonly string[]])[] = [
  ['no Host', ['GET PATH HTTP/1.1']],
  ['two Hosts', ['GET PATH HTTP/1.1', 'Host: a', 'Host: b']],
  ['a blank before the colon', ['GET PATH HTTP/1.1', 'Host: a', 'X-A : b']],
  ['a version that there is not', ['GET PATH HTTP/9.9', 'Host: a']],
]

/** Requests to which the first page is the response. */
const givesFirstPage =
  (requests: (probe: Probe) => readonly Sent[]): NonNullable<Advice['probeOnce']> =>
  (probe) =>
    eachOf(probe, requests(probe), 'the first page', (response) => isFirstPage(probe, response))

const onRecords = (id: RecordCheck, rule: string): Advice => ({ id, rule, page: (page) => recordVerdict(page, id) })

/** A header whose elements must fit. */
const onHeader = (
  id: string,
  rule: string,
  name: string,
  expected: string,
  fits: (tokens: readonly string[]) => boolean,
): Advice => ({
  id,
  rule,
  page: ({ response }) =>
    unless(fits(tokensOf(response.fields, name)), headerCame(name, headerOf(response, name)), `${name}: ${expected}`),
})

const pathOf = ({ collection }: Probe) => v1PathOf(collection)

async function invalidHttp(probe: Probe): Promise<CheckOutcome> {
  const { client } = probe
  const path = client.targetOf(pathOf(probe))
  const wrongs: RuleViolation[] = []
  for (const [what, lines] of INVALID) {
    const verdict = await conversation(probe, `a request with ${what}`, '400', async (connection) => {
      connection.write(`${lines.join('\r\n').replace('PATH', path)}\r\n\r\n`)
      const response = await connection.read(false)
      return isRefusal(response) || response.status === 505 ? undefined : `status ${response.status}`
    })
    wrongs.push(...(verdict ?? []))
  }
  return wrongs
}

/** Two requests at once. A body after the first would be taken for the second response. */
const pipelined = (probe: Probe): Promise<CheckOutcome> => {
  const { client, collection } = probe
  const target = client.targetOf(pageTarget(collection, 1))
  const request = `HEAD ${client.base}${pageTarget(collection, 1)} and GET, sent at once`
  return conversation(probe, request, 'headers without a body, and then the page', async (connection) => {
    connection.write(client.message({ method: 'HEAD', target }) + client.message({ method: 'GET', target }))
    const head = await connection.read(true)
    const page = await connection.read(false)
    return head.status === 200 && isFirstPage(probe, page) ? undefined : `${describe(head)} and ${describe(page)}`
  })
}

/** A body that looks like a request: whoever takes it for one lets a request be smuggled past a proxy. */
const withBody = (probe: Probe): Promise<CheckOutcome> => {
  const { client } = probe
  const target = client.targetOf(pathOf(probe))
  const body = client.message({ method: 'GET', target: client.targetOf(`${V1_PATH}/nowhere`) })
  const request = `GET ${client.base}${pathOf(probe)} with a body that looks like a request`
  return conversation(probe, request, 'one response', async (connection) => {
    const fields: readonly HeaderField[] = [['Content-Length', String(body.length)]]
    connection.write(client.message({ method: 'GET', target, fields }) + body)
    await connection.read(false)
    await connection.readUntilClosed(client.patience)
    return connection.unread === 0 ? undefined : 'a response to the body, too'
  })
}

async function beyondLast(probe: Probe): Promise<CheckOutcome> {
  const { pages } = probe.first
  if (pages === undefined) return undefined
  const requests = [get(pageTarget(probe.collection, Math.max(pages, 1) + 1))]
  return eachOf(probe, requests, 'status 404', ({ status }) => status === 404)
}

async function badHost(probe: Probe): Promise<CheckOutcome> {
  const { outcome } = await probe.trial(get(pathOf(probe), ['Host', ELSEWHERE]))
  // A configured address is used whatever the request says.
  if (outcome instanceof NoResponse || headerOf(outcome, 'Link')?.includes(`//${ELSEWHERE}`) !== true) return undefined
  return eachOf(
    probe,
    [get(pathOf(probe), ['Host', NO_HOST])],
    'a refusal, such as 400',
    (response) => isRefusal(response) || headerOf(response, 'Link')?.includes(NO_HOST) !== true,
  )
}

/** Many proxies speak HTTP/1.0 to the server behind them, and take chunks for a part of the body. */
const oldHttp = (probe: Probe): Promise<CheckOutcome> => {
  const { client } = probe
  const message = client.message({ method: 'GET', target: client.targetOf(pathOf(probe)) }, 'HTTP/1.0')
  const request = `GET ${client.base}${pathOf(probe)} with HTTP/1.0`
  return conversation(probe, request, 'the page without chunks, and the connection is closed', async (connection) => {
    connection.write(message)
    const response = await connection.read(false)
    if (!isFirstPage(probe, response) || headerOf(response, 'Transfer-Encoding') !== undefined)
      return describe(response, ['Transfer-Encoding', 'Content-Type'])
    const end = await connection.readUntilClosed(client.patience)
    return end === undefined ? 'a connection that stays open' : undefined
  })
}

/** A script that sends If-None-Match makes the browser ask first. */
const preflight = (probe: Probe): Promise<CheckOutcome> => {
  const fields: readonly HeaderField[] = [
    ['Origin', `https://${ELSEWHERE}`],
    ['Access-Control-Request-Method', 'GET'],
    ['Access-Control-Request-Headers', 'if-none-match'],
  ]
  const headers = ['Access-Control-Allow-Origin', 'Access-Control-Allow-Headers']
  const allows = ({ status, fields }: RawResponse) =>
    status >= 200 &&
    status <= 299 &&
    ['*', `https://${ELSEWHERE}`].includes(tokensOf(fields, 'Access-Control-Allow-Origin').join()) &&
    tokensOf(fields, 'Access-Control-Allow-Headers').some((name) => name === '*' || name === 'if-none-match')
  const requests = [{ method: 'OPTIONS', target: pathOf(probe), fields }]
  return eachOf(
    probe,
    requests,
    `a status of success, ${headers.map((name) => `${name}: *`).join(', ')}`,
    allows,
    headers,
  )
}

/** What must be one of a kind among all records that were seen. */
const unique =
  (what: 'key' | 'code'): NonNullable<Advice['walk']> =>
  ({ pages }) => {
    const seen = new Map<string, { readonly page: (typeof pages)[number]; readonly content: number | bigint }>()
    const wrongs: RuleViolation[] = []
    for (const page of pages)
      for (const { [what]: value, content } of page.records) {
        if (value === undefined) continue
        const before = seen.get(value)
        if (before === undefined) seen.set(value, { page, content })
        // The same record or page again is told by a check of its own.
        else if (before.content !== content && (before.page === page || before.page.content !== page.content))
          wrongs.push({
            request: page.request,
            came: `${shown(value)} ${placesOf(before.page.page, page.page)}`,
            expected: 'one record',
          })
      }
    return seen.size === 0 ? undefined : wrongs
  }

/** Codes that are shorter than official ones, or than those that begin with 0. */
const lostZeros: NonNullable<Advice['walk']> = ({ codes }) => {
  const wrongs = [...codes].flatMap(([name, lengths]) => {
    const padded = [...lengths].filter(([, { padded }]) => padded !== undefined).toSorted(([a], [b]) => b - a)[0]
    const digits = Math.max(NUMERIC_CODES[name] ?? 1, padded?.[0] ?? 1)
    return [...lengths].flatMap(([length, { count, code, request }]): RuleViolation[] => {
      if (length >= digits) return []
      const more = count === 1 ? '' : `, and ${count - 1} more of as many digits`
      const example = padded?.[0] === digits ? `, as ${shown(padded[1].padded)} has` : ''
      return [{ request, came: `${name} ${shown(code)}${more}`, expected: `${digits} digits${example}` }]
    })
  })
  return codes.size === 0 ? undefined : wrongs
}

/** How often a page is requested again to see whether it still says what it said. */
const MAX_CONFIRMATIONS = 4

/** Faults between pages may be there because the catalog has changed in between: then a page does not come again as it was. */
async function confirmed(client: Client, faults: readonly EmbeddedFault[]): Promise<CheckOutcome> {
  const stands = memoized(async ({ target, content }: Evidence): Promise<boolean> => {
    for (let attempt = 0; attempt < MAX_CONFIRMATIONS; attempt++) {
      const { outcome } = await client.send(get(target))
      if (outcome instanceof NoResponse) return false
      if (contentOf(parseJson(outcome.body)) === content) return true
    }
    return false
  })
  const wrongs: RuleViolation[] = []
  for (const { came, expected, pages } of faults)
    if ((await Promise.all(pages.map((page) => stands(page)))).every(Boolean))
      wrongs.push({ request: `GET ${client.base}${pages[0]?.target}`, came, expected })
  return wrongs
}

/** The advice in the order of docs/verify.md. */
export const advice: readonly Advice[] = [
  {
    id: 'charset',
    rule: 'A charset of Content-Type, if there is one, is UTF-8.',
    page: (page) => {
      const type = page.header('Content-Type')
      const [, charset = 'utf-8'] = /;[ \t]*charset="?([^";]*)/i.exec(type ?? '') ?? []
      return unless(/^utf-8[ \t]*$/i.test(charset), headerCame('Content-Type', type), 'charset=utf-8, or none')
    },
  },
  {
    id: 'link-last',
    rule: 'The last page has no entry next.',
    page: ({ isLast, links }) => {
      if (isLast !== true) return undefined
      const next = typeof links === 'string' ? undefined : links?.find(({ relation }) => relation === 'next')
      return unless(next === undefined, `Link: ${next?.text}`, 'prev only')
    },
  },
  onRecords('never-null', 'No value is null.'),
  onRecords('no-other-fields', 'A record has no other fields than those of the contract.'),
  onRecords('id-range', 'Identifiers are from 0 to 2,147,483,647.'),
  onRecords('names', 'Names have 1 to 1,000 characters, and no control characters.'),
  onRecords('names-nfc', 'Names are in Unicode NFC: a letter and its accent are one character.'),
  onRecords(
    'names-blanks',
    'Names have no blanks at their ends, no two in a row, and no characters that are not seen.',
  ),
  onRecords('names-encoding', 'Names have letters, and not what wrong character sets and HTML make of them.'),
  {
    id: 'code-zeros',
    rule: 'Numeric codes keep their zeros: three digits for a municipality, four for a locality, and as many as those that begin with 0.',
    walk: lostZeros,
  },
  {
    id: 'embedded-alike',
    rule: 'A record is the same wherever it stands: one identifier has one name, one code and one parent, embedded or in its collection, and one code one identifier.',
    end: async ({ client, embedded }) => (embedded.isEmpty ? undefined : confirmed(client, embedded.contradictions)),
  },
  {
    id: 'embedded-listed',
    rule: 'An embedded municipality or country is a record of its collection.',
    end: async ({ client, embedded }) => embedded.unlisted && confirmed(client, embedded.unlisted),
  },
  onRecords(
    'narrow-codes',
    'Codes have the narrower shape of docs/http-contract.md: two to five letters for a state, up to 12 digits, camel case.',
  ),
  {
    id: 'unique-keys',
    rule: 'No two records have the same key: the identifier, and for a locality that of its municipality too.',
    walk: unique('key'),
  },
  {
    id: 'unique-codes',
    rule: 'No two records have the same code: of municipalities in a state, of localities in a municipality.',
    walk: unique('code'),
  },
  ...cachingAdvice,
  onHeader(
    'cors-origin',
    'Pages of any origin may read a response.',
    'Access-Control-Allow-Origin',
    '*',
    (tokens) => tokens.join() === '*',
  ),
  onHeader(
    'cors-headers',
    'Scripts may read the headers of a page.',
    'Access-Control-Expose-Headers',
    EXPOSED.join(', '),
    (tokens) => EXPOSED.every((name) => tokens.includes(name.toLowerCase())),
  ),
  onHeader('cookies', 'A page sets no cookie.', 'Set-Cookie', 'none', (tokens) => tokens.length === 0),
  {
    id: 'options-preflight',
    rule: 'A script of any origin may send If-None-Match: OPTIONS is answered as a browser asks it.',
    probeOnce: preflight,
  },
  {
    id: 'problem-headers',
    rule: 'An error, too, may be read by pages of any origin, and no cache gives it away without asking.',
    probeOnce: (probe) =>
      eachOf(
        probe,
        [get(`${V1_PATH}/nowhere`)],
        'Access-Control-Allow-Origin: * and Cache-Control: no-store',
        ({ fields }) =>
          tokensOf(fields, 'Access-Control-Allow-Origin').join() === '*' &&
          asksFirst(tokensOf(fields, 'Cache-Control')),
        ['Access-Control-Allow-Origin', 'Cache-Control'],
      ),
  },
  { id: 'page-beyond-last', rule: 'A page beyond the last is a 404.', probe: beyondLast },
  {
    id: 'bad-page',
    rule: 'A page that is not a whole number from 1 is refused, with a status of 4xx.',
    probeOnce: (probe) =>
      eachOf(
        probe,
        BAD_PAGES.map((query) => get(`${pathOf(probe)}?${query}`)),
        'a refusal, such as 400',
        isRefusal,
      ),
  },
  {
    id: 'other-parameters',
    rule: 'Parameters of other names are ignored.',
    probeOnce: givesFirstPage((probe) => [get(`${pathOf(probe)}?_=1&per_page=50&search=x&ordering=-id`)]),
  },
  {
    id: 'any-accept',
    rule: 'Accept is ignored: the response is JSON.',
    probeOnce: givesFirstPage((probe) =>
      ['text/html', 'application/xml', '*/*'].map((type) => get(pathOf(probe), ['Accept', type])),
    ),
  },
  {
    id: 'unknown-path',
    rule: 'A path that there is not is a 404.',
    probeOnce: (probe) => eachOf(probe, [get(`${V1_PATH}/nowhere`)], 'status 404', ({ status }) => status === 404),
  },
  {
    id: 'other-methods',
    rule: 'A method that is not in Allow, here PROPFIND and TRACE, is refused, with a status of 4xx or 501.',
    probeOnce: (probe) =>
      eachOf(
        probe,
        ['PROPFIND', 'TRACE'].map((method) => ({ method, target: pathOf(probe) })),
        'a refusal, such as 405',
        (response) => isRefusal(response) || response.status === 501,
      ),
  },
  {
    id: 'bad-host',
    rule: 'Where links are made from Host, one that is no host does not get into them.',
    probeOnce: badHost,
  },
  {
    id: 'connections',
    rule: 'No connection is dropped, and no response is late, not even once.',
    end: async ({ client }) =>
      client.hasResponded
        ? (['droppedConnections', 'timeouts'] as const)
            .flatMap((kind) => client.mishaps(kind))
            .map(({ request, came }) => ({ request, came, expected: 'a response the first time' }))
        : undefined,
  },
  {
    id: 'http-1.0',
    rule: 'HTTP/1.0 gets the page without chunks, and the connection is closed.',
    probeOnce: oldHttp,
  },
  { id: 'pipelining', rule: 'Several requests sent at once get their responses in order.', probeOnce: pipelined },
  { id: 'request-body', rule: 'The body of a request is not taken for another request.', probeOnce: withBody },
  {
    id: 'invalid-http',
    rule: 'What is not valid HTTP is refused, with a status of 4xx or 505.',
    probeOnce: invalidHttp,
  },
]
