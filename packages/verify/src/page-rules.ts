// The rules about a page and its records, and about the pages of a collection together.
import type { CheckFunctions, ChecksById } from './check.ts'
import type { CollectionWalk } from './collection-walk.ts'
import { METHODS, PER_PAGE } from './contract.ts'
import { headerCame, type RuleFindings, unless } from './findings.ts'
import { printable, shown } from './printable.ts'
import { type RawResponse, tokensOf, valuesOf } from './raw-response.ts'
import { headerOf, type ReceivedPage, SINGLE_HEADERS } from './received-page.ts'
import { hasRepeatedName, RECORD_CHECKS, type RecordCheck } from './record-faults.ts'

/** The most faults of a page that one check names. */
const MAX_NAMED = 3

/** Returns the faults of the records of a page that belong to a check. */
function recordFindings(page: ReceivedPage, check: RecordCheck): RuleFindings {
  if (page.records === undefined || page.records.length === 0) return undefined
  const faults = page.faults.filter((fault) => fault.check === check).slice(0, MAX_NAMED)
  return faults.map(({ record, path, came, expected }) => ({
    came: `record ${record + 1}: ${path} is ${came === undefined ? 'not there' : shown(came)}`,
    expected,
  }))
}

const onRecords = (check: RecordCheck): CheckFunctions => ({ page: (page) => recordFindings(page, check) })

/** The rules and the advice on records. */
export const recordChecks = {
  ...(Object.fromEntries(RECORD_CHECKS.map((check) => [check, onRecords(check)])) as ChecksById<RecordCheck>),
  integers: { page: integers },
}

/** Checks the elements of a header, or its value. */
export const onHeader = (
  name: string,
  fits: (tokens: readonly string[], value: string | undefined) => boolean,
  expected?: string,
): CheckFunctions => ({
  page: ({ response }) => {
    const value = headerOf(response, name)
    return unless(fits(tokensOf(response.fields, name), value), headerCame(name, value), expected)
  },
})

/** Checks that a header is a whole number, and the right one if that is known. */
const numberHeader = (name: string, right: (page: ReceivedPage) => number | undefined): CheckFunctions => ({
  page: (page) => {
    const value = page.number(name)
    const required = right(page)
    const expected = required === undefined ? `${name} with a whole number` : `${name}: ${required}`
    return unless(value !== undefined && (required ?? value) === value, headerCame(name, page.header(name)), expected)
  },
})

/** Checks that Allow has the methods of the contract, whose names are in upper case. */
export function allowFindings(response: RawResponse, request?: string): RuleFindings {
  const methods = valuesOf(response.fields, 'Allow').flatMap((value) => value.split(',').map((method) => method.trim()))
  const isRight = methods.length === METHODS.length && METHODS.every((method) => methods.includes(method))
  return unless(isRight, headerCame('Allow', headerOf(response, 'Allow')), `Allow: ${METHODS.join(', ')}`, request)
}

function totalPages(page: ReceivedPage): RuleFindings {
  const { total, pages } = page
  const given = page.number('X-Total-Pages')
  if (total === undefined || given === undefined) return undefined
  return unless(given === pages, `X-Total-Pages: ${given}`, `${pages}, since X-Total is ${total}`)
}

function sameTotals({ pages: [first, ...others] }: CollectionWalk): RuleFindings {
  if (first === undefined || others.length === 0) return undefined
  const differs = (one: number | undefined, two: number | undefined) =>
    one !== undefined && two !== undefined && one !== two
  const other = others.find((page) => differs(page.total, first.total) || differs(page.totalPages, first.totalPages))
  return unless(
    other === undefined,
    `X-Total ${other?.total} and X-Total-Pages ${other?.totalPages} on page ${other?.page}`,
    `${first.total} and ${first.totalPages}, as on page ${first.page}`,
  )
}

function isJson({ json, response }: ReceivedPage): RuleFindings {
  const encoding = headerOf(response, 'Content-Encoding')
  const coded = encoding === undefined ? '' : `, with Content-Encoding: ${encoding}`
  const beginning = shown(Buffer.from(response.body).toString('utf8', 0, 60))
  return unless(json !== undefined, `${response.body.length} bytes that begin ${beginning}${coded}`, 'JSON in UTF-8')
}

function pageSize({ isLast, records }: ReceivedPage): RuleFindings {
  if (records === undefined || isLast === undefined) return undefined
  const expected = isLast ? `at most ${PER_PAGE} records` : `${PER_PAGE} records, since this is not the last page`
  const isRight = isLast ? records.length <= PER_PAGE : records.length === PER_PAGE
  return unless(isRight, `${records.length} records`, expected)
}

function lastPage({ total, records, page, pages }: ReceivedPage): RuleFindings {
  // A collection without records has a first page all the same.
  if (total === undefined || records === undefined || page !== Math.max(pages ?? 0, 1)) return undefined
  const count = Math.max(total - PER_PAGE * (page - 1), 0)
  const came = `${records.length} records on page ${page}, the last`
  return unless(records.length === count, came, `${count} records, since X-Total is ${total}`)
}

function pageSelects({ pages }: CollectionWalk): RuleFindings {
  if (pages.length < 2) return undefined
  const visited = new Map<string, number>()
  for (const { page, request, content } of pages) {
    if (content === undefined) continue
    const other = visited.get(content)
    if (other !== undefined) return unless(false, `page ${page} has the records of page ${other}`, 'others', request)
    visited.set(content, page)
  }
  return []
}

type Walked = CollectionWalk['pages'][number]['records'][number]
type Twice = { readonly record: Walked; readonly before: Walked; readonly request: string; readonly places: string }

/** Yields records of which a part stands twice, on one page or on two. A page that comes again as a whole has a check of its own. */
export function* twice({ pages }: CollectionWalk, part: keyof Walked): Generator<Twice> {
  const visited = new Map<string, { readonly page: (typeof pages)[number]; readonly record: Walked }>()
  for (const page of pages)
    for (const record of page.records) {
      const value = record[part]
      if (value === undefined) continue
      const before = visited.get(value)
      if (before === undefined) visited.set(value, { page, record })
      else if (before.page === page || before.page.content !== page.content) {
        const [one, other] = [before.page.page, page.page]
        const places = one === other ? `twice on page ${one}` : `on page ${one} and on page ${other}`
        yield { record, before: before.record, request: page.request, places }
      }
    }
}

function recordOnce(walk: CollectionWalk): RuleFindings {
  if (walk.records === 0) return undefined
  return [...twice(walk, 'content')].map(({ record: { key }, request, places }) => {
    const record = key === undefined ? 'a record' : `the record ${shown(key)}`
    return { request, came: `${record} ${places}, the same in every field`, expected: 'it once' }
  })
}

function integers(page: ReceivedPage): RuleFindings {
  const findings = recordFindings(page, 'integers')
  if (findings === undefined || findings.length > 0 || page.json === undefined) return findings
  const { fraction } = page.json
  return unless(fraction === undefined, `the number ${fraction}`, 'integers without fraction and exponent')
}

function orderWithin({ identifiers: ids = [], entity }: ReceivedPage): RuleFindings {
  if (ids.length < 2) return undefined
  const at = ids.findIndex((id, index) => index > 0 && id <= (ids[index - 1] as number))
  return unless(at === -1, `${entity.key[0]} ${ids[at]} after ${ids[at - 1]}`, `ascending order of ${entity.key[0]}`)
}

function orderAcross({ pages }: CollectionWalk): RuleFindings {
  const ordered = pages.flatMap(({ ends, ...page }) => (ends === undefined ? [] : [{ ...page, ends }]))
  if (ordered.length < 2) return undefined
  for (const [index, after] of ordered.entries()) {
    const before = ordered[index - 1]
    // A page that comes again has a check of its own.
    if (before === undefined || before.content === after.content || after.ends[0] > before.ends[1]) continue
    const came = `page ${after.page} begins with ${after.ends[0]}, and page ${before.page} ends with ${before.ends[1]}`
    return unless(false, came, 'ascending identifiers across pages', after.request)
  }
  return []
}

export const pageRules = {
  status: {
    response: ({ response }) => {
      const location = headerOf(response, 'Location')
      const leads = location === undefined ? '' : `, Location: ${printable(location)}`
      return unless(response.status === 200, `status ${response.status}${leads}`, 'status 200')
    },
  },
  'media-type': onHeader(
    'Content-Type',
    (_, type) => type?.split(';')[0]?.trim().toLowerCase() === 'application/json',
    'Content-Type: application/json',
  ),
  allow: { page: ({ response }) => allowFindings(response) },
  vary: onHeader('Vary', (tokens) => tokens.join() === 'accept', 'Vary: Accept'),
  'header-once': {
    page: ({ response: { fields } }) =>
      SINGLE_HEADERS.flatMap((name) => {
        const values = valuesOf(fields, name)
        return unless(values.length < 2, `${name} ${values.length} times: ${shown(values.join(', '))}`, `${name} once`)
      }),
  },
  'x-page': numberHeader('X-Page', ({ page }) => page),
  'x-per-page': numberHeader('X-Per-Page', () => PER_PAGE),
  'x-total': numberHeader('X-Total', () => undefined),
  'x-total-pages': numberHeader('X-Total-Pages', () => undefined),
  'total-pages': { page: totalPages },
  'same-totals': { walk: sameTotals },
  json: { page: isJson },
  array: {
    page: ({ json, records }) => json && unless(records !== undefined, shown(json.value), 'an array of records'),
  },
  'names-once': {
    page: ({ json }) => json && unless(!hasRepeatedName(json), 'a field twice in one object', 'every field once'),
  },
  'page-size': { page: pageSize },
  'last-page': { page: lastPage },
  'page-selects': { walk: pageSelects },
  'record-once': { walk: recordOnce },
  order: { page: orderWithin, walk: orderAcross },
} satisfies ChecksById
