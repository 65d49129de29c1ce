// Advice on records, headers and requests: what clients of any server need although the contract is silent.
import { asksFirst } from './caching-advice.ts'
import type { CheckFunctions, Probe } from './check.ts'
import type { Client, Sent } from './client.ts'
import type { CollectionWalk } from './collection-walk.ts'
import { pathOf, V1_PATH } from './contract.ts'
import type { EmbeddedFault, Evidence } from './embedded-records.ts'
import { type Finding, type Findings, headerCame, unless } from './findings.ts'
import { twice } from './page-rules.ts'
import { shown } from './printable.ts'
import { eachOf, get, isFirstPage, isRefusal, isSuccess } from './probing.ts'
import { NoResponse, type RawResponse, tokensOf } from './raw-response.ts'
import { contentOf, headerOf, PAGE_HEADERS, pageTarget, parseJson } from './received-page.ts'

/** A host that is not the one of the server. */
const ELSEWHERE = 'elsewhere.example'
const NO_HOST = 'a b'
const BAD_PAGES = ['page=0', 'page=-1', 'page=1.5', 'page=1x', 'page=abc', 'page=', `page=${'1'.repeat(16)}`]
/** The headers that scripts need in order to walk through pages, and to find out whether one has changed. */
const EXPOSED = [...PAGE_HEADERS.filter((name) => name.startsWith('X-') || name === 'Link'), 'ETag']
const ORIGIN = 'Access-Control-Allow-Origin'
/** The number of times that a page is requested again to see whether it is still the same. */
const MAX_CONFIRMATIONS = 4

/** Advice on the elements of a header. */
const onHeader = (name: string, fits: (tokens: readonly string[]) => boolean): CheckFunctions => ({
  page: ({ response }) => unless(fits(tokensOf(response.fields, name)), headerCame(name, headerOf(response, name))),
})

/** Advice on the responses to requests that are sent to one collection. */
const onRequests = (
  requests: (path: string) => readonly Sent[],
  holds: (response: RawResponse, probe: Probe) => boolean,
  headers?: readonly string[],
): CheckFunctions => ({ probeOnce: (probe) => eachOf(probe, requests(pathOf(probe.collection)), holds, headers) })

const isNotFound = ({ status }: RawResponse) => status === 404
const allowsAnyOrigin = ({ fields }: RawResponse) => tokensOf(fields, ORIGIN).join() === '*'

async function beyondLast(probe: Probe): Promise<Findings> {
  const { pages } = probe.first
  if (pages === undefined) return undefined
  return eachOf(probe, [get(pageTarget(probe.collection, Math.max(pages, 1) + 1))], isNotFound)
}

async function badHost(probe: Probe): Promise<Findings> {
  const path = pathOf(probe.collection)
  const { outcome } = await probe.trial(get(path, ['Host', ELSEWHERE]))
  // A configured address is used whatever the request says.
  if (outcome instanceof NoResponse || headerOf(outcome, 'Link')?.includes(`//${ELSEWHERE}`) !== true) return undefined
  const isSafe = (response: RawResponse) => isRefusal(response) || !headerOf(response, 'Link')?.includes(NO_HOST)
  return eachOf(probe, [get(path, ['Host', NO_HOST])], isSafe, ['Link'])
}

/** Finds two records with the same key or code. A record that stands twice has a check of its own. */
const unique = (part: 'key' | 'code'): CheckFunctions => ({
  walk: (walk) => {
    if (walk.pages.every(({ records }) => records.every((record) => record[part] === undefined))) return undefined
    const others = [...twice(walk, part)].filter(({ record, before }) => record.content !== before.content)
    return others.map(({ record, request, places }) => ({ request, came: `${shown(record[part])} ${places}` }))
  },
})

/** Finds codes that are shorter than official ones, or than those that begin with 0. */
function lostZeros({ codes }: CollectionWalk): Findings {
  const findings = [...codes].flatMap(([name, { digits, lengths }]) => {
    const padded = [...lengths].filter(([, { padded }]) => padded !== undefined).map(([length]) => length)
    const short = [...lengths].filter(([length]) => length < Math.max(digits, ...padded))
    return short.map(([, { count, code, request }]): Finding => {
      const more = count === 1 ? '' : `, and ${count - 1} more of as many digits`
      return { request, came: `${name} ${shown(code)}${more}` }
    })
  })
  return codes.size === 0 ? undefined : findings
}

/** Pages may contradict each other because the catalog has changed in between: then one of them does not come again as it was. */
async function confirmed(client: Client, faults: readonly EmbeddedFault[]): Promise<Findings> {
  const isSame = async ({ target, content }: Evidence): Promise<boolean> => {
    for (let attempt = 0; attempt < MAX_CONFIRMATIONS; attempt++) {
      const { outcome } = await client.send(get(target))
      if (outcome instanceof NoResponse) return false
      if (contentOf(parseJson(outcome.body)) === content) return true
    }
    return false
  }
  const results = new Map<string, Promise<boolean>>()
  const findings: Finding[] = []
  for (const { came, pages } of faults) {
    for (const page of pages) if (!results.has(page.target)) results.set(page.target, isSame(page))
    const all = await Promise.all(pages.map(({ target }) => results.get(target)))
    if (all.every(Boolean)) findings.push({ request: `GET ${client.base}${pages[0].target}`, came })
  }
  return findings
}

const MISHAPS = ['droppedConnections', 'timeouts'] as const

export const advice = {
  charset: {
    page: (page) => {
      const type = page.header('Content-Type')
      const [, charset = 'utf-8'] = /;[ \t]*charset="?([^";]*)/i.exec(type ?? '') ?? []
      return unless(/^utf-8[ \t]*$/i.test(charset), headerCame('Content-Type', type))
    },
  },
  'link-last': {
    page: ({ isLast, links }) => {
      const next = typeof links === 'object' ? links.find(({ relation }) => relation === 'next') : undefined
      return isLast === true ? unless(next === undefined, `Link: ${next?.text}`) : undefined
    },
  },
  'code-zeros': { walk: lostZeros },
  'embedded-alike': {
    end: async ({ client, embedded }) => (embedded.isEmpty ? undefined : confirmed(client, embedded.contradictions)),
  },
  'embedded-listed': { end: async ({ client, embedded }) => embedded.unlisted && confirmed(client, embedded.unlisted) },
  'unique-keys': unique('key'),
  'unique-codes': unique('code'),
  'cors-origin': {
    page: ({ response }) => unless(allowsAnyOrigin(response), headerCame(ORIGIN, headerOf(response, ORIGIN))),
  },
  'cors-headers': onHeader('Access-Control-Expose-Headers', (tokens) =>
    EXPOSED.every((name) => tokens.includes(name.toLowerCase())),
  ),
  cookies: onHeader('Set-Cookie', (tokens) => tokens.length === 0),
  'options-preflight': onRequests(
    (target) => {
      const wanted = ['Access-Control-Request-Headers', 'if-none-match'] as const
      const fields = [['Origin', `https://${ELSEWHERE}`], ['Access-Control-Request-Method', 'GET'], wanted] as const
      return [{ method: 'OPTIONS', target, fields }]
    },
    (response) =>
      isSuccess(response) &&
      ['*', `https://${ELSEWHERE}`].includes(tokensOf(response.fields, ORIGIN).join()) &&
      tokensOf(response.fields, 'Access-Control-Allow-Headers').some((name) => ['*', 'if-none-match'].includes(name)),
    [ORIGIN, 'Access-Control-Allow-Headers'],
  ),
  'problem-headers': onRequests(
    () => [get(`${V1_PATH}/nowhere`)],
    (response) => allowsAnyOrigin(response) && asksFirst(tokensOf(response.fields, 'Cache-Control')),
    [ORIGIN, 'Cache-Control'],
  ),
  'page-beyond-last': { probe: beyondLast },
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
  'bad-host': { probeOnce: badHost },
  connections: {
    end: async ({ client }) => (client.hasResponded ? MISHAPS.flatMap((kind) => client.mishaps(kind)) : undefined),
  },
} satisfies Readonly<Record<string, CheckFunctions>>
