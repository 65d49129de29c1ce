// What docs/http-contract.md decides where the contract is silent, each as a check that never fails a server.
import { V1_PATH, v1PathOf } from '../base/api-v1.ts'
import { printable } from '../source/requests.ts'
import { collections } from './address.ts'
import { type Check, type Probe, pageTarget, shown, unless, type Verdict, type Wrong } from './check.ts'
import type { Exchange, Sent } from './client.ts'
import { type Connection, type HeaderField, NoResponse, type RawResponse, valuesOf } from './connection.ts'
import type { RecordCheck } from './record-faults.ts'
import { recordVerdict } from './rules.ts'
import { headerOf, LIST_HEADERS, PAGE_HEADERS, parseJson, type SeenPage } from './seen-page.ts'

type Advice = Omit<Check, 'severity'>

const PROBLEM = 'urn:nomenclator:problem:'
const EXPOSED = ['X-Page', 'X-Per-Page', 'X-Total', 'X-Total-Pages', 'Link', 'ETag', 'Allow']
const HTTP_DATE = /^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$/
/** A host that no request here is for. */
const ELSEWHERE = 'elsewhere.example'
const MANY_FIELDS = 101
const LONG_TARGET = 8_001
const LONG_HEAD = 16_385
const BAD_PAGES = [
  'page=0',
  'page=-1',
  'page=1.5',
  'page=01',
  'page=abc',
  'page=',
  'page=1&page=1',
  `page=${'1'.repeat(16)}`,
]
const BAD_FORMATS = ['format=xml', 'format=', 'format=api&format=api']
/** What is not valid HTTP, by what is wrong with it; `PATH` stands for that of a collection. */
const INVALID: readonly (readonly [what: string, lines: readonly string[]])[] = [
  ['no Host', ['GET PATH HTTP/1.1']],
  ['two Hosts', ['GET PATH HTTP/1.1', 'Host: a', 'Host: b']],
  ['a blank before the colon', ['GET PATH HTTP/1.1', 'Host: a', 'X-A : b']],
  ['a version that there is not', ['GET PATH HTTP/9.9', 'Host: a']],
]

const cameOf = ({ outcome }: Exchange): string =>
  outcome instanceof NoResponse ? `no response: ${outcome.message}` : describe(outcome)

function describe(response: RawResponse): string {
  const type = headerOf(response, 'Content-Type')
  const kind = problemOf(response)
  return `status ${response.status}${type === undefined ? '' : `, ${printable(type)}`}${kind === undefined ? '' : `, type ${shown(kind)}`}`
}

function problemOf({ body }: RawResponse): string | undefined {
  const value = parseJson(body)?.value
  return typeof value === 'object' && value !== null && 'type' in value ? String(value.type) : undefined
}

const get = (target: string, ...fields: readonly HeaderField[]): Sent => ({ method: 'GET', target, fields })

/** Sends requests and tells which of them get another response than they should. */
async function eachOf(
  { trial }: Probe,
  requests: readonly Sent[],
  expected: string,
  holds: (response: RawResponse, sent: Sent) => boolean,
): Promise<Verdict> {
  const wrongs: Wrong[] = []
  for (const sent of requests) {
    const exchange = await trial(sent)
    if (exchange.outcome instanceof NoResponse || !holds(exchange.outcome, sent)) {
      const request = `${shortened(exchange.request)}${fieldsText(sent.fields ?? [])}`
      wrongs.push({ request, came: cameOf(exchange), expected })
    }
  }
  return wrongs
}

const MAX_REQUEST = 120
const MAX_FIELDS = 2
const shortened = (text: string) => (text.length > MAX_REQUEST ? `${text.slice(0, MAX_REQUEST)}…` : text)

function fieldsText(fields: readonly HeaderField[]): string {
  if (fields.length > MAX_FIELDS) return ` with ${fields.length} headers more`
  return fields.map(([name, value]) => ` with ${name}: ${shortened(value)}`).join('')
}

const isProblem = (response: RawResponse, status: number, kind: string): boolean =>
  response.status === status &&
  headerOf(response, 'Content-Type') === 'application/problem+json' &&
  problemOf(response) === `${PROBLEM}${kind}`

/** A request, or several, to which a problem is the response. */
const refuses =
  (status: number, kind: string, requests: (probe: Probe) => readonly Sent[]): NonNullable<Advice['probeOnce']> =>
  (probe) =>
    eachOf(probe, requests(probe), `${status} ${kind}`, (response) => isProblem(response, status, kind))

/** Requests to which the first page is the response. */
const givesFirstPage =
  (requests: (probe: Probe) => readonly Sent[]): NonNullable<Advice['probeOnce']> =>
  (probe) =>
    eachOf(probe, requests(probe), 'the first page', (response) => isFirstPage(probe, response))

const isFirstPage = ({ first }: Probe, response: RawResponse): boolean =>
  response.status === 200 && Buffer.from(response.body).equals(first.response.body)

const onRecords = (id: RecordCheck, rule: string): Advice => ({ id, rule, page: (page) => recordVerdict(page, id) })

const onHeader = (
  id: string,
  rule: string,
  name: string,
  expected: string,
  isRight: (value: string) => boolean,
): Advice => ({
  id,
  rule,
  page: (page) => {
    const value = page.header(name)
    return unless(
      value !== undefined && isRight(value),
      value === undefined ? `no ${name}` : `${name}: ${printable(value)}`,
      `${name}: ${expected}`,
    )
  },
})

const pathOf = ({ collection }: Probe) => v1PathOf(collection)
const listOf = (value: string | undefined) => (value ?? '').split(',').map((one) => one.trim())

/** Conditional requests need the validator of the page. */
async function conditional(
  probe: Probe,
  validator: 'ETag' | 'Last-Modified',
  status: number,
  fields: (value: string) => readonly HeaderField[],
): Promise<Verdict> {
  const value = probe.first.header(validator)
  if (value === undefined) return undefined
  const requests = fields(value).map((field) => get(pageTarget(probe.collection, 1), field))
  return eachOf(probe, requests, `status ${status}`, (response) => response.status === status)
}

/** A conversation on a connection of its own; what goes wrong in it is what came. */
async function conversation(
  { client }: Probe,
  request: string,
  expected: string,
  talk: (connection: Connection) => Promise<string | undefined>,
): Promise<Verdict> {
  try {
    using connection = await client.connect()
    const came = await talk(connection)
    return unless(came === undefined, came ?? '', expected, request)
  } catch (error) {
    if (!(error instanceof NoResponse)) throw error
    return [{ request, came: `no response: ${error.message}`, expected }]
  }
}

async function invalidHttp(probe: Probe): Promise<Verdict> {
  const wrongs: Wrong[] = []
  const { client } = probe
  const path = client.targetOf(pathOf(probe))
  for (const [what, lines] of INVALID) {
    const found = await conversation(
      probe,
      `a request with ${what}`,
      '400, and the connection is closed',
      async (connection) => {
        connection.write(`${lines.join('\r\n').replace('PATH', path)}\r\n\r\n`)
        const response = await connection.read(false)
        if (response.status !== 400) return `status ${response.status}`
        return (await connection.readUntilClosed(client.patience)) === undefined
          ? 'a connection that stays open'
          : undefined
      },
    )
    wrongs.push(...(found ?? []))
  }
  return wrongs
}

/** Two requests at once. A body after the first would be taken for the second response. */
const pipelined = (probe: Probe): Promise<Verdict> => {
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

const withBody = (probe: Probe): Promise<Verdict> => {
  const { client } = probe
  const target = client.targetOf(pathOf(probe))
  return conversation(
    probe,
    `GET ${client.base}${pathOf(probe)} with a body`,
    'the page, and the connection is closed',
    async (connection) => {
      connection.write(`${client.message({ method: 'GET', target, fields: [['Content-Length', '2']] })}{}`)
      const response = await connection.read(false)
      if (!isFirstPage(probe, response)) return describe(response)
      return (await connection.readUntilClosed(client.patience)) === undefined
        ? 'a connection that stays open'
        : undefined
    },
  )
}

const keptAlive = (probe: Probe): Promise<Verdict> => {
  const { client } = probe
  const message = client.message({ method: 'GET', target: client.targetOf(pathOf(probe)) })
  return conversation(
    probe,
    `GET ${client.base}${pathOf(probe)} twice`,
    'two responses on one connection',
    async (connection) => {
      for (const _ of [1, 2]) {
        // An empty line before a request is ignored.
        connection.write(`\r\n${message}`)
        const response = await connection.read(false)
        if (!isFirstPage(probe, response)) return describe(response)
      }
      return undefined
    },
  )
}

const oldHttp = (probe: Probe): Promise<Verdict> => {
  const { client } = probe
  const message = client.message({ method: 'GET', target: client.targetOf(pathOf(probe)) }, 'HTTP/1.0')
  return conversation(
    probe,
    `GET ${client.base}${pathOf(probe)} with HTTP/1.0`,
    'the page, and the connection is closed',
    async (connection) => {
      connection.write(message)
      const response = await connection.read(false)
      if (!isFirstPage(probe, response)) return describe(response)
      return (await connection.readUntilClosed(client.patience)) === undefined
        ? 'a connection that stays open'
        : undefined
    },
  )
}

const asterisk = (probe: Probe): Promise<Verdict> =>
  conversation(probe, `OPTIONS * of ${probe.client.base}`, '200 with Allow', async (connection) => {
    connection.write(probe.client.message({ method: 'OPTIONS', target: '*' }))
    const response = await connection.read(false)
    return response.status === 200 && headerOf(response, 'Allow') !== undefined ? undefined : describe(response)
  })

const absoluteTarget = (probe: Probe): Promise<Verdict> => {
  const { client, collection } = probe
  const target = `http://${ELSEWHERE}${client.targetOf(pageTarget(collection, 1))}`
  return conversation(probe, `GET ${target}`, 'the page, with the host of Host', async (connection) => {
    connection.write(client.message({ method: 'GET', target }))
    const response = await connection.read(false)
    return isFirstPage(probe, response) ? undefined : describe(response)
  })
}

async function beyondLast(probe: Probe): Promise<Verdict> {
  const { pages } = probe.first
  if (pages === undefined) return undefined
  const requests = [get(pageTarget(probe.collection, Math.max(pages, 1) + 1))]
  const totals = ['X-Per-Page', 'X-Total', 'X-Total-Pages']
  return eachOf(
    probe,
    requests,
    '404 page-beyond-last, with X-Per-Page, X-Total and X-Total-Pages',
    (response) =>
      isProblem(response, 404, 'page-beyond-last') &&
      totals.every((name) => headerOf(response, name) === probe.first.header(name)),
  )
}

async function badHost(probe: Probe): Promise<Verdict> {
  const { outcome } = await probe.trial(get(pathOf(probe), ['Host', ELSEWHERE]))
  // A configured address is used whatever the request says.
  if (outcome instanceof NoResponse || headerOf(outcome, 'Link')?.includes(`//${ELSEWHERE}`) !== true) return undefined
  const request = get(pathOf(probe), ['Host', 'a b'])
  return eachOf(probe, [request], '400 bad-host', (response) => isProblem(response, 400, 'bad-host'))
}

async function notModified(probe: Probe): Promise<Verdict> {
  const tag = probe.first.header('ETag')
  if (tag === undefined) return undefined
  const { outcome, request } = await probe.trial(get(pageTarget(probe.collection, 1), ['If-None-Match', tag]))
  if (outcome instanceof NoResponse || outcome.status !== 304) return undefined
  const missing = [...PAGE_HEADERS, 'ETag', 'Cache-Control'].filter(
    (name) => headerOf(outcome, name) !== probe.first.header(name),
  )
  return unless(
    missing.length === 0,
    `a 304 with other values, or without: ${missing.join(', ')}`,
    'all headers of the page',
    request,
  )
}

async function problemShape(probe: Probe): Promise<Verdict> {
  const path = `${V1_PATH}/nowhere`
  return eachOf(probe, [get(path)], '404 not-found with type, title, status, detail and instance', (response) => {
    const problem = parseJson(response.body)?.value
    if (!isProblem(response, 404, 'not-found') || typeof problem !== 'object' || problem === null) return false
    const { title, status, detail, instance } = problem as Record<string, unknown>
    return [title, detail, instance].every((value) => typeof value === 'string') && status === 404
  })
}

const problemHeaders = (probe: Probe): Promise<Verdict> =>
  eachOf(
    probe,
    [get(`${V1_PATH}/nowhere`)],
    'Allow, Vary, Access-Control-Allow-Origin: * and Cache-Control: no-store',
    (response) =>
      ['Allow', 'Vary'].every((name) => headerOf(response, name) === probe.first.header(name)) &&
      headerOf(response, 'Access-Control-Allow-Origin') === '*' &&
      headerOf(response, 'Cache-Control') === 'no-store',
  )

async function preflight({ send, collection, client }: Probe): Promise<Verdict> {
  const response = await send({ method: 'OPTIONS', target: v1PathOf(collection) })
  if (response === undefined) return undefined
  const right =
    response.status === 200 &&
    response.body.length === 0 &&
    headerOf(response, 'Access-Control-Allow-Methods') === 'GET, HEAD, OPTIONS' &&
    headerOf(response, 'Access-Control-Allow-Headers') === '*' &&
    headerOf(response, 'Access-Control-Max-Age') === '86400'
  const came = `${describe(response)}, ${response.body.length} bytes of body`
  return unless(
    right,
    came,
    '200 without a body, and the headers of a preflight',
    `OPTIONS ${client.base}${v1PathOf(collection)}`,
  )
}

async function wholeHead(probe: Probe): Promise<Verdict> {
  const target = pageTarget(probe.collection, 1)
  const response = await probe.send({ method: 'HEAD', target })
  if (response?.status !== 200) return undefined
  const names = ['Content-Length', 'ETag', 'Last-Modified', 'Cache-Control', 'Access-Control-Allow-Origin']
  const others = names.filter((name) => headerOf(response, name) !== probe.first.header(name))
  return unless(
    others.length === 0,
    `other values, or none: ${others.join(', ')}`,
    'the headers of GET',
    `HEAD ${probe.client.base}${target}`,
  )
}

async function listOfCollections(probe: Probe): Promise<Verdict> {
  const expected = 'an object with the name and the URL of each collection'
  return eachOf(probe, [get(V1_PATH)], expected, (response) => {
    const value = parseJson(response.body)?.value
    if (response.status !== 200 || typeof value !== 'object' || value === null) return false
    const named = value as Record<string, unknown>
    return collections.every((one) => named[one.name] === `${probe.first.linkBase}${v1PathOf(one)}`)
  })
}

/** What must be one of a kind among all records that were seen. */
const unique =
  (what: 'keys' | 'codes'): NonNullable<Advice['walk']> =>
  ({ pages }) => {
    const seen = new Map<string, number>()
    for (const page of pages)
      for (const value of page[what]) {
        const before = seen.get(value)
        // The same page again is told by its own check.
        if (before !== undefined && pages.find((one) => one.page === before)?.content !== page.content)
          return [
            {
              request: page.request,
              came: `${shown(value)} on page ${before} and on page ${page.page}`,
              expected: 'one record',
            },
          ]
        seen.set(value, page.page)
      }
    return seen.size === 0 ? undefined : []
  }

const links = (page: SeenPage) => page.header('Link')

const advice: readonly Advice[] = [
  {
    id: 'media-type-alone',
    rule: 'Content-Type has no parameter.',
    page: (page) =>
      unless(
        !page.header('Content-Type')?.includes(';'),
        `Content-Type: ${page.header('Content-Type')}`,
        'Content-Type: application/json',
      ),
  },
  {
    id: 'header-names',
    rule: 'The names of headers are spelled as in the contract.',
    page: ({ response: { fields } }) => {
      const spelled = PAGE_HEADERS.flatMap((name) =>
        fields.map(([given]) => given).filter((given) => given !== name && given.toLowerCase() === name.toLowerCase()),
      )
      return unless(spelled.length === 0, spelled.join(', '), PAGE_HEADERS.join(', '))
    },
  },
  {
    id: 'header-lines',
    rule: 'Allow, Vary and Link are in one line each.',
    page: ({ response: { fields } }) => {
      const several = LIST_HEADERS.filter((name) => valuesOf(fields, name).length > 1)
      return unless(several.length === 0, `several lines of ${several.join(', ')}`, 'one line each')
    },
  },
  {
    ...onHeader(
      'allow-order',
      'Allow is GET, HEAD, OPTIONS, in this order.',
      'Allow',
      'GET, HEAD, OPTIONS',
      (value) => value === 'GET, HEAD, OPTIONS',
    ),
  },
  {
    id: 'link-form',
    rule: 'Link has the form <URL>; rel="prev", <URL>; rel="next".',
    page: (page) => {
      const link = links(page)
      return link === undefined
        ? undefined
        : unless(
            /^<[^<>]+>; rel="(?:prev|next)"(?:, <[^<>]+>; rel="next")?$/.test(link),
            `Link: ${printable(link)}`,
            '<URL>; rel="prev", <URL>; rel="next"',
          )
    },
  },
  {
    id: 'link-last',
    rule: 'The last page has no entry next.',
    page: (page) => {
      if (page.isLast !== true || page.page === 1) return undefined
      const link = typeof page.links === 'string' ? undefined : page.links?.find(({ relation }) => relation === 'next')
      return unless(link === undefined, `Link: ${link?.text}`, 'prev only')
    },
  },
  {
    id: 'link-single',
    rule: 'A collection of a single page has no Link.',
    page: (page) =>
      page.isLast === true && page.page === 1
        ? unless(links(page) === undefined, `Link: ${links(page)}`, 'no Link')
        : undefined,
  },
  {
    id: 'empty-collection',
    rule: 'An empty collection has a first page: 200, [], X-Total: 0, X-Total-Pages: 0.',
    page: (page) =>
      page.total === 0 && page.page === 1
        ? unless(
            page.records?.length === 0 && page.number('X-Total-Pages') === 0,
            `${shown(page.json?.value)}, X-Total-Pages: ${page.header('X-Total-Pages')}`,
            '[], X-Total-Pages: 0',
          )
        : undefined,
  },
  {
    id: 'compact-json',
    rule: 'The body has no blanks between values.',
    page: ({ json }) =>
      json &&
      unless(!/\s/.test(json.text.replace(/"(?:[^"\\]|\\.)*"/g, '""')), 'blanks or line ends between values', 'none'),
  },
  onRecords('never-null', 'No value is null.'),
  onRecords('no-other-fields', 'A record has no other fields than those of the contract.'),
  onRecords('field-order', 'The fields of a record are in the order of docs/http-contract.md.'),
  onRecords('id-range', 'Identifiers are from 0 to 2,147,483,647.'),
  onRecords('names', 'Names have 1 to 1,000 characters, and no control characters.'),
  onRecords(
    'narrow-codes',
    'Codes have the narrower shape of docs/http-contract.md: two to five letters for a state, up to 12 digits, camel case.',
  ),
  {
    id: 'unique-keys',
    rule: 'No two records have the same key: the identifier, and for a locality that of its municipality too.',
    walk: unique('keys'),
  },
  {
    id: 'unique-codes',
    rule: 'No two records have the same code: of municipalities in a state, of localities in a municipality.',
    walk: unique('codes'),
  },
  onHeader('content-length', 'A page has Content-Length.', 'Content-Length', 'the bytes of the body', (value) =>
    /^[0-9]+$/.test(value),
  ),
  onHeader('date', 'A page has Date.', 'Date', 'a date of HTTP', (value) => HTTP_DATE.test(value)),
  onHeader('etag', 'A page has a strong ETag.', 'ETag', '"…"', (value) => /^"[^"]*"$/.test(value)),
  onHeader('last-modified', 'A page has Last-Modified.', 'Last-Modified', 'a date of HTTP', (value) =>
    HTTP_DATE.test(value),
  ),
  onHeader(
    'cache-control',
    'Cache-Control is public, no-cache.',
    'Cache-Control',
    'public, no-cache',
    (value) => value === 'public, no-cache',
  ),
  onHeader(
    'cors-origin',
    'Pages of any origin may read a response.',
    'Access-Control-Allow-Origin',
    '*',
    (value) => value === '*',
  ),
  onHeader(
    'cors-headers',
    'Scripts may read the headers of a page.',
    'Access-Control-Expose-Headers',
    EXPOSED.join(', '),
    (value) => EXPOSED.every((name) => listOf(value).includes(name)),
  ),
  {
    id: 'page-beyond-last',
    rule: 'A page beyond the last is a 404 page-beyond-last with the totals.',
    probe: beyondLast,
  },
  {
    id: 'bad-page',
    rule: 'A page that is not a whole number from 1, or is given twice, is a 400 bad-parameter.',
    probeOnce: refuses(400, 'bad-parameter', (probe) => BAD_PAGES.map((query) => get(`${pathOf(probe)}?${query}`))),
  },
  {
    id: 'format-json',
    rule: 'format=json gives the page, too.',
    probeOnce: givesFirstPage((probe) => [get(`${pathOf(probe)}?format=json`)]),
  },
  {
    id: 'bad-format',
    rule: 'Any other format, an empty or a repeated one is a 400 bad-parameter.',
    probeOnce: refuses(400, 'bad-parameter', (probe) => BAD_FORMATS.map((query) => get(`${pathOf(probe)}?${query}`))),
  },
  {
    id: 'format-first',
    rule: 'If both parameters are wrong, the problem is about format.',
    probeOnce: (probe) =>
      eachOf(
        probe,
        [get(`${pathOf(probe)}?page=0&format=xml`)],
        'a 400 about format',
        (response) => response.status === 400 && /^[^.]*format/.test(detailOf(response)),
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
      ['text/html', 'application/xml'].map((type) => get(pathOf(probe), ['Accept', type])),
    ),
  },
  {
    id: 'no-compression',
    rule: 'Pages are not compressed.',
    probeOnce: (probe) =>
      eachOf(
        probe,
        [get(pathOf(probe), ['Accept-Encoding', 'gzip, deflate, br, zstd'])],
        'no Content-Encoding',
        (response) => headerOf(response, 'Content-Encoding') === undefined,
      ),
  },
  {
    id: 'trailing-slash',
    rule: 'A slash after a path is a 308 to the path without it, with the query.',
    probeOnce: (probe) =>
      eachOf(
        probe,
        [get(`${pathOf(probe)}/?page=1`)],
        '308 to the path without it',
        (response) =>
          response.status === 308 && (headerOf(response, 'Location') ?? '').endsWith(`${pathOf(probe)}?page=1`),
      ),
  },
  {
    id: 'path-spelling',
    rule: 'Other spellings of a path are a 404 not-found.',
    probeOnce: refuses(404, 'not-found', (probe) =>
      [
        pathOf(probe).toUpperCase(),
        pathOf(probe).replace(`${V1_PATH}/`, `${V1_PATH}//`),
        pathOf(probe).replace(`${V1_PATH}/`, `${V1_PATH}/./`),
        pathOf(probe).replace(/[a-z]$/, escaped),
      ].map((path) => get(path)),
    ),
  },
  { id: 'absolute-target', rule: 'Scheme and host before the path are ignored.', probeOnce: absoluteTarget },
  { id: 'head-alike', rule: 'HEAD has the other headers of GET too, with Content-Length.', probe: wholeHead },
  {
    id: 'options-preflight',
    rule: 'OPTIONS is a 200 with the headers of a preflight, without a body.',
    probeOnce: preflight,
  },
  { id: 'options-asterisk', rule: 'OPTIONS * is a 200 with Allow.', probeOnce: asterisk },
  {
    id: 'other-methods',
    rule: 'Other methods are a 405 method-not-allowed.',
    probeOnce: refuses(405, 'method-not-allowed', (probe) => [
      { method: 'POST', target: pathOf(probe), fields: [['Content-Length', '0']] },
      { method: 'PROPFIND', target: pathOf(probe) },
    ]),
  },
  {
    id: 'request-body',
    rule: 'A request with a body gets its response, and the connection is closed.',
    probeOnce: withBody,
  },
  { id: 'pipelining', rule: 'Several requests sent at once get their responses in order.', probeOnce: pipelined },
  {
    id: 'invalid-http',
    rule: 'What is not valid HTTP is a 400, and the connection is closed.',
    probeOnce: invalidHttp,
  },
  {
    id: 'problem-shape',
    rule: 'A path that there is not is a 404 not-found, and a problem has type, title, status, detail and instance.',
    probeOnce: problemShape,
  },
  {
    id: 'problem-headers',
    rule: 'Problems have Allow, Vary and the CORS headers of a page, and Cache-Control: no-store.',
    probeOnce: problemHeaders,
  },
  {
    id: 'problem-order',
    rule: 'Of several things wrong, the path comes before the method, and the method before the parameters.',
    probeOnce: async (probe) => [
      ...((await eachOf(
        probe,
        [{ method: 'PROPFIND', target: `${V1_PATH}/nowhere?page=0` }],
        '404',
        ({ status }) => status === 404,
      )) ?? []),
      ...((await eachOf(
        probe,
        [{ method: 'PROPFIND', target: `${pathOf(probe)}?page=0` }],
        '405',
        ({ status }) => status === 405,
      )) ?? []),
    ],
  },
  {
    id: 'bad-host',
    rule: 'Where links are made from Host, one that is no host is a 400 bad-host.',
    probeOnce: badHost,
  },
  {
    id: 'keep-alive',
    rule: 'A connection stays open for further requests, and empty lines before a request are ignored.',
    probeOnce: keptAlive,
  },
  { id: 'http-1.0', rule: 'HTTP/1.0 gets a response, and the connection is closed.', probeOnce: oldHttp },
  {
    id: 'if-none-match',
    rule: 'If-None-Match with the ETag, weak or strong, in a list or as *, is a 304.',
    probeOnce: (probe) =>
      conditional(probe, 'ETag', 304, (tag) =>
        [tag, `W/${tag}`, `"x", ${tag}`, '*'].map((value) => ['If-None-Match', value] as const),
      ),
  },
  {
    id: 'if-modified-since',
    rule: 'If-Modified-Since with the date of Last-Modified is a 304.',
    probeOnce: (probe) => conditional(probe, 'Last-Modified', 304, (date) => [['If-Modified-Since', date]]),
  },
  {
    id: 'if-match',
    rule: 'If-Match with another tag is a 412.',
    probeOnce: (probe) => conditional(probe, 'ETag', 412, () => [['If-Match', '"another"']]),
  },
  {
    id: 'if-unmodified-since',
    rule: 'If-Unmodified-Since with an earlier date is a 412.',
    probeOnce: (probe) =>
      conditional(probe, 'Last-Modified', 412, () => [['If-Unmodified-Since', 'Thu, 01 Jan 1970 00:00:00 GMT']]),
  },
  { id: 'not-modified-headers', rule: 'A 304 has all headers of the page.', probeOnce: notModified },
  {
    id: 'long-url',
    rule: 'A URL of more than 8,000 characters is a 414 uri-too-long.',
    probeOnce: refuses(414, 'uri-too-long', (probe) => [get(`${pathOf(probe)}?x=${'x'.repeat(LONG_TARGET)}`)]),
  },
  {
    id: 'many-headers',
    rule: 'More than 100 headers are a 431 headers-too-large.',
    probeOnce: refuses(431, 'headers-too-large', (probe) => [
      get(pathOf(probe), ...Array.from({ length: MANY_FIELDS }, (_, at): HeaderField => [`X-${at}`, 'x'])),
    ]),
  },
  {
    id: 'long-headers',
    rule: 'Headers of more than 16,384 bytes are a 431 headers-too-large.',
    probeOnce: refuses(431, 'headers-too-large', (probe) => [get(pathOf(probe), ['X-Long', 'x'.repeat(LONG_HEAD)])]),
  },
  {
    id: 'index',
    rule: '/api/v1 is an object with the name and the URL of each collection.',
    probeOnce: listOfCollections,
  },
  {
    id: 'repeatable',
    rule: 'A page is the same when it is requested again.',
    probeOnce: givesFirstPage((probe) => [get(pageTarget(probe.collection, 1))]),
  },
]

const escaped = (letter: string) => `%${letter.charCodeAt(0).toString(16)}`

function detailOf({ body }: RawResponse): string {
  const value = parseJson(body)?.value
  return typeof value === 'object' && value !== null && 'detail' in value ? String(value.detail) : ''
}

/** In the order in which docs/verify.md lists them. */
export const adviceChecks: readonly Check[] = advice.map((check) => ({ severity: 'advice', ...check }))
