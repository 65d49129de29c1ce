// The rules of the contract of API v1, each as a check: a server that breaks one of them does not conform.

import { v1PathOf } from '../base/api-v1.ts'
import { PER_PAGE } from '../catalog/collections.ts'
import { printable } from '../source/requests.ts'
import { type Check, type CheckOutcome, type Probe, type RuleViolation, unless, wrong } from './check.ts'
import { NoResponse, type RawResponse, tokensOf, valuesOf } from './connection.ts'
import type { PageLink } from './link.ts'
import { headerCame, placesOf, recordVerdict } from './page-verdicts.ts'
import { eachOf, get } from './probing.ts'
import { hasRepeatedName, type RecordCheck, writtenFraction } from './record-faults.ts'
import { headerOf, LIST_HEADERS, PAGE_HEADERS, pageTarget, parseJson, type SeenPage } from './seen-page.ts'
import { shown } from './shown.ts'

type Rule = Omit<Check, 'severity'>

const METHODS = ['GET', 'HEAD', 'OPTIONS']
const ALLOW = 'GET, HEAD, OPTIONS'

/** A header of a page that is a whole number, and which one it must be, if that is known. */
function numberHeader(page: SeenPage, name: string, required?: number): CheckOutcome {
  const value = page.number(name)
  const expected = required === undefined ? `${name} with a whole number` : `${name}: ${required}`
  return unless(value !== undefined && (required ?? value) === value, headerCame(name, page.header(name)), expected)
}

/** Whether Allow has these methods, whose names are in upper case. */
function allowsToRead({ fields }: RawResponse): boolean {
  const methods = valuesOf(fields, 'Allow').flatMap((value) => value.split(',').map((method) => method.trim()))
  return methods.length === METHODS.length && METHODS.every((method) => methods.includes(method))
}

const onRecords = (id: RecordCheck, rule: string): Rule => ({ id, rule, page: (page) => recordVerdict(page, id) })

function integers(page: SeenPage): CheckOutcome {
  const faults = recordVerdict(page, 'integers')
  if (faults === undefined || faults.length > 0 || page.json === undefined) return faults
  const fraction = writtenFraction(page.json.text)
  return unless(fraction === undefined, `the number ${fraction}`, 'integers without fraction and exponent')
}

function ascendingWithin(page: SeenPage): CheckOutcome {
  const ids = page.identifiers
  if (ids === undefined || ids.length < 2) return undefined
  const at = ids.findIndex((id, index) => index > 0 && id <= (ids[index - 1] as number))
  return unless(at === -1, `${page.orderedBy} ${ids[at]} after ${ids[at - 1]}`, `ascending order of ${page.orderedBy}`)
}

/** Undefined where the header is missing or unreadable, which other checks tell. */
const readable = ({ links }: SeenPage): readonly PageLink[] | undefined =>
  typeof links === 'string' ? undefined : links

/** An entry taken apart at the path of the collection. */
function partsOf({ collection }: SeenPage, { url }: PageLink): { base: string; query: string } | undefined {
  const at = url.indexOf(`${v1PathOf(collection)}?`)
  return at === -1 ? undefined : { base: url.slice(0, at), query: url.slice(at + v1PathOf(collection).length + 1) }
}

const isShaped = (page: SeenPage, link: PageLink): boolean => {
  const { base = '', query = '' } = partsOf(page, link) ?? {}
  return /^https?:\/\/[^/?#]+/.test(base) && URL.canParse(base) && /^format=api&page=[1-9][0-9]*$/.test(query)
}

const linkedPage = ({ url }: PageLink): number | undefined => {
  const number = URL.parse(url, 'http://localhost')?.searchParams.get('page')
  return number === null || number === undefined || number === '' ? undefined : Number(number)
}

function neighbour(page: SeenPage, relation: 'prev' | 'next', required: number): CheckOutcome {
  if (typeof page.links === 'string') return undefined
  const link = page.links?.find((one) => one.relation === relation)
  const expected = `an entry ${relation} with page=${required}`
  if (link === undefined) return wrong(headerCame('Link', page.header('Link')), expected)
  const number = linkedPage(link)
  return number === undefined ? undefined : unless(number === required, `Link: ${link.text}`, expected)
}

function lastPageSize(page: SeenPage): CheckOutcome {
  const { total, records, page: number, pages } = page
  // A collection without records has a first page all the same.
  if (total === undefined || records === undefined || pages === undefined || number !== Math.max(pages, 1))
    return undefined
  const count = Math.max(total - PER_PAGE * (number - 1), 0)
  return unless(
    records.length === count,
    `${records.length} records on page ${number}, the last`,
    `${count} records, since X-Total is ${total}`,
  )
}

/** What a page beyond the last is, the contract leaves open: also the first or the last page again. But it has no records of its own. */
async function nothingBeyond({ trial, client, collection, first }: Probe): Promise<CheckOutcome> {
  if (first.pages === undefined || first.records === undefined) return undefined
  const last = Math.max(first.pages, 1)
  const recordsOf = async (page: number) => {
    const { outcome } = await trial({ method: 'GET', target: pageTarget(collection, page) })
    const value = outcome instanceof NoResponse || outcome.status !== 200 ? undefined : parseJson(outcome.body)?.value
    return Array.isArray(value) ? value.map((record) => JSON.stringify(record)) : []
  }
  const beyond = await recordsOf(last + 1)
  if (beyond.length === 0) return []
  const knownRecords = new Set([...first.records.map((record) => JSON.stringify(record)), ...(await recordsOf(last))])
  const others = beyond.filter((record) => !knownRecords.has(record))
  return unless(
    others.length === 0,
    `${others.length} records that are on no other page, such as ${shown(JSON.parse(others[0] ?? 'null'))}`,
    `no records beyond page ${last}, since X-Total is ${first.total}`,
    `GET ${client.base}${pageTarget(collection, last + 1)}`,
  )
}

function fullPageSize({ isLast, records }: SeenPage): CheckOutcome {
  if (records === undefined || isLast === undefined) return undefined
  if (isLast) return unless(records.length <= PER_PAGE, `${records.length} records`, `at most ${PER_PAGE} records`)
  return unless(
    records.length === PER_PAGE,
    `${records.length} records`,
    `${PER_PAGE} records, since this is not the last page`,
  )
}

/** Whether a request gets the same as the one that names both the page and the format. What is wrong with that has checks of its own. */
async function samePage(probe: Probe, target: string, page: number): Promise<CheckOutcome> {
  const response = await probe.send({ method: 'GET', target })
  const { outcome: named } = await probe.trial({ method: 'GET', target: pageTarget(probe.collection, page) })
  if (response === undefined || named instanceof NoResponse || named.status !== 200) return undefined
  const request = `GET ${probe.client.base}${target}`
  const expected = `page ${page}`
  if (response.status !== 200) return wrong(`status ${response.status}`, `status 200 and ${expected}`, request)
  const number = headerOf(response, 'X-Page')
  if (number !== headerOf(named, 'X-Page')) return wrong(headerCame('X-Page', number), expected, request)
  const [came, required] = [parseJson(response.body), parseJson(named.body)]
  if (required === undefined) return undefined
  const isSame = JSON.stringify(came?.value) === JSON.stringify(required.value)
  return unless(isSame, 'other records', `the records of ${expected}`, request)
}

const bareTarget = ({ collection }: Probe) => `${v1PathOf(collection)}?format=api`

async function formatOmitted(probe: Probe): Promise<CheckOutcome> {
  const page = (probe.first.pages ?? 0) > 1 ? 2 : 1
  const numbered = await samePage(probe, `${v1PathOf(probe.collection)}?page=${page}`, page)
  if (numbered === undefined || numbered.length > 0) return numbered
  const omitted = await samePage(probe, bareTarget(probe), 1)
  return omitted === undefined || omitted.length > 0 ? numbered : samePage(probe, v1PathOf(probe.collection), 1)
}

const headOf = (probe: Probe) => probe.send({ method: 'HEAD', target: pageTarget(probe.collection, 1) })
const headRequest = ({ client, collection }: Probe) => `HEAD ${client.base}${pageTarget(collection, 1)}`
const optionsOf = (probe: Probe) => probe.send({ method: 'OPTIONS', target: v1PathOf(probe.collection) })
const optionsRequest = ({ client, collection }: Probe) => `OPTIONS ${client.base}${v1PathOf(collection)}`

async function headHeaders(probe: Probe): Promise<CheckOutcome> {
  const response = await headOf(probe)
  if (response?.status !== 200) return undefined
  return PAGE_HEADERS.flatMap((name): RuleViolation[] => {
    const [came, required] = [headerOf(response, name), probe.first.header(name)]
    if (came === required) return []
    return [
      {
        came: headerCame(name, came),
        expected: `${headerCame(name, required)}, as for GET`,
        request: headRequest(probe),
      },
    ]
  })
}

/** Equal records, on one page or on two. A page that comes again as a whole is told by its own check. */
const recordOnce: NonNullable<Rule['walk']> = ({ pages }) => {
  const seen = new Map<number | bigint, (typeof pages)[number]>()
  const wrongs: RuleViolation[] = []
  for (const page of pages)
    for (const { content, key } of page.records) {
      const before = seen.get(content)
      if (before === undefined) seen.set(content, page)
      else if (before === page || before.content !== page.content) {
        const record = key === undefined ? 'a record' : `the record ${shown(key)}`
        wrongs.push({
          request: page.request,
          came: `${record} ${placesOf(before.page, page.page)}, the same in every field`,
          expected: 'it once',
        })
      }
    }
  return seen.size === 0 ? undefined : wrongs
}

const OTHER_TAG = '"another"'

/** Tags that a page does not have, though some are like its own: alone and in a list, and those of two pages exchanged. */
async function notModified(probe: Probe): Promise<CheckOutcome> {
  const { first, other, collection } = probe
  const own = first.header('ETag')
  const tag = /^(?:W\/)?"(.*)"$/.exec(own ?? '')?.[1]
  const alike = tag === undefined ? [] : [`"${tag}x"`, `"${tag.slice(0, -1)}"`, `W/"x${tag}"`]
  const withTags = (page: number, tags = OTHER_TAG) => get(pageTarget(collection, page), ['If-None-Match', tags])
  const exchanged = other === undefined ? [] : [withTags(1, other.etag), withTags(other.page, own)]
  const requests = [withTags(1), withTags(1, [OTHER_TAG, ...alike].join(', ')), ...exchanged]
  return eachOf(probe, requests, 'the page, since it has another ETag', ({ status }) => status !== 304, ['ETag'])
}

/** The rules in the order of docs/verify.md. */
export const rules: readonly Rule[] = [
  {
    id: 'http-response',
    rule: 'Every request gets a whole HTTP response in time, with a body of the length that it announces.',
    exchange: ({ method, outcome }) => {
      const expected = 'a whole and valid HTTP response'
      if (outcome instanceof NoResponse) return wrong(outcome.message, expected)
      const surplus = method === 'HEAD' ? 0 : outcome.surplus
      return unless(surplus === 0, `${surplus} bytes after the end of the response`, expected)
    },
  },
  {
    id: 'status',
    rule: 'The status of a page is 200.',
    response: ({ response }) => {
      const location = headerOf(response, 'Location')
      const leads = location === undefined ? '' : `, Location: ${printable(location)}`
      return unless(response.status === 200, `status ${response.status}${leads}`, 'status 200')
    },
  },
  {
    id: 'server-error',
    rule: 'No status is 5xx, not even once, whatever is requested; 501 is left to methods that the contract does not have.',
    end: async ({ client }) =>
      client.hasResponded
        ? client.mishaps('serverErrors').map(({ request, came }) => ({ request, came, expected: 'a status below 500' }))
        : undefined,
  },
  {
    id: 'media-type',
    rule: 'Content-Type is application/json.',
    page: (page) => {
      const type = page.header('Content-Type')
      const media = type?.split(';')[0]?.trim().toLowerCase()
      return unless(media === 'application/json', headerCame('Content-Type', type), 'Content-Type: application/json')
    },
  },
  {
    id: 'allow',
    rule: 'Allow has GET, HEAD and OPTIONS, and no other method.',
    page: (page) => unless(allowsToRead(page.response), headerCame('Allow', page.header('Allow')), `Allow: ${ALLOW}`),
  },
  {
    id: 'vary',
    rule: 'Vary is Accept.',
    page: (page) =>
      unless(
        tokensOf(page.response.fields, 'Vary').join() === 'accept',
        headerCame('Vary', page.header('Vary')),
        'Vary: Accept',
      ),
  },
  {
    id: 'header-once',
    rule: 'Content-Type, X-Page, X-Per-Page, X-Total and X-Total-Pages have one value each.',
    page: ({ response: { fields } }) =>
      PAGE_HEADERS.filter((name) => !LIST_HEADERS.includes(name)).flatMap((name): RuleViolation[] => {
        const values = valuesOf(fields, name)
        if (values.length < 2) return []
        return [{ came: `${name} ${values.length} times: ${shown(values.join(', '))}`, expected: `${name} once` }]
      }),
  },
  {
    id: 'x-page',
    rule: 'X-Page is the number of the page.',
    page: (page) => numberHeader(page, 'X-Page', page.page),
  },
  {
    id: 'x-per-page',
    rule: 'X-Per-Page is 10, in all collections.',
    page: (page) => numberHeader(page, 'X-Per-Page', PER_PAGE),
  },
  {
    id: 'x-total',
    rule: 'X-Total is a whole number.',
    page: (page) => numberHeader(page, 'X-Total'),
  },
  {
    id: 'x-total-pages',
    rule: 'X-Total-Pages is a whole number.',
    page: (page) => numberHeader(page, 'X-Total-Pages'),
  },
  {
    id: 'total-pages',
    rule: 'X-Total-Pages is X-Total divided by X-Per-Page, rounded up.',
    page: (page) => {
      const { total, pages } = page
      const totalPages = page.number('X-Total-Pages')
      if (total === undefined || totalPages === undefined) return undefined
      return unless(totalPages === pages, `X-Total-Pages: ${totalPages}`, `${pages}, since X-Total is ${total}`)
    },
  },
  {
    id: 'same-totals',
    rule: 'X-Total and X-Total-Pages are the same on all pages of a collection.',
    walk: ({ pages: [first, ...others] }) => {
      if (first === undefined || others.length === 0) return undefined
      const other = others.find(
        ({ total, totalPages }) =>
          (total !== undefined && first.total !== undefined && total !== first.total) ||
          (totalPages !== undefined && first.totalPages !== undefined && totalPages !== first.totalPages),
      )
      return unless(
        other === undefined,
        `X-Total ${other?.total} and X-Total-Pages ${other?.totalPages} on page ${other?.page}`,
        `${first.total} and ${first.totalPages}, as on page ${first.page}`,
      )
    },
  },
  {
    id: 'json',
    rule: 'The body of a page is JSON in UTF-8.',
    page: ({ json, response }) => {
      const encoding = headerOf(response, 'Content-Encoding')
      const coded = encoding === undefined ? '' : `, with Content-Encoding: ${encoding}`
      const beginning = shown(Buffer.from(response.body).toString('utf8', 0, 60))
      return unless(
        json !== undefined,
        `${response.body.length} bytes that begin ${beginning}${coded}`,
        'JSON in UTF-8',
      )
    },
  },
  {
    id: 'array',
    rule: 'The body of a page is an array of records, without an object around it.',
    page: ({ json, records }) =>
      json === undefined ? undefined : unless(records !== undefined, shown(json.value), 'an array of records'),
  },
  {
    id: 'names-once',
    rule: 'No object has a field twice: of two values, clients take one or the other.',
    page: ({ json }) =>
      json === undefined
        ? undefined
        : unless(!hasRepeatedName(json.text, json.value), 'a field twice in one object', 'every field once'),
  },
  {
    id: 'page-size',
    rule: 'A page has 10 records; only the last may have fewer.',
    page: fullPageSize,
  },
  {
    id: 'last-page',
    rule: 'The last page has the records that are left of X-Total.',
    page: lastPageSize,
  },
  {
    id: 'total-records',
    rule: 'X-Total counts all records: beyond the last page there are none.',
    probe: nothingBeyond,
  },
  {
    id: 'page-selects',
    rule: 'The parameter page selects the page: no two pages have the same records.',
    walk: ({ pages }) => {
      if (pages.length < 2) return undefined
      const seen = new Map<number | bigint, number>()
      for (const { page, request, content } of pages) {
        if (content === undefined) continue
        const same = seen.get(content)
        if (same !== undefined) return wrong(`page ${page} has the records of page ${same}`, 'other records', request)
        seen.set(content, page)
      }
      return []
    },
  },
  {
    id: 'record-once',
    rule: 'No record stands twice, on one page or on two.',
    walk: recordOnce,
  },
  onRecords('fields', 'Every record is an object with every field of the contract, spelled as there.'),
  onRecords('embedded', 'Embedded records are objects with all their fields, at every depth.'),
  { ...onRecords('integers', 'Identifiers (id…) are integers.'), page: integers },
  onRecords('strings', 'Codes, names and descriptions are strings.'),
  onRecords('codes', 'Codes have the shape that the contract gives, such as three upper-case letters for a country.'),
  onRecords('description', 'description has the value of descripcion.'),
  {
    id: 'order',
    rule: 'Municipalities, countries, subdisciplines and audiences ascend by their identifier, across pages too.',
    page: ascendingWithin,
    walk: ({ pages }) => {
      const ordered = pages.filter(({ ends }) => ends !== undefined)
      if (ordered.length < 2) return undefined
      const at = ordered.findIndex(({ ends, content }, index) => {
        const before = ordered[index - 1]
        // The same page again is told by its own check.
        return (
          before !== undefined && before.content !== content && (ends?.[0] as number) <= (before.ends?.[1] as number)
        )
      })
      if (at === -1) return []
      const [before, after] = [ordered[at - 1], ordered[at]]
      return wrong(
        `page ${after?.page} begins with ${after?.ends?.[0]}, and page ${before?.page} ends with ${before?.ends?.[1]}`,
        'ascending identifiers across pages',
        after?.request,
      )
    },
  },
  {
    id: 'link-syntax',
    rule: 'Link is a comma-separated list of URLs in angle brackets, each followed by its relation.',
    page: ({ links }) =>
      links === undefined ? undefined : unless(typeof links !== 'string', String(links), '<URL>; rel="…", and so on'),
  },
  {
    id: 'link-url',
    rule: 'The URLs of Link are absolute, of the shape {base_url}/api/v1/<collection>?format=api&page=<n>.',
    page: (page) =>
      readable(page)
        ?.filter((link) => !isShaped(page, link))
        .map(({ text }) => ({
          came: `Link: ${printable(text)}`,
          expected: `<${page.linkBase}${v1PathOf(page.collection)}?format=api&page=…>`,
        })),
  },
  {
    id: 'link-base',
    rule: 'The URLs of Link begin with the address of the service: the one that was given, or that of --base-url.',
    page: (page) =>
      readable(page)
        ?.filter((link) => isShaped(page, link) && partsOf(page, link)?.base !== page.linkBase)
        .map(({ text }) => ({
          came: `Link: ${printable(text)}`,
          expected: `${page.linkBase}, or give --base-url if the service is known by that address`,
        })),
  },
  {
    id: 'link-relations',
    rule: 'The entries of Link are prev and next, each at most once.',
    page: (page) => {
      const relations = readable(page)?.map(({ relation }) => relation)
      if (relations === undefined) return undefined
      const isKnown = relations.every((relation) => relation === 'prev' || relation === 'next')
      const isOnce = new Set(relations).size === relations.length
      return unless(isKnown && isOnce, `the relations ${relations.join(', ')}`, 'prev and next, each at most once')
    },
  },
  {
    id: 'link-prev',
    rule: 'A page that has a previous page has an entry prev, which leads to the page before it.',
    page: (page) => (page.page === 1 ? undefined : neighbour(page, 'prev', page.page - 1)),
  },
  {
    id: 'link-next',
    rule: 'A page that has a following page has an entry next, which leads to the page after it.',
    page: (page) => (page.isLast === false ? neighbour(page, 'next', page.page + 1) : undefined),
  },
  {
    id: 'link-first',
    rule: 'The first page has no entry prev.',
    page: (page) => {
      if (page.page !== 1) return undefined
      const link = readable(page)?.find(({ relation }) => relation === 'prev')
      return unless(link === undefined, `Link: ${link?.text}`, 'next only')
    },
  },
  {
    id: 'link-order',
    rule: 'In Link, prev comes before next.',
    page: (page) => {
      const relations = readable(page)?.map(({ relation }) => relation) ?? []
      const [prev, next] = [relations.indexOf('prev'), relations.indexOf('next')]
      return prev === -1 || next === -1
        ? undefined
        : unless(prev < next, `the relations ${relations.join(', ')}`, 'prev, next')
    },
  },
  {
    id: 'page-omitted',
    rule: 'Without page, the first page is sent.',
    probe: (probe) => samePage(probe, bareTarget(probe), 1),
  },
  {
    id: 'format-omitted',
    rule: 'Without format, the same page is sent.',
    probe: formatOmitted,
  },
  {
    id: 'not-modified',
    rule: 'No 304 to a tag that the page does not have: If-None-Match with another tag, or with that of another page, gets the page.',
    probe: notModified,
  },
  {
    id: 'head-status',
    rule: 'HEAD is allowed: its status is that of GET.',
    probe: async (probe) => {
      const response = await headOf(probe)
      return response && unless(response.status === 200, `status ${response.status}`, 'status 200', headRequest(probe))
    },
  },
  {
    id: 'head-body',
    rule: 'The response to HEAD has no body.',
    probe: async (probe) => {
      const response = await headOf(probe)
      return (
        response && unless(response.surplus === 0, `${response.surplus} bytes of body`, 'no body', headRequest(probe))
      )
    },
  },
  {
    id: 'head-headers',
    rule: 'The response to HEAD has the headers of the page.',
    probe: headHeaders,
  },
  {
    id: 'options-status',
    rule: 'OPTIONS is allowed: its status is 200 or another of success.',
    probe: async (probe) => {
      const response = await optionsOf(probe)
      const isSuccess = response !== undefined && response.status >= 200 && response.status <= 299
      return response && unless(isSuccess, `status ${response.status}`, 'status 200', optionsRequest(probe))
    },
  },
  {
    id: 'options-allow',
    rule: 'The response to OPTIONS has Allow, with GET, HEAD and OPTIONS and no other method.',
    probe: async (probe) => {
      const response = await optionsOf(probe)
      if (response === undefined || response.status > 299) return undefined
      const came = headerCame('Allow', headerOf(response, 'Allow'))
      return unless(allowsToRead(response), came, `Allow: ${ALLOW}`, optionsRequest(probe))
    },
  },
  {
    id: 'read-only',
    rule: 'Nothing can be created: POST, here without a body, does not succeed.',
    probeOnce: async ({ trial, collection }) => {
      const { outcome, request } = await trial({
        method: 'POST',
        target: v1PathOf(collection),
        fields: [['Content-Length', '0']],
      })
      if (outcome instanceof NoResponse) return undefined
      return unless(
        outcome.status < 200 || outcome.status > 299,
        `status ${outcome.status}`,
        'a refusal, such as 405',
        request,
      )
    },
  },
]
