// Filters, order, pages and cursors of API v2, against a naive model of all records in memory.
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { type EntityName, entities, entityNames } from '../src/catalog/entities.ts'
import type { PublishedRecord } from '../src/catalog/flatten.ts'
import type { FieldPath } from '../src/catalog/paths.ts'
import { createApp } from '../src/http/app.ts'
import type { Release } from '../src/release/release.ts'
import { answerLaterTo } from './support/answered.ts'
import { allPaths, compareValues, type NaiveFilter, passes, recordsOf, valueAt } from './support/found.ts'
import { homonyms } from './support/homonyms.ts'
import { releaseOf } from './support/releases.ts'

setDefaultTimeout(120_000)

let release: Release
let ask: (target: string) => Promise<Response>
const all = new Map<EntityName, readonly PublishedRecord[]>()

beforeAll(async () => {
  release = await releaseOf(homonyms)
  for (const name of entityNames) all.set(name, recordsOf(release, name))
  const app = createApp({
    release: () => release,
    policy: { baseUrl: 'http://test', trustedProxies: undefined },
    logError: (error) => console.error(error),
  })
  ask = (target) => answerLaterTo(app, { target }, { peer: undefined, listeningUrl: 'http://test' })
})

const listed = async (target: string) => {
  const response = await ask(target)
  if (response.status !== 200) throw new Error(`${target}: ${response.status} ${await response.text()}`)
  return {
    records: (await response.json()) as PublishedRecord[],
    total: Number(response.headers.get('x-total')),
    pages: Number(response.headers.get('x-total-pages')),
    next: /<http:\/\/test([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1],
  }
}

type Wanted = {
  readonly name: EntityName
  readonly filters: readonly NaiveFilter[]
  readonly sort: { readonly path: FieldPath; readonly descending: boolean } | undefined
}

/** Values that are there, and now and then one that is not. */
const anyFilter = (name: EntityName): fc.Arbitrary<NaiveFilter> => {
  const records = () => all.get(name) as readonly PublishedRecord[]
  return fc
    .record({
      path: fc.constantFrom(...allPaths(name)),
      places: fc.array(fc.nat(), { minLength: 1, maxLength: 4 }),
      prefix: fc.boolean(),
      length: fc.integer({ min: 1, max: 4 }),
      stranger: fc.integer({ min: 0, max: 9 }),
    })
    .map(({ path, places, prefix, length, stranger }) => {
      const isPrefix = prefix && path.field.kind === 'code'
      const values = places.map((place) => {
        const record = records()[place % Math.max(records().length, 1)]
        const value = record === undefined || stranger === 0 ? '77' : String(valueAt(record, path))
        return isPrefix ? value.slice(0, length) : value
      })
      return { path, prefix: isPrefix, values }
    })
}

const anyWanted: fc.Arbitrary<Wanted> = fc.constantFrom(...entityNames).chain((name) =>
  fc.record({
    name: fc.constant(name),
    filters: fc.uniqueArray(anyFilter(name), {
      maxLength: 3,
      selector: ({ path, prefix }) => `${path.path}${prefix}`,
    }),
    sort: fc.option(fc.record({ path: fc.constantFrom(...allPaths(name)), descending: fc.boolean() }), {
      nil: undefined,
    }),
  }),
)

function expected({ name, filters, sort }: Wanted): PublishedRecord[] {
  const kept = (all.get(name) as readonly PublishedRecord[]).filter((record) =>
    filters.every((filter) => passes(record, filter)),
  )
  if (sort === undefined) return kept
  // Sorting is stable, so that ties stay in the order of their positions, also when it descends.
  const sign = sort.descending ? -1 : 1
  return kept.toSorted((a, b) => sign * compareValues(valueAt(a, sort.path), valueAt(b, sort.path)))
}

const queryOf = ({ filters, sort }: Wanted): string =>
  [
    ...filters.flatMap(({ path, prefix, values }) =>
      values.map((value) => `${path.path}${prefix ? '_prefix' : ''}=${encodeURIComponent(value)}`),
    ),
    ...(sort === undefined ? [] : [`sort=${sort.descending ? '-' : ''}${sort.path.path}`]),
  ].join('&')

const pathOf = ({ name }: Wanted) => `/api/v2/${entities[name].plural}`

describe('against the model', () => {
  test('any filters in any order find the same records in the same order, and count them', async () => {
    await fc.assert(
      fc.asyncProperty(anyWanted, fc.integer({ min: 1, max: 60 }), fc.nat(), async (wanted, perPage, turn) => {
        const records = expected(wanted)
        const pages = Math.ceil(records.length / perPage)
        const page = 1 + (turn % Math.max(pages, 1))
        const found = await listed(
          `${pathOf(wanted)}?${queryOf(wanted)}&per_page=${perPage}&page=${page}`.replace('?&', '?'),
        )
        expect(found).toMatchObject({ total: records.length, pages })
        expect(found.records).toEqual(records.slice((page - 1) * perPage, page * perPage))
      }),
      { numRuns: 400 },
    )
  })

  test('a walk with cursors gives every record once, for any filter, order and size of page', async () => {
    await fc.assert(
      fc.asyncProperty(anyWanted, fc.integer({ min: 3, max: 1_000 }), async (wanted, size) => {
        const records = expected(wanted)
        // No walk of more than a hundred pages.
        const perPage = Math.min(Math.max(size, Math.ceil(records.length / 100)), 1_000)
        const walked: PublishedRecord[] = []
        let target: string | undefined = `${pathOf(wanted)}?${queryOf(wanted)}&per_page=${perPage}`.replace('?&', '?')
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

  test('the records below one are those that have it above them', async () => {
    const cases = (['pais', 'estado', 'municipio', 'area', 'campo', 'disciplina'] as const).flatMap((above) =>
      entityNames.map((name) => [above, name] as const),
    )
    let looked = 0
    for (const [above, name] of cases) {
      const path = allPaths(name)
        .filter(({ field }) => field.kind === 'embed' && field.entity === entities[above])
        .toSorted((a, b) => a.steps.length - b.steps.length)[0]
      const [first] = all.get(above) as readonly PublishedRecord[]
      const id = first?.[entities[above].key[0]] as number
      const target = `/api/v2/${entities[above].plural}/${id}/${entities[name].plural}`
      if (path === undefined) {
        expect([target, (await ask(target)).status]).toEqual([target, 404])
        continue
      }
      looked++
      const wanted = (all.get(name) as readonly PublishedRecord[]).filter((record) => valueAt(record, path) === id)
      const { records, total } = await listed(`${target}?per_page=1000`)
      expect({ target, total, records }).toEqual({ target, total: wanted.length, records: wanted.slice(0, 1_000) })
    }
    expect(looked).toBe(12)
  })

  test('every record is at its own path, by identifier and by code', async () => {
    for (const name of entityNames) {
      const records = all.get(name) as readonly PublishedRecord[]
      for (const record of records.filter((_, at) => at % Math.ceil(records.length / 25) === 0)) {
        const [byId, byCode] = pathsTo(name, record)
        expect(await (await ask(byId)).json()).toEqual(record)
        expect(await (await ask(byCode)).json()).toEqual(record)
      }
    }
  })
})

function pathsTo(name: EntityName, record: PublishedRecord): [string, string] {
  const inner = (field: string, id: string) => (record[field] as PublishedRecord)[id]
  switch (name) {
    case 'localidad': {
      const above = `/api/v2/municipios/${inner('idMunicipio', 'idMunicipio')}/localidades`
      return [`${above}/${record.idLocalidad}`, `${above}/${record.cveLocalidad}?by=code`]
    }
    case 'municipio':
      return [
        `/api/v2/municipios/${record.idMunicipio}`,
        `/api/v2/municipios/${inner('idEstado', 'idEstado')}-${record.cveMunicipio}?by=code`,
      ]
    default: {
      const { plural, key, code } = entities[name]
      const [id, official] = [key[0] as string, code[0] as string]
      return [`/api/v2/${plural}/${record[id]}`, `/api/v2/${plural}/${record[official]}?by=code`]
    }
  }
}
