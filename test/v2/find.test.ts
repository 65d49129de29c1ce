// Filters, words, facts, order, pages and cursors against a naive model of all records in memory: in queries and over API v2.
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { type Entity, identifierOf } from '../../packages/server/src/catalog/entity.ts'
import type { PublishedRecord } from '../../packages/server/src/catalog/flatten.ts'
import { descendantsOf, ownerOf, pathTo } from '../../packages/server/src/catalog/lineage.ts'
import type { RecordPath } from '../../packages/server/src/catalog/paths.ts'
import { find } from '../../packages/server/src/query/finder.ts'
import { aliasesOf, aliasWords } from '../../packages/server/src/release/aliases.ts'
import type { Release } from '../../packages/server/src/release/release.ts'
import {
  allPaths,
  type NaiveFilter,
  type NaiveSort,
  naiveCodes,
  ownWords,
  passes,
  recordsOf,
  recordsWithFacts,
  sortedBy,
  valueAt,
} from '../support/found.ts'
import { homonymRows, homonyms } from '../support/homonyms.ts'
import { releaseOf } from '../support/releases.ts'
import { appOf, responseTo } from '../support/responses.ts'

setDefaultTimeout(180_000)

const release: Release = await releaseOf(homonyms)
const entities = [...release.catalog.entities.values()]
const all = new Map<Entity, readonly PublishedRecord[]>(
  entities.map((entity) => [
    entity,
    recordsWithFacts(entity, recordsOf(release, entity.name), homonymRows[entity.name] ?? []).map((record) => ({
      ...record,
      ...naiveCodes(entity, record),
    })),
  ]),
)
const recordsIn = (entity: Entity) => all.get(entity) as readonly PublishedRecord[]

let get: (target: string) => Promise<Response>

beforeAll(() => {
  const app = appOf(() => release)
  get = (target) => responseTo(app, { target })
})

type Wanted = {
  readonly entity: Entity
  readonly filters: readonly NaiveFilter[]
  readonly sorts: readonly NaiveSort[]
}

/** Values that are there, and now and then one that is not. */
const anyFilter = (entity: Entity): fc.Arbitrary<NaiveFilter> =>
  fc
    .record({
      path: fc.constantFrom(...allPaths(entity)),
      places: fc.array(fc.nat(), { minLength: 1, maxLength: 4 }),
      other: fc.nat(),
      length: fc.integer({ min: 1, max: 4 }),
      stranger: fc.integer({ min: 0, max: 9 }),
    })
    .map(({ path, places, other, length, stranger }) => {
      const records = recordsIn(entity)
      const matches = matchesOf(path.field)
      const match = matches[other % matches.length] ?? 'equals'
      const values = places.map((place) => {
        const record = records[place % Math.max(records.length, 1)]
        const known = record === undefined || stranger === 0 ? '' : String(valueAt(record, path))
        const value = known === '' ? strangerTo(path.field) : known
        return match === 'begins' ? value.slice(0, length) : value
      })
      return { path, match, values: match === 'min' || match === 'max' ? values.slice(0, 1) : values }
    })

/** A value that hardly any record has, and that the field may have. */
const strangerTo = (field: RecordPath['field']): string =>
  field.kind === 'fact' && field.type !== 'text' ? String(Math.min(77, field.max)) : '77'

function matchesOf(field: RecordPath['field']): readonly NaiveFilter['match'][] {
  if (field.kind === 'code' || field.kind === 'derived') return ['equals', 'begins']
  return field.kind === 'fact' && field.type !== 'text' ? ['equals', 'min', 'max'] : ['equals']
}

const isNumber = ({ field, numeric }: RecordPath) => numeric || (field.kind === 'fact' && field.type !== 'text')

const anyWanted = (maxSorts: number): fc.Arbitrary<Wanted> =>
  fc.constantFrom(...entities).chain((entity) =>
    fc.record({
      entity: fc.constant(entity),
      filters: fc.uniqueArray(anyFilter(entity), {
        maxLength: 3,
        selector: ({ path, match }) => `${path.path} ${match}`,
      }),
      sorts: fc.array(fc.record({ path: fc.constantFrom(...allPaths(entity)), descending: fc.boolean() }), {
        maxLength: maxSorts,
      }),
    }),
  )

const expected = ({ entity, filters, sorts }: Wanted): PublishedRecord[] =>
  sortedBy(
    recordsIn(entity).filter((record) => filters.every((filter) => passes(record, filter))),
    sorts,
  )

describe('a query', () => {
  /** With fewer hits, the search goes on with words of ancestors and with typing errors. */
  const MIN_HITS = 5

  const words = new Map(
    entities.map((entity) => [entity, new Map(recordsIn(entity).map((record) => [record, ownWords(entity, record)]))]),
  )
  const wordsByRecord = (entity: Entity) => words.get(entity) as ReadonlyMap<PublishedRecord, readonly string[]>

  const positionOf = new Map(entities.flatMap((entity) => recordsIn(entity).map((record, at) => [record, at] as const)))

  const aliasesByPosition = ({ name }: Entity, position: number): string[][] => {
    const { aliases, positions } = aliasesOf(release, name) ?? { aliases: [], positions: [] }
    return aliases.filter((_, at) => positions[at] === position).map(({ alias }) => aliasWords(alias))
  }

  const anyWords = fc.array(fc.record({ record: fc.nat(), word: fc.nat(), length: fc.integer({ min: 1, max: 3 }) }), {
    maxLength: 2,
  })

  const foundBy = ({ entity, filters, sorts }: Wanted, words: readonly string[]): number[] => {
    const found = find(release, entity.name, {
      filters: filters.map(({ path, match, values }) => ({
        steps: path.steps,
        match,
        values: isNumber(path) ? values.map(Number) : values,
      })),
      words,
      sorts: sorts.map(({ path, descending }) => ({ steps: path.steps, descending })),
    })
    const positions = Array.from(found.slice(0, found.total))
    expect(positions.map((position) => found.placeOf(position))).toEqual([...positions.keys()])
    return positions
  }

  test('finds what the model finds, by any filters and words, in the order of several fields', () => {
    let searched = 0
    const holds = fc.property(anyWanted(3), anyWords, (wanted, given) => {
      const { entity, sorts } = wanted
      const known = [...wordsByRecord(entity).values()]
      // A word that is typed twice must be there twice, which the model does not know.
      const words = [
        ...new Set(
          given.flatMap(({ record, word, length }) => {
            const own = known[record % known.length] ?? []
            return own.slice(word % own.length, (word % own.length) + 1).map((one) => one.slice(0, length))
          }),
        ),
      ]
      const hasWords = (record: PublishedRecord) =>
        [wordsByRecord(entity).get(record) ?? [], ...aliasesByPosition(entity, positionOf.get(record) as number)].some(
          (own) => words.every((typed) => own.some((word) => word.startsWith(typed))),
        )
      const records = expected(wanted).filter(hasWords)
      const positions = records.map((record) => positionOf.get(record) as number)
      if (words.length > 0 && records.length < MIN_HITS) return
      if (words.length > 0) searched++
      const found = foundBy(wanted, words)
      // Without a field to sort by, the hits of a search are in an order of their own.
      if (words.length > 0 && sorts.length === 0) expect(found.toSorted((a, b) => a - b)).toEqual(positions)
      else expect(found).toEqual(positions)
    })
    fc.assert(holds, { numRuns: 170 * entities.length, seed: 1_913 })
    expect(searched).toBeGreaterThan(100)
  })
})

const listed = async (target: string) => {
  const response = await get(target)
  if (response.status !== 200) throw new Error(`${target}: ${response.status} ${await response.text()}`)
  return {
    records: (await response.json()) as PublishedRecord[],
    total: Number(response.headers.get('x-total')),
    pages: Number(response.headers.get('x-total-pages')),
    next: /<http:\/\/x([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1],
  }
}

const SUFFIXES = { equals: '', begins: '_prefix', min: '_min', max: '_max' } as const

const targetOf = ({ entity, filters, sorts }: Wanted, rest: string): string => {
  const parameters = [
    ...filters.flatMap(({ path, match, values }) =>
      values.map((value) => `${path.path}${SUFFIXES[match]}=${encodeURIComponent(value)}`),
    ),
    ...sorts.map(({ path, descending }) => `sort=${descending ? '-' : ''}${path.path}`),
    'facts=true',
    rest,
  ]
  return `/api/v2/${entity.plural}?${parameters.join('&')}`
}

describe('over API v2', () => {
  test('any filters in any order find the same records in the same order, and count them', async () => {
    await fc.assert(
      fc.asyncProperty(anyWanted(1), fc.integer({ min: 1, max: 60 }), fc.nat(), async (wanted, perPage, turn) => {
        const records = expected(wanted)
        const pages = Math.ceil(records.length / perPage)
        const page = 1 + (turn % Math.max(pages, 1))
        const found = await listed(targetOf(wanted, `per_page=${perPage}&page=${page}`))
        expect(found).toMatchObject({ total: records.length, pages })
        expect(found.records).toEqual(records.slice((page - 1) * perPage, page * perPage))
      }),
      { numRuns: 400 },
    )
  })

  test('a walk with cursors gives every record once, for any filter, order and size of page', async () => {
    await fc.assert(
      fc.asyncProperty(anyWanted(1), fc.integer({ min: 3, max: 1_000 }), async (wanted, size) => {
        const records = expected(wanted)
        // No walk of more than a hundred pages.
        const perPage = Math.min(Math.max(size, Math.ceil(records.length / 100)), 1_000)
        const walked: PublishedRecord[] = []
        let target: string | undefined = targetOf(wanted, `per_page=${perPage}`)
        for (let steps = 0; target !== undefined && steps <= 101; steps++) {
          const { records: some, next, total } = await listed(target)
          expect(total).toBe(records.length)
          walked.push(...some)
          target = next
        }
        expect(walked).toEqual(records)
      }),
      { numRuns: 60 },
    )
  })

  test('the descendants of a record are those that have it as an ancestor', async () => {
    const ancestors = entities.filter((entity) => ownerOf(entity) === undefined)
    let looked = 0
    for (const ancestor of ancestors) {
      const id = recordsIn(ancestor)[0]?.[identifierOf(ancestor)] as number
      for (const entity of entities) {
        const path = pathTo(entity, ancestor)
        const target = `/api/v2/${ancestor.plural}/${id}/${entity.plural}`
        if (path === undefined) {
          expect([target, (await get(target)).status]).toEqual([target, 404])
          continue
        }
        looked++
        const wanted = recordsIn(entity).filter((record) => valueAt(record, path) === id)
        const { records, total } = await listed(`${target}?facts=true&per_page=1000`)
        expect({ target, total, records }).toEqual({ target, total: wanted.length, records: wanted.slice(0, 1_000) })
      }
    }
    expect(looked).toBe(ancestors.flatMap((ancestor) => descendantsOf(release.catalog, ancestor)).length)
  })

  test('every record is at its own path, by identifier and by code', async () => {
    for (const entity of entities) {
      const records = recordsIn(entity)
      for (const record of records.filter((_, at) => at % Math.ceil(records.length / 25) === 0)) {
        for (const path of pathsTo(entity, record)) expect(await (await get(path)).json()).toEqual(record)
      }
    }
  })
})

/** By identifier and by code; a record without an identifier of its own is found under its owner. */
function pathsTo(entity: Entity, record: PublishedRecord): [string, string] {
  const owner = ownerOf(entity)
  const paths = allPaths(entity)
  const valueIn = (field: string) => {
    const path = paths.find(({ path }) => path === field)
    return path === undefined ? '' : String(valueAt(record, path))
  }
  const own = (fields: readonly string[]) =>
    fields
      .filter((field) => field !== owner?.field)
      .map(valueIn)
      .join('-')
  const place = owner === undefined ? '' : `${owner.entity.plural}/${valueIn(owner.field)}/`
  const collection = `/api/v2/${place}${entity.plural}`
  return [`${collection}/${own(entity.key)}?facts=true`, `${collection}/${own(entity.code)}?by=code&facts=true`]
}
