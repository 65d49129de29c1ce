// Walks every collection by its links, forth and back, and finds every record of it once and in order.
import { describe, expect, test } from 'bun:test'
import { fullRecords, fullService, type List } from '../support/contract-service.ts'
import { Conversation } from '../support/conversation.ts'
import { bodyOf, keyOf, lists } from '../support/expected.ts'

const { url } = await fullService()
/** Back over all 30,014 pages of localities would take as long again and show nothing new. */
const MAX_BACK = 1_000
const TIMEOUT_MILLISECONDS = 180_000

type Relation = 'prev' | 'next'

/** The target of the link with a relation, which must be on this server. */
function target(link: string | undefined, relation: Relation): string | undefined {
  const address = link?.match(new RegExp(`<([^<>]*)>; rel="${relation}"`))?.[1]
  if (address !== undefined && !address.startsWith(`${url}/`)) throw new Error(`${address} is not on ${url}`)
  return address?.slice(url.length)
}

type Walk = { readonly from: number; readonly relation: Relation; readonly steps: number }

/** Follows the links of a relation, and compares every page on the way with the one expected there. */
async function walk({ path, entity }: List, { from, relation, steps }: Walk) {
  const records = fullRecords(entity)
  const tags = new Set<string | undefined>()
  using conversation = await Conversation.with(url)
  let at: string | undefined = `${path}?page=${from}`
  let taken = 0
  for (; at !== undefined && taken < steps; taken++) {
    const { status, headers, body } = await conversation.get(at)
    const page = relation === 'next' ? from + taken : from - taken
    const wanted = bodyOf(records, page)
    if (status !== 200 || headers['X-Page'] !== String(page) || body !== wanted)
      expect([at, status, headers['X-Page'], body]).toEqual([at, 200, String(page), wanted])
    tags.add(headers.ETag)
    at = target(headers.Link, relation)
  }
  return { taken, tags: tags.size, at }
}

describe.each(lists)('$path', (list) => {
  const { path, entity, total, pages } = list

  test('the records that a walk is to find are all different', () => {
    const records = fullRecords(entity)
    const keys = new Set(records.map((record) => keyOf(entity, record)))
    expect([records.length, keys.size]).toEqual([total, total])
  })

  // One step more than there are pages would show links that lead on too far, or in a circle.
  test(
    'by next from the first page to the last',
    async () => {
      const walked = await walk(list, { from: 1, relation: 'next', steps: pages + 1 })
      expect(walked).toEqual({ taken: pages, tags: pages, at: undefined })
    },
    TIMEOUT_MILLISECONDS,
  )

  test(
    pages > MAX_BACK ? `by prev over the last ${MAX_BACK} pages` : 'by prev from the last page to the first',
    async () => {
      const steps = Math.min(pages + 1, MAX_BACK)
      const walked = await walk(list, { from: pages, relation: 'prev', steps })
      const at = pages > MAX_BACK ? `${path}?format=api&page=${pages - MAX_BACK}` : undefined
      const taken = Math.min(pages, MAX_BACK)
      expect(walked).toEqual({ taken, tags: taken, at })
    },
    TIMEOUT_MILLISECONDS,
  )

  test('by prev from the second page to the first, which has none', async () => {
    const walked = await walk(list, { from: 2, relation: 'prev', steps: 3 })
    expect(walked).toEqual({ taken: 2, tags: 2, at: undefined })
  })
})
