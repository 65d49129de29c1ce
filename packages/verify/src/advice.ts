// Advice: what clients of any server need although the contract is silent.
import type { CheckFunctions, ChecksById, Probe } from './check.ts'
import type { Sent } from './client.ts'
import type { CollectionWalk } from './collection-walk.ts'
import { pathOf, V1_PATH } from './contract.ts'
import { headerCame, type RuleFindings, unless } from './findings.ts'
import { wait } from './pace.ts'
import { onHeader, twice } from './page-rules.ts'
import { shown } from './printable.ts'
import { ANOTHER_TAG, describe, eachOf, get, isFirstPage, isRefusal } from './probing.ts'
import { type HeaderField, type RawResponse, tokensOf } from './raw-response.ts'
import { headerOf, PAGE_HEADERS, pageTarget } from './received-page.ts'

const ORIGIN = 'Access-Control-Allow-Origin'
const VALIDATORS = ['ETag', 'Last-Modified'] as const
/** Headers that caches and scripts need besides those of the contract. */
const CACHE_HEADERS = [...VALIDATORS, 'Cache-Control', ORIGIN] as const

/** Returns the headers that have another value than on the first page. */
const otherHeaders = ({ first }: Probe, response: RawResponse, names: readonly string[]): string[] =>
  names.filter((name) => headerOf(response, name) !== first.header(name))

/** Returns true if a cache requests a page again before it uses its copy, by the elements of Cache-Control. */
const isRevalidated = (tokens: readonly string[]): boolean =>
  ['no-cache', 'no-store'].some((token) => tokens.includes(token)) ||
  (tokens.includes('max-age=0') && !tokens.some((token) => /^s-maxage=(?!0$)/.test(token)))

/** Advice on requests with a condition on a validator of the page: that it is the same gets a 304, and another the page. */
const conditional = (
  validator: (typeof VALIDATORS)[number],
  same: (value: string) => readonly HeaderField[],
  changed: () => readonly HeaderField[],
): CheckFunctions => ({
  probeOnce: async (probe) => {
    const value = probe.first.header(validator)
    if (value === undefined) return undefined
    const target = pageTarget(probe.collection, 1)
    const unchanged = same(value).map((field) => get(target, field))
    return [
      ...(await eachOf(probe, unchanged, (response) => response.status === 304)),
      ...(await eachOf(probe, [get(target, ...changed())], isFirstPage)),
    ]
  },
})

const ifNoneMatch = (tags: string): HeaderField => ['If-None-Match', tags]
const ifModifiedSince = (date: string): HeaderField => ['If-Modified-Since', date]
const opaque = (tag: string) => tag.replace(/^W\//, '')

async function headAlike(probe: Probe): Promise<RuleFindings> {
  const target = pageTarget(probe.collection, 1)
  const response = await probe.send({ method: 'HEAD', target })
  if (response?.status !== 200) return undefined
  const length = headerOf(response, 'Content-Length')
  const isSameLength = length === undefined || Number(length) === probe.first.response.body.length
  const others = [...otherHeaders(probe, response, CACHE_HEADERS), ...(isSameLength ? [] : ['Content-Length'])]
  return unless(others.length === 0, describe(response, others), undefined, `HEAD ${probe.client.base}${target}`)
}

async function repeatable(probe: Probe): Promise<RuleFindings> {
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

function sameDate({ pages: [first, ...others] }: CollectionWalk): RuleFindings {
  if (first === undefined || others.length === 0) return undefined
  if ([first, ...others].every(({ lastModified }) => lastModified === undefined)) return undefined
  return others
    .filter(({ lastModified }) => lastModified !== first.lastModified)
    .map(({ request, lastModified }) => ({ request, came: headerCame('Last-Modified', lastModified) }))
}

const BAD_PAGES = ['page=0', 'page=-1', 'page=1.5', 'page=1x', 'page=abc', 'page=', `page=${'1'.repeat(16)}`]
/** The headers that scripts need in order to walk through pages, and to find out whether one has changed. */
const EXPOSED = [...PAGE_HEADERS.filter((name) => name.startsWith('X-') || name === 'Link'), 'ETag']

/** Advice on the responses to requests that are sent to one collection. */
const onRequests = (
  requests: (path: string) => readonly Sent[],
  holds: (response: RawResponse, probe: Probe) => boolean,
): CheckFunctions => ({ probeOnce: (probe) => eachOf(probe, requests(pathOf(probe.collection)), holds) })

const isNotFound = ({ status }: RawResponse) => status === 404

/** Finds two records with the same key or code. A record that stands twice has a check of its own. */
const unique = (part: 'key' | 'code'): CheckFunctions => ({
  walk: (walk) => {
    if (walk.pages.every(({ records }) => records.every((record) => record[part] === undefined))) return undefined
    const others = [...twice(walk, part)].filter(({ record, before }) => record.content !== before.content)
    return others.map(({ record, request, places }) => ({ request, came: `${shown(record[part])} ${places}` }))
  },
})

const MISHAPS = ['droppedConnections', 'timeouts'] as const

export const advice = {
  charset: onHeader('Content-Type', (_, type = '') => {
    const [, charset = 'utf-8'] = /;[ \t]*charset="?([^";]*)/i.exec(type) ?? []
    return /^utf-8[ \t]*$/i.test(charset)
  }),
  'link-last': {
    page: ({ isLast, links }) => {
      const next = links.find(({ relation }) => relation === 'next')
      return isLast === true ? unless(next === undefined, `Link: ${next?.text}`) : undefined
    },
  },
  'unique-keys': unique('key'),
  'unique-codes': unique('code'),
  'cors-origin': onHeader(ORIGIN, (tokens) => tokens.join() === '*'),
  'cors-headers': onHeader('Access-Control-Expose-Headers', (tokens) =>
    EXPOSED.every((name) => tokens.includes(name.toLowerCase())),
  ),
  cookies: onHeader('Set-Cookie', (tokens) => tokens.length === 0),
  'page-beyond-last': {
    probe: async (probe) => {
      const { pages } = probe.first
      if (pages === undefined) return undefined
      return eachOf(probe, [get(pageTarget(probe.collection, Math.max(pages, 1) + 1))], isNotFound)
    },
  },
  'bad-page': onRequests((path) => BAD_PAGES.map((query) => get(`${path}?${query}`)), isRefusal),
  'other-parameters': onRequests((path) => [get(`${path}?_=1&per_page=50&search=x&ordering=-id`)], isFirstPage),
  'any-accept': onRequests(
    (path) => ['text/html', 'application/xml', '*/*'].map((type) => get(path, ['Accept', type])),
    isFirstPage,
  ),
  'unknown-path': onRequests(() => [get(`${V1_PATH}/nowhere`)], isNotFound),
  'other-methods': onRequests(
    (target) => ['PROPFIND', 'TRACE'].map((method) => ({ method, target })),
    (response) => isRefusal(response) || response.status === 501,
  ),
  connections: {
    end: (client) => (client.hasResponded ? MISHAPS.flatMap((kind) => client.mishaps(kind)) : undefined),
  },
  repeatable: { probeOnce: repeatable },
  etag: onHeader('ETag', (_, tag = '') => /^(?:W\/)?"[^"]*"$/.test(tag)),
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
    (tag) => [opaque(tag), `W/${opaque(tag)}`, `${ANOTHER_TAG}, ${tag}`, '*'].map(ifNoneMatch),
    // With a tag, the date does not count.
    () => [ifNoneMatch(ANOTHER_TAG), ifModifiedSince(new Date().toUTCString())],
  ),
  'if-modified-since': conditional(
    'Last-Modified',
    (date) => [ifModifiedSince(date)],
    () => [ifModifiedSince(new Date(0).toUTCString())],
  ),
  'head-alike': { probe: headAlike },
  'content-coding': onHeader('Content-Encoding', (tokens) => tokens.every((token) => token === 'identity')),
  'content-length': {
    page: ({ response: { fields } }) => {
      const isMarked = ['Content-Length', 'Transfer-Encoding'].some((name) => tokensOf(fields, name).length > 0)
      return unless(isMarked, 'no Content-Length, and no chunks')
    },
  },
  'cache-control': onHeader('Cache-Control', isRevalidated),
} satisfies ChecksById
