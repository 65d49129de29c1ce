// Requests to API v2 that were right stay right: what they respond with is on record.
import { setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import type { Entity } from '../../packages/server/src/catalog/entity.ts'
import { descendantsOf, ownerOf } from '../../packages/server/src/catalog/lineage.ts'
import { pathsOf, type RecordPath } from '../../packages/server/src/catalog/paths.ts'
import type { Release } from '../../packages/server/src/release/release.ts'
import { bundledWithLocalities } from '../support/fewer-localities.ts'
import { expectGolden } from '../support/golden.ts'
import { asRecorded, recordedSource } from '../support/recorded-lists.ts'
import { TestHome } from '../support/releases.ts'
import { appOf, responseTo } from '../support/responses.ts'

setDefaultTimeout(180_000)

const ON_RECORD = join(import.meta.dir, '..', 'data', 'v2-responses.ndjson')
const HEADERS = ['Content-Type', 'X-Page', 'X-Per-Page', 'X-Total', 'X-Total-Pages', 'Content-Disposition'] as const

type Value = string | number | { readonly [field: string]: Value }

const recordAt = (release: Release, { name }: Entity, position: number): Value =>
  JSON.parse(new TextDecoder().decode(release.entity(name).records.record(position)))

/** Undefined for a fact, which is no part of the record. */
const valueAt = (record: Value, { steps, numeric }: RecordPath): string | number | undefined => {
  let value: Value | undefined = record
  for (const step of steps) value = typeof value === 'object' ? value[step] : undefined
  // The identifier of an embedded record has the same name.
  if (typeof value === 'object') value = numeric ? value[steps.at(-1) as string] : undefined
  return typeof value === 'object' ? undefined : value
}

/** Of the localities; a request that sorts all of them takes a moment. */
const ONE_IN = 20

/** Requests for one collection; search is left out, whose order may change. */
function requestsFor(release: Release, entity: Entity): string[] {
  const list = `/api/v2/${entity.plural}`
  const paths = [...pathsOf(entity).values()]
  const names = paths.map(({ path }) => path)
  const record = recordAt(release, entity, Math.floor(release.entity(entity.name).count / 2))
  const query = (name: string, value: string | number) => `${name}=${encodeURIComponent(value)}`
  const filters = paths.flatMap((path) => {
    const value = valueAt(record, path)
    if (value === undefined) return []
    const text = String(value)
    return [
      query(path.path, value),
      ...(path.field.kind === 'code' ? [query(`${path.path}_prefix`, text.slice(0, 1))] : []),
      ...(path.numeric ? [`${query(path.path, value)}&${query(path.path, 1)}`] : []),
    ]
  })
  const numbers = paths.filter(({ field }) => field.kind === 'fact' && field.type !== 'text')
  return [
    ...['', '?per_page=4&page=2', '?embed=id', '?format=csv', '?format=ndjson&embed=id', '?facts=true&per_page=5'].map(
      (one) => `${list}${one}`,
    ),
    ...names.map((name) => `${list}?fields=${name}&per_page=3`),
    // In the order of the definition, which is that of the columns.
    `${list}?format=csv&per_page=5&fields=${paths.filter(({ steps, field }) => steps.length === 1 && field.kind !== 'fact').map(({ path }) => path)}`,
    ...names.flatMap((name) => [`${list}?sort=${name}&per_page=4`, `${list}?sort=-${name}&per_page=4&page=2`]),
    ...filters.flatMap((filter) => [
      `${list}?${filter}&per_page=5`,
      `${list}?${filter}&embed=id&format=csv&per_page=2`,
    ]),
    ...numbers.flatMap(({ path }) => [`${list}?${path}_min=10&per_page=3`, `${list}?${path}_max=10&per_page=3`]),
    ...['json', 'ndjson', 'csv'].flatMap((format) => [
      `${list}/all?format=${format}`,
      `${list}/all?format=${format}&facts=true`,
    ]),
    ...recordRequests(release, entity, record),
  ].filter((target) => !target.includes('per_page=4&page=2') || release.entity(entity.name).count > 4)
}

function recordRequests({ catalog }: Release, entity: Entity, record: Value): string[] {
  const own = valueIn(record, [entity.key.at(-1) as string])
  const owner = ownerOf(entity)
  const before = owner === undefined ? '' : `/${owner.entity.plural}/${valueIn(record, [owner.field, owner.field])}`
  const at = `/api/v2${before}/${entity.plural}`
  const code = entity.code
    .filter((field) => field !== owner?.field)
    .map((field) => valueIn(record, entity.fields[field]?.kind === 'embed' ? [field, field] : [field]))
    .join('-')
  const children = descendantsOf(catalog, entity).map((child) => `${at}/${own}/${child.plural}`)
  return [
    `${at}/${own}`,
    `${at}/${own}?embed=id&facts=true`,
    `${at}/${own}?format=csv`,
    `${at}/${code}?by=code`,
    ...children.flatMap((one) => [one, `${one}?embed=id&per_page=3&page=1`, `${one}?format=csv&facts=true`]),
  ]
}

const valueIn = (record: Value, steps: readonly string[]): Value =>
  steps.reduce<Value>((value, step) => (value as Record<string, Value>)[step] as Value, record)

test('every response is the one on record', async () => {
  using home = new TestHome()
  await home.import(recordedSource(bundledWithLocalities((_, at) => at % ONE_IN === 0)))
  const release = asRecorded(home.current())
  const app = appOf(() => release, {
    store: home.store,
    policy: { baseUrl: 'https://catalogs.example.org', trustedProxies: undefined },
  })
  const near = ['near=19.43,-99.13&per_page=3', 'near=20.67,-103.34&within_km=20', 'near=0,0&fields=descLocalidad']
  const targets = [
    ...[...release.catalog.entities.values()].flatMap((entity) => requestsFor(release, entity)),
    ...near.map((query) => `/api/v2/localidades?${query}`),
  ]
  const lines: string[] = []
  for (const target of new Set(targets)) {
    const response = await responseTo(app, { target }, { peer: undefined, listeningUrl: 'http://127.0.0.1' })
    const hash = new Bun.CryptoHasher('sha256').update(await response.bytes()).digest('hex')
    const headers = HEADERS.map((name) => response.headers.get(name))
    lines.push(`${JSON.stringify([target, response.status, ...headers, hash.slice(0, 32)])}\n`)
  }
  await expectGolden(ON_RECORD, lines.join(''))
})
