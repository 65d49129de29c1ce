// What anyone may ask of a list, asked over HTTP and compared with the records that the list has.
import { parse } from 'csv-parse/sync'
import { broaderOf, type Entity, type Field, nameFieldOf } from '../../packages/server/src/catalog/entity.ts'
import type { PublishedRecord, PublishedValue } from '../../packages/server/src/catalog/flatten.ts'
import { filterParameter, keySegments, recordAddress } from '../../packages/server/src/explorer/links.ts'
import { recordPath } from '../../packages/server/src/http/v2/record-key.ts'
import type { Documented } from '../support/openapi.ts'

export type ServedList = {
  readonly url: string
  readonly entity: Entity
  readonly count: number
  /** Of the release from before the list came. */
  readonly before: string
  readonly documented: Documented
}

/** What is wrong, each as a line; nothing where it is sound. */
type Check = (list: ServedList) => Promise<readonly string[]>

const PER_PAGE = 500
const MAX_SEARCHED = 200
const MAX_PARENTS = 10

export const CHECKS: Readonly<Record<string, Check>> = {
  pages: async (list) => {
    const response = await get(list, `?per_page=10`)
    const total = Number(response.headers.get('X-Total'))
    const [page, all] = [await recordsIn(response), await allRecords(list)]
    return [
      ...unless(total === list.count, `X-Total is ${total}, and there are ${list.count} records`),
      ...unless(Bun.deepEquals(page, all.slice(0, 10)), 'the first page is not the beginning of the list'),
    ]
  },

  records: async (list) => {
    const faults: string[] = []
    for (const record of await someRecords(list)) {
      const path = recordPath(list.entity, record)
      const response = await fetch(list.url + path)
      if (response.status !== 200 || !Bun.deepEquals(await response.json(), record)) faults.push(`${path} is another`)
    }
    return faults
  },

  walk: async (list) => {
    const seen: PublishedRecord[] = []
    let target: string | undefined = `${list.url}/api/v2/${list.entity.plural}?per_page=${PER_PAGE}`
    while (target !== undefined && seen.length <= list.count) {
      const response: Response = await fetch(target)
      seen.push(...(await recordsIn(response)))
      target = /<([^>]+)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1]
    }
    const all = await allRecords(list)
    return unless(Bun.deepEquals(seen, all), `the pages have ${seen.length} records, which are not those of the list`)
  },

  filters: async (list) => {
    const all = await allRecords(list)
    const faults: string[] = []
    for (const [name, field] of Object.entries(list.entity.fields)) {
      const sample = all.map((record) => record[name]).find((value) => isAskable(field, value))
      if (sample === undefined) continue
      const parameter = filterParameter(list.entity, [name])
      if (parameter === '') continue
      const query = `${encodeURIComponent(parameter)}=${encodeURIComponent(String(sample))}`
      const response = await get(list, `?per_page=${PER_PAGE}&${query}`)
      const expected = all.filter((record) => record[name] === sample).length
      const total = Number(response.headers.get('X-Total'))
      const found = await recordsFound(response)
      if (total < expected || found.length === 0) faults.push(`${query}: ${total} records, status ${response.status}`)
    }
    return faults
  },

  search: async (list) => {
    const faults: string[] = []
    for (const record of await someRecords(list)) {
      const name = nameOf(list, record)
      if (name === undefined) continue
      const response = await get(list, `?per_page=${PER_PAGE}&q=${encodeURIComponent(name)}`)
      const found = await recordsFound(response)
      if (!found.some((one) => Bun.deepEquals(one, record))) faults.push(`q=${name} does not find it`)
    }
    return faults
  },

  suggestions: async (list) => {
    const faults: string[] = []
    for (const record of await someRecords(list)) {
      const name = nameOf(list, record)
      if (name === undefined) continue
      const query = `q=${encodeURIComponent(name)}&in=${list.entity.plural}`
      const response = await fetch(`${list.url}/api/v2/search?${query}`)
      const found: unknown = await response.json()
      if (!Array.isArray(found) || found.length === 0)
        faults.push(`${query} suggests nothing, status ${response.status}`)
    }
    return faults
  },

  tree: async (list) => {
    const [key, broader] = [list.entity.key[0] as string, broaderOf(list.entity)]
    if (broader === undefined) return []
    const all = await allRecords(list)
    const below = Map.groupBy(all, (record) => String(record[broader]))
    const descendants = (of: string, seen = new Set<string>()): number =>
      (below.get(of) ?? []).reduce((sum, record) => {
        const child = String(record[key])
        if (seen.has(child)) return sum
        seen.add(child)
        return sum + 1 + descendants(child, seen)
      }, 0)
    const faults: string[] = []
    for (const record of all.filter((one) => below.has(String(one[key]))).slice(0, MAX_PARENTS)) {
      const path = recordPath(list.entity, record)
      const own = String(record[key])
      const expected = { children: below.get(own)?.length ?? 0, descendants: descendants(own) }
      for (const [axis, count] of Object.entries(expected)) {
        const total = await totalAt(`${list.url}${path}/${axis}`)
        if (total !== count) faults.push(`${path}/${axis} has ${total} records, not ${count}`)
      }
    }
    return faults
  },

  resolve: async (list) => {
    const faults: string[] = []
    for (const record of await someRecords(list)) {
      const name = nameOf(list, record)
      if (name === undefined) continue
      const query = `${encodeURIComponent(list.entity.name)}=${encodeURIComponent(name)}`
      const response = await fetch(`${list.url}/api/v2/resolve?${query}`)
      const text = await response.text()
      if (response.status !== 200 || !text.includes(JSON.stringify(name).slice(1, -1)))
        faults.push(`${name} is not resolved, status ${response.status}`)
    }
    return faults
  },

  bulk: async (list) => {
    const table = await (await get(list, '/all?format=csv')).text()
    const rows: unknown[] = parse(table, { columns: true, bom: true })
    const lines = (await (await get(list, '/all?format=ndjson')).text()).split('\n').filter((line) => line !== '')
    return [
      ...unless(rows.length === list.count, `the CSV has ${rows.length} rows`),
      ...unless(lines.length === list.count, `the NDJSON has ${lines.length} lines`),
    ]
  },

  changes: async (list) => {
    const target = `${list.url}/api/v2/changes?from=${list.before}&in=${list.entity.plural}&format=ndjson`
    const response = await fetch(target)
    const lines = (await response.text()).split('\n').filter((line) => line !== '')
    const added = lines.map((line) => JSON.parse(line)).filter(({ change }) => change === 'added')
    return unless(added.length === list.count, `${added.length} records were added, status ${response.status}`)
  },

  openapi: async (list) => {
    const path = `/api/v2/${list.entity.plural}`
    const [record] = await someRecords(list)
    const targets = [path, `${path}/all`, ...(record === undefined ? [] : [recordPath(list.entity, record)])]
    const faults: string[] = []
    for (const [at, target] of targets.entries()) {
      const documented = list.documented.operations.filter((one) => one.path.startsWith(path))
      const operation =
        at < 2 ? documented.find((one) => one.path === target) : documented.find((one) => isRecordOf(one.path, path))
      if (operation === undefined) faults.push(`${target} is not documented`)
      else faults.push(...(await list.documented.breaches(operation, await plainResponse(list.url + target))))
    }
    return faults
  },

  explorer: async (list) => {
    const records = await someRecords(list)
    const pages = records.map((record) => recordAddress(list.entity, keySegments(list.entity, record)))
    const faults: string[] = []
    for (const page of [`/explore/${list.entity.plural}`, ...pages]) {
      const response = await fetch(`${list.url}${page}`, { headers: { Accept: 'text/html' } })
      const text = await response.text()
      const odd = /\[object Object\]|>(undefined|NaN)</.exec(text)?.[0]
      if (response.status !== 200) faults.push(`${page} has status ${response.status}`)
      else if (odd !== undefined) faults.push(`${page} shows ${odd}`)
    }
    return faults
  },
}

/** As the app makes it: not compressed, and without what the service that is observed adds. */
async function plainResponse(url: string): Promise<Response> {
  const response = await fetch(url, { headers: { 'Accept-Encoding': 'identity' } })
  const headers = new Headers(response.headers)
  headers.delete('X-Request-Id')
  return new Response(response.body, { status: response.status, headers })
}

const unless = (holds: boolean, fault: string): readonly string[] => (holds ? [] : [fault])

const get = ({ url, entity }: ServedList, rest: string): Promise<Response> =>
  fetch(`${url}/api/v2/${entity.plural}${rest}`)

async function recordsIn(response: Response): Promise<readonly PublishedRecord[]> {
  const found: unknown = await response.json()
  if (!Array.isArray(found)) throw new Error(`no list: ${JSON.stringify(found).slice(0, 200)}`)
  return found
}

/** Reads the response to its end: a service that is stopped waits for those that are not. */
async function totalAt(url: string): Promise<number> {
  const response = await fetch(url)
  await response.arrayBuffer()
  return Number(response.headers.get('X-Total'))
}

/** Those of a list; of a problem none. */
async function recordsFound(response: Response): Promise<readonly PublishedRecord[]> {
  const found: unknown = await response.json()
  return Array.isArray(found) ? found : []
}

const wholeLists = new WeakMap<Entity, Promise<readonly PublishedRecord[]>>()

/** Fetched once for all checks. */
function allRecords(list: ServedList): Promise<readonly PublishedRecord[]> {
  const known = wholeLists.get(list.entity) ?? get(list, '/all').then(recordsIn)
  wholeLists.set(list.entity, known)
  return known
}

/** The first, one in the middle, and the last. */
async function someRecords(list: ServedList): Promise<readonly PublishedRecord[]> {
  const all = await allRecords(list)
  const places = new Set([0, all.length >> 1, all.length - 1].filter((at) => at >= 0 && at < all.length))
  return [...places].map((at) => all[at] as PublishedRecord)
}

/** A name that can be searched for. */
function nameOf({ entity }: ServedList, record: PublishedRecord): string | undefined {
  const name = record[nameFieldOf(entity)]
  return typeof name === 'string' && name.length <= MAX_SEARCHED && /[\p{L}\p{N}]/u.test(name) ? name : undefined
}

/** Whether it is a value that a query names as it is: a comma stands between several. */
const isAskable = (field: Field, value: PublishedValue | undefined) =>
  field.kind !== 'embed' &&
  field.kind !== 'fact' &&
  (typeof value === 'number' ||
    typeof value === 'boolean' ||
    (typeof value === 'string' && value !== '' && value.length <= MAX_SEARCHED && !/[,\n\r]/.test(value)))

const isRecordOf = (path: string, list: string) => /^\{[^/]*\}$/.test(path.slice(list.length + 1))
