// Advice on caching: validators, conditional requests, HEAD, compression and the length of a page.
import { gunzipSync } from 'node:zlib'
import type { CheckFunctions, Probe } from './check.ts'
import type { CollectionWalk } from './collection-walk.ts'
import { type Findings, headerCame, unless } from './findings.ts'
import { wait } from './pace.ts'
import { describe, eachOf, get, isFirstPage } from './probing.ts'
import { type HeaderField, NoResponse, type RawResponse, tokensOf } from './raw-response.ts'
import { headerOf, PAGE_HEADERS, pageTarget } from './received-page.ts'

const ANOTHER_TAG = '"another"'
/** A few compressed kilobytes can grow to fill the memory. */
const MAX_PAGE = 16 << 20
const VALIDATORS = ['ETag', 'Last-Modified'] as const
/** Headers that caches and scripts need besides those of the contract. */
const CACHE_HEADERS = [...VALIDATORS, 'Cache-Control', 'Access-Control-Allow-Origin'] as const

/** Returns the headers that have another value than on the first page. */
const otherHeaders = ({ first }: Probe, response: RawResponse, names: readonly string[]): string[] =>
  names.filter((name) => headerOf(response, name) !== first.header(name))

/** Returns true if a cache requests a page again before it uses its copy, by the elements of Cache-Control. */
export const asksFirst = (tokens: readonly string[]): boolean =>
  ['no-cache', 'no-store'].some((token) => tokens.includes(token)) ||
  (tokens.includes('max-age=0') && !tokens.some((token) => /^s-maxage=(?!0$)/.test(token)))

type Values = (validator: string) => readonly string[]

/** Advice on requests with a condition on a validator of the page: some values get a status, and others the page. */
const conditional = (
  validator: (typeof VALIDATORS)[number],
  condition: string,
  status: 304 | 412,
  ofStatus: Values,
  ofPage: Values,
  ...more: readonly HeaderField[]
): CheckFunctions => ({
  probeOnce: async (probe) => {
    const value = probe.first.header(validator)
    if (value === undefined) return undefined
    const target = pageTarget(probe.collection, 1)
    const refused = ofStatus(value).map((one) => get(target, [condition, one]))
    const others = ofPage(value).map((one) => get(target, [condition, one], ...more))
    return [
      ...(await eachOf(probe, refused, (response) => response.status === status)),
      ...(await eachOf(probe, others, isFirstPage)),
    ]
  },
})

const itself: Values = (validator) => [validator]
const anotherTag: Values = () => [ANOTHER_TAG]
const longAgo: Values = () => [new Date(0).toUTCString()]
const opaque = (tag: string) => tag.replace(/^W\//, '')

/** A cache takes over the headers of a 304, and would take a body after it for the next response. */
async function notModified(probe: Probe): Promise<Findings> {
  const tag = probe.first.header('ETag')
  if (tag === undefined) return undefined
  const { request, outcome } = await probe.trial(get(pageTarget(probe.collection, 1), ['If-None-Match', tag]))
  // Another status has a check of its own.
  if (outcome instanceof NoResponse || outcome.status !== 304) return undefined
  const sent = [...PAGE_HEADERS, 'Last-Modified'].filter((name) => headerOf(outcome, name) !== undefined)
  const others = otherHeaders(probe, outcome, [...new Set(['ETag', 'Cache-Control', 'Vary', ...sent])])
  const came = outcome.surplus > 0 ? `${outcome.surplus} bytes after the headers of a 304` : describe(outcome, others)
  return unless(others.length === 0 && outcome.surplus === 0, came, undefined, `${request} with its ETag`)
}

async function headAlike(probe: Probe): Promise<Findings> {
  const target = pageTarget(probe.collection, 1)
  const response = await probe.send({ method: 'HEAD', target })
  if (response?.status !== 200) return undefined
  const length = headerOf(response, 'Content-Length')
  const isSameLength = length === undefined || Number(length) === probe.first.response.body.length
  const others = [...otherHeaders(probe, response, CACHE_HEADERS), ...(isSameLength ? [] : ['Content-Length'])]
  return unless(others.length === 0, describe(response, others), undefined, `HEAD ${probe.client.base}${target}`)
}

const codingOf = (response: RawResponse): string | undefined =>
  tokensOf(response.fields, 'Content-Encoding').find((coding) => coding !== 'identity')

const isPlain = (response: RawResponse) => codingOf(response) === undefined

/** Returns true if the response is the page, or the page in gzip in a form that no cache gives to other clients. */
function isWellCoded(response: RawResponse, probe: Probe): boolean {
  if (isPlain(response)) return isFirstPage(response, probe)
  const isKeptApart = tokensOf(response.fields, 'Vary').some((name) => name === 'accept-encoding' || name === '*')
  const tag = headerOf(response, 'ETag')
  const isTagShared = tag !== undefined && !tag.startsWith('W/') && tag === probe.first.header('ETag')
  try {
    const body = gunzipSync(response.body, { maxOutputLength: MAX_PAGE })
    return isKeptApart && !isTagShared && isFirstPage({ ...response, body }, probe)
  } catch {
    return false
  }
}

async function contentCoding(probe: Probe): Promise<Findings> {
  const accepting = (codings: string) => [get(pageTarget(probe.collection, 1), ['Accept-Encoding', codings])]
  const headers = ['Content-Encoding', 'Vary', 'ETag']
  return [
    ...(await eachOf(probe, accepting('gzip;q=0'), isPlain, headers)),
    ...(await eachOf(probe, accepting('gzip'), isWellCoded, headers)),
  ]
}

async function repeatable(probe: Probe): Promise<Findings> {
  // A date of the moment is the same within a second.
  if (Date.now() - Date.parse(probe.first.header('Last-Modified') ?? '') < 5_000) await wait(1_100)
  // Two more requests reach each of two servers behind one address.
  const requests = Array.from({ length: 2 }, () => get(pageTarget(probe.collection, 1)))
  const isSame = (response: RawResponse) =>
    isFirstPage(response, probe) && otherHeaders(probe, response, VALIDATORS).length === 0
  return eachOf(probe, requests, isSame, VALIDATORS)
}

/** Returns true for a date of HTTP that is not later than the response and this clock. */
function isPastDate(text: string, date = ''): boolean {
  const time = Date.parse(text)
  const now = Math.max(Date.now(), Date.parse(date) || 0)
  return time <= now && new Date(time).toUTCString() === text
}

function sameDate({ pages: [first, ...others] }: CollectionWalk): Findings {
  if (first === undefined || others.length === 0) return undefined
  if ([first, ...others].every(({ lastModified }) => lastModified === undefined)) return undefined
  return others
    .filter(({ lastModified }) => lastModified !== first.lastModified)
    .map(({ request, lastModified }) => ({ request, came: headerCame('Last-Modified', lastModified) }))
}

export const cachingAdvice = {
  repeatable: { probeOnce: repeatable },
  etag: {
    page: (page) => {
      const tag = page.header('ETag')
      return unless(/^(?:W\/)?"[^"]*"$/.test(tag ?? ''), headerCame('ETag', tag))
    },
  },
  'last-modified': {
    page: (page) => {
      const date = page.header('Last-Modified')
      if (date === undefined) return undefined
      return unless(isPastDate(date, page.header('Date')), headerCame('Last-Modified', date))
    },
    walk: sameDate,
  },
  'if-none-match': conditional(
    'ETag',
    'If-None-Match',
    304,
    (tag) => [opaque(tag), `W/${opaque(tag)}`, `${ANOTHER_TAG}, ${tag}`, '*'],
    anotherTag,
    // With a tag, the date does not count.
    ['If-Modified-Since', new Date().toUTCString()],
  ),
  'if-modified-since': conditional('Last-Modified', 'If-Modified-Since', 304, itself, longAgo),
  // A weak tag never matches here.
  'if-match': conditional('ETag', 'If-Match', 412, anotherTag, (tag) => (tag === opaque(tag) ? [tag] : [])),
  'if-unmodified-since': conditional('Last-Modified', 'If-Unmodified-Since', 412, longAgo, itself),
  'not-modified-headers': { probeOnce: notModified },
  'head-alike': { probe: headAlike },
  'content-coding': {
    page: ({ response }) => unless(isPlain(response), `Content-Encoding: ${codingOf(response)}`),
    probeOnce: contentCoding,
  },
  'content-length': {
    page: ({ response: { fields } }) => {
      const isMarked = ['Content-Length', 'Transfer-Encoding'].some((name) => tokensOf(fields, name).length > 0)
      return unless(isMarked, 'no Content-Length, and no chunks')
    },
  },
  'cache-control': {
    page: ({ response }) => {
      const isRight = asksFirst(tokensOf(response.fields, 'Cache-Control'))
      return unless(isRight, headerCame('Cache-Control', headerOf(response, 'Cache-Control')))
    },
  },
} satisfies Readonly<Record<string, CheckFunctions>>
