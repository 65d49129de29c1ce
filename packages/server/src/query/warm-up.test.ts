// Warming up prepares a process for its first requests.
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import {
  bundledHome,
  bundledRelease,
  fullRelease,
  releaseOf,
  sourceOf,
  tiny,
} from '../../../../test/support/releases.ts'
import { workOn } from '../base/checkpoint.ts'
import type { Release } from '../release/release.ts'
import { entityNames } from './resolve/entity-names.ts'
import { resolveRow } from './resolve/resolve.ts'
import { isSure } from './resolve/verdict.ts'
import { sampleRows, warmedLists, warmUp, warmUpBytes } from './warm-up.ts'

setDefaultTimeout(180_000)

const atOnce = { pause: () => undefined }
afterEach(() => workOn(undefined))

/** How often some work asks whether it should go on: about how much it does. */
function stepsOf(work: () => unknown): number {
  let steps = 0
  workOn(() => {
    steps++
  })
  work()
  workOn(undefined)
  return steps
}

test('records all over a collection are written in all ways', async () => {
  const release = await bundledRelease()
  const rows = sampleRows(release, 'localidad')
  expect(rows.map((row) => ('text' in row ? row.text.includes(',') : row.parts.size))).toEqual([4, 4, 3, true, false])
  const resolved = rows.map((row) => resolveRow(release, row))
  expect(resolved.filter(({ verdict }) => isSure(verdict)).length).toBeGreaterThan(rows.length / 2)
  expect(new Set(resolved.map(({ record }) => record?.position)).size).toBe(rows.length)
  const names = entityNames(release, release.entity('localidad').definition)
  const known = new Set(Array.from(names.positions, (position) => names.texts(position)[0]))
  const own = rows.map((row) => ('parts' in row ? row.parts.get('localidad') : undefined))
  expect(own.map((text) => text !== undefined && known.has(text))).toEqual([true, false, true, false, false])
})

test('a row does less afterwards', async () => {
  using home = await bundledHome()
  const [cold, warm] = [home.current(), home.current()]
  await warmUp(warm, atOnce)
  const resolving = (release: Release) => stepsOf(() => resolveRow(release, { text: 'Guadaljara, Jalisco' }))
  expect(resolving(warm)).toBeLessThan(resolving(cold) / 2)
})

test('a catalog of a few records is warmed too', async () => {
  const release = await releaseOf(sourceOf(tiny))
  const { count } = release.entity('localidad')
  expect(sampleRows(release, 'localidad')).toHaveLength(Math.min(count, 5))
  await warmUp(release, atOnce)
})

/** Half of the memory that a compute worker may have by default. */
const HALF_OF_DEFAULT = 150 << 20

test('at contract scale it takes less memory than half of what is allowed by default', async () => {
  expect(warmUpBytes(await fullRelease())).toBeLessThan(HALF_OF_DEFAULT)
})

test('of very many lists the largest are warmed, in the order of the catalog', () => {
  const counts = new Map(Array.from({ length: 40 }, (_, at) => [`list${at}`, (at * 7) % 40]))
  const release = {
    catalog: { collections: new Map([...counts.keys()].map((name) => [name, { name }])) },
    entity: (name: string) => ({ count: counts.get(name) }),
  } as unknown as Release
  const warmed = warmedLists(release)
  const order = [...counts.keys()]
  expect(warmed).toEqual(order.filter((name) => (counts.get(name) ?? 0) >= 40 - warmed.length))
  expect(warmed.length).toBeLessThan(order.length / 2)
})
