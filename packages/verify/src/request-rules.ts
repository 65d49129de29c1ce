// The rules about requests: a whole response to each, other ways to ask for a page, HEAD, OPTIONS and POST.
import type { CheckFunctions, ChecksById, Probe } from './check.ts'
import { pathOf } from './contract.ts'
import { headerCame, type RuleFindings, unless } from './findings.ts'
import { allowFindings } from './page-rules.ts'
import { shown } from './printable.ts'
import { ANOTHER_TAG, eachOf, get, isSuccess } from './probing.ts'
import { NoResponse, type RawResponse } from './raw-response.ts'
import { bodyJson, headerOf, PAGE_HEADERS, pageTarget } from './received-page.ts'

/** The contract leaves a page beyond the last open: it may be the first or the last again, but has no records of its own. */
async function nothingBeyond({ client, collection, first }: Probe): Promise<RuleFindings> {
  if (first.pages === undefined || first.records === undefined) return undefined
  const last = Math.max(first.pages, 1)
  const recordsOf = async (page: number) => {
    const { outcome } = await client.sendOnce(get(pageTarget(collection, page)))
    const value = outcome instanceof NoResponse || outcome.status !== 200 ? undefined : bodyJson(outcome.body)?.value
    return Array.isArray(value) ? value.map((record) => JSON.stringify(record)) : []
  }
  const beyond = await recordsOf(last + 1)
  if (beyond.length === 0) return []
  const expectable = new Set([...first.records.map((record) => JSON.stringify(record)), ...(await recordsOf(last))])
  const others = beyond.filter((record) => !expectable.has(record))
  return unless(
    others.length === 0,
    `${others.length} records that are on no other page, such as ${shown(JSON.parse(others[0] ?? 'null'))}`,
    `no records beyond page ${last}, since X-Total is ${first.total}`,
    `GET ${client.base}${pageTarget(collection, last + 1)}`,
  )
}

/** Checks that a request gets the same as one that names both page and format, whose faults have checks of their own. */
async function samePage({ send, client, collection }: Probe, target: string, page: number): Promise<RuleFindings> {
  const response = await send(get(target))
  const { outcome: named } = await client.sendOnce(get(pageTarget(collection, page)))
  if (response === undefined || named instanceof NoResponse || named.status !== 200) return undefined
  const request = `GET ${client.base}${target}`
  const expected = `page ${page}`
  if (response.status !== 200) return unless(false, `status ${response.status}`, `status 200 and ${expected}`, request)
  const number = headerOf(response, 'X-Page')
  if (number !== headerOf(named, 'X-Page')) return unless(false, headerCame('X-Page', number), expected, request)
  const [came, required] = [bodyJson(response.body), bodyJson(named.body)]
  const isSame = JSON.stringify(came?.value) === JSON.stringify(required?.value)
  return required && unless(isSame, 'other records', `the records of ${expected}`, request)
}

const withoutPage = (probe: Probe) => samePage(probe, `${pathOf(probe.collection)}?format=api`, 1)

async function formatOmitted(probe: Probe): Promise<RuleFindings> {
  const page = (probe.first.pages ?? 0) > 1 ? 2 : 1
  const numbered = await samePage(probe, `${pathOf(probe.collection)}?page=${page}`, page)
  if (numbered === undefined || numbered.length > 0) return numbered
  const bare = await withoutPage(probe)
  return bare === undefined || bare.length > 0 ? numbered : samePage(probe, pathOf(probe.collection), 1)
}

/** Sends tags that a page does not have, though some are like its own: alone and in a list, and those of two pages exchanged. */
async function notModified(probe: Probe): Promise<RuleFindings> {
  const { first, other, collection } = probe
  const own = first.header('ETag')
  const tag = /^(?:W\/)?"(.*)"$/.exec(own ?? '')?.[1]
  const alike = tag === undefined ? [] : [`"${tag}x"`, `"${tag.slice(0, -1)}"`, `W/"x${tag}"`]
  const withTags = (page: number, tags = ANOTHER_TAG) => get(pageTarget(collection, page), ['If-None-Match', tags])
  const exchanged = other === undefined ? [] : [withTags(1, other.etag), withTags(other.page, own)]
  const requests = [withTags(1), withTags(1, [ANOTHER_TAG, ...alike].join(', ')), ...exchanged]
  const expected = 'the page, since it has another ETag'
  return eachOf(probe, requests, ({ status }) => status !== 304, ['ETag'], expected)
}

type OnResponse = (response: RawResponse, request: string, probe: Probe) => RuleFindings

/** Checks the response to a request with another method than GET. */
const onMethod = (method: 'HEAD' | 'OPTIONS', check: OnResponse): CheckFunctions => ({
  probe: async (probe) => {
    const target = method === 'HEAD' ? pageTarget(probe.collection, 1) : pathOf(probe.collection)
    const response = await probe.send({ method, target })
    return response && check(response, `${method} ${probe.client.base}${target}`, probe)
  },
})

const headHeaders: OnResponse = (response, request, { first }) =>
  response.status === 200
    ? PAGE_HEADERS.flatMap((name) => {
        const [came, required] = [headerOf(response, name), first.header(name)]
        return unless(came === required, headerCame(name, came), `${headerCame(name, required)}, as for GET`, request)
      })
    : undefined

export const requestRules = {
  'http-response': {
    exchange: ({ method, outcome }) => {
      const expected = 'a whole and valid HTTP response'
      if (outcome instanceof NoResponse) return unless(false, outcome.message, expected)
      const surplus = method === 'HEAD' ? 0 : outcome.surplus
      return unless(surplus === 0, `${surplus} bytes after the end of the response`, expected)
    },
  },
  'server-error': {
    end: (client) =>
      client.hasResponded
        ? client.mishaps('serverErrors').map(({ request, came }) => ({ request, came, expected: 'a status below 500' }))
        : undefined,
  },
  'total-records': { probe: nothingBeyond },
  'page-omitted': { probe: withoutPage },
  'format-omitted': { probe: formatOmitted },
  'not-modified': { probe: notModified },
  'head-status': onMethod('HEAD', ({ status }, request) =>
    unless(status === 200, `status ${status}`, 'status 200', request),
  ),
  'head-body': onMethod('HEAD', ({ surplus }, request) =>
    unless(surplus === 0, `${surplus} bytes of body`, 'no body', request),
  ),
  'head-headers': onMethod('HEAD', headHeaders),
  'options-status': onMethod('OPTIONS', (response, request) =>
    unless(isSuccess(response), `status ${response.status}`, 'status 200', request),
  ),
  'options-allow': onMethod('OPTIONS', (response, request) =>
    response.status > 299 ? undefined : allowFindings(response, request),
  ),
  'read-only': {
    probeOnce: async ({ client, collection }) => {
      const fields = [['Content-Length', '0']] as const
      const { outcome, request } = await client.sendOnce({ method: 'POST', target: pathOf(collection), fields })
      if (outcome instanceof NoResponse) return undefined
      return unless(!isSuccess(outcome), `status ${outcome.status}`, 'a refusal, such as 405', request)
    },
  },
} satisfies ChecksById
