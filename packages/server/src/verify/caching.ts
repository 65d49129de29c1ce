// Advice on what caches go by: validators, conditional requests, HEAD, compression and the length of a page.
import { gunzipSync } from 'node:zlib'
import { printable, wait } from '../source/requests.ts'
import { type CheckOutcome, type Probe, unless } from './check.ts'
import { type HeaderField, type RawResponse, tokensOf } from './connection.ts'
import { headerCame } from './page-verdicts.ts'
import { type Advice, conversation, describe, eachOf, get, isFirstPage } from './probing.ts'
import { headerOf, PAGE_HEADERS, pageTarget, type SeenPage } from './seen-page.ts'

const ANOTHER_TAG = '"another"'
const LONG_AGO = new Date(0).toUTCString()
/** A few compressed kilobytes can grow to fill the memory. */
const MAX_PAGE = 16 << 20
const VALIDATORS = ['ETag', 'Last-Modified'] as const
/** What caches and scripts go by besides the headers of the contract. */
const CACHE_HEADERS = [...VALIDATORS, 'Cache-Control', 'Access-Control-Allow-Origin'] as const

/** Those headers that have another value than on the first page. */
const otherHeaders = ({ first }: Probe, response: RawResponse, names: readonly string[]): string[] =>
  names.filter((name) => headerOf(response, name) !== first.header(name))

/** Whether a cache asks the server before it gives away what it has, by the elements of Cache-Control. */
export const asksFirst = (tokens: readonly string[]): boolean =>
  ['no-cache', 'no-store'].some((token) => tokens.includes(token)) ||
  (tokens.includes('max-age=0') && !tokens.some((token) => /^s-maxage=(?!0$)/.test(token)))

type Conditions = (validator: string, page: SeenPage) => readonly Readonly<Record<string, string>>[]

/** Requests with conditions on a validator that the page has: some get a status, and the others the page. */
const conditional = (
  id: string,
  rule: string,
  validator: (typeof VALIDATORS)[number],
  status: number,
  ofStatus: Conditions,
  ofPage: Conditions,
): Advice => ({
  id,
  rule,
  probeOnce: async (probe) => {
    const { first, collection } = probe
    const value = first.header(validator)
    if (value === undefined) return undefined
    const requests = (conditions: Conditions) =>
      conditions(value, first).map((fields) => get(pageTarget(collection, 1), ...Object.entries(fields)))
    const expected = `status ${status}`
    return [
      ...(await eachOf(probe, requests(ofStatus), expected, (response) => response.status === status)),
      ...(await eachOf(probe, requests(ofPage), 'the page', (response) => isFirstPage(probe, response))),
    ]
  },
})

const opaque = (tag: string) => tag.replace(/^W\//, '')

/** A cache takes over the headers of a 304, and would take a body after it for the next response. */
async function notModified(probe: Probe): Promise<CheckOutcome> {
  const { client, collection, first } = probe
  const tag = first.header('ETag')
  if (tag === undefined) return undefined
  const target = pageTarget(collection, 1)
  const request = `GET ${client.base}${target} with If-None-Match: ${printable(tag)}`
  return conversation(probe, request, 'the headers of the page, and no body', async (connection) => {
    const fields: readonly HeaderField[] = [
      ['If-None-Match', tag],
      ['Connection', 'close'],
    ]
    connection.write(client.message({ method: 'GET', target: client.targetOf(target), fields }))
    const response = await connection.read(false)
    // Another status is told by a check of its own.
    if (response.status !== 304) return undefined
    await connection.readUntilClosed(client.patience)
    if (connection.unread > 0) return `${connection.unread} bytes after the headers of a 304`
    const required = ['ETag', 'Cache-Control', 'Vary']
    const sent = [...PAGE_HEADERS, 'Last-Modified'].filter((name) => headerOf(response, name) !== undefined)
    const others = otherHeaders(probe, response, [...new Set([...required, ...sent])])
    return others.length === 0 ? undefined : describe(response, others)
  })
}

async function headAlike(probe: Probe): Promise<CheckOutcome> {
  const target = pageTarget(probe.collection, 1)
  const response = await probe.send({ method: 'HEAD', target })
  if (response?.status !== 200) return undefined
  const length = headerOf(response, 'Content-Length')
  const isSameLength = length === undefined || Number(length) === probe.first.response.body.length
  const others = [...otherHeaders(probe, response, CACHE_HEADERS), ...(isSameLength ? [] : ['Content-Length'])]
  const expected = describe(probe.first.response, others)
  return unless(others.length === 0, describe(response, others), expected, `HEAD ${probe.client.base}${target}`)
}

/** Whether a response to a request that accepts gzip is the page, in a form that no cache gives to those who do not accept it. */
function isWellCoded(probe: Probe, response: RawResponse): boolean {
  if (codingOf(response) === undefined) return isFirstPage(probe, response)
  const isKeptApart = tokensOf(response.fields, 'Vary').some((name) => name === 'accept-encoding' || name === '*')
  const tag = headerOf(response, 'ETag')
  const isTagShared = tag !== undefined && !tag.startsWith('W/') && tag === probe.first.header('ETag')
  try {
    const body = gunzipSync(response.body, { maxOutputLength: MAX_PAGE })
    return isKeptApart && !isTagShared && isFirstPage(probe, { ...response, body })
  } catch {
    return false
  }
}

const codingOf = (response: RawResponse): string | undefined =>
  tokensOf(response.fields, 'Content-Encoding').find((coding) => coding !== 'identity')

async function contentCoding(probe: Probe): Promise<CheckOutcome> {
  const accepting = (codings: string) => [get(pageTarget(probe.collection, 1), ['Accept-Encoding', codings])]
  const headers = ['Content-Encoding', 'Vary', 'ETag']
  const isPlain = (response: RawResponse) => codingOf(response) === undefined
  const gzip = 'the page, or the page in gzip with Vary: Accept-Encoding and an ETag of its own'
  return [
    ...(await eachOf(probe, accepting('gzip;q=0'), 'no Content-Encoding', isPlain, headers)),
    ...(await eachOf(probe, accepting('gzip'), gzip, (response) => isWellCoded(probe, response), headers)),
  ]
}

/** Whether a text is a date of HTTP, and none that is later than a response and this clock. */
function isPastDate(text: string, date = ''): boolean {
  const time = Date.parse(text)
  const now = Math.max(Date.now(), Date.parse(date) || 0)
  return time <= now && new Date(time).toUTCString() === text
}

const isOfTheMoment = (page: SeenPage) => Date.now() - Date.parse(page.header('Last-Modified') ?? '') < 5_000

/** The advice in the order of docs/verify.md. */
export const cachingAdvice: readonly Advice[] = [
  {
    id: 'repeatable',
    rule: 'A page is the same when it is requested again, and so are its ETag and Last-Modified.',
    probeOnce: async (probe) => {
      // A date of the moment is the same within a second.
      if (isOfTheMoment(probe.first)) await wait(1_100, new AbortController().signal)
      return eachOf(
        probe,
        // Of two servers behind one address, at least one responds to the first two.
        Array.from({ length: 2 }, () => get(pageTarget(probe.collection, 1))),
        describe(probe.first.response, VALIDATORS).replace(/^status 200/, 'the same page'),
        (response) => isFirstPage(probe, response) && otherHeaders(probe, response, VALIDATORS).length === 0,
        VALIDATORS,
      )
    },
  },
  {
    id: 'etag',
    rule: 'A page has an ETag.',
    page: (page) => {
      const tag = page.header('ETag')
      return unless(/^(?:W\/)?"[^"]*"$/.test(tag ?? ''), headerCame('ETag', tag), 'ETag: "…"')
    },
  },
  {
    id: 'last-modified',
    rule: 'Last-Modified, if it is there, is a date of HTTP, not in the future, and the same on all pages of a collection.',
    page: (page) => {
      const date = page.header('Last-Modified')
      const expected = 'a date of HTTP that is not in the future'
      return date === undefined
        ? undefined
        : unless(isPastDate(date, page.header('Date')), headerCame('Last-Modified', date), expected)
    },
    walk: ({ pages }) => {
      const [first, ...others] = pages
      if (others.length === 0 || pages.every(({ lastModified }) => lastModified === undefined)) return undefined
      return others
        .filter(({ lastModified }) => lastModified !== first?.lastModified)
        .map(({ request, lastModified }) => ({
          request,
          came: headerCame('Last-Modified', lastModified),
          expected: `${headerCame('Last-Modified', first?.lastModified)}, as on page ${first?.page}: pages of one release`,
        }))
    },
  },
  conditional(
    'if-none-match',
    'If-None-Match with the ETag of a page, weak or strong, in a list or as *, is a 304, and with another tag the page, whatever If-Modified-Since says.',
    'ETag',
    304,
    (tag) =>
      [opaque(tag), `W/${opaque(tag)}`, `${ANOTHER_TAG}, ${tag}`, '*'].map((tags) => ({ 'If-None-Match': tags })),
    (_tag, page) => [
      { 'If-None-Match': ANOTHER_TAG },
      // Where there is a tag, the date does not count.
      { 'If-None-Match': ANOTHER_TAG, 'If-Modified-Since': page.header('Last-Modified') ?? LONG_AGO },
    ],
  ),
  conditional(
    'if-modified-since',
    'If-Modified-Since with the date of Last-Modified is a 304, and with an earlier date the page.',
    'Last-Modified',
    304,
    (date) => [{ 'If-Modified-Since': date }],
    () => [{ 'If-Modified-Since': LONG_AGO }],
  ),
  conditional(
    'if-match',
    'If-Match with another tag is a 412, and with the ETag of a page the page.',
    'ETag',
    412,
    () => [{ 'If-Match': ANOTHER_TAG }],
    // A weak tag never matches here.
    (tag) => (tag === opaque(tag) ? [{ 'If-Match': tag }] : []),
  ),
  conditional(
    'if-unmodified-since',
    'If-Unmodified-Since with an earlier date than Last-Modified is a 412, and with its date the page.',
    'Last-Modified',
    412,
    () => [{ 'If-Unmodified-Since': LONG_AGO }],
    (date) => [{ 'If-Unmodified-Since': date }],
  ),
  {
    id: 'not-modified-headers',
    rule: 'A 304 has ETag, Cache-Control and Vary of the page, no header of the page with another value, and no body.',
    probeOnce: notModified,
  },
  {
    id: 'head-alike',
    rule: 'HEAD has the validators, the caching and the origins of GET, and no other Content-Length.',
    probe: headAlike,
  },
  {
    id: 'content-coding',
    rule: 'No page is compressed unless the request accepts it, and then Vary has Accept-Encoding, and the ETag is another.',
    page: ({ response }) =>
      unless(codingOf(response) === undefined, `Content-Encoding: ${codingOf(response)}`, 'no Content-Encoding'),
    probeOnce: contentCoding,
  },
  {
    id: 'content-length',
    rule: 'A page has Content-Length or comes in chunks: otherwise nobody can tell whether it is whole.',
    page: ({ response: { fields } }) =>
      unless(
        ['Content-Length', 'Transfer-Encoding'].some((name) => tokensOf(fields, name).length > 0),
        'no Content-Length, and no chunks',
        'Content-Length with the bytes of the body',
      ),
  },
  {
    id: 'cache-control',
    rule: 'No cache gives a page away without asking: Cache-Control has no-cache or no-store, or max-age=0 without s-maxage.',
    page: ({ response }) =>
      unless(
        asksFirst(tokensOf(response.fields, 'Cache-Control')),
        headerCame('Cache-Control', headerOf(response, 'Cache-Control')),
        'Cache-Control: public, no-cache',
      ),
  },
]
